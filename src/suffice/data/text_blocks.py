"""Text blocks: the bytes of a delimited file, unpacked, cut between its records."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from suffice.data.packages import pyarrow
from suffice.data.table_text import GZIP, SEPARATORS, ZSTD
from suffice.errors import InvalidFile, MissingPackage, UnreadableFile

BLOCK_BYTES = 1 << 23

FIELD_STARTS = "".join(SEPARATORS).encode() + b"\r\n"

# A record longer than this is taken for a quote that is never closed.
MOST_RECORD_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Whole records of a text."""

    data: bytes
    start: int  # in the unpacked text
    share: float  # of the file that is read once they are


def blocks(path: Path, start: int = 0, size: int = BLOCK_BYTES) -> Iterator[TextBlock]:
    """The records of a file from a byte on, which must be where one starts."""
    with unpacked(path) as (text, raw):
        _skip(text, start, raw)
        total, at = max(1, path.stat().st_size), start
        while data := _read(text, size, text is raw):
            data += _rest(text, data, path, at)
            yield TextBlock(data, at, min(1.0, raw.tell() / total))
            at += len(data)


def _read(text: IO[bytes], size: int, seekable: bool) -> bytes:
    """So many bytes, and where it can be known beforehand the rest of the last line: a text that
    grows afterwards is copied.
    """
    if not seekable:
        return text.read(size)
    start = text.tell()
    text.seek(start + size - 1)
    size += len(text.readline()) - 1
    text.seek(start)
    return text.read(size)


def _rest(text: IO[bytes], data: bytes, path: Path, start: int) -> bytes:
    """What is left of the last record; a line end between quotes does not end it."""
    line = b"" if data.endswith(b"\n") else text.readline()
    quotes = (data.count(b'"') if b'"' in data else 0) + line.count(b'"')
    # As many quotes end as begin, unless some stand within a text and mean themselves.
    within = quotes % 2 == 1 and _within_quotes(line, _within_quotes(data))
    lines, size = [line], len(line)
    while within and (line := text.readline()):
        within = _within_quotes(line, within)
        lines.append(line)
        size += len(line)
        if size > MOST_RECORD_BYTES:
            raise InvalidFile(
                f"{path}, line {line_at(path, start)} or later: a quote is opened and not closed "
                f"within {MOST_RECORD_BYTES >> 20} MB."
            )
    return b"".join(lines)


def _within_quotes(text: bytes, within: bool = False) -> bool:
    r"""Whether a quoted field goes on after a text, which began within one or not.

    >>> [_within_quotes(text) for text in (b'1,"red', b'1,"red"', b'1,5" pipe', b'1,"6"" pipe')]
    [True, False, False, True]
    """
    at = text.find(b'"')
    while at >= 0:
        if within:
            doubled = text[at + 1 : at + 2] == b'"'
            within = doubled
            at += doubled
        else:
            # Elsewhere than at the start of a field a quote is a letter like others.
            within = at == 0 or text[at - 1] in FIELD_STARTS
        at = text.find(b'"', at + 1)
    return within


def line_at(path: Path, start: int) -> int:
    """The number of the line that starts at a byte, counted from 1."""
    lines, left = 1, start
    with unpacked(path) as (text, _):
        # A file that was cut meanwhile ends earlier.
        while left and (part := text.read(min(left, BLOCK_BYTES))):
            lines += part.count(b"\n")
            left -= len(part)
    return lines


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


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The text of a file, decompressed as it is read, and the file itself."""
    try:
        with open(path, "rb") as raw:
            start = raw.read(4)
            raw.seek(0)
            with _opened(raw, start, path) as text:
                yield text, raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidFile(f"{path} cannot be decompressed: {error}. Fetch it again.") from None
    except OSError as error:
        if isinstance(error, InvalidFile):
            raise
        why = error.strerror or error
        raise UnreadableFile(f"{path} cannot be read: {why}.") from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # of a package that need not be there
            raise
        raise InvalidFile(f"{path} cannot be decompressed: {error}. Fetch it again.") from None


def _opened(raw: IO[bytes], start: bytes, path: Path) -> Any:
    if start.startswith(GZIP):
        return gzip.GzipFile(fileobj=raw)
    return _zstd(raw, path) if start.startswith(ZSTD) else nullcontext(raw)


def _zstd(raw: IO[bytes], path: Path) -> Any:
    try:
        from zstandard import ZstdDecompressor

        reader = ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=False)
        return io.BufferedReader(reader, 1 << 20)
    except ImportError:
        pass
    arrow = pyarrow()
    if arrow is None:
        raise MissingPackage(f"{path} is zstd; reading it needs pyarrow: pip install pyarrow")
    reader = arrow.CompressedInputStream(arrow.PythonFile(raw, mode="r"), "zstd")
    return io.BufferedReader(reader, 1 << 20)


def _skip(text: IO[bytes], start: int, raw: IO[bytes]) -> None:
    if text is raw:
        raw.seek(start)
        return
    while start:
        part = text.read(min(start, BLOCK_BYTES))
        if not part:
            return
        start -= len(part)
