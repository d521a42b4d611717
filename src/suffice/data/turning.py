"""Turning: columns that lie apart in memory -> rows; imported only when there are many."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.jit import jit

# Rows turned at a time: with few features they stay in the cache.
STRETCH = 1024

# Where each column of some rows starts, how many rows these are, and what holds the columns.
Part: TypeAlias = tuple[Indices, int, Any]


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of float64 without gaps in memory, in parts of some rows each.

    Only where they start is known to compiled code, so this holds on to them.
    """

    places: Indices  # (parts, d): addresses
    edges: Indices  # (parts + 1,): rows before each part, and in all
    held: tuple[Any, ...]

    @classmethod
    def of(cls, parts: Iterable[Part]) -> Columns:
        """All parts, of which there is at least one, one after the other."""
        places, lengths, held = zip(*parts, strict=True)
        return cls(np.stack(places), np.array([0, *accumulate(lengths)], np.int64), held)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.edges[-1]), self.places.shape[1]

    def turned(self, start: int, out: Floats) -> Floats:
        """Write rows from `start` on to `out`, as many as it has."""
        n, d = self.shape
        if not self.held or out.shape[1] != d or not 0 <= start <= n - len(out):
            raise ValueError(f"there are no {out.shape} rows from {start} on of {self.shape}")
        turn(self.places, self.edges, start, out)
        return out

    def let_go(self) -> Columns:
        """The shape alone: the columns are no longer held, and must not be read."""
        return Columns(self.places[:0], self.edges, ())


def part_of_arrays(columns: Sequence[Array]) -> Part:
    """Columns of numbers; what is no float64 is converted."""
    held = [np.ascontiguousarray(column, np.float64) for column in columns]
    if any(column.shape != held[0].shape for column in held):
        raise ValueError("columns differ in length")
    places = np.array([column.__array_interface__["data"][0] for column in held], np.intp)
    return places, len(held[0]), held


def parts_of_table(table: Any, names: Sequence[str]) -> list[Part] | None:
    """Columns of a pyarrow table; None where some are no float64, or have gaps.

    All are handed over at once: to ask for them one by one takes longer than turning them.
    """
    schema, parts = table.schema, []
    wanted = np.array([schema.get_field_index(name) for name in names])
    for batch in table.to_batches():
        # These capsules hold the columns.
        about, held = batch.__arrow_c_array__()
        places = np.empty(len(wanted), np.intp)
        if not _places(
            _address(about, b"arrow_schema"), _address(held, b"arrow_array"), wanted, places
        ):
            return None
        parts.append((places, len(batch), held))
    return parts


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
_bytes_at = _pointer_to(types.uint8)

# Words of the Arrow C data interface. Of an array: its gaps, offset, buffers and children; the
# first buffer says where values are missing, the second holds them. Of a schema: the format, a
# text, its children and its dictionary.
_GAPS, _OFFSET, _BUFFERS, _CHILDREN, _WORDS = 1, 2, 5, 6, 10
_FORMAT, _FIELDS, _DICTIONARY = 0, 5, 6
_DOUBLE = ord("g")


@jit()
def _places(schema: int, array: int, wanted: Any, out: Any) -> bool:  # pragma: no cover - compiled
    most = wanted.max() + 1
    fields = carray(_words_at(carray(_words_at(schema), _WORDS)[_FIELDS]), most)
    children = carray(_words_at(carray(_words_at(array), _WORDS)[_CHILDREN]), most)
    for j in range(len(wanted)):
        field = carray(_words_at(fields[wanted[j]]), _WORDS)
        text = carray(_bytes_at(field[_FORMAT]), 2)
        if text[0] != _DOUBLE or text[1] != 0 or field[_DICTIONARY] != 0:
            return False
        column = carray(_words_at(children[wanted[j]]), _WORDS)
        buffers = carray(_words_at(column[_BUFFERS]), 2)
        if column[_GAPS] != 0 and buffers[0] != 0:
            return False
        out[j] = buffers[1] + 8 * column[_OFFSET]
    return True


@jit()
def turn(places: Any, edges: Any, start: int, out: Any) -> None:  # pragma: no cover - compiled
    """Write the rows from `start` on to `out`, as many as it has."""
    stop = start + len(out)
    for part in range(len(places)):
        low = max(start, edges[part])
        high = min(stop, edges[part + 1])
        if low < high:
            _turn(places[part], low - edges[part], out[low - start : high - start])


@jit()
def place_in_rows(
    places: Any, edges: Any, start: int, to: Any, out: Any
) -> None:  # pragma: no cover - compiled
    """Write each column from the row `start` on to a row of `out`, entries where `to` says."""
    stop = start + len(to)
    for part in range(len(places)):
        low = max(start, edges[part])
        high = min(stop, edges[part + 1])
        if low < high:
            _place(places[part], low - edges[part], to[low - start : high - start], out)


@jit()
def _place(places: Any, first: int, to: Any, out: Any) -> None:  # pragma: no cover - compiled
    # Four columns at a time, as below.
    d = len(places)
    at = 8 * first
    j = 0
    while j + 4 <= d:
        a = carray(_floats_at(places[j] + at), len(to))
        b = carray(_floats_at(places[j + 1] + at), len(to))
        c = carray(_floats_at(places[j + 2] + at), len(to))
        e = carray(_floats_at(places[j + 3] + at), len(to))
        u, v, w, x = out[j], out[j + 1], out[j + 2], out[j + 3]
        for i in range(len(to)):
            p = to[i]
            u[p] = a[i]
            v[p] = b[i]
            w[p] = c[i]
            x[p] = e[i]
        j += 4
    while j < d:
        a = carray(_floats_at(places[j] + at), len(to))
        u = out[j]
        for i in range(len(to)):
            u[to[i]] = a[i]
        j += 1


@jit()
def _turn(places: Any, first: int, out: Any) -> None:  # pragma: no cover - compiled
    # A stretch of four columns at a time: reading all of them side by side, a few rows each,
    # would be more streams than memory keeps up with.
    n, d = out.shape
    for start in range(0, n, STRETCH):
        rows = min(STRETCH, n - start)
        at = 8 * (first + start)
        j = 0
        while j + 4 <= d:
            a = carray(_floats_at(places[j] + at), rows)
            b = carray(_floats_at(places[j + 1] + at), rows)
            c = carray(_floats_at(places[j + 2] + at), rows)
            e = carray(_floats_at(places[j + 3] + at), rows)
            for i in range(rows):
                out[start + i, j] = a[i]
                out[start + i, j + 1] = b[i]
                out[start + i, j + 2] = c[i]
                out[start + i, j + 3] = e[i]
            j += 4
        while j < d:
            a = carray(_floats_at(places[j] + at), rows)
            for i in range(rows):
                out[start + i, j] = a[i]
            j += 1
