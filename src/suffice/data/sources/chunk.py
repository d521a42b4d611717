"""Chunk: consecutive rows of one input, cut so that the same rows always come together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw


@dataclass(frozen=True, slots=True)
class Position:
    """How far reading has come: a file, and the number of its rows that are done.

    Its reader can start again at `mark` (a byte, a batch or a row group, depending on the format),
    which is where the row `mark_row` starts; that row is not after `row`.
    """

    file: int = 0
    row: int = 0
    mark: int = 0
    mark_row: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows as a reader delivers them, in one or several frames."""

    frames: tuple[nw.DataFrame[Any], ...]
    row: int  # number of the first row in its file
    mark: int = 0
    mark_row: int = 0
    share: float = 0.0  # of the file that has been read after them

    def __len__(self) -> int:
        return sum(map(len, self.frames))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows that are summarized together."""

    frames: tuple[nw.DataFrame[Any], ...]
    source: str  # the name of the file, or "" where there is none
    row: int  # number of the first row in its file
    after: Position
    share: float  # of all input that has been read after them


def chunk_rows(
    n_features: int, entries: int = 1 << 22, fewest: int = 1 << 10, most: int = 1 << 20
) -> int:
    """Number of rows in a chunk, which depends on the number of features alone.

    entries : rows times features, few enough to hold several chunks in memory

    >>> chunk_rows(64), chunk_rows(1), chunk_rows(100_000)
    (65536, 1048576, 1024)
    """
    return min(most, max(fewest, -(-entries // n_features)))


def is_large(rows: int, n_features: int) -> bool:
    """Whether there are enough rows, half a chunk or more, to repay compiled loops."""
    return 2 * rows >= chunk_rows(n_features)


def cut(pieces: Iterator[Piece], rows: int, start: int = 0) -> Iterator[Piece]:
    """The rows from `start` on in pieces of equal length; only the last may be shorter."""
    held: list[nw.DataFrame[Any]] = []
    have, first, last = 0, start, None
    for piece in pieces:
        last, passed = piece, max(0, start - piece.row)
        for frame in piece.frames:
            rest: nw.DataFrame[Any] | None = frame[passed:] if passed else frame
            passed = max(0, passed - len(frame))
            while rest is not None and len(rest):
                part, rest = _split(rest, rows - have)
                held.append(part)
                have += len(part)
                if have == rows:
                    whole, held = tuple(held), []
                    del part
                    yield replace(piece, frames=whole, row=first)
                    del whole
                    have, first = 0, first + rows
    if held and last is not None:
        yield replace(last, frames=tuple(held), row=first)


def _split(
    frame: nw.DataFrame[Any], rows: int
) -> tuple[nw.DataFrame[Any], nw.DataFrame[Any] | None]:
    # Slicing many columns takes time, even where no row is left out.
    if len(frame) <= rows:
        return frame, None
    return frame[:rows], frame[rows:]
