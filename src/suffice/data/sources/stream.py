"""Stream: files, or anything that delivers Arrow batches -> chunks in a fixed order."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Protocol

import narwhals.stable.v2 as nw

from suffice.data.caller import stacklevel
from suffice.data.columns.description import describe
from suffice.data.sources.chunk import Chunk, Piece, Position, cut
from suffice.data.sources.fingerprint import Fingerprint
from suffice.data.sources.object_source import ObjectSource, open_object
from suffice.data.sources.paths import check_file, unreadable
from suffice.data.sources.roles import ReadOptions, Roles
from suffice.data.sources.sample import SampleSize, sample_rows
from suffice.data.sources.source import Source, open_source
from suffice.data.sources.text_source import TextSource
from suffice.data.tables.table_rows import TableReader, holds_numbers
from suffice.errors import BatchFailed, ColumnNote, InvalidInput


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

    # Files of this total size repay loading compiled loops, however few rows each has.
    long_bytes: ClassVar[int] = 1 << 27

    paths: tuple[Path, ...]
    roles: Roles
    sizes: tuple[int, ...]  # bytes

    @classmethod
    def open(cls, paths: Sequence[Path], options: ReadOptions) -> FileStream:
        """Files after a look at the columns of the first, and at some rows of all if needed."""
        sizes = tuple(_size(path) for path in paths)
        first = open_source(paths[0], options)
        if isinstance(first, TextSource):
            first.how.warn_of_unnamed(str(paths[0]))
        roles = Roles.of(first.schema, first.typed, str(paths[0]), options)
        if roles.needs_sample:
            sample = sample_rows(paths, first, options, roles.features)
            roles = roles if sample is None else roles.with_reader(_reader_of(sample, roles))
        roles.check_numbers(first.schema, str(paths[0]))
        return cls(tuple(paths), roles, sizes)

    @property
    def is_long(self) -> bool:
        """Whether there are enough rows to repay compiled loops."""
        return sum(self.sizes) >= self.long_bytes

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
        rows = self.roles.chunk_rows
        try:
            source = self._open(path)
            yield from cut(source.pieces(self.roles.names, at, rows), rows, at.row)
        except Exception:
            # If the file was changed meanwhile, that is the error to report.
            before.check(path)
            raise
        before.check(path)

    def _open(self, path: Path) -> Source:
        source = open_source(path, self.roles.options, self.roles.texts, self.roles.number_markers)
        self.roles.check(source.schema, source.typed, str(path))
        return source


@dataclass(frozen=True, slots=True)
class ObjectStream:
    """The rows of an object that delivers them once: a lazy frame, a query, a reader."""

    roles: Roles
    source: ObjectSource = field(repr=False)

    is_long = False  # not known in advance

    @classmethod
    def open(cls, X: Any, options: ReadOptions) -> ObjectStream:
        """An object after a look at its columns."""
        source = open_object(X)
        roles = Roles.of(source.schema, True, "", options)
        if roles.needs_sample:
            with _failing_after(0):
                first = source.head(SampleSize().rows_of(len(source.schema)))
            sample = nw.from_native(first, eager_only=True).select(roles.features).to_native()
            roles = roles.with_reader(_reader_of(sample, roles))
        roles.check_numbers(source.schema, "")
        return cls(roles, source)

    def chunks(self, start: Position) -> Generator[Chunk, None, None]:
        """All chunks."""
        rows = self.roles.chunk_rows
        try:
            yield from map(_chunk_of, cut(self._number_rows(rows), rows, start.row))
        except Exception as error:
            raise FileFailed(0, error) from error

    def _number_rows(self, rows: int) -> Iterator[Piece]:
        row = 0
        pieces = self.source.pieces(self.roles.names, rows)
        while True:
            with _failing_after(row):
                native = next(pieces, None)
                if native is None:
                    return
                frame = nw.from_native(native, eager_only=True).select(list(self.roles.names))
            yield Piece((frame,), row)
            row += len(frame)


def _size(path: Path) -> int:
    check_file(path)
    with unreadable(path):
        return path.stat().st_size


def _chunk_of(piece: Piece) -> Chunk:
    return Chunk(piece.frames, "", piece.row, Position(0, piece.row + len(piece)), 0.0)


@contextmanager
def _failing_after(row: int) -> Iterator[None]:
    """Raises errors of the input as one that says how many rows were read before."""
    try:
        yield
    except Exception as error:
        raise BatchFailed(
            f"the input failed after {row} rows: {error!r}. Nothing was kept; fix the source and "
            "start again."
        ) from error


def _reader_of(sample: Any, roles: Roles) -> TableReader | None:
    """How columns are read, judged by a sample of rows; None where all are numbers."""
    if holds_numbers(sample):
        return None
    description = describe(sample)
    try:
        reader = TableReader.of_layout(description.layout)
    except InvalidInput as error:
        raise type(error)(f"{roles.source}: {error}" if roles.source else str(error)) from None
    if description.notes:
        warnings.warn("; ".join(description.notes), ColumnNote, stacklevel=stacklevel())
    return reader
