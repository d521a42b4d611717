"""Table text: the bytes of a delimited file -> UTF-8 text in which every line has every field."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.table import named, polars
from suffice.errors import InvalidFile
from suffice.text import visible

SEPARATORS = (",", ";", "\t", "|")
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
WORKBOOK = b"PK\x03\x04"

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How a delimited text is laid out, by its first line."""

    separator: str
    names: list[str]


def unpacked(data: bytes, source: str) -> bytes:
    """The bytes of a file, decompressed where they are gzip or zstd."""
    try:
        if data.startswith(GZIP):
            return gzip.decompress(data)
        if data.startswith(ZSTD):
            return _unzstd(data)
    except Exception as error:
        raise InvalidFile(f"{source} cannot be decompressed: {error}. Fetch it again.") from None
    return data


def as_utf8(data: bytes, source: str, encoding: str | None = None) -> bytes:
    """The same text in UTF-8, without a mark; an error says which encoding it seems to have.

    >>> as_utf8(b"\\xef\\xbb\\xbfa,b", "data.csv")
    b'a,b'
    """
    if data.startswith(WORKBOOK):
        raise InvalidFile(f"{source} is a workbook or an archive, no text; save it as CSV first.")
    if encoding is not None:
        return _decoded(data, source, encoding).encode()
    mark = next((kind for start, kind in _MARKS.items() if data.startswith(start)), None)
    if mark == "utf-8":
        data = data[len(codecs.BOM_UTF8) :]
    guess = _wide(data) if mark != "utf-16" else "UTF-16"
    if guess is None:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise InvalidFile(
                f"{source} is not UTF-8 (byte 0x{data[error.start]:02x} in line {line}); it looks "
                "like Latin-1 or Windows-1252. Try --encoding latin-1, or save it as UTF-8."
            ) from None
        return data
    if guess == "binary":
        raise InvalidFile(f"{source} is no text: it holds zero bytes. Save it as CSV or Parquet.")
    raise InvalidFile(
        f"{source} is not UTF-8; it looks like {guess}. Try --encoding {guess.lower()}, or save "
        "it as UTF-8."
    )


def layout(data: bytes, source: str, separator: str | None = None) -> TextLayout:
    """Separator and column names of a text; an error names columns that are there twice.

    The first column may have no name, as where R or pandas wrote the names of the rows.

    >>> layout(b"a;b\\n1;2", "data.csv")
    TextLayout(separator=';', names=['a', 'b'])
    """
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    first = lines.readline()
    if not first.strip():
        empty = not data.strip()
        what = "is empty" if empty else "starts with an empty line"
        raise InvalidFile(f"{source} {what}; a line of column names is needed.")
    if b"\r" in data and b"\n" not in data:
        raise InvalidFile(
            f"{source} ends its lines with carriage returns alone, as old computers did. Write it "
            "with line feeds (tr '\\r' '\\n' < old.csv > new.csv)."
        )
    lines.seek(0)
    found = separator or max(SEPARATORS, key=lambda one: (first.count(one), one == ","))
    names = [name.strip() for name in next(csv.reader(lines, delimiter=found))]
    twice = [name for name, count in Counter(names).items() if count > 1]
    start = 1 if len(names) > 1 else 0
    if "" in names[start:]:
        raise InvalidFile(
            f"{source} has no name for column {names.index('', start) + 1}; name every column in "
            "the first line, or write the file without row names."
        )
    if twice:
        raise InvalidFile(
            f"{source} has more than one column named {named(twice)}; rename or remove them."
        )
    return TextLayout(found, names)


def warn_of_row_names(names: Sequence[str], source: str) -> None:
    """Warn where the first column has no name and is therefore left out."""
    if names[0] == "":
        what = "the first column has no name; it is taken for names of the rows and left out."
        warnings.warn(visible(f"{source}: {what}"), UserWarning, stacklevel=4)


def blank_lines(data: bytes, source: str, how: TextLayout) -> list[int]:
    """Rows that are empty lines; an error names the first line with too many or few fields."""
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=how.separator)
    width, blank = len(how.names), []
    try:
        next(reader)
        for row, fields in enumerate(reader):
            if not fields:
                blank.append(row)
            elif len(fields) != width:
                raise InvalidFile(
                    f"{source}, line {reader.line_num}: {len(fields)} fields where the first line "
                    f"has {width}. Fix that line; are texts with {how.separator!r} in quotes?"
                )
    except csv.Error as error:
        raise InvalidFile(f"{source}, line {reader.line_num}: {error}.") from None
    return blank


def check_quotes(data: bytes, how: TextLayout, where: Callable[[int], str]) -> None:
    """An error for a quoted text that does not end where its field does.

    where : how to name a line, counted from 1
    """
    line = _open_quote(data, how)
    if line is not None:
        raise InvalidFile(
            f"{where(line)}: a quote is opened and not closed where its field ends. Close it, or "
            "remove it."
        )


def _open_quote(data: bytes, how: TextLayout) -> int | None:
    r"""The line, from 1 on, of the first quoted text that does not end where its field does.

    >>> _open_quote(b'1,"red"\n2,"blue\n3,green\n', TextLayout(",", ["size", "colour"]))
    2
    """
    if b'"' not in data or _well_quoted(data, how.separator):
        return None
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace", newline="")
    reader = csv.reader(text, delimiter=how.separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            next(reader)
        except StopIteration:
            return None
        except csv.Error:
            return line


def _well_quoted(data: bytes, separator: str) -> bool:
    """Whether each second quote ends a field; a single one in a text without quotes is doubted."""
    text = np.frombuffer(data, np.uint8)
    (at,) = np.nonzero(text == ord('"'))
    if len(at) % 2:
        return False
    ends = at[1::2] + 1
    after = text[ends[ends < len(text)]]
    return bool(np.isin(after, np.frombuffer(f'{separator}\r\n" '.encode(), np.uint8)).all())


def _decoded(data: bytes, source: str, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise InvalidFile(
            f"there is no encoding {encoding!r}. Try utf-8, latin-1, cp1252 or utf-16."
        ) from None
    except UnicodeError as error:
        raise InvalidFile(f"{source} is not {encoding}: {error}.") from None


def _wide(data: bytes) -> str | None:
    """What zero bytes at the start tell: UTF-16 without a mark, or no text at all."""
    start = data[:4096]
    if b"\0" not in start:
        return None
    for at, name in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        if start[at::2].count(0) > len(start) // 4 and not start[1 - at :: 2].count(0):
            return name
    return "binary"


def _unzstd(data: bytes) -> bytes:
    pl: Any = polars()
    lines = pl.read_csv(
        data, separator="\x1f", has_header=False, quote_char=None, infer_schema=False
    )
    return "\n".join(lines.to_series().fill_null("").to_list()).encode() + b"\n"
