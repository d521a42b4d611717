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

    def pieces(self, names: Sequence[str], start: Position) -> Iterator[Piece]:
        """The rows from a position on, or from before it, in these columns."""
        ...


def open_source(path: Path, wanted: Wanted) -> Source:
    """The file at a path, told by its first bytes and its ending."""
    packages.check_some()
    check_file(path)
    start, ending = _start(path), ending_of(path)
    if start.startswith(PARQUET):
        return (
            ParquetSource.open(path)
            if packages.pyarrow()
            else LazySource.open(path, "scan_parquet")
        )
    if start.startswith(ARROW):
        return ArrowSource.open(path) if packages.pyarrow() else LazySource.open(path, "scan_ipc")
    if ending == ".parquet":
        raise InvalidFile(f"{path} is not a Parquet file, or it was cut short.")
    if ending in (".arrow", ".arrows", ".feather", ".ipc"):
        if packages.pyarrow() is None:
            raise MissingPackage(f"{path} is an Arrow stream; reading it needs pyarrow.")
        return ArrowSource.open(path)
    if ending in JSON_LINES:
        raise InvalidFile(f"{path} holds JSON lines, which are not read in parts; save it as CSV.")
    return TextSource.open(path, (wanted.target,), wanted.missing)


def _start(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(8)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from None
