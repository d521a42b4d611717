"""Frame output: rows as a data frame of the kind that the user works with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.column_types import ColumnType
from suffice.data.features import as_frame


def frame_kind(X: Any) -> str | None:
    """The library of a data frame ("pandas", "polars", "pyarrow"); None for other tables."""
    frame = as_frame(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return str(frame.implementation.value)


@dataclass(frozen=True, slots=True)
class FrameForm:
    """The library of data frames, and the types of columns that are not plain floats.

    types : by the name of the column, see `ColumnType`
    """

    library: str
    types: dict[str, str]

    @classmethod
    def of(cls, X: Any) -> FrameForm | None:
        """The form of a data frame; None for other tables."""
        frame = as_frame(X)
        library = None if frame is None else frame_kind(X)
        if library is None or frame is None:
            return None
        kinds = ((one.name, ColumnType.of(one)) for one in frame.iter_columns())
        # Plain floats need no type; pandas has others of 64 bits, which hold NA.
        return cls(
            library,
            {
                name: own.text
                for name, own in kinds
                if own.kind != nw.Float64 or (library == "pandas" and own.text != "float64")
            },
        )

    def only(self, columns: Collection[str]) -> FrameForm:
        """The form of some of the columns."""
        types = {name: own for name, own in self.types.items() if name in columns}
        return FrameForm(self.library, types)

    def validated(self) -> Self:
        """This form, if it is known; a ValueError otherwise."""
        if self.library not in ("pandas", "polars", "pyarrow"):
            raise ValueError("frame is not a known kind of data frame")
        return self

    def frame(self, columns: Mapping[str, Array]) -> Any:
        """A new data frame of these columns, of the types that they had where they can be."""
        made = nw.from_native(new_frame(columns, self.library), eager_only=True)
        typed = []
        for name, values in columns.items():
            kind = ColumnType.parse(self.types[name], self.library) if name in self.types else None
            own = None if kind is None else kind.series(values)
            if own is not None:
                typed.append(nw.from_native(own, series_only=True).alias(name))
        return (made.with_columns(*typed) if typed else made).to_native()


def new_frame(columns: Mapping[str, Array], kind: str) -> Any:
    """A data frame of these columns."""
    backend: Any = kind
    listed = {name: _listed(values) for name, values in columns.items()}
    if kind != "pandas":
        # Only pandas writes a missing number as NaN.
        for name, values in columns.items():
            if values.dtype.kind == "f" and np.isnan(values).any():
                listed[name] = [None if value != value else value for value in values.tolist()]
    return nw.from_dict(listed, backend=backend).to_native()


def text_columns(X: Any) -> set[str]:
    """The columns of a data frame that hold text."""
    frame = as_frame(X)
    assert frame is not None
    own = (series for series in frame.iter_columns() if series.dtype in (nw.String, nw.Object))
    return {one.name for one in own if not (ColumnType.of(one).objects or _is_untyped(one))}


def _is_untyped(series: Any) -> bool:
    """Whether a column has no value, nor a type that says what its values would be."""
    untyped = str(ColumnType.of(series).native).lower() in ("object", "null")
    return untyped and bool(series.is_null().all())


def fill_table(X: Any, rows: Array) -> Any:
    """Rows without gaps as the table they come from: a data frame if that is one."""
    if frame_kind(X) is None:
        return rows
    frame = as_frame(X)
    assert frame is not None
    pairs = by_name(rows, frame.columns).items()
    return with_gaps_filled(X, {name: (own, _gaps(frame[name])) for name, own in pairs})


def with_gaps_filled(X: Any, columns: Mapping[str, tuple[Array, Array]]) -> Any:
    """The same data frame with values in place of missing ones; its types stay, where they can.

    columns : by name, the value of each row and whether the row misses it
    """
    frame = as_frame(X)
    assert frame is not None
    new = [_fill(frame[name], *both) for name, both in columns.items() if both[1].any()]
    return frame.with_columns(*new).to_native() if new else frame.to_native()


def _fill(series: Any, values: Array, missing: Array) -> Any:
    at, kind = np.flatnonzero(missing), ColumnType.of(series)
    if _is_untyped(series):
        return nw.new_series(series.name, _listed(values), backend=series.implementation)
    new = kind.series(values[at])
    if new is None:
        series = series.cast(nw.Float64) if values.dtype.kind == "f" else series
        return series.scatter(at.tolist(), _listed(values[at]))
    cells = nw.from_native(new, series_only=True)
    if series.implementation.is_polars():
        return series.scatter(at.tolist(), cells)
    if not series.implementation.is_pyarrow():
        return series.scatter(at.tolist(), cells.to_list())
    # Arrow has several types of text and of codes, which do not mix.
    filled = np.empty(len(series), object)
    filled[:] = series.to_list()
    filled[at] = cells.to_list()
    return nw.from_native(kind.of_cells(filled.tolist()), series_only=True).alias(series.name)


def _gaps(series: Any) -> Array:
    gaps = np.asarray(series.is_null().to_numpy(), bool)
    if series.dtype.is_float():
        gaps = gaps | np.asarray(series.is_nan().fill_null(True).to_numpy(), bool)
    return gaps


def _listed(values: Array) -> Any:
    return values if values.dtype.kind in "fiu" else values.tolist()


def by_name(rows: Array, names: Any) -> dict[str, Array]:
    """The columns of an array by name, each of its own type."""
    objects = rows.dtype.kind == "O"
    columns = (np.array(own.tolist()) if objects else own for own in rows.T)
    return dict(zip(map(str, names), columns, strict=True))


def label_frame(values: Array, labels: Array, like: Any, kind: str | None) -> Any:
    """Values (n, k) as a data frame with one column per label.

    like : the rows that the values belong to; pandas takes over their index
    kind : the library; None for that of `like`, and an array where that is not a data frame
    """
    frame = as_frame(like)
    if kind is None:
        if frame is None:
            return values
        kind = str(frame.implementation.value)
    if kind not in ("pandas", "polars", "pyarrow"):
        return values
    table = new_frame(by_name(values, labels.tolist()), kind)
    if kind == "pandas":
        table.columns = labels.tolist()
        if frame is not None and frame.implementation.is_pandas():
            table.index = like.index
    return table
