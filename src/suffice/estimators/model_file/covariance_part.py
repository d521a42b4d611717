"""Covariance part: covariances of any kind to arrays and back, without losing a bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariance import (
    Covariance,
    DiagonalCovariance,
    FullCovariance,
    LowRankCovariance,
)
from suffice.models.linalg import Cholesky, Whitener
from suffice.statistics.nesting import Arrays

# Largest error of products of factors and their inverses in a valid file.
CLOSE = 1e-6

# Largest scale, and inverse of the smallest, whose square neither overflows nor underflows.
FAR = 1e150

_SCALES = ("variances", "floor", "scale", "inverse_scale")


def to_arrays(covariance: Covariance) -> Arrays:
    """The arrays of a covariance, whose names identify its kind."""
    if isinstance(covariance, DiagonalCovariance):
        return {"variances": covariance.variances}
    if isinstance(covariance, LowRankCovariance):
        return {
            "inverse_scale": covariance.inverse_scale,
            "basis": covariance.basis,
            "variances": covariance.variances,
            "floor": np.array(covariance.floor, np.float64),
        }
    assert isinstance(covariance, FullCovariance)
    factor = covariance.whitener
    if isinstance(factor, Cholesky):
        return {"factor": factor.factor, "scale": factor.scale}
    return {
        "matrix": factor.matrix,
        "colouring": factor.colouring,
        "log_determinant": np.array(factor.log_determinant, np.float64),
    }


def read(arrays: Arrays, d: int) -> Covariance:
    """The covariance of d features; a ValueError says what is wrong."""
    for name, array in arrays.items():
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError("a covariance holds values that are not finite")
        far = FAR**2 if name in ("variances", "floor") else FAR
        sizes, is_scale = np.abs(array), name in _SCALES
        if (sizes > far).any() or (is_scale and ((sizes > 0) & (sizes < 1 / far)).any()):
            raise ValueError("a covariance holds numbers too large or too small to compute with")
    reader = _READERS.get(frozenset(arrays))
    if reader is None:
        raise ValueError("a covariance does not have the arrays of any known kind")
    return reader(arrays, d)


def _diagonal(arrays: Arrays, d: int) -> Covariance:
    (variances,) = _shaped(arrays, variances=(d,))
    _require((variances >= 0).all(), "a variance is negative")
    return DiagonalCovariance(variances)


def _low_rank(arrays: Arrays, d: int) -> Covariance:
    r = len(np.atleast_1d(arrays["variances"]))
    inverse, basis, variances, floor = _shaped(
        arrays, inverse_scale=(d,), basis=(r, d), variances=(r,), floor=()
    )
    positive = (inverse >= 0).all() and (variances > 0).all() and floor > 0
    _require(positive, "a variance is negative")
    _require(_is_identity(basis @ basis.T), "the basis of a covariance is not orthonormal")
    return LowRankCovariance(inverse, basis, variances, float(floor))


def _cholesky(arrays: Arrays, d: int) -> Covariance:
    factor, scale = _shaped(arrays, factor=(d, d), scale=(d,))
    lower = not np.triu(factor, 1).any() and (factor.diagonal() > 0).all()
    unit = np.abs(np.einsum("ij,ij->i", factor, factor) - 1).max() < CLOSE
    _require(lower and unit, "a covariance is not positive definite")
    _require((scale > 0).all(), "a variance is negative")
    return FullCovariance(Cholesky(factor, scale))


def _whitener(arrays: Arrays, d: int) -> Covariance:
    r = len(np.atleast_1d(arrays["matrix"]))
    matrix, colouring, log_determinant = _shaped(
        arrays, matrix=(r, d), colouring=(r, d), log_determinant=()
    )
    # In units of the features, so that products do not overflow.
    scale = np.sqrt(np.einsum("ij,ij->j", colouring, colouring))
    inverse = np.divide(1.0, scale, out=np.zeros(d), where=scale > 0)
    _require(_is_identity((matrix * scale) @ (colouring * inverse).T), "a covariance is singular")
    return FullCovariance(Whitener(matrix, colouring, float(log_determinant)))


_READERS: dict[frozenset[str], Callable[[Arrays, int], Covariance]] = {
    frozenset({"variances"}): _diagonal,
    frozenset({"inverse_scale", "basis", "variances", "floor"}): _low_rank,
    frozenset({"factor", "scale"}): _cholesky,
    frozenset({"matrix", "colouring", "log_determinant"}): _whitener,
}


def _shaped(arrays: Arrays, **shapes: tuple[int, ...]) -> list[Floats]:
    """The named arrays; a ValueError if they do not have these shapes."""
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"the {name} of a covariance has the wrong number of features")
    return [arrays[name] for name in shapes]


def _is_identity(matrix: Floats) -> bool:
    return not len(matrix) or bool(np.abs(matrix - np.eye(len(matrix))).max() < CLOSE)


def _require(condition: Any, problem: str) -> None:
    if not condition:
        raise ValueError(problem)
