"""By feature: statistics of the observed values of each feature, for independent features."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.remainder import CellPlaces
from suffice.statistics.removal import remove
from suffice.statistics.scatter import DiagonalScatter
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable
from suffice.text import shown


@storable
@dataclass(frozen=True, slots=True)
class ByFeature:
    """One-column statistics in which every pair of class and feature counts as a class.

    The observed values of feature j in the class at position c have the label c d + j, so merging
    and removal, with all their safeguards, are those of `Statistics`.
    """

    cells: Statistics
    classes: Array  # (k,)
    n_features: int

    def validated(self) -> Self:
        """These cells, if each belongs to a class and a feature; a ValueError otherwise."""
        if self.n_features < 0 or self.cells.n_features != 1 or self.cells.detail != "diagonal":
            raise ValueError("values are not kept by class and feature")
        at = self.cells.classes
        if at.dtype != np.int64 or (at < 0).any():
            raise ValueError("values do not say which class and feature they belong to")
        if len(at) and at[-1] >= len(self.classes) * self.n_features:
            raise ValueError("values belong to no class")
        return self

    def check_beside(self, rows: Statistics) -> None:
        """Raise ValueError if there are more values than these rows can have."""
        same_kind = self.classes.dtype.kind == rows.classes.dtype.kind
        if not same_kind or not np.array_equal(self.classes, rows.classes):
            raise ValueError("values have other classes than rows")
        if (self.cells.count > rows.count[self.cells.classes // self.n_features]).any():
            raise ValueError("there are more values than rows")

    @classmethod
    def empty(cls, classes: Array, n_features: int) -> ByFeature:
        """The cells of features without any observed value."""
        nothing = presence(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        return cls(nothing, classes, n_features)

    @classmethod
    def of(
        cls, statistics: Statistics, classes: Array, features: Indices, n_features: int
    ) -> ByFeature:
        """The cells of complete statistics of the features at some positions (ascending)."""
        s = statistics.coarsen("diagonal")
        at = np.searchsorted(classes, s.classes)
        labels = (at[:, None] * n_features + features).ravel()
        each = len(features)

        def column(values: Floats | None) -> Floats | None:
            return None if values is None else values.reshape(-1, 1)

        assert isinstance(s.spread, DiagonalScatter)
        cells = Statistics(
            labels,
            np.repeat(s.count, each),
            np.repeat(s.weight, each),
            DoubleDouble(s.means.high.reshape(-1, 1), column(s.means.low)),
            DiagonalScatter(
                DoubleDouble(s.spread.sums.high.reshape(-1, 1), column(s.spread.sums.low))
            ),
            None,
        )
        return cls(cells, classes, n_features)

    @property
    def detail(self) -> str:
        """No products of features are kept."""
        return "diagonal"

    def merged(self, other: ByFeature, classes: Array) -> ByFeature:
        """The cells of both; `classes` includes the classes of both."""
        mine, theirs = self.relabel(classes), other.relabel(classes)
        return replace(mine, cells=mine.cells + theirs.cells)

    def reduced(
        self, removed: ByFeature, classes: Array, names: tuple[str, ...] | None
    ) -> ByFeature:
        """What remains without the cells of `removed`."""
        try:
            places = CellPlaces(*np.divmod(self.cells.classes, self.n_features), self.n_features)
            cells = remove(self.cells, removed.relabel(self.classes).cells, places)
        except (NeverIncluded, LostPrecision) as error:
            raise type(error)(self._in_terms_of_classes(str(error), names)) from None
        if not np.isin(self.classes[cells.classes // self.n_features], classes).all():
            raise NeverIncluded(
                "the rows to remove lack values that the rows of their class have; were they ever "
                "added?"
            )
        return replace(self, cells=cells).relabel(classes)

    def relabel(self, classes: Array) -> ByFeature:
        """The same cells in terms of other classes, which include all that have cells."""
        if classes is self.classes or np.array_equal(classes, self.classes):
            return replace(self, classes=classes)
        c, j = np.divmod(self.cells.classes, self.n_features)
        labels = np.searchsorted(classes, self.classes[c]) * self.n_features + j
        return replace(self, cells=replace(self.cells, classes=labels), classes=classes)

    def keep(self, classes: Array) -> ByFeature:
        """The cells of some classes."""
        c = self.cells.classes // self.n_features
        kept = self.cells.keep_classes(np.flatnonzero(np.isin(self.classes[c], classes)))
        return replace(self, cells=kept).relabel(classes)

    def select(self, features: Indices) -> ByFeature:
        """The cells of some features, in the order given."""
        place = np.full(self.n_features, -1)
        place[features] = np.arange(len(features))
        c, j = np.divmod(self.cells.classes, self.n_features)
        labels = c * len(features) + place[j]
        kept = np.flatnonzero(place[j] >= 0)
        kept = kept[np.argsort(labels[kept])]
        cells = replace(self.cells.keep_classes(kept), classes=labels[kept])
        return ByFeature(cells, self.classes, len(features))

    def same(self, other: ByFeature) -> bool:
        """Whether both hold the same cells, up to rounding."""
        return self.cells == other.cells

    def complete(self, rows: Statistics, names: tuple[str, ...] | None) -> Statistics | None:
        """Ordinary statistics, where no value is missing."""
        shape = len(rows.classes), self.n_features
        cells = self.cells
        if not self.n_features or len(cells.count) != shape[0] * shape[1]:
            return None
        if (cells.count.reshape(shape) != rows.count[:, None]).any():
            return None

        def table(values: Floats | None) -> Floats | None:
            return None if values is None else values.reshape(shape)

        assert isinstance(cells.spread, DiagonalScatter)
        sums = cells.spread.sums
        return Statistics(
            rows.classes,
            rows.count,
            rows.weight,
            DoubleDouble(cells.means.high.reshape(shape), table(cells.means.low)),
            DiagonalScatter(DoubleDouble(sums.high.reshape(shape), table(sums.low))),
            None,
            names,
        )

    def _in_terms_of_classes(self, message: str, names: tuple[str, ...] | None) -> str:
        """A message about a cell, reworded in terms of its class and feature."""
        match = re.search(r"class (\d+)", message)
        if match is None:
            return message
        c, j = divmod(int(match[1]), self.n_features)
        message = message.replace(match[0], f"class {shown(self.classes[c])}")
        return message.replace("feature 0", f"feature {j if names is None else repr(names[j])}")

    def rows_at_least(self, classes: Array) -> Indices:
        """Smallest possible number of rows of each class, (k,)."""
        return np.asarray(self.tables()[0].max(axis=1, initial=0))

    def tables(self) -> tuple[Indices, Floats, Floats, Floats]:
        """Count, weight, mean and centred squares of the observed values, (k, d) each.

        Where a class has no value of a feature, the mean is that of the other classes.
        """
        shape = len(self.classes), self.n_features
        at, cells = self.cells.classes, self.cells
        count = np.zeros(shape, np.int64)
        weight, mean, squares = (np.zeros(shape) for _ in range(3))
        count.flat[at] = cells.count
        weight.flat[at] = cells.weight
        mean.flat[at] = cells.mean[:, 0]
        squares.flat[at] = cells.scatter[:, 0]
        return count, weight, with_overall_means(mean, weight), squares

    def means_low(self) -> Floats | None:
        """The low parts of the means, (k, d); zero where a class has no value."""
        low = self.cells.means.low
        if low is None:
            return None
        out = np.zeros((len(self.classes), self.n_features))
        out.flat[self.cells.classes] = low[:, 0]
        return out


def with_overall_means(mean: Floats, weight: Floats) -> Floats:
    """Class means (k, d), replaced by the overall mean where the class has no weight."""
    if not len(mean):
        return mean
    total = weight.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        first = mean[(weight > 0).argmax(axis=0), np.arange(mean.shape[1])]
        overall = first + (weight * (mean - first)).sum(axis=0) / total
    return np.where(weight > 0, mean, overall)


def presence(classes: Array, count: Indices, weight: Floats) -> Statistics:
    """Statistics of rows with one feature that is always zero: they hold only the row counts."""
    zeros = np.zeros((len(classes), 1))
    spread = DiagonalScatter(DoubleDouble(zeros))
    return Statistics(classes, count, weight, DoubleDouble(zeros), spread, None)
