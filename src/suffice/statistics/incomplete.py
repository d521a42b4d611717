"""Incomplete statistics: those of rows in which some values are missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import InvalidParameter, NeverIncluded
from suffice.statistics.by_feature import ByFeature, presence
from suffice.statistics.by_pattern import ByPattern, key_of
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.shape import check_same_shape, is_coarser, positions
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import check_names


@storable
@dataclass(frozen=True, eq=False, slots=True)
class IncompleteStatistics(Savable):
    """Statistics of labelled rows with missing values, made by `suffice.summarize`.

    For details "separate" and "shared", each pattern of missing values has statistics of its own;
    for detail "diagonal", each feature has statistics of its observed values. Both merge and
    subtract like complete statistics, and with them. Models are estimated from either.

    Attributes
    ----------
    classes : (k,) sorted class labels
    count, weight : (k,) rows of each class and their total weight, missing values or not
    known_count, known_weight : (k, d) number of observed (known) values, and their weight
    mean : (k, d) mean of the observed values; that of all classes where a class has none

    >>> import suffice as sf
    >>> s = sf.summarize([[1.0, 2.0], [3.0, None], [5.0, 6.0]], ["a", "a", "b"])
    >>> s
    <IncompleteStatistics of 3 rows, 2 features, 2 classes, detail='separate', 2 patterns>
    >>> s.known_weight
    array([[2., 1.], [1., 1.]])
    """

    rows: Statistics = field(repr=False)  # of one feature that is always zero
    parts: ByPattern | ByFeature = field(repr=False)
    feature_names: tuple[str, ...] | None = None

    @property
    def classes(self) -> Array:
        """Sorted class labels, (k,)."""
        return self.rows.classes

    @property
    def count(self) -> Indices:
        """Rows of each class, (k,)."""
        return self.rows.count

    @property
    def weight(self) -> Floats:
        """Total weight of each class, (k,)."""
        return self.rows.weight

    @property
    def known_weight(self) -> Floats:
        """Weight of the observed values, (k, d)."""
        return self._tables()[1]

    @property
    def known_count(self) -> Indices:
        """Number of observed values, (k, d)."""
        return self._tables()[0]

    @property
    def mean(self) -> Floats:
        """Mean of the observed values, (k, d)."""
        return self._tables()[2]

    @property
    def means(self) -> DoubleDouble:
        """The means with their low parts, which only detail "diagonal" has."""
        low = self.parts.means_low() if isinstance(self.parts, ByFeature) else None
        return DoubleDouble(self.mean, low)

    @property
    def squares(self) -> Floats:
        """Centred sums of squares of the observed values, (k, d); for detail "diagonal" only."""
        if not isinstance(self.parts, ByFeature):
            raise InvalidParameter(
                "squares by feature need detail 'diagonal'; use coarsen('diagonal')."
            )
        return self.parts.tables()[3]

    @property
    def pooled_squares(self) -> Floats:
        """Sums of squares of the observed values about the mean of their class, (d,)."""
        if isinstance(self.parts, ByFeature):
            return np.asarray(self.squares.sum(axis=0))
        return self.parts.pooled_squares(self.classes, self.mean)

    @property
    def detail(self) -> str:
        """How much is kept: "separate", "shared" or "diagonal"."""
        return self.parts.detail

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.parts.n_features

    def __add__(self, other: object) -> AnyStatistics:
        if not isinstance(other, IncompleteStatistics | Statistics):
            return NotImplemented
        other = as_incomplete(other)
        check_same_shape(self, other)
        rows = self.rows + other.rows
        parts = self.parts.merged(other.parts, rows.classes)  # type: ignore[arg-type]
        return IncompleteStatistics(rows, parts, self.feature_names)

    def __radd__(self, other: object) -> AnyStatistics:
        # sum() starts from 0, which here stands for having seen nothing.
        return self if isinstance(other, int) and other == 0 else self + other

    def __sub__(self, other: object) -> AnyStatistics:
        if not isinstance(other, IncompleteStatistics | Statistics):
            return NotImplemented
        other = as_incomplete(other)
        check_same_shape(self, other)
        rows = self.rows - other.rows
        names = self.feature_names
        parts = self.parts.reduced(other.parts, rows.classes, names)  # type: ignore[arg-type]
        if (parts.rows_at_least(rows.classes) > rows.count).any():
            raise NeverIncluded(
                "the rows to remove lack values that the rows seen have; were they ever added?"
            )
        return simplify(IncompleteStatistics(rows, parts, self.feature_names))

    def __rsub__(self, other: object) -> AnyStatistics:
        return as_incomplete(other) - self if isinstance(other, Statistics) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Whether both have the same classes, features and numbers, up to rounding."""
        if not isinstance(other, IncompleteStatistics):
            return NotImplemented
        return (
            self.feature_names == other.feature_names
            and self.n_features == other.n_features
            and self.detail == other.detail
            and self.rows == other.rows
            and self.parts.same(other.parts)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        k, d = len(self.classes), self.n_features
        rows = int(self.count.sum())
        text = f"{rows} rows, {d} features, {k} classes, detail={self.detail!r}"
        if isinstance(self.parts, ByPattern):
            text += f", {len(self.parts.parts)} patterns"
        return f"<IncompleteStatistics of {text}>"

    def _repr_html_(self) -> str:
        from suffice.statistics.class_table import class_table

        return class_table(self, repr(self))

    def select(self, features: Iterable[int] | Iterable[str]) -> AnyStatistics:
        """The statistics of some features, by name or position, in the order given."""
        names = self.feature_names
        at = positions(features, names or (), self.n_features)
        chosen = None if names is None else tuple(names[i] for i in at)
        parts = self.parts.select(at)
        if isinstance(parts, ByPattern):
            parts = parts.named(chosen)
        return simplify(replace(self, parts=parts, feature_names=chosen))

    def named(self, names: tuple[str, ...] | None) -> Self:
        """The same statistics with other feature names."""
        parts = self.parts.named(names) if isinstance(self.parts, ByPattern) else self.parts
        return replace(self, parts=parts, feature_names=names)

    def drop_class(self, label: Any) -> AnyStatistics:
        """The statistics without one class, as if its rows had never been seen."""
        rows = self.rows.drop_class(label)
        return simplify(replace(self, rows=rows, parts=self.parts.keep(rows.classes)))

    def coarsen(self, detail: str) -> IncompleteStatistics:
        """The same rows in less detail: "separate" can become "shared" or "diagonal"."""
        if not is_coarser(detail, self.detail):
            return self
        assert isinstance(self.parts, ByPattern)
        if detail == "diagonal":
            return replace(self, parts=self.parts.by_feature(self.classes))
        return replace(self, parts=self.parts.coarsen(detail))

    def expansion(self) -> tuple[int, str]:
        """Bytes of the tables by class and feature, which may be larger than the file."""
        # By class and feature: counts, weights, means, squares.
        tables = 4
        size = 8 * tables * len(self.classes) * self.n_features
        return size, f"the tables of {self.n_features} features"

    def validated(self) -> Self:
        """These statistics, with their features named; a ValueError if no rows can have them."""
        rows = self.rows
        if rows.fourth is not None or rows.mean.any() or rows.squares.any():
            raise ValueError("the rows of each class are not only counted")
        check_names(self.feature_names, self.n_features)
        self.parts.check_beside(rows)
        return self.named(self.feature_names)

    def _tables(self) -> tuple[Indices, Floats, Floats]:
        if isinstance(self.parts, ByFeature):
            return self.parts.tables()[:3]
        return self.parts.tables(self.classes)


AnyStatistics: TypeAlias = Statistics | IncompleteStatistics


def as_incomplete(statistics: AnyStatistics) -> IncompleteStatistics:
    """Any statistics as `IncompleteStatistics`."""
    if isinstance(statistics, IncompleteStatistics):
        return statistics
    s, d = statistics, statistics.n_features
    parts: ByPattern | ByFeature
    if s.detail == "diagonal":
        parts = ByFeature.of(s, s.classes, np.arange(d), d)
    else:
        only = {key_of(np.ones(d, bool)): s} if len(s.classes) else {}
        parts = ByPattern(only, d, s.detail).named(s.feature_names)
    return IncompleteStatistics(presence(s.classes, s.count, s.weight), parts, s.feature_names)


def simplify(statistics: IncompleteStatistics) -> AnyStatistics:
    """The same statistics, as ordinary `Statistics` if no value is missing any more."""
    s = statistics
    complete = s.parts.complete(s.rows, s.feature_names)
    return s if complete is None else replace(complete, feature_names=s.feature_names)
