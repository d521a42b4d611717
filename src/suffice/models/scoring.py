"""Scoring: rows through a model in blocks that stay in the cache, a thread a share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.threads import blas_threads, in_parallel, n_threads, shares

# Rows are scored in blocks of about this size, which stay in the cache.
BLOCK_BYTES = 1 << 19

# From this many entries on, a second thread repays its start.
PARALLEL_FROM = 1 << 18

# From this many subtractions on, the time to load the compiled loop is repaid.
COMPILED_FROM = 1 << 24


def by_blocks(X: Array, width: int, work: Callable[[Floats], Floats]) -> Floats:
    """work(rows) -> (rows, width) for all rows, as float64 and in blocks."""
    n, d = X.shape
    step = max(16, BLOCK_BYTES // (8 * max(d, width)))
    if n <= step:
        return work(X.astype(np.float64, copy=False))
    out = np.empty((n, width))

    def share(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            high = min(stop, low + step)
            out[low:high] = work(X[low:high].astype(np.float64, copy=False))

    if n * d < PARALLEL_FROM:
        share(0, n)
    else:
        with blas_threads(1):
            in_parallel(share, [*shares(n, n_threads())])
    return out


@dataclass(frozen=True, slots=True)
class Independent:
    """Classes of independent features, each with variances of its own."""

    means: Floats  # (k, d)
    precisions: Floats  # (k, d)

    def squared_distances(self, X: Array) -> Floats:
        """Sum over features of (x - mean)² / variance, (n, k): never an n x k x d array."""
        n, k = len(X), len(self.means)
        if n * self.means.size >= COMPILED_FROM:
            from suffice.models.compiled import squared_distances

            X = np.ascontiguousarray(X, None if X.dtype == np.float32 else np.float64)
            out = np.empty((n, k))
            parts = shares(n, n_threads())
            model = (self.means, self.precisions)
            in_parallel(squared_distances, [(X[a:b], *model, out[a:b]) for a, b in parts])
            return out
        return by_blocks(X, k, self._plain)

    def _plain(self, X: Floats) -> Floats:
        out = np.empty((len(X), len(self.means)))
        for c, mean in enumerate(self.means):
            steps = X - mean
            steps *= steps
            out[:, c] = steps @ self.precisions[c]
        return out
