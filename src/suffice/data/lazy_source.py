"""Lazy source: the rows of a Parquet or Arrow file through polars alone, slice by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.chunk import Piece, Position
from suffice.errors import InvalidFile

# Every slice starts to decode at the start of its row group: few slices, so few such starts.
CHUNKS_A_SLICE = 4


@dataclass(frozen=True, slots=True)
class LazySource:
    """A file where pyarrow is not installed."""

    path: Path
    schema: dict[str, Any]
    scan: str
    rows: int

    typed = True

    @classmethod
    def open(cls, path: Path, scan: str) -> LazySource:
        """A file after a look at its schema; `scan` is the function of polars that reads it."""
        pl: Any = packages.polars()
        try:
            frame = getattr(pl, scan)(path)
            empty = pl.DataFrame(schema=frame.collect_schema())
            rows = int(frame.select(pl.len()).collect().item())
        except packages.unreadable_by_polars() as error:
            raise InvalidFile(
                f"{path} is damaged, cut short, or not what its name says: {error}."
            ) from None
        return cls(path, dict(nw.from_native(empty, eager_only=True).schema), scan, rows)

    def pieces(self, names: Sequence[str], start: Position, rows: int) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        pl: Any = packages.polars()
        frame = getattr(pl, self.scan)(self.path).select(names)
        step = CHUNKS_A_SLICE * rows
        for row in range(start.row, self.rows, step):
            stop = min(self.rows, row + step)
            try:
                part = frame.slice(row, step).collect()
            except packages.unreadable_by_polars() as error:
                why = str(error).splitlines()[0].rstrip(".")
                raise InvalidFile(
                    f"{self.path}: rows {row} to {stop - 1} cannot be read: {why}. Fetch or write "
                    "the file again."
                ) from None
            yield Piece((nw.from_native(part, eager_only=True),), row, share=stop / self.rows)
