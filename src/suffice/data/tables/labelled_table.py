"""Labelled table: rows in memory with the class, the weight and the feature names of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels, check_lengths
from suffice.data.tables.user_table import row_count, take_rows
from suffice.data.weights import row_weights
from suffice.errors import InvalidLabels


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows with their classes and weights.

    >>> table = LabelledTable.of([[1.0], [2.0], [3.0]], ["b", "a", "b"], [1.0, 2.0, 0.0])
    >>> table.classes, table.codes, table.weight
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]), array([1., 2., 0.]))
    """

    X: Any  # (n, d): an array, a frame, or rows in the form that a model takes them
    codes: Indices  # (n,): position of the class of each row
    classes: Array  # (k,)
    weights: Floats | None = None  # (n,); None where every row counts once
    feature_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> LabelledTable:
        """The table of what a user passes as X, y and sample_weight.

        Only classes with weight are kept. A row without weight may be of another class: its code
        then names one of the others, and the row counts nowhere.
        """
        labels, n = Labels.of(y), row_count(X)
        if not len(labels):
            raise InvalidLabels("y has no labels: pass one label per row.")
        check_lengths(n, len(labels))
        weights = row_weights(sample_weight, n)
        candidates, codes = labels.encode()
        present = np.unique(codes if weights is None else codes[weights > 0])
        codes = np.searchsorted(present, codes).clip(0, len(present) - 1)
        return cls(X, codes, candidates[present], weights)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def weight(self) -> Floats:
        """Weight of each row, (n,)."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def labels(self) -> Array:
        """Label of each row, (n,)."""
        return np.asarray(self.classes[self.codes])

    @property
    def effective_rows(self) -> float:
        """How many rows of equal weight hold as much information: (sum of w)² / sum of w²."""
        return float(self.weight.sum() ** 2 / (self.weight @ self.weight))

    def rows_of(self, c: int) -> Indices:
        """Positions of the rows of a class."""
        return np.flatnonzero(self.codes == c)

    def take(self, at: Indices | slice) -> Self:
        """Some of the rows, by position."""
        weights = None if self.weights is None else self.weights[at]
        return replace(self, X=take_rows(self.X, at), codes=self.codes[at], weights=weights)
