"""Counting levels, compiled: imported only when there are enough entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit


@jit()
def ranges(X: Any, low: Any, high: Any) -> None:
    """Minimum and maximum of each column."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = np.int64(X[i, j])
            low[j] = x if x < low[j] else low[j]
            high[j] = x if x > high[j] else high[j]


@jit()
def count(X: Any, codes: Any, offsets: Any, out: Any) -> None:
    """Add one for each row and column to the cell of its class and level."""
    for i in range(X.shape[0]):
        row = out[codes[i]]
        for j in range(X.shape[1]):
            row[offsets[j] + X[i, j]] += 1


@jit()
def weigh(X: Any, codes: Any, weights: Any, offsets: Any, out: Any) -> None:
    """Add the weight of each row, for each column, to the cell of its class and level."""
    for i in range(X.shape[0]):
        row = out[codes[i]]
        w = weights[i]
        for j in range(X.shape[1]):
            row[offsets[j] + X[i, j]] += w


@jit()
def whole(X: Any, out: Any, high: Any) -> bool:
    """Copy floats to integers, and find the maximum of each column.

    False if any is missing, negative, not a whole number, or too large.
    """
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            if not (0 <= x < 1 << 20):
                return False
            t = np.int32(x)
            if t != x:
                return False
            out[i, j] = t
            high[j] = t if t > high[j] else high[j]
    return True
