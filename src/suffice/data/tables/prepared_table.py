"""Prepared table: the features of a table, in order, or numbers and levels separately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.tables.frame_output import new_frame
from suffice.data.tables.levels import Column


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


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """The rows of a table."""

    numbers: Floats  # (n, numeric features), NaN where missing
    levels: tuple[Column, ...]  # the columns of levels


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTable:
    """The features of a table, in the order of its columns."""

    columns: tuple[PreparedColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(column.name for column in self.columns)

    @property
    def discrete(self) -> tuple[bool, ...]:
        """Which features are levels."""
        return tuple(isinstance(column, PreparedLevels) for column in self.columns)

    def part(self, columns: Sequence[int]) -> PreparedTable:
        """Some of the features."""
        return PreparedTable(tuple(self.columns[j] for j in columns))

    def numbers(self) -> Floats:
        """The numeric features, (n, d)."""
        own = [column.values for column in self.columns if isinstance(column, PreparedNumbers)]
        return np.stack(own, axis=1) if own else np.empty((self._rows, 0))

    def levels(self) -> list[Column]:
        """The columns of levels."""
        return [column.column for column in self.columns if isinstance(column, PreparedLevels)]

    @property
    def rows(self) -> TableRows:
        """The numbers and the levels, separately."""
        return TableRows(self.numbers(), tuple(self.levels()))

    def frame(self, kind: str) -> Any:
        """The features as a data frame of a library: floats, booleans, and levels as text."""
        return new_frame({column.name: _cells(column) for column in self.columns}, kind)

    @property
    def _rows(self) -> int:
        first = self.columns[0]
        return len(first.column.values if isinstance(first, PreparedLevels) else first.values)


def _cells(column: PreparedColumn) -> Array:
    """The values of a feature, None where a level is missing."""
    if isinstance(column, PreparedNumbers):
        return column.values
    levels = column.column
    values = levels.values if levels.values.dtype.kind == "b" else levels.values.astype(np.str_)
    cells = values.astype(object)
    if levels.missing is not None:
        cells[levels.missing] = None
    return cells
