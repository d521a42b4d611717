"""Column kinds: what the cells of a column mean, and how those of any later table are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.cell_values import (
    as_booleans,
    as_numbers,
    as_texts,
    as_whole_numbers,
    unfit,
    unreadable,
)
from suffice.data.columns.cells import Cells, OtherCells, TextCells, TimeCells
from suffice.data.columns.time_parts import TimePart, join_time, utc_time, wall_time
from suffice.data.columns.written_dates import CLEAR, ORDERS, parse_dates
from suffice.data.tables.levels import Column
from suffice.data.tables.prepared_table import PreparedColumn, PreparedLevels, PreparedNumbers
from suffice.errors import InvalidParameter
from suffice.text import shown


class ColumnKind:
    """What a column is. Kinds hold what it takes to read new rows and nothing about single rows."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """As descriptions show it."""
        raise NotImplementedError

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The features of a column.

        markers : texts that mean a missing value
        """
        raise NotImplementedError

    def features(self, name: str) -> tuple[str, ...]:
        """The names of these features: that of the column."""
        return (name,)

    def discrete(self, name: str) -> tuple[str, ...]:
        """The names of those that are levels: none."""
        return ()

    def write(self, features: Sequence[Array]) -> Array:
        """The values of a column, from those of its features."""
        return features[0]


@dataclass(frozen=True, slots=True)
class Number(ColumnKind):
    """Numbers; texts are read as numbers with a decimal point."""

    label = "number"

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The numbers; an error names the first cell that is not a number."""
        numbers = as_numbers(name, cells.without(markers), ".", strict=True)
        return (PreparedNumbers(name, numbers),)


@dataclass(frozen=True, slots=True)
class WrittenNumber(ColumnKind):
    """Numbers written as text, such as "$1,234" or "1.234,5".

    decimal : the decimal mark; the other one of "." and "," separates thousands
    strict : whether a text that is not a number is an error, not a missing value
    """

    decimal: str = "."
    strict: bool = True
    label = "number (text)"

    def __post_init__(self) -> None:
        _check_known(self.decimal, (".", ","))

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The numbers that the texts write."""
        numbers = as_numbers(name, cells.without(markers), self.decimal, self.strict)
        return (PreparedNumbers(name, numbers),)


@dataclass(frozen=True, slots=True)
class Levels(ColumnKind):
    """Categories (levels): text, booleans, or numbers that name them.

    values : "text", "numbers" from 0, or "booleans"
    keeps : texts that mean a missing value in other columns and a level in this one
    """

    values: str = "text"
    keeps: tuple[str, ...] = ()
    label = "levels"

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
            raise unfit(name, cells, "levels")
        convert = {"text": as_texts, "numbers": as_whole_numbers, "booleans": as_booleans}[
            self.values
        ]
        values, declared = convert(name, cells)
        gaps = cells.missing if cells.missing.any() else None
        return Column(values, gaps, f"column {name!r}", declared)

    def discrete(self, name: str) -> tuple[str, ...]:
        """The name of the column."""
        return (name,)


@dataclass(frozen=True, slots=True)
class Dates(ColumnKind):
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
    label = "dates"

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

    def write(self, features: Sequence[Array]) -> Array:
        """The times, in UTC where there is a time zone; missing where no part gives the day."""
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
            raise unfit(name, cells, "dates")
        times = parse_dates(cells.distinct, self.order)
        if self.strict and np.isnat(times).any():
            raise unreadable(name, cells, cells.distinct[int(np.isnat(times).argmax())], "dates")
        return cells.spread(times, np.datetime64("NaT"))


@dataclass(frozen=True, slots=True)
class SetAside(ColumnKind):
    """A column that is not used.

    reason : why, in a few words
    """

    reason: str
    label = "set aside"

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """No feature."""
        return ()

    def features(self, name: str) -> tuple[str, ...]:
        """No feature."""
        return ()

    def write(self, features: Sequence[Array]) -> Array:
        """Nothing."""
        return np.empty(0)


@dataclass(frozen=True, slots=True)
class Target(SetAside):
    """The column with the classes, which is not a feature."""

    reason: str = "target"
    label = "target"


def _check_known(value: str, values: tuple[str, ...]) -> None:
    if value not in values:
        raise InvalidParameter(f"{shown(value)} is not one of {', '.join(values)}.")
