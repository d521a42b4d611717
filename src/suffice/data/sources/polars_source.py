"""Polars source: the rows of a Parquet or Arrow file through polars, in slices or as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.sources.chunk import Piece, Position
from suffice.data.tables.table import check_unique
from suffice.errors import InvalidFile


@dataclass(frozen=True, slots=True)
class PolarsSource:
    """A file that is read into memory, or one in pieces where pyarrow is not installed."""

    name: str  # in messages
    frame: Any  # polars.LazyFrame
    schema: dict[str, Any]
    rows: int

    typed = True

    @classmethod
    def open(cls, content: Path | bytes, name: str, kind: str) -> PolarsSource:
        """A file after a look at its schema; `kind` is its format as in `format_of`."""
        pl: Any = packages.require_polars()
        try:
            if kind == "stream":
                frame = pl.read_ipc_stream(content).lazy()
            else:
                frame = (pl.scan_parquet if kind == "parquet" else pl.scan_ipc)(content)
            empty = pl.DataFrame(schema=frame.collect_schema())
            rows = int(frame.select(pl.len()).collect().item())
        except packages.unreadable_by_polars() as error:
            raise InvalidFile(
                f"{name} is damaged, cut short, or not what its name says: {_why(error)}."
            ) from None
        check_unique(empty.columns, name)
        return cls(name, frame, dict(nw.from_native(empty, eager_only=True).schema), rows)

    def pieces(self, names: Sequence[str], start: Position, rows: int) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        # Each slice is decoded from the start of its row group: fewer slices, fewer such starts.
        chunks_per_slice = 4
        step = chunks_per_slice * rows
        for row in range(start.row, self.rows, step):
            part = self._read(names, row, min(self.rows, row + step))
            share = min(1.0, (row + step) / self.rows)
            yield Piece((nw.from_native(part, eager_only=True),), row, share=share)

    def all(self) -> Any:
        """All rows as a polars frame."""
        return self._read(list(self.schema), 0, self.rows)

    def _read(self, names: Sequence[str], start: int, stop: int) -> Any:
        try:
            return self.frame.select(names).slice(start, stop - start).collect()
        except packages.unreadable_by_polars() as error:
            raise InvalidFile(
                f"{self.name}: rows {start} to {stop - 1} cannot be read: {_why(error)}. Fetch or "
                "write the file again."
            ) from None


def _why(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")
