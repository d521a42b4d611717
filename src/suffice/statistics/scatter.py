"""Scatter: centred sums of outer products, by class, pooled over classes, or diagonals only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.alignment import Alignment, tidy
from suffice.statistics.numbers import ALL, PART, Pair
from suffice.statistics.thin import Thin

# Pooled over classes there is one group, whatever the classes are.
_ONE_GROUP = Alignment(np.zeros(1), ALL, ALL, ALL, ALL, ALL)


@dataclass(slots=True, eq=False)
class Dense:
    """Full scatter matrices: one a class, or a single one pooled over classes."""

    sums: Pair  # (groups, d, d)
    per_class: bool

    def merged(self, other: Dense | Thin, alignment: Alignment, jump: Floats) -> Dense:
        """Scatter of both, `jump` being the scaled distance between shared class means."""
        at = alignment if self.per_class else _ONE_GROUP
        added = other.sums if isinstance(other, Dense) else other.grams()
        if added is None:
            rows = self.sums[at.both_left] + Pair(self._outer(jump))
        else:
            rows = self._joined(self.sums[at.both_left], added[at.both_right], jump)
        if at.both is ALL:
            return Dense(rows, self.per_class)
        total = self.sums.spread(at.left, at.size)
        if at.news and added is not None:
            total = total.with_rows(at.right, added)
        return Dense(total.with_rows(at.both, rows), self.per_class)

    def reduced(self, gone: Dense | Thin, alignment: Alignment, jump: Floats) -> Dense:
        """What remains when `gone` and its distance to the remaining mean are taken away."""
        at = alignment if self.per_class else _ONE_GROUP
        rows = self.sums[at.both_left] - Pair(self._outer(jump))
        taken = gone.sums if isinstance(gone, Dense) else gone.grams()
        if taken is not None:
            rows = rows - taken[at.both_right]
        return Dense(rows if at.both is ALL else self.sums.with_rows(at.both, rows), self.per_class)

    def _joined(self, left: Pair, right: Pair, jump: Floats) -> Pair:
        """The sum of both and of what joins them, a few rows at a time, which stay in the cache."""
        groups, d, _ = left.high.shape
        if groups * d * d <= PART or not self.per_class:
            return left.plus(right, self._outer(jump))
        high, low = np.empty(left.high.shape), np.empty(left.high.shape)
        most, rows = max(1, PART // d**2), min(d, max(1, PART // d))
        for group in range(0, groups, most):
            some = jump[group : group + most]
            for row in range(0, d, rows):
                at = (slice(group, group + most), slice(row, row + rows))
                part = left[at].plus(right[at], some[:, at[1], None] * some[:, None, :])
                high[at], low[at] = part.high, part.low
        return Pair(high, low)

    def _outer(self, jump: Floats) -> Floats:
        if self.per_class and len(jump) != 1:
            return jump[:, :, None] * jump[:, None, :]
        return (jump.T @ jump)[None]

    def diagonal(self) -> Floats:
        """Sums of squares, a row a group."""
        return np.ascontiguousarray(self.sums.high.diagonal(axis1=1, axis2=2))

    def times(self, vectors: Floats, groups: slice | Indices) -> Floats:
        """Scatter matrix times vector, for one vector a group."""
        if not self.per_class:
            return np.asarray(vectors @ self.sums.high[0])
        return np.asarray(np.matmul(self.sums.high[groups], vectors[:, :, None])[:, :, 0])

    def select(self, features: Indices) -> Dense:
        """The scatter of some features."""
        return Dense(self.sums[:, features[:, None], features], self.per_class)

    def keep(self, classes: Indices) -> Dense:
        """The scatter of some classes."""
        return Dense(self.sums[tidy(classes, len(self.sums.high))], self.per_class)

    def cleared(self, empty: np.ndarray) -> Dense:
        """The same with the marked (group, feature) rows and columns set to zero."""
        keep = ~empty
        mask = (keep[:, :, None] & keep[:, None, :]).astype(np.float64)
        low = None if self.sums.low is None else self.sums.low * mask
        return Dense(Pair(self.sums.high * mask, low), self.per_class)

    def rounded(self) -> Dense:
        """The same sums as single floats."""
        return self if self.sums.low is None else Dense(Pair(self.sums.high), self.per_class)

    def pooled(self) -> Dense:
        """One matrix, summed over classes."""
        total = Pair(np.zeros((1, *self.sums.high.shape[1:])))
        for group in range(len(self.sums.high)):
            total = total + self.sums[group : group + 1]
        return Dense(total, per_class=False)


@dataclass(frozen=True, slots=True)
class Diagonal:
    """Centred sums of squares by class and feature; no products."""

    sums: Pair  # (k, d)

    @property
    def per_class(self) -> bool:
        """Always by class."""
        return True

    def merged(self, other: Diagonal, alignment: Alignment, jump: Floats) -> Diagonal:
        """Sums of squares of both, `jump` being the scaled distance between shared means."""
        at = alignment
        rows = other.sums[at.both_right] + (self.sums[at.both_left] + Pair(jump * jump))
        if at.both is ALL:
            return Diagonal(rows)
        total = self.sums.spread(at.left, at.size).with_rows(at.right, other.sums)
        return Diagonal(total.with_rows(at.both, rows))

    def reduced(self, gone: Diagonal, alignment: Alignment, jump: Floats) -> Diagonal:
        """What remains when `gone` and its distance to the remaining mean are taken away."""
        at = alignment
        rows = (self.sums[at.both_left] - Pair(jump * jump)) - gone.sums[at.both_right]
        return Diagonal(self.sums.with_rows(at.both, rows))

    def rounded(self) -> Diagonal:
        """The same sums as single floats."""
        return self if self.sums.low is None else Diagonal(Pair(self.sums.high))

    def diagonal(self) -> Floats:
        """Sums of squares, a row a class."""
        return self.sums.high

    def select(self, features: Indices) -> Diagonal:
        """The sums of some features."""
        return Diagonal(self.sums[:, features])

    def keep(self, classes: Indices) -> Diagonal:
        """The sums of some classes."""
        return Diagonal(self.sums[tidy(classes, len(self.sums.high))])

    def cleared(self, empty: np.ndarray) -> Diagonal:
        """The same with the marked (class, feature) sums set to zero."""
        low = None if self.sums.low is None else np.where(empty, 0.0, self.sums.low)
        return Diagonal(Pair(np.where(empty, 0.0, self.sums.high), low))


Scatter: TypeAlias = Dense | Thin | Diagonal


def merge(a: Scatter, b: Scatter, alignment: Alignment, jump: Floats) -> Scatter:
    """Scatter of two parts; a factor becomes a matrix once it would be the larger."""
    if isinstance(a, Diagonal) and isinstance(b, Diagonal):
        return a.merged(b, alignment, jump)
    assert not isinstance(a, Diagonal)
    assert not isinstance(b, Diagonal)
    if isinstance(a, Thin) and isinstance(b, Thin):
        both = a.merged(b, alignment, jump)
        return both if both.is_worthwhile else dense(both)
    return dense(a).merged(b, alignment, jump)


def reduce(a: Scatter, gone: Scatter, alignment: Alignment, jump: Floats, slack: Floats) -> Scatter:
    """Scatter of what remains of `a` without `gone`; `slack` bounds its rounding error."""
    if isinstance(a, Diagonal) and isinstance(gone, Diagonal):
        return a.reduced(gone, alignment, jump)
    assert not isinstance(a, Diagonal)
    assert not isinstance(gone, Diagonal)
    if isinstance(a, Thin) and isinstance(gone, Thin):
        return a.reduced(gone, alignment, jump, slack)
    return dense(a).reduced(gone, alignment, jump)


def dense(scatter: Dense | Thin) -> Dense:
    """The scatter as matrices."""
    if isinstance(scatter, Dense):
        return scatter
    d = scatter.factor.shape[1]
    grams = scatter.grams()
    if grams is None:
        grams = Pair(np.zeros((scatter.groups, d, d)))
    return Dense(grams, scatter.per_class)


def canonical(scatter: Scatter) -> Scatter:
    """The same scatter as what the rows determine, however they came: what a file holds."""
    if isinstance(scatter, Thin):
        return scatter.canonical()
    return scatter.rounded()


def only_diagonal(scatter: Dense | Thin) -> Diagonal:
    """Sums of squares by class, products dropped."""
    low = None if isinstance(scatter, Thin) else scatter.sums.low
    if low is not None:
        low = np.ascontiguousarray(low.diagonal(axis1=1, axis2=2))
    return Diagonal(Pair(scatter.diagonal(), low))
