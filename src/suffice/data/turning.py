"""Turning: columns that lie apart in memory -> rows; imported only when there are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from suffice.data.arrays import Array, Floats
from suffice.data.jit import jit

# Rows turned at a time: with few features they stay in the cache.
STRETCH = 1024


def turn(columns: Sequence[Array], out: Floats) -> None:
    """Write columns of numbers, as long as `out`, to its columns."""
    # Where one lies is all that is passed on: what must be converted is held until then.
    held = [np.ascontiguousarray(column, np.float64) for column in columns]
    if any(column.shape != (len(out),) for column in held):
        raise ValueError("columns and rows differ in length")
    places = np.array([column.__array_interface__["data"][0] for column in held], np.intp)
    _turn(places, out)


@intrinsic
def _floats_at(_: Any, place: Any) -> Any:  # pragma: no cover - compiled
    def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.intp), make


@jit()
def _turn(places: Any, out: Any) -> None:  # pragma: no cover - compiled
    # A stretch of four columns at a time: reading all of them side by side, a few rows each,
    # would be more streams than memory keeps up with.
    n, d = out.shape
    for start in range(0, n, STRETCH):
        rows = min(STRETCH, n - start)
        at = 8 * start
        j = 0
        while j + 4 <= d:
            a = carray(_floats_at(places[j] + at), STRETCH)
            b = carray(_floats_at(places[j + 1] + at), STRETCH)
            c = carray(_floats_at(places[j + 2] + at), STRETCH)
            e = carray(_floats_at(places[j + 3] + at), STRETCH)
            for i in range(rows):
                row = out[start + i]
                row[j] = a[i]
                row[j + 1] = b[i]
                row[j + 2] = c[i]
                row[j + 3] = e[i]
            j += 4
        while j < d:
            a = carray(_floats_at(places[j] + at), STRETCH)
            for i in range(rows):
                out[start + i, j] = a[i]
            j += 1
