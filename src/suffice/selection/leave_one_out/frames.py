"""Frames: coordinates in which a covariance without one row is diagonal but for that row.

Without the row, a covariance is C - r zz': C is diagonal in coordinates that are the same for all
rows, and zz' is removed by the Sherman-Morrison formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.covariances.covariance import FullCovariance
from suffice.models.covariances.groups import Factor, Group
from suffice.models.covariances.linalg import principal_axes, whitener
from suffice.selection.leave_one_out.removal import LEAST_LEFT, Removal
from suffice.selection.leave_one_out.shares import Shares


@dataclass(frozen=True, eq=False, slots=True)
class DistanceMetric:
    """Covariances C - r zz', one per row, in the coordinates of a frame."""

    precisions: Floats  # (b, m) or (b, 1): one over the diagonal of C
    log_determinant: Floats  # (b,): of C
    loss: Floats  # (b,): r
    doubtful: Array  # (b,)


@dataclass(frozen=True, eq=False, slots=True)
class WhitenedFrame:
    """The whitened rows of a covariance that is not shrunk: C is a multiple of it."""

    covariance: FullCovariance
    denominator: float
    least_left: float = LEAST_LEFT

    @property
    def rank(self) -> int:
        """How many directions the covariance has."""
        return self.covariance.rank

    def project(self, steps: Floats) -> Floats:
        """Coordinates of steps, (b, r)."""
        return self.covariance.whiten(steps)

    def metric(self, removal: Removal, place: Floats, part: Floats) -> DistanceMetric:
        """The covariance without each row.

        place : coordinates of the rows about the means of their own classes
        part : how much of the loss of the row's class this covariance suffers, (b,)
        """
        left = self.denominator - part * removal.weight
        ratio = left / self.denominator
        volume = self.covariance.log_determinant - self.rank * np.log(ratio)
        return DistanceMetric(
            ratio[:, None], volume, part * removal.loss / left, ratio < LEAST_LEFT
        )


@dataclass(frozen=True, eq=False, slots=True)
class EigenFrame:
    """The axes of a scatter matrix, to which shrinkage adds a multiple of the identity."""

    values: Floats  # (m,)
    vectors: Floats  # (d, m)
    denominator: float
    shares: Shares
    unit: bool  # whether the target is the unit matrix itself
    most_uneven: float  # largest ratio of variances that is known to enough digits
    least_left: float = LEAST_LEFT

    @classmethod
    def of(
        cls, group: Group, shares: Shares, unit: bool, basis: Floats | None = None
    ) -> EigenFrame:
        """The axes of a group, in the span of a basis (m, d) where that holds all rows."""
        scatter, most_uneven = group.scatter, 1e5
        if basis is not None:
            assert isinstance(scatter, Factor)
            rows = scatter.rows @ basis.T
            values, vectors = np.linalg.eigh(rows.T @ rows)
            vectors = basis.T @ vectors
        elif (factor := whitener(scatter.matrix)) is not None:
            # Singular values of a factor: twice the digits that eigenvalues keep.
            sizes, axes = principal_axes(factor.colouring)
            values, vectors, most_uneven = sizes**2, axes.T, 1e9
        else:
            values, vectors = np.linalg.eigh(scatter.matrix)
        values = np.maximum(values, 0.0)
        return cls(values, vectors, group.denominator, shares, unit, most_uneven)

    @property
    def rank(self) -> int:
        """Every direction has variance."""
        return len(self.vectors)

    def project(self, steps: Floats) -> Floats:
        """Coordinates of steps, (b, m)."""
        return np.asarray(steps @ self.vectors)

    def metric(self, removal: Removal, place: Floats, part: Floats) -> DistanceMetric:
        """The covariance without each row."""
        left = self.denominator - part * removal.weight
        loss = part * removal.loss
        squares = place * place
        unit, total = self.shares.unit, float(self.values.sum())
        inside = squares / unit / unit
        form = inside @ (self.values / unit / unit)
        share, doubtful = self.shares.without(removal, part, inside.sum(axis=1), form)
        trace = total - loss * squares.sum(axis=1)
        kept = (1 - share) / left
        added = share if self.unit else share * trace / left / self.rank
        diagonal = kept[:, None] * self.values + added[:, None]
        doubtful = doubtful | (left < LEAST_LEFT * self.denominator) | (trace < LEAST_LEFT * total)
        doubtful |= ~(diagonal.max(axis=1) < self.most_uneven * diagonal.min(axis=1))
        volume = log_products(diagonal)
        # Outside of the span of all rows, variance is only what shrinkage adds.
        hidden = self.rank - len(self.values)
        if hidden:
            volume += hidden * np.log(added)
        return DistanceMetric(1 / diagonal, volume, kept * loss, doubtful)


# Coordinates for the covariance of some classes.
Frame: TypeAlias = WhitenedFrame | EigenFrame


def log_products(values: Floats) -> Floats:
    """Log of the product of each row of (b, m).

    One logarithm for 64 factors, in units of the largest of all rows, so that they are near one.
    """
    scale = np.fmax.reduce(values, axis=0)
    starts = np.arange(0, values.shape[1], 64)
    products = np.multiply.reduceat(values / scale, starts, axis=1)
    return np.asarray(np.log(products).sum(axis=1) + np.log(scale).sum())
