"""By pattern: statistics of the observed features, one part per pattern of missing values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import NeverIncluded
from suffice.statistics.by_feature import ByFeature, with_overall_means
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable


@storable
@dataclass(frozen=True, slots=True)
class ByPattern:
    """For rows that share a pattern of missing values: statistics of the observed features."""

    # Keyed by the packed bits of the observed features; none is empty.
    parts: dict[bytes, Statistics]
    n_features: int
    detail: str

    @classmethod
    def joined(
        cls, parts: Iterable[tuple[Array, Statistics]], n_features: int, detail: str
    ) -> ByPattern:
        """Statistics with their observed features (d,), those of the same pattern added up."""
        total: dict[bytes, Statistics] = {}
        for observed, part in parts:
            key, own = key_of(observed), replace(part, feature_names=None)
            total[key] = total[key] + own if key in total else own
        return cls({}, n_features, detail)._with(total)

    def stored(self, exact: bool) -> Self:
        """The same without the names of features, which follow from the patterns."""
        return replace(self, parts={key: part.named(None) for key, part in self.parts.items()})

    def validated(self) -> Self:
        """These parts, if each has the features of its pattern; a ValueError otherwise."""
        if self.n_features < 0 or self.detail not in ("separate", "shared"):
            raise ValueError("the patterns have a detail that they cannot have")
        if any(a >= b for a, b in pairwise(self.parts)):
            raise ValueError("the patterns are not sorted or not unique")
        for key, part in self.parts.items():
            if not key or len(key) != -(-self.n_features // 8):
                raise ValueError("a pattern has the wrong number of features")
            # Counted, not listed: a crafted pattern may claim millions of features.
            observed = int(np.bitwise_count(np.frombuffer(key, np.uint8)).sum())
            if key[-1] & ((1 << (8 * len(key) - self.n_features)) - 1):
                raise ValueError("a pattern has more features than there are")
            if not len(part.classes) or not observed or part.n_features != observed:
                raise ValueError("a part does not have the features of its pattern, or no rows")
            if part.detail != self.detail:
                raise ValueError("a part has another detail than the others")
        return self

    def check_beside(self, rows: Statistics) -> None:
        """Raise ValueError if the parts have rows that are not among these."""
        count = np.zeros(len(rows.classes), np.int64)
        for part in self.parts.values():
            same_kind = part.classes.dtype.kind == rows.classes.dtype.kind
            if not same_kind or not np.isin(part.classes, rows.classes).all():
                raise ValueError("a part has a class that no row has")
            count[np.searchsorted(rows.classes, part.classes)] += part.count
        if (count > rows.count).any():
            raise ValueError("the parts have more rows than the total")

    def __iter__(self) -> Iterator[tuple[Indices, Statistics]]:
        """Positions of the observed features, and the statistics of the rows with that pattern."""
        for key, part in self.parts.items():
            yield features_of(key, self.n_features), part

    def merged(self, other: ByPattern, classes: Array) -> ByPattern:
        """The rows of both."""
        parts = dict(self.parts)
        for key, part in other.parts.items():
            parts[key] = parts[key] + part if key in parts else part
        return self._with(parts)

    def reduced(
        self, removed: ByPattern, classes: Array, names: tuple[str, ...] | None
    ) -> ByPattern:
        """What remains without the rows of `removed`."""
        parts = dict(self.parts)
        for key, part in removed.parts.items():
            if key not in parts:
                raise NeverIncluded(
                    "some of the rows to remove have a pattern of missing values that no row "
                    "seen has; were they ever added?"
                )
            parts[key] = parts[key] - part
        return self._with(parts)

    def keep(self, classes: Array) -> ByPattern:
        """The rows of some classes."""
        return self._with(
            {
                key: part.keep_classes(np.flatnonzero(np.isin(part.classes, classes)))
                for key, part in self.parts.items()
            }
        )

    def select(self, features: Indices) -> ByPattern:
        """The statistics of some features, in the order given."""

        def chosen() -> Iterator[tuple[Array, Statistics]]:
            for observed, part in self:
                wanted = np.isin(features, observed)
                if wanted.any():
                    at = np.searchsorted(observed, features[wanted])
                    yield wanted, part.select(at.tolist())

        return ByPattern.joined(chosen(), len(features), self.detail)

    def named(self, names: tuple[str, ...] | None) -> ByPattern:
        """The same parts, each with the names of its features, or their positions if unnamed.

        Errors about a part can then name the right features.
        """
        observed = {key: features_of(key, self.n_features).tolist() for key in self.parts}
        parts = {
            key: replace(
                part,
                feature_names=tuple(str(j) if names is None else names[j] for j in observed[key]),
            )
            for key, part in self.parts.items()
        }
        return replace(self, parts=parts)

    def coarsen(self, detail: str) -> ByPattern:
        """The same rows in less detail, still by pattern."""
        parts = {key: part.coarsen(detail) for key, part in self.parts.items()}
        return ByPattern(parts, self.n_features, detail)

    def pooled_squares(self, classes: Array, means: Floats) -> Floats:
        """Sums of squares of the observed values about the mean of their class, (d,).

        means : of the observed values of each class, (k, d)
        """
        total = np.zeros(self.n_features)
        for observed, part in self:
            own = means[np.searchsorted(classes, part.classes)][:, observed]
            steps = part.mean - own
            steps[np.abs(steps) < 4 * np.finfo(float).eps * np.abs(own)] = 0.0
            total[observed] += part.squares.sum(axis=0) + part.weight @ steps**2
        return total

    def by_feature(self, classes: Array) -> ByFeature:
        """The observed values of each feature, taken alone."""
        total: ByFeature | None = None
        for observed, part in self:
            cells = ByFeature.of(part, classes, observed, self.n_features)
            total = cells if total is None else total.merged(cells, classes)
        return ByFeature.empty(classes, self.n_features) if total is None else total

    def rows_at_least(self, classes: Array) -> Indices:
        """Smallest possible number of rows of each class, (k,)."""
        count = np.zeros(len(classes), np.int64)
        for _, part in self:
            at = np.searchsorted(classes, part.classes)
            inside = at < len(classes)
            if not inside.all() or (classes[at] != part.classes).any():
                raise NeverIncluded(
                    "the rows to remove lack values that the rows of their class have; were "
                    "they ever added?"
                )
            count[at] += part.count
        return count

    def same(self, other: ByPattern) -> bool:
        """Whether both hold the same rows, up to rounding."""
        return self.parts.keys() == other.parts.keys() and all(
            part == other.parts[key] for key, part in self.parts.items()
        )

    def complete(self, rows: Statistics, names: tuple[str, ...] | None) -> Statistics | None:
        """Ordinary statistics, where no value is missing."""
        if not len(rows.classes):
            return _no_rows(rows, self.n_features, self.detail)
        only = self.parts.get(key_of(np.ones(self.n_features, bool)))
        if only is None or len(self.parts) > 1 or not np.array_equal(only.count, rows.count):
            return None
        return only

    def tables(self, classes: Array) -> tuple[Indices, Floats, Floats]:
        """Count, weight and mean of the observed values, (k, d) each."""
        shape = len(classes), self.n_features
        count = np.zeros(shape, np.int64)
        weight, total, origin = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for observed, part in self:
            at = np.ix_(np.searchsorted(classes, part.classes), observed)
            origin[at] = np.where(weight[at] > 0, origin[at], part.mean)
            count[at] += part.count[:, None]
            weight[at] += part.weight[:, None]
            total[at] += part.weight[:, None] * (part.mean - origin[at])
        mean = origin + total / np.where(weight > 0, weight, 1.0)
        return count, weight, with_overall_means(mean, weight)

    def _with(self, parts: dict[bytes, Statistics]) -> ByPattern:
        kept = {key: parts[key] for key in sorted(parts) if len(parts[key].classes)}
        return ByPattern(kept, self.n_features, self.detail)


def _no_rows(rows: Statistics, d: int, detail: str) -> Statistics:
    """Statistics of no rows."""
    blank = np.zeros((0, d))
    groups, per_class = (0, True) if detail == "separate" else (1, False)
    spread = FactoredScatter(blank, np.zeros(0, np.int64), groups, per_class)
    return Statistics(rows.classes, rows.count, rows.weight, DoubleDouble(blank), spread, None)


def key_of(observed: Array) -> bytes:
    """The observed features (d,) as packed bits."""
    return np.packbits(observed).tobytes()


def features_of(key: bytes, n_features: int) -> Indices:
    """The positions of the observed features."""
    bits = np.unpackbits(np.frombuffer(key, np.uint8), count=n_features)
    return np.flatnonzero(bits)
