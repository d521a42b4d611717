"""Batch statistics: the statistics of one batch, in two passes over its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.batches import Batch
from suffice.data.feature_rows import IndicatorFeatures
from suffice.data.tables.table_rows import TableReader
from suffice.errors import HasGaps
from suffice.statistics.exact.exact_gaps import on_grid
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import Fourth, unit_of
from suffice.statistics.numbers import DoubleDouble, two_sum
from suffice.statistics.passes.first_pass import class_sums
from suffice.statistics.passes.reader import Reader, are_lost, check_weights, vanished
from suffice.statistics.passes.second_pass import scatter
from suffice.statistics.scatter import DiagonalScatter, Scatter
from suffice.statistics.statistics import Statistics
from suffice.statistics.table_statistics import RowStatistics, TableStatistics


def batch_statistics(batch: Batch, form: str | ExactForm) -> RowStatistics:
    """The statistics of a batch, in some detail or on a grid."""
    if batch.reader is not None:
        return _of_table(batch, batch.reader, form)
    if isinstance(form, ExactForm):
        return on_grid(batch, form)
    try:
        if batch.features.shape[1]:
            return complete_statistics(batch, form)
    except HasGaps:
        pass
    from suffice.statistics.passes.gap_pass import with_gaps

    return with_gaps(batch, form, complete_statistics)


def _of_table(batch: Batch, reader: TableReader, form: str | ExactForm) -> TableStatistics:
    """The statistics of a table with levels."""
    assert isinstance(batch.features, IndicatorFeatures)
    if isinstance(form, ExactForm):
        form = form.for_table(batch.features.names, len(reader.numeric_names))
    every: Any = batch_statistics(replace(batch, reader=None), form)
    made = TableStatistics(every, reader, batch.features.levels)
    return made.without_empty_levels() if batch.ignores_rows else made


def complete_statistics(batch: Batch, detail: str) -> Statistics:
    """The statistics of a batch without missing values; raises HasGaps if there are any."""
    if batch.features.shape[0] == 1:
        return _of_row(batch, detail)
    reader = Reader.of(batch)
    sums, origin = class_sums(reader)
    kept = np.flatnonzero(sums.count[: len(batch.classes)] > 0)
    weight = sums.weight[kept]
    check_weights(batch.classes[kept], weight)
    offset = sums.sum[kept] / weight[:, None]
    means = DoubleDouble(*two_sum(origin[kept], offset))
    varies = np.asarray(sums.low[kept] < sums.high[kept])
    squares = np.where(varies, sums.square[kept] - offset * sums.sum[kept], 0.0)
    spread: Scatter = DiagonalScatter(DoubleDouble(squares))
    fourth: Fourth | None = None
    if detail != "diagonal":
        # Only now it is clear which classes have rows; no matrix is made for the others.
        reader = replace(reader, batch=batch.without_empty_classes(sums.count))
        separate = detail == "separate"
        unit = unit_of(float((squares / weight[:, None]).max())) if separate else 1.0
        spread, fourth = scatter(reader, means, weight, unit, per_class=separate)
    count, names = sums.count[kept], batch.features.names
    _check_underflow(spread, varies, count, names)
    return Statistics(batch.classes[kept], count, weight, means, spread, fourth, names)


def _check_underflow(
    spread: Scatter, varies: Array, count: Indices, names: tuple[str, ...] | None
) -> None:
    """Raise where a feature varies although its squares have lost digits."""
    rows = count[:, None]
    if not spread.per_class:
        varies, rows = np.asarray(varies.any(axis=0, keepdims=True)), count.sum()
    lost = varies & are_lost(spread.diagonal(), rows)
    if lost.any():
        raise vanished(int(np.nonzero(lost)[1][0]), names)


def _of_row(batch: Batch, detail: str) -> Statistics:
    """Statistics of a single row, which is its own mean and has no scatter."""
    row = batch.features.read(0, 1).astype(np.float64)
    if not np.isfinite(row).all():
        raise Reader.of(batch).not_finite()
    weight = np.ones(1) if batch.weights is None else batch.weights.copy()
    check_weights(batch.classes[batch.codes], weight)
    d = row.shape[1]
    spread: Scatter = DiagonalScatter(DoubleDouble(np.zeros((1, d))))
    fourth = None
    if detail != "diagonal":
        spread = FactoredScatter(np.empty((0, d)), np.empty(0, np.int64), 1, detail == "separate")
    if detail == "separate":
        zero = np.zeros(1)
        fourth = Fourth(unit_of(0.0), zero, np.zeros((1, d)), zero, row, weight)
    return Statistics(
        batch.classes[batch.codes],
        np.ones(1, np.int64),
        weight,
        DoubleDouble(row),
        spread,
        fourth,
        batch.features.names,
    )
