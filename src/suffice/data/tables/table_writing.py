"""Table writing: features without gaps as a table of the user's kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.columns.column_kinds import ColumnKind, WrittenNumber
from suffice.data.columns.missing_kinds import WithIndicator
from suffice.data.tables.frame_output import FrameForm, frame_kind, text_columns, with_gaps_filled
from suffice.data.tables.table_rows import TableReader


def write_rows(
    reader: TableReader,
    numbers: Floats,
    levels: Sequence[Array],
    like: Any,
    frame: FrameForm | None,
) -> Any:
    """Rows without gaps as a table of the user's kind.

    numbers : the numeric features of the reader, (n, d)
    levels : its columns of levels, (n,) each
    like : a table whose known values are kept; None for new rows
    frame : the data frame to make of new rows; None for an array of objects
    """
    if like is None:
        columns = _columns(reader, numbers, levels)
        return _objects(columns) if frame is None else frame.frame(columns)
    # What is filled in is no longer missing.
    pairs = zip(levels, reader.indicators, strict=True)
    filled = [np.zeros(len(own), bool) if is_gap else own for own, is_gap in pairs]
    columns, missing = _columns(reader, numbers, filled), _missing(reader, like)
    if frame_kind(like) is not None:
        texts, kinds = text_columns(like), reader.layout.by_name
        both = {
            name: (_as_texts(kinds[name], values) if name in texts else values, missing[name])
            for name, values in columns.items()
        }
        return with_gaps_filled(like, both)
    given = np.array(like, dtype=object)
    for j, name in enumerate(reader.layout.names):
        if name in columns:
            given[missing[name], j] = columns[name][missing[name]]
    return given


def write_features(reader: TableReader, rows: Array, like: Any, frame: FrameForm | None) -> Any:
    """The same of rows with one value for each feature, in the order of the columns."""
    discrete = np.isin(reader.feature_names, reader.level_names)
    numbers = rows[:, ~discrete].astype(np.float64)
    levels = [np.array(own.tolist()) for own in rows[:, discrete].T]
    return write_rows(reader, numbers, levels, like, frame)


def _columns(reader: TableReader, numbers: Floats, levels: Sequence[Array]) -> dict[str, Array]:
    """The values of each column that can be written back from its features."""
    parts: dict[str, list[Array]] = {name: [] for name in reader.names}
    for j, own in zip(reader.numeric_owners, numbers.T, strict=True):
        parts[reader.names[j]].append(own)
    for j, own in zip(reader.level_owners, levels, strict=True):
        parts[reader.names[j]].append(own)
    kinds = reader.layout.by_name
    return {name: kinds[name].write(own) for name, own in parts.items()}


def _missing(reader: TableReader, X: Any) -> dict[str, Array]:
    """Which rows of a table miss each column."""
    rows = reader.read(X)
    out = {}
    for j, own in zip(reader.numeric_owners, rows.numbers.T, strict=True):
        out[reader.names[j]] = np.isnan(own)
    for j, column, is_gap in zip(reader.level_owners, rows.levels, reader.indicators, strict=True):
        if not is_gap:
            gaps = column.missing
            out[reader.names[j]] = np.zeros(len(rows.numbers), bool) if gaps is None else gaps
    return out


def _as_texts(kind: ColumnKind, values: Array) -> Array:
    """Values of a column of text: numbers and dates as its other cells may be written."""
    if isinstance(kind, WithIndicator):
        kind = kind.values
    if values.dtype.kind == "M":
        return np.datetime_as_string(values, "D")
    if values.dtype.kind != "f":
        return values
    texts = np.array([np.format_float_positional(value, trim="-") for value in values])
    comma = isinstance(kind, WrittenNumber) and kind.decimal == ","
    return np.char.replace(texts, ".", ",") if comma else texts


def _objects(columns: Mapping[str, Array]) -> Array:
    out = np.empty((len(next(iter(columns.values()))), len(columns)), object)
    for j, values in enumerate(columns.values()):
        out[:, j] = values.tolist()
    return out
