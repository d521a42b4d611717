"""Column kinds: what the cells of a column mean, and how those of any later table are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.cells import BooleanCells, Cells, NumberCells, OtherCells, TextCells, TimeCells
from suffice.data.levels import Column
from suffice.data.time_parts import TimePart, join_time, utc_time, wall_time
from suffice.data.written_dates import CLEAR, ORDERS, parse_dates
from suffice.data.written_numbers import parse_numbers
from suffice.errors import InvalidFeatures, InvalidParameter, NotNumbers
from suffice.text import shown


@dataclass(frozen=True, slots=True, eq=False)
class PreparedNumbers:
    """A numeric feature."""

    name: str
    values: Floats  # (n,), NaN where missing


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLevels:
    """A discrete feature."""

    name: str
    column: Column


PreparedColumn = PreparedNumbers | PreparedLevels


class ColumnKind(Protocol):
    """What a column is. Kinds hold what it takes to read new rows and nothing about single rows."""

    @property
    def label(self) -> str:
        """As descriptions show it."""

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The features of a column.

        markers : texts that mean a missing value
        """

    def features(self, name: str) -> tuple[str, ...]:
        """The names of these features."""

    def discrete(self, name: str) -> tuple[str, ...]:
        """The names of those that are levels."""

    def write(self, features: Sequence[Array]) -> Array:
        """The values of a column, from those of its features."""


class OneNumber:
    """A column that is one feature, a number."""

    __slots__ = ()

    def features(self, name: str) -> tuple[str, ...]:
        """The name of the column."""
        return (name,)

    def discrete(self, name: str) -> tuple[str, ...]:
        """None."""
        return ()

    def write(self, features: Sequence[Array]) -> Array:
        """The values themselves."""
        return features[0]


@dataclass(frozen=True, slots=True)
class Number(OneNumber):
    """Numbers; texts are read as numbers with a decimal point."""

    label: ClassVar[str] = "number"

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The numbers; an error names the first cell that is not a number."""
        numbers = _numbers(name, cells.without(markers), ".", strict=True)
        return (PreparedNumbers(name, numbers),)


@dataclass(frozen=True, slots=True)
class WrittenNumber(OneNumber):
    """Numbers written as text, such as "$1,234" or "1.234,5".

    decimal : the decimal mark; the other one of "." and "," separates thousands
    strict : whether a text that is not a number is an error, not a missing value
    """

    decimal: str = "."
    strict: bool = True
    label: ClassVar[str] = "number (text)"

    def __post_init__(self) -> None:
        _check_known(self.decimal, (".", ","))

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The numbers that the texts write."""
        numbers = _numbers(name, cells.without(markers), self.decimal, self.strict)
        return (PreparedNumbers(name, numbers),)


@dataclass(frozen=True, slots=True)
class Levels:
    """Categories (levels): text, booleans, or numbers that name them.

    values : "text", "numbers" from 0, or "booleans"
    keeps : texts that mean a missing value in other columns and a level in this one
    """

    values: str = "text"
    keeps: tuple[str, ...] = ()
    label: ClassVar[str] = "levels"

    def __post_init__(self) -> None:
        _check_known(self.values, ("text", "numbers", "booleans"))

    @classmethod
    def of(cls, levels: Array, markers: Collection[str]) -> Levels:
        """The kind of a column with these levels; markers among them are levels."""
        values = {"U": "text", "b": "booleans"}.get(levels.dtype.kind, "numbers")
        return cls(values, tuple(one for one in markers if one in levels.tolist()))

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The level of each row; levels never seen before are accepted."""
        known = cells.without([text for text in markers if text not in self.keeps])
        return (PreparedLevels(name, self.column(name, known)),)

    def column(self, name: str, cells: Cells) -> Column:
        """The values of the cells, which may be levels to come."""
        if isinstance(cells, OtherCells):
            raise _unfit(name, cells, "levels")
        convert = {"text": _texts, "numbers": _whole_numbers, "booleans": _booleans}[self.values]
        values, declared = convert(name, cells)
        gaps = cells.missing if cells.missing.any() else None
        return Column(values, gaps, f"column {name!r}", declared)

    def features(self, name: str) -> tuple[str, ...]:
        """The name of the column."""
        return (name,)

    def discrete(self, name: str) -> tuple[str, ...]:
        """The name of the column."""
        return (name,)

    def write(self, features: Sequence[Array]) -> Array:
        """The values themselves."""
        return features[0]


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates and times, read as numbers: year, month, weekday, hour, days since 1970-01-01.

    parts : those that become features
    order : of day and month where both are numbers: "day first", "month first", "year first"
    zone : the time zone of the clock that shows the hour; None for times without one
    strict : whether a text that is not a date is an error, not a missing value
    """

    parts: tuple[str, ...]  # values of TimePart
    order: str = CLEAR
    zone: str | None = None
    strict: bool = True
    label: ClassVar[str] = "dates"

    def __post_init__(self) -> None:
        _check_known(self.order, ORDERS)
        for part in self.parts:
            _check_known(part, tuple(TimePart))

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """One number per part."""
        times = self.times(name, cells.without(markers))
        pairs = zip(self.features(name), self.parts, strict=True)
        return tuple(PreparedNumbers(feature, TimePart(part).of(times)) for feature, part in pairs)

    def features(self, name: str) -> tuple[str, ...]:
        """The name of the column with each part, such as "born (year)"."""
        return tuple(f"{name} ({part})" for part in self.parts)

    def discrete(self, name: str) -> tuple[str, ...]:
        """None."""
        return ()

    def write(self, features: Sequence[Array]) -> Array:
        """The times, in UTC where there is a time zone; missing where no part tells the day."""
        days, hours = (
            features[self.parts.index(part)] if part in self.parts else None
            for part in (TimePart.DAYS, TimePart.HOUR)
        )
        if days is None and (hours is None or len(self.parts) > 1):
            return np.full(len(features[0]), "NaT", "datetime64[us]")
        return utc_time(join_time(days, hours), self.zone)

    def times(self, name: str, cells: Cells) -> Array:
        """The time of each row as the clock showed it, (n,) datetime64."""
        if isinstance(cells, TimeCells):
            return wall_time(cells.values, cells.zone and (self.zone or cells.zone))
        if cells.missing.all():
            return np.full(len(cells), "NaT", "datetime64[us]")
        if not isinstance(cells, TextCells):
            raise _unfit(name, cells, "dates")
        times = parse_dates(cells.distinct, self.order)
        if self.strict and np.isnat(times).any():
            raise _unreadable(name, cells, cells.distinct[int(np.isnat(times).argmax())], "dates")
        return cells.spread(times, np.datetime64("NaT"))


@dataclass(frozen=True, slots=True)
class SetAside:
    """A column that is not used.

    reason : why, in a few words
    """

    reason: str
    label: ClassVar[str] = "set aside"

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """No feature."""
        return ()

    def features(self, name: str) -> tuple[str, ...]:
        """No feature."""
        return ()

    def discrete(self, name: str) -> tuple[str, ...]:
        """None."""
        return ()

    def write(self, features: Sequence[Array]) -> Array:
        """Nothing."""
        return np.empty(0)


@dataclass(frozen=True, slots=True)
class Target(SetAside):
    """The column with the classes, which is not a feature."""

    reason: str = "target"
    label: ClassVar[str] = "target"


def _check_known(value: str, values: tuple[str, ...]) -> None:
    if value not in values:
        raise InvalidParameter(f"{shown(value)} is not one of {', '.join(values)}.")


def _numbers(name: str, cells: Cells, decimal: str, strict: bool) -> Floats:
    if isinstance(cells, NumberCells):
        return cells.values.astype(np.float64)
    if isinstance(cells, BooleanCells):
        return np.where(cells.missing, np.nan, cells.values)
    if cells.missing.all():
        return np.full(len(cells), np.nan)
    if not isinstance(cells, TextCells):
        raise _unfit(name, cells, "numbers")
    numbers = parse_numbers(cells.distinct, decimal)
    if strict and np.isnan(numbers).any():
        raise _unreadable(name, cells, cells.distinct[int(np.isnan(numbers).argmax())], "numbers")
    return cells.spread(numbers, np.nan)


def _texts(name: str, cells: Cells) -> tuple[Array, Array | None]:
    texts = cells.texts()
    declared = texts.declared if isinstance(cells, TextCells) else None
    return texts.spread(np.array(texts.distinct, np.str_), ""), declared


def _whole_numbers(name: str, cells: Cells) -> tuple[Array, Array | None]:
    """Integers where all are whole, floats otherwise, 0 where missing."""
    numbers = cells.values if isinstance(cells, NumberCells) else None
    if numbers is None or numbers.dtype.kind == "f":
        numbers = np.nan_to_num(_numbers(name, cells, ".", strict=True), nan=0.0)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < np.iinfo(np.int64).max):
        bad = numbers[int(np.argmax((numbers < 0) | ~np.isfinite(numbers)))]
        raise InvalidFeatures(
            f"column {name!r} holds {shown(bad)}, where levels are numbers from 0. Convert the "
            f"column to text first, in all tables."
        )
    if numbers.dtype.kind == "f" and (numbers == np.floor(numbers)).all():
        numbers = numbers.astype(np.int64)
    declared = cells.declared if isinstance(cells, NumberCells) else None
    return numbers.astype(np.int64, copy=False) if numbers.dtype.kind in "iu" else numbers, declared


def _booleans(name: str, cells: Cells) -> tuple[Array, Array | None]:
    if isinstance(cells, BooleanCells):
        return cells.values, cells.declared
    texts = cells.texts()
    known = {"true": True, "false": False, "1": True, "0": False}
    for text in texts.distinct:
        if text.lower() not in known:
            raise _unreadable(name, texts, text, "true and false")
    values = np.array([known[text.lower()] for text in texts.distinct], bool)
    return texts.spread(values, False), None


def _unreadable(name: str, cells: TextCells, text: str, wanted: str) -> NotNumbers:
    return NotNumbers(
        f"column {name!r} holds {shown(text)} in row {cells.first_row(text)}, where {wanted} are "
        f"expected. If it means a missing value, leave the cell empty, or name it by "
        f"missing=[{shown(text)}]."
    )


def _unfit(name: str, cells: Cells, wanted: str) -> NotNumbers:
    what = {TimeCells: "dates", NumberCells: "numbers", BooleanCells: "booleans"}.get(type(cells))
    holds = cells.what if isinstance(cells, OtherCells) else what
    return NotNumbers(
        f"column {name!r} holds {holds}, where {wanted} are expected; convert it first, or leave "
        f"it out of all tables with drop=[{name!r}]."
    )
