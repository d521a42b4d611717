"""Missing kinds: columns whose missing values (gaps) count themselves, or that are ignored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.cells import Cells
from suffice.data.columns.column_kinds import ColumnKind
from suffice.data.tables.levels import Column
from suffice.data.tables.prepared_table import PreparedColumn, PreparedLevels, PreparedNumbers


@dataclass(frozen=True, slots=True)
class WithIndicator(ColumnKind):
    """A column and its missingness indicator: its values, and whether it is missing.

    values : what the values are

    >>> from suffice.data.columns.cell_reading import cells_of
    >>> from suffice.data.columns.column_kinds import Number
    >>> kind = WithIndicator(Number())
    >>> age, gone = kind.read("age", cells_of(np.array([31.0, np.nan])))
    >>> gone.name, gone.column.values
    ('age (missing)', array([False,  True]))
    """

    values: ColumnKind

    @property
    def label(self) -> str:
        """The kind of the values."""
        return f"{self.values.label} + missing"

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The features of the values, then the indicator."""
        own = self.values.read(name, cells, markers)
        indicator = self.features(name)[-1]
        return (*own, PreparedLevels(indicator, Column(_gaps(own[0]), None, repr(indicator))))

    def features(self, name: str) -> tuple[str, ...]:
        """Those of the values, then one such as "age (missing)"."""
        return (*self.values.features(name), f"{name} (missing)")

    def discrete(self, name: str) -> tuple[str, ...]:
        """Those of the values that are levels, and the indicator."""
        return (*self.values.discrete(name), f"{name} (missing)")

    def write(self, features: Sequence[Array]) -> Array:
        """The values, missing where the indicator says so."""
        *own, missing = features
        values = self.values.write(own)
        if not missing.any():
            return values
        if values.dtype.kind not in "fM":
            values = values.astype(object)
        gap = {"f": np.nan, "M": np.datetime64("NaT")}.get(values.dtype.kind)
        return np.where(missing, np.array(gap, values.dtype), values)


@dataclass(frozen=True, slots=True)
class Ignored(ColumnKind):
    """A column whose values and indicator are read as missing in every row."""

    values: ColumnKind

    @property
    def label(self) -> str:
        """The kind of the values."""
        return self.values.label

    def read(
        self, name: str, cells: Cells, markers: Collection[str] = ()
    ) -> tuple[PreparedColumn, ...]:
        """The features, all of them missing."""
        return tuple(map(_unknown, self.values.read(name, cells, markers)))

    def features(self, name: str) -> tuple[str, ...]:
        """Those of the values."""
        return self.values.features(name)

    def discrete(self, name: str) -> tuple[str, ...]:
        """Those of the values."""
        return self.values.discrete(name)

    def write(self, features: Sequence[Array]) -> Array:
        """The values."""
        return self.values.write(features)


def _gaps(feature: PreparedColumn) -> Array:
    if isinstance(feature, PreparedNumbers):
        return np.isnan(feature.values)
    column = feature.column
    return np.zeros(len(column.values), bool) if column.missing is None else column.missing


def _unknown(feature: PreparedColumn) -> PreparedColumn:
    if isinstance(feature, PreparedNumbers):
        return replace(feature, values=np.full_like(feature.values, np.nan))
    every = np.ones(len(feature.column.values), bool)
    return replace(feature, column=replace(feature.column, missing=every))
