"""Source: a file of any format -> its columns, and its rows from any position on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol

from suffice.data.packages import require_pyarrow
from suffice.data.sources.arrow_source import ArrowSource
from suffice.data.sources.chunk import Piece, Position
from suffice.data.sources.parquet_source import ParquetSource
from suffice.data.sources.paths import check_file, ending_of, unreadable
from suffice.data.sources.roles import ReadOptions
from suffice.data.sources.text_source import TextSource
from suffice.errors import InvalidFile

Format = Literal["parquet", "arrow", "stream", "json", "text"]


class Source(Protocol):
    """A file whose columns are known and whose rows are yet to be read."""

    @property
    def schema(self) -> dict[str, Any]:
        """The type of each column."""
        ...

    @property
    def typed(self) -> bool:
        """Whether the file says which type its columns have."""
        ...

    def pieces(self, names: Sequence[str], start: Position, rows: int) -> Iterator[Piece]:
        """The rows from a position on, or from before it, in these columns.

        rows : how many make a chunk
        """
        ...


def format_of(data: bytes, name: str, head_bytes: int = 1024) -> Format:
    """The format of a file by its first bytes and the ending of its name.

    >>> format_of(b"a,b", "rows.csv"), format_of(b'[{"a": 1}]', "rows.txt")
    ('text', 'json')
    """
    head, ending = data[:head_bytes], ending_of(name)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "arrow"
    if ending == ".parquet":
        raise InvalidFile(f"{name} is not a Parquet file, or it was cut short.")
    if ending in (".arrow", ".arrows", ".feather", ".ipc"):
        return "stream"
    if b'"suffice":"' in head:
        raise InvalidFile(
            f"{name} holds a model or statistics, not a table; suffice.load({name!r}) reads it."
        )
    # No line of column names starts like a JSON record or a list of them.
    json_start = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*\{|\{\s*\")")
    if ending in (".json", ".jsonl", ".ndjson") or json_start.match(head):
        return "json"
    return "text"


def file_format(path: Path) -> Format:
    """The format of a file on disk."""
    check_file(path)
    with unreadable(path), path.open("rb") as file:
        return format_of(file.read(1024), str(path))


def open_source(
    path: Path,
    options: ReadOptions,
    texts: Sequence[str] | None = None,
    number_markers: Sequence[str] = (),
) -> Source:
    """The file at a path.

    texts : columns of CSV to read as text; None for the target alone
    number_markers : texts that mean a missing value in the other columns of CSV
    """
    kind = file_format(path)
    if kind == "json":
        raise InvalidFile(
            f"{path} holds JSON, which is not read in parts; save it as CSV or Parquet."
        )
    if kind == "text":
        as_text = (options.target,) if texts is None else texts
        source = TextSource.open(path, str(path), as_text, options.null_markers)
        return replace(source, number_markers=tuple(number_markers))
    require_pyarrow(f"{path} in parts")
    return ParquetSource.open(path) if kind == "parquet" else ArrowSource.open(path)
