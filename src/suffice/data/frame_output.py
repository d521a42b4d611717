"""Frame output: rows as a data frame of the kind that the user works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array
from suffice.data.features import as_frame


def frame_kind(X: Any) -> str | None:
    """The library of a data frame ("pandas", "polars", "pyarrow"); None for other tables."""
    frame = None if isinstance(X, np.ndarray | list) else as_frame(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return str(frame.implementation.value)


@dataclass(frozen=True, slots=True)
class FrameForm:
    """The library of data frames, and the types of columns that models do not keep.

    types : by the name of the column, such as "Int64", "Float32", "Date" or "Categorical"
    """

    library: str
    types: dict[str, str]

    @classmethod
    def of(cls, X: Any) -> FrameForm | None:
        """The form of a data frame; None for other tables."""
        library, frame = frame_kind(X), None if isinstance(X, np.ndarray | list) else as_frame(X)
        if library is None or frame is None:
            return None
        names = {name: type(kind).__name__ for name, kind in frame.schema.items()}
        return cls(library, {name: kind for name, kind in names.items() if kind in _KEPT})

    def validated(self) -> Self:
        """This form, if it is known; a ValueError otherwise."""
        if self.library not in ("pandas", "polars", "pyarrow"):
            raise ValueError("frame is not a known kind of data frame")
        if not all(kind in _KEPT for kind in self.types.values()):
            raise ValueError("a column is of an unknown type")
        return self

    def frame(self, columns: Mapping[str, Array]) -> Any:
        """A new data frame of these columns: whole numbers are rounded, others as they are."""
        typed = {
            name: as_type(values, self.types.get(name, "")) for name, values in columns.items()
        }
        made = nw.from_native(new_frame(typed, self.library), eager_only=True)
        casts = []
        for name, kind in self.types.items():
            if name in columns and kind in _CASTS and not (kind == "Date" and self._is_pandas):
                casts.append(made[name].cast(_CASTS[kind]()))
        return (made.with_columns(*casts) if casts else made).to_native()

    @property
    def _is_pandas(self) -> bool:
        return self.library == "pandas"


_INTEGERS = tuple(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64))
_CASTS: dict[str, Any] = {"Date": nw.Date, "Categorical": nw.Categorical, "Enum": nw.Categorical}
_KEPT = (*_INTEGERS, "Float32", "Boolean", *_CASTS)


def as_type(values: Array, kind: str) -> Array:
    """Numbers as values of the type of a column, if they can be; others as they are."""
    if values.dtype.kind != "f":
        return values
    if kind == "Float32":
        return values.astype(np.float32)
    if np.isnan(values).any():
        return values
    if kind == "Boolean":
        return values > 0.5
    if kind not in _INTEGERS:
        return values
    dtype = np.dtype(kind.lower())
    ends = np.iinfo(dtype)
    whole = np.clip(np.rint(values), float(ends.min), float(ends.max))
    # The largest 64-bit integers are not floats: the next one above would overflow.
    low, high = np.nextafter(float(ends.min), 0), np.nextafter(float(ends.max), 0)
    return (whole if dtype.itemsize < 8 else np.clip(whole, low, high)).astype(dtype)


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
    return {name for name, kind in frame.schema.items() if kind in (nw.String, nw.Object)}


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
    at = np.flatnonzero(missing)
    kind = type(series.dtype).__name__
    chosen = as_type(values[at], kind)
    values = values.astype(chosen.dtype)
    values[at] = chosen
    if values.dtype.kind == "M" and kind == "Date":
        values = values.astype("datetime64[D]")
    if values.dtype.kind == "f" and kind not in ("Float32", "Float64"):
        series = series.cast(nw.Float64)
    if not series.implementation.is_pyarrow():
        return series.scatter(at.tolist(), _listed(values[at]))
    # Arrow has several types of text, which do not mix.
    cells = series.to_list()
    for i in at.tolist():
        cells[i] = values[i].item()
    return nw.new_series(series.name, cells, series.dtype, backend="pyarrow")


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
    frame = None if isinstance(like, np.ndarray | list) else as_frame(like)
    if kind is None:
        if frame is None:
            return values
        kind = str(frame.implementation.value)
    if kind not in ("pandas", "polars", "pyarrow"):
        return values
    made = new_frame(by_name(values, labels.tolist()), kind)
    if kind == "pandas":
        made.columns = labels.tolist()
        if frame is not None and frame.implementation.is_pandas():
            made.index = like.index
    return made
