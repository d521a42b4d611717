"""Column types: those of a library of data frames, as text, and columns made of them."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array

_OBJECTS: dict[str, type] = {
    "date": dt.date,
    "time": dt.time,
    "decimal": Decimal,
    "duration": dt.timedelta,
}


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column in its library, and what narwhals calls it.

    >>> import polars as pl
    >>> sizes = pl.Series(["S"], dtype=pl.Enum(["S", "M"]))
    >>> kind = ColumnType.of(nw.from_native(sizes, series_only=True))
    >>> kind.text
    'Enum["S", "M"]'
    >>> ColumnType.parse(kind.text, "polars") == kind
    True
    """

    library: str
    native: Any
    kind: Any  # a type of narwhals
    objects: str = ""  # what the objects of a column of pandas are

    @classmethod
    def of(cls, series: Any) -> ColumnType:
        """The type of a narwhals series."""
        library = str(series.implementation.value)
        native = series.to_native()
        own = native.type if library == "pyarrow" else native.dtype
        objects = _held(native) if library == "pandas" and str(own) == "object" else ""
        return cls(library, own, series.dtype, objects)

    @classmethod
    def parse(cls, text: str, library: str) -> ColumnType | None:
        """The type that a text names; None where this version of the library has no such type."""
        objects = text.removeprefix("object:") if text.startswith("object:") else ""
        try:
            native = _PARSERS[library]("object" if objects else text)
            series = nw.from_native(_native_series([], native, library), series_only=True)
        except (ImportError, KeyError, TypeError, ValueError, AttributeError, NotImplementedError):
            return None
        return cls(library, native, series.dtype, objects if objects in _OBJECTS else "")

    @property
    def text(self) -> str:
        """The type as files hold it."""
        if self.objects:
            return f"object:{self.objects}"
        if self.library == "polars":
            return _polars_text(self.kind)
        if type(self.native).__name__ == "ArrowDtype":
            return f"arrow:{self.native.pyarrow_dtype}"
        return _category_text(self.native) if str(self.native) == "category" else str(self.native)

    def series(self, values: Array) -> Any:
        """A native column of this type; None where the values cannot be of the type."""
        cells = _cells(self, values)
        return None if cells is None else self.of_cells(cells)

    def of_cells(self, cells: Any) -> Any:
        """A native column of values that the library takes for the type."""
        return _native_series(cells, self.native, self.library)


def _held(native: Any) -> str:
    """The name of what the objects of a column are, if it is one of those that types are for."""
    first = next((value for value in native if value is not None and value == value), None)
    names = [name for name, kind in _OBJECTS.items() if isinstance(first, kind)]
    return names[0] if names and not isinstance(first, dt.datetime) else ""


def _native_series(cells: Any, native: Any, library: str) -> Any:
    package: Any = nw.Implementation.from_string(library).to_native_namespace()
    if library == "pyarrow":
        return package.chunked_array([package.array(cells, type=native)])
    return package.Series(cells, dtype=native)


def _cells(kind: ColumnType, values: Array) -> Any:
    """The values as the library takes them for the type; None where they are of another kind."""
    own = kind.kind
    if values.dtype.kind == "M":
        return _times(kind, values)
    if values.dtype.kind in "OUb" or str(kind.native) == "category":
        return _levels(kind, values)
    if own.is_decimal() or kind.objects == "decimal":
        return _decimals(values, own)
    if own == nw.Duration or kind.objects == "duration":
        return _durations(values)
    if own.is_float():
        return _with_nulls(values, kind)
    if own.is_integer() or own == nw.Boolean:
        return _whole(values, kind)
    return None


def _levels(kind: ColumnType, values: Array) -> Any:
    own = kind.kind
    known = [value for value in values.tolist() if value is not None]
    if str(kind.native) == "category":
        fit = kind.native.categories is None or set(known) <= set(kind.native.categories)
        return values.tolist() if fit else None
    if isinstance(own, nw.Enum) and not set(known) <= set(own.categories):
        return None
    texts = isinstance(own, nw.String | nw.Categorical | nw.Enum)
    if texts and all(isinstance(value, str) for value in known):
        return values.tolist()
    if own == nw.Boolean and (len(known) == len(values) or _takes_gaps(kind)):
        return values.tolist()
    return None


def _whole(values: Array, kind: ColumnType) -> Any:
    """Numbers rounded to the integers of a type, or to true and false."""
    gaps = np.isnan(values)
    if gaps.any() and not _takes_gaps(kind):
        return None
    numbers = np.where(gaps, 0, values)
    if kind.kind == nw.Boolean:
        whole = numbers > 0.5
    else:
        dtype = np.dtype(type(kind.kind).__name__.lower())
        ends = np.iinfo(dtype)
        low, high = float(ends.min), float(ends.max)
        if dtype.itemsize == 8:
            # The largest 64-bit integers are not floats: the next one above would overflow.
            low, high = np.nextafter(low, 0), np.nextafter(high, 0)
        whole = np.clip(np.rint(numbers), low, high).astype(dtype)
    return _blanked(whole, gaps) if gaps.any() else whole


def _with_nulls(values: Array, kind: ColumnType) -> Any:
    gaps = np.isnan(values)
    # Only pandas writes a missing number as NaN.
    if gaps.any() and _takes_gaps(kind):
        return _blanked(values, gaps)
    return values


def _takes_gaps(kind: ColumnType) -> bool:
    return not isinstance(kind.native, np.dtype)


def _blanked(values: Array, gaps: Array) -> list[Any]:
    return [None if gap else v for v, gap in zip(values.tolist(), gaps.tolist(), strict=True)]


def _decimals(values: Array, own: Any) -> list[Any]:
    """Numbers rounded to the digits of a type, the largest ones where they exceed it."""
    precision, scale = getattr(own, "precision", 38), getattr(own, "scale", 9)
    top = Decimal(10**precision - 1).scaleb(-scale)
    numbers = [None if v != v else Decimal(f"{v:.{scale}f}") for v in values.tolist()]
    return [None if one is None else max(-top, min(top, one)) for one in numbers]


def _durations(seconds: Array) -> list[Any]:
    known = np.where(np.isnan(seconds), 0, seconds)
    # The range of nanoseconds in 64 bits.
    whole = np.rint(np.clip(known, -9.2e9, 9.2e9) * 1e6).astype("timedelta64[us]")
    return _blanked(whole, np.isnan(seconds))


def _times(kind: ColumnType, values: Array) -> list[Any] | None:
    """Times, in UTC where the type has a time zone."""
    own = kind.kind
    if own == nw.Datetime and own.time_unit == "ns":
        ends = np.array(["1677-09-22", "2262-04-11"], "datetime64[us]")
        values = np.where(np.isnat(values), values, np.clip(values, *ends))
    times: list[Any] = values.tolist()
    # narwhals has no name for dates in milliseconds.
    if own == nw.Date or kind.objects == "date" or str(kind.native) == "date64[ms]":
        return [None if one is None else one.date() for one in times]
    if own == nw.Time or kind.objects == "time":
        return [None if one is None else one.time() for one in times]
    if own == nw.Datetime and own.time_zone is not None:
        return [None if one is None else one.replace(tzinfo=dt.UTC) for one in times]
    is_period = str(kind.native).startswith("period[")
    return times if own == nw.Datetime or is_period else None


def _polars_text(kind: Any) -> str:
    """The name of a type, and what it takes to make it, such as 'Datetime["ms", null]'."""
    arguments: dict[str, tuple[str, ...]] = {
        "Datetime": ("time_unit", "time_zone"),
        "Duration": ("time_unit",),
        "Decimal": ("precision", "scale"),
    }
    name = type(kind).__name__
    values = [getattr(kind, one) for one in arguments.get(name, ())]
    values = list(kind.categories) if isinstance(kind, nw.Enum) else values
    return f"{name}{json.dumps(values, ensure_ascii=False)}" if values else name


def _category_text(native: Any) -> str:
    """The categories of a type of pandas, if they are texts or numbers."""
    values = native.categories.tolist()
    if not all(isinstance(value, str | int | float) for value in values):
        return "category"
    return json.dumps([bool(native.ordered), *values], ensure_ascii=False)


def _polars_type(text: str) -> Any:
    import polars as pl

    name, bracket, rest = text.partition("[")
    values = json.loads(bracket + rest) if bracket else []
    if not re.fullmatch(r"U?Int\d+|Float\d+|[A-Z][a-z]+", name):
        raise ValueError(text)
    kind: Any = getattr(pl, name)
    is_type = isinstance(kind, type) and issubclass(kind, pl.DataType)
    if not is_type:
        raise ValueError(text)
    return (kind(values) if name == "Enum" else kind(*values)) if values else kind()


def _pandas_type(text: str) -> Any:
    import pandas as pd

    if text.startswith("["):
        ordered, *categories = json.loads(text)
        return pd.CategoricalDtype(categories, bool(ordered))
    if text.startswith("arrow:"):
        # pandas itself cannot parse its names of types with a time zone or with digits.
        return pd.ArrowDtype(_arrow_type(text.removeprefix("arrow:")))
    return pd.api.types.pandas_dtype(text)


def _arrow_type(text: str) -> Any:
    import pyarrow as pa

    zoned = re.fullmatch(r"timestamp\[(\w+), tz=([^\]]+)\]", text)
    decimal = re.fullmatch(r"(decimal\d+)\((\d+), (-?\d+)\)", text)
    coded = re.fullmatch(r"dictionary<values=(.+), indices=(\w+), ordered=([01])>", text)
    if zoned:
        return pa.timestamp(*zoned.groups())
    if decimal:
        return getattr(pa, decimal[1])(int(decimal[2]), int(decimal[3]))
    if coded:
        return pa.dictionary(_arrow_type(coded[2]), _arrow_type(coded[1]), coded[3] == "1")
    return pa.type_for_alias(text)


_PARSERS: dict[str, Callable[[str], Any]] = {
    "pandas": _pandas_type,
    "polars": _polars_type,
    "pyarrow": _arrow_type,
}
