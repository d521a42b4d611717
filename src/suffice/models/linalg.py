"""Linear algebra: the factorisations, and the only use of scipy.linalg."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.threads import blas_threads

EPSILON = float(np.finfo(np.float64).eps)

# A triangular matrix is applied in strips of at least so many columns.
NARROW = 16

# LAPACK inverts smaller matrices by one thread anyway.
THREADED_FROM = 64

# Squared pivots below this may be rounding.
DOUBTFUL = 1e-6


@dataclass(frozen=True)
class Whitener:
    """Matrices A and B, (r, d), with A'A an inverse of the covariance B'B on its range: AB' = I.

    `log_determinant` is of the covariance, over the r directions that are kept.
    """

    matrix: Floats
    colouring: Floats
    log_determinant: float

    @property
    def rank(self) -> int:
        """How many directions are kept."""
        return len(self.matrix)

    @cached_property
    def columns(self) -> Floats:
        """A', (d, r), which BLAS multiplies rows by fastest."""
        return np.ascontiguousarray(self.matrix.T)

    def scaled(self, factor: float) -> Whitener:
        """That of so many times the covariance."""
        root = np.sqrt(factor)
        log_determinant = self.log_determinant + self.rank * float(np.log(factor))
        return Whitener(self.matrix / root, self.colouring * root, log_determinant)

    def apply(self, rows: Floats, out: Floats) -> None:
        """Write rows A' to `out`."""
        np.matmul(rows, self.columns, out=out)


@dataclass(frozen=True)
class Cholesky:
    """The same by the Cholesky factor of the correlations; A is made when first asked for."""

    factor: Floats  # (d, d), lower triangular
    scale: Floats  # (d,): standard deviations

    @cached_property
    def matrix(self) -> Floats:
        """A = L^-1 D^-1."""
        # Its last bits would depend on how many threads there are when it is first asked for.
        with blas_threads(1) if self.rank >= THREADED_FROM else nullcontext():
            inverse, _ = linalg.lapack.dtrtri(self.factor, lower=1)
        return np.ascontiguousarray(inverse / self.scale)

    @cached_property
    def columns(self) -> Floats:
        """A', (d, d), upper triangular."""
        return np.ascontiguousarray(self.matrix.T)

    @cached_property
    def colouring(self) -> Floats:
        """The rows B, (d, d), with B'B the covariance: (D L)'."""
        return np.ascontiguousarray(self.factor.T * self.scale)

    def apply(self, rows: Floats, out: Floats) -> None:
        """Write rows A' to `out`, leaving out most of the products with zeros."""
        columns, d = self.columns, len(self.scale)
        step = max(NARROW, d // 4)
        for low in range(0, d, step):
            high = min(d, low + step)
            np.matmul(rows[:, :high], columns[:high, low:high], out=out[:, low:high])

    def scaled(self, factor: float) -> Cholesky:
        """That of so many times the covariance."""
        return Cholesky(self.factor, self.scale * np.sqrt(factor))

    @cached_property
    def precision(self) -> Floats:
        """A'A, the inverse covariance, (d, d)."""
        return self.columns @ self.matrix

    @property
    def log_determinant(self) -> float:
        """Of the covariance."""
        return 2 * float(np.log(self.factor.diagonal()).sum() + np.log(self.scale).sum())

    @property
    def rank(self) -> int:
        """Every direction is kept."""
        return len(self.scale)


def composed(second: Whitener | Cholesky, first: Whitener) -> Whitener:
    """The whitener of a covariance for which `second` whitens what `first` makes."""
    return Whitener(
        second.matrix @ first.matrix,
        second.colouring @ first.colouring,
        second.log_determinant + first.log_determinant,
    )


def whitener(covariance: Floats, constant: Array | None = None) -> Whitener | Cholesky | None:
    """By Cholesky, or None where the covariance is singular to working precision.

    The factor is that of the correlations, so that units of features do not matter.
    constant : features to ignore if they have no variance
    """
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0))
    if constant is not None and (ignored := constant & (scale == 0)).any():
        known = np.flatnonzero(~ignored)
        found = whitener(covariance[np.ix_(known, known)])
        if found is None:
            return None
        return embedded(found, known, len(scale))
    if not scale.all() or not len(scale):
        return None
    correlation = covariance / scale
    correlation /= scale[:, None]
    factor, failed = linalg.lapack.dpotrf(correlation.T, lower=1, clean=1, overwrite_a=1)
    pivots = factor.diagonal()
    # A squared pivot is the share of a feature's variance that earlier ones leave unexplained,
    # but where some are small the rounding in later ones grows: then eigenvalues decide.
    if failed or ((pivots**2).min() < DOUBTFUL and not _regular(covariance, scale)):
        return None
    return Cholesky(factor, scale)


def embedded(found: Whitener | Cholesky, known: Indices, size: int) -> Whitener:
    """The whitener of some of `size` features; the others are ignored."""
    matrix, colouring = np.zeros((2, len(known), size))
    matrix[:, known], colouring[:, known] = found.matrix, found.colouring
    return Whitener(matrix, colouring, found.log_determinant)


def range_whitener(covariance: Floats, steps: Floats) -> Whitener | None:
    """By eigenvalues, in the directions that have variance; others are left out.

    steps : (k, d) class means about their own mean. Where they differ along a direction without
        variance, there is no such density, and None comes back.
    """
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0))
    inverse = reciprocal(scale)
    values, vectors = linalg.eigh(covariance * inverse * inverse[:, None], check_finite=False)
    tolerance = rank_tolerance(len(scale))
    kept = values > tolerance
    values, vectors = values[kept], vectors.T[kept]
    outside = steps * inverse
    outside = outside - (outside @ vectors.T) @ vectors
    # The deviation along a direction is known to no more than the root of the tolerance.
    if np.sqrt(np.einsum("ij,ij->i", outside, outside)).max() > 100 * np.sqrt(tolerance):
        return None
    root = np.sqrt(values)[:, None]
    colouring = root * vectors * scale
    # The product of the covariance's nonzero eigenvalues, in the units of the features.
    return Whitener(vectors * inverse / root, colouring, _log_determinant(colouring))


def eigen(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of a symmetric matrix, ascending, and their vectors as columns."""
    values, vectors = linalg.eigh(matrix, check_finite=False)
    return values, vectors


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


def orthonormal(rows: Floats) -> Floats:
    """Orthonormal rows that span what independent rows (r, d) span, (r, d)."""
    basis: Floats = linalg.qr(rows.T, mode="economic", check_finite=False)[0]
    return basis.T


def cholesky_solve(matrix: Floats, columns: Floats) -> tuple[Floats, float]:
    """A positive definite system solved for each column, and the log of the determinant."""
    factor, found, failed = linalg.lapack.dposv(matrix, columns, lower=1)
    if failed:
        # Positive but for rounding: no direction counts for less than that.
        values, vectors = linalg.eigh(matrix, check_finite=False)
        values = np.maximum(values, rank_tolerance(len(values)) * values[-1])
        found = vectors @ ((vectors.T @ columns) / values[:, None])
        return found, float(np.log(values).sum())
    return found, 2 * float(np.log(factor.diagonal()).sum())


def latent(colouring: Floats) -> tuple[Floats, int, float]:
    """For rows x = t B, (r, d): the pseudo-inverse that gives t, its rank, and ln|B'B| there."""
    scale = np.sqrt(np.einsum("ij,ij->j", colouring, colouring))
    inverse_scale = reciprocal(scale)
    u, sizes, vt = _svd(colouring * inverse_scale)
    kept = sizes > np.sqrt(rank_tolerance(len(scale)))
    u, sizes, vt = u[:, kept], sizes[kept], vt[kept]
    inverse = inverse_scale[:, None] * (vt.T / sizes) @ u.T
    return inverse, int(kept.sum()), _log_determinant(sizes[:, None] * vt * scale)


def _svd(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """The thin singular value decomposition."""
    options = {"full_matrices": False, "check_finite": False}
    try:
        u, sizes, vt = linalg.svd(matrix, **options)
    except linalg.LinAlgError:
        # Divide and conquer fails for some matrices for which the slower iteration converges.
        u, sizes, vt = linalg.svd(matrix, lapack_driver="gesvd", **options)
    return u, sizes, vt


def symmetric_root(matrix: Floats) -> Floats:
    """The symmetric S, (d, d), with SS = A'A: the root of the precision that A factors."""
    _, sizes, vectors = linalg.svd(matrix, full_matrices=False, check_finite=False)
    return np.asarray((vectors.T * sizes) @ vectors)


def signed(vectors: Floats) -> Floats:
    """The same axes, each pointing to where its largest entry is positive."""
    largest = np.abs(vectors).argmax(axis=1)
    return np.asarray(vectors * np.sign(vectors[np.arange(len(vectors)), largest])[:, None])


def rank_tolerance(d: int) -> float:
    """Size below which an eigenvalue of a correlation matrix of d features is rounding.

    Of collinear features the smallest eigenvalue comes out as up to 60 epsilon, however many rows
    there are and however large the other eigenvalues; columns added up in float32 leave a little
    more. A direction in which rows spread by 1e-6 of the features' own spread has 1e-12, far above.
    """
    return (256 + d) * EPSILON


def reciprocal(values: Floats) -> Floats:
    """One over each value, and zero where the value is zero."""
    known = values > 0
    return np.where(known, 1 / np.where(known, values, 1.0), 0.0)


def _log_determinant(rows: Floats) -> float:
    """ln of the product of the eigenvalues of rows'rows that are not zero."""
    triangle: Floats = linalg.qr(rows.T, mode="r", check_finite=False)[0]
    return 2 * float(np.log(np.abs(triangle.diagonal())).sum())


def _regular(covariance: Floats, scale: Floats) -> bool:
    values = linalg.eigvalsh(covariance / scale / scale[:, None], check_finite=False)
    return bool(values[0] > rank_tolerance(len(scale)))
