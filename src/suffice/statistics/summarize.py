"""Summarize: rows in any form -> statistics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from suffice.data.batches import (
    Batch,
    batches,
    batches_of,
    is_table,
    no_columns,
    split_columns,
)
from suffice.data.engine import engine_of
from suffice.data.parameters import choice
from suffice.data.sources.object_source import is_stream
from suffice.data.sources.paths import file_paths, is_paths
from suffice.data.sources.roles import ReadOptions, Roles
from suffice.data.sources.stream import FileStream, ObjectStream, Stream
from suffice.data.tables.indicator_rows import indicator_rows
from suffice.data.tables.prepared_table import PreparedTable
from suffice.data.tables.table_layout import TableLayout
from suffice.data.tables.table_rows import TableReader, given_layout
from suffice.errors import InvalidFeatures, InvalidInput, InvalidParameter
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.exact.grid import Grid
from suffice.statistics.passes.batch_statistics import batch_statistics
from suffice.statistics.passes.checkpoint import Checkpoint, resumed_layout
from suffice.statistics.passes.progress import Listener, progress_listener
from suffice.statistics.passes.streaming import summarize_stream
from suffice.statistics.shape import DETAILS
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
    `TableStatistics`, of an indicator for each level; so do dates and numbers written as text.

    Parameters
    ----------
    X : NumPy array of any real dtype, data frame (pandas, polars, pyarrow, ...), or an
        iterable of batches (X, y) or (X, y, weight), or of frames with `target`. Or a source read
        in parts, in bounded memory: files by name, pattern or list (CSV, also gzip or zstd;
        Parquet; Arrow), a polars LazyFrame, or anything with `__arrow_c_stream__`, such as a
        DuckDB query
    y : one label per row: strings, integers, booleans, categories; or the name of the label
        column, as `target`; None with batches or `target`
    sample_weight : one weight per row; rows of weight zero are ignored
    detail : what later models need at least: a scatter matrix for each class ("separate"),
        one pooled over classes ("shared"), or variances only ("diagonal")
    target : the label column, if X is files or a data frame that contains it
    weight : the column of weights, likewise
    columns : the names of the features in their order, or what `suffice.describe` returns, which
        says how to read each column; None for all other columns. What the columns of a source
        read in parts are is then decided by some of its rows, spread over the files; levels
        (categories) that only later rows have are added
    checkpoint : a file from which an interrupted pass over files resumes, with the same result in
        every bit; it stays until you delete it
    progress : True for a bar on a terminal, or a function that is passed `rows`, `rate` and
        `seconds_left` as attributes of one value
    grid : a `Grid` to which the numeric features are rounded (levels are whole numbers anyway); the
        result is then an `ExactStatistics` (with missing values, an `ExactIncomplete`; of a table
        with levels, a `TableStatistics` of them), the same in every bit for any order, chunks,
        threads, workers or device

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
    files = is_paths(X)
    if isinstance(y, str) and target is None:
        if not files and isinstance(X, np.ndarray | list | tuple):
            raise no_columns(y, X)
        y, target = None, y
    if checkpoint is not None and not files:
        raise InvalidParameter("checkpoint works with files only: other rows cannot be read again.")
    named = _NamedColumns.of(target, weight, columns)
    engine = None if files else engine_of(X)
    if engine is not None:
        layout = named.layout_alone(X)
        elsewhere: Any = engine.summarize(X, y, sample_weight, detail, target, layout, grid)
        return elsewhere  # type: ignore[no-any-return]
    if y is None and (files or is_stream(X)):
        options = named.options(sample_weight)
        return summarize_parts(
            X, options, detail, checkpoint=checkpoint, progress=progress, grid=grid
        )
    form = ExactForm.of(detail, grid)
    if y is None and target is not None and not is_table(X):
        parts = batches_of(X, named.split, named.reader)
        return summarize_batches(parts, form)  # type: ignore[no-any-return]
    X, y, sample_weight = named.split(X, y, sample_weight)
    reader = named.reader
    if named.layout is None and y is not None:
        reader = TableReader.of(X)
    if reader is None or y is None:
        return summarize_batches(batches(X, y, sample_weight), form)  # type: ignore[no-any-return]
    return summarize_table(reader.read(X), y, sample_weight, form, reader)


@dataclass(frozen=True, slots=True)
class _NamedColumns:
    """The columns that a user names: the target, the weights, and the features."""

    target: str | None
    weight: str | None
    names: tuple[str, ...] | None  # of the features, where these are numbers
    reader: TableReader | None = None  # how features are read that a user has described
    layout: TableLayout | None = None  # that description

    @classmethod
    def of(cls, target: str | None, weight: str | None, columns: Any) -> Self:
        """What the parameters of `summarize` say."""
        layout = given_layout(columns)
        if layout is not None:
            others = [name for name in (target, weight) if name is not None]
            own = TableReader.described(layout.without(others))
            plain = own.layout.is_plain
            return cls(target, weight, own.names if plain else None, None if plain else own, layout)
        if columns is None:
            return cls(target, weight, None)
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise InvalidParameter(
                f"columns is {shown(columns)}; pass a list of names, or what suffice.describe "
                "returns."
            )
        return cls(target, weight, tuple(columns))

    def split(self, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Any, Any, Any]:
        """The features, labels and weights of a frame."""
        return split_columns(X, y, sample_weight, self.target, self.weight, self.names)

    def layout_alone(self, X: Any) -> TableLayout | None:
        """The description, for rows whose columns cannot be named otherwise."""
        if self.weight is not None or (self.layout is None and self.names is not None):
            raise InvalidParameter(
                f"weight= and names of columns do not apply to a {type(X).__name__}; select "
                "its columns first."
            )
        return self.layout

    def options(self, sample_weight: Any) -> ReadOptions:
        """The same for rows that are read in parts."""
        if sample_weight is not None or self.target is None:
            raise InvalidParameter(
                "rows that are read in parts have their labels in a column: name it with target=, "
                "and the column of weights, if any, with weight=, not sample_weight=."
            )
        names = self.names if self.layout is None else None
        return ReadOptions(self.target, self.weight, names, layout=self.layout)


def summarize_table(
    table: PreparedTable,
    y: Any,
    sample_weight: Any,
    form: str | ExactForm,
    reader: TableReader,
    most: int | None = None,
) -> TableStatistics:
    """The statistics of the rows of a table with levels, as its reader returns them.

    form : the detail, with the grid of the numeric features if there is one
    most : the largest number of levels of a column; None for any
    """
    features = indicator_rows(table, reader, most)
    if isinstance(form, ExactForm):
        form = form.for_table(features.names, len(reader.numeric_names))
    every = summarize_batches(batches(features, y, sample_weight), form)
    made = TableStatistics(every, reader, features.levels)
    return made if sample_weight is None else made.without_empty_levels()


def summarize_batches(parts: Iterable[Batch], form: str | ExactForm) -> Any:
    """The statistics of some batches, in some detail or on a grid, added in their order."""
    total: Any = None
    for batch in parts:
        try:
            part = batch_statistics(batch, form)
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
    with progress_listener(progress) as listener:
        of_batch = partial(batch_statistics, form=ExactForm.of(detail, grid))
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
