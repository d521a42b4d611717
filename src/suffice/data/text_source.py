"""Text source: the rows of a CSV or TSV file, compressed or not, block by block."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data import packages
from suffice.data.chunk import Piece, Position
from suffice.data.prefetch import in_order
from suffice.data.table_file import MISSING, ending_of
from suffice.data.table_text import TextLayout, as_utf8, check_quotes, layout
from suffice.data.text_blocks import BLOCK_BYTES, TextBlock, blocks, first_record, line_at
from suffice.errors import InvalidFile, NotNumbers

# Blocks parsed at a time.
SIDE_BY_SIDE = 3

# Fields of a block at most: where they are short, they take more memory than their text.
BLOCK_FIELDS = 1 << 20

# Bytes from which the length of a field is estimated.
SAMPLE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class TextSource:
    """A file whose first line names its columns; all but the texts are read as numbers."""

    path: Path
    how: TextLayout
    start: int  # where the first row stands
    texts: frozenset[str]
    missing: tuple[str, ...]
    field_bytes: float = 8.0  # average length of a field

    typed = False

    @classmethod
    def open(cls, path: Path, texts: Sequence[str], missing: Sequence[str] = ()) -> TextSource:
        """A file after a look at its first lines."""
        name = str(path)
        first = next(blocks(path), None)
        if first is None or first.data.isspace():
            raise InvalidFile(f"{name} is empty; a line of column names and rows are needed.")
        text = as_utf8(first.data, name)
        mark = len(codecs.BOM_UTF8) if first.data.startswith(codecs.BOM_UTF8) else 0
        how = layout(text, name, "\t" if ending_of(path) == ".tsv" else None)
        end = first_record(text)
        check_quotes(text[:end], how, lambda line: f"{name}, line {line}")
        some = text[:SAMPLE_BYTES]
        field_bytes = len(some) / (len(how.names) * max(1, some.count(b"\n")))
        nothing = (*MISSING, *missing)
        return cls(path, how, mark + end, frozenset(texts), nothing, field_bytes)

    @property
    def schema(self) -> dict[str, Any]:
        """The type of each column that has a name."""
        names = [name for name in self.how.names if name]
        return {name: nw.String() if name in self.texts else nw.Float64() for name in names}

    def pieces(self, names: Sequence[str], start: Position, rows: int) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        row = start.mark_row
        attempts = self._attempts()
        size = max(1, min(BLOCK_BYTES, int(BLOCK_FIELDS * self.field_bytes)))
        texts = blocks(self.path, max(self.start, start.mark), size)

        def parsed(block: TextBlock) -> tuple[nw.DataFrame[Any], int, float]:
            frame = nw.from_native(self._parsed(block, names, attempts), eager_only=True)
            return frame, block.start, block.share

        # Parsing has stretches that keep one core busy: another block fills the gaps.
        for frame, byte, share in in_order(parsed, texts, SIDE_BY_SIDE):
            yield Piece((frame,), row, byte, row, share)
            row += len(frame)
            del frame

    def _attempts(self) -> list[Sequence[str]]:
        """Lists of null markers to look for, one after the other until one will do.

        With polars, looking for any in each field takes a quarter of the time, while a marker
        among numbers that was not looked for is an error, unless it is a number itself.
        """
        if packages.polars() is None or any(map(_is_number, self.missing)):
            return [self.missing]
        return [(), self.missing]

    def _parsed(self, block: TextBlock, names: Sequence[str], attempts: list[Sequence[str]]) -> Any:
        """A block as a frame; an attempt that failed, while a later one did not, is given up."""
        check_quotes(block.data, self.how, lambda line: self._line(block, line))
        fast = self._by_pyarrow if packages.polars() is None else self._by_polars
        tried = tuple(attempts)
        for failed, missing in enumerate(tried):
            frame = fast(block.data, names, missing)
            if frame is not None:
                attempts[:] = tried[failed:]
                break
        else:
            return self._field_by_field(block, names)
        return frame

    def _by_polars(self, data: bytes, names: Sequence[str], missing: Sequence[str]) -> Any | None:
        pl: Any = packages.polars()
        at = {name: f"column_{j + 1}" for j, name in enumerate(self.how.names)}
        last = self.how.names[-1]
        types = {at[n]: pl.String if n in self.texts else pl.Float64 for n in self.how.names}
        if last not in names:
            types[at[last]] = pl.String
        try:
            frame = pl.read_csv(
                data,
                has_header=False,
                separator=self.how.separator,
                schema=types,
                columns=[at[name] for name in dict.fromkeys((*names, last))],
                null_values=list(missing) or None,
            )
        except (pl.exceptions.PolarsError, OSError, ValueError):
            return None
        # A line with too few fields is read as if the last were missing, as is an empty one; one
        # with too many is passed over where some columns are not asked for.
        doubtful = frame.width < len(types) or frame[at[last]].null_count()
        if doubtful and not self._even(data):
            return None
        return frame.select(pl.col(at[name]).alias(name) for name in names)

    def _by_pyarrow(self, data: bytes, names: Sequence[str], missing: Sequence[str]) -> Any | None:
        arrow: Any = packages.pyarrow()
        reader: Any = packages.pyarrow("csv")
        types = {n: arrow.string() if n in self.texts else arrow.float64() for n in names}
        try:
            return reader.read_csv(
                arrow.BufferReader(data),
                reader.ReadOptions(column_names=self.how.names),
                reader.ParseOptions(delimiter=self.how.separator, newlines_in_values=b'"' in data),
                reader.ConvertOptions(
                    column_types=types,
                    include_columns=list(names),
                    null_values=list(missing),
                    strings_can_be_null=True,
                ),
            )
        except (arrow.ArrowInvalid, arrow.ArrowKeyError, ValueError):
            return None

    def _even(self, data: bytes) -> bool:
        """Whether all lines have as many separators as the first line of the file."""
        text = np.frombuffer(data, np.uint8)
        fields, lines = text == ord(self.how.separator), text == ord("\n")
        if b'"' in data:
            outside = np.bitwise_xor.accumulate(text == ord('"')) == 0
            fields, lines = fields & outside, lines & outside
        ends = np.flatnonzero(lines)
        if not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        before = np.searchsorted(np.flatnonzero(fields), ends)
        return bool((np.diff(before, prepend=0) == len(self.how.names) - 1).all())

    def _field_by_field(self, block: TextBlock, names: Sequence[str]) -> Any:
        """The same rows, slowly; an error names the line."""
        width, at = len(self.how.names), [self.how.names.index(name) for name in names]
        columns: list[list[Any]] = [[] for _ in names]
        text = io.StringIO(self._decoded(block), newline="")
        reader = csv.reader(text, delimiter=self.how.separator)
        try:
            for fields in reader:
                if not fields:
                    continue
                if len(fields) != width:
                    raise InvalidFile(
                        f"{self._line(block, reader.line_num)}: {len(fields)} fields where the "
                        f"first line has {width}. Fix that line; are texts with "
                        f"{self.how.separator!r} in quotes?"
                    )
                for values, name, j in zip(columns, names, at, strict=True):
                    values.append(self._value(name, fields[j], block, reader))
        except csv.Error as error:
            raise InvalidFile(f"{self._line(block, reader.line_num)}: {error}.") from None
        return self._frame(dict(zip(names, columns, strict=True)))

    def _value(self, name: str, field: str, block: TextBlock, reader: Any) -> str | float | None:
        text = field.strip()
        if field in self.missing or text in self.missing:
            return None
        if name in self.texts:
            return field
        number = text if self.how.separator == "," else text.replace(",", ".", 1)
        try:
            if "_" in number:
                raise ValueError
            return float(number)
        except ValueError:
            raise NotNumbers(
                f"{self._line(block, reader.line_num)}: column {name!r} holds {text!r}, which is "
                "not a number. Choose the features by columns=, or leave the cell empty where the "
                "value is missing."
            ) from None

    def _decoded(self, block: TextBlock) -> str:
        try:
            return block.data.decode()
        except UnicodeDecodeError as error:
            line = block.data[: error.start].count(b"\n") + 1
            raise InvalidFile(
                f"{self._line(block, line)}: byte 0x{block.data[error.start]:02x} is not UTF-8. "
                "Save the file as UTF-8."
            ) from None

    def _line(self, block: TextBlock, line: int) -> str:
        return f"{self.path}, line {line_at(self.path, block.start) + line - 1}"

    def _frame(self, columns: dict[str, list[Any]]) -> Any:
        pl = packages.polars()
        if pl is not None:
            types = {n: pl.String if n in self.texts else pl.Float64 for n in columns}
            return pl.DataFrame(columns, schema=types)
        arrow: Any = packages.pyarrow()
        kinds = {n: arrow.string() if n in self.texts else arrow.float64() for n in columns}
        return arrow.table({n: arrow.array(v, kinds[n]) for n, v in columns.items()})


def _is_number(text: str) -> bool:
    try:
        return not np.isnan(float(text))
    except ValueError:
        return False
