"""Turning: columns that lie apart in memory -> rows; imported only when there are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from suffice.data.arrays import Array, Floats
from suffice.data.jit import jit

# Rows turned at a time: with their copies they stay in the cache.
TILE = 64


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
    # By way of a small table: columns are read along memory, rows written along memory. Its
    # lines are a little longer than the tile, for addresses a power of two apart share their
    # place in the cache.
    n, d = out.shape
    table = np.empty((d, TILE + 8))
    for start in range(0, n, TILE):
        rows = min(TILE, n - start)
        for j in range(d):
            column = carray(_floats_at(places[j] + 8 * start), TILE)
            line = table[j]
            for i in range(rows):
                line[i] = column[i]
        for i in range(rows):
            row = out[start + i]
            for j in range(d):
                row[j] = table[j, i]
