"""Transposing: columns that lie apart in memory -> rows; imported only when there are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from suffice.data.arrays import Array, Floats
from suffice.data.jit import jit


def write_rows(columns: Sequence[Array], out: Floats, block_rows: int = 1024) -> None:
    """Write columns of numbers to the columns of `out`, which has as many rows as they have.

    block_rows : written at a time, so that they stay in the cache where features are few

    >>> out = np.empty((2, 3))
    >>> write_rows([np.array([1, 2]), np.array([3.0, 4.0]), np.array([True, False])], out)
    >>> out
    array([[1., 3., 1.], [2., 4., 0.]])
    """
    # Compiled code sees only addresses: this list keeps the columns in memory.
    held = [np.ascontiguousarray(column, np.float64) for column in columns]
    if {column.shape for column in held} != {out.shape[:1]} or len(held) != out.shape[1]:
        raise ValueError(f"{len(held)} columns do not fill an array of shape {out.shape}")
    _write_rows(np.array([column.ctypes.data for column in held], np.intp), out, block_rows)


@intrinsic
def _floats_at(_: Any, place: Any) -> Any:
    def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.intp), make


@jit()
def _write_rows(places: Any, out: Any, block_rows: int) -> None:
    # Four columns at a time: memory cannot prefetch as many streams as there are columns.
    n, d = out.shape
    for start in range(0, n, block_rows):
        stop = min(n, start + block_rows)
        j = 0
        while j + 4 <= d:
            a = carray(_floats_at(places[j]), n)
            b = carray(_floats_at(places[j + 1]), n)
            c = carray(_floats_at(places[j + 2]), n)
            e = carray(_floats_at(places[j + 3]), n)
            for i in range(start, stop):
                out[i, j] = a[i]
                out[i, j + 1] = b[i]
                out[i, j + 2] = c[i]
                out[i, j + 3] = e[i]
            j += 4
        while j < d:
            a = carray(_floats_at(places[j]), n)
            for i in range(start, stop):
                out[i, j] = a[i]
            j += 1
