"""Text layout: encoding, separator, column names and quotes of a CSV or TSV file."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.data.caller import stacklevel
from suffice.data.tables.table import check_unique
from suffice.errors import ColumnNote, InvalidFile
from suffice.text import visible

SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How a delimited text is laid out, by its first line."""

    separator: str
    names: list[str]  # the first is empty where the file holds row names, and the last may be

    @property
    def named(self) -> list[str]:
        """The columns that have a name."""
        return [name for name in self.names if name]

    def warn_of_unnamed(self, source: str) -> None:
        """Warn where the first or the last column has no name and is therefore left out."""
        if self.names[0] == "":
            what = "the first column has no name; it is taken for row names and left out."
            warnings.warn(visible(f"{source}: {what}"), ColumnNote, stacklevel=stacklevel())
        if self.names[1:] and self.names[-1] == "":
            what = f"column {len(self.names)}, the last one, has no name; it is left out."
            warnings.warn(visible(f"{source}: {what}"), ColumnNote, stacklevel=stacklevel())


def decode(data: bytes, source: str, encoding: str) -> bytes:
    """A text in UTF-8 that was written in another encoding."""
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise InvalidFile(
            f"there is no encoding {encoding!r}. Try utf-8, latin-1, cp1252 or utf-16."
        ) from None
    except UnicodeError as error:
        raise InvalidFile(f"{source} is not {encoding}: {error}.") from None


def check_utf8(data: bytes, source: str) -> None:
    """Raise unless the start of a file is UTF-8 text; the error names the likely encoding."""
    if data.startswith(b"PK\x03\x04"):
        raise InvalidFile(f"{source} is a workbook or an archive, not text; save it as CSV first.")
    wide = _wide_encoding(data)
    if wide is not None:
        raise InvalidFile(
            f"{source} is not UTF-8; it looks like {wide}. Read it with "
            f"pandas.read_csv(path, encoding={wide.lower()!r}), or save it as UTF-8."
        )
    if b"\0" in data[:4096]:
        raise InvalidFile(f"{source} is not text: it holds zero bytes. Save it as CSV or Parquet.")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(source, error) from None


def not_utf8(source: str, error: UnicodeDecodeError, first_line: int = 1) -> InvalidFile:
    """The error for bytes that are not UTF-8.

    first_line : number of the first line of what was decoded
    """
    line = first_line + error.object[: error.start].count(b"\n")
    # Windows-1252 has the euro sign and dashes where Latin-1 has control characters.
    windows = any(0x80 <= byte < 0xA0 for byte in set(error.object))
    name, encoding = ("Windows-1252", "cp1252") if windows else ("Latin-1", "latin-1")
    return InvalidFile(
        f"{source} is not UTF-8 (byte 0x{error.object[error.start]:02x} in line {line}); it looks "
        f"like {name}. Read it with pandas.read_csv(path, encoding={encoding!r}), or save it as "
        "UTF-8."
    )


def layout(data: bytes, source: str, separator: str | None = None) -> TextLayout:
    """Separator and column names of a text; an error reports repeated and missing names.

    The first column may have no name: R and pandas write row names that way. So may the last one:
    some programs end each line with a separator.

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
    delimiter = separator or max(SEPARATORS, key=lambda one: (first.count(one), one == ","))
    names = [name.strip() for name in next(csv.reader(lines, delimiter=delimiter))]
    start = 1 if len(names) > 1 else 0
    if "" in names[start:-1]:
        title = [name for name in names if name]
        hint = f" If {title[0]!r} is a title, remove that line." if len(title) == 1 else ""
        raise InvalidFile(
            f"{source} has no name for column {names.index('', start) + 1}; name every column in "
            f"the first line, or write the file without row names.{hint}"
        )
    check_unique(filter(None, names), source)
    return TextLayout(delimiter, names)


def preamble(data: bytes) -> int:
    r"""Where the line of column names starts: after comments, and after Excel's "sep=;".

    A line that starts with "#" and has as many fields as the next one names columns.

    >>> preamble(b"# made by hand\n# in May\na,b\n1,2\n"), preamble(b"#a,b\n1,2\n")
    (24, 0)
    """
    start = 0
    if re.match(rb"sep=[,;\t|]\r?\n", data):
        start = data.index(b"\n") + 1
    while data.startswith(b"#", start) and (end := data.find(b"\n", start) + 1):
        fields, below = (_fields(data[at : data.find(b"\n", at)]) for at in (start, end))
        if fields == below and not data.startswith(b"#", end):
            break
        start = end
    return start


def _fields(line: bytes) -> int:
    return 1 + max(line.count(separator.encode()) for separator in SEPARATORS)


def check_quotes(data: bytes, how: TextLayout, where: Callable[[int], str]) -> None:
    """Raise where a quoted text does not end where its field does.

    where : names a line, counted from 1
    """
    line = _open_quote(data, how)
    if line is not None:
        raise InvalidFile(
            f"{where(line)}: a quote is opened and not closed where its field ends. Close it, or "
            "remove it."
        )


def _open_quote(data: bytes, how: TextLayout) -> int | None:
    r"""The line, counted from 1, of the first quoted text that does not end where its field does.

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
    """Whether every second quote ends a field; False also where that is not certain."""
    text = np.frombuffer(data, np.uint8)
    (at,) = np.nonzero(text == ord('"'))
    if len(at) % 2:
        return False
    ends = at[1::2] + 1
    after = text[ends[ends < len(text)]]
    return bool(np.isin(after, np.frombuffer(f'{separator}\r\n" '.encode(), np.uint8)).all())


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 with or without a byte order mark; None for any other encoding."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    start = data[:4096]
    for at, name in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        if start[at::2].count(0) > len(start) // 4 and not start[1 - at :: 2].count(0):
            return name
    return None
