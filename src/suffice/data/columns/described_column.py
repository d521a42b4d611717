"""Described column: what a column of a table is taken for, and why; levels and dates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.columns.cells import Cells, NumberCells
from suffice.data.columns.column_kinds import ColumnKind, Dates, Levels, SetAside
from suffice.data.columns.column_options import ColumnOptions
from suffice.data.columns.time_parts import varying_parts
from suffice.data.tables.levels import MOST_FRACTIONS
from suffice.errors import InvalidParameter

DROPPED = SetAside("dropped")

CONSTANT = "; the same in every row, so it carries no information"


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of a table: what it is, and why.

    why : one sentence
    missing : number of cells without a value
    levels : number of different values, where they count as levels or as texts
    unread : number of cells with a text that is treated as missing
    """

    name: str
    kind: ColumnKind
    why: str
    missing: int
    levels: int | None = None
    unread: int = 0

    @property
    def note(self) -> str | None:
        """A note for the user if the column, or some of its cells, are not used; else None."""
        if self.kind.label == SetAside.label and self.kind != DROPPED:
            return f"column {self.name!r} is set aside: {self.why}"
        return f"column {self.name!r}: {self.why}" if self.unread else None


def describe_levels(name: str, cells: Cells, kind: Levels, why: str) -> DescribedColumn:
    """Levels, with a remark where all rows have the same."""
    levels = len(kind.column(name, cells).encode()[0])
    why += CONSTANT if levels == 1 and len(cells) > 1 else ""
    return DescribedColumn(name, kind, why, int(cells.missing.sum()), levels)


def number_levels(name: str, cells: NumberCells) -> Levels:
    """Levels that are numbers; text where a number cannot be a level."""
    known = cells.values[~cells.missing]
    if len(known) and not (known.min() >= 0 and known.max() < np.iinfo(np.int64).max):
        return Levels("text")
    fractions = len(np.unique(known[known != np.floor(known)]))
    if fractions > MOST_FRACTIONS:
        raise InvalidParameter(
            f"column {name!r} looks like a measurement: {fractions:,} different fractions, "
            f"which are not levels. Cut it into bins, or say numeric=[{name!r}]."
        )
    return Levels("numbers")


def describe_dates(
    name: str, cells: Cells, kind: Dates, options: ColumnOptions, what: str, unread: int = 0
) -> DescribedColumn:
    """Dates, as those parts that differ between rows."""
    times = kind.times(name, cells)
    missing = int(np.isnat(times).sum())
    if options.dates == "drop":
        return DescribedColumn(name, SetAside("dates"), f"{what}; dates='drop'", missing)
    varying = tuple(part.value for part in varying_parts(times))
    kind = Dates(varying, kind.order, kind.zone, kind.strict)
    parts = ", ".join(kind.parts)
    return DescribedColumn(name, kind, f"{what}; read as {parts}", missing, None, unread)
