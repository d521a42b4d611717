"""Summarize: rows in any form -> statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from suffice.data.arrays import Indices
from suffice.data.batches import Batch, batches, batches_of, is_table, split_columns
from suffice.data.engine import engine_of
from suffice.data.features import IndicatorFeatures
from suffice.data.indicator_rows import indicator_rows
from suffice.data.object_source import is_stream
from suffice.data.parameters import choice
from suffice.data.paths import file_paths, is_paths
from suffice.data.prepared_table import TableRows
from suffice.data.roles import ReadOptions, Roles
from suffice.data.stream import FileStream, ObjectStream, Stream
from suffice.data.table_rows import TableReader, given_layout
from suffice.errors import HasGaps, InvalidFeatures, InvalidInput, InvalidParameter
from suffice.statistics.checkpoint import Checkpoint, resumed_layout
from suffice.statistics.exact.checking import check_grid, no_levels
from suffice.statistics.exact.exact_gaps import on_grid
from suffice.statistics.exact.exact_incomplete import AnyExact
from suffice.statistics.exact.grid import Grid
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.first_pass import class_sums
from suffice.statistics.fourth import Fourth, unit_of
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.kernels.sums import ClassSums
from suffice.statistics.numbers import DoubleDouble, two_sum
from suffice.statistics.progress import Listener, progress_listener
from suffice.statistics.reader import Reader, are_lost, check_weights, vanished
from suffice.statistics.scatter import DiagonalScatter, Scatter
from suffice.statistics.second_pass import scatter
from suffice.statistics.statistics import DETAILS, Statistics
from suffice.statistics.streaming import summarize_stream
from suffice.statistics.table_statistics import RowStatistics, TableStatistics, added
from suffice.text import shown


def summarize(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    detail: str = "separate",
    *,
    target: str | None = None,
    weight: str | None = None,
    columns: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: bool | Listener = False,
    grid: Grid | None = None,
) -> RowStatistics:
    """Sufficient statistics of labelled rows.

    NaN (or None, or null in a frame) means that a value is missing; then the result is an
    `IncompleteStatistics`, which models take all the same. Text and other levels give a
    `TableStatistics`, of an indicator for each level.

    Parameters
    ----------
    X : NumPy array of any real dtype, data frame (pandas, polars, pyarrow, ...), or an
        iterable of batches (X, y) or (X, y, weight), or of frames with `target`. Or a source read
        in parts, in bounded memory: files by name, pattern or list (CSV, also gzip or zstd;
        Parquet; Arrow), a polars LazyFrame, or anything with `__arrow_c_stream__`, such as a
        DuckDB query
    y : one label per row: strings, integers, booleans, categories; None with batches or `target`
    sample_weight : one weight per row; rows of weight zero are ignored
    detail : what later models need at least: a scatter matrix for each class ("separate"),
        one pooled over classes ("shared"), or variances only ("diagonal")
    target : the label column, if X is files or a data frame that contains it
    weight : the column of weights, likewise
    columns : the names of the features in their order, or what `suffice.describe` returns, which
        says how to read each column; None for all other columns. What the columns of a source
        read in parts are is then decided by some of its rows, spread over the files; levels
        (categories) that only later rows have are welcome
    checkpoint : a file from which an interrupted pass over files resumes, with the same result in
        every bit; it stays until you delete it
    progress : True for a bar on a terminal, or a function that is passed `rows`, `rate` and
        `seconds_left` as attributes of one value
    grid : a `Grid` to which values are rounded; the result is then an `ExactStatistics` (or, with
        missing values, an `ExactIncomplete`), the same in every bit for any order, chunks, threads,
        workers or device

    The labels of CSV files are integers if all of them, in all files, are written as such,
    booleans if all are true or false, else strings.

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
    choice("detail", detail, DETAILS)
    check_grid(grid)
    files = is_paths(X)
    if checkpoint is not None and not files:
        raise InvalidParameter("checkpoint works with files only: other rows cannot be read again.")
    engine = None if files else engine_of(X)
    layout = given_layout(columns)
    if engine is not None:
        if weight is not None or (columns is not None and layout is None):
            raise InvalidParameter(
                f"weight= and names of columns do not apply to a {type(X).__name__}; select "
                "its columns first."
            )
        statistics: RowStatistics = engine.summarize(
            X, y, sample_weight, detail, target, layout, grid
        )
        return statistics
    names = None if columns is None or layout is not None else _column_names(columns)
    if y is None and (files or is_stream(X)):
        if sample_weight is not None or target is None:
            raise InvalidParameter(
                "rows that are read in parts have their labels in a column: name it with target=, "
                "and the column of weights, if any, with weight=, not sample_weight=."
            )
        options = ReadOptions(target, weight, names, layout=layout)
        return summarize_parts(
            X, options, detail, checkpoint=checkpoint, progress=progress, grid=grid
        )
    others = tuple(name for name in (target, weight) if name is not None)
    reader = None if layout is None else TableReader.of(None, layout.without(others))
    if reader is not None and reader.is_plain:
        names, reader = reader.names, None
    if y is None and target is not None and not is_table(X):
        split = partial(_split_part, target=target, weight=weight, columns=names)
        return _add_up(batches_of(X, split, reader), detail, grid)
    X, y, sample_weight = split_columns(X, y, sample_weight, target, weight, names)
    if y is None:
        return _add_up(batches(X, None, sample_weight), detail, grid)
    reader = reader or (None if layout is not None else TableReader.of(X))
    if grid is not None:
        no_levels(reader)
        return summarize_on_grid(X, y, sample_weight, detail, grid)
    if reader is not None:
        return summarize_table(reader.read(X), y, sample_weight, detail, reader)
    return summarize_batches(X, y, sample_weight, detail)


def _split_part(
    part: Any, *, target: str, weight: str | None, columns: Sequence[str] | None
) -> tuple[Any, Any, Any]:
    return split_columns(part, None, None, target, weight, columns)


def _column_names(columns: Any) -> tuple[str, ...]:
    """The names of columns, in a list or the like; an error for anything else."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InvalidParameter(
            f"columns is {shown(columns)}; pass a list of names, or what suffice.describe returns."
        )
    return tuple(columns)


def summarize_table(
    table: TableRows,
    y: Any,
    sample_weight: Any,
    detail: str,
    reader: TableReader,
    most: int | None = None,
) -> TableStatistics:
    """The statistics of the rows of a table with levels, as its reader returns them.

    most : the largest number of levels of a column; None for any
    """
    features = indicator_rows(table, reader, most)
    every = summarize_batches(features, y, sample_weight, detail)
    return TableStatistics(every, reader, features.levels)


def summarize_batches(X: Any, y: Any, sample_weight: Any, detail: str) -> AnyStatistics:
    """The statistics of a table of numbers."""
    total: Any = _add_up(batches(X, y, sample_weight), detail)
    statistics: AnyStatistics = total
    return statistics


def summarize_on_grid(X: Any, y: Any, sample_weight: Any, detail: str, grid: Grid) -> AnyExact:
    """The exact statistics of a table of numbers, rounded to a grid."""
    total: Any = _add_up(batches(X, y, sample_weight), detail, grid)
    statistics: AnyExact = total
    return statistics


def _add_up(parts: Iterable[Batch], detail: str, grid: Grid | None = None) -> RowStatistics:
    total: RowStatistics | None = None
    for batch in parts:
        try:
            part = _of_rows(batch, detail=detail, grid=grid)
            total = part if total is None else added(total, part)
        except InvalidInput as error:
            if not batch.source:
                raise
            raise type(error)(f"{batch.source}{error}") from error
    if total is None:
        raise InvalidFeatures("there is no row of positive weight.")
    return total


def summarize_parts(
    X: Any,
    options: ReadOptions,
    detail: str,
    *,
    checkpoint: str | PathLike[str] | None = None,
    progress: bool | Listener = False,
    grid: Grid | None = None,
) -> RowStatistics:
    """The statistics of rows that are read in parts: files, or a stream of Arrow batches."""
    stream: Stream
    saved = None
    if is_paths(X):
        if checkpoint is not None and options.layout is None:
            # What the columns are was decided when the pass began.
            layout = resumed_layout(Path(checkpoint), options.columns)
            options = replace(options, layout=layout)
        stream = FileStream.open(file_paths(X), options)
        if checkpoint is not None:
            roles, task = stream.roles, _task(stream.roles, detail, grid)
            saved = Checkpoint(Path(checkpoint), stream.paths, task, roles.reader)
    else:
        stream = ObjectStream.open(X, options)
    if grid is not None:
        no_levels(stream.roles.reader)
    with progress_listener(progress) as listener:
        of_batch = partial(_of_rows, detail=detail, grid=grid)
        return summarize_stream(stream, of_batch, saved, listener)


def _task(roles: Roles, detail: str, grid: Grid | None) -> dict[str, Any]:
    options = roles.options
    return {
        "target": options.target,
        "weight": options.weight,
        "columns": list(roles.features),
        "detail": detail,
        "missing": list(options.null_markers),
        "drop_unlabelled": options.drop_unlabelled,
        "rows a chunk": roles.chunk_rows,
        "grid": None if grid is None else grid.digest(),
    }


def _of_rows(batch: Batch, *, detail: str, grid: Grid | None) -> RowStatistics:
    if grid is not None:
        no_levels(batch.reader)
        return on_grid(batch, detail, grid)
    every: AnyStatistics
    try:
        every = _of_batch(batch, detail)
    except HasGaps:
        from suffice.statistics.gap_pass import with_gaps

        every = with_gaps(batch, detail, _of_batch)
    if batch.reader is None:
        return every
    assert isinstance(batch.features, IndicatorFeatures)
    return TableStatistics(every, batch.reader, batch.features.levels)


def _of_batch(batch: Batch, detail: str) -> Statistics:
    if batch.features.shape[0] == 1:
        return _of_row(batch, detail)
    reader = Reader.of(batch)
    sums, origin = class_sums(reader)
    kept = np.flatnonzero(sums.count[: len(batch.classes)] > 0)
    weight = sums.weight[kept]
    check_weights(batch.classes[kept], weight)
    offset = sums.sum[kept] / weight[:, None]
    means = DoubleDouble(*two_sum(origin[kept], offset))
    spread: Scatter
    fourth: Fourth | None
    if detail == "diagonal":
        squares = sums.square[kept] - offset * sums.sum[kept]
        constant = sums.low[kept] == sums.high[kept]
        spread, fourth = DiagonalScatter(DoubleDouble(np.where(constant, 0.0, squares))), None
    else:
        # Only now it is clear which classes have rows; no matrix is made for the others.
        reader = replace(reader, batch=batch.without_empty_classes(sums.count))
        separate = detail == "separate"
        unit = unit_of(_largest_variance(sums, kept)) if separate else 1.0  # of fourth powers
        spread, fourth = scatter(reader, means, weight, unit, per_class=separate)
    _check_underflow(spread, sums, kept, batch.features.names)
    return Statistics(
        batch.classes[kept],
        sums.count[kept],
        weight,
        means,
        spread,
        fourth,
        batch.features.names,
    )


def _check_underflow(
    spread: Scatter, sums: ClassSums, kept: Indices, names: tuple[str, ...] | None
) -> None:
    varies, count = np.asarray(sums.low[kept] < sums.high[kept]), sums.count[kept][:, None]
    if not spread.per_class:
        varies, count = np.asarray(varies.any(axis=0, keepdims=True)), count.sum()
    lost = varies & are_lost(spread.diagonal(), count)
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


def _largest_variance(sums: ClassSums, kept: Indices) -> float:
    weight = sums.weight[kept][:, None]
    square, total = sums.square[kept], sums.sum[kept]
    constant = sums.low[kept] == sums.high[kept]
    return float(np.where(constant, 0.0, (square - total / weight * total) / weight).max())
