"""Source: a file of any format -> its columns, and its rows from any position on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from suffice.data import packages
from suffice.data.arrow_source import ArrowSource
from suffice.data.chunk import Piece, Position
from suffice.data.lazy_source import LazySource
from suffice.data.parquet_source import ParquetSource
from suffice.data.paths import check_file
from suffice.data.roles import Wanted
from suffice.data.table_file import ARROW, JSON_LINES, PARQUET, ending_of
from suffice.data.text_source import TextSource
from suffice.errors import InvalidFile, MissingPackage, UnreadableFile

# What may hold Arrow data without saying so at its start.
STREAMS = (".arrow", ".arrows", ".feather", ".ipc")


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


def open_source(path: Path, wanted: Wanted) -> Source:
    """The file at a path, its format recognised by its first bytes and its ending."""
    check_file(path)
    start, ending = _start(path), ending_of(path)
    if start.startswith(PARQUET):
        return ParquetSource.open(path) if _has_pyarrow() else LazySource.open(path, "scan_parquet")
    if start.startswith(ARROW):
        return ArrowSource.open(path) if _has_pyarrow() else LazySource.open(path, "scan_ipc")
    if ending == ".parquet":
        raise InvalidFile(f"{path} is not a Parquet file, or it was cut short.")
    if ending in STREAMS:
        if not _has_pyarrow():
            raise MissingPackage(f"{path} is an Arrow stream; reading it needs pyarrow.")
        return ArrowSource.open(path)
    if ending in JSON_LINES:
        raise InvalidFile(f"{path} holds JSON lines, which are not read in parts; save it as CSV.")
    packages.check_some()
    return TextSource.open(path, (wanted.target,), wanted.missing)


def _has_pyarrow() -> bool:
    """Whether pyarrow is there; else polars must be. Each takes memory, so one is enough."""
    if packages.pyarrow() is not None:
        return True
    packages.check_some()
    return False


def _start(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(8)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from None
