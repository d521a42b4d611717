"""Arrow source: the rows of an Arrow (Feather) file or stream, a record batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.arrow_schema import schema_of
from suffice.data.chunk import Piece, Position, chunk_rows
from suffice.data.table_file import ARROW
from suffice.errors import InvalidFile

# Record batches larger than this are not read as a whole, but mapped and read by part.
LARGE_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """A file through pyarrow."""

    path: Path
    schema: dict[str, Any]
    batches: int  # how many record batches; 0 for a stream, which does not say

    typed = True

    @classmethod
    def open(cls, path: Path) -> ArrowSource:
        """A file after a look at its schema."""
        pa: Any = packages.pyarrow()

        try:
            with pa.OSFile(str(path)) as file:
                if file.read(len(ARROW)) == ARROW:
                    reader = pa.ipc.open_file(file)
                    batches = reader.num_record_batches
                else:
                    file.seek(0)
                    reader, batches = pa.ipc.open_stream(file), 0
                return cls(path, schema_of(reader.schema, path), batches)
        except (pa.ArrowException, OSError) as error:
            raise InvalidFile(
                f"{path} is not an Arrow file, or it was cut short: {error}."
            ) from None

    def pieces(self, names: Sequence[str], start: Position) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        pa: Any = packages.pyarrow()

        row, size, number = start.mark_row, chunk_rows(len(names)), start.mark
        try:
            for number, batch, share in self._batches(names, start.mark):
                at, mark_row = 0, row
                while at < batch.num_rows:
                    part = batch.slice(at, size).select(list(names))
                    frame = nw.from_native(pa.Table.from_batches([part]), eager_only=True)
                    yield Piece((frame,), row, number, mark_row, share)
                    at, row = at + len(frame), row + len(frame)
        except (pa.ArrowException, OSError) as error:
            raise InvalidFile(
                f"{self.path} cannot be read from row {row} on, near record batch {number}: "
                f"{str(error).rstrip('.')}. Fetch or write the file again."
            ) from None

    def _batches(self, names: Sequence[str], first: int) -> Iterator[tuple[int, Any, float]]:
        pa: Any = packages.pyarrow()

        fields = [list(self.schema).index(name) for name in names]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        size = self.path.stat().st_size
        large = size > LARGE_BYTES * max(1, self.batches)
        opened = pa.memory_map if large and self.batches else pa.OSFile
        with opened(str(self.path)) as file:
            if self.batches:
                reader = pa.ipc.open_file(file, options=options)
                for number in range(first, self.batches):
                    yield number, reader.get_batch(number), (number + 1) / self.batches
            else:
                # A stream cannot be entered midway: what comes before is read and passed over.
                for batch in pa.ipc.open_stream(file, options=options):
                    yield 0, batch, min(1.0, file.tell() / size)
