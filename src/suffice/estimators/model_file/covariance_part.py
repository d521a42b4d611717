"""Covariance part: covariances of any shape as arrays, to the last bit, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.covariance import Covariance, Diagonal, Full, LowRank
from suffice.models.linalg import Cholesky, Whitener

# Factors and their inverses agree to this much where they are sound.
CLOSE = 1e-6


def written(covariance: Covariance) -> tuple[dict[str, Any], dict[str, Array]]:
    """What shape it has, with its single numbers, and its arrays."""
    if isinstance(covariance, Diagonal):
        return {"shape": "diagonal"}, {"variances": covariance.variances}
    if isinstance(covariance, LowRank):
        arrays = {
            "inverse_scale": covariance.inverse_scale,
            "basis": covariance.basis,
            "variances": covariance.variances,
        }
        return {"shape": "low rank", "floor": float(covariance.floor)}, arrays
    assert isinstance(covariance, Full)
    factor = covariance.whitener
    if isinstance(factor, Cholesky):
        return {"shape": "cholesky"}, {"factor": factor.factor, "scale": factor.scale}
    header = {"shape": "whitener", "log_determinant": float(factor.log_determinant)}
    return header, {"matrix": factor.matrix, "colouring": factor.colouring}


def read(header: Any, arrays: dict[str, Array], d: int) -> Covariance:
    """The covariance of d features; an error says what is wrong."""
    readers: dict[str, Callable[[Any, dict[str, Array], int], Covariance]] = {
        "diagonal": _diagonal,
        "low rank": _low_rank,
        "cholesky": _cholesky,
        "whitener": _whitener,
    }
    if not isinstance(header, dict) or header.get("shape") not in list(readers):
        raise ValueError("a covariance has no known shape")
    for array in arrays.values():
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError("a covariance holds what is not a finite number")
    return readers[header["shape"]](header, arrays, d)


def _diagonal(header: Any, arrays: dict[str, Array], d: int) -> Covariance:
    (variances,) = _parts(header, arrays, {"variances": (d,)})
    _require((variances >= 0).all(), "a variance is negative")
    return Diagonal(variances)


def _low_rank(header: Any, arrays: dict[str, Array], d: int) -> Covariance:
    r = len(arrays["variances"])
    shapes = {"inverse_scale": (d,), "basis": (r, d), "variances": (r,)}
    inverse, basis, variances = _parts(header, arrays, shapes, "floor")
    floor = _number(header["floor"])
    _require((inverse >= 0).all() and (variances > 0).all() and floor > 0, "a variance is negative")
    _require(_is_identity(basis @ basis.T), "the basis of a covariance is not orthonormal")
    return LowRank(inverse, basis, variances, floor)


def _cholesky(header: Any, arrays: dict[str, Array], d: int) -> Covariance:
    factor, scale = _parts(header, arrays, {"factor": (d, d), "scale": (d,)})
    lower = not np.triu(factor, 1).any() and (factor.diagonal() > 0).all()
    unit = np.abs(np.einsum("ij,ij->i", factor, factor) - 1).max() < CLOSE
    _require(lower and unit, "a covariance is not positive definite")
    _require((scale > 0).all(), "a variance is negative")
    return Full(Cholesky(factor, scale))


def _whitener(header: Any, arrays: dict[str, Array], d: int) -> Covariance:
    r = len(arrays["matrix"])
    shapes = {"matrix": (r, d), "colouring": (r, d)}
    matrix, colouring = _parts(header, arrays, shapes, "log_determinant")
    # In units of the features, in which their products do not overflow.
    scale = np.sqrt(np.einsum("ij,ij->j", colouring, colouring))
    inverse = np.divide(1.0, scale, out=np.zeros(d), where=scale > 0)
    _require(_is_identity((matrix * scale) @ (colouring * inverse).T), "a covariance is singular")
    return Full(Whitener(matrix, colouring, _number(header["log_determinant"])))


def _parts(
    header: Any, arrays: dict[str, Array], shapes: Mapping[str, tuple[int, ...]], *numbers: str
) -> list[Floats]:
    """The arrays named, if they are all there is and have these shapes."""
    if set(header) != {"shape", *numbers} or set(arrays) != set(shapes):
        raise ValueError("a covariance does not have the parts of its shape")
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"the {name} of a covariance has another number of features")
    return [arrays[name] for name in shapes]


def _number(value: Any) -> float:
    if type(value) is not float or not np.isfinite(value):
        raise ValueError("a number of a covariance is not finite")
    return value


def _is_identity(matrix: Floats) -> bool:
    return not len(matrix) or bool(np.abs(matrix - np.eye(len(matrix))).max() < CLOSE)


def _require(condition: Any, problem: str) -> None:
    if not condition:
        raise ValueError(problem)
