"""Table file: CSV, TSV, Parquet, Arrow and JSON -> a table in memory."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from suffice.data.packages import require_polars, unreadable_by_polars
from suffice.data.sources.paths import check_file, unreadable
from suffice.data.sources.roles import ReadOptions
from suffice.data.sources.sample import sample_rows
from suffice.data.sources.source import Format, format_of, open_source
from suffice.data.sources.text_blocks import TextFile
from suffice.data.sources.text_layout import decode
from suffice.data.sources.text_source import TextSource
from suffice.data.tables.table import Table
from suffice.errors import InvalidFile


def read_table(
    path: str | PathLike[str],
    *,
    text: Sequence[str] = (),
    null_markers: Sequence[str] = (),
    encoding: str | None = None,
) -> Table:
    """The table in a file, or on standard input for "-".

    A first or last column without a name is left out, with a warning: row names, or nothing.

    text : columns to read as text; those that are not there are ignored
    null_markers : texts that mean that a value is missing, beside those of `NULL_MARKERS`
    encoding : of CSV; None for UTF-8

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = file.write_text("size, colour\\n1.5, red\\nNA, blue\\n")
    >>> read_table(file).frame.rows()
    [(1.5, 'red'), (None, 'blue')]
    """
    data, name = _read_bytes(path)
    if not data.strip():
        raise InvalidFile(f"{name} is empty; a line of column names and rows are needed.")
    kind = format_of(data, name)
    if kind == "text":
        if encoding is not None:
            data = decode(TextFile(data, name).read(), name, encoding)
        source = TextSource.open(data, name, text, null_markers)
        frame = source.all()
        source.how.warn_of_unnamed(name)
    else:
        typed = _read_json(data, name) if kind == "json" else _read_typed(data, name, kind)
        frame = _with_nulls(typed, text, null_markers)
    if not frame.height:
        raise InvalidFile(f"{name} has column names but no rows.")
    return Table(frame, name)


def sample_table(
    paths: Sequence[Path], *, text: Sequence[str] = (), null_markers: Sequence[str] = ()
) -> Table:
    """The first rows of files that are read in parts, as `read_table` reads whole ones."""
    pl, name = require_polars(), str(paths[0])
    options = ReadOptions("", null_markers=tuple(null_markers))
    first = open_source(paths[0], options, text)
    frame = sample_rows(paths, first, options, list(first.schema))
    if frame is None:
        raise InvalidFile(f"{name} has no rows that can be read.")
    if not isinstance(first, TextSource):
        frame = frame if isinstance(frame, pl.DataFrame) else pl.from_arrow(frame)
        frame = _with_nulls(frame, text, null_markers)
    return Table(frame, name)


def _read_bytes(path: str | PathLike[str]) -> tuple[bytes, str]:
    if str(path) == "-":
        return sys.stdin.buffer.read(), "standard input"
    check_file(Path(path), regular=False)
    with unreadable(path):
        return Path(path).read_bytes(), str(path)


def _read_typed(data: bytes, name: str, kind: Format) -> Any:
    """A file whose columns have types."""
    pl = require_polars()
    read = {"parquet": pl.read_parquet, "arrow": pl.read_ipc, "stream": pl.read_ipc_stream}[kind]
    try:
        return read(data)
    except unreadable_by_polars() as error:
        raise _damaged(name, error) from None


def _damaged(name: str, error: BaseException) -> InvalidFile:
    why = str(error).partition("\n")[0].rstrip(".")
    return InvalidFile(f"{name} is damaged, cut short, or not what its name says: {why}.")


def _read_json(data: bytes, name: str) -> Any:
    """Records in a list, or one per line."""
    pl = require_polars()
    content = TextFile(data, name).read().removeprefix(codecs.BOM_UTF8)
    is_list = content.lstrip().startswith(b"[") and content.lstrip()[1:].lstrip().startswith(b"{")
    how_json = (
        'A table in JSON is a list of records such as {"a": 1, "b": 2}, or one record per line.'
    )
    try:
        frame = (pl.read_json if is_list else pl.read_ndjson)(content, infer_schema_length=None)
    except unreadable_by_polars() as error:
        bad = None if is_list else _bad_line(content)
        if bad is not None:
            raise InvalidFile(f"{name}, line {bad} is not a record. {how_json}") from None
        raise _damaged(name, error) from None
    if frame.height == 1 and any(dtype.is_nested() for dtype in frame.dtypes):
        raise InvalidFile(f"{name} holds columns, not rows. {how_json}")
    return frame


def _bad_line(content: bytes) -> int | None:
    """The first line, from 1 on, that is not a record."""
    for number, line in enumerate(content.splitlines(), 1):
        try:
            if line.strip() and not isinstance(json.loads(line), dict):
                return number
        except ValueError:
            return number
    return None


def _with_nulls(frame: Any, text: Sequence[str], null_markers: Sequence[str]) -> Any:
    """Typed columns with null markers removed, some of them as text."""
    pl = require_polars()
    columns = []
    for series in frame.iter_columns():
        if series.name in text and not series.dtype.is_nested():
            series = series.cast(pl.String)
        if series.dtype == pl.String and null_markers:
            series = series.set(series.is_in(list(null_markers)), None)
        columns.append(series)
    return pl.DataFrame(columns)
