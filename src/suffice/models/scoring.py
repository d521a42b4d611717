"""Scoring: rows to scores, and scores to posteriors, in blocks that fit the cache.

Within a block, scores have one row per class and one column per row of X, so that sums and maxima
over the classes access memory in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from suffice.data.arrays import Array, Floats, namespace
from suffice.models.model import Model
from suffice.statistics.passes.threads import blas_threads, in_parallel, n_threads, shares

# Rows are scored in blocks of about this size, which fit the cache.
BLOCK_BYTES = 1 << 21

# Number of entries from which a second thread saves more time than starting it takes.
PARALLEL_FROM = 1 << 18


def rows_per_block(numbers: int, fewest: int = 16) -> int:
    """Number of rows of a block whose work takes this many numbers per row."""
    return max(fewest, BLOCK_BYTES // (8 * numbers))


def by_blocks(X: Array, width: int, work: Callable[[Floats], Floats]) -> Floats:
    """Results (n, width) of work(rows) -> (width, rows), called with blocks of rows as float64."""
    n, d = X.shape
    step = rows_per_block(max(d, width))
    if n <= step:
        return work(X.astype(np.float64, copy=False)).T
    out = np.empty((n, width))

    def share(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            high = min(stop, low + step)
            out[low:high] = work(X[low:high].astype(np.float64, copy=False)).T

    in_shares(share, n, d)
    return out


def in_shares(work: Callable[[int, int], None], n: int, d: int) -> None:
    """Call work(start, stop) for all of n rows of d features: in threads if there are many."""
    if n * d < PARALLEL_FROM:
        work(0, n)
        return
    with blas_threads(1):
        in_parallel(work, [*shares(n, n_threads())])


AnyModel = TypeVar("AnyModel")

# A function of a model and rows: one number per row and class, (n, k).
Hook: TypeAlias = Callable[[AnyModel, Any], Floats]


def scores(model: Model, rows: Any) -> Floats:
    """ln p(x, y) up to a constant of the row, (n, k)."""
    return model.scores(rows)


def joint(model: Model, rows: Any) -> Floats:
    """ln p(x, y), (n, k)."""
    return model.joint(rows)


def log_posterior(model: Model, rows: Any) -> Floats:
    """ln p(y | x), (n, k), exact at any distance from the classes."""
    return _finish(model.scores(rows), normalised)


def posterior(model: Model, rows: Any) -> Floats:
    """p(y | x), (n, k)."""
    return _finish(model.scores(rows), probabilities)


def _finish(scores: Floats, work: Callable[..., Floats]) -> Floats:
    """Apply work(scores of a block, (k, rows)) to all of (n, k), in place."""
    n, k = scores.shape
    if not isinstance(scores, np.ndarray):
        return work(scores, axis=1)  # a block of rows on a device
    step = rows_per_block(k)
    if n <= step:
        return work(np.ascontiguousarray(scores.T)).T

    def share(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            block = scores[low : min(stop, low + step)]
            block[:] = work(np.ascontiguousarray(block.T)).T

    in_parallel(share, [*shares(n, n_threads())])
    return scores


def normalised(scores: Floats, axis: int = 0) -> Floats:
    """Scores (k, n) minus the log of the sum of their exponentials, in place.

    axis : the axis of the classes
    """
    if hasattr(scores, "log_softmax"):  # a tensor: all in one loop
        return scores.log_softmax(axis)  # type: ignore[no-any-return]
    if isinstance(scores, np.ndarray):  # faster than `ndarray.max` for one row
        scores -= np.maximum.reduce(scores, axis=axis, keepdims=True)
        scores -= np.log(np.add.reduce(np.exp(scores), axis=axis, keepdims=True))
        return scores
    xp = namespace(scores)
    scores -= xp.max(scores, axis=axis, keepdims=True)
    scores -= xp.log(xp.sum(xp.exp(scores), axis=axis, keepdims=True))
    return scores


def probabilities(scores: Floats, axis: int = 0) -> Floats:
    """Exponentials of the normalised scores (k, n), in place."""
    logs = normalised(scores, axis)
    return np.exp(logs, out=logs) if isinstance(logs, np.ndarray) else namespace(logs).exp(logs)


def log_sum(joint: Floats) -> Floats:
    """Log of the sum of the exponentials of each row of (n, k)."""
    xp = namespace(joint)
    top = xp.max(joint, axis=1)
    top = xp.where(top == -np.inf, 0.0, top)
    with np.errstate(divide="ignore"):
        return top + xp.log(xp.sum(xp.exp(joint - top[:, None]), axis=1))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class IndependentClasses:
    """Classes with independent features, each class with its own variances."""

    # Number of subtractions from which the compiled loop saves more time than loading it takes.
    compiled_from: ClassVar[int] = 1 << 24

    # The same for rows with missing values.
    observed_compiled_from: ClassVar[int] = 1 << 20

    means: Floats  # (k, d)
    precisions: Floats  # (k, d)
    means_low: Floats | None = None  # (k, d): low parts of the means

    @cached_property
    def roots(self) -> Floats:
        """One over the standard deviations; zero for a feature that is ignored, (k, d)."""
        return np.sqrt(self.precisions)

    @cached_property
    def shifts(self) -> Floats:
        """Low parts of the means, in standard deviations, (k, d)."""
        return self.roots * (0.0 if self.means_low is None else self.means_low)

    @cached_property
    def is_plain(self) -> bool:
        """Whether sums of precision (x - mean)² are accurate with the rounded means.

        They are not if features are far from zero relative to their spread, or if (x - mean)²
        could overflow or underflow.
        """
        used = self.precisions[self.precisions > 0]
        # Largest precision, and inverse of the smallest, for which squares of 1e60 deviations
        # neither overflow nor underflow.
        large_precision = 2.0**600
        usual = (used > 1 / large_precision) & (used < large_precision)
        lengths = np.einsum("ij,ij->i", self.shifts, self.shifts)
        # Low part of a mean, in standard deviations, that may be ignored: the error of a log
        # density is this times the distance of the row, so 1e-12 at ten deviations.
        small_shift = 1e-13
        return bool(usual.all() and (lengths < small_shift**2).all())

    def distances(self, n_rows: int) -> Callable[[Floats], Floats]:
        """The function from rows to sums of (x - mean)² / variance, (k, n)."""
        if n_rows * self.means.size < self.compiled_from:
            return self._plain if self.is_plain else self._careful
        from suffice.models.compiled import centred_distances, squared_distances

        def compiled(X: Floats) -> Floats:
            out = np.empty((len(self.means), len(X)))
            X = np.ascontiguousarray(X)
            if self.is_plain:
                squared_distances(X, self.means, self.precisions, out)
            else:
                centred_distances(X, self.means, self.roots, self.shifts, out)
            return out

        return compiled

    def observed_distances(self, X: Floats) -> Floats:
        """The same sums (k, n) over the observed features of a row; the others are NaN."""
        if X.size * len(self.means) < self.observed_compiled_from:
            return self._careful(X, np.nan_to_num)
        from suffice.models.compiled import observed_distances

        out = np.empty((len(self.means), len(X)))
        observed_distances(np.ascontiguousarray(X), self.means, self.roots, self.shifts, out)
        return out

    def _plain(self, X: Floats) -> Floats:
        out = np.empty((len(self.means), len(X)))
        for c, mean in enumerate(self.means):
            steps = X - mean
            steps *= steps
            np.matmul(steps, self.precisions[c], out=out[c])
        return out

    def _careful(self, X: Floats, finish: Callable[[Floats], Floats] = np.asarray) -> Floats:
        """With both parts of the means, and scaled before squaring."""
        out = np.empty((len(self.means), len(X)))
        for c, mean in enumerate(self.means):
            steps = X - mean
            steps *= self.roots[c]
            steps -= self.shifts[c]
            steps = finish(steps)
            np.einsum("ij,ij->i", steps, steps, out=out[c])
        return out
