"""Arrow source: the rows of an Arrow (Feather) file or stream, a record batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.sources.chunk import Piece, Position
from suffice.data.tables.table import check_unique
from suffice.errors import InvalidFile


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """A file through pyarrow."""

    # Larger record batches are not read as a whole, but mapped and read by part.
    large_batch_bytes: ClassVar[int] = 1 << 26

    path: Path
    schema: dict[str, Any]
    batches: int | None  # number of record batches; None for a stream, where it is not known

    typed = True

    @classmethod
    def open(cls, path: Path) -> ArrowSource:
        """A file after a look at its schema."""
        pa: Any = packages.pyarrow()

        try:
            with pa.OSFile(str(path)) as file:
                if file.read(6) == b"ARROW1":
                    reader = pa.ipc.open_file(file)
                    batches = reader.num_record_batches
                else:
                    file.seek(0)
                    reader, batches = pa.ipc.open_stream(file), None
                return cls(path, schema_of(reader.schema, path), batches)
        except (pa.ArrowException, OSError) as error:
            raise InvalidFile(
                f"{path} is not an Arrow file, or it was cut short: {error}."
            ) from None

    def pieces(self, names: Sequence[str], start: Position, rows: int) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        pa: Any = packages.pyarrow()

        row, number, mark_row = start.mark_row, start.mark, start.mark_row
        try:
            for batch, part, share in self._parts(names, start.mark, rows):
                if batch != number:
                    number, mark_row = batch, row
                table = part if isinstance(part, pa.Table) else pa.Table.from_batches([part])
                frame = nw.from_native(table.select(list(names)), eager_only=True)
                yield Piece((frame,), row, number, mark_row, share)
                row += len(frame)
        except (pa.ArrowException, OSError) as error:
            raise InvalidFile(
                f"{self.path} cannot be read from row {row} on, near record batch {number}: "
                f"{str(error).rstrip('.')}. Fetch or write the file again."
            ) from None

    def _parts(
        self, names: Sequence[str], first: int, rows: int
    ) -> Iterator[tuple[int, Any, float]]:
        """Number of a record batch, some of its rows, and the share of the file read after them."""
        pa: Any = packages.pyarrow()
        fields = [list(self.schema).index(name) for name in names]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        size = self.path.stat().st_size
        if self.batches is not None and size > self.large_batch_bytes * self.batches:
            for number in range(first, self.batches):
                for part, share in self._read_mapped(number, rows, fields):
                    yield number, part, (number + share) / self.batches
            return
        with pa.OSFile(str(self.path)) as file:
            if self.batches is not None:
                reader = pa.ipc.open_file(file, options=options)
                for number in range(first, self.batches):
                    batch = reader.get_batch(number)
                    share = (number + 1) / self.batches
                    yield from ((number, part, share) for part in _slices(batch, rows))
            else:
                # A stream is always read from its start; what was read before is skipped later.
                for batch in pa.ipc.open_stream(file, options=options):
                    share = min(1.0, file.tell() / size)
                    yield from ((0, part, share) for part in _slices(batch, rows))

    def _read_mapped(
        self, number: int, rows: int, fields: list[int]
    ) -> Iterator[tuple[Any, float]]:
        """A large record batch in parts, which are copied: mapped pages count as memory.

        Each comes with the share of the batch that has been read after it.
        """
        pa: Any = packages.pyarrow()
        at = total = 0
        # Mapped at a time: the system may map megabytes around every value touched.
        mapped_columns = 16
        while at == 0 or at < total:
            columns: list[Any] = []
            for first in range(0, len(fields), mapped_columns):
                with pa.memory_map(str(self.path)) as file:
                    # Choosing fields by read options would read all of their rows.
                    batch = pa.ipc.open_file(file).get_batch(number)
                    chosen = batch.select(fields[first : first + mapped_columns])
                    total = batch.num_rows
                    columns += _copy(chosen.slice(at, rows)).columns
                    del batch, chosen
            at += rows
            names = [list(self.schema)[j] for j in fields]
            yield pa.Table.from_arrays(columns, names), min(1.0, at / max(1, total))


def _slices(batch: Any, rows: int) -> Iterator[Any]:
    return (batch.slice(at, rows) for at in range(0, batch.num_rows, rows))


def _copy(batch: Any) -> Any:
    pa: Any = packages.pyarrow()
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)
    return pa.ipc.open_stream(out.getvalue()).read_all()


def schema_of(schema: Any, source: object) -> dict[str, Any]:
    """The narwhals type of each column of a pyarrow schema."""
    check_unique(schema.names, source)
    types = dict(nw.from_native(schema.empty_table(), eager_only=True).schema)
    for field in schema:
        # Of the types that narwhals does not know, only a column of nulls can be read as numbers.
        if types[field.name] == nw.Unknown and str(field.type) != "null":
            types[field.name] = nw.Object()
    return types
