"""Linear algebra: the factorisations, and the only use of scipy.linalg."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from suffice.data.arrays import Floats

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Whitener:
    """A matrix A, (r, d), with A'A the (pseudo-)inverse of a covariance.

    `log_determinant` is of the covariance, over the r directions that are kept. The last
    `separating` of them have no variance within classes, but class means differ along them.
    """

    matrix: Floats
    log_determinant: float
    separating: int = 0

    def after(self, first: Whitener) -> Whitener:
        """The whitener of a covariance given in the coordinates that `first` makes."""
        return Whitener(self.matrix @ first.matrix, self.log_determinant + first.log_determinant)


def whitener(covariance: Floats) -> Whitener | None:
    """By Cholesky, or None where the covariance is singular to working precision.

    The factor is that of the correlations, so that units of features do not matter.
    """
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0))
    if not scale.all() or not len(scale):
        return None
    correlation = covariance / scale / scale[:, None]
    factor, failed = linalg.lapack.dpotrf(correlation, lower=1, clean=1, overwrite_a=1)
    pivots = factor.diagonal()
    # A squared pivot is the share of a feature's variance that earlier ones leave unexplained.
    if failed or (pivots**2).min() <= rank_tolerance(len(scale)):
        return None
    inverse, _ = linalg.lapack.dtrtri(factor, lower=1)
    return Whitener(
        np.ascontiguousarray(inverse / scale), 2 * float(np.log(pivots).sum() + np.log(scale).sum())
    )


def range_whitener(covariance: Floats, scale: Floats, steps: Floats, floor: float) -> Whitener:
    """By eigenvalues, where there is variance or class means differ; the rest is left out.

    scale : (d,) size of each feature; zero for one to leave out
    steps : (k, d) class means about the overall mean, times the root of the class share
    floor : variance where only class means differ, as a share of the largest such difference
    """
    inverse = reciprocal(scale)
    values, vectors = linalg.eigh(covariance * inverse * inverse[:, None], check_finite=False)
    kept = values > rank_tolerance(len(scale)) * max(values[-1], 0.0)
    return _completed(values[kept], vectors.T[kept], scale, steps, floor)


def thin_whitener(factor: Floats, scale: Floats, steps: Floats, floor: float) -> Whitener:
    """The same for factor'factor, which is never formed."""
    values, vectors = span(factor * reciprocal(scale))
    return _completed(values, vectors, scale, steps, floor)


def span(rows: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of rows'rows that are not zero, and their eigenvectors as rows."""
    if not len(rows):
        return np.empty(0), rows
    values, left = linalg.eigh(rows @ rows.T, check_finite=False)
    kept = values > rank_tolerance(len(rows)) * values[-1]
    values, left = values[kept], left[:, kept]
    return values, (left / np.sqrt(values)).T @ rows


def principal_axes(rows: Floats) -> tuple[Floats, Floats]:
    """Singular values of a few rows and their right singular vectors, as rows."""
    _, sizes, vectors = linalg.svd(rows, full_matrices=False, check_finite=False)
    return sizes, vectors


def signed(vectors: Floats) -> Floats:
    """The same axes, each pointing to where its largest entry is positive."""
    largest = np.abs(vectors).argmax(axis=1)
    return np.asarray(vectors * np.sign(vectors[np.arange(len(vectors)), largest])[:, None])


def rank_tolerance(d: int) -> float:
    """Relative size below which a variance is rounding."""
    return 1e-13 + 10 * d * EPSILON


def reciprocal(values: Floats) -> Floats:
    """One over each value, and zero where the value is zero."""
    known = values > 0
    return np.where(known, 1 / np.where(known, values, 1.0), 0.0)


def _completed(
    values: Floats, vectors: Floats, scale: Floats, steps: Floats, floor: float
) -> Whitener:
    """Add the directions outside the range along which class means differ."""
    steps = steps * reciprocal(scale)
    outside = steps
    for _ in range(2):  # once more for what rounding left behind
        outside = outside - (outside @ vectors.T) @ vectors
    sizes, more = principal_axes(outside)
    apart = sizes > 1e-8 * np.sqrt(np.einsum("ij,ij->i", steps, steps).max(initial=0.0))
    # One variance for all of them, so that the wider apart the means, the more it counts.
    values = np.concatenate([values, np.full(apart.sum(), floor * sizes.max(initial=0.0) ** 2)])
    vectors = np.concatenate([vectors, more[apart]])
    root = np.sqrt(values)[:, None]
    return Whitener(
        vectors * reciprocal(scale) / root,
        float(np.log(values).sum()) + _log_volume(vectors * scale),
        int(apart.sum()),
    )


def _log_volume(rows: Floats) -> float:
    """Log of the squared volume that rows span."""
    triangle: Floats = linalg.qr(rows.T, mode="r", check_finite=False)[0]
    return 2 * float(np.log(np.abs(triangle.diagonal())).sum())
