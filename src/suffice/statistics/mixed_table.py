"""Mixed table: statistics of a table -> moments of its numbers and counts of its levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.mixed import DISCRETE, NUMERIC, ColumnLayout
from suffice.errors import InvalidParameter
from suffice.statistics.counts import Counts
from suffice.statistics.level_table import LevelTable
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.table_statistics import TableStatistics


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
