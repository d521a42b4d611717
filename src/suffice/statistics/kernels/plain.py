"""The inner loops with NumPy alone: for data too small to repay a compiler."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.kernels.sums import About, ClassSums, Fourths

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
        rows = X[start : start + step][order].astype(np.float64, copy=False)
        out.low[present] = np.minimum(out.low[present], np.minimum.reduceat(rows, first))
        out.high[present] = np.maximum(out.high[present], np.maximum.reduceat(rows, first))
        out.count[present] += np.diff(np.r_[first, len(block)])
        z = rows - origin[ordered]
        weighted = z
        if len(weights):
            w = weights[start : start + step][order]
            weighted = z * w[:, None]
            out.weight[present] += np.add.reduceat(w, first)
        out.sum[present] += np.add.reduceat(weighted, first)
        out.square[present] += np.add.reduceat(weighted * z, first)


def by_class(codes: Indices, k: int) -> tuple[Indices, Indices]:
    """Rows in the order of their codes, and where each code below k starts and the last ends."""
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes, np.arange(k + 1), sorter=order)


def centre(
    X: Array, order: Indices, codes: Indices, weights: Floats, about: About, Z: Floats, out: Fourths
) -> None:
    """Write sqrt(w) (x - mean) of the rows in `order` to Z; add to the fourth-order sums."""
    of = codes[order]
    z = (X[order] - about.mean[of]) - about.rest[of]
    size = z * about.per_unit
    length = np.einsum("ij,ij->i", size, size)
    w = weights[order] if len(weights) else np.ones(len(order))
    np.multiply(z, np.sqrt(w)[:, None], out=Z)
    by_class = np.argsort(of, kind="stable")
    of = of[by_class]
    first = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    long = w * length
    out.square[of[first]] += np.add.reduceat(long[by_class], first)
    out.cubic[of[first]] += np.add.reduceat((size * long[:, None])[by_class], first)
    out.quartic[of[first]] += np.add.reduceat((long * length)[by_class], first)
