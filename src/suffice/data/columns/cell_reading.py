"""Cell reading: tables of any kind -> the cells of their columns."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data import packages
from suffice.data.arrays import Array, Indices
from suffice.data.columns.cells import (
    BooleanCells,
    Cells,
    NumberCells,
    OtherCells,
    TextCells,
    TimeCells,
    clean_text,
)
from suffice.data.features import NUMBER_TYPES
from suffice.data.gaps import is_missing
from suffice.data.tables.levels import MISSING, declared_levels, level_values
from suffice.errors import InvalidFeatures


def cells_of(column: Any, first_row: int = 0) -> Cells:
    """The cells of a narwhals series or of a one-dimensional array.

    first_row : number of the first cell, for messages
    """
    cells = _of_array(column) if isinstance(column, np.ndarray) else _of_series(column)
    return replace(cells, row=first_row) if isinstance(cells, TextCells) and first_row else cells


def _of_series(series: Any) -> Cells:
    kind = series.dtype
    if isinstance(kind, nw.Categorical | nw.Enum):
        return _of_categories(series)
    if kind.is_decimal():
        # pyarrow rounds decimals that it converts to floats to a neighbour of the nearest one.
        return _of_objects(series.to_list())
    if kind.is_numeric():
        if series.null_count():
            series = series.cast(nw.Float64).fill_null(np.nan)
        return _of_array(series.to_numpy())
    if kind == nw.Boolean:
        missing = series.is_null().to_numpy()
        return BooleanCells(series.fill_null(False).to_numpy().astype(bool), missing)
    if kind == nw.Date:
        return _of_array(series.cast(nw.Datetime("us")).to_numpy())
    if kind == nw.Datetime:
        return _of_datetimes(series)
    if kind == nw.Duration:
        return _of_array(series.to_numpy())
    if kind.is_nested() or kind == nw.Binary:
        what = "binary values" if kind == nw.Binary else "lists or records"
        return OtherCells(what, np.asarray(series.is_null().to_numpy(), bool))
    if kind == nw.String:
        return TextCells.of_codes(*text_codes(series))
    values = series.to_numpy() if kind == nw.Unknown else None
    # narwhals does not know all time zones, and NumPy none.
    if values is None or values.dtype.kind == "M":
        return _of_objects(series.to_list())
    return _of_array(values)


def text_codes(series: Any) -> tuple[Indices, list[str]]:
    """The code of each text, MISSING where there is none, and the distinct texts.

    With pyarrow, each distinct text becomes a Python object only once.
    """
    arrow = packages.pyarrow()
    if arrow is not None:
        try:
            native = arrow.chunked_array(series.to_arrow())
            if not arrow.types.is_dictionary(native.type):
                native = native.cast("large_string").dictionary_encode()
            coded = native.combine_chunks()
            codes = coded.indices.cast("int64").fill_null(MISSING).to_numpy()
            return codes, coded.dictionary.to_pylist()
        except (arrow.ArrowException, UnicodeError):
            pass  # such as texts that are not UTF-8
    index: dict[str, int] = {}
    values = series.to_list()
    known = (MISSING if is_missing(v) else index.setdefault(v, len(index)) for v in values)
    return np.fromiter(known, np.int64, len(values)), list(index)


def _of_datetimes(series: Any) -> TimeCells:
    zone = series.dtype.time_zone
    if zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return TimeCells(series.to_numpy().astype("datetime64[us]"), zone)


def _of_categories(series: Any) -> Cells:
    cells = _of_objects(level_values(series))
    try:
        declared = declared_levels(series, "column")
    except InvalidFeatures:
        declared = None
    if isinstance(cells, TimeCells | OtherCells):
        cells = TextCells.of([None if is_missing(v) else str(v) for v in level_values(series)])
        declared = None
    if isinstance(cells, TextCells) and declared is not None:
        declared = np.unique([clean_text(one) for one in declared.tolist()])
    if isinstance(cells, NumberCells) and declared is not None and declared.dtype.kind not in "if":
        declared = None
    assert isinstance(cells, TextCells | NumberCells | BooleanCells)
    return replace(cells, is_category=True, declared=declared)


def _of_array(values: Array) -> Cells:
    kind = values.dtype.kind
    if kind in "fiu":
        return NumberCells(values)
    if kind == "b":
        return BooleanCells(values, np.zeros(len(values), bool))
    if kind == "M":
        return TimeCells(values.astype("datetime64[us]"))
    if kind == "m":
        return NumberCells(values / np.timedelta64(1, "s"), unit="seconds")
    if kind in "UT":
        return TextCells.of(values.tolist())
    if kind == "O":
        return _of_objects(values.tolist())
    what = {"c": "complex numbers", "S": "binary values"}.get(kind, f"{values.dtype} values")
    return OtherCells(what, np.zeros(len(values), bool))


def _of_objects(values: Sequence[Any]) -> Cells:
    """Python objects: of one kind, or as text if numbers, texts and the like are mixed."""
    missing = np.fromiter((_is_missing(value) for value in values), bool, len(values))
    kinds = {type(v) for v, gap in zip(values, missing.tolist(), strict=True) if not gap}
    if not kinds:
        return NumberCells(np.full(len(values), np.nan))
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        known = [False if gap else bool(v) for v, gap in zip(values, missing, strict=True)]
        return BooleanCells(np.array(known, bool), missing)
    if all(issubclass(kind, NUMBER_TYPES) for kind in kinds):
        return _of_number_objects(values, missing)
    if all(issubclass(kind, str) for kind in kinds):
        return TextCells.of(values)
    if all(issubclass(kind, dt.date | dt.time | np.datetime64) for kind in kinds):
        return _of_time_objects(values)
    if all(issubclass(kind, dt.timedelta) for kind in kinds):
        return NumberCells(np.array([_seconds(v) for v in values]), unit="seconds")
    return _of_mixed(values, missing, kinds)


def _of_number_objects(values: Sequence[Any], missing: Array) -> Cells:
    known = [np.nan if gap else v for v, gap in zip(values, missing.tolist(), strict=True)]
    try:
        return NumberCells(np.array(known, np.float64))
    except OverflowError:
        return TextCells.of(values)


def _of_mixed(values: Sequence[Any], missing: Array, kinds: set[type]) -> Cells:
    texts = (str, *NUMBER_TYPES, dt.date, dt.time, dt.timedelta)
    # Types of objects that have a text of their own, by name: pandas need not be installed.
    named_by_text = ("UUID", "Period", "Interval")
    odd = [k for k in kinds if not issubclass(k, texts) and k.__name__ not in named_by_text]
    if not odd:
        # True equals 1 and Decimal("1.0") equals 1, but their texts differ.
        gaps = missing.tolist()
        texts_of = [None if gap else clean_text(v) for v, gap in zip(values, gaps, strict=True)]
        return TextCells.of(texts_of)
    nested = (list, tuple, dict, set, frozenset, np.ndarray)
    if any(issubclass(kind, bytes | bytearray | memoryview) for kind in odd):
        what = "binary values"
    elif any(issubclass(kind, nested) for kind in odd):
        what = "lists or records"
    elif any(issubclass(kind, complex) for kind in odd):
        what = "complex numbers"
    else:
        what = f"{min(kind.__name__ for kind in odd)} objects"
    return OtherCells(what, missing)


def _is_missing(value: Any) -> bool:
    # An array compares element by element, and other objects may define == in any way.
    scalar = isinstance(value, float | np.floating | np.datetime64 | np.timedelta64 | Decimal)
    named = value is None or type(value).__name__ in ("NAType", "NaTType")
    named = named or (isinstance(value, str) and not value.strip())
    return named or (scalar and bool(value != value))


def _of_time_objects(values: Sequence[Any]) -> TimeCells:
    """Dates, times of day or both: in UTC if all have the same time zone."""
    known = [value for value in values if not _is_missing(value)]
    zones = {str(getattr(value, "tzinfo", None)) for value in known}
    zone = min(zones) if len(zones) == 1 and zones != {"None"} else None
    return TimeCells(np.array([_instant(v, zone) for v in values], "datetime64[us]"), zone)


def _instant(value: Any, zone: str | None) -> Any:
    """A time as NumPy takes it; without a zone, as the clock showed it."""
    if _is_missing(value):
        return np.datetime64("NaT")
    if isinstance(value, dt.time):
        value = dt.datetime.combine(dt.date(1970, 1, 1), value)
    if isinstance(value, dt.datetime):
        value = (value if zone is None else value.astimezone(dt.UTC)).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _seconds(value: Any) -> float:
    return np.nan if _is_missing(value) else float(value.total_seconds())
