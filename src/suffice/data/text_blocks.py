"""Text blocks: the bytes of a delimited file, unpacked, cut between its records."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from suffice.data.packages import pyarrow
from suffice.data.table_text import GZIP, ZSTD
from suffice.errors import InvalidFile, MissingPackage, UnreadableFile

BLOCK_BYTES = 1 << 24

# A record longer than this is taken for a quote that is never closed.
MOST_RECORD_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records of a text."""

    data: bytes
    start: int  # in the unpacked text
    share: float  # of the file that is read once they are


def blocks(path: Path, start: int = 0, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """The records of a file from a byte on, which must be where one starts."""
    with unpacked(path) as (text, raw):
        _skip(text, start, raw)
        total, rest, at = max(1, path.stat().st_size), b"", start
        while True:
            read = text.read(size)
            data = rest + read
            end = record_end(data) if read else len(data)
            if end:
                share = min(1.0, raw.tell() / total)
                yield Block(data[:end] if end < len(data) else data, at, share)
            if not read:
                return
            rest, at = data[end:], at + end
            if len(rest) > MOST_RECORD_BYTES:
                raise InvalidFile(
                    f"{path}, line {line_at(path, at)}: no end of this line within "
                    f"{len(rest) >> 20} MB; is a quote opened there and never closed?"
                )


def line_at(path: Path, start: int) -> int:
    """The number of the line that starts at a byte, counted from 1."""
    lines, left = 1, start
    with unpacked(path) as (text, _):
        while left:
            part = text.read(min(left, BLOCK_BYTES))
            lines += part.count(b"\n")
            left -= len(part)
    return lines


def record_end(data: bytes) -> int:
    r"""Where the last record that is whole ends; a line end between quotes is none.

    >>> record_end(b'a,b\nc,"d\ne'), record_end(b'a,b\nc')
    (4, 4)
    """
    at = data.rfind(b"\n")
    if at < 0 or b'"' not in data:
        return at + 1
    within = data.count(b'"', 0, at) % 2
    while within and at >= 0:
        before = data.rfind(b"\n", 0, at)
        within ^= data.count(b'"', before + 1, at) % 2
        at = before
    return at + 1


def first_record(data: bytes) -> int:
    r"""Where the first record ends.

    >>> first_record(b'a,"b\nc"\n1,2\n')
    8
    """
    at, quotes = -1, 0
    while True:
        line_end = data.find(b"\n", at + 1)
        if line_end < 0:
            return len(data)
        quotes += data.count(b'"', at + 1, line_end)
        at = line_end
        if quotes % 2 == 0:
            return at + 1


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

        return ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=False)
    except ImportError:
        pass
    arrow = pyarrow()
    if arrow is None:
        raise MissingPackage(f"{path} is zstd; reading it needs pyarrow: pip install pyarrow")
    return arrow.CompressedInputStream(arrow.PythonFile(raw, mode="r"), "zstd")


def _skip(text: IO[bytes], start: int, raw: IO[bytes]) -> None:
    if text is raw:
        raw.seek(start)
        return
    while start:
        part = text.read(min(start, BLOCK_BYTES))
        if not part:
            return
        start -= len(part)
