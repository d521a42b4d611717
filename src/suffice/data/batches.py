"""Batches: what `summarize` accepts -> validated rows, labels and weights of bounded size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.caller import stacklevel
from suffice.data.feature_rows import Features
from suffice.data.features import as_features, as_frame
from suffice.data.labels import Labels, check_lengths
from suffice.data.tables.indicator_rows import MOST_LEVELS, indicator_rows
from suffice.data.tables.table import check_has, plain_name
from suffice.data.tables.table_rows import TableReader
from suffice.data.weights import checked_weights
from suffice.errors import (
    BatchFailed,
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidWeights,
    RowsInOtherOrder,
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows with their class codes.

    `classes` may hold labels without a row. Where some weights are zero, those rows carry
    the code `len(classes)`, which belongs to no class: as if they were absent.
    """

    features: Features
    classes: Array  # (k,) sorted labels
    codes: Indices  # (n,)
    weights: Floats | None  # (n,)
    first_row: int
    source: str = ""  # where the rows come from, as the start of an error message

    ignores_rows: bool = False
    is_chunk: bool = False  # of a stream: summarized by one thread, beside other chunks
    is_long: bool = False  # the stream has enough rows to repay compiled loops
    reader: TableReader | None = None  # how a table with levels was read, if it is one

    @property
    def n_codes(self) -> int:
        """How many codes there are, the one for ignored rows included."""
        return len(self.classes) + self.ignores_rows

    def without_empty_classes(self, count: Indices) -> Batch:
        """The same rows coded among the classes that have some."""
        present = count[: len(self.classes)] > 0
        if present.all():
            return self
        table = np.append(np.cumsum(present) - 1, present.sum())
        return replace(self, classes=self.classes[present], codes=table[self.codes])


def batches(
    X: Any, y: Any, sample_weight: Any = None, source: str = "", most_rows: int = 1 << 22
) -> Iterator[Batch]:
    """Validated batches of a table, or of an iterable of (X, y) or (X, y, weight).

    most_rows : of a batch; codes and orderings take 16 bytes per row, so they stay below 64 MB
    """
    if y is None and not is_table(X):
        if sample_weight is not None:
            raise InvalidInput("with an iterator of batches, pass weights as (X, y, weight).")
        yield from batches_of(X, _unpack)
        return
    features = as_features(X)
    labels = Labels.of(y)
    n = features.shape[0]
    check_lengths(n, len(labels))
    weights = checked_weights(sample_weight, n)
    for start in range(0, n, most_rows):
        stop = min(n, start + most_rows)
        part = None if weights is None else np.ascontiguousarray(weights[start:stop], np.float64)
        if part is not None and not part.any():
            continue
        classes, codes = labels.encode(start, stop)
        ignores = part is not None and not part.all()
        if ignores:
            codes = np.where(part == 0, len(classes), codes)
        rows = features if stop - start == n else features.part(start, stop)
        yield Batch(rows, classes, codes, part, start, source, bool(ignores))


def split_columns(
    X: Any,
    y: Any,
    sample_weight: Any,
    target: str | None = None,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
) -> tuple[Any, Any, Any]:
    """The features, labels and weights of a frame whose columns are named by their roles."""
    if weight is not None:
        X, sample_weight = split_weight(X, sample_weight, weight)
    if target is not None:
        X, y = split_target(X, y, target)
    else:
        _check_not_name(y, X)
        y = paired_by_position(X, y)
    if columns is not None:
        X = select_columns(X, columns)
    return X, y, sample_weight


def split_target(X: Any, y: Any, target: str) -> tuple[Any, Any]:
    """A frame without its label column, and that column."""
    frame = as_frame(X)
    if y is not None or frame is None:
        raise InvalidInput("target names the label column of a data frame; pass no y beside it.")
    _check_not_name(target, X)
    check_has([target], frame.columns, "X", InvalidLabels)
    labels = frame[target]
    # A column of pyarrow has no name of its own, which models remember: keep the one around it.
    return frame.drop(
        target
    ).to_native(), labels if frame.implementation.is_pyarrow() else labels.to_native()


def split_named(X: Any, y: Any) -> tuple[Any, Any]:
    """The features and the labels, which may be the name of a column of X."""
    if not isinstance(y, str):
        if isinstance(X, np.ndarray):  # without names and without an index
            return X, y
        _check_not_name(y, X)
        return X, paired_by_position(X, y)
    if isinstance(X, np.ndarray | list | tuple) or as_frame(X) is None:
        raise no_columns(y, X)
    return split_target(X, None, y)


def no_columns(y: str, X: Any) -> InvalidLabels:
    """The error where labels are the name of a column, and rows have no names."""
    return InvalidLabels(
        f"y is {y!r}, the name of a column, but X is a {type(X).__name__} without names; pass "
        "a data frame, or one label per row."
    )


def _check_not_name(y: Any, X: Any) -> None:
    """Raise where y is the name of a column that is not text: an integer, or a tuple of names."""
    if not isinstance(y, int | np.integer | tuple):
        return
    frame = as_frame(X)
    if frame is None or (y not in frame.columns and plain_name(y) not in frame.columns):
        return
    way = f"pass {plain_name(y)!r}"
    if not isinstance(y, tuple):
        way = "name the columns by text first, X.columns = [str(name) for name in X.columns]"
    raise InvalidLabels(
        f"y is {y!r}, a column of X, but only text can name the labels: {way}, or pass the labels "
        "themselves."
    )


def without_target(X: Any, target: str, features: Any) -> Any:
    """A frame without the column of the labels, if that is not a feature."""
    frame = as_frame(X)
    if frame is None or target not in frame.columns or features is None or target in features:
        return X
    return frame.drop(target).to_native()


def split_weight(X: Any, sample_weight: Any, weight: str) -> tuple[Any, Any]:
    """A frame without its column of weights, and that column."""
    frame = as_frame(X)
    if sample_weight is not None or frame is None:
        raise InvalidInput(
            "weight names a column of a data frame; pass no sample_weight beside it."
        )
    check_has([weight], frame.columns, "X", InvalidWeights)
    return frame.drop(weight).to_native(), frame[weight].to_numpy()


def select_columns(X: Any, columns: Sequence[str]) -> Any:
    """Some columns of a frame, by name."""
    frame = as_frame(X)
    if frame is None:
        raise InvalidInput("columns names features of a data frame; of an array, pass X[:, ...].")
    check_has(columns, frame.columns, "X", InvalidFeatures)
    return frame.select(list(columns)).to_native()


def is_table(X: Any) -> bool:
    """Whether X is one table, not an iterable of several."""
    if hasattr(X, "shape") or hasattr(X, "__dataframe__") or hasattr(X, "__arrow_c_stream__"):
        return True
    return X is None or isinstance(X, str | bytes) or not isinstance(X, Iterable)


def batches_of(
    parts: Iterable[Any],
    split: Callable[[Any], tuple[Any, Any, Any]],
    reader: TableReader | None = None,
) -> Iterator[Batch]:
    """Validated batches of an iterable; tables with levels are all read as the first one.

    split : X, y and weights of a part
    reader : how to read the parts, if that is known beforehand
    """
    decided, lengths, number = reader is not None, [0], -1
    for number, part in _enumerate(parts, lengths):
        try:
            X, y, sample_weight = split(part)
            reader, decided = reader if decided else TableReader.of(X), True
            if reader is not None:
                X = indicator_rows(reader.read(X), reader, MOST_LEVELS)
            for batch in batches(X, y, sample_weight, f"batch {number}: "):
                lengths.append(len(batch.codes))
                yield replace(batch, reader=reader)
        except InvalidInput as error:
            raise type(error)(f"batch {number}: {error}") from error
    if number < 0:
        raise InvalidFeatures("the iterator held no batch: X is empty.")


def _enumerate(parts: Iterable[Any], lengths: Sequence[int]) -> Iterator[tuple[int, Any]]:
    """The parts with their numbers; an error of the iterator says how far it came.

    lengths : numbers of rows read so far
    """
    source, number = iter(parts), 0
    while True:
        try:
            part = next(source)
        except StopIteration:
            return
        except Exception as error:
            raise BatchFailed(
                f"the iterator failed at batch {number}, after {sum(lengths)} rows: {error!r}. "
                "Nothing was kept; fix the source and start again."
            ) from error
        yield number, part
        number += 1


def _unpack(part: Any) -> tuple[Any, Any, Any]:
    if not isinstance(part, tuple) or len(part) not in (2, 3):
        raise InvalidLabels(
            "y is missing: a batch must be a tuple (X, y) or (X, y, weight). "
            "For a whole table pass y as the second argument."
        )
    return (*part, None) if len(part) == 2 else part


def paired_by_position(X: Any, y: Any) -> Any:
    """The labels; a warning, and the index of X, where they have the same index in another order.

    With the index of X, no function called later repeats the warning.
    """
    rows: Any = getattr(X, "index", None)
    labels: Any = getattr(y, "index", None)
    # Lists have a method of that name.
    if not hasattr(rows, "equals") or not hasattr(labels, "equals") or len(rows) != len(labels):
        return y
    if rows.equals(labels) or not (rows.is_unique and rows.isin(labels).all()):
        return y
    warnings.warn(
        "X and y have the same index in different orders; their rows are paired by position, as "
        "in scikit-learn. Pass y.loc[X.index] to pair them by index, or y.to_numpy() if the "
        "order is right.",
        RowsInOtherOrder,
        stacklevel=stacklevel(),
    )
    return y.set_axis(rows)
