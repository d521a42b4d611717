"""Observed values: the part of incomplete statistics that EM needs, for features that vary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.em.observed_parts import ObservedParts, about
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.numbers import DoubleDouble, two_sum
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True)
class Observed:
    """Rows with missing values, for EM.

    A feature that varies in no class is uncorrelated with the others, so EM ignores it.
    """

    statistics: IncompleteStatistics
    count: Indices  # (k, D): number of observed values, for all D features
    weight: Floats  # (k, D): their weight
    mean: Floats  # (k, D): their mean
    centre: Floats  # (D,): overall mean
    # (k, D): of the observed values of each class; pooled if the statistics are
    own_variances: Floats
    pooled_variances: Floats  # (D,): of the observed values about class means

    @classmethod
    def of(cls, statistics: IncompleteStatistics) -> Observed:
        """The statistics, and the estimates from which EM starts."""
        assert isinstance(statistics.parts, ByPattern)
        count, weight, mean = statistics.parts.tables(statistics.classes)
        total = weight.sum(axis=0)
        centre = (weight * mean).sum(axis=0) / total
        squares = _squares(statistics, mean, centre)
        # A variance within rounding is zero: the feature is constant.
        noise = (8 * np.finfo(float).eps * (np.abs(centre) + np.abs(mean - centre))) ** 2
        pooled = squares.sum(axis=0) / total
        pooled = np.where(pooled > noise.max(axis=0), pooled, 0.0)
        own = squares / np.where(weight > 0, weight, 1.0)
        own = np.where(own > noise, own, 0.0)
        if statistics.detail == "shared":
            own = np.tile(pooled, (len(own), 1))
        return cls(statistics, count, weight, mean, centre, own, pooled)

    @cached_property
    def varying(self) -> Indices:
        """The features that vary in some class."""
        return np.flatnonzero(self.pooled_variances)

    @cached_property
    def start(self) -> Floats:
        """Class means of the observed values about the centre, (k, d)."""
        return np.asarray((self.mean - self.centre)[:, self.varying])

    @cached_property
    def unknown(self) -> Array:
        """Which features are never observed in a class, (k, d)."""
        return np.asarray(self.weight[:, self.varying] == 0)

    @cached_property
    def parts_separate(self) -> ObservedParts:
        """The rows laid out for one covariance per class."""
        return self._lay_out(False)

    @cached_property
    def parts_shared(self) -> ObservedParts:
        """The rows laid out for one covariance shared by all classes."""
        return self._lay_out(True)

    @cached_property
    def fewest_together(self) -> Indices:
        """Smallest number of rows of each class in which two features are both observed, (k,)."""
        counts, most = self._counts, int(self.statistics.count.max())
        return np.array(
            [self._together(own).min(initial=most) for own in counts.T], np.float64
        ).astype(np.int64)

    @cached_property
    def complete_classes(self) -> int:
        """Number of classes that have complete rows."""
        counts = self._counts[self._masks.all(axis=1)]
        return int((counts.sum(axis=0) > 0).sum())

    @cached_property
    def ever_together(self) -> Array:
        """Which pairs of features are observed together in some row, (d, d)."""
        return np.asarray(self._together(self._counts.sum(axis=1)) > 0)

    def keep(self, codes: Indices) -> Observed:
        """The rows of some classes, about the same centre."""
        s = self.statistics
        if len(codes) == len(s.classes):
            return self
        assert isinstance(s.parts, ByPattern)
        rows, parts = s.rows.keep_classes(codes), s.parts.keep(s.classes[codes])
        return replace(
            self,
            statistics=replace(s, rows=rows, parts=parts),
            count=self.count[codes],
            weight=self.weight[codes],
            mean=self.mean[codes],
            own_variances=self.own_variances[codes],
        )

    def completed(
        self, means: Floats, scatter: Floats, shared: bool, count: Indices, centred: bool = False
    ) -> Statistics:
        """Complete statistics from class means about the centre (k, d) and scatter (g, d, d).

        count : (k,) rows of each class that determine its own covariance
        centred : leave the means about the centre, which keeps their last digits
        """
        s, at = self.statistics, self.varying
        whole = self.mean - self.centre
        whole[:, at] = means
        spread = np.zeros((len(scatter), s.n_features, s.n_features))
        spread[:, at[:, None], at] = scatter
        middle = np.tile(self.centre, (len(whole), 1))
        return Statistics(
            s.classes,
            count,
            s.weight,
            DoubleDouble(whole) if centred else DoubleDouble(*two_sum(middle, whole)),
            DenseScatter(DoubleDouble(spread), not shared),
            None,
            s.feature_names,
        )

    def _lay_out(self, shared: bool) -> ObservedParts:
        s = self.statistics
        assert isinstance(s.parts, ByPattern)
        return ObservedParts.of(s.parts, s.classes, self.centre, self.varying, shared)

    @cached_property
    def _masks(self) -> Floats:
        """One where a feature is observed in a pattern, else zero, (p, d)."""
        assert isinstance(self.statistics.parts, ByPattern)
        masks = np.zeros((len(self.statistics.parts.parts), self.statistics.n_features))
        for i, (features, _) in enumerate(self.statistics.parts):
            masks[i, features] = 1.0
        return masks[:, self.varying]

    @cached_property
    def _counts(self) -> Floats:
        """Rows of each pattern and class, (p, k)."""
        s = self.statistics
        assert isinstance(s.parts, ByPattern)
        counts = np.zeros((len(s.parts.parts), len(s.classes)))
        for i, (_, part) in enumerate(s.parts):
            counts[i, np.searchsorted(s.classes, part.classes)] = part.count
        return counts

    def _together(self, counts: Floats) -> Floats:
        """Number of rows with both of two features, (d, d), from rows by pattern (p,)."""
        return np.asarray((self._masks * counts[:, None]).T @ self._masks)


def _squares(statistics: IncompleteStatistics, mean: Floats, centre: Floats) -> Floats:
    """Sums of squares of the observed values about class means, (k, D).

    If classes share their scatter, its sums within patterns are counted for the first class.
    """
    s, means = statistics, mean - centre
    assert isinstance(s.parts, ByPattern)
    squares = np.zeros_like(means)
    for features, part in s.parts:
        codes = np.searchsorted(s.classes, part.classes)
        at = np.ix_(codes, features)
        steps = about(part, centre[features]) - means[at]
        squares[at] += part.weight[:, None] * steps**2
        if s.detail == "shared":
            squares[0, features] += part.squares[0]
        else:
            squares[at] += part.squares
    return squares
