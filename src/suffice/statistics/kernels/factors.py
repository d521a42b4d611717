"""Factors: rows as digits of integers on a grid, by compiled loops; imported for large data only.

All numbers are whole and below 2^53, so no sum is rounded and the order of rows does not matter.
Each loop touches few arrays: with more, the compiler cannot tell that they do not overlap, and
uses no vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit

# x + HALF_WAY - HALF_WAY is x rounded to the nearest whole number, for x up to 2^51.
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
def _top(q: float, base: float) -> float:  # pragma: no cover - compiled
    """The upper digit; the lower one is q - top * base."""
    return (q * (1.0 / base) + HALF_WAY) - HALF_WAY


@jit(forceinline=True)
def _split(q: Any, base: float, low: Any, high: Any) -> None:  # pragma: no cover - compiled
    for j in range(len(q)):
        top = _top(q[j], base)
        high[j] = top
        low[j] = q[j] - top * base


@jit(forceinline=True)
def _add_and_join(low: Any, high: Any, q: Any, sums: Any) -> None:  # pragma: no cover - compiled
    for j in range(len(q)):
        sums[j] += q[j]
        q[j] = low[j] + high[j]


@jit(forceinline=True)
def _add_low(q: Any, base: float, sums: Any, low: Any) -> None:  # pragma: no cover - compiled
    for j in range(len(q)):
        bottom = q[j] - _top(q[j], base) * base
        sums[j] += q[j]
        low[j] += bottom * bottom


@jit(forceinline=True)
def _add_high(q: Any, base: float, high: Any, cross: Any) -> None:  # pragma: no cover - compiled
    for j in range(len(q)):
        top = _top(q[j], base)
        high[j] += top * top
        cross[j] += (q[j] - top * base) * top


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
def squares_of_two(
    X: Any,
    order: Any,
    codes: Any,
    scale: Any,
    anchor: Any,
    lowest: Any,
    highest: Any,
    base: float,
    sums: Any,
    low: Any,
    high: Any,
    cross: Any,
) -> int:  # pragma: no cover - compiled
    """Add the integers, and the products of their digits, by class; how many are outside."""
    outside = 0
    q = np.empty(X.shape[1])
    for i in order:
        code = codes[i]
        outside += _to_grid(X[i], scale, anchor, lowest, highest, q)
        _add_low(q, base, sums[code], low[code])
        _add_high(q, base, high[code], cross[code])
    return outside
