"""Encoding: the rows of a table with levels as numbers, and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.feature_rows import IndicatorFeatures
from suffice.data.tables.frame_output import FrameForm
from suffice.data.tables.level_groups import LevelGroups, distinct
from suffice.data.tables.prepared_table import PreparedTable
from suffice.data.tables.table_rows import TableReader
from suffice.data.tables.table_writing import write_rows


@dataclass(frozen=True, eq=False)
class Encoding:
    """Numeric columns as they are, then an indicator for each group of levels but the first."""

    reader: TableReader
    groups: tuple[LevelGroups, ...]  # of each column of levels

    @classmethod
    def of(cls, X: Any, reader: TableReader) -> Encoding:
        """The encoding of a table by the levels that it holds."""
        groups = []
        for name, column in zip(reader.level_names, reader.read(X).levels, strict=True):
            levels, codes = column.encode()
            rows = np.bincount(codes[codes >= 0], minlength=len(levels)).astype(np.float64)
            groups.append(LevelGroups.of(name, levels, rows))
        return cls(reader, tuple(groups))

    def validated(self) -> Self:
        """This encoding, if it has the columns of its reader; a ValueError otherwise."""
        if tuple(own.name for own in self.groups) != self.reader.level_names:
            raise ValueError("the groups of levels are those of other columns")
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers."""
        indicators = [name for own in self.groups for name in own.names]
        return distinct([*self.reader.numeric_names, *indicators])

    @cached_property
    def owner(self) -> Indices:
        """The position of the column that each number belongs to."""
        own = list(self.reader.numeric_owners)
        for j, groups in zip(self.reader.level_owners, self.groups, strict=True):
            own += [j] * (groups.size - 1)
        return np.array(own, np.int64)

    def read(self, X: Any) -> IndicatorFeatures:
        """The rows of a table as features."""
        return self.features(self.reader.read(X))

    def features(self, table: PreparedTable) -> IndicatorFeatures:
        """The same of rows that have been read."""
        pairs = zip(self.groups, table.levels, strict=True)
        codes = tuple(own.codes(column) for own, column in pairs)
        sizes = tuple(own.size for own in self.groups)
        return IndicatorFeatures(table.numbers, codes, sizes, 1, self.names)

    def encode(self, X: Any) -> Floats:
        """The rows of a table as numbers, NaN where a value is missing or a level is new."""
        features = self.read(X)
        return features.read(0, len(features.numbers))

    def levels_of(self, rows: Floats) -> list[Array]:
        """The level of each row in each column of levels: the one its indicators are closest to."""
        out, low = [], len(self.reader.numeric_names)
        for own in self.groups:
            high = low + own.size - 1
            out.append(own.nearest(rows[:, low:high]))
            low = high
        return out

    def decode(self, rows: Floats, like: Any = None, frame: FrameForm | None = None) -> Any:
        """Numbers without gaps as a table of the user's kind; see `write_rows`."""
        numbers = rows[:, : len(self.reader.numeric_names)]
        return write_rows(self.reader, numbers, self.levels_of(rows), like, frame)
