"""Class labels: anything a user calls y -> one kind of sorted label and integer codes."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.errors import InvalidLabels, Mismatch

KINDS = {"b": "booleans", "i": "integers", "f": "whole floats", "U": "strings"}

# Integer labels spread over at most this many values are used as codes directly.
DIRECT_RANGE = 256

# Spread over at most this many, they are looked up in a table; beyond, sorted.
TABLE_RANGE = 1 << 16


def as_labels(y: Any) -> Array:
    """Labels as a one-dimensional array of booleans, int64, float64 or strings.

    >>> as_labels(["b", "a", "b"])
    array(['b', 'a', 'b'], dtype='<U1')
    """
    values = _to_numpy(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidLabels(
            f"y must have one label a row; its shape is {values.shape}. "
            "Pass a one-dimensional array, list or column."
        )
    kind = values.dtype.kind
    if kind == "O":
        return _from_objects(values)
    if kind == "f":
        return _from_floats(values.astype(np.float64))
    if kind == "u" and values.dtype.itemsize == 8 and values.size and values.max() > 2**63 - 1:
        raise InvalidLabels("y holds integers beyond 64-bit range; pass them as strings.")
    if kind in "iu":
        return values.astype(np.int64, copy=False)
    if kind in "bU":
        return values
    if kind in "ST":
        return _from_objects(values.astype(object))
    raise InvalidLabels(
        f"y holds {values.dtype} values; labels may be strings, integers, booleans or categories."
    )


def encode(labels: Array) -> tuple[Array, Indices]:
    """Sorted candidate classes, and for each row the position of its label among them.

    Integer labels in a narrow range are coded by subtraction, so some candidates may
    have no row.

    >>> encode(np.array(["b", "a", "b"]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    kind = labels.dtype.kind
    if kind == "b":
        return np.array([False, True]), labels.astype(np.int64)
    if kind == "i":
        low, high = int(labels.min()), int(labels.max())
        if high - low < TABLE_RANGE:
            codes = np.ascontiguousarray(labels if low == 0 else labels - low)
            if high - low < DIRECT_RANGE:
                return np.arange(low, high + 1), codes
            present = np.zeros(high - low + 1, bool)
            present[codes] = True
            return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[codes]
    if kind == "U":
        return _encode_by_hash(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int64, copy=False)


def same_kind(a: Array, b: Array) -> None:
    """Raise unless two label arrays can stand in one list of classes."""
    if a.dtype.kind != b.dtype.kind:
        raise Mismatch(
            f"class labels are {KINDS[a.dtype.kind]} on one side and {KINDS[b.dtype.kind]} on "
            f"the other (such as {a[0]!r} and {b[0]!r}); convert one of them first."
        )


def _encode_by_hash(labels: Array) -> tuple[Array, Indices]:
    # A dictionary looks each string up once; np.unique would sort all of them.
    table: defaultdict[str, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(table.__getitem__, labels.tolist()), np.int64, len(labels))
    found = np.array(list(table))
    order = np.argsort(found)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return found[order], rank[codes]


def _to_numpy(y: Any) -> Array:
    if y is None:
        raise InvalidLabels("y is missing: pass one label a row, or an iterator of (X, y) batches.")
    if isinstance(y, np.ndarray):
        return np.asarray(y)
    if isinstance(y, list | tuple):
        return _from_list(y)
    if isinstance(y, str | bytes):
        raise InvalidLabels(f"y is a single {type(y).__name__}, not one label a row.")
    native = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(native, nw.Series):
        if native.null_count():
            row = int(native.is_null().arg_true()[0])
            raise _missing(row, int(native.null_count()))
        return np.asarray(native.to_numpy())
    return np.asarray(y)


def _from_list(y: list[Any] | tuple[Any, ...]) -> Array:
    # np.asarray(["a", 1]) would silently turn 1 into "1".
    if any(isinstance(label, str) for label in y):
        values = np.empty(len(y), object)
        values[:] = y
        return values
    return np.asarray(y)


def _from_objects(values: Array) -> Array:
    missing = np.fromiter(
        (v is None or v != v or type(v).__name__ == "NAType" for v in values), bool, len(values)
    )
    if missing.any():
        raise _missing(int(missing.argmax()), int(missing.sum()))
    types = {_family(v) for v in values}
    if types <= {"str"}:
        return values.astype(str) if len(values) else np.empty(0, "<U1")
    if types == {"bytes"}:
        return np.array([v.decode() for v in values])
    if types == {"bool"}:
        return values.astype(bool)
    if types == {"int"}:
        return values.astype(np.int64)
    if types <= {"int", "float"}:
        return _from_floats(values.astype(np.float64))
    raise InvalidLabels(
        f"y mixes labels of different types ({', '.join(sorted(types))}); "
        "make them all strings or all integers."
    )


_FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("str", (str,)),
    ("bytes", (bytes,)),
)


def _family(label: object) -> str:
    for name, types in _FAMILIES:
        if isinstance(label, types):
            return name
    return type(label).__name__


def _from_floats(values: Array) -> Array:
    missing = np.isnan(values)
    if missing.any():
        raise _missing(int(missing.argmax()), int(missing.sum()))
    odd = ~np.isfinite(values) | (values != np.floor(values))
    if odd.any():
        row = int(odd.argmax())
        raise InvalidLabels(
            f"Unknown label type: continuous. y[{row}] is {values[row]!r}; labels must be "
            "classes (strings, integers, booleans). For a numeric target, bin it first."
        )
    return values


def _missing(row: int, how_many: int) -> InvalidLabels:
    return InvalidLabels(
        f"y has {how_many} missing label{'s' * (how_many > 1)}, the first in row {row}. "
        "Drop those rows or give them a label."
    )
