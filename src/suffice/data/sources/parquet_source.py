"""Parquet source: the rows of a Parquet file, a part of a row group at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.sources.arrow_source import schema_of
from suffice.data.sources.chunk import Piece, Position
from suffice.errors import InvalidFile


def _pyarrow() -> tuple[Any, Any]:
    return packages.pyarrow(), packages.pyarrow("parquet")


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """A file through pyarrow, which decodes page by page: row groups may have any size."""

    path: Path
    schema: dict[str, Any]
    edges: tuple[int, ...]  # rows before each row group, and in all

    typed = True

    @classmethod
    def open(cls, path: Path) -> ParquetSource:
        """A file after a look at its footer."""
        arrow, parquet = _pyarrow()
        try:
            with parquet.ParquetFile(path) as file:
                about = file.metadata
                rows = [about.row_group(g).num_rows for g in range(about.num_row_groups)]
                return cls(path, schema_of(file.schema_arrow, path), tuple(accumulate([0, *rows])))
        except (arrow.ArrowException, OSError) as error:
            raise InvalidFile(
                f"{path} is not a Parquet file, or it was cut short: {error}."
            ) from None

    def pieces(self, names: Sequence[str], start: Position, rows: int) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        arrow, parquet = _pyarrow()
        all_buffers_bytes = 1 << 25  # read ahead of all columns together
        buffer = max(1 << 12, min(1 << 16, all_buffers_bytes // len(names)))
        first = min(bisect_right(self.edges, start.row) - 1, len(self.edges) - 1)
        row = self.edges[first]
        groups = list(range(first, len(self.edges) - 1))
        try:
            with parquet.ParquetFile(
                self.path, pre_buffer=False, buffer_size=buffer, page_checksum_verification=True
            ) as file:
                for batch in file.iter_batches(rows, row_groups=groups, columns=list(names)):
                    # pyarrow also reads nested columns whose names start with one of these.
                    exact = batch if batch.num_columns == len(names) else batch.select(list(names))
                    table = arrow.Table.from_batches([exact])
                    frame = nw.from_native(table, eager_only=True)
                    yield Piece((frame,), row, share=(row + len(frame)) / self.edges[-1])
                    row += len(frame)
        except (arrow.ArrowException, OSError) as error:
            raise self._damaged(row, row + rows, names, error) from None

    def _damaged(self, row: int, stop: int, names: Sequence[str], error: Exception) -> InvalidFile:
        """The error for rows that cannot be read, with the first row group that cannot."""
        first = bisect_right(self.edges, row) - 1
        where, why = f"from row {row} on", str(error)
        for group in range(first, len(self.edges) - 1):
            if self.edges[group] > stop:
                break
            bad = self._bad_column(group, names)
            if bad is not None:
                low, high = self.edges[group], self.edges[group + 1] - 1
                where = f"row group {group} (rows {low} to {high}), column {bad[0]!r}"
                why = bad[1]
                break
        return InvalidFile(
            f"{self.path}, {where}: cannot be read: {why.rstrip('.')}. Fetch or write the file "
            "again."
        )

    def _bad_column(self, group: int, names: Sequence[str]) -> tuple[str, str] | None:
        """The first column of a row group that cannot be read, and why."""
        arrow, parquet = _pyarrow()
        for name in names:
            try:
                with parquet.ParquetFile(self.path, page_checksum_verification=True) as file:
                    for _ in file.iter_batches(row_groups=[group], columns=[name]):
                        pass
            except (arrow.ArrowException, OSError) as error:
                return name, str(error)
        return None
