"""Feature map: statistics of new features, each a sum of old ones or zero, without the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.by_feature import ByFeature
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.exact.exact_incomplete import AnyExact
from suffice.statistics.exact.exact_map import map_features
from suffice.statistics.exact.on_grid import OnGrid
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import Fourth
from suffice.statistics.incomplete import (
    AnyStatistics,
    IncompleteStatistics,
    as_incomplete,
    simplify,
)
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, Scatter
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """New features made of old ones: one of them, a sum of exclusive indicators, or zero.

    sources : the positions of the old features that add up to each new one; none for zero
    beside : for each new feature, an old one that is missing in the same rows; -1 if all rows
        miss it
    is_isometry : whether rows keep their lengths, because only features that are always zero are
        added or left out; then the fourth-order sums stay valid
    """

    sources: tuple[tuple[int, ...], ...]
    beside: tuple[int, ...]
    is_isometry: bool = False

    @classmethod
    def of(cls, sources: Sequence[Sequence[int]]) -> FeatureMap:
        """The map to features that each have at least one source."""
        return cls(tuple(tuple(some) for some in sources), tuple(some[0] for some in sources))

    @classmethod
    def to_levels(
        cls,
        numbers: int,
        edges: Sequence[tuple[int, int]],
        known: Sequence[Array],
        wanted: Sequence[Array],
    ) -> FeatureMap:
        """The map of a table to other levels: new ones are zero in all rows.

        numbers : how many numeric features there are, before the indicators
        edges : where the indicators of each column of levels start and end
        """
        sources: list[tuple[int, ...]] = [(j,) for j in range(numbers)]
        beside = list(range(numbers))
        for (low, _), mine, own in zip(edges, known, wanted, strict=True):
            place = {level: low + i for i, level in enumerate(mine.tolist())}
            places = [place.get(level) for level in own.tolist()]
            sources += [() if at is None else (at,) for at in places]
            first = low if len(mine) else -1
            beside += [first if at is None else at for at in places]
        return cls(tuple(sources), tuple(beside), is_isometry=True)

    def within(self, observed: Indices, n_features: int) -> tuple[FeatureMap, Array]:
        """The map for rows in which only some features are observed, and which new ones are."""
        place = np.full(n_features, -1)
        place[observed] = np.arange(len(observed))
        beside = np.array(self.beside)
        known = (beside >= 0) & (place[beside] >= 0)
        chosen = np.flatnonzero(known).tolist()
        sources = tuple(tuple(int(place[i]) for i in self.sources[j]) for j in chosen)
        return FeatureMap(sources, tuple(place[beside[chosen]].tolist()), self.is_isometry), known

    def matrix(self, n_features: int) -> Floats:
        """The map as a matrix of zeros and ones, (old, new)."""
        out = np.zeros((n_features, len(self.sources)))
        new = np.repeat(np.arange(len(self.sources)), [len(some) for some in self.sources])
        out[np.array(list(chain.from_iterable(self.sources)), np.int64), new] = 1.0
        return out

    def apply(
        self, statistics: AnyStatistics | AnyExact, names: tuple[str, ...] | None
    ) -> AnyStatistics | AnyExact:
        """The statistics of the new features, under these names."""
        if isinstance(statistics, OnGrid):
            return map_features(statistics, self, names)
        if isinstance(statistics, Statistics):
            if min(self.beside, default=-1) >= 0:
                return replace(self._complete(statistics), feature_names=names)
            statistics = as_incomplete(statistics)
        parts = statistics.parts
        if isinstance(parts, ByFeature):
            mapped = IncompleteStatistics(statistics.rows, self._by_feature(parts), names)
        else:
            own = self._by_pattern(parts).named(names)
            mapped = IncompleteStatistics(statistics.rows, own, names)
        return simplify(mapped)

    def _complete(self, s: Statistics) -> Statistics:
        A = self.matrix(s.n_features)
        means = _times(s.means, A)
        fourth = s.fourth if self.is_isometry else None
        return replace(
            s,
            means=means,
            spread=self._spread(s.spread, A, means.high, s.weight),
            fourth=None if fourth is None else _moved(fourth, A),
        )

    def _spread(self, spread: Scatter, A: Floats, mean: Floats, weight: Floats) -> Scatter:
        if isinstance(spread, FactoredScatter):
            return replace(spread, factor=spread.factor @ A)
        if isinstance(spread, DenseScatter):
            high, low = spread.sums.high, spread.sums.low
            sums = DoubleDouble(A.T @ high @ A, None if low is None else A.T @ low @ A)
            return DenseScatter(sums, spread.per_class)
        sums = _times(spread.sums, A)
        several = np.array([len(some) > 1 for some in self.sources])
        return DiagonalScatter(_with_exclusive(sums, several, mean, weight[:, None]))

    def _by_pattern(self, parts: ByPattern) -> ByPattern:
        def mapped() -> Iterator[tuple[Array, Statistics]]:
            for observed, part in parts:
                inner, known = self.within(observed, parts.n_features)
                if known.any():
                    yield known, inner._complete(part)

        return ByPattern.joined(mapped(), len(self.sources), parts.detail)

    def _by_feature(self, parts: ByFeature) -> ByFeature:
        k, d, new = len(parts.classes), parts.n_features, len(self.sources)
        cells = parts.cells
        if not len(cells.classes):
            return ByFeature.empty(parts.classes, new)
        assert isinstance(cells.spread, DiagonalScatter)
        table = np.full(k * d, -1)
        table[cells.classes] = np.arange(len(cells.classes))
        beside = np.array(self.beside)
        at = np.where(beside >= 0, table.reshape(k, d)[:, beside], -1).ravel()
        kept = np.flatnonzero(at >= 0)
        at = at[kept]
        A = self.matrix(d)

        def column(values: DoubleDouble) -> DoubleDouble:
            full = np.zeros((2, k * d))
            full[0, cells.classes] = values.high[:, 0]
            if values.low is not None:
                full[1, cells.classes] = values.low[:, 0]
            high, low = ((part.reshape(k, d) @ A).reshape(-1, 1)[kept] for part in full)
            return DoubleDouble(high, low)

        means, weight = column(cells.means), cells.weight[at]
        several = np.tile([len(some) > 1 for some in self.sources], k)[kept]
        sums = _with_exclusive(
            column(cells.spread.sums), several[:, None], means.high, weight[:, None]
        )
        mapped = Statistics(
            kept.astype(np.int64), cells.count[at], weight, means, DiagonalScatter(sums), None
        )
        return ByFeature(mapped, parts.classes, new)


def _times(values: DoubleDouble, A: Floats) -> DoubleDouble:
    return DoubleDouble(values.high @ A, None if values.low is None else values.low @ A)


def _with_exclusive(
    sums: DoubleDouble, several: Array, mean: Floats, weight: Floats
) -> DoubleDouble:
    """Sums of squares, where sums of several indicators are indicators, too: w p (1 - p)."""
    high = np.where(several, weight * mean * (1 - mean), sums.high)
    low = None if sums.low is None else np.where(several, 0.0, sums.low)
    return DoubleDouble(high, low)


def _moved(fourth: Fourth, A: Floats) -> Fourth:
    return replace(fourth, cubic=fourth.cubic @ A, anchor=fourth.anchor @ A)
