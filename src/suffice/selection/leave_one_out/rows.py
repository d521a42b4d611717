"""Rows to leave out one at a time, and what the removal of each does to its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels, same_kind, shown
from suffice.data.weights import Weights
from suffice.errors import InvalidInput, NeverIncluded
from suffice.models.scoring import BLOCK_BYTES, PARALLEL_FROM
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.numbers import Pair
from suffice.statistics.threads import blas_threads, in_parallel, n_threads, shares

Result = TypeVar("Result")

# Sums and means that differ by more than this, relatively, are not of the same rows.
SAME = 1e-8


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """All rows that some statistics were made of."""

    X: Array  # (n, d)
    codes: Indices  # (n,): position of the class of each row
    weights: Floats | None = None  # (n,)

    def __len__(self) -> int:
        return len(self.X)

    @cached_property
    def weight(self) -> Floats:
        """Weight of each row, (n,)."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, classes: Array) -> LabelledRows:
        """Rows of a model with the labels and weights that a user gives."""
        labels = Labels.of(y)
        if len(labels) != len(X):
            raise InvalidInput(
                f"X has {len(X)} rows but y has {len(labels)} labels: inconsistent numbers of "
                "samples."
            )
        weights = None if sample_weight is None else Weights.of(sample_weight, len(X))
        weight = None if weights is None else weights.read(0, len(X))
        found, codes = labels.encode()
        same_kind(classes, found)
        place = np.minimum(np.searchsorted(classes, found), len(classes) - 1)
        strange = (classes[place] != found)[codes]
        counted = strange if weight is None else strange & (weight > 0)
        if counted.any():
            raise NeverIncluded(
                f"row {int(counted.argmax())} is of class {shown(found[codes[counted.argmax()]])}, "
                "which the model was not trained on; leave-one-out takes the training rows."
            )
        # A row without weight may be of a class without rows: it is left out of none.
        return cls(X, np.where(strange, 0, place[codes]), weight)

    def check(self, statistics: AnyStatistics) -> None:
        """Raise unless the statistics are of these rows."""
        s = statistics
        self.check_weight(s.classes, s.count, s.weight)
        if isinstance(s, IncompleteStatistics):
            return
        wrong = self._other_means(s.mean, s.squares, s.weight)
        if wrong.any():
            raise NeverIncluded(
                f"the rows of class {shown(s.classes[wrong.argmax()])} have another mean than "
                "those that the model was trained on; leave-one-out takes all of the training "
                "rows and no others."
            )

    def check_weight(self, classes: Array, count: Indices, weight: Floats) -> None:
        """Raise unless there are as many rows of each class as the model was trained on."""
        k = len(classes)
        counted = np.bincount(self.codes[self.weight > 0], minlength=k)
        weighed = np.bincount(self.codes, self.weight, minlength=k)
        wrong = (counted != count) | ~np.isclose(weighed, weight, SAME, 0)
        if wrong.any():
            c = int(wrong.argmax())
            raise NeverIncluded(
                f"class {shown(classes[c])} has {counted[c]} rows, weighing {weighed[c]:g}, but "
                f"the model was trained on {count[c]}, weighing {weight[c]:g}; leave-one-out takes "
                "all of the training rows and no others, with the same weights."
            )

    def _other_means(self, mean: Floats, squares: Floats, weight: Floats) -> Array:
        """Which classes have other means than these, (k,)."""
        off = np.empty_like(mean)
        for j in range(mean.shape[1]):
            steps = (self.X[:, j] - mean[self.codes, j]) * self.weight
            off[:, j] = np.bincount(self.codes, steps, minlength=len(mean))
        scale = np.abs(mean) + np.sqrt(squares.sum(axis=0) / weight.sum())
        return np.asarray(~(np.abs(off) <= SAME * weight[:, None] * scale).all(axis=1))

    def each(
        self, means: Pair, weight: Floats, work: Callable[[Removal], None], width: int
    ) -> None:
        """work(removal) for all rows, in blocks that stay in the cache, one share per thread.

        width : how many numbers the work takes for a row, if more than the row itself
        """
        n, d = self.X.shape
        step = max(16, BLOCK_BYTES // (16 * max(d, width)))

        def share(start: int, stop: int) -> None:
            for low in range(start, stop, step):
                at = np.arange(low, min(stop, low + step))
                work(Removal(self, at, means, weight))

        if n * d < PARALLEL_FROM:
            share(0, n)
        else:
            with blas_threads(1):
                in_parallel(share, [*shares(n, n_threads())])


def blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of n rows of so many numbers each that stay in the cache."""
    step = max(1, BLOCK_BYTES // (8 * max(width, 1)))
    return (slice(low, min(n, low + step)) for low in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Removal:
    """Some rows, each of which is taken out of its class while the others stay.

    Without a row of weight w, whose step from the class mean is z, a class of weight W has the
    mean less w z / (W - w), and the scatter less a zz' with a = w W / (W - w).
    """

    source: LabelledRows
    at: Indices  # (b,)
    means: Pair  # (k, d)
    class_weight: Floats  # (k,)

    @cached_property
    def rows(self) -> Floats:
        """The rows themselves, (b, d)."""
        first, last = int(self.at[0]), int(self.at[-1])
        if last - first + 1 == len(self.at):
            found = self.source.X[first : last + 1]
        else:
            found = self.source.X[self.at]
        return np.asarray(found, np.float64)

    @cached_property
    def codes(self) -> Indices:
        """Position of the class of each row, (b,)."""
        return self.source.codes[self.at]

    @cached_property
    def classes(self) -> tuple[Indices, Indices]:
        """The classes that the rows are of, (c,), and the place of each row's among them, (b,)."""
        return np.unique(self.codes, return_inverse=True)

    @cached_property
    def weight(self) -> Floats:
        """w, (b,)."""
        return self.source.weight[self.at]

    @cached_property
    def stretch(self) -> Floats:
        """W / (W - w), (b,): by so much a row is farther from the mean of the others.

        One where no other is left.
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
        return self._about(self.codes)

    def steps_from(self, c: int) -> Floats:
        """The rows about the mean of one class, (b, d)."""
        return self._about(c)

    def some(self, where: Array | slice) -> Removal:
        """Those rows of the block that are marked."""
        return Removal(self.source, self.at[where], self.means, self.class_weight)

    def once(self, work: Callable[[Removal], Result]) -> Result:
        """work(removal), computed the first time only."""
        kept = self.__dict__.setdefault("_kept", {})
        if work not in kept:
            kept[work] = work(self)
        found: Result = kept[work]
        return found

    def _about(self, c: int | Indices) -> Floats:
        # To the last digit of the means: their rounding error shows far from zero.
        steps = self.rows - self.means.high[c]
        if self.means.low is not None:
            steps -= self.means.low[c]
        return np.asarray(steps)
