"""Scatter: centred sums of outer products, by class, pooled over classes, or diagonals only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.alignment import Alignment, tidy
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.numbers import ALL, PART_ENTRIES, DoubleDouble
from suffice.statistics.passes.threads import blas_threads
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import check_squares

# A pooled scatter has one group, whatever the classes are.
_ONE_GROUP = Alignment(np.zeros(1), ALL, ALL, ALL, ALL, ALL)


@storable
@dataclass(slots=True, eq=False)
class DenseScatter:
    """Full scatter matrices: one per class, or a single one pooled over classes."""

    sums: DoubleDouble  # (groups, d, d)
    per_class: bool

    @property
    def groups(self) -> int:
        """Number of matrices."""
        return len(self.sums.high)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.sums.high.shape[2])

    def validated(self) -> Self:
        """This scatter, if rows can have it; a ValueError otherwise."""
        high, low = self.sums.high, self.sums.low
        if high.ndim != 3 or high.shape[1] != high.shape[2]:
            raise ValueError("the scatter is not one matrix per group")
        for part in (high,) if low is None else (high, low):
            if not np.array_equal(part, part.transpose(0, 2, 1)):
                raise ValueError("the scatter is not symmetric")
        check_squares(self.diagonal())
        with blas_threads(1):
            if not all(map(is_semidefinite, high)):
                raise ValueError("a scatter matrix is not positive semidefinite")
        return self

    def merged(
        self, other: DenseScatter | FactoredScatter, alignment: Alignment, jump: Floats
    ) -> DenseScatter:
        """Scatter of both, `jump` being the scaled distance between shared class means."""
        at = alignment if self.per_class else _ONE_GROUP
        added = other.sums if isinstance(other, DenseScatter) else other.grams()
        if added is None:
            rows = self.sums[at.both_left] + DoubleDouble(self._outer(jump))
        else:
            rows = self._join(self.sums[at.both_left], added[at.both_right], jump)
        return DenseScatter(at.joined(self.sums, added, rows), self.per_class)

    def reduced(
        self, removed: DenseScatter | FactoredScatter, alignment: Alignment, jump: Floats
    ) -> DenseScatter:
        """What remains without `removed` and its distance to the remaining mean."""
        at = alignment if self.per_class else _ONE_GROUP
        rows = self.sums[at.both_left] - DoubleDouble(self._outer(jump))
        removed_sums = removed.sums if isinstance(removed, DenseScatter) else removed.grams()
        if removed_sums is not None:
            rows = rows - removed_sums[at.both_right]
        return DenseScatter(
            rows if at.both is ALL else self.sums.with_rows(at.both, rows), self.per_class
        )

    def _join(self, left: DoubleDouble, right: DoubleDouble, jump: Floats) -> DoubleDouble:
        """left + right + outer product of `jump`, a few rows at a time, which fit the cache."""
        groups, d, _ = left.high.shape
        if groups * d * d <= PART_ENTRIES or not self.per_class:
            return left.plus(right, self._outer(jump))
        high, low = np.empty(left.high.shape), np.empty(left.high.shape)
        most, rows = max(1, PART_ENTRIES // d**2), min(d, max(1, PART_ENTRIES // d))
        for group in range(0, groups, most):
            some = jump[group : group + most]
            for row in range(0, d, rows):
                at = (slice(group, group + most), slice(row, row + rows))
                part = left[at].plus(right[at], some[:, at[1], None] * some[:, None, :])
                high[at], low[at] = part.high, part.low
        return DoubleDouble(high, low)

    def _outer(self, jump: Floats) -> Floats:
        if self.per_class and len(jump) != 1:
            return jump[:, :, None] * jump[:, None, :]
        return (jump.T @ jump)[None]

    def diagonal(self) -> Floats:
        """Sums of squares, one row per group."""
        return np.ascontiguousarray(self.sums.high.diagonal(axis1=1, axis2=2))

    def times(self, vectors: Floats, groups: slice | Indices) -> Floats:
        """Scatter matrix times vector, for one vector per group."""
        if not self.per_class:
            return np.asarray(vectors @ self.sums.high[0])
        return np.asarray(np.matmul(self.sums.high[groups], vectors[:, :, None])[:, :, 0])

    def select(self, features: Indices) -> DenseScatter:
        """The scatter of some features."""
        return DenseScatter(self.sums[:, features[:, None], features], self.per_class)

    def keep(self, classes: Indices) -> DenseScatter:
        """The scatter of some classes."""
        return DenseScatter(self.sums[tidy(classes, len(self.sums.high))], self.per_class)

    def cleared(self, empty: np.ndarray) -> DenseScatter:
        """The same with the marked (group, feature) rows and columns set to zero."""
        keep = ~empty
        mask = (keep[:, :, None] & keep[:, None, :]).astype(np.float64)
        low = None if self.sums.low is None else self.sums.low * mask
        return DenseScatter(DoubleDouble(self.sums.high * mask, low), self.per_class)

    def canonical(self) -> DenseScatter:
        """The same sums as single floats: the form of files."""
        if self.sums.low is None:
            return self
        return DenseScatter(DoubleDouble(self.sums.high), self.per_class)

    def pooled(self) -> DenseScatter:
        """One matrix, summed over classes."""
        total = DoubleDouble(np.zeros((1, *self.sums.high.shape[1:])))
        for group in range(len(self.sums.high)):
            total = total + self.sums[group : group + 1]
        return DenseScatter(total, per_class=False)


@storable
@dataclass(frozen=True, slots=True)
class DiagonalScatter:
    """Centred sums of squares by class and feature; no products."""

    sums: DoubleDouble  # (k, d)

    @property
    def per_class(self) -> bool:
        """Always True."""
        return True

    @property
    def groups(self) -> int:
        """Number of classes."""
        return len(self.sums.high)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.sums.high.shape[1])

    def validated(self) -> Self:
        """These sums, if they form a table; a ValueError otherwise."""
        if self.sums.high.ndim != 2:
            raise ValueError("the sums of squares are not a table")
        return self

    def merged(self, other: DiagonalScatter, alignment: Alignment, jump: Floats) -> DiagonalScatter:
        """Sums of squares of both, `jump` being the scaled distance between shared means."""
        at = alignment
        rows = other.sums[at.both_right] + (self.sums[at.both_left] + DoubleDouble(jump * jump))
        return DiagonalScatter(at.joined(self.sums, other.sums, rows))

    def reduced(
        self, removed: DiagonalScatter, alignment: Alignment, jump: Floats
    ) -> DiagonalScatter:
        """What remains without `removed` and its distance to the remaining mean."""
        at = alignment
        rows = (self.sums[at.both_left] - DoubleDouble(jump * jump)) - removed.sums[at.both_right]
        return DiagonalScatter(self.sums.with_rows(at.both, rows))

    def canonical(self) -> DiagonalScatter:
        """The same sums as single floats: the form of files."""
        return self if self.sums.low is None else DiagonalScatter(DoubleDouble(self.sums.high))

    def diagonal(self) -> Floats:
        """Sums of squares, one row per class."""
        return self.sums.high

    def select(self, features: Indices) -> DiagonalScatter:
        """The sums of some features."""
        return DiagonalScatter(self.sums[:, features])

    def keep(self, classes: Indices) -> DiagonalScatter:
        """The sums of some classes."""
        return DiagonalScatter(self.sums[tidy(classes, len(self.sums.high))])

    def cleared(self, empty: np.ndarray) -> DiagonalScatter:
        """The same with the marked (class, feature) sums set to zero."""
        low = None if self.sums.low is None else np.where(empty, 0.0, self.sums.low)
        return DiagonalScatter(DoubleDouble(np.where(empty, 0.0, self.sums.high), low))


Scatter: TypeAlias = DenseScatter | FactoredScatter | DiagonalScatter


def merge(a: Scatter, b: Scatter, alignment: Alignment, jump: Floats) -> Scatter:
    """Scatter of two parts; a factor becomes a matrix once it would take more memory."""
    if isinstance(a, DiagonalScatter) and isinstance(b, DiagonalScatter):
        return a.merged(b, alignment, jump)
    assert not isinstance(a, DiagonalScatter)
    assert not isinstance(b, DiagonalScatter)
    if isinstance(a, FactoredScatter) and isinstance(b, FactoredScatter):
        both = a.merged(b, alignment, jump)
        return both if both.is_worthwhile else dense(both)
    return dense(a).merged(b, alignment, jump)


def reduce(
    a: Scatter, removed: Scatter, alignment: Alignment, jump: Floats, slack: Floats
) -> Scatter:
    """Scatter of what remains of `a` without `removed`; `slack` bounds its rounding error."""
    if isinstance(a, DiagonalScatter) and isinstance(removed, DiagonalScatter):
        return a.reduced(removed, alignment, jump)
    assert not isinstance(a, DiagonalScatter)
    assert not isinstance(removed, DiagonalScatter)
    if isinstance(a, FactoredScatter) and isinstance(removed, FactoredScatter):
        return a.reduced(removed, alignment, jump, slack)
    return dense(a).reduced(removed, alignment, jump)


def dense(scatter: DenseScatter | FactoredScatter) -> DenseScatter:
    """The scatter as matrices."""
    if isinstance(scatter, DenseScatter):
        return scatter
    d = scatter.factor.shape[1]
    grams = scatter.grams()
    if grams is None:
        grams = DoubleDouble(np.zeros((scatter.groups, d, d)))
    return DenseScatter(grams, scatter.per_class)


def only_diagonal(scatter: DenseScatter | FactoredScatter) -> DiagonalScatter:
    """Sums of squares by class, products dropped."""
    low = None if isinstance(scatter, FactoredScatter) else scatter.sums.low
    if low is not None:
        low = np.ascontiguousarray(low.diagonal(axis1=1, axis2=2))
    return DiagonalScatter(DoubleDouble(scatter.diagonal(), low))


# Error allowed in correlations: removals leave them five digits.
SLACK = 1e-4


def is_semidefinite(matrix: Floats) -> bool:
    """Whether no direction has a negative sum of squares, up to rounding.

    >>> is_semidefinite(np.array([[1.0, 1.0], [1.0, 1.0]]))
    True
    >>> is_semidefinite(np.array([[1.0, 1.1], [1.1, 1.0]]))
    False
    """
    scale = np.sqrt(matrix.diagonal())
    constant = scale == 0
    if np.any(matrix[constant]):
        return False
    scale[constant] = 1.0
    correlation = matrix / scale
    correlation /= scale[:, None]
    correlation[np.diag_indices_from(correlation)] += SLACK * len(scale)
    try:
        return bool(np.isfinite(np.linalg.cholesky(correlation)).all())
    except np.linalg.LinAlgError:
        return False
