"""Frames: coordinates in which a covariance without one row is diagonal but for that row.

Without the row, a covariance is C - r zz': C is diagonal in coordinates that are the same for all
rows, and zz' is taken off by the Sherman-Morrison formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.covariance import Full
from suffice.models.groups import Factor, Group
from suffice.selection.leave_one_out.rows import Removal
from suffice.selection.leave_one_out.shares import Shares

# Where a removal leaves less than this of a variance, too few digits are left of it.
LITTLE = 1e-4

# Eigenvalues further apart than this are not known to enough digits.
UNEVEN = 1e5

# So many ratios are multiplied before the logarithm is taken.
FACTORS = 64


@dataclass(frozen=True, eq=False, slots=True)
class Metric:
    """Covariances C - r zz', one a row, in the coordinates of a frame."""

    precisions: Floats  # (b, m) or (b, 1): one over the diagonal of C
    log_determinant: Floats  # (b,): of C
    loss: Floats | None  # (b,): r; None where it is zero
    doubtful: Array  # (b,)
    limit: float = LITTLE  # what a removal must leave of a determinant


class Frame(Protocol):
    """Coordinates for the covariance of a group."""

    @property
    def rank(self) -> int:
        """How many directions the covariance has."""

    def project(self, steps: Floats) -> Floats:
        """Coordinates of steps, (b, m)."""

    def metric(self, removal: Removal, place: Floats, part: Floats) -> Metric:
        """The covariance without each row.

        place : coordinates of the rows about the means of their own classes
        part : how much of the loss of the row's class this group suffers, (b,)
        """


@dataclass(frozen=True, eq=False, slots=True)
class Whitened:
    """The whitened rows of a covariance that is not shrunk: C is a multiple of it."""

    covariance: Full
    denominator: float
    limit: float = LITTLE

    @property
    def rank(self) -> int:
        """How many directions the covariance has."""
        return self.covariance.rank

    def project(self, steps: Floats) -> Floats:
        """Coordinates of steps, (b, r)."""
        return self.covariance.whiten(steps)

    def metric(self, removal: Removal, place: Floats, part: Floats) -> Metric:
        """The covariance without each row."""
        left = self.denominator - part * removal.weight
        ratio = left / self.denominator
        volume = self.covariance.log_determinant - self.rank * np.log(ratio)
        loss = part * removal.loss / left
        return Metric(ratio[:, None], volume, loss, ratio < LITTLE, self.limit)


@dataclass(frozen=True, eq=False, slots=True)
class Eigen:
    """The axes of a scatter matrix, to which shrinkage adds a multiple of the identity."""

    values: Floats  # (m,)
    vectors: Floats  # (d, m)
    denominator: float
    shares: Shares
    unit: bool  # whether the target is the unit matrix itself

    @classmethod
    def of(cls, group: Group, shares: Shares, unit: bool, basis: Floats | None = None) -> Eigen:
        """The axes of a group, in the span of a basis (m, d) where that holds all rows."""
        scatter = group.scatter
        if basis is None:
            values, vectors = np.linalg.eigh(scatter.matrix)
        else:
            assert isinstance(scatter, Factor)
            rows = scatter.rows @ basis.T
            values, vectors = np.linalg.eigh(rows.T @ rows)
            vectors = basis.T @ vectors
        return cls(np.maximum(values, 0.0), vectors, group.denominator, shares, unit)

    @property
    def rank(self) -> int:
        """Every direction has variance."""
        return len(self.vectors)

    @property
    def _whole(self) -> Floats:
        """The diagonal of C with all rows, (m,)."""
        share, variances = self.shares.whole, self.values / self.denominator
        target = 1.0 if self.unit else float(variances.sum()) / self.rank
        return (1 - share) * variances + share * target

    def project(self, steps: Floats) -> Floats:
        """Coordinates of steps, (b, m)."""
        return np.asarray(steps @ self.vectors)

    def metric(self, removal: Removal, place: Floats, part: Floats) -> Metric:
        """The covariance without each row."""
        left = self.denominator - part * removal.weight
        loss = part * removal.loss
        squares = place * place
        lengths, unit = squares.sum(axis=1), self.shares.unit
        inside = squares / unit / unit
        form = inside @ (self.values / unit / unit)
        share, doubtful = self.shares.without(removal, part, inside.sum(axis=1), form)
        total = float(self.values.sum())
        trace = total - loss * lengths
        kept = (1 - share) / left
        added = share if self.unit else share * trace / left / self.rank
        diagonal = kept[:, None] * self.values + added[:, None]
        # Outside of the span of all rows there is nothing but what shrinkage adds.
        hidden = self.rank - len(self.values)
        lowest, highest = diagonal.min(axis=1), diagonal.max(axis=1)
        doubtful = doubtful | (left < LITTLE * self.denominator) | (trace < LITTLE * total)
        doubtful |= ~(highest < UNEVEN * lowest)
        volume = log_products(diagonal, self._whole)
        if hidden:
            volume += hidden * np.log(added)
        return Metric(1 / diagonal, volume, kept * loss, doubtful)


def log_products(values: Floats, scale: Floats) -> Floats:
    """Log of the product of each row of (b, m); infinite where rows are beyond a scale (m,)."""
    # One logarithm for many factors, which are near one in units of the scale.
    starts = np.arange(0, values.shape[1], FACTORS)
    products = np.multiply.reduceat(values / scale, starts, axis=1)
    return np.asarray(np.log(products).sum(axis=1) + np.log(scale).sum())
