"""Factors: rows as digits of integers on a grid, by compiled loops; imported for large data only.

All numbers are whole and below 2^53, so no sum is rounded and the order of rows does not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit


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
    inverse = 1.0 / base
    d = X.shape[1]
    for r in range(len(order)):
        x = X[order[r]]
        total = sums[codes[order[r]]]
        a, b, c = low[r], high[r], both[r]
        bad = 0
        for j in range(d):
            q = np.rint(np.float64(x[j]) * scale[j]) - anchor[j]
            # False for NaN, too.
            bad += 0 if (q >= lowest[j]) & (q <= highest[j]) else 1
            top = np.rint(q * inverse)
            bottom = q - top * base
            a[j] = bottom
            b[j] = top
            c[j] = bottom + top
            total[j] += q
        outside += bad
    return outside


@jit()
def squares_of_two(
    X: Any,
    codes: Any,
    k: int,
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
    inverse = 1.0 / base
    d = X.shape[1]
    for r in range(len(codes)):
        code = codes[r]
        if code >= k:
            continue
        x = X[r]
        s, a, b, c = sums[code], low[code], high[code], cross[code]
        bad = 0
        for j in range(d):
            q = np.rint(np.float64(x[j]) * scale[j]) - anchor[j]
            bad += 0 if (q >= lowest[j]) & (q <= highest[j]) else 1
            top = np.rint(q * inverse)
            bottom = q - top * base
            s[j] += q
            a[j] += bottom * bottom
            b[j] += top * top
            c[j] += bottom * top
        outside += bad
    return outside
