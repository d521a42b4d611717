"""Factors: rows as integers on a grid and their digits, by compiled loops; for large data only.

Adding `bias`, 1.5 * 2^52 less the anchor of the grid, rounds a scaled value to a whole number. It
is then in the last bits of the float. Floats are whole and below 2^53, so no sum is rounded and the
order of rows does not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from suffice.data.jit import jit

# x + HALF_WAY - HALF_WAY is x rounded to the nearest whole number, for x below 2^51.
HALF_WAY = 1.5 * 2.0**52
HALF_WAY_BITS = int(np.float64(HALF_WAY).view(np.int64))


@intrinsic  # type: ignore[untyped-decorator]
def _bits(typing_context: Any, value: Any) -> Any:
    """The bits of a float, as an integer."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(types.float64), code


@jit()
def fetch(X: Any, rows: Any) -> float:
    """Bring rows into the cache, by reading an entry of each cache line; the sum of these.

    In the order of memory this is several times as fast as in that of classes.
    """
    total = 0.0
    step = max(1, 64 // X.itemsize)  # bytes of a cache line
    for i in rows:
        for j in range(0, X.shape[1], step):
            total += X[i, j]
    return total


@jit()
def factors_of_two(
    X: Any, order: Any, codes: Any, grid: Any, base: float, room: Any, sums: Any
) -> int:
    """Write both digits and their sum, add the integers by class; how many are outside.

    grid : scale, bias, lowest, highest
    room : (rows, d) each for the lower digits, the higher ones, and their sums
    """
    scale, bias, lowest, highest = grid
    outside, per_base = 0, 1.0 / base
    for r in range(len(order)):
        x, own = X[order[r]], sums[codes[order[r]]]
        low, high, both = room[0][r], room[1][r], room[2][r]
        for j in range(len(own)):
            q = (np.float64(x[j]) * scale[j] + bias[j]) - HALF_WAY
            # False for NaN, too.
            outside += 0 if (q >= lowest[j]) & (q <= highest[j]) else 1
            top = (q * per_base + HALF_WAY) - HALF_WAY
            rest = q - top * base
            high[j], low[j], both[j] = top, rest, rest + top
            own[j] += q
    return outside


@jit(forceinline=True)
def _add_four(rows: Any, masks: Any, grid: Any, totals: Any) -> int:
    """Add the integers of four rows, and both halves of their squares; see `add_squares`."""
    (a, b, c, d), (scale, bias, lowest, highest), (sums, low, high) = rows, grid, totals
    outside = 0
    for j in range(len(sums)):
        p = _bits(np.float64(a[j]) * scale[j] + bias[j]) - HALF_WAY_BITS
        q = _bits(np.float64(b[j]) * scale[j] + bias[j]) - HALF_WAY_BITS
        r = _bits(np.float64(c[j]) * scale[j] + bias[j]) - HALF_WAY_BITS
        s = _bits(np.float64(d[j]) * scale[j] + bias[j]) - HALF_WAY_BITS
        # The bits of NaN, infinities and numbers that are too large are outside, too.
        inside = min(min(p, q), min(r, s)) >= lowest[j]
        inside &= max(max(p, q), max(r, s)) <= highest[j]
        outside += 0 if inside else 1
        q, r, s = q & masks[0], r & masks[1], s & masks[2]
        sums[j] += (p + q) + (r + s)
        # Integers of 32 bits have squares below 2^62, so that four of them fit 64 bits.
        p, q, r, s = np.int32(p), np.int32(q), np.int32(r), np.int32(s)
        squares = np.uint64(np.int64(p) * p + np.int64(q) * q)
        squares += np.uint64(np.int64(r) * r + np.int64(s) * s)
        low[j] += np.int64(squares & np.uint64(0xFFFFFFFF))
        high[j] += np.int64(squares >> np.uint64(32))
    return outside


@jit()
def add_squares(X: Any, order: Any, codes: Any, grid: Any, totals: Any) -> int:
    """Add integers and both halves of their squares by class; in how many columns one is outside.

    Rows of one class are taken four at a time, so that its sums are read and written less often;
    where there are fewer, the first one stands for the others, and is masked.

    grid : scale, bias, lowest, highest
    totals : (3, k, d) for the integers, and the lower and upper halves of their squares
    """
    outside, at = 0, 0
    some, masks = np.empty(4, np.int64), np.empty(3, np.int64)
    while at < len(order):
        some[:], masks[:] = order[at], 0
        code = codes[some[0]]
        n = 1
        while n < 4 and at + n < len(order) and codes[order[at + n]] == code:
            some[n], masks[n - 1] = order[at + n], -1
            n += 1
        rows = X[some[0]], X[some[1]], X[some[2]], X[some[3]]
        own = totals[0, code], totals[1, code], totals[2, code]
        outside += _add_four(rows, masks, grid, own)
        at += n
    return outside
