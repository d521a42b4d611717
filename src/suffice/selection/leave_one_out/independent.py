"""Independent: variances of independent features without one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.frames import LITTLE, Metric, log_products
from suffice.selection.leave_one_out.rows import Removal
from suffice.selection.leave_one_out.shares import Shares


@dataclass(frozen=True, eq=False, slots=True)
class Variances:
    """Variances of a class, or of all classes together, after pooling and shrinkage."""

    squares: Floats  # (d,)
    denominator: float
    shares: Shares
    scatter: Floats | None  # (d, d), where shares are estimated
    settings: Settings

    @property
    def whole(self) -> Floats:
        """With all rows, (1, d)."""
        share = np.array([self.shares.whole])
        return self._finished(self._divided(self.squares[None], self.denominator), share)

    def without(self, removal: Removal, part: Floats) -> tuple[Floats, Array]:
        """Without each row, (b, d), and where they are doubtful, (b,)."""
        z = removal.steps
        left = self.denominator - part * removal.weight
        loss = z * z
        form, unit = np.zeros(len(z)), self.shares.unit
        if self.scatter is not None:
            form = np.einsum("ij,ij->i", (z / unit) @ (self.scatter / unit / unit), z / unit)
        squares = (loss / unit / unit).sum(axis=1)
        share, doubtful = self.shares.without(removal, part, squares, form)
        loss *= (part * removal.loss)[:, None]
        found = self._divided(self.squares - loss, left[:, None])
        doubtful = doubtful | (left < LITTLE * self.denominator)
        return self._finished(found, share), doubtful

    def _divided(self, squares: Floats, weight: Floats | float) -> Floats:
        return np.asarray(np.maximum(squares, 0.0) / weight)

    def _finished(self, variances: Floats, share: Floats) -> Floats:
        """Shrunk, and made equal if spherical."""
        mean = variances.mean(axis=1, keepdims=True)
        if self.settings.target != "diagonal" and share.any():
            target = mean if self.settings.target == "identity" else 1.0
            variances = (1 - share[:, None]) * variances + share[:, None] * target
            mean = variances.mean(axis=1, keepdims=True)
        if self.settings.structure == "spherical":
            return np.repeat(mean, variances.shape[1], axis=1)
        return variances


@dataclass(frozen=True, eq=False, slots=True)
class Overall:
    """Variances over all rows, between classes included, of which smoothing adds a share."""

    mean: Floats  # (d,)
    variances: Floats  # (d,)
    weight: float
    smoothing: float

    @property
    def whole(self) -> Floats:
        """What smoothing adds with all rows, (d,)."""
        return self.smoothing * self.variances

    def without(self, removal: Removal) -> tuple[Floats, Array]:
        """What smoothing adds without each row, (b, d), and where it is doubtful, (b,)."""
        total = self.weight * self.variances
        left = self.weight - removal.weight
        steps = removal.rows - self.mean
        rest = total - (removal.weight * self.weight / left)[:, None] * steps**2
        doubtful = np.asarray((rest < LITTLE * total).any(axis=1))
        return self.smoothing * rest / left[:, None], doubtful


@dataclass(frozen=True, eq=False, slots=True)
class Independent:
    """The features themselves: C is the diagonal matrix of the variances, and r is zero."""

    own: Variances
    pooled: Variances
    borrowed: Array  # (d,): features whose variance is that of all classes
    kept: Array  # (d,): features that have variance
    overall: Overall | None

    @property
    def rank(self) -> int:
        """How many features have variance."""
        return int(self.kept.sum())

    @property
    def _whole(self) -> Floats:
        """The variances with all rows, (1, d)."""
        found = np.where(self.borrowed, self.pooled.whole, self.own.whole)
        return found if self.overall is None else found + self.overall.whole

    def project(self, steps: Floats) -> Floats:
        """Coordinates of steps, (b, m)."""
        return steps if self.kept.all() else steps[:, self.kept]

    def metric(self, removal: Removal, place: Floats, part: Floats) -> Metric:
        """The covariance without each row."""
        variances, doubtful = self._own(removal, part)
        if self.borrowed.any():
            pooled, lost = self.pooled.without(removal, np.ones(len(part)))
            doubtful |= lost | self._falls(pooled, self.pooled.whole, self.borrowed)
            variances = np.where(self.borrowed, pooled, variances)
        if self.overall is not None:
            added, lost = removal.once(self.overall.without)
            variances = variances + added
            doubtful |= lost
        variances = self.project(variances)
        volume = log_products(variances, self.project(self._whole)[0])
        return Metric(1 / variances, volume, None, doubtful)

    def _own(self, removal: Removal, part: Floats) -> tuple[Floats, Array]:
        whole, touched = self.own.whole, part > 0
        if touched.all():
            found, doubtful = self.own.without(removal, part)
            return found, doubtful | self._falls(found, whole, ~self.borrowed)
        variances = np.repeat(whole, len(part), axis=0)
        doubtful = np.zeros(len(part), bool)
        if touched.any():
            found, lost = self.own.without(removal.some(touched), part[touched])
            variances[touched] = found
            doubtful[touched] = lost | self._falls(found, whole, ~self.borrowed)
        return variances, doubtful

    def _falls(self, found: Floats, whole: Floats, where: Array) -> Array:
        return np.asarray(((found < LITTLE * whole) & where & self.kept).any(axis=1))
