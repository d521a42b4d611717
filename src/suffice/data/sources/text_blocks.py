"""Text blocks: the bytes of a delimited file, decompressed, cut between its records."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

from suffice.data.packages import require_pyarrow
from suffice.data.sources.paths import unreadable
from suffice.data.sources.text_layout import SEPARATORS
from suffice.errors import InvalidFile


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Whole records of a text."""

    data: bytes
    start: int  # in the decompressed text
    share: float  # of the file that has been read after this block


@dataclass(frozen=True, slots=True)
class TextFile:
    """A delimited file on disk or in memory, compressed or not."""

    # A record longer than this is taken for a quote that is never closed.
    most_record_bytes: ClassVar[int] = 1 << 26

    # Read at a time.
    block_bytes: ClassVar[int] = 1 << 23

    content: Path | bytes
    name: str  # in messages

    def blocks(self, start: int = 0, size: int | None = None) -> Iterator[TextBlock]:
        """The records from a byte on, which must be where one starts; `size` bytes at a time."""
        with self._open() as (text, raw):
            self._skip(text, start, raw)
            total, at = max(1, self._size()), start
            while data := _read(text, size or self.block_bytes, text is raw):
                data += self._rest(text, data, at)
                yield TextBlock(data, at, min(1.0, raw.tell() / total))
                at += len(data)

    def read(self) -> bytes:
        """The whole text."""
        with self._open() as (text, _):
            return text.read()

    def line_at(self, start: int) -> int:
        """The number of the line that starts at a byte, counted from 1."""
        lines, left = 1, start
        with self._open() as (text, _):
            # A file that was truncated meanwhile ends earlier.
            while left and (part := text.read(min(left, self.block_bytes))):
                lines += part.count(b"\n")
                left -= len(part)
        return lines

    def _rest(self, text: IO[bytes], data: bytes, start: int) -> bytes:
        """What is left of the last record; a line end between quotes does not end it."""
        line = b"" if data.endswith(b"\n") else text.readline()
        quotes = (data.count(b'"') if b'"' in data else 0) + line.count(b'"')
        # Quotes come in pairs, unless some are characters of an unquoted text.
        within = quotes % 2 == 1 and _within_quotes(line, _within_quotes(data))
        lines, size = [line], len(line)
        while within and (line := text.readline()):
            within = _within_quotes(line, within)
            lines.append(line)
            size += len(line)
            if size > self.most_record_bytes:
                raise InvalidFile(
                    f"{self.name}, line {self.line_at(start)} or later: a quote is opened and not "
                    f"closed within {self.most_record_bytes >> 20} MB."
                )
        return b"".join(lines)

    def _skip(self, text: IO[bytes], start: int, raw: IO[bytes]) -> None:
        if text is raw:
            raw.seek(start)
            return
        while start:
            part = text.read(min(start, self.block_bytes))
            if not part:
                return
            start -= len(part)

    @contextmanager
    def _open(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The text, decompressed as it is read, and the file itself."""
        with unreadable(self.name), self._open_raw() as raw:
            start = raw.read(4)
            raw.seek(0)
            try:
                with self._decompress(raw, start) as text:
                    yield text, raw
            except (EOFError, zlib.error, OSError) as error:
                # Errors of the system have a number, those of pyarrow and gzip have none.
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise InvalidFile(
                    f"{self.name} cannot be decompressed: {error}. Fetch it again."
                ) from None

    def _size(self) -> int:
        if isinstance(self.content, bytes):
            return len(self.content)
        return self.content.stat().st_size

    def _open_raw(self) -> IO[bytes]:
        if isinstance(self.content, bytes):
            return io.BytesIO(self.content)
        return self.content.open("rb")

    def _decompress(self, raw: IO[bytes], start: bytes) -> Any:
        if start.startswith(b"\x1f\x8b"):
            return gzip.GzipFile(fileobj=raw)
        if start != b"\x28\xb5\x2f\xfd":
            return nullcontext(raw)
        arrow = require_pyarrow(f"{self.name}, compressed with zstd,")
        reader = arrow.CompressedInputStream(arrow.PythonFile(raw, mode="r"), "zstd")
        return io.BufferedReader(reader, 1 << 20)


def first_record(data: bytes) -> int:
    r"""Where the first record ends.

    >>> first_record(b'a,"b\nc"\n1,2\n')
    8
    """
    start, within = 0, False
    while True:
        end = data.find(b"\n", start) + 1
        if end == 0:
            return len(data)
        within = _within_quotes(data[start:end], within)
        start = end
        if not within:
            return start


def _read(text: IO[bytes], size: int, seekable: bool) -> bytes:
    """The next `size` bytes; of a seekable file also the rest of the last line.

    Bytes that are appended later cost a copy of the block.
    """
    if not seekable:
        return text.read(size)
    start = text.tell()
    text.seek(start + size - 1)
    size += len(text.readline()) - 1
    text.seek(start)
    return text.read(size)


def _within_quotes(text: bytes, within: bool = False) -> bool:
    r"""Whether a quoted field goes on after a text, which began within one or not.

    >>> [_within_quotes(text) for text in (b'1,"red', b'1,"red"', b'1,5" pipe', b'1,"6"" pipe')]
    [True, False, False, True]
    """
    starts = "".join(SEPARATORS).encode() + b"\r\n"
    at = text.find(b'"')
    while at >= 0:
        if within:
            doubled = text[at + 1 : at + 2] == b'"'
            within = doubled
            at += doubled
        else:
            # Only at the start of a field a quote opens a quoted text.
            within = at == 0 or text[at - 1] in starts
        at = text.find(b'"', at + 1)
    return within
