"""Stream: files, or anything that delivers Arrow batches -> chunks in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Any, Protocol

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.arrow_source import schema_of
from suffice.data.chunk import Chunk, Piece, Position, chunk_rows, cut
from suffice.data.fingerprint import Fingerprint
from suffice.data.paths import check_file, unreadable
from suffice.data.roles import ReadOptions, Roles
from suffice.data.source import Source, open_source
from suffice.data.text_source import TextSource
from suffice.errors import (
    BatchFailed,
    InvalidFeatures,
    InvalidFile,
    MissingPackage,
)

# Files of this total size repay loading compiled loops, however few rows each has.
LONG_BYTES = 1 << 27


class FileFailed(Exception):
    """The error of a file, and the number of that file."""

    def __init__(self, file: int, error: Exception) -> None:
        super().__init__(file, error)
        self.file = file
        self.error = error


class Stream(Protocol):
    """Rows that are read once, chunk by chunk."""

    @property
    def roles(self) -> Roles:
        """The roles of the columns."""
        ...

    @property
    def is_long(self) -> bool:
        """Whether it has enough rows to repay compiled loops, as far as that is known."""
        ...

    def chunks(self, start: Position) -> Generator[Chunk, None, None]:
        """The chunks from a position on."""
        ...


@dataclass(frozen=True, slots=True)
class FileStream:
    """The rows of files, one file after the other."""

    paths: tuple[Path, ...]
    roles: Roles
    sizes: tuple[int, ...]  # bytes

    @classmethod
    def open(cls, paths: Sequence[Path], options: ReadOptions) -> FileStream:
        """Files after a look at the columns of the first."""
        first = open_source(paths[0], options)
        if isinstance(first, TextSource):
            first.how.warn_of_row_names(str(paths[0]))
        roles = Roles.of(first.schema, first.typed, str(paths[0]), options)
        return cls(tuple(paths), roles, tuple(_size(path) for path in paths))

    @property
    def is_long(self) -> bool:
        """Whether there are enough rows to repay compiled loops."""
        return sum(self.sizes) >= LONG_BYTES

    def chunks(self, start: Position) -> Generator[Chunk, None, None]:
        """The chunks from a position on; none holds rows of two files."""
        ends = [0, *accumulate(self.sizes)]
        for number in range(start.file, len(self.paths)):
            at = start if number == start.file else Position(number)
            try:
                yield from self._chunks(number, at, ends)
            except Exception as error:
                raise FileFailed(number, error) from error

    def _chunks(self, number: int, at: Position, ends: list[int]) -> Iterator[Chunk]:
        """The chunks of a file; `ends` are the cumulative sizes of the files in bytes."""
        before, size, total = ends[number], ends[number + 1] - ends[number], max(1, ends[-1])

        def chunk(piece: Piece) -> Chunk:
            after = Position(number, piece.row + len(piece), piece.mark, piece.mark_row)
            share = (before + piece.share * size) / total
            return Chunk(piece.frames, str(self.paths[number]), piece.row, after, share)

        # No variable may hold a chunk while the next one is read.
        return map(chunk, self._pieces(number, at))

    def _pieces(self, number: int, at: Position) -> Iterator[Piece]:
        path = self.paths[number]
        before = Fingerprint.of(path)
        rows = chunk_rows(len(self.roles.features))
        try:
            source = self._open(path)
            yield from cut(source.pieces(self.roles.names, at, rows), rows, at.row)
        except Exception:
            # If the file was changed meanwhile, that is the error to report.
            before.check(path)
            raise
        before.check(path)

    def _open(self, path: Path) -> Source:
        source = open_source(path, self.roles.options)
        self.roles.check(source.schema, source.typed, str(path))
        return source


@dataclass(frozen=True, slots=True)
class ObjectStream:
    """The rows of an object that delivers them once: a lazy frame, a query, a reader."""

    roles: Roles
    pieces: Callable[[Sequence[str], int], Iterator[Any]] = field(repr=False)

    is_long = False  # not known in advance

    @classmethod
    def open(cls, X: Any, options: ReadOptions) -> ObjectStream:
        """An object after a look at its columns."""
        schema, pieces = _lazy(X) if _is_polars(X) else _arrow(X)
        return cls(Roles.of(schema, True, "", options), pieces)

    def chunks(self, start: Position) -> Generator[Chunk, None, None]:
        """All chunks."""
        rows = chunk_rows(len(self.roles.features))
        try:
            yield from map(_chunk_of, cut(self._number_rows(rows), rows, start.row))
        except Exception as error:
            raise FileFailed(0, error) from error

    def _number_rows(self, rows: int) -> Iterator[Piece]:
        row = 0
        try:
            for native in self.pieces(self.roles.names, rows):
                frame = nw.from_native(native, eager_only=True).select(list(self.roles.names))
                yield Piece((frame,), row)
                row += len(frame)
        except Exception as error:
            raise BatchFailed(
                f"the input failed after {row} rows: {error!r}. Nothing was kept; fix the "
                "source and start again."
            ) from error


def _size(path: Path) -> int:
    check_file(path)
    with unreadable(path):
        return path.stat().st_size


def _chunk_of(piece: Piece) -> Chunk:
    return Chunk(piece.frames, "", piece.row, Position(0, piece.row + len(piece)), 0.0)


def is_stream(X: Any) -> bool:
    """Whether X delivers its rows in parts: a lazy frame of polars, or Arrow batches.

    A data frame in memory is not a stream, although it can deliver Arrow batches.
    """
    if _is_polars(X):
        return True
    if not hasattr(X, "__arrow_c_stream__"):
        return False
    try:
        known = nw.from_native(X, pass_through=True, allow_series=True)
    except Exception:  # narwhals' own error classes differ between versions
        return True
    return not isinstance(known, nw.DataFrame | nw.Series)


def _is_polars(X: Any) -> bool:
    kind = type(X)
    return kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars")


def _lazy(X: Any) -> tuple[dict[str, Any], Callable[[Sequence[str], int], Iterator[Any]]]:
    import polars as pl

    try:
        empty = pl.DataFrame(schema=X.collect_schema())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InvalidFeatures(f"X cannot be collected: {error}") from None
    schema = dict(nw.from_native(empty, eager_only=True).schema)

    def pieces(names: Sequence[str], rows: int) -> Iterator[Any]:
        chosen = X.select(list(names))
        if hasattr(chosen, "collect_batches"):
            yield from chosen.collect_batches(chunk_size=rows, maintain_order=True)
        else:
            yield chosen.collect()

    return schema, pieces


def _arrow(X: Any) -> tuple[dict[str, Any], Callable[[Sequence[str], int], Iterator[Any]]]:
    arrow = packages.pyarrow()
    if arrow is None:
        raise MissingPackage(
            f"reading a {type(X).__name__} in parts needs pyarrow: pip install 'suffice[files]'"
        )
    try:
        # Read from it directly: then each batch shows its own schema, which may differ.
        itself = isinstance(X, arrow.RecordBatchReader)
        reader = X if itself else arrow.RecordBatchReader.from_stream(X)
        schema = schema_of(reader.schema, "X")
    except InvalidFile as error:
        raise InvalidFeatures(str(error)) from None
    except Exception as error:  # of whichever library holds the rows
        raise InvalidFeatures(f"X cannot be read as Arrow batches: {error}") from error

    def pieces(names: Sequence[str], rows: int) -> Iterator[Any]:
        for batch in reader:
            _check_same(batch.schema, reader.schema)
            table = arrow.Table.from_batches([batch]).select(list(names))
            yield from (table.slice(at, rows) for at in range(0, len(table), rows))

    return schema, pieces


def _check_same(schema: Any, declared: Any) -> None:
    """Raise where columns have other names or types than were declared for them."""
    if schema.equals(declared):
        return
    pairs = zip_longest(_columns(schema), _columns(declared), fillvalue="no further one")
    for one, other in pairs:
        if one != other:
            raise InvalidFeatures(f"a batch has the column {one}, where {other} was declared.")


def _columns(schema: Any) -> list[str]:
    return [f"{field.name!r} ({field.type})" for field in schema]
