"""The inner loops compiled by numba: imported only when the data is large enough to repay it."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.jit import jit
from suffice.statistics.kernels.centred import Centred, CentredRows
from suffice.statistics.kernels.products import WIDE, CentredColumns, dot, minus
from suffice.statistics.kernels.sums import Centres, ClassSums, Fourths, RowBlock

# NaN and infinity still make a sum non-finite, where they are detected. No loop reorders
# a sum across rows, so results do not depend on the vector width.
_FAST = {"contract", "nnan", "nsz"}


def class_sums(X: Array, codes: Indices, weights: Floats, origin: Floats, out: ClassSums) -> None:
    """Add each class's count, weight, sums about its origin, squares, and extremes to `out`."""
    block_bytes = 1 << 19  # half of a typical second-level cache
    block = block_bytes // (X.shape[1] * X.itemsize)
    rows_of_class = 32  # average rows per class below which a cached block does not pay
    cached = block >= rows_of_class * len(origin)
    if not cached:
        block = 4096
    totals = (out.count, out.weight, out.sum, out.square, out.low, out.high)
    _class_sums(X, codes, weights, origin, block, cached, totals)


def by_class(codes: Indices, k: int) -> tuple[Indices, Indices]:
    """Rows in the order of their codes, and where each code below k starts and the last ends."""
    order = np.empty(len(codes), np.int64)
    place = np.empty((5, int(k) + 1), np.int64)
    sort_codes(codes, 0, len(codes), k + 1, place, order)
    return order, np.concatenate([[0], place[4, :k]])


@jit()
def sort_codes(codes: Any, start: int, stop: int, k: int, place: Any, order: Any) -> None:
    """Rows start to stop in the order of their codes, and where each code ends: place[4]."""
    # Four streams with separate counters: with one, each row would wait for the previous one.
    quarter = (stop - start) // 4
    b1 = start + quarter
    b2 = b1 + quarter
    b3 = b2 + quarter
    place[:, :] = 0
    for i in range(quarter):
        place[0, codes[start + i]] += 1
        place[1, codes[b1 + i]] += 1
        place[2, codes[b2 + i]] += 1
        place[3, codes[b3 + i]] += 1
    for i in range(b3 + quarter, stop):
        place[3, codes[i]] += 1
    at = 0
    for c in range(k):
        for stream in range(4):
            rows = place[stream, c]
            place[stream, c] = at
            at += rows
        place[4, c] = at
    for i in range(quarter):
        c = codes[start + i]
        order[place[0, c]] = start + i
        place[0, c] += 1
        c = codes[b1 + i]
        order[place[1, c]] = b1 + i
        place[1, c] += 1
        c = codes[b2 + i]
        order[place[2, c]] = b2 + i
        place[2, c] += 1
        c = codes[b3 + i]
        order[place[3, c]] = b3 + i
        place[3, c] += 1
    for i in range(b3 + quarter, stop):
        c = codes[i]
        order[place[3, c]] = i
        place[3, c] += 1


@jit(fastmath=True, forceinline=True)
def _touch(X: Any, start: int, stop: int) -> Any:
    # Rows of a class are not adjacent; reading the block in order brings it into the cache. The
    # maximum itself is not used; unlike a sum, it lets loads proceed independently.
    seen = X[start, 0]
    for i in range(start, stop):
        for j in range(0, X.shape[1], 64 // X.itemsize):
            seen = max(seen, X[i, j])
    return seen


@jit(fastmath=_FAST)
def _rows_of_class(X: Any, order: Any, o: Any, s: Any, v: Any, low: Any, high: Any) -> None:
    # Several rows each time the sums are loaded and stored.
    d = len(o)
    long_row = 64  # features from which eight rows are summed at a time
    r = _eights(X, order, o, s, v, low, high) if d >= long_row else 0
    while r + 4 <= len(order):
        a, b, c, e = X[order[r]], X[order[r + 1]], X[order[r + 2]], X[order[r + 3]]
        for j in range(d):
            x0 = np.float64(a[j])
            x1 = np.float64(b[j])
            x2 = np.float64(c[j])
            x3 = np.float64(e[j])
            z0 = x0 - o[j]
            z1 = x1 - o[j]
            z2 = x2 - o[j]
            z3 = x3 - o[j]
            s[j] += (z0 + z1) + (z2 + z3)
            v[j] += (z0 * z0 + z1 * z1) + (z2 * z2 + z3 * z3)
            m0 = x0 if x0 < x1 else x1
            m1 = x2 if x2 < x3 else x3
            m0 = m0 if m0 < m1 else m1
            low[j] = m0 if m0 < low[j] else low[j]
            m0 = x0 if x0 > x1 else x1
            m1 = x2 if x2 > x3 else x3
            m0 = m0 if m0 > m1 else m1
            high[j] = m0 if m0 > high[j] else high[j]
        r += 4
    while r < len(order):
        _one_row(X[order[r]], 1.0, o, s, v, low, high)
        r += 1


@jit(fastmath=_FAST, forceinline=True)
def smaller(a: float, b: float) -> float:
    """The smaller of two numbers."""
    return a if a < b else b


@jit(fastmath=_FAST, forceinline=True)
def larger(a: float, b: float) -> float:
    """The larger of two numbers."""
    return a if a > b else b


@jit(fastmath=_FAST)
def _eights(X: Any, order: Any, o: Any, s: Any, v: Any, low: Any, high: Any) -> int:
    r = 0
    while r + 8 <= len(order):
        x0, x1, x2, x3 = X[order[r]], X[order[r + 1]], X[order[r + 2]], X[order[r + 3]]
        x4, x5, x6, x7 = X[order[r + 4]], X[order[r + 5]], X[order[r + 6]], X[order[r + 7]]
        for j in range(len(o)):
            bottom = smaller(smaller(x0[j], x1[j]), smaller(x2[j], x3[j]))
            bottom = smaller(bottom, smaller(smaller(x4[j], x5[j]), smaller(x6[j], x7[j])))
            top = larger(larger(x0[j], x1[j]), larger(x2[j], x3[j]))
            top = larger(top, larger(larger(x4[j], x5[j]), larger(x6[j], x7[j])))
            low[j] = smaller(np.float64(bottom), low[j])
            high[j] = larger(np.float64(top), high[j])
            a, b, c, d = x0[j] - o[j], x1[j] - o[j], x2[j] - o[j], x3[j] - o[j]
            e, f, g, h = x4[j] - o[j], x5[j] - o[j], x6[j] - o[j], x7[j] - o[j]
            s[j] += ((a + b) + (c + d)) + ((e + f) + (g + h))
            v[j] += ((a * a + b * b) + (c * c + d * d)) + ((e * e + f * f) + (g * g + h * h))
        r += 8
    return r


@jit(fastmath=_FAST, forceinline=True)
def _one_row(a: Any, w: float, o: Any, s: Any, v: Any, low: Any, high: Any) -> None:
    for j in range(len(o)):
        x = np.float64(a[j])
        z = x - o[j]
        s[j] += w * z
        v[j] += w * z * z
        low[j] = x if x < low[j] else low[j]
        high[j] = x if x > high[j] else high[j]


@jit()
def _class_sums(
    X: Any, codes: Any, weights: Any, origin: Any, block: int, cached: bool, totals: Any
) -> float:
    count, weight, total, square, low, high = totals
    n, d = X.shape
    k = len(origin)
    weighted = len(weights) > 0
    order = np.empty(block, np.int64)
    place = np.empty((5, k), np.int64)
    # Sums of a stretch of rows are kept separate before they are added to the total: a long run
    # of additions to one accumulator loses digits.
    s = np.zeros((k, d))
    v = np.zeros((k, d))
    stretch = max(block, 64 * k)
    pending = 0
    seen = 0.0
    for start in range(0, n, block):
        stop = min(n, start + block)
        if cached:
            seen += _touch(X, start, stop)
        sort_codes(codes, start, stop, k, place, order)
        r = 0
        for c in range(k):
            end = place[4, c]
            count[c] += end - r
            if weighted:
                for i in order[r:end]:
                    weight[c] += weights[i]
                    _one_row(X[i], weights[i], origin[c], s[c], v[c], low[c], high[c])
            elif end > r:
                _rows_of_class(X, order[r:end], origin[c], s[c], v[c], low[c], high[c])
            r = end
        pending += stop - start
        if pending >= stretch or stop == n:
            total += s
            square += v
            s[:, :] = 0.0
            v[:, :] = 0.0
            pending = 0
    return seen


def centred(shape: tuple[int, int], workers: int) -> Centred:
    """An accumulator of scatter, for one of several threads that share rows of this shape."""
    n, d = shape
    if d < WIDE:
        return CentredColumns.of(n, d)
    return CentredRows.of(shape, workers, centre)


def centre(block: RowBlock, order: Indices, about: Centres, Z: Floats, out: Fourths | None) -> None:
    """Write sqrt(w) (x - mean) of the rows in `order` to Z; add to the fourth-order sums."""
    sums = Fourths.empty(0, 0) if out is None else out
    means = (about.mean, about.rest, about.per_unit)
    rows = (block.rows, order, block.codes, block.weights)
    _centre(rows, means, Z, out is not None, (sums.square, sums.cubic, sums.quartic))


@jit(forceinline=True)
def _centre_row(x: Any, m: Any, rest: Any, z: Any) -> None:
    for j in range(len(z)):
        z[j] = minus(np.float64(x[j]), m[j], rest[j])


@jit()
def _centre(rows: Any, about: Any, Z: Any, with_fourths: bool, fourths: Any) -> None:
    X, order, codes, weights = rows
    mean, rest, per_unit = about
    square, cubic, quartic = fourths
    weighted = len(weights) > 0
    for r in range(len(order)):
        i = order[r]
        c = codes[i]
        z = Z[r]
        _centre_row(X[i], mean[c], rest[c], z)
        w = weights[i] if weighted else 1.0
        if with_fourths:
            length = dot(z, z) * (per_unit * per_unit)
            long = w * length
            step = long * per_unit
            q = cubic[c]
            for j in range(len(z)):
                q[j] += step * z[j]
            square[c] += long
            quartic[c] += long * length
        if weighted:
            root = np.sqrt(w)
            for j in range(len(z)):
                z[j] *= root
