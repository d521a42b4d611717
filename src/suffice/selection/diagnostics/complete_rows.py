"""Complete rows: those without missing values, with their classes, weights and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.feature_rows import ArrayFeatures, Features
from suffice.data.features import as_features, infinite
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.table_rows import TableReader
from suffice.errors import HasGaps, InvalidParameter, NotNumbers
from suffice.selection.diagnostics.diagnostic import format_count
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize


@dataclass(frozen=True, eq=False, slots=True)
class CompleteRows:
    """Complete rows of positive weight; a weight counts as that many equal rows.

    >>> rows = CompleteRows.of([[1.0], [2.0], [None]], ["a", "a", "b"])
    >>> rows.dropped, rows.numbers, rows.statistics
    (1, array([0, 1]), <Statistics of 2 rows, 1 features, 1 classes, detail='separate'>)
    """

    table: LabelledTable
    numbers: Indices  # (n,): the position of each row among those given
    given: int  # how many rows were given
    dropped: int  # how many of them have missing values
    statistics: Statistics
    sampled: bool = False  # whether these are a random sample of the rows
    block_bytes: int = 1 << 23  # rows are processed in blocks of about this size

    @classmethod
    def of(cls, X: Any, y: Any = None, sample_weight: Any = None) -> CompleteRows:
        """The complete rows of what the user passed."""
        if isinstance(X, CompleteRows):
            return X
        if isinstance(X, Statistics | IncompleteStatistics):
            raise InvalidParameter(
                "this diagnostic needs single rows, which statistics do not keep; pass X and y."
            )
        reader = TableReader.of(X)
        if reader is None:
            features: Features = as_features(X)
        elif reader.numeric_names:
            features = ArrayFeatures(reader.read(X).numbers, reader.numeric_names)
        else:
            raise NotNumbers("no column of X holds numbers, which these diagnostics are about.")
        n = features.shape[0]
        table = LabelledTable.of(features.read(0, n), y, sample_weight)
        table = replace(table, feature_names=features.names)
        error = infinite(table.X, 0, features.names)
        if error is not None:
            raise error
        gaps = np.isnan(table.X).any(axis=1)
        kept = np.flatnonzero(~gaps & (table.weight > 0))
        if not len(kept):
            raise HasGaps(
                f"each of the {format_count(n, 'row')} of X has a missing value, and this needs "
                "complete rows: drop the emptiest columns, or fill gaps with impute first."
            )
        dropped = int((gaps & (table.weight > 0)).sum())
        return cls._summarize(table if len(kept) == n else table.take(kept), kept, n, dropped)

    @classmethod
    def _summarize(
        cls, table: LabelledTable, numbers: Indices, given: int, dropped: int
    ) -> CompleteRows:
        labels = table.labels
        statistics = cast(Statistics, summarize(table.X, labels, table.weights))
        statistics = replace(statistics, feature_names=table.feature_names)
        codes = np.searchsorted(statistics.classes, labels)
        table = replace(table, codes=codes, classes=statistics.classes)
        return cls(table, numbers, given, dropped, statistics)

    def blocks(self, at: Indices) -> Iterator[tuple[slice, Floats]]:
        """Some rows, one block at a time, with their positions among those requested."""
        step = max(1, self.block_bytes // (8 * self.table.X.shape[1]))
        for start in range(0, len(at), step):
            part = at[start : start + step]
            yield slice(start, start + len(part)), np.asarray(self.table.X[part], np.float64)

    def sample(self, most: int) -> CompleteRows:
        """At most this many rows per class, drawn at random with a fixed seed."""
        if self.statistics.count.max() <= most:
            return self
        rng = np.random.default_rng(0)
        kept = np.zeros(len(self.table), bool)
        for c in range(len(self.table.classes)):
            at = self.table.rows_of(c)
            kept[at if len(at) <= most else rng.choice(at, most, replace=False)] = True
        at = np.flatnonzero(kept)
        part = self._summarize(self.table.take(at), self.numbers[at], self.given, self.dropped)
        return replace(part, sampled=True, block_bytes=self.block_bytes)


def as_statistics(X: Any, y: Any = None, sample_weight: Any = None) -> Statistics:
    """Statistics with one scatter matrix per class: those given, or those of the complete rows."""
    if isinstance(X, IncompleteStatistics):
        raise HasGaps(
            "these statistics are of rows with missing values, and this needs complete rows: pass "
            "X and y, of which the complete rows are used."
        )
    if not isinstance(X, Statistics):
        return CompleteRows.of(X, y, sample_weight).statistics
    if X.detail != "separate":
        raise InvalidParameter(
            f"these statistics have detail {X.detail!r}, without the covariance of each class; "
            "summarize the rows with detail='separate'."
        )
    return X
