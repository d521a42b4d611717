"""Frame output: rows as a data frame of the kind that the user works with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    if values.dtype.kind == "f" and series.dtype != nw.Float32:
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
    return values if values.dtype.kind in "fi" else values.tolist()


def by_name(rows: Array, names: Any) -> dict[str, Array]:
    """The columns of an array by name, each of its own type."""
    objects = rows.dtype.kind == "O"
    columns = (np.array(own.tolist()) if objects else own for own in rows.T)
    return dict(zip(map(str, names), columns, strict=True))
