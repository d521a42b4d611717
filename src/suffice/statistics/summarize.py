"""Summarize: rows in any form -> statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Indices
from suffice.data.batches import Batch, batches
from suffice.data.engine import engine_of
from suffice.errors import HasGaps, InvalidFeatures, InvalidInput, InvalidParameter
from suffice.statistics.extremes import Extremes
from suffice.statistics.first_pass import class_sums
from suffice.statistics.fourth import SMALLEST_UNIT, Fourth, power_of_two
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.kernels.sums import ClassSums
from suffice.statistics.numbers import Pair, two_sum
from suffice.statistics.reader import Reader, vanished
from suffice.statistics.scatter import Diagonal, Scatter
from suffice.statistics.second_pass import scatter
from suffice.statistics.statistics import DETAILS, Statistics
from suffice.statistics.thin import Thin


def summarize(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    detail: str = "separate",
    *,
    target: str | None = None,
) -> AnyStatistics:
    """Sufficient statistics of labelled rows.

    NaN (or None, or null in a frame) means that a value is missing; then the result is an
    `IncompleteStatistics`, which models take all the same.

    Parameters
    ----------
    X : NumPy array of any real dtype, data frame (pandas, polars, pyarrow, ...), or an
        iterable of batches (X, y) or (X, y, weight)
    y : a label a row: strings, integers, booleans, categories; none with batches or `target`
    sample_weight : a weight a row; zero counts as absent
    detail : the least the models to come need: a scatter matrix for each class ("separate"),
        one pooled over classes ("shared"), or variances only ("diagonal")
    target : the label column, when X is a data frame that holds it

    >>> import suffice as sf
    >>> X, y = [[0.0, 1.0], [2.0, 3.0], [4.0, 4.0]], ["no", "no", "yes"]
    >>> s = sf.summarize(X, y)
    >>> s
    <Statistics of 3 rows, 2 features, 2 classes, detail='separate'>
    >>> s.mean
    array([[1., 2.], [4., 4.]])
    >>> sf.summarize(X[:1], y[:1]) + sf.summarize(X[1:], y[1:]) == s
    True
    """
    if detail not in DETAILS:
        raise InvalidParameter(f"detail is {detail!r}; it must be one of {', '.join(DETAILS)}.")
    engine = engine_of(X)
    if engine is not None:
        found: AnyStatistics = engine.summarize(X, y, sample_weight, detail, target)
        return found
    total: AnyStatistics | None = None
    for batch in batches(X, y, sample_weight, target):
        try:
            part = _of_any_batch(batch, detail)
            total = part if total is None else total + part
        except InvalidInput as error:
            if not batch.source:
                raise
            raise type(error)(f"{batch.source}{error}") from error
    if total is None:
        raise InvalidFeatures("there is no row of positive weight.")
    return total


def _of_any_batch(batch: Batch, detail: str) -> AnyStatistics:
    try:
        return _of_batch(batch, detail)
    except HasGaps:
        from suffice.statistics.gap_pass import with_gaps

        return with_gaps(batch, detail, _of_batch)


def _of_batch(batch: Batch, detail: str) -> Statistics:
    if batch.features.shape[0] == 1:
        return _of_row(batch, detail)
    reader = Reader.of(batch)
    sums, origin = class_sums(reader)
    kept = np.flatnonzero(sums.count[: len(batch.classes)] > 0)
    weight = sums.weight[kept]
    offset = sums.sum[kept] / weight[:, None]
    means = Pair(*two_sum(origin[kept], offset))
    spread: Scatter
    fourth: Fourth | None
    if detail == "diagonal":
        squares = sums.square[kept] - offset * sums.sum[kept]
        constant = sums.low[kept] == sums.high[kept]
        spread, fourth = Diagonal(Pair(np.where(constant, 0.0, squares))), None
    else:
        # Only now is it known which classes have rows: no matrix is made for the others.
        reader = Reader.of(batch.without_empty_classes(sums.count))
        unit = power_of_two(_reach(sums, kept))
        spread, fourth = scatter(reader, means, weight, unit, per_class=detail == "separate")
    _check_underflow(spread, sums, kept, batch.features.names)
    return Statistics(
        batch.classes[kept],
        sums.count[kept],
        weight,
        means,
        spread,
        fourth,
        Extremes(sums.low[kept], sums.high[kept]),
        batch.features.names,
    )


def _check_underflow(
    spread: Scatter, sums: ClassSums, kept: Indices, names: tuple[str, ...] | None
) -> None:
    varies = np.asarray(sums.low[kept] < sums.high[kept])
    if not spread.per_class:
        varies = np.asarray(varies.any(axis=0, keepdims=True))
    lost = varies & (spread.diagonal() == 0)
    if lost.any():
        raise vanished(int(np.nonzero(lost)[1][0]), names)


def _of_row(batch: Batch, detail: str) -> Statistics:
    """A single row is its own mean and has no scatter: nothing to add up."""
    row = batch.features.read(0, 1).astype(np.float64)
    if not np.isfinite(row).all():
        raise Reader.of(batch).not_finite()
    weight = np.ones(1) if batch.weights is None else batch.weights.copy()
    d = row.shape[1]
    spread: Scatter = Diagonal(Pair(np.zeros((1, d))))
    fourth = None
    if detail != "diagonal":
        spread = Thin(np.empty((0, d)), np.empty(0, np.int64), 1, detail == "separate")
        zero = np.zeros(1)
        fourth = Fourth(SMALLEST_UNIT, zero, np.zeros((1, d)), zero, row, weight)
    return Statistics(
        batch.classes[batch.codes],
        np.ones(1, np.int64),
        weight,
        Pair(row),
        spread,
        fourth,
        Extremes(row, row),
        batch.features.names,
    )


def _reach(sums: ClassSums, kept: Indices) -> float:
    with np.errstate(over="ignore"):
        return float(np.max(sums.high[kept] - sums.low[kept]))
