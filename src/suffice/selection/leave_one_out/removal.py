"""Removal: rows left out one at a time, and what that does to their class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import same_kind
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import NeverIncluded
from suffice.models.scoring import in_shares, rows_per_block
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.numbers import DoubleDouble
from suffice.text import shown

# Relative difference above which weights and means are those of other rows.
SAME_ROWS = 1e-8

# The share of a variance or a determinant that a removal must leave, to keep enough digits.
LEAST_LEFT = 1e-4


def training_table(X: Any, y: Any, sample_weight: Any, classes: Array) -> LabelledTable:
    """The rows that a model was trained on, with codes in the order of its classes."""
    table = LabelledTable.of(X, y, sample_weight)
    same_kind(classes, table.classes)
    place = np.minimum(np.searchsorted(classes, table.classes), len(classes) - 1)
    unknown = (classes[place] != table.classes)[table.codes] & (table.weight > 0)
    if unknown.any():
        i = int(unknown.argmax())
        raise NeverIncluded(
            f"row {i} is of class {shown(table.classes[table.codes[i]])}, which the model was not "
            "trained on; leave-one-out needs the training rows."
        )
    return replace(table, codes=place[table.codes], classes=classes)


def check_rows(table: LabelledTable, statistics: AnyStatistics) -> None:
    """Raise unless the statistics are of these rows."""
    s = statistics
    check_weights(table, s.count, s.weight)
    if isinstance(s, IncompleteStatistics):
        return
    offsets = np.empty_like(s.mean)
    for j in range(s.mean.shape[1]):
        steps = (table.X[:, j] - s.mean[table.codes, j]) * table.weight
        offsets[:, j] = np.bincount(table.codes, steps, minlength=len(s.mean))
    scale = np.abs(s.mean) + np.sqrt(s.squares.sum(axis=0) / s.weight.sum())
    wrong = ~(np.abs(offsets) <= SAME_ROWS * s.weight[:, None] * scale).all(axis=1)
    if wrong.any():
        raise NeverIncluded(
            f"the rows of class {shown(s.classes[wrong.argmax()])} have a different mean from "
            "those that the model was trained on; leave-one-out needs all of the training rows "
            "and no others."
        )


def check_weights(table: LabelledTable, count: Indices, weight: Floats) -> None:
    """Raise unless there are as many rows of each class as the model was trained on."""
    k = len(table.classes)
    rows = np.bincount(table.codes[table.weight > 0], minlength=k)
    weights = np.bincount(table.codes, table.weight, minlength=k)
    wrong = (rows != count) | ~np.isclose(weights, weight, SAME_ROWS, 0)
    if wrong.any():
        c = int(wrong.argmax())
        raise NeverIncluded(
            f"class {shown(table.classes[c])} has {rows[c]} rows of total weight {weights[c]:g}, "
            f"but the model was trained on {count[c]} of total weight {weight[c]:g}; leave-one-out "
            "needs all of the training rows and no others, with the same weights."
        )


def blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of n rows of `width` numbers each that stay in the cache."""
    step = rows_per_block(max(width, 1), fewest=1)
    return (slice(low, min(n, low + step)) for low in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Removal:
    """Some rows, each of which is taken out of its class while the others stay.

    Without a row of weight w, whose step from the class mean is z, a class of weight W has the
    mean less w z / (W - w), and the scatter less a zz' with a = w W / (W - w).
    """

    table: LabelledTable
    at: Indices  # (b,)
    means: DoubleDouble  # (k, d)
    class_weight: Floats  # (k,)

    @cached_property
    def rows(self) -> Floats:
        """The rows themselves, (b, d)."""
        first, last = int(self.at[0]), int(self.at[-1])
        consecutive = last - first + 1 == len(self.at)
        rows = self.table.X[first : last + 1] if consecutive else self.table.X[self.at]
        return np.asarray(rows, np.float64)

    @cached_property
    def codes(self) -> Indices:
        """Position of the class of each row, (b,)."""
        return self.table.codes[self.at]

    @cached_property
    def classes(self) -> tuple[Indices, Indices]:
        """The classes of the rows, (c,), and the position of each row's among them, (b,)."""
        return np.unique(self.codes, return_inverse=True)

    @cached_property
    def weight(self) -> Floats:
        """w, (b,)."""
        return self.table.weight[self.at]

    @cached_property
    def stretch(self) -> Floats:
        """W / (W - w), (b,): the factor by which a row is farther from the mean of the others.

        One where no other row is left.
        """
        total = self.class_weight[self.codes]
        left = total - self.weight
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(left > 0, total / left, 1.0))

    @cached_property
    def loss(self) -> Floats:
        """a, (b,)."""
        return self.weight * self.stretch

    @cached_property
    def steps(self) -> Floats:
        """z: the rows about the means of their own classes, (b, d)."""
        return self.steps_from(self.codes)

    def steps_from(self, c: int | Indices) -> Floats:
        """The rows about the mean of one class, or of one class per row, (b, d)."""
        # Use every digit of the means: far from zero their rounding error would show.
        steps = self.rows - self.means.high[c]
        if self.means.low is not None:
            steps -= self.means.low[c]
        return np.asarray(steps)

    def holds_most_of(self, squares: Floats) -> Array:
        """Whether next to nothing is left of some sum of squares (d,) without each row, (b,)."""
        lost = self.loss[:, None] * self.steps**2
        return np.asarray((lost > (1 - LEAST_LEFT) * squares).any(axis=1))

    def take(self, where: Array) -> Removal:
        """Those rows of the block that are marked."""
        return Removal(self.table, self.at[where], self.means, self.class_weight)


def for_each_block(table: LabelledTable, statistics: Any, work: Callable[[Removal], None]) -> None:
    """Call work(removal) for all rows, in blocks that stay in the cache, on all threads."""
    n, d = table.X.shape
    step = rows_per_block(2 * max(d, len(statistics.weight)))

    def share(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            at = np.arange(low, min(stop, low + step))
            work(Removal(table, at, statistics.means, statistics.weight))

    in_shares(share, n, d)
