"""Material: the table that a report is about, and what its columns are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.features import as_features, as_frame
from suffice.data.labels import Labels
from suffice.data.levels import columns_of
from suffice.data.mixed import Layout
from suffice.errors import InvalidFeatures, InvalidInput, InvalidParameter

# Of larger tables so many rows, drawn at random, are judged; a class keeps at least so many.
MOST_ROWS, FEWEST = 20_000, 50


@dataclass(frozen=True, eq=False, slots=True)
class Material:
    """Rows with labels.

    X, y : as they were given, y apart from X
    target : name of the column that holds the labels, where X was given with it
    names : of the columns; x1, x2, ... where they have none
    layout : which columns are numbers and which are levels
    classes, codes : sorted labels, and the position of each row's among them
    missing : (n, d) where a value is missing
    numbers : (n, numeric columns); NaN where a value is missing
    rows : positions of these rows in the table they were drawn from; None where these are all
    """

    X: Any
    y: Array
    target: str | None
    names: tuple[str, ...]
    layout: Layout
    classes: Array
    codes: Indices
    missing: Array
    numbers: Array
    rows: Indices | None = None

    @classmethod
    def of(cls, X: Any, y: Any) -> Material:
        """Of a frame and the name of its column of labels, or of rows and labels."""
        X, y, target = _apart(X, y)
        layout = Layout.of(X)
        numeric, discrete = layout.split(X)
        n, d = _shape(X, numeric)
        candidates, codes = Labels.of(y).encode()
        if len(codes) != n:
            raise InvalidInput(
                f"X has {n} rows but y has {len(codes)} labels: inconsistent numbers of samples."
            )
        present = np.unique(codes)
        classes, codes = candidates[present], np.searchsorted(present, codes)
        missing, numbers = np.zeros((n, d), bool), np.zeros((n, 0))
        if numeric is not None:
            numbers = np.asarray(as_features(numeric).read(0, n), np.float64)
            missing[:, list(layout.numeric)] = np.isnan(numbers)
        if discrete is not None:
            for j, column in zip(layout.discrete, columns_of(discrete)[0], strict=True):
                missing[:, j] = False if column.missing is None else column.missing
        labels = np.asarray(classes[codes])
        return cls(X, labels, target, _names(X, d), layout, classes, codes, missing, numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.missing.shape[0], self.missing.shape[1]

    @property
    def frame(self) -> Any:
        """The columns as a data frame, or None where they are an array."""
        return None if isinstance(self.X, np.ndarray) else as_frame(self.X)

    def at(self, rows: Indices) -> Any:
        """Some rows of X, in the form that it has."""
        return _rows(self.X, rows)

    def sampled(self, random_state: int, most: int = MOST_ROWS) -> Material:
        """The same, or for a large table a part of it, drawn from each class by its share."""
        n = len(self.codes)
        if n <= most:
            return self
        rng = np.random.default_rng(random_state)
        kept = []
        for c in range(len(self.classes)):
            own = np.flatnonzero(self.codes == c)
            size = max(FEWEST, round(len(own) * most / n))
            kept.append(rng.permutation(own)[:size])
        at = np.sort(np.concatenate(kept))
        return Material(
            self.at(at),
            self.y[at],
            self.target,
            self.names,
            self.layout,
            self.classes,
            self.codes[at],
            self.missing[at],
            self.numbers[at],
            at,
        )

    def numeric(self) -> Any:
        """The table of the numeric columns; None if there are none."""
        return self.layout.split(self.X)[0]


def _rows(X: Any, at: Indices) -> Any:
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    return np.asarray(X)[at] if frame is None else frame[at.tolist()].to_native()


def _apart(X: Any, y: Any) -> tuple[Any, Any, str | None]:
    """Columns and labels, where labels may be named as a column."""
    if not isinstance(y, str):
        return _table(X), y, None
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    if frame is None:
        raise InvalidParameter(
            f"the labels are named as column {y!r}, but X is a {type(X).__name__}, whose columns "
            "have no names: pass a data frame, or the labels themselves."
        )
    if y not in frame.columns:
        raise InvalidParameter(f"there is no column {y!r}; the columns are {frame.columns}.")
    return frame.drop(y).to_native(), frame[y].to_native(), y


def _table(X: Any) -> Any:
    if isinstance(X, np.ndarray) or as_frame(X) is not None:
        return X
    values = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return values


def _shape(X: Any, numeric: Any) -> tuple[int, int]:
    if numeric is not None:
        as_features(numeric)  # which says what is wrong with it
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    shape = np.shape(X) if frame is None else frame.shape
    if len(shape) != 2 or not shape[0] or not shape[1]:
        raise InvalidFeatures(f"X has shape {shape}; a report takes rows and columns, (n, d).")
    return int(shape[0]), int(shape[1])


def _names(X: Any, d: int) -> tuple[str, ...]:
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    if frame is None:
        return tuple(f"x{j + 1}" for j in range(d))
    return tuple(map(str, frame.columns))
