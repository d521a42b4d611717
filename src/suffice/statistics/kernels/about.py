"""Rows about known points, added up in one read; imported only when there are many."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit
from suffice.data.turning import turn
from suffice.statistics.kernels.compiled import least, most, sort_codes

# Entries of rows are named by two numbers throughout: a row as an array of its own costs as much
# as adding it up.


@jit(forceinline=True)
def _centred(
    X: Any, i: int, origin: Any, c: int, Z: Any, p: int
) -> float:  # pragma: no cover - compiled
    for j in range(X.shape[1]):
        Z[p, j] = X[i, j] - origin[c, j]
    # Apart: beside the writing, the order of this sum would depend on where in memory rows lie.
    length: float = _squared_length(Z, p)
    return length


@jit(fastmath={"contract", "reassoc"}, forceinline=True)
def _squared_length(Z: Any, p: int) -> float:  # pragma: no cover - compiled
    length = 0.0
    for j in range(Z.shape[1]):
        length += Z[p, j] * Z[p, j]
    return length


@jit(fastmath={"nnan", "nsz"}, forceinline=True)
def _extremes(
    X: Any,
    a: int,
    b: int,
    c: int,
    d: int,
    e: int,
    f: int,
    g: int,
    h: int,
    low: Any,
    high: Any,
    of: int,
) -> None:  # pragma: no cover - compiled
    for j in range(X.shape[1]):
        bottom = least(least(X[a, j], X[b, j]), least(X[c, j], X[d, j]))
        bottom = least(bottom, least(least(X[e, j], X[f, j]), least(X[g, j], X[h, j])))
        top = most(most(X[a, j], X[b, j]), most(X[c, j], X[d, j]))
        top = most(top, most(most(X[e, j], X[f, j]), most(X[g, j], X[h, j])))
        low[of, j] = least(bottom, low[of, j])
        high[of, j] = most(top, high[of, j])


@jit(fastmath={"contract"})
def _rows_of_class(
    X: Any,
    order: Any,
    r: int,
    end: int,
    origin: Any,
    c: int,
    per_unit: float,
    Z: Any,
    p: int,
    total: Any,
    low: Any,
    high: Any,
    square: Any,
    cubic: Any,
    quartic: Any,
) -> None:  # pragma: no cover - compiled
    d = X.shape[1]
    scale = per_unit * per_unit
    squares = 0.0
    quartics = 0.0
    # Eight rows for each time the sums are loaded and stored.
    while r + 8 <= end:
        i0, i1, i2, i3 = order[r], order[r + 1], order[r + 2], order[r + 3]
        i4, i5, i6, i7 = order[r + 4], order[r + 5], order[r + 6], order[r + 7]
        l0 = _centred(X, i0, origin, c, Z, p) * scale
        l1 = _centred(X, i1, origin, c, Z, p + 1) * scale
        l2 = _centred(X, i2, origin, c, Z, p + 2) * scale
        l3 = _centred(X, i3, origin, c, Z, p + 3) * scale
        l4 = _centred(X, i4, origin, c, Z, p + 4) * scale
        l5 = _centred(X, i5, origin, c, Z, p + 5) * scale
        l6 = _centred(X, i6, origin, c, Z, p + 6) * scale
        l7 = _centred(X, i7, origin, c, Z, p + 7) * scale
        squares += ((l0 + l1) + (l2 + l3)) + ((l4 + l5) + (l6 + l7))
        quartics += ((l0 * l0 + l1 * l1) + (l2 * l2 + l3 * l3)) + (
            (l4 * l4 + l5 * l5) + (l6 * l6 + l7 * l7)
        )
        _extremes(X, i0, i1, i2, i3, i4, i5, i6, i7, low, high, c)
        l0, l1, l2, l3 = l0 * per_unit, l1 * per_unit, l2 * per_unit, l3 * per_unit
        l4, l5, l6, l7 = l4 * per_unit, l5 * per_unit, l6 * per_unit, l7 * per_unit
        for j in range(d):
            z0, z1, z2, z3 = Z[p, j], Z[p + 1, j], Z[p + 2, j], Z[p + 3, j]
            z4, z5, z6, z7 = Z[p + 4, j], Z[p + 5, j], Z[p + 6, j], Z[p + 7, j]
            total[c, j] += ((z0 + z1) + (z2 + z3)) + ((z4 + z5) + (z6 + z7))
            cubic[c, j] += ((l0 * z0 + l1 * z1) + (l2 * z2 + l3 * z3)) + (
                (l4 * z4 + l5 * z5) + (l6 * z6 + l7 * z7)
            )
        r += 8
        p += 8
    while r < end:
        i = order[r]
        length = _centred(X, i, origin, c, Z, p) * scale
        squares += length
        quartics += length * length
        length *= per_unit
        for j in range(d):
            total[c, j] += Z[p, j]
            cubic[c, j] += length * Z[p, j]
            low[c, j] = least(X[i, j], low[c, j])
            high[c, j] = most(X[i, j], high[c, j])
        r += 1
        p += 1
    square[c] += squares
    quartic[c] += quartics


@jit()
def add_rows(
    places: Any,
    edges: Any,
    start: int,
    codes: Any,
    origin: Any,
    per_unit: float,
    X: Any,
    Z: Any,
    total: Any,
    low: Any,
    high: Any,
    square: Any,
    cubic: Any,
    quartic: Any,
) -> None:  # pragma: no cover - compiled
    """The rows from `start` on of `Columns`, as many as Z has.

    Each row less the origin of its class is written to Z, those of a class together; sums, sums
    of fourth order and extremes of the classes are added to. Few rows at a time are turned, into
    X, so that they stay in the cache until all is done.
    """
    k = len(origin)
    order = np.empty(len(X), np.int64)
    place = np.empty((5, k), np.int64)
    # Sums of these rows are added up apart: a long run of additions to one number loses digits.
    totals = np.zeros_like(total)
    cubics = np.zeros_like(cubic)
    for at in range(0, len(Z), len(X)):
        rows = min(len(X), len(Z) - at)
        first = start + at
        turn(places, edges, first, X[:rows])
        sort_codes(codes[first : first + rows], 0, rows, k, place, order)
        r = np.int64(0)
        for c in range(k):
            end = place[4, c]
            if end > r:
                _rows_of_class(
                    X,
                    order,
                    r,
                    end,
                    origin,
                    c,
                    per_unit,
                    Z,
                    at + r,
                    totals,
                    low,
                    high,
                    square,
                    cubics,
                    quartic,
                )
            r = end
    total += totals
    cubic += cubics
