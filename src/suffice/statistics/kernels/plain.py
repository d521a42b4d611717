"""The inner loops with NumPy alone: for data too small to repay a compiler."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.kernels.sums import About, ClassSums, Fourths

BLOCK_BYTES = 1 << 20

# With at least so many rows a class, sums a class at a time are faster than reduceat.
ROWS_OF_RUN = 32


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
        out.low[present] = np.minimum(out.low[present], _reduced(np.minimum, rows, first))
        out.high[present] = np.maximum(out.high[present], _reduced(np.maximum, rows, first))
        out.count[present] += np.diff(np.r_[first, len(block)])
        z = rows - origin[ordered]
        w = np.ones(len(block))
        if len(weights):
            w = weights[start : start + step][order]
            out.weight[present] += np.add.reduceat(w, first)
        out.sum[present] += _weighted(w, z, first)
        z *= z
        out.square[present] += _weighted(w, z, first)


def by_class(codes: Indices, k: int) -> tuple[Indices, Indices]:
    """Rows in the order of their codes, and where each code below k starts and the last ends."""
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes, np.arange(k + 1), sorter=order)


def centre(
    X: Array, order: Indices, codes: Indices, weights: Floats, about: About, Z: Floats, out: Fourths
) -> None:
    """Write sqrt(w) (x - mean) of the rows in `order` to Z; add to the fourth-order sums."""
    of, w = codes[order], weights[order] if len(weights) else np.ones(len(order))
    by_class = np.argsort(of, kind="stable")
    sorted_of = of[by_class]
    first = np.flatnonzero(np.r_[True, sorted_of[1:] != sorted_of[:-1]])
    present = sorted_of[first]
    own = present if len(present) == 1 else of  # one class: its mean serves all rows
    z = X.take(order, axis=0) - about.mean[own]
    z -= about.rest[own]
    size = z * about.per_unit
    length = np.einsum("ij,ij->i", size, size)
    if len(weights):
        np.multiply(z, np.sqrt(w)[:, None], out=Z)
    else:
        Z[:] = z
    long = w * length
    if len(present) > 1:
        size, long, length = size[by_class], long[by_class], length[by_class]
    out.square[present] += np.add.reduceat(long, first)
    out.cubic[present] += _weighted(long, size, first)
    out.quartic[present] += np.add.reduceat(long * length, first)


def _runs(first: Indices, n: int) -> list[tuple[int, int]] | None:
    """Where the rows of each class start and stop, unless they are too short to go one by one."""
    if n < ROWS_OF_RUN * len(first):
        return None
    return list(pairwise([*first.tolist(), n]))


def _reduced(operation: np.ufunc, rows: Floats, first: Indices) -> Floats:
    runs = _runs(first, len(rows))
    if runs is None:
        return np.asarray(operation.reduceat(rows, first))
    return np.array([operation.reduce(rows[a:b], axis=0) for a, b in runs])


def _weighted(w: Floats, rows: Floats, first: Indices) -> Floats:
    """Weighted sums of the rows of each class."""
    runs = _runs(first, len(rows))
    if runs is None:
        return np.asarray(np.add.reduceat(rows * w[:, None], first))
    return np.array([w[a:b] @ rows[a:b] for a, b in runs])
