"""Level table: how often each level of one feature occurs in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import narrowest
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import check_labels


@storable
@dataclass(frozen=True, slots=True)
class LevelTable:
    """One feature: rows and weight of each level, by class.

    A level exists because some row has it, or because the type of the column declares it (a
    pandas Categorical, a polars Enum, an Arrow dictionary). Removing its last row removes an
    undeclared level; a declared one stays, like the name of the column.
    """

    levels: Array  # (m,) sorted
    rows: Indices  # (k, m)
    weight: Floats  # (k, m)
    declared: Array  # (m,) bool: whether the column type declares the level

    def __post_init__(self) -> None:
        for array in (self.levels, self.rows, self.weight, self.declared):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__, so that copies are locked too.
        return LevelTable, (self.levels, self.rows, self.weight, self.declared)

    def validated(self) -> Self:
        """This table, if it has numbers of rows and weights by level; a ValueError otherwise."""
        check_labels("levels", self.levels)
        m = self.levels.shape
        if self.rows.ndim != 2 or self.rows.shape[1:] != m or self.weight.shape != self.rows.shape:
            raise ValueError("there are not as many counts as levels")
        if self.declared.shape != m or self.declared.dtype != np.bool_:
            raise ValueError("it does not say for each level whether it was declared")
        if (self.rows < 0).any() or (self.weight < 0).any():
            raise ValueError("a number of rows or a weight is negative")
        if ((self.weight > 0) & (self.rows == 0)).any():
            raise ValueError("a level has weight but no rows")
        if not (self.rows.any(axis=0) | self.declared).all():
            raise ValueError("a level has no rows and was not declared")
        return self

    def __add__(self, other: LevelTable) -> LevelTable:
        """Both, of the same classes and levels."""
        declared = self.declared | other.declared
        return LevelTable(self.levels, self.rows + other.rows, self.weight + other.weight, declared)

    def __sub__(self, other: LevelTable) -> LevelTable:
        """The first without the second, of the same classes and levels."""
        return LevelTable(
            self.levels, self.rows - other.rows, self.weight - other.weight, self.declared
        )

    def spread(self, at: Any, k: int, levels: Array) -> LevelTable:
        """The same table with more classes, and with the levels that occur in some row."""
        # A level that only the column type declares may be absent from `levels`.
        own = np.isin(self.levels, levels)
        columns = np.searchsorted(levels, self.levels[own])
        rows, weight = np.zeros((k, len(levels)), np.int64), np.zeros((k, len(levels)))
        where = np.ix_(np.arange(k)[at], columns)
        rows[where], weight[where] = self.rows[:, own], self.weight[:, own]
        declared = np.zeros(len(levels), bool)
        declared[columns] = self.declared[own]
        return LevelTable(levels, rows, weight, declared)

    def declare(self, declared: Array) -> LevelTable:
        """The same table with levels that stay even if no row has them."""
        levels = np.union1d(self.levels, declared) if len(self.levels) else declared
        table = self.spread(slice(None), len(self.rows), levels)
        return replace(table, declared=table.declared | np.isin(levels, declared))

    def keep_classes(self, kept: Array) -> LevelTable:
        """The table of some classes, with the levels that their rows have and declared ones."""
        return LevelTable(self.levels, self.rows[kept], self.weight[kept], self.declared).trim()

    def trim(self) -> LevelTable:
        """Without levels that no row has and that were not declared."""
        kept = self.rows.any(axis=0) | self.declared
        weight = np.where(self.rows > 0, self.weight, 0.0)
        levels = narrowest(self.levels[kept])
        # Without levels left, their dtype must not depend on the levels that were removed.
        if not len(levels) or (levels.dtype.kind == "f" and (levels == np.floor(levels)).all()):
            levels = levels.astype(np.int64)
        return LevelTable(levels, self.rows[:, kept], weight[:, kept], self.declared[kept])
