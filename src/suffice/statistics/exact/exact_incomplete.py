"""Exact incomplete statistics: integers on a grid, of rows in which some values are missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NoReturn, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import class_position, narrowest
from suffice.errors import InvalidParameter, NeverIncluded
from suffice.statistics.alignment import align
from suffice.statistics.by_feature import ByFeature, presence
from suffice.statistics.by_pattern import ByPattern, features_of, key_of
from suffice.statistics.exact.exact_statistics import ExactStatistics, take_features
from suffice.statistics.exact.grid import Grid, check_grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.on_grid import OnGrid, check_exact
from suffice.statistics.exact.regridding import regrid_weights
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DiagonalScatter
from suffice.statistics.shape import is_coarser, names_at, positions
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable

Parts = dict[bytes, ExactStatistics]


@storable
@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExactIncomplete(OnGrid):
    """Exact statistics of rows with missing values, made by `summarize(..., grid=grid)`.

    As in `IncompleteStatistics`, each pattern of missing values has statistics of its own; for
    detail "diagonal" each feature has those of its observed values.
    """

    classes: Array
    count: Indices  # (k,) rows, missing values or not
    weights: Indices  # (k,) in units of weight
    parts: Parts  # by the packed bits of their features, sorted
    detail: str
    grid: Grid
    feature_names: tuple[str, ...] | None = None

    @property
    def has_fourth(self) -> bool:
        """Whether sums of fourth order are kept, of each pattern of missing values."""
        return bool(self.parts) and all(part.has_fourth for part in self.parts.values())

    @property
    def mean(self) -> Floats:
        """Mean of the observed values, (k, d)."""
        return self.numbers.mean

    @property
    def numbers(self) -> IncompleteStatistics:
        """The statistics that models take, each number rounded once."""
        rows = presence(self.classes, self.count, self.weight)
        numbers = {key: part.numbers.named(None) for key, part in self.parts.items()}
        parts: ByPattern | ByFeature
        if self.detail == "diagonal":
            parts = self._by_feature(numbers)
        else:
            parts = ByPattern(numbers, self.n_features, self.detail)
        return IncompleteStatistics(rows, parts, self.feature_names).named(self.feature_names)

    def _by_feature(self, numbers: dict[bytes, Statistics]) -> ByFeature:
        d, columns = self.n_features, []
        if not numbers:
            return ByFeature.empty(self.classes, d)
        for key, s in numbers.items():
            at = np.searchsorted(self.classes, s.classes) * d + features_of(key, d)[0]
            low = np.zeros_like(s.mean) if s.means.low is None else s.means.low
            columns.append((at, s.count, s.weight, s.mean[:, 0], low[:, 0], s.squares[:, 0]))
        cells, count, weight, high, low, squares = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
        order = np.argsort(cells)
        means = DoubleDouble(high[order, None], low[order, None])
        spread = DiagonalScatter(DoubleDouble(squares[order, None]))
        statistics = Statistics(cells[order], count[order], weight[order], means, spread, None)
        return ByFeature(statistics, self.classes, d)

    def __add__(self, other: object) -> AnyExact:
        if not isinstance(other, ExactIncomplete | ExactStatistics):
            check_exact(other)
            return NotImplemented
        other = as_incomplete(other)
        self.check_alike(other)
        at = align(self.classes, other.classes)
        count, weights = self._counts_with(other, at)
        parts = gather([*self.parts.items(), *other.parts.items()])
        # Complete if one side has no rows.
        both = replace(self, classes=at.classes, count=count, weights=weights, parts=parts)
        return simplify(both)

    def __radd__(self, other: object) -> AnyExact:
        # sum() starts from 0, which here stands for having seen nothing.
        return self if isinstance(other, int) and other == 0 else self.__add__(other)

    def __sub__(self, other: object) -> AnyExact:
        if not isinstance(other, ExactIncomplete | ExactStatistics):
            check_exact(other)
            return NotImplemented
        other = as_incomplete(other)
        self.check_alike(other)
        at = align(self.classes, other.classes)
        absent = other.parts.keys() - self.parts.keys()
        count, weights = self.count.copy(), self.weights.copy()
        if not at.has_new:
            count[at.right] -= other.count
            weights[at.right] -= other.weights
        if at.has_new or absent or (count < 0).any() or ((count == 0) != (weights == 0)).any():
            raise NeverIncluded(
                "the rows to remove have classes, missing values or numbers of rows that the rows "
                "seen do not have; were they ever added, with the same weights?"
            )
        less = {key: self.parts[key] - part for key, part in other.parts.items()}
        left = replace(self, count=count, weights=weights, parts=self.parts | less)
        return left._keep_classes(np.flatnonzero(count))

    def __rsub__(self, other: object) -> AnyExact:
        if isinstance(other, ExactStatistics):
            return as_incomplete(other) - self
        check_exact(other)
        return NotImplemented

    def drop_class(self, label: Any) -> AnyExact:
        """The statistics without one class, as if its rows had never been seen."""
        kept = np.delete(np.arange(len(self.classes)), class_position(self.classes, label))

        def without(part: ExactStatistics, _: Indices) -> ExactStatistics:
            return part.drop_class(label) if label in part.classes.tolist() else part

        return self._map(without)._keep_classes(kept)

    def _map(
        self, work: Callable[[ExactStatistics, Indices], ExactStatistics], **changes: Any
    ) -> ExactIncomplete:
        """The same with work(part, its features) of each part, and other changes."""
        own = {key: features_of(key, self.n_features) for key in self.parts}
        parts = {key: work(part, own[key]) for key, part in self.parts.items()}
        return replace(self, parts=parts, **changes)

    def _keep_classes(self, at: Indices) -> AnyExact:
        """The statistics of the classes at some positions; parts have no others any more."""
        return simplify(
            replace(
                self,
                classes=narrowest(self.classes[at]),
                count=self.count[at],
                weights=self.weights[at],
                parts={key: part for key, part in self.parts.items() if len(part.classes)},
            )
        )

    def select(self, features: Iterable[int] | Iterable[str]) -> AnyExact:
        """The statistics of some features, by name or position, in the order given."""
        from suffice.statistics.exact.exact_map import map_features
        from suffice.statistics.feature_map import FeatureMap

        at = positions(features, self.feature_names or (), self.n_features).tolist()
        return map_features(
            self, FeatureMap.of([[j] for j in at]), names_at(self.feature_names, at)
        )

    def named(self, names: tuple[str, ...] | None) -> ExactIncomplete:
        """The same statistics with other feature names."""
        grid = self.grid.changed(names=names)
        return self._map(
            lambda part, own: part.named(names_at(names, own)), feature_names=names, grid=grid
        )

    def relabelled(self, labels: Array) -> ExactIncomplete:
        """The same with other labels: one per class, in their order, all different."""
        order = np.argsort(labels)
        return self._map(
            lambda part, _: part.relabelled(labels[np.searchsorted(self.classes, part.classes)]),
            classes=labels[order],
            count=self.count[order],
            weights=self.weights[order],
        )

    def coarsen(self, detail: str) -> AnyExact:
        """The same rows in less detail: "separate" can become "shared" or "diagonal"."""
        if not is_coarser(detail, self.detail):
            return self
        if detail == "shared":
            return self._map(lambda part, _: part.coarsen(detail), detail=detail)
        d = self.n_features
        single = (
            one
            for key, part in self.parts.items()
            for one in by_feature(part.coarsen(detail), features_of(key, d), d)
        )
        return replace(self, parts=gather(single), detail=detail)

    def regrid(self, grid: Grid) -> ExactIncomplete:
        """The same statistics on another grid, see `ExactStatistics.regrid`."""
        check_grid(grid, optional=False)
        new = grid.resolve(self.feature_names, self.n_features)
        parts = self._map(lambda part, own: part.regrid(new.take(own)), grid=new)
        return replace(parts, weights=regrid_weights(self, new))

    def private(self, *args: Any, **options: Any) -> NoReturn:
        """Raises: the noise of a release is that of rows without missing values."""
        raise InvalidParameter(
            "a private release takes rows without missing values: which ones are missing would "
            "show. Summarize complete rows, such as X.dropna(), or features without missing "
            "values: s.select(features)."
        )

    def validated(self) -> Self:
        """These statistics, if their parts go together; a ValueError otherwise."""
        self._check_parts()
        if any(a >= b for a, b in pairwise(self.parts)):
            raise ValueError("the patterns are not sorted or not unique")
        for key, part in self.parts.items():
            own = features_of(key, self.n_features)
            if len(key) != -(-self.n_features // 8) or part.detail != self.detail or not len(own):
                raise ValueError("a pattern has the wrong features or detail")
            if self.detail == "diagonal" and len(own) > 1:
                raise ValueError("a part has several features")
            if part.grid != self.grid.take(own) or not np.isin(part.classes, self.classes).all():
                raise ValueError("a part has another grid, or a class that no row has")
            if (part.count > self.count[np.searchsorted(self.classes, part.classes)]).any():
                raise ValueError("a part has more rows than there are")
        return self


AnyExact = ExactStatistics | ExactIncomplete


def gather(pairs: Iterable[tuple[bytes, ExactStatistics]]) -> Parts:
    """The parts by pattern, sorted; those of the same pattern are added."""
    parts: Parts = {}
    for key, part in pairs:
        parts[key] = parts[key] + part if key in parts else part
    return {key: parts[key] for key in sorted(parts)}


def by_feature(
    part: ExactStatistics, own: Indices, d: int
) -> Iterator[tuple[bytes, ExactStatistics]]:
    """The statistics of each feature of a part in detail "diagonal", by pattern."""
    for at, j in enumerate(own.tolist()):
        yield key_of(np.arange(d) == j), take_features(part, np.array([at]))


def as_incomplete(s: AnyExact) -> ExactIncomplete:
    """Any exact statistics, as those of rows with missing values."""
    if isinstance(s, ExactIncomplete):
        return s
    d, parts = s.n_features, Parts()
    if len(s.classes) and s.detail == "diagonal":
        parts = gather(by_feature(s, np.arange(d), d))
    elif len(s.classes):
        parts = {key_of(np.ones(d, bool)): s}
    return ExactIncomplete(s.classes, s.count, s.weights, parts, s.detail, s.grid, s.feature_names)


def simplify(s: ExactIncomplete) -> AnyExact:
    """The same statistics, as `ExactStatistics` if no value is missing any more."""
    d = s.n_features
    parts = list(s.parts.values())
    whole = len(parts) == (d if s.detail == "diagonal" else 1)
    if not whole or not parts or not all(_has_all_rows(part, s) for part in parts):
        return s
    if s.detail != "diagonal":
        key = next(iter(s.parts))
        return parts[0].named(s.feature_names) if len(features_of(key, d)) == d else s
    # The first feature is the highest bit of a key.
    in_order = [part for _, part in sorted(s.parts.items(), reverse=True)]
    sums, products = (
        Integers(np.concatenate([getattr(part, name).limbs for part in in_order], axis=2))
        for name in ("sums", "products")
    )
    own = s.detail, s.grid, s.feature_names
    return ExactStatistics(s.classes, s.count, s.weights, sums, products, *own)


def _has_all_rows(part: ExactStatistics, s: ExactIncomplete) -> bool:
    return np.array_equal(part.classes, s.classes) and np.array_equal(part.count, s.count)
