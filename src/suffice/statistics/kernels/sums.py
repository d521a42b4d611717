"""Arguments of the inner loops: rows, sums by class, and the means that rows are centred about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices


def run_edges(codes: Indices) -> Indices:
    """Where each run of equal codes starts, and where the last one ends.

    >>> run_edges(np.array([2, 2, 5, 5, 5])).tolist()
    [0, 2, 5]
    """
    changes = np.ones(len(codes) + 1, bool)
    np.not_equal(codes[1:], codes[:-1], out=changes[1:-1])
    return np.flatnonzero(changes)


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Consecutive rows, C-ordered, with their codes and weights."""

    rows: Array
    codes: Indices
    weights: Floats  # empty without weights
    first: int = 0


@dataclass(frozen=True, slots=True)
class ClassSums:
    """Sums by class about an origin; filled in place while rows are read."""

    count: Indices  # (k,)
    weight: Floats  # (k,); not filled without weights
    sum: Floats  # (k, d): sum of w (x - origin)
    square: Floats  # (k, d): sum of w (x - origin)²
    low: Floats  # (k, d)
    high: Floats  # (k, d)

    @classmethod
    def empty(cls, k: int, d: int) -> ClassSums:
        """Sums over no rows."""
        low = np.full((k, d), np.inf)
        return cls(
            np.zeros(k, np.int64),
            np.zeros(k),
            np.zeros((k, d)),
            np.zeros((k, d)),
            low,
            -low,
        )

    def absorb(self, other: ClassSums) -> None:
        """Add the sums of other rows about the same origin."""
        np.add(self.count, other.count, out=self.count)
        np.add(self.weight, other.weight, out=self.weight)
        np.add(self.sum, other.sum, out=self.sum)
        np.add(self.square, other.square, out=self.square)
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)


@dataclass(frozen=True, slots=True)
class Centres:
    """Class means that rows are centred about, `mean + rest`, and the unit of fourth powers."""

    mean: Floats  # (k, d)
    rest: Floats  # (k, d): the digits of the mean that one float cannot hold
    per_unit: float


@dataclass(frozen=True, slots=True)
class Fourths:
    """Sums by class of w|z|², w|z|²z and w|z|⁴; filled in place while rows are read."""

    square: Floats  # (k,)
    cubic: Floats  # (k, d)
    quartic: Floats  # (k,)

    @classmethod
    def empty(cls, k: int, d: int) -> Fourths:
        """Sums over no rows."""
        return cls(np.zeros(k), np.zeros((k, d)), np.zeros(k))

    def add(self, c: int, square: float, cubic: Floats, quartic: float) -> None:
        """Add the sums of other rows of one class."""
        self.square[c] += square
        self.cubic[c] += cubic
        self.quartic[c] += quartic

    def absorb(self, other: Fourths) -> None:
        """Add the sums of other rows."""
        np.add(self.square, other.square, out=self.square)
        np.add(self.cubic, other.cubic, out=self.cubic)
        np.add(self.quartic, other.quartic, out=self.quartic)
