"""Table output: named columns -> CSV, TSV, Parquet, Arrow, JSON or JSON lines."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from suffice.data.packages import require_polars
from suffice.data.tables.prepared_table import PreparedColumn, PreparedNumbers
from suffice.data.tables.table import Table
from suffice.data.tables.table_layout import TableLayout
from suffice.errors import InvalidFeatures, InvalidParameter, NotFinite

ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl", ".ndjson")


def check_ending(path: str) -> str:
    """The ending of a file to be written; an error lists the possible ones."""
    ending = Path(path.lower().removesuffix(".gz")).suffix
    if ending not in ENDINGS or (path.lower().endswith(".gz") and ending not in (".csv", ".tsv")):
        raise InvalidParameter(
            f"{path}: the ending says which kind of file to write; it must be one of "
            f"{', '.join(ENDINGS)}, or .csv.gz."
        )
    return ending


def frame_of(columns: Mapping[str, Any]) -> Any:
    """A polars frame of columns, NaN as missing.

    >>> frame_of({"a": [1.0, float("nan")]}).rows()
    [(1.0,), (None,)]
    """
    pl = require_polars()
    series_list = []
    for name, values in columns.items():
        # Objects may be levels or numbers; of a list, polars infers which.
        is_objects = getattr(getattr(values, "dtype", None), "kind", "") == "O"
        series = pl.Series(name, values.tolist() if is_objects else values, strict=False)
        series_list.append(series.fill_nan(None) if series.dtype.is_float() else series)
    return pl.DataFrame(series_list)


def frame_of_features(features: Iterable[PreparedColumn]) -> Any:
    """A polars frame of features: numbers as floats, levels as text, integers or booleans."""
    pl = require_polars()
    columns = []
    for feature in features:
        if isinstance(feature, PreparedNumbers):
            columns.append(pl.Series(feature.name, feature.values).fill_nan(None))
            continue
        column = feature.column
        series = pl.Series(feature.name, column.values)
        if column.missing is not None:
            series = series.set(pl.Series(column.missing), None)
        if column.declared is not None and column.declared.dtype.kind == "U":
            series = series.cast(pl.Enum(column.declared.tolist()))
        columns.append(series)
    return pl.DataFrame(columns)


def table_features(table: Table, layout: TableLayout) -> Any:
    """The features of a table that was read from a file; an error names the file."""
    try:
        features = layout.read(table.frame)
    except InvalidFeatures as error:
        raise type(error)(f"{table.source}: {error}") from None
    for one in features:
        if isinstance(one, PreparedNumbers) and (infinite := np.isinf(one.values)).any():
            raise NotFinite(
                f"{table.source}: column {one.name!r} holds infinity, first in row "
                f"{int(infinite.argmax())}. Leave such rows out, or empty the cells."
            )
    return frame_of_features(features)


def table_bytes(columns: Mapping[str, Any], ending: str, *, safe: bool = True) -> bytes:
    """The bytes of a file of that ending.

    safe : in CSV and TSV, text that a spreadsheet would run as a formula gets an apostrophe

    >>> table_bytes({"a": ["=1+1", "-", "b"], "n": [-1, 2, 3]}, ".csv").decode().split()
    ['a,n', "'=1+1,-1", "'-,2", 'b,3']
    """
    frame = frame_of(columns)
    if ending in (".csv", ".tsv"):
        frame = _disarm_frame(frame) if safe else frame
        text: str = frame.write_csv(separator="\t" if ending == ".tsv" else ",")
        return text.encode()
    if ending in (".json", ".jsonl", ".ndjson"):
        rows = [json.dumps(_finite(row), default=str) for row in frame.iter_rows(named=True)]
        lines = "\n".join(rows) if ending != ".json" else "[" + ",\n ".join(rows) + "]"
        return (lines + "\n").encode()
    out = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(out)
    else:
        frame.write_ipc(out)
    return out.getvalue()


def disarm(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> disarm("@SUM(A1)"), disarm("a=b")
    ("'@SUM(A1)", 'a=b')
    """
    # A spreadsheet takes text with such a start for a formula and runs it.
    formula_starts = ("=", "+", "-", "@", "\t", "\r")
    return f"'{text}" if text.startswith(formula_starts) else text


def _disarm_frame(frame: Any) -> Any:
    pl = require_polars()
    columns = []
    for series in frame.iter_columns():
        if series.dtype in (pl.Categorical, pl.Enum):
            series = series.cast(pl.String)
        if series.dtype == pl.String:
            bad = series.str.contains("^[=+\\-@\t\r]").fill_null(False)
            series = series.zip_with(~bad, "'" + series) if bad.any() else series
        columns.append(series.alias(disarm(series.name)))
    return pl.DataFrame(columns)


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """A row with null for infinity and NaN, which JSON cannot hold."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }
