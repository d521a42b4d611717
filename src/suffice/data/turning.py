"""Turning: columns that lie apart in memory -> rows; imported only when there are many."""

from __future__ import annotations

import ctypes
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


def turn_table(table: Any, names: Sequence[str], out: Floats) -> bool:
    """The same for columns of a pyarrow table; False where some are no float64, or have gaps.

    All columns are handed over at once: to ask for them one by one takes longer than turning them.
    """
    if len(table) != len(out):
        raise ValueError("table and rows differ in length")
    schema = table.schema
    if any(str(schema.field(name).type) != "double" for name in names):
        return False
    wanted, first = np.array([schema.get_field_index(name) for name in names]), 0
    for batch in table.to_batches():
        # This capsule holds the columns; before they are turned it must not be let go.
        _, held = batch.__arrow_c_array__()
        places = np.empty(len(wanted), np.intp)
        if not _places(_address(held, b"arrow_array"), wanted, places):
            return False
        _turn(places, out[first : first + len(batch)])
        first += len(batch)
        del held
    return True


_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_char_p]


def _pointer_to(kind: Any) -> Any:
    @intrinsic
    def at(_: Any, place: Any) -> Any:  # pragma: no cover - compiled
        def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.intp), make

    return at


_floats_at, _words_at = _pointer_to(types.float64), _pointer_to(types.int64)

# Words of the Arrow C data interface: of an array its gaps, offset, buffers and children; the
# first buffer says where values are missing, the second holds them.
_GAPS, _OFFSET, _BUFFERS, _CHILDREN, _WORDS = 1, 2, 5, 6, 10


@jit()
def _places(array: int, wanted: Any, out: Any) -> bool:  # pragma: no cover - compiled
    children = carray(_words_at(carray(_words_at(array), _WORDS)[_CHILDREN]), wanted.max() + 1)
    for j in range(len(wanted)):
        column = carray(_words_at(children[wanted[j]]), _WORDS)
        buffers = carray(_words_at(column[_BUFFERS]), 2)
        if column[_GAPS] != 0 and buffers[0] != 0:
            return False
        out[j] = buffers[1] + 8 * column[_OFFSET]
    return True


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
