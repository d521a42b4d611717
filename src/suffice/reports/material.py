"""Material: the table of a report, and the kinds of its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.batches import split_named
from suffice.data.columns.description import describe
from suffice.data.features import as_features, as_frame
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.levels import columns_of
from suffice.data.tables.mixed import DISCRETE, NUMERIC, ColumnLayout
from suffice.data.tables.table_rows import as_features_frame, holds_numbers
from suffice.data.tables.user_table import take_rows
from suffice.errors import InvalidFeatures
from suffice.plots.columns import width
from suffice.plots.points import thin


@dataclass(frozen=True, eq=False, kw_only=True)
class Material(LabelledTable):
    """A labelled table, and what a report says about its columns.

    target : name of the column that held the labels, or None
    names : of the columns; x1, x2, ... if they have none
    layout : which columns are numbers and which are categories (levels)
    missing : (n, d) whether a value is missing
    numbers : (n, numeric columns); NaN where a value is missing
    rows : positions of these rows in the table they were drawn from; None if these are all
    notes : which columns and cells are not used, one sentence each
    """

    target: str | None
    names: tuple[str, ...]
    layout: ColumnLayout
    missing: Array
    numbers: Array
    rows: Indices | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, X: Any, y: Any) -> Material:
        """From a frame and the name of its column of labels, or from rows and labels."""
        target = y if isinstance(y, str) else None
        X, y = split_named(X if target else _table(X), y)
        notes = () if holds_numbers(X) else describe(X).notes
        X = as_features_frame(X)
        layout = ColumnLayout.of(X)
        tables = layout.split(X)
        numeric, discrete = tables.get(NUMERIC), tables.get(DISCRETE)
        n, d = _shape(X, numeric)
        table = LabelledTable.of(X, y)
        missing, numbers = np.zeros((n, d), bool), np.zeros((n, 0))
        if numeric is not None:
            numbers = np.asarray(as_features(numeric).read(0, n), np.float64)
            missing[:, list(layout.numeric)] = np.isnan(numbers)
        if discrete is not None:
            for j, column in zip(layout.discrete, columns_of(discrete)[0], strict=True):
                missing[:, j] = False if column.missing is None else column.missing
        return cls(
            X,
            table.codes,
            table.classes,
            target=target,
            names=width(X)[1],
            layout=layout,
            missing=missing,
            numbers=numbers,
            notes=notes,
        )

    @property
    def y(self) -> Array:
        """Label of each row, (n,)."""
        return self.labels

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.missing.shape[0], self.missing.shape[1]

    @property
    def frame(self) -> Any:
        """The columns as a data frame, or None if they are an array."""
        return as_frame(self.X)

    def at(self, rows: Indices) -> Any:
        """Some rows of X, as the kind of table that it is."""
        return take_rows(self.X, rows)

    def take(self, at: Indices | slice) -> Self:
        """Some of the rows, by position."""
        return replace(super().take(at), missing=self.missing[at], numbers=self.numbers[at])

    def sampled(self, random_state: int, most: int = 20_000) -> Self:
        """The same, or of more than `most` rows that many, drawn from each class by its share."""
        if len(self) <= most:
            return self
        at = thin(self.codes, most, random_state)
        return replace(self.take(at), rows=at)

    def numeric(self) -> Any:
        """The table of the numeric columns; None if there are none."""
        return self.layout.split(self.X).get(NUMERIC)


def _table(X: Any) -> Any:
    """A frame or an array as it is; rows in lists as an array."""
    if isinstance(X, np.ndarray) or as_frame(X) is not None:
        return X
    values = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return values


def _shape(X: Any, numeric: Any) -> tuple[int, int]:
    if numeric is not None:
        as_features(numeric)  # which reports what is wrong with it
    frame = as_frame(X)
    shape = np.shape(X) if frame is None else frame.shape
    if len(shape) != 2 or not shape[0] or not shape[1]:
        raise InvalidFeatures(f"X has shape {shape}; a report takes rows and columns, (n, d).")
    return int(shape[0]), int(shape[1])
