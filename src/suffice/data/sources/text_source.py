"""Text source: the rows of a CSV or TSV file, compressed or not, block by block."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data import packages
from suffice.data.sources.chunk import Piece, Position
from suffice.data.sources.paths import ending_of
from suffice.data.sources.prefetch import in_order
from suffice.data.sources.text_blocks import TextBlock, TextFile, first_record
from suffice.data.sources.text_layout import (
    TextLayout,
    check_quotes,
    check_utf8,
    layout,
    not_utf8,
    preamble,
)
from suffice.data.sources.text_types import TextTypes, are_numbers
from suffice.errors import InvalidFile, NotNumbers

# Null markers of any column.
NULL_MARKERS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")


@dataclass(frozen=True, slots=True)
class TextSource:
    """A file whose first line names its columns.

    In pieces, all columns but `texts` are numbers; as a whole, each has the type of its cells.
    """

    file: TextFile
    how: TextLayout
    start: int  # where the first row stands
    texts: frozenset[str]
    null_markers: tuple[str, ...]
    field_bytes: float = 8.0  # average length of a field
    number_markers: tuple[str, ...] = ()  # further null markers, of columns of numbers only

    typed = False

    @classmethod
    def open(
        cls,
        content: Path | bytes,
        name: str,
        texts: Sequence[str] = (),
        null_markers: Sequence[str] = (),
    ) -> TextSource:
        """A file after a look at its first lines.

        texts : columns to read as text; those that are not there are ignored
        null_markers : beside those of `NULL_MARKERS`
        """
        packages.require_polars()
        file = TextFile(content, name)
        start_bytes = 1 << 20  # enough for comments and names, however long
        first = next(file.blocks(size=start_bytes), None)
        if first is None or first.data.isspace():
            raise InvalidFile(f"{name} is empty; a line of column names and rows are needed.")
        mark = len(codecs.BOM_UTF8) if first.data.startswith(codecs.BOM_UTF8) else 0
        mark += preamble(first.data[mark:])
        text = first.data[mark:]
        check_utf8(text, name)
        how = layout(text, name, "\t" if ending_of(name) == ".tsv" else None)
        end = first_record(text)
        check_quotes(text[:end], how, lambda line: f"{name}, line {line}")
        # Bytes from which the average length of a field is estimated.
        sample_bytes = 1 << 16
        some = text[:sample_bytes]
        field_bytes = len(some) / (len(how.names) * max(1, some.count(b"\n")))
        markers = (*NULL_MARKERS, *null_markers)
        return cls(file, how, mark + end, frozenset(texts), markers, field_bytes)

    @property
    def schema(self) -> dict[str, Any]:
        """The type of each column that has a name."""
        return {n: nw.String() if n in self.texts else nw.Float64() for n in self.how.named}

    def all(self) -> Any:
        """All rows as a polars frame."""
        as_text = replace(self, texts=frozenset(self.how.named))
        pieces = as_text.pieces(self.how.named, Position())
        return self.infer([frame.to_native() for piece in pieces for frame in piece.frames])

    def first_rows(self, names: Sequence[str], rows: int) -> Any | None:
        """The first rows as a polars frame of text; `infer` finds the types of its columns."""
        as_text = replace(self, texts=frozenset(self.how.named))
        size = int(rows * len(self.how.names) * self.field_bytes)
        block = next(self.file.blocks(self.start, max(1, min(self.file.block_bytes, size))), None)
        return None if block is None else as_text._parse(block, names, [()]).head(rows)

    def infer(self, frames: Sequence[Any]) -> Any:
        """Columns of text, each but `texts` with the narrowest type that all of its cells have."""
        pl: Any = packages.require_polars()
        if not frames:
            return pl.DataFrame(schema=dict.fromkeys(self.how.named, pl.String))
        types = TextTypes(self.null_markers, decimal_comma=self.how.separator != ",")
        columns = pl.concat(frames).iter_columns()
        return pl.DataFrame(types.of(own, own.name in self.texts) for own in columns)

    def pieces(self, names: Sequence[str], start: Position, rows: int = 0) -> Iterator[Piece]:
        """The rows from a position on, in these columns."""
        row = start.mark_row
        attempts = self._attempts()
        # Fields of a block: short ones take more memory than their text.
        most_block_fields = 1 << 20
        size = max(1, min(self.file.block_bytes, int(most_block_fields * self.field_bytes)))
        blocks = self.file.blocks(max(self.start, start.mark), size)

        def parse(block: TextBlock) -> tuple[nw.DataFrame[Any], int, float]:
            frame = nw.from_native(self._parse(block, names, attempts), eager_only=True)
            return frame, block.start, block.share

        # Blocks parsed at a time: parsing has phases that use one core only.
        parser_threads = 3
        for frame, byte, share in in_order(parse, blocks, parser_threads):
            yield Piece((frame,), row, byte, row, share)
            row += len(frame)
            del frame

    def _attempts(self) -> list[Sequence[str]]:
        """Lists of null markers to try one after the other, until a block can be parsed.

        Looking for any in each field takes polars a quarter of the time, while a marker
        among numbers that was not looked for is an error, unless it is a number itself.
        """
        return [self.null_markers] if are_numbers(self.null_markers) else [(), self.null_markers]

    def _parse(self, block: TextBlock, names: Sequence[str], attempts: list[Sequence[str]]) -> Any:
        """A block as a frame; markers that failed where later ones did not are not tried again."""
        check_quotes(block.data, self.how, lambda line: self._line(block, line))
        tried = tuple(attempts)
        for failed, markers in enumerate(tried):
            frame = self._by_polars(block.data, names, markers)
            if frame is not None:
                attempts[:] = tried[failed:]
                return frame
        frame = self._as_texts(block, names) if self.number_markers else None
        return self._field_by_field(block, names) if frame is None else frame

    def _as_texts(self, block: TextBlock, names: Sequence[str]) -> Any | None:
        """The block with columns of numbers that hold further null markers; None if it has others.

        They are read as text first: polars would look for the markers in all columns.
        """
        pl: Any = packages.polars()
        as_text = replace(self, texts=frozenset(self.how.named), number_markers=())
        frame = as_text._by_polars(block.data, names, ())
        if frame is None:
            return None
        markers = [*self.null_markers, *self.number_markers]
        numbers = [pl.col(name).str.strip_chars() for name in names if name not in self.texts]
        if self.how.separator != ",":
            numbers = [one.str.replace(",", ".", literal=True) for one in numbers]
        known = [pl.when(~one.is_in(markers)).then(one).cast(pl.Float64) for one in numbers]
        try:
            return frame.with_columns(known)
        except pl.exceptions.PolarsError:
            return None

    def _by_polars(self, data: bytes, names: Sequence[str], markers: Sequence[str]) -> Any | None:
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
                null_values=list(markers) or None,
            )
        except (pl.exceptions.PolarsError, OSError, ValueError):
            return None
        # polars reads nulls where a line has too few fields or is empty, and accepts too many
        # where some columns are not wanted.
        doubtful = frame.width < len(types) or frame[at[last]].null_count()
        if doubtful and not self._is_even(data):
            return None
        return frame.select(pl.col(at[name]).alias(name) for name in names)

    def _is_even(self, data: bytes) -> bool:
        """Whether all lines have as many fields as the first line of the file."""
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
        """The same rows, parsed slowly; an error names the line."""
        width, at = len(self.how.names), [self.how.names.index(name) for name in names]
        columns: list[list[Any]] = [[] for _ in names]
        text = io.StringIO(self._decode(block), newline="")
        reader = csv.reader(text, delimiter=self.how.separator)
        try:
            for fields in reader:
                if not fields and width > 1:
                    continue
                fields = fields or [""]
                if len(fields) != width:
                    raise InvalidFile(
                        f"{self._line(block, reader.line_num)}: {len(fields)} fields where the "
                        f"first line has {width}. Fix that line: texts that "
                        f"contain {self.how.separator!r} need quotes."
                    )
                for values, name, j in zip(columns, names, at, strict=True):
                    values.append(self._value(name, fields[j], block, reader))
        except csv.Error as error:
            raise InvalidFile(f"{self._line(block, reader.line_num)}: {error}.") from None
        pl: Any = packages.polars()
        types = {name: pl.String if name in self.texts else pl.Float64 for name in names}
        return pl.DataFrame(dict(zip(names, columns, strict=True)), types)

    def _value(self, name: str, field: str, block: TextBlock, reader: Any) -> str | float | None:
        text = field.strip()
        if field in self.null_markers or text in self.null_markers:
            return None
        if name in self.texts:
            return field
        if text in self.number_markers:
            return None
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

    def _decode(self, block: TextBlock) -> str:
        try:
            return block.data.decode()
        except UnicodeDecodeError as error:
            first_line = self.file.line_at(block.start)
            raise not_utf8(self.file.name, error, first_line) from None

    def _line(self, block: TextBlock, line: int) -> str:
        return f"{self.file.name}, line {self.file.line_at(block.start) + line - 1}"
