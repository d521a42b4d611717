"""Cells: one column of any table as numbers, texts, booleans or times, with its missing values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.gaps import is_missing
from suffice.data.tables.levels import MISSING


class Cells:
    """The cells of a column; all but texts are unchanged by null markers, which are texts."""

    __slots__ = ()

    @property
    def missing(self) -> Array:
        """Which cells are missing, (n,)."""
        raise NotImplementedError

    def texts(self) -> TextCells:
        """The cells as text."""
        raise NotImplementedError

    def without(self, markers: Collection[str]) -> Cells:
        """The cells with some texts counted as missing."""
        return self

    def __len__(self) -> int:
        return len(self.missing)


@dataclass(frozen=True, slots=True, eq=False)
class TextCells(Cells):
    """Texts, each distinct one once; spaces around them do not count."""

    codes: Indices  # (n,): position among `distinct`, MISSING where there is no text
    distinct: tuple[str, ...]
    is_category: bool = False
    declared: Array | None = None  # sorted: the levels that the type of the column lists
    row: int = 0  # number of the first cell

    @classmethod
    def of(cls, values: Sequence[Any]) -> TextCells:
        """The texts of some values; None, NaN, empty texts and pandas' NA are missing."""
        index: defaultdict[Any, int] = defaultdict(count().__next__)
        codes = np.fromiter(map(index.__getitem__, values), np.int64, len(values))
        texts = [clean_text(v) if type(v) is str or not is_missing(v) else "" for v in index]
        return cls._joined(codes, texts)

    @classmethod
    def of_codes(cls, codes: Indices, texts: Sequence[str]) -> TextCells:
        """The texts at some positions in a list; MISSING where there is none."""
        return cls._joined(codes, [clean_text(text) for text in texts])

    @classmethod
    def _joined(cls, codes: Indices, texts: Sequence[str]) -> TextCells:
        """Equal texts under one code; an empty one is missing."""
        distinct = tuple(dict.fromkeys(text for text in texts if text))
        if len(distinct) == len(texts):
            return cls(codes, distinct)
        places = {text: j for j, text in enumerate(distinct)}
        # One more for MISSING, which counts from the end.
        new = np.array([*(places.get(text, MISSING) for text in texts), MISSING], np.int64)
        return cls(new[codes], distinct)

    @property
    def missing(self) -> Array:
        """Which cells are missing, (n,)."""
        return np.asarray(self.codes == MISSING)

    @property
    def counts(self) -> Indices:
        """Number of rows of each distinct text."""
        return np.bincount(self.codes + 1, minlength=len(self.distinct) + 1)[1:]

    def without(self, markers: Collection[str]) -> TextCells:
        """The cells with some texts counted as missing."""
        if frozenset(markers).isdisjoint(self.distinct):
            return self
        texts = ["" if text in markers else text for text in self.distinct]
        declared = self.declared
        if declared is not None:
            declared = declared[[text not in markers for text in declared.tolist()]]
        cells = self._joined(self.codes, texts)
        return replace(cells, is_category=self.is_category, declared=declared, row=self.row)

    def texts(self) -> TextCells:
        """The cells as text."""
        return self

    def spread(self, values: Array, missing: Any) -> Array:
        """One value per row, given that of each distinct text and that of a missing cell."""
        return np.append(values, np.array([missing], values.dtype))[self.codes]

    def failing(self, parse: Callable[[str], Any], allowed: float) -> list[str] | None:
        """The texts that parse to None; None if they are those of more rows than allowed."""
        texts, failed = [], 0
        for text, rows in zip(self.distinct, self.counts.tolist(), strict=True):
            if parse(text) is None:
                texts.append(text)
                failed += rows
                if failed > allowed:
                    return None
        return texts

    def rows_of(self, texts: Iterable[str]) -> dict[str, int]:
        """Number of rows that hold each of some texts, the most frequent ones first."""
        wanted, counts = set(texts), self.counts.tolist()
        pairs = zip(self.distinct, counts, strict=True)
        rows = {text: count for text, count in pairs if text in wanted}
        return dict(sorted(rows.items(), key=lambda item: (-item[1], item[0])))

    def first_row(self, text: str) -> int:
        """The first row that holds a text."""
        return self.row + int((self.codes == self.distinct.index(text)).argmax())


@dataclass(frozen=True, slots=True, eq=False)
class NumberCells(Cells):
    """Numbers, NaN where missing."""

    values: Array  # (n,): integers or floats
    is_category: bool = False
    declared: Array | None = None
    unit: str = ""  # such as "seconds", of durations

    @property
    def missing(self) -> Array:
        """Which cells are missing, (n,)."""
        return np.isnan(self.values)

    def texts(self) -> TextCells:
        """The cells as text, whole numbers without a fraction."""
        return TextCells.of(self.values.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class BooleanCells(Cells):
    """True and false."""

    values: Array  # (n,) bool; False where missing
    missing: Array  # (n,) bool
    is_category: bool = False
    declared: Array | None = None

    def texts(self) -> TextCells:
        """The cells as text."""
        values = self.values.astype(object)
        values[self.missing] = None
        return TextCells.of(values.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class TimeCells(Cells):
    """Dates and times; a time of day is one of 1970-01-01."""

    values: Array  # (n,) datetime64[us], NaT where missing; in UTC if there is a time zone
    zone: str | None = None

    @property
    def missing(self) -> Array:
        """Which cells are missing, (n,)."""
        return np.isnat(self.values)

    def texts(self) -> TextCells:
        """The cells as text in ISO 8601."""
        return TextCells.of([None if v is None else v.isoformat() for v in self.values.tolist()])


@dataclass(frozen=True, slots=True, eq=False)
class OtherCells(Cells):
    """What is neither a number nor a text nor a time, such as lists."""

    what: str  # "lists", as messages call it
    missing: Array

    def texts(self) -> TextCells:
        """No text: there is no obvious way to write such values."""
        return TextCells(np.full(len(self), MISSING, np.int64), ())


def clean_text(value: Any) -> str:
    """A value as text, without spaces around it; whole floats as integers.

    >>> clean_text(2.0), clean_text(" red ")
    ('2', 'red')
    """
    text = value if type(value) is str else _as_text(value)
    # NumPy drops NUL at the end of a string.
    return text.strip().rstrip("\0")


def _as_text(value: Any) -> str:
    """A gap among integers makes floats of them."""
    if isinstance(value, float | np.floating) and np.isfinite(value) and value == np.floor(value):
        return str(int(value))
    return str(value)
