"""Factors: rows as integers on a grid and their digits, by compiled loops; for large data only.

Floats are whole and below 2^53, so no sum is rounded and the order of rows does not matter.
Each loop touches few arrays: with more, the compiler cannot tell that they do not overlap, and
uses no vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit

# x + HALF_WAY - HALF_WAY is x rounded to the nearest whole number, for x below 2^51.
HALF_WAY = 1.5 * 2.0**52


@jit(forceinline=True)
def _to_grid(
    x: Any, scale: Any, anchor: Any, lowest: Any, highest: Any, q: Any
) -> int:  # pragma: no cover - compiled
    """Write the integers of a row; how many are outside their range."""
    outside = 0
    for j in range(len(q)):
        one = ((np.float64(x[j]) * scale[j] + HALF_WAY) - HALF_WAY) - anchor[j]
        # False for NaN, too.
        outside += 0 if (one >= lowest[j]) & (one <= highest[j]) else 1
        q[j] = one
    return outside


@jit(forceinline=True)
def _split(q: Any, base: float, low: Any, high: Any) -> None:  # pragma: no cover - compiled
    for j in range(len(q)):
        top = (q[j] * (1.0 / base) + HALF_WAY) - HALF_WAY
        high[j] = top
        low[j] = q[j] - top * base


@jit(forceinline=True)
def _add_and_join(low: Any, high: Any, q: Any, sums: Any) -> None:  # pragma: no cover - compiled
    for j in range(len(q)):
        sums[j] += q[j]
        q[j] = low[j] + high[j]


@jit(forceinline=True)
def _pair_to_grid(
    x: Any, y: Any, scale: Any, anchor: Any, lowest: Any, highest: Any, q: Any, r: Any
) -> int:  # pragma: no cover - compiled
    """Write the integers of two rows; in how many columns one is outside its range."""
    outside = 0
    for j in range(len(q)):
        one = ((np.float64(x[j]) * scale[j] + HALF_WAY) - HALF_WAY) - anchor[j]
        two = ((np.float64(y[j]) * scale[j] + HALF_WAY) - HALF_WAY) - anchor[j]
        inside = (one >= lowest[j]) & (one <= highest[j])
        outside += 0 if inside & (two >= lowest[j]) & (two <= highest[j]) else 1
        q[j] = np.int64(one)
        r[j] = np.int64(two)
    return outside


@jit(forceinline=True)
def _add_pair(q: Any, r: Any, sums: Any, low: Any, high: Any) -> None:  # pragma: no cover
    for j in range(len(q)):
        # Integers of 32 bits are below 2^31 in size, so that two squares fit 63 bits.
        squares = q[j] * q[j] + r[j] * r[j]
        sums[j] += q[j] + r[j]
        low[j] += squares & 0xFFFFFFFF
        high[j] += squares >> 32


@jit()
def factors_of_two(
    X: Any,
    order: Any,
    codes: Any,
    scale: Any,
    anchor: Any,
    lowest: Any,
    highest: Any,
    base: float,
    low: Any,
    high: Any,
    both: Any,
    sums: Any,
) -> int:  # pragma: no cover - compiled
    """Write both digits and their sum, add the integers by class; how many are outside."""
    outside = 0
    for r in range(len(order)):
        outside += _to_grid(X[order[r]], scale, anchor, lowest, highest, both[r])
        _split(both[r], base, low[r], high[r])
        _add_and_join(low[r], high[r], both[r], sums[codes[order[r]]])
    return outside


@jit()
def add_squares(
    X: Any,
    order: Any,
    codes: Any,
    scale: Any,
    anchor: Any,
    lowest: Any,
    highest: Any,
    sums: Any,
    low: Any,
    high: Any,
) -> int:  # pragma: no cover - compiled
    """Add integers and both halves of their squares by class; in how many pairs one is outside.

    Rows of one class are taken in pairs, so that its sums are read and written half as often.
    """
    outside = 0
    q, r = np.empty(X.shape[1], np.int64), np.empty(X.shape[1], np.int64)
    at = 0
    while at < len(order):
        i = order[at]
        code = codes[i]
        paired = at + 1 < len(order) and codes[order[at + 1]] == code
        other = order[at + 1] if paired else i
        outside += _pair_to_grid(X[i], X[other], scale, anchor, lowest, highest, q, r)
        if not paired:
            r[:] = 0
        _add_pair(q, r, sums[code], low[code], high[code])
        at += 2 if paired else 1
    return outside
