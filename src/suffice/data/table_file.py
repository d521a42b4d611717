"""Table file: CSV, TSV, Parquet, Arrow and JSON -> a table, checked on the way."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from suffice.data.packages import unreadable_by_polars
from suffice.data.paths import others_near
from suffice.data.table import Table, named, polars
from suffice.data.table_text import (
    as_utf8,
    blank_lines,
    check_quotes,
    layout,
    unpacked,
    warn_of_row_names,
)
from suffice.errors import InvalidFile, MissingFile, UnreadableFile

STDIN = "-"

# What means that a value is missing, beside nothing at all.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")

# By so many rows the types of columns are told; a column that turns out otherwise is read again.
FIRST_ROWS = 10_000

PARQUET, ARROW = b"PAR1", b"ARROW1"
JSON_LINES = (".jsonl", ".ndjson")

HOW_JSON = 'A table in JSON is a list of records such as {"a": 1, "b": 2}, or one record a line.'

# No line of column names starts so.
RECORD, RECORDS = re.compile(rb"\s*\{\s*\""), re.compile(rb"\s*\[\s*\{")


def read_table(
    path: str | PathLike[str],
    *,
    text: Sequence[str] = (),
    missing: Sequence[str] = (),
    encoding: str | None = None,
) -> Table:
    """The table in a file, or on standard input for "-".

    A first column without a name holds the names of the rows; it is left out, with a warning.

    text : columns to read as text, whatever they look like; those that are not there are ignored
    missing : further texts that mean that a value is missing
    encoding : of CSV; None for UTF-8

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = file.write_text("size, colour\\n1.5, red\\nNA, blue\\n")
    >>> read_table(file).frame.rows()
    [(1.5, 'red'), (None, 'blue')]
    """
    data, source = _bytes(path)
    ending = ending_of(path)
    if data.startswith(PARQUET):
        table = _with_missing(_read("read_parquet", data, source), text, missing)
    elif data.startswith(ARROW) or ending in (".arrow", ".feather", ".ipc"):
        table = _with_missing(_read("read_ipc", data, source), text, missing)
    elif ending == ".parquet":
        raise InvalidFile(f"{source} is not a Parquet file, or it was cut short.")
    elif b'"suffice":"' in data[:1024]:
        raise InvalidFile(
            f"{source} holds a model or statistics, not a table; `suffice info {source}` shows it."
        )
    elif ending in (*JSON_LINES, ".json") or _starts(RECORD, data) or _starts(RECORDS, data):
        table = _with_missing(_read_json(data, source), text, missing)
    else:
        table = _read_text(data, source, ending, text, (*MISSING, *missing), encoding)
    if not len(table):
        raise InvalidFile(f"{source} has column names but no rows.")
    return table


def _bytes(path: str | PathLike[str]) -> tuple[bytes, str]:
    if str(path) == STDIN:
        return _checked(sys.stdin.buffer.read(), "standard input"), "standard input"
    source = Path(path)
    if source.is_dir():
        raise UnreadableFile(f"{source} is a folder; name a file in it.")
    if not source.exists():
        raise MissingFile(f"there is no file {source}. {others_near(source)}")
    try:
        return _checked(source.read_bytes(), str(source)), str(source)
    except OSError as error:
        raise UnreadableFile(f"{source} cannot be read: {error.strerror}.") from None


def _checked(data: bytes, source: str) -> bytes:
    if not data.strip():
        raise InvalidFile(f"{source} is empty; a line of column names and rows are needed.")
    return data


def ending_of(path: str | PathLike[str]) -> str:
    """The ending of a file's name, without that of its packing.

    >>> ending_of("rows.CSV.gz")
    '.csv'
    """
    name = str(path).lower()
    for packing in (".gz", ".zst"):
        name = name.removesuffix(packing)
    return Path(name).suffix


def _read(reader: str, data: bytes, source: str, **options: Any) -> Table:
    pl = polars()
    try:
        frame = getattr(pl, reader)(data, **options)
    except unreadable_by_polars() as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise InvalidFile(f"{source} is damaged or not what its name says: {why}.") from None
    twice = [name for name, count in Counter(frame.columns).items() if count > 1]
    if twice:
        raise InvalidFile(f"{source} has more than one column named {named(twice)}.")
    return Table(frame, source)


def _starts(pattern: re.Pattern[bytes], data: bytes) -> bool:
    start = data.removeprefix(codecs.BOM_UTF8)[:1024]
    return pattern.match(start) is not None


def _read_json(data: bytes, source: str) -> Table:
    """Records in a list, or one a line."""
    content = unpacked(data, source).removeprefix(codecs.BOM_UTF8)
    listed = _starts(RECORDS, content)
    reader = "read_json" if listed else "read_ndjson"
    try:
        table = _read(reader, content, source, infer_schema_length=None)
    except InvalidFile:
        bad = None if listed else _bad_line(content)
        if bad is None:
            raise
        raise InvalidFile(f"{source}, line {bad} is no record. {HOW_JSON}") from None
    if len(table) == 1 and any(dtype.is_nested() for dtype in table.frame.dtypes):
        raise InvalidFile(f"{source} holds columns, not rows. {HOW_JSON}")
    return table


def _bad_line(content: bytes) -> int | None:
    """The first line, from 1 on, that is no record."""
    for number, line in enumerate(content.splitlines(), 1):
        try:
            if line.strip() and not isinstance(json.loads(line), dict):
                return number
        except ValueError:
            return number
    return None


def _read_text(
    data: bytes,
    source: str,
    ending: str,
    text: Sequence[str],
    missing: Sequence[str],
    encoding: str | None,
) -> Table:
    pl = polars()
    content = as_utf8(unpacked(data, source), source, encoding)
    how = layout(content, source, "\t" if ending == ".tsv" else None)
    check_quotes(content, how, lambda line: f"{source}, line {line}")
    kept = {j for j, name in enumerate(how.names) if name in text}
    names = [f"column_{j}" for j in range(len(how.names))]
    options = {
        "separator": how.separator,
        "null_values": list(missing),
        "new_columns": names,
        "schema_overrides": {names[j]: pl.String for j in kept},
    }
    try:
        frame = _parsed(content, options)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        blank_lines(content, source, how)
        why = str(error).splitlines()[0].rstrip(".")
        raise InvalidFile(f"{source} cannot be read as CSV: {why}.") from None
    if frame[:, -1].null_count():
        # A line with too few fields is read as if the last were missing.
        blank = blank_lines(content, source, how)
        if len(how.names) > 1 and blank:
            frame = frame.with_row_index("row").filter(~pl.col("row").is_in(blank)).drop("row")
    comma = how.separator != ","
    typed = [
        _typed(frame[:, j], j in kept, missing, comma).alias(name)
        for j, name in enumerate(how.names)
        if name
    ]
    warn_of_row_names(how.names, source)
    return Table(pl.DataFrame(typed), source)


def _parsed(content: bytes, options: dict[str, Any]) -> Any:
    """The columns of a text, their types by the first rows or, where these mislead, by all."""
    pl = polars()
    try:
        return pl.read_csv(content, infer_schema_length=FIRST_ROWS, **options)
    except pl.exceptions.PolarsError:
        return pl.read_csv(content, infer_schema_length=None, **options)


def _typed(series: Any, is_text: bool, missing: Sequence[str], comma: bool) -> Any:
    """Text without spaces around it, as numbers if it holds nothing else.

    comma : whether numbers may have a decimal comma
    """
    pl = polars()
    if series.dtype != pl.String:
        return series
    series = series.str.strip_chars()
    series = series.set(series.is_in(list(missing)), None)
    if is_text or series.null_count() == len(series):
        return series
    tries = [(series, pl.Int64), (series, pl.Float64)]
    if comma:
        tries.append((series.str.replace(",", ".", literal=True), pl.Float64))
    for values, kind in tries:
        try:
            return values.cast(kind)
        except pl.exceptions.PolarsError:
            continue
    return series


def _with_missing(table: Table, text: Sequence[str], missing: Sequence[str]) -> Table:
    pl = polars()
    columns = []
    for series in table.frame.iter_columns():
        if series.name in text and not series.dtype.is_nested():
            series = series.cast(pl.String)
        if series.dtype == pl.String and missing:
            series = series.set(series.is_in(list(missing)), None)
        columns.append(series)
    return Table(pl.DataFrame(columns), table.source)
