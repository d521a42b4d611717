"""The inner loops with NumPy alone: for data too small to repay loading compiled code."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.kernels.centred import CentredRows
from suffice.statistics.kernels.sums import Centres, ClassSums, Fourths, RowBlock, run_edges


def class_sums(
    X: Array,
    codes: Indices,
    weights: Floats,
    origin: Floats,
    out: ClassSums,
    block_bytes: int = 1 << 20,
) -> None:
    """Add each class's count, weight, sums about its origin, squares, and extremes to `out`."""
    n, d = X.shape
    step = max(1, block_bytes // (8 * d))
    for start in range(0, n, step):
        block = codes[start : start + step]
        order = np.argsort(block, kind="stable")
        ordered = block[order]
        edges = run_edges(ordered)
        present = ordered[edges[:-1]]
        rows = X[start : start + step].take(order, axis=0).astype(np.float64, copy=False)
        out.count[present] += edges[1:] - edges[:-1]
        z = rows - origin[ordered]
        w = np.ones(len(block))
        if len(weights):
            w = weights[start : start + step][order]
            out.weight[present] += np.add.reduceat(w, edges[:-1])
        add = _add_long_runs if _are_long(edges) else _add_short_runs
        add(rows, z, w, edges, present, out)


def _are_long(edges: Indices) -> bool:
    """Whether runs have enough rows on average for one sum each to be faster than reduceat."""
    rows_per_run = 32
    return bool(edges[-1] >= rows_per_run * (len(edges) - 1))


def _add_long_runs(
    rows: Floats, z: Floats, w: Floats, edges: Indices, present: Indices, out: ClassSums
) -> None:
    """Add rows sorted by class to the sums, one class after the other."""
    squares = z * z
    for c, (a, b) in zip(present.tolist(), pairwise(edges.tolist()), strict=True):
        np.minimum(out.low[c], rows[a:b].min(axis=0), out=out.low[c])
        np.maximum(out.high[c], rows[a:b].max(axis=0), out=out.high[c])
        out.sum[c] += w[a:b] @ z[a:b]
        out.square[c] += w[a:b] @ squares[a:b]


def _add_short_runs(
    rows: Floats, z: Floats, w: Floats, edges: Indices, present: Indices, out: ClassSums
) -> None:
    """The same for all classes at once, which is faster if each has only a few rows."""
    first = edges[:-1]
    out.low[present] = np.minimum(out.low[present], np.minimum.reduceat(rows, first))
    out.high[present] = np.maximum(out.high[present], np.maximum.reduceat(rows, first))
    out.sum[present] += np.add.reduceat(z * w[:, None], first)
    z *= z
    out.square[present] += np.add.reduceat(z * w[:, None], first)


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
    edges = run_edges(of)
    first = edges[:-1]
    present = of[first]
    rows = block.rows.take(at, axis=0)
    if not _are_long(edges):
        z = np.asarray((rows - about.mean[of]) - about.rest[of])
    else:
        z = rows.astype(np.float64, copy=False)
        for c, (a, b) in zip(present.tolist(), pairwise(edges.tolist()), strict=True):
            z[a:b] -= about.mean[c]
            z[a:b] -= about.rest[c]
    if out is not None:
        size = z * about.per_unit
        length = np.einsum("ij,ij->i", size, size)
        long = w * length
        out.square[present] += np.add.reduceat(long, first)
        out.cubic[present] += _weighted_sums(long, size, edges)
        out.quartic[present] += np.add.reduceat(long * length, first)
    if len(weights):
        z *= np.sqrt(w)[:, None]
    # Callers that keep the rows need them in their original order.
    Z[by_class if len(present) > 1 else slice(None)] = z


# An accumulator of scatter, for one of several threads that share rows of some shape.
centred = partial(CentredRows.of, centre=centre)


def _weighted_sums(w: Floats, rows: Floats, edges: Indices) -> Floats:
    """Weighted sums of the rows of each class."""
    if not _are_long(edges):
        return np.asarray(np.add.reduceat(rows * w[:, None], edges[:-1]))
    return np.array([w[a:b] @ rows[a:b] for a, b in pairwise(edges.tolist())])
