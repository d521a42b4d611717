"""Plain text: a delimited text whose fields are what they seem -> a frame, by a compiled loop.

Several times as fast as a reader of any CSV, since whatever is doubtful (a quote within a text, a
number of more than 19 digits, a line with a field too many) is left to such a reader. Imported only
when there is much to read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from suffice.data import packages
from suffice.data.arrays import Array, Indices
from suffice.data.parsing import NUMBER, SKIPPED, TEXT, lines, parse


@dataclass(frozen=True, slots=True)
class PlainText:
    """How to read lines that are plain.

    names : of all columns
    wanted : of those to read
    texts : of those that are no numbers
    missing : texts that mean nothing where a number is expected; no digit or quote is in them
    """

    separator: str
    names: Sequence[str]
    wanted: Sequence[str]
    texts: Collection[str]
    missing: Sequence[str]

    def frame(self, data: bytes) -> Any | None:
        r"""The columns of some lines; None where these are not plain.

        >>> PlainText(",", "abc", "cb", "b", ["NA"]).frame(b"1,red,2\n3,,NA\n").rows()
        [(2.0, 'red'), (nan, None)]
        """
        if not _is_utf8(data):
            return None
        arrow: Any = packages.pyarrow()
        numbers = [name for name in self.wanted if name not in self.texts]
        texts = [name for name in self.wanted if name in self.texts]
        found = self._parsed(data, numbers, texts)
        if found is None:
            return None
        values, letters, edges = found
        columns = dict(zip(numbers, map(arrow.array, values), strict=True))
        for name, some, ends in zip(texts, letters, edges, strict=True):
            known = np.packbits(ends[1:] > ends[:-1], bitorder="little")
            held = map(arrow.py_buffer, (ends, some[: ends[-1]], known))
            columns[name] = arrow.StringArray.from_buffers(len(ends) - 1, *held)
        table, pl = arrow.table({name: columns[name] for name in self.wanted}), packages.polars()
        return table if pl is None else pl.from_arrow(table)

    def _parsed(
        self, data: bytes, numbers: Sequence[str], texts: Sequence[str]
    ) -> tuple[Array, Array, Array] | None:
        """Numbers, the letters of texts, and where among them each text starts, by column."""
        if not data.endswith(b"\n"):
            data += b"\n"
        text = np.frombuffer(data, np.uint8)
        rows = lines(text)
        values = np.empty((len(numbers), rows))
        letters = np.empty((len(texts), len(data)), np.uint8)
        edges = np.zeros((len(texts), rows + 1), np.int32)
        roles = [self._role(name, numbers, texts) for name in self.names]
        mark = np.uint8(ord(self.separator))
        nothing = self._nothing()
        rows = parse(text, mark, np.array(roles), *nothing, values, letters, edges)
        return None if rows < 0 else (values[:, :rows], letters, edges[:, : rows + 1])

    def _role(self, name: str, numbers: Sequence[str], texts: Sequence[str]) -> tuple[int, int]:
        """What a column is, and where it goes."""
        if name in texts:
            return TEXT, texts.index(name)
        return (NUMBER, numbers.index(name)) if name in numbers else (SKIPPED, 0)

    def _nothing(self) -> tuple[Array, Indices]:
        """Texts for nothing one after the other, and where each starts."""
        texts = [text.encode() for text in self.missing]
        return np.frombuffer(b"".join(texts), np.uint8), np.array([0, *accumulate(map(len, texts))])


def _is_utf8(data: bytes) -> bool:
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False
