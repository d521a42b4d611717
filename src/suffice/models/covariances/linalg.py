"""Linear algebra: the factorisations, and the only use of scipy.linalg."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import linalg

from suffice.data.arrays import Array, Floats, Indices, namespace
from suffice.models.limits import CLOSE, check_scales, check_sizes, is_identity
from suffice.statistics.numbers import EPSILON
from suffice.statistics.passes.threads import blas_threads
from suffice.statistics.storage.registry import storable

# Squared pivots below this may be nothing but rounding.
DOUBTFUL = 1e-6


@storable
@dataclass(frozen=True)
class Whitener:
    """Matrices A and B, (r, d), with A'A an inverse of the covariance B'B on its range: AB' = I.

    `log_determinant` is that of the covariance, over the r directions that are kept.
    """

    matrix: Floats
    colouring: Floats
    log_determinant: float

    def validated(self) -> Self:
        """This whitener, if its matrices belong together; a ValueError otherwise."""
        A, B = self.matrix, self.colouring
        if A.ndim != 2 or A.shape != B.shape:
            raise ValueError("the matrices of a covariance have the wrong number of features")
        check_sizes(A, B, np.array(self.log_determinant))
        # In units of the features, so that products do not overflow.
        scale = np.sqrt(np.einsum("ij,ij->j", B, B))
        if not is_identity((A * scale) @ (B * reciprocal(scale)).T):
            raise ValueError("a covariance is singular")
        return self

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[1])

    @property
    def rank(self) -> int:
        """Number of directions that are kept."""
        return len(self.matrix)

    @cached_property
    def columns(self) -> Floats:
        """A', (d, r), the form in which BLAS is fastest."""
        return np.ascontiguousarray(self.matrix.T)

    @cached_property
    def precision(self) -> Floats:
        """A'A, the inverse covariance on its range, (d, d)."""
        return self.columns @ self.matrix

    def scaled(self, factor: float) -> Whitener:
        """The whitener of the covariance times `factor`."""
        root = np.sqrt(factor)
        log_determinant = self.log_determinant + self.rank * float(np.log(factor))
        return Whitener(self.matrix / root, self.colouring * root, log_determinant)

    def apply(self, rows: Floats, out: Floats) -> None:
        """Write rows A' to `out`."""
        np.matmul(rows, self.columns, out=out)


@storable
@dataclass(frozen=True)
class Cholesky:
    """The same by the Cholesky factor of the correlations; A is computed on first use."""

    factor: Floats  # (d, d), lower triangular
    scale: Floats  # (d,): standard deviations

    def validated(self) -> Self:
        """This factor, if it is one of correlations; a ValueError otherwise."""
        L, d = self.factor, len(self.scale)
        if (L.shape, self.scale.shape) != ((d, d), (d,)):
            raise ValueError("the scale of a covariance has the wrong number of features")
        check_sizes(L)
        check_scales(self.scale)
        lower = not np.triu(L, 1).any() and (L.diagonal() > 0).all()
        if not lower or np.abs(np.einsum("ij,ij->i", L, L) - 1).max(initial=0.0) >= CLOSE:
            raise ValueError("a covariance is not positive definite")
        if not self.scale.all():
            raise ValueError("a variance is zero or negative")
        return self

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.scale)

    @cached_property
    def matrix(self) -> Floats:
        """A = L^-1 D^-1."""
        # LAPACK uses one thread for smaller matrices anyway.
        threaded_from = 64
        # With one thread: the last bits would depend on the number of threads at first use.
        with blas_threads(1) if self.rank >= threaded_from else nullcontext():
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
        """Write rows A' to `out`, skipping most products with zeros."""
        columns = self.columns
        for low, high in strips(len(self.scale)):
            np.matmul(rows[:, :high], columns[:high, low:high], out=out[:, low:high])

    def scaled(self, factor: float) -> Cholesky:
        """The whitener of the covariance times `factor`."""
        return Cholesky(self.factor, self.scale * np.sqrt(factor))

    @cached_property
    def precision(self) -> Floats:
        """A'A, the inverse covariance, (d, d)."""
        return self.columns @ self.matrix

    @property
    def log_determinant(self) -> float:
        """Log determinant of the covariance."""
        return 2 * float(np.log(self.factor.diagonal()).sum() + np.log(self.scale).sum())

    @property
    def rank(self) -> int:
        """Every direction is kept."""
        return len(self.scale)


def strips(d: int, narrowest: int = 16) -> list[tuple[int, int]]:
    """Ranges of the columns of a triangular matrix, each applied without the zeros beyond it.

    >>> strips(40)
    [(0, 16), (16, 32), (32, 40)]
    """
    width = max(narrowest, d // 4)
    return [(low, min(d, low + width)) for low in range(0, d, width)]


def compose(second: Whitener | Cholesky, first: Whitener) -> Whitener:
    """The whitener that applies `first` and then `second`."""
    return Whitener(
        second.matrix @ first.matrix,
        second.colouring @ first.colouring,
        second.log_determinant + first.log_determinant,
    )


def whitener(covariance: Floats, constant: Array | None = None) -> Whitener | Cholesky | None:
    """The whitener by Cholesky, or None if the covariance is singular to working precision.

    The factor is that of the correlations, so that the units of features do not matter.
    constant : features to ignore if they have no variance
    """
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0))
    if constant is not None and (ignored := constant & (scale == 0)).any():
        varying = np.flatnonzero(~ignored)
        inner = whitener(covariance[np.ix_(varying, varying)])
        if inner is None:
            return None
        return embedded(inner, varying, len(scale))
    if not scale.all() or not len(scale):
        return None
    correlation = covariance / scale
    correlation /= scale[:, None]
    factor, failed = linalg.lapack.dpotrf(correlation.T, lower=1, clean=1, overwrite_a=1)
    pivots = factor.diagonal()
    # A squared pivot is the share of a feature's variance that earlier features do not explain.
    # If some are small, rounding in later ones grows, so eigenvalues decide.
    if failed or ((pivots**2).min() < DOUBTFUL and not _is_regular(covariance, scale)):
        return None
    return Cholesky(factor, scale)


def embedded(inner: Whitener | Cholesky, kept: Indices, size: int) -> Whitener:
    """The whitener of some of `size` features; the others are ignored."""
    matrix, colouring = np.zeros((2, len(kept), size))
    matrix[:, kept], colouring[:, kept] = inner.matrix, inner.colouring
    return Whitener(matrix, colouring, inner.log_determinant)


def range_whitener(covariance: Floats, steps: Floats) -> Whitener | None:
    """The whitener by eigenvalues, on the directions that have variance.

    steps : (k, d) class means about their own mean. If they differ along a direction without
        variance, there is no such density, and the result is None.
    """
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0))
    inverse = reciprocal(scale)
    values, vectors = linalg.eigh(covariance * inverse * inverse[:, None], check_finite=False)
    tolerance = rank_tolerance(len(scale))
    kept = values > tolerance
    values, vectors = values[kept], vectors.T[kept]
    outside = steps * inverse
    outside = outside - (outside @ vectors.T) @ vectors
    # A deviation along a direction is accurate only to the root of the tolerance.
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
    """Nonzero eigenvalues of rows'rows, and their eigenvectors as rows."""
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
    """Orthonormal rows with the same span as independent rows (r, d), (r, d)."""
    basis: Floats = linalg.qr(rows.T, mode="economic", check_finite=False)[0]
    return basis.T


def cholesky_solve(matrix: Floats, columns: Floats) -> tuple[Floats, float]:
    """The solution of a positive definite system for each column, and the log determinant."""
    factor, solution, failed = linalg.lapack.dposv(matrix, columns, lower=1)
    if failed:
        # Not positive because of rounding: raise eigenvalues to the size of the rounding.
        values, vectors = linalg.eigh(matrix, check_finite=False)
        values = np.maximum(values, rank_tolerance(len(values)) * values[-1])
        solution = vectors @ ((vectors.T @ columns) / values[:, None])
        return solution, float(np.log(values).sum())
    return solution, 2 * float(np.log(factor.diagonal()).sum())


def factor_of(scatter: Floats) -> Floats:
    """Rows F (r, d) with F'F = S, for a positive semidefinite S (d, d) of any rank.

    By Cholesky with pivots, in units of the features so that their sizes do not matter.
    """
    scale = np.sqrt(np.maximum(scatter.diagonal(), 0.0))
    inverse = reciprocal(scale)
    inner, d = scatter * inverse * inverse[:, None], len(scale)
    upper, pivots, rank, _ = linalg.lapack.dpstrf(inner, tol=d * EPSILON)
    rows = np.zeros((rank, d))
    rows[:, pivots - 1] = np.triu(upper)[:rank]
    return rows * scale


def invert_all(matrices: Floats) -> tuple[Floats, Floats]:
    """Inverses of positive definite matrices (..., d, d), and their log determinants (...).

    Both are NaN for a large matrix that is not positive definite.
    """
    d = matrices.shape[-1]
    if d < 16:  # below, calling LAPACK for each matrix takes longer than NumPy's loop
        return np.asarray(np.linalg.inv(matrices)), np.asarray(np.linalg.slogdet(matrices)[1])
    flat, out = matrices.reshape(-1, d, d), np.empty((matrices.size // d**2, d, d))
    pivots = np.empty((len(flat), d))
    for i, matrix in enumerate(flat):
        factor, failed = linalg.lapack.dpotrf(matrix.T, lower=1, clean=0)
        pivots[i] = np.nan if failed else factor.diagonal()
        out[i] = np.nan if failed else linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    whole = np.tril(out) + np.tril(out, -1).transpose(0, 2, 1)
    logs = 2 * np.log(pivots).sum(axis=1)
    return whole.reshape(matrices.shape), logs.reshape(matrices.shape[:-2])


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


def rank_tolerance(d: int) -> float:
    """Size below which an eigenvalue of a correlation matrix of d features is rounding.

    For collinear features, the smallest computed eigenvalue is up to 60 epsilon, however many rows
    there are and however large the other eigenvalues; columns summed in float32 give a little
    more. A direction with a standard deviation of 1e-6 of the features' has 1e-12, far above.
    """
    return (256 + d) * EPSILON


def reciprocal(values: Floats) -> Floats:
    """One over each value, and zero where the value is zero; for any library of arrays."""
    xp, positive = namespace(values), values > 0
    return xp.where(positive, 1 / xp.where(positive, values, 1.0), 0.0)  # type: ignore[no-any-return]


def log_or_zero(values: Floats) -> Floats:
    """Log of each value, and zero where the value is zero."""
    return np.log(np.where(values > 0, values, 1.0))


def _log_determinant(rows: Floats) -> float:
    """Log of the product of the nonzero eigenvalues of rows'rows."""
    triangle: Floats = linalg.qr(rows.T, mode="r", check_finite=False)[0]
    return 2 * float(np.log(np.abs(triangle.diagonal())).sum())


def _is_regular(covariance: Floats, scale: Floats) -> bool:
    values = linalg.eigvalsh(covariance / scale / scale[:, None], check_finite=False)
    return bool(values[0] > rank_tolerance(len(scale)))
