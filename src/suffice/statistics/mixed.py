"""Mixed statistics: those of several parts of the features, such as numbers and categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.mixed import DISCRETE, NUMERIC, ColumnLayout, columns_at
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidParameter, Mismatch
from suffice.statistics.counts import Counts
from suffice.statistics.level_table import LevelTable
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import check_names
from suffice.statistics.table_statistics import TableStatistics
from suffice.text import shown


@storable
@dataclass(frozen=True, eq=False, slots=True)
class MixedStatistics(Savable):
    """Statistics of labelled rows whose features come in parts; there is at least one.

    A value: `a + b` is having seen both, `a - b` never having seen b.

    Attributes
    ----------
    parts : the statistics of each part, such as `Statistics` and `Counts`; all of the same rows
    layout : the columns of each part, in the same order
    feature_names : names of all features, or None
    reader : how the features were read from a table that holds more than numbers, if it did
    """

    parts: dict[str, Any]
    layout: ColumnLayout
    feature_names: tuple[str, ...] | None = None
    reader: TableReader | None = None

    @property
    def numeric(self) -> Any:
        """The statistics of the numeric features, or None."""
        return self.parts.get(NUMERIC)

    @property
    def discrete(self) -> Any:
        """The counts of the discrete features, or None."""
        return self.parts.get(DISCRETE)

    @property
    def _first(self) -> Any:
        return next(iter(self.parts.values()))

    @property
    def classes(self) -> Array:
        """Sorted class labels, (k,)."""
        return self._first.classes  # type: ignore[no-any-return]

    @property
    def count(self) -> Indices:
        """Rows of each class, (k,)."""
        return self._first.count  # type: ignore[no-any-return]

    @property
    def weight(self) -> Floats:
        """Total weight of each class, (k,)."""
        return self._first.weight  # type: ignore[no-any-return]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.layout.n_features

    @property
    def detail(self) -> str:
        """The detail of the first part, which is the numeric one if there is any."""
        return self._first.detail  # type: ignore[no-any-return]

    @property
    def form(self) -> tuple[ColumnLayout, dict[str, Any]]:
        """The layout, and the form of each part: equal for statistics that can be added."""
        forms = {key: getattr(part, "form", part.detail) for key, part in self.parts.items()}
        return self.layout, forms

    @property
    def numbers(self) -> MixedStatistics:
        """The same with the numbers that models take in the place of exact parts."""
        return self._map(lambda part: getattr(part, "numbers", part))

    @property
    def levels(self) -> dict[int, Array]:
        """The levels of each discrete feature, by the position of its column."""
        by_feature = {
            self.layout.parts[key][j]: levels
            for key, part in self.parts.items()
            for j, levels in getattr(part, "levels", {}).items()
        }
        if self.reader is None:
            return by_feature
        own = self.reader.level_places
        return {own[j]: levels for j, levels in by_feature.items() if j in own}

    def __add__(self, other: object) -> MixedStatistics:
        if not isinstance(other, MixedStatistics):
            return NotImplemented
        return self._combine(other, lambda a, b: a + b)

    def __sub__(self, other: object) -> MixedStatistics:
        if not isinstance(other, MixedStatistics):
            return NotImplemented
        return self._combine(other, lambda a, b: a - b)

    def __eq__(self, other: object) -> bool:
        """Whether both are equal, up to rounding."""
        if not isinstance(other, MixedStatistics):
            return NotImplemented
        mine, theirs = (
            (one.layout, one.feature_names, one.reader, one.parts) for one in (self, other)
        )
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kinds = " and ".join(f"{len(at)} {key}" for key, at in self.layout.parts.items())
        rows, k = int(self.count.sum()), len(self.classes)
        return f"<MixedStatistics of {rows} rows, {kinds} features, {k} classes>"

    def coarsen(self, detail: str) -> MixedStatistics:
        """The same rows with less detail of the numeric features."""
        return self._map(lambda part: part.coarsen(detail))

    def drop_class(self, label: Any) -> MixedStatistics:
        """The statistics without one class, as if its rows had never been seen."""
        return self._map(lambda part: part.drop_class(label))

    def validated(self) -> Self:
        """These statistics, if all parts are of the same rows; a ValueError otherwise."""
        check_names(self.feature_names, self.n_features)
        if self.parts.keys() != self.layout.parts.keys():
            raise ValueError("it does not say which features each part has")
        first = self._first
        for key, part in self.parts.items():
            if isinstance(part, MixedStatistics) or not hasattr(part, "n_features"):
                raise ValueError("a part has the wrong kind")
            if part.n_features != len(self.layout.parts[key]):
                raise ValueError("a part has the wrong number of features")
            _check_same_rows(first, part)
        return self

    def _map(self, work: Callable[[Any], Any]) -> MixedStatistics:
        return replace(self, parts={key: work(part) for key, part in self.parts.items()})

    def _combine(self, other: MixedStatistics, work: Callable[[Any, Any], Any]) -> MixedStatistics:
        if self.feature_names != other.feature_names:
            raise Mismatch(
                "the two sides have different feature names, or a different order of them."
            )
        if self.layout != other.layout:
            raise Mismatch(_difference(self, other))
        if self.reader != other.reader:
            raise Mismatch("the two sides read their columns differently.")
        parts = {}
        for key, part in self.parts.items():
            with columns_at(None if self.feature_names else self.layout.parts[key]):
                parts[key] = work(part, other.parts[key])
        return replace(self, parts=parts)


def _difference(a: MixedStatistics, b: MixedStatistics) -> str:
    """In words, the first feature that belongs to different parts."""
    if a.n_features != b.n_features:
        return f"one side has {a.n_features} features and the other {b.n_features}."
    mine, theirs = ({j: key for key, at in s.layout.parts.items() for j in at} for s in (a, b))
    j = next(j for j in range(a.n_features) if mine[j] != theirs[j])
    name = j if a.feature_names is None else a.feature_names[j]
    return f"feature {shown(name)} is {mine[j]} on one side and {theirs[j]} on the other."


def _check_same_rows(a: Any, b: Any) -> None:
    same_kind = a.classes.dtype.kind == b.classes.dtype.kind
    if not same_kind or not np.array_equal(a.classes, b.classes):
        raise ValueError("the parts have different classes")
    if not np.array_equal(a.count, b.count):
        raise ValueError("the parts have different numbers of rows")
    # Relative difference between weights of the same rows that were summed in two ways.
    rounding = 1e-6
    if not np.allclose(a.weight, b.weight, rounding, 0):
        raise ValueError("the parts have different weights")


def as_mixed(table: TableStatistics) -> MixedStatistics:
    """What naive Bayes takes of a table: nothing of how columns depend on each other.

    The sums of the indicators of a column are the counts of its levels, of rows without weights.
    """
    reader, p = table.reader, len(table.reader.numeric_names)
    discrete = np.isin(reader.feature_names, reader.level_names)
    layout = ColumnLayout.of_mask(discrete)
    parts: dict[str, Any] = {}
    if p:
        parts[NUMERIC] = table.every.select(range(p))
    if reader.level_names:
        parts[DISCRETE] = level_counts(table)
    return MixedStatistics(parts, layout, reader.feature_names, reader)


def level_counts(table: TableStatistics, rounding: float = 1e-3) -> Counts:
    """The rows of each class that have each level.

    rounding : largest error of a number of rows, as a share of one row
    """
    if not np.array_equal(table.weight, table.count):
        raise InvalidParameter(
            "these statistics are of weighted rows, whose levels are weighed, not counted; fit a "
            "naive Bayes model to the rows themselves."
        )
    sums = table.level_weights()
    rows = np.rint(sums)
    if np.abs(sums - rows).max(initial=0.0) > rounding:
        raise InvalidParameter("these statistics have lost the digits that counts need.")
    tables, low = [], 0
    for levels in table.known_levels:
        own = rows[:, low : low + len(levels)]
        low += len(levels)
        undeclared = np.zeros(len(levels), bool)
        tables.append(LevelTable(levels, own.astype(np.int64), own, undeclared).trim())
    names = table.reader.level_names
    return Counts(table.classes, table.count, table.weight, tuple(tables), names)
