"""Table: the complete rows of a data set with their classes, weights and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import ArrayFeatures, Features, as_features
from suffice.data.labels import Labels
from suffice.data.weights import Weights
from suffice.errors import HasGaps, InvalidInput, InvalidParameter
from suffice.selection.diagnostics.diagnostic import counted
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize

# Rows are read in blocks of about this many bytes.
BLOCK_BYTES = 1 << 23


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Complete rows of positive weight; weights count as so many equal rows.

    >>> table = Table.of([[1.0], [2.0], [None]], ["a", "a", "b"])
    >>> table.dropped, table.numbers, table.statistics
    (1, array([0, 1]), <Statistics of 2 rows, 1 features, 1 classes, detail='separate'>)
    """

    features: Features
    codes: Indices  # (n,): position of each row's class among those of the statistics
    weights: Floats | None  # (n,)
    numbers: Indices  # (n,): where each row stands among those given
    given: int  # how many rows were given
    dropped: int  # how many of them miss values
    statistics: Statistics
    drawn: bool = False  # whether these are a random choice of the rows

    @classmethod
    def of(cls, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """The table of what the user passed; rows with missing values are left out."""
        if isinstance(X, Table):
            return X
        if isinstance(X, Statistics | IncompleteStatistics):
            raise InvalidParameter(
                "this diagnostic looks at single rows, which statistics do not keep; pass X and y."
            )
        features, labels = as_features(X), Labels.of(y)
        n = features.shape[0]
        if len(labels) != n:
            raise InvalidInput(
                f"X has {n} rows but y has {len(labels)} labels: inconsistent numbers of samples."
            )
        weights = None if sample_weight is None else Weights.of(sample_weight, n).read(0, n)
        classes, codes = labels.encode()
        gaps = _gaps(features)
        if weights is not None:
            gaps &= weights > 0
        kept = ~gaps if weights is None else ~gaps & (weights > 0)
        if not kept.any():
            raise HasGaps(
                f"each of the {counted(n, 'row')} of X misses a value, and only complete rows "
                "can be judged: drop the emptiest columns, or fill gaps with impute first."
            )
        parts = None if weights is None else weights[kept]
        return _built(features, classes[codes], kept, parts, n, int(gaps.sum()))

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the features, if they have any."""
        return self.features.names

    def rows(self, c: int) -> Indices:
        """Positions of the rows of a class."""
        return np.flatnonzero(self.codes == c)

    def weights_at(self, at: Indices) -> Floats:
        """Weights of some rows; one each where none were given."""
        return np.ones(len(at)) if self.weights is None else self.weights[at]

    def blocks(self, at: Indices) -> Iterator[tuple[int, Floats]]:
        """Some rows a block at a time, with the position of each block's first among them."""
        step = max(1, BLOCK_BYTES // (8 * self.features.shape[1]))
        for start in range(0, len(at), step):
            yield start, self.features.take(at[start : start + step])

    def sampled(self, most: int, seed: int = 0) -> Table:
        """The table with at most so many rows a class, drawn at random but always the same."""
        if self.statistics.count.max() <= most:
            return self
        rng = np.random.default_rng(seed)
        kept = np.zeros(len(self.codes), bool)
        for c in range(len(self.statistics.classes)):
            at = self.rows(c)
            kept[at if len(at) <= most else rng.choice(at, most, replace=False)] = True
        weights = None if self.weights is None else self.weights[kept]
        labels = self.statistics.classes[self.codes]
        part = _built(self.features, labels, kept, weights, self.given, self.dropped)
        return replace(part, numbers=self.numbers[kept], drawn=True)


def _built(
    features: Features, labels: Array, kept: Array, weights: Floats | None, given: int, dropped: int
) -> Table:
    numbers = np.flatnonzero(kept)
    names = features.names
    if not kept.all():
        features = ArrayFeatures(features.take(numbers), names)
        labels = labels[numbers]
    values = features.values if isinstance(features, ArrayFeatures) else features.frame.to_native()
    statistics = cast(Statistics, summarize(values, labels, weights))
    statistics = replace(statistics, feature_names=names)
    codes = np.searchsorted(statistics.classes, labels)
    return Table(features, codes, weights, numbers, given, dropped, statistics)


def _gaps(features: Features) -> Array:
    """Which rows miss a value."""
    n, d = features.shape
    out = np.empty(n, bool)
    step = max(1, BLOCK_BYTES // (8 * d))
    for start in range(0, n, step):
        block = features.read(start, min(n, start + step))
        out[start : start + step] = np.isnan(block).any(axis=1)
    return out


def as_statistics(X: Any, y: Any = None, sample_weight: Any = None) -> Statistics:
    """Statistics with a scatter matrix a class: those given, or those of the complete rows."""
    if isinstance(X, IncompleteStatistics):
        raise HasGaps(
            "these statistics are of rows with missing values, and only complete rows can be "
            "judged: pass X and y, of which the complete rows are taken."
        )
    if not isinstance(X, Statistics):
        return Table.of(X, y, sample_weight).statistics
    if X.detail != "separate":
        raise InvalidParameter(
            f"these statistics have detail {X.detail!r}, which does not know the covariance of "
            "each class; summarize the rows with detail='separate'."
        )
    return X
