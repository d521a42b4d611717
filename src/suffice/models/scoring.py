"""Scoring: rows through a model, and scores to posteriors, in blocks that stay in the cache.

Within a block, scores have one row per class and one column per row of X: then sums and maxima
over the classes run along memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.model import Model
from suffice.statistics.threads import blas_threads, in_parallel, n_threads, shares

# Rows are scored in blocks of about this size, which stay in the cache.
BLOCK_BYTES = 1 << 21

# From this many entries on, a second thread repays its start.
PARALLEL_FROM = 1 << 18

# From this many subtractions on, the time to load the compiled loop is repaid.
COMPILED_FROM = 1 << 24
KNOWN_COMPILED_FROM = 1 << 20

# Deviations from a mean that are lost without its low part; a log density is off by this times
# the distance of the row, so by 1e-12 at ten deviations.
SMALL_SHIFT = 1e-13

# Up to this precision and its inverse, squares of 1e60 deviations neither overflow nor vanish.
LARGE_PRECISION = 2.0**600


def by_blocks(X: Array, width: int, work: Callable[[Floats], Floats]) -> Floats:
    """work(rows) -> (width, rows) for all rows, as float64 and in blocks; gives (n, width)."""
    n, d = X.shape
    step = max(16, BLOCK_BYTES // (8 * max(d, width)))
    if n <= step:
        return work(X.astype(np.float64, copy=False)).T
    out = np.empty((n, width))

    def share(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            high = min(stop, low + step)
            out[low:high] = work(X[low:high].astype(np.float64, copy=False)).T

    if n * d < PARALLEL_FROM:
        share(0, n)
    else:
        with blas_threads(1):
            in_parallel(share, [*shares(n, n_threads())])
    return out


AnyModel = TypeVar("AnyModel", contravariant=True)


class Hook(Protocol[AnyModel]):
    """A question to a model: rows in, one number per row and class out."""

    def __call__(self, model: AnyModel, rows: Any, /) -> Floats:
        """The answer, (n, k)."""


def scores(model: Model, rows: Any) -> Floats:
    """ln p(x, y) up to a constant of the row, (n, k)."""
    return model.scores(rows)


def joint(model: Model, rows: Any) -> Floats:
    """ln p(x, y), (n, k)."""
    return model.joint(rows)


def log_posterior(model: Model, rows: Any) -> Floats:
    """ln p(y | x), (n, k): exact however far from every class."""
    return _finish(model.scores(rows), normalised)


def posterior(model: Model, rows: Any) -> Floats:
    """p(y | x), (n, k)."""
    return _finish(model.scores(rows), probabilities)


def _finish(scores: Floats, work: Callable[[Floats], Floats]) -> Floats:
    """work(scores of some rows, (k, rows)) for all of (n, k), in blocks and in place."""
    n, k = scores.shape
    step = max(16, BLOCK_BYTES // (8 * k))
    if n <= step:
        return work(np.ascontiguousarray(scores.T)).T

    def share(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            block = scores[low : min(stop, low + step)]
            block[:] = work(np.ascontiguousarray(block.T)).T

    in_parallel(share, [*shares(n, n_threads())])
    return scores


def normalised(scores: Floats) -> Floats:
    """Scores (k, n) less the log of the sum of their exponentials, in place."""
    scores -= scores.max(axis=0)
    scores -= np.log(np.exp(scores).sum(axis=0))
    return scores


def probabilities(scores: Floats) -> Floats:
    """Exponentials of the normalised scores (k, n), in place."""
    return np.asarray(np.exp(normalised(scores), out=scores))


def log_sum(joint: Floats) -> Floats:
    """Log of the sum of the exponentials of each row of (n, k)."""
    top = joint.max(axis=1)
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.exp(joint - top[:, None]).sum(axis=1)))


@dataclass(frozen=True)
class IndependentClasses:
    """Classes of independent features, each with variances of its own."""

    means: Floats  # (k, d)
    precisions: Floats  # (k, d)
    means_low: Floats | None = None  # (k, d): what rounding cut off the means

    @cached_property
    def roots(self) -> Floats:
        """One over the standard deviations; zero for a feature that is ignored, (k, d)."""
        return np.sqrt(self.precisions)

    @cached_property
    def shifts(self) -> Floats:
        """What rounding cut off the means, in standard deviations, (k, d)."""
        return self.roots * (0.0 if self.means_low is None else self.means_low)

    @cached_property
    def is_plain(self) -> bool:
        """Whether sums of precision (x - mean)² are exact with the means as they are.

        Not where features lie far from zero for their spread, nor where (x - mean)² could
        overflow or vanish.
        """
        known = self.precisions[self.precisions > 0]
        usual = (known > 1 / LARGE_PRECISION) & (known < LARGE_PRECISION)
        lengths = np.einsum("ij,ij->i", self.shifts, self.shifts)
        return bool(usual.all() and (lengths < SMALL_SHIFT**2).all())

    def distances(self, n_rows: int) -> Callable[[Floats], Floats]:
        """The function from rows to sums of (x - mean)² / variance, (k, n); no n x k x d array."""
        if n_rows * self.means.size < COMPILED_FROM:
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

    def known(self, X: Floats) -> Floats:
        """The same sums (k, n) over the features that a row knows; the others are NaN."""
        if X.size * len(self.means) < KNOWN_COMPILED_FROM:
            return self._careful(X, np.nan_to_num)
        from suffice.models.compiled import known_distances

        out = np.empty((len(self.means), len(X)))
        known_distances(np.ascontiguousarray(X), self.means, self.roots, self.shifts, out)
        return out

    def _plain(self, X: Floats) -> Floats:
        out = np.empty((len(self.means), len(X)))
        for c, mean in enumerate(self.means):
            steps = X - mean
            steps *= steps
            np.matmul(steps, self.precisions[c], out=out[c])
        return out

    def _careful(self, X: Floats, finish: Callable[[Floats], Floats] = np.asarray) -> Floats:
        """By both parts of the means, and scaled before they are squared."""
        out = np.empty((len(self.means), len(X)))
        for c, mean in enumerate(self.means):
            steps = X - mean
            steps *= self.roots[c]
            steps -= self.shifts[c]
            steps = finish(steps)
            np.einsum("ij,ij->i", steps, steps, out=out[c])
        return out
