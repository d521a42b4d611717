"""Class labels: anything a user calls y -> sorted classes and integer codes, block by block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.gaps import is_missing
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter, Mismatch
from suffice.text import nearest, quote_names, shown

KINDS = {"b": "booleans", "i": "integers", "f": "whole floats", "U": "strings"}

# Integers spread over fewer values than this, or than there are rows, are looked up in a table.
TABLE_RANGE = 1 << 16


@dataclass(frozen=True, slots=True)
class Labels:
    """One label per row: booleans, integers, whole floats or strings.

    >>> Labels.of(["b", "a", "b"]).encode()
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """

    values: Array | nw.Series[Any]

    @classmethod
    def of(cls, y: Any) -> Labels:
        """Labels of what the user passed, after checking that there is one per row."""
        values = y if type(y) is np.ndarray else _as_column(y)
        if isinstance(values, np.ndarray):
            if values.ndim == 2 and values.shape[1] == 1:
                values = values[:, 0]
            if values.ndim != 1:
                raise InvalidLabels(
                    f"y must have one label per row; its shape is {values.shape}. "
                    "Pass a one-dimensional array, list or column."
                )
            if values.dtype.kind not in "biufUSTO":
                raise _not_labels(f"{values.dtype} values")
        return cls(values)

    def __len__(self) -> int:
        return len(self.values)

    def encode(self, start: int = 0, stop: int | None = None) -> tuple[Array, Indices]:
        """Sorted candidate classes, and the position of each row's label among them.

        Integer labels in a narrow range are coded by subtraction, so some candidates may
        have no row.
        """
        stop = len(self) if stop is None else stop
        values = self.values
        if not isinstance(values, np.ndarray) or values.dtype.kind in "OSTU":
            return _encode_objects(values, start, stop)
        values = values[start:stop]
        if values.dtype.kind == "b":
            return np.array([False, True]), values.astype(np.int64)
        if values.dtype.kind == "f":
            _check_whole(values, start)
            classes, codes = encode_integers(values.astype(np.int64))
            return classes.astype(np.float64), codes
        if values.dtype == np.uint64 and values.max(initial=0) > 2**63 - 1:
            raise InvalidLabels("y holds integers beyond 64 bits; pass them as strings.")
        return encode_integers(values.astype(np.int64, copy=False))

    def classes(self) -> Array:
        """The sorted labels that some row has."""
        candidates, codes = self.encode()
        return np.asarray(candidates[np.unique(codes)])


def same_kind(a: Array, b: Array) -> None:
    """Raise unless two arrays of labels can be joined in one list of classes."""
    if a.dtype.kind != b.dtype.kind:
        raise Mismatch(
            f"class labels are {KINDS[a.dtype.kind]} on one side and {KINDS[b.dtype.kind]} on "
            f"the other (such as {shown(a[0])} and {shown(b[0])}); convert one of them first."
        )


def string_array(values: Sequence[str], name: str, error: type[InvalidInput]) -> Array:
    """An array of strings; those that NumPy would truncate are refused."""
    # NumPy fills strings up with NUL, so that 'a' and 'a\0' would be one.
    cut = next((value for value in values if value.endswith("\0")), None)
    if cut is not None:
        raise error(
            f"{name} holds {shown(cut)}: NumPy drops NUL characters at the end of a string, so "
            f"it could not be distinguished from {shown(cut.rstrip(chr(0)))}. Strip them first: "
            "value.rstrip('\\0')."
        )
    return np.array(values, dtype=np.str_)


def narrowest(labels: Array) -> Array:
    """The same labels in the narrowest string type: its width would reveal a removed label."""
    if labels.dtype.kind != "U":
        return labels
    width = max(1, int(np.strings.str_len(labels).max(initial=1)))
    return labels.astype(f"<U{width}", copy=False)


def class_position(classes: Array, label: Any) -> int:
    """The position of a label among classes; an error lists them and suggests one."""
    labels = classes.tolist()
    try:
        return int(labels.index(label))
    except (TypeError, ValueError):  # an array is neither equal to a label nor different
        near = nearest(str(label), map(str, labels))
        hint = (
            ""
            if near is None
            else f" Did you mean {shown(labels[[*map(str, labels)].index(near)])}?"
        )
        raise InvalidParameter(
            f"there is no class {shown(label)}; the classes are {quote_names(labels)}.{hint}"
        ) from None


def _as_column(y: Any) -> Array | nw.Series[Any]:
    if y is None:
        raise InvalidLabels(
            "y is missing: pass one label per row, or an iterator of (X, y) batches."
        )
    if isinstance(y, str | bytes):
        raise InvalidLabels(f"y is a single {type(y).__name__}, not one label per row.")
    if isinstance(y, list | tuple) and any(isinstance(label, str | bytes) for label in y):
        # np.asarray(["a", 1]) would silently make 1 into "1", and "a\0" into "a".
        values = np.empty(len(y), object)
        values[:] = y
        return values
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        mask = np.ma.getmaskarray(y).ravel()
        raise _missing(int(mask.argmax()), int(mask.sum()))
    if not isinstance(y, np.ndarray):
        native = nw.from_native(y, series_only=True, pass_through=True)
        if isinstance(native, nw.Series):
            return _from_series(native)
    try:
        return np.asarray(y)
    except ValueError as error:
        raise InvalidLabels(f"y must have one label per row: {error}") from None


def _from_series(series: nw.Series[Any]) -> Array | nw.Series[Any]:
    missing = int(series.null_count())
    if missing:
        raise _missing(int(series.is_null().arg_true()[0]), missing, _drop_call(series))
    plain = series.dtype.is_numeric() or series.dtype == nw.Boolean
    # Text is not converted at once: as Python objects it would take many times the memory.
    return np.asarray(series.to_numpy()) if plain else series


def encode_integers(values: Indices, direct: int = 256, first: int = 1024) -> tuple[Array, Indices]:
    """Sorted candidates, and the position of each integer among them.

    direct : integers spread over fewer values are coded by subtraction, so that some candidates
        may not occur; 0 for those that occur
    first : values looked at for a zero, which integers that start from zero most likely have there
    """
    if not len(values):
        return values, values
    # One pass instead of two: as unsigned, a negative number is a large one.
    high = int(values.view(np.uint64).max())
    if high < direct and not values[:first].all():
        return np.arange(high + 1), np.ascontiguousarray(values)
    low, high = int(values.min()), int(values.max())
    if high - low >= max(TABLE_RANGE, len(values)):
        classes, codes = np.unique(values, return_inverse=True)
        return classes, codes.astype(np.int64, copy=False)
    codes = np.ascontiguousarray(values if low == 0 else values - low)
    if high - low < direct:
        return np.arange(low, high + 1), codes
    present = np.zeros(high - low + 1, bool)
    present[codes] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[codes]


def _encode_objects(values: Array | nw.Series[Any], start: int, stop: int) -> tuple[Array, Indices]:
    # A dictionary looks each label up once; np.unique would sort all of them.
    table: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.empty(stop - start, np.int64)
    types: set[type] = set()
    for low, labels in _slices(values, start, stop):
        types.update(map(type, labels))
        try:
            own_codes = np.fromiter(map(table.__getitem__, labels), np.int64, len(labels))
        except TypeError:
            bad = next(i for i, label in enumerate(labels) if label.__hash__ is None)
            raise InvalidLabels(f"y[{low + bad}] is {shown(labels[bad])}, not a label.") from None
        codes[low - start : low - start + len(labels)] = own_codes
    if any(is_missing(label) for label in table):
        raise _first_missing(values, start, stop)
    classes = _as_classes(list(table), types)
    order = np.argsort(classes)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return classes[order], rank[codes]


def _slices(
    values: Array | nw.Series[Any], start: int, stop: int
) -> Iterator[tuple[int, list[Any]]]:
    # Labels converted to Python objects at a time.
    slice_rows = 1 << 15
    for low in range(start, stop, slice_rows):
        part = values[low : min(stop, low + slice_rows)]
        yield low, part.tolist() if isinstance(part, np.ndarray) else part.to_list()


def _as_classes(labels: list[Any], types: set[type]) -> Array:
    families = {_family(kind) for kind in types}
    if families == {"str"}:
        return string_array(labels, "y", InvalidLabels)
    if families == {"bytes"}:
        try:
            return string_array([label.decode() for label in labels], "y", InvalidLabels)
        except UnicodeDecodeError:
            raise InvalidLabels("y holds bytes that are not UTF-8 text; pass strings.") from None
    if families == {"bool"}:
        return np.array(labels, bool)
    if families == {"int"}:
        if max(map(abs, labels)) >= 2**63:
            raise InvalidLabels("y holds integers beyond 64 bits; pass them as strings.")
        return np.array(labels, np.int64)
    if families <= {"int", "float"}:
        values = np.array(labels, np.float64)
        _check_whole(values, 0)
        return values
    if len(families) == 1:
        raise _not_labels(f"{min(families)} values")
    raise InvalidLabels(
        f"y mixes labels of different types ({', '.join(sorted(families))}); "
        "make them all strings, y = [str(label) for label in y], or all integers."
    )


def _not_labels(what: str) -> InvalidLabels:
    return InvalidLabels(
        f"y holds {what}; labels may be strings, integers, booleans or categories. "
        "Make them strings: y = [str(label) for label in y]."
    )


def _family(kind: type) -> str:
    families: tuple[tuple[str, tuple[type, ...]], ...] = (
        ("bool", (bool, np.bool_)),
        ("int", (int, np.integer)),
        ("float", (float, np.floating)),
        ("str", (str,)),
        ("bytes", (bytes,)),
    )
    return next((name for name, types in families if issubclass(kind, types)), kind.__name__)


def _first_missing(values: Array | nw.Series[Any], start: int, stop: int) -> InvalidLabels:
    rows = [
        low + i
        for low, labels in _slices(values, start, stop)
        for i, label in enumerate(labels)
        if is_missing(label)
    ]
    return _missing(rows[0], len(rows))


def _check_whole(values: Array, first: int) -> None:
    missing = np.isnan(values)
    if missing.any():
        raise _missing(first + int(missing.argmax()), int(missing.sum()))
    uneven = (np.abs(values) > np.float64(2**53)) | (values != np.floor(values))
    if uneven.any():
        row = int(uneven.argmax())
        raise InvalidLabels(
            f"Unknown label type: continuous. y[{first + row}] is {shown(values[row])}; labels "
            "must be classes (strings, integers, booleans). For a numeric target, bin it first."
        )


def _missing(row: int, how_many: int, call: str = "") -> InvalidLabels:
    call = call or "keep = pandas.notna(y); X, y = X[keep], y[keep]"
    return InvalidLabels(
        f"y has {how_many} missing label{'s' * (how_many > 1)}, the first in row {row}. "
        f"Give them one, or drop those rows: {call}."
    )


def _drop_call(labels: nw.Series[Any]) -> str:
    """The call that drops the rows of a table without a label; "" for a column without a name."""
    name = labels.name
    if not isinstance(name, str) or not name:
        return ""
    if labels.implementation.is_polars():
        return f"table = table.drop_nulls({name!r})"
    if labels.implementation.is_pyarrow():
        return f"table = table.filter(table[{name!r}].is_valid())"
    return f"table = table.dropna(subset=[{name!r}])"


def check_lengths(rows: int, labels: int) -> None:
    """Raise unless there is one label per row."""
    if rows != labels:
        raise InvalidInput(
            f"X has {rows} rows but y has {labels} labels: inconsistent numbers of samples."
        )


def name_of(y: Any) -> str | None:
    """The name of a column of labels, if it has one."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None
