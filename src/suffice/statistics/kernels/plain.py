"""The inner loops with NumPy alone: for data too small to repay loading compiled code."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.kernels.centred import Centred, CentredRows
from suffice.statistics.kernels.sums import Centres, ClassSums, Fourths, RowBlock

BLOCK_BYTES = 1 << 20


def class_sums(X: Array, codes: Indices, weights: Floats, origin: Floats, out: ClassSums) -> None:
    """Add each class's count, weight, sums about its origin, squares, and extremes to `out`."""
    n, d = X.shape
    step = max(1, BLOCK_BYTES // (8 * d))
    for start in range(0, n, step):
        block = codes[start : start + step]
        order = np.argsort(block, kind="stable")
        ordered = block[order]
        first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        present = ordered[first]
        rows = X[start : start + step].take(order, axis=0).astype(np.float64, copy=False)
        out.low[present] = np.minimum(out.low[present], _reduce_by_class(np.minimum, rows, first))
        out.high[present] = np.maximum(out.high[present], _reduce_by_class(np.maximum, rows, first))
        out.count[present] += np.diff(np.r_[first, len(block)])
        z = rows - origin[ordered]
        w = np.ones(len(block))
        if len(weights):
            w = weights[start : start + step][order]
            out.weight[present] += np.add.reduceat(w, first)
        out.sum[present] += _weighted_sums(w, z, first)
        z *= z
        out.square[present] += _weighted_sums(w, z, first)


def by_class(codes: Indices, k: int) -> tuple[Indices, Indices]:
    """Rows in the order of their codes, and where each code below k starts and the last ends."""
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes, np.arange(k + 1), sorter=order)


def centre(block: RowBlock, order: Indices, about: Centres, Z: Floats, out: Fourths | None) -> None:
    """Write sqrt(w) (x - mean) of the rows in `order` to Z; add to the fourth-order sums."""
    codes, weights = block.codes, block.weights
    by_class = np.argsort(codes[order], kind="stable")
    at = order[by_class]
    of, w = codes[at], weights[at] if len(weights) else np.ones(len(at))
    first = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    present = of[first]
    z = _about(block.rows.take(at, axis=0), of, first, about)
    if out is not None:
        size = z * about.per_unit
        length = np.einsum("ij,ij->i", size, size)
        long = w * length
        out.square[present] += np.add.reduceat(long, first)
        out.cubic[present] += _weighted_sums(long, size, first)
        out.quartic[present] += np.add.reduceat(long * length, first)
    if len(weights):
        z *= np.sqrt(w)[:, None]
    # Callers that keep the rows need them in their original order.
    Z[by_class if len(present) > 1 else slice(None)] = z


def centred(shape: tuple[int, int], workers: int) -> Centred:
    """An accumulator of scatter, for one of several threads that share rows of this shape."""
    return CentredRows.of(shape, workers, centre)


def _about(rows: Array, of: Indices, first: Indices, about: Centres) -> Floats:
    """Rows, sorted by their classes `of`, minus the class means."""
    runs = _runs(first, len(rows))
    if runs is None:
        return np.asarray((rows - about.mean[of]) - about.rest[of])
    z = rows.astype(np.float64, copy=False)
    for (a, b), c in zip(runs, of[first].tolist(), strict=True):
        z[a:b] -= about.mean[c]
        z[a:b] -= about.rest[c]
    return z


def _runs(first: Indices, n: int) -> list[tuple[int, int]] | None:
    """Start and stop of the rows of each class, or None if there are too few rows per class."""
    # Average rows per class from which one sum per class is faster than reduceat.
    rows_per_run = 32
    if n < rows_per_run * len(first):
        return None
    return list(pairwise([*first.tolist(), n]))


def _reduce_by_class(operation: np.ufunc, rows: Floats, first: Indices) -> Floats:
    runs = _runs(first, len(rows))
    if runs is None:
        return np.asarray(operation.reduceat(rows, first))
    return np.array([operation.reduce(rows[a:b], axis=0) for a, b in runs])


def _weighted_sums(w: Floats, rows: Floats, first: Indices) -> Floats:
    """Weighted sums of the rows of each class."""
    runs = _runs(first, len(rows))
    if runs is None:
        return np.asarray(np.add.reduceat(rows * w[:, None], first))
    return np.array([w[a:b] @ rows[a:b] for a, b in runs])
