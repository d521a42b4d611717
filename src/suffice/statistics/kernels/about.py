"""Columns about known points, added up in one read; imported only when there are many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit
from suffice.data.turning import place_in_rows
from suffice.statistics.kernels.compiled import least, most, sort_codes
from suffice.statistics.kernels.products import ANY_ORDER


@jit(fastmath=ANY_ORDER, forceinline=True)
def _sum(z: Any) -> float:  # pragma: no cover - compiled
    total = 0.0
    for p in range(len(z)):
        total += z[p]
    return total


@jit(fastmath=ANY_ORDER, forceinline=True)
def _dot(a: Any, b: Any) -> float:  # pragma: no cover - compiled
    total = 0.0
    for p in range(len(a)):
        total += a[p] * b[p]
    return total


@jit(forceinline=True)
def _reaches(z: Any, low: float, high: float) -> bool:  # pragma: no cover - compiled
    # Seldom, after the first rows; and to look is much faster than to find the extremes.
    beyond = 0
    for p in range(len(z)):
        beyond += (z[p] < low) | (z[p] > high)
    return beyond > 0


@jit(fastmath={"nnan", "nsz"}, forceinline=True)
def _extremes(z: Any, low: float, high: float) -> tuple[float, float]:  # pragma: no cover
    for p in range(len(z)):
        low = least(low, z[p])
        high = most(high, z[p])
    return low, high


@jit(forceinline=True)
def _centre(z: Any, point: float, length: Any) -> None:  # pragma: no cover - compiled
    for p in range(len(z)):
        z[p] -= point
        length[p] += z[p] * z[p]


@jit()
def add_columns(
    places: Any,
    edges: Any,
    start: int,
    rows: int,
    codes: Any,
    origin: Any,
    per_unit: float,
    Z: Any,
    total: Any,
    low: Any,
    high: Any,
    square: Any,
    cubic: Any,
    quartic: Any,
) -> None:  # pragma: no cover - compiled
    """Some rows of `Columns`, from `start` on.

    Each column less the origins of the classes is written to Z, the rows of a class together; sums,
    sums of fourth order and extremes of the classes are added to.
    """
    k, d = origin.shape
    order = np.empty(rows, np.int64)
    to = np.empty(rows, np.int64)
    place = np.empty((5, k), np.int64)
    sort_codes(codes[start : start + rows], 0, rows, k, place, order)
    for p in range(rows):
        to[order[p]] = p
    place_in_rows(places, edges, start, to, Z)
    length = np.zeros(rows)
    ends = place[4]
    for j in range(d):
        first = np.int64(0)
        for c in range(k):
            end = ends[c]
            if end > first:
                z = Z[j, first:end]
                if _reaches(z, low[c, j], high[c, j]):
                    low[c, j], high[c, j] = _extremes(z, low[c, j], high[c, j])
                _centre(z, origin[c, j], length[first:end])
                total[c, j] += _sum(z)
            first = end
    scale = per_unit * per_unit
    for p in range(rows):
        length[p] *= scale
    first = np.int64(0)
    for c in range(k):
        end = ends[c]
        if end > first:
            long = length[first:end]
            square[c] += _sum(long)
            quartic[c] += _dot(long, long)
            for j in range(d):
                cubic[c, j] += per_unit * _dot(long, Z[j, first:end])
        first = end
