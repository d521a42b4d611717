"""Count pass: rows of categories -> counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import split_named, split_target
from suffice.data.labels import Labels, check_lengths, narrowest
from suffice.data.tables.levels import MISSING, Column, columns_of
from suffice.data.weights import row_weights
from suffice.errors import InvalidFeatures, InvalidWeights
from suffice.statistics.counts import Counts
from suffice.statistics.level_table import LevelTable
from suffice.statistics.passes.threads import in_parallel, n_threads, shares

# Number of entries from which compiled loops save more time than loading them takes.
COMPILED_FROM = 1 << 21


# Largest number of cells in the tables of integer levels by class.
MOST_CELLS = 1 << 22


def count_levels(
    X: Any, y: Any = None, sample_weight: Any = None, *, target: str | None = None
) -> Counts:
    """Sufficient statistics of labelled rows of categories.

    Parameters
    ----------
    X : a table whose columns hold integers from 0, booleans, strings or a frame's categories,
        which count as levels even if no row has them; None, NaN or null is a missing value
    y : one label per row, or the name of the label column, as `target`
    sample_weight : one weight per row; rows of weight zero are ignored
    target : the label column, when X is a data frame that holds it

    >>> import suffice as sf
    >>> s = sf.count_levels([["red", "s"], ["blue", "m"], ["red", None]], [0, 0, 1])
    >>> s, s.tables[0].levels, s.tables[1].rows
    (<Counts of 3 rows, 2 features, 2 classes>, array(['blue', 'red'], dtype='<U4'),
     array([[1, 1], [0, 0]]))
    """
    X, y = split_named(X, y) if target is None else split_target(X, y, target)
    if isinstance(X, np.ndarray) and (X.dtype.kind == "c" or not X.size):
        columns_of(X)  # raises the error about X before any about y
    labels = Labels.of(y)
    n = len(labels)
    if not n:
        check_lengths(len(columns_of(X)[0][0].values), n)  # an empty X has raised its own error
    weights = row_weights(sample_weight, n)
    classes, codes = labels.encode()
    counted = np.ones(n, bool) if weights is None else weights > 0
    present = np.zeros(len(classes), bool)
    present[codes[counted]] = True
    codes = np.where(counted, (np.cumsum(present) - 1)[codes], present.sum())
    classes = narrowest(classes[present])
    if not len(classes):
        raise InvalidFeatures("there is no row of positive weight.")
    tables, names = _tables(X, codes, weights, len(classes), n)
    count = np.bincount(codes, minlength=len(classes) + 1)[: len(classes)]
    weight = np.bincount(codes, weights, len(classes) + 1)[: len(classes)].astype(np.float64)
    if not math.isfinite(sum(weight.tolist())):
        raise InvalidWeights("sample_weight is too large to be added up; rescale it.")
    return Counts(classes, count, weight, tables, names)


def _tables(
    X: Any, codes: Indices, weights: Floats | None, k: int, n: int
) -> tuple[tuple[LevelTable, ...], tuple[str, ...] | None]:
    if is_large(X):
        check_lengths(len(X), n)
        whole, high = as_integers(X)
        tables = None if whole is None else _of_integers(whole, high, codes, weights, k)
        if tables is not None:
            return tables, None
    columns, names = columns_of(X)
    check_lengths(len(columns[0].values), n)
    return tuple(_of_column(column, codes, weights, k) for column in columns), names


def is_large_integers(X: Any) -> bool:
    """Whether X is a large table of integers, for which compiled loops pay off."""
    return is_large(X) and X.dtype.kind in "iu"


def is_large(X: Any) -> bool:
    """Whether X is a large table of numbers, for which compiled loops pay off."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.size < COMPILED_FROM:
        return False
    compiled_types = {
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
        *("float32", "float64"),
    }
    return X.dtype.isnative and X.dtype.name in compiled_types


def as_integers(X: Array) -> tuple[Array | None, Indices]:
    """A large table as integers (None unless all are whole numbers from 0), and column maxima."""
    if X.dtype.kind in "iu":
        low, high = column_ranges(X)
        if (low < 0).any():
            columns_of(X)  # raises an error that names the row and the column
        return X, high
    from suffice.statistics.kernels import counting

    out = np.empty(X.shape, np.int32)

    def work(start: int, stop: int) -> tuple[bool, Indices]:
        high = np.zeros(X.shape[1], np.int64)
        return bool(counting.whole(X[start:stop], out[start:stop], high)), high

    parts = in_parallel(work, shares(len(X), n_threads()))
    highest = np.max([high for _, high in parts], axis=0)
    return (out if all(fine for fine, _ in parts) else None), highest


def _of_column(column: Column, codes: Indices, weights: Floats | None, k: int) -> LevelTable:
    levels, at = column.encode()
    m = len(levels)
    observed = (at != MISSING) & (codes < k)
    cells = (codes * m + at)[observed] if not observed.all() else codes * m + at
    rows = np.bincount(cells, minlength=k * m).reshape(k, m)
    own = None if weights is None else weights[observed]
    weight = np.bincount(cells, own, k * m).astype(np.float64).reshape(k, m)
    table = LevelTable(levels, rows, weight, np.zeros(m, bool)).trim()
    return table if column.declared is None else table.declare(column.declared)


def _of_integers(
    X: Array, high: Indices, codes: Indices, weights: Floats | None, k: int
) -> tuple[LevelTable, ...] | None:
    """Tables of a large array of integers, or None if there are too many levels."""
    from suffice.statistics.kernels import counting

    if high.max() >= MOST_CELLS:
        return None
    sizes = high + 1
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    if (k + 1) * offsets[-1] > MOST_CELLS:
        return None

    def work(start: int, stop: int) -> tuple[Indices, Floats | None]:
        rows = np.zeros((k + 1, int(offsets[-1])), np.int64)
        counting.count(X[start:stop], codes[start:stop], offsets, rows)
        if weights is None:
            return rows, None
        weight = np.zeros(rows.shape)
        part = slice(start, stop)
        counting.weigh(X[part], codes[part], weights[part], offsets, weight)
        return rows, weight

    parts = in_parallel(work, shares(len(X), n_threads()))
    rows = np.sum([part[0] for part in parts], axis=0)[:k]
    weight = rows.astype(np.float64)
    if weights is not None:
        weight = np.sum([part[1] for part in parts if part[1] is not None], axis=0)[:k]
    return tuple(
        LevelTable(
            np.arange(m), rows[:, at : at + m], weight[:, at : at + m], np.zeros(m, bool)
        ).trim()
        for at, m in zip(offsets.tolist(), sizes.tolist(), strict=False)
    )


def column_ranges(X: Array) -> tuple[Indices, Indices]:
    """Minimum and maximum of each column of a large array of integers."""
    from suffice.statistics.kernels import counting

    def work(start: int, stop: int) -> tuple[Indices, Indices]:
        low = np.full(X.shape[1], np.iinfo(np.int64).max)
        high = np.full(X.shape[1], np.iinfo(np.int64).min)
        counting.ranges(X[start:stop], low, high)
        return low, high

    parts = in_parallel(work, shares(len(X), n_threads()))
    return np.min([low for low, _ in parts], axis=0), np.max([high for _, high in parts], axis=0)
