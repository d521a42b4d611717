"""Prepared table: the features of a table, in order, or numbers and levels separately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.frame_output import new_frame
from suffice.data.tables.levels import Column


@dataclass(frozen=True, slots=True, eq=False)
class PreparedNumbers:
    """A numeric feature."""

    name: str
    values: Floats  # (n,), NaN where missing

    def take(self, at: Indices | slice) -> PreparedNumbers:
        """Some of the rows."""
        return replace(self, values=self.values[at])


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLevels:
    """A discrete feature."""

    name: str
    column: Column

    def take(self, at: Indices | slice) -> PreparedLevels:
        """Some of the rows."""
        own = self.column
        missing = None if own.missing is None else own.missing[at]
        return replace(self, column=replace(own, values=own.values[at], missing=missing))


PreparedColumn = PreparedNumbers | PreparedLevels


@dataclass(frozen=True, eq=False)
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

    def take(self, at: Indices | slice) -> PreparedTable:
        """Some of the rows."""
        return PreparedTable(tuple(column.take(at) for column in self.columns))

    def part(self, columns: Sequence[int]) -> PreparedTable:
        """Some of the features."""
        return PreparedTable(tuple(self.columns[j] for j in columns))

    @cached_property
    def numbers(self) -> Floats:
        """The numeric features, (n, d), NaN where missing."""
        own = [column.values for column in self.columns if isinstance(column, PreparedNumbers)]
        return np.stack(own, axis=1) if own else np.empty((self.n_rows, 0))

    def with_numbers(self, values: Floats) -> PreparedTable:
        """The same table with other numbers (n, d) in its numeric features."""
        new = iter(values.T)
        return PreparedTable(
            tuple(
                replace(one, values=next(new)) if isinstance(one, PreparedNumbers) else one
                for one in self.columns
            )
        )

    @cached_property
    def levels(self) -> tuple[Column, ...]:
        """The columns of levels."""
        return tuple(one.column for one in self.columns if isinstance(one, PreparedLevels))

    def frame(self, kind: str) -> Any:
        """The features as a data frame of a library: floats, booleans, and levels as text."""
        return new_frame({column.name: _cells(column) for column in self.columns}, kind)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
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
