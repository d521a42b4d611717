"""Low rank: the covariance of few rows of many features, without a matrix of all entries."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices, namespace
from suffice.data.gaps import Gaps
from suffice.models.covariances.covariance import Covariance, squares
from suffice.models.covariances.linalg import reciprocal, span
from suffice.models.em.filling import fill_by_pattern
from suffice.models.limits import check_scales, check_sizes, check_variances, is_identity
from suffice.statistics.storage.registry import storable


@storable
@dataclass(frozen=True, slots=True)
class LowRankCovariance(Covariance):
    """A few directions with individual variances, and one variance for all others.

    In features divided by their scale: basis' diag(variances) basis + floor (I - basis' basis).
    Takes O(rd) where a matrix would take O(d²). A feature of scale zero is ignored. `whiten` also
    works with arrays on a device.
    """

    inverse_scale: Floats  # (d,): zero for a feature that is ignored
    basis: Floats  # (r, d), orthonormal rows
    variances: Floats  # (r,)
    floor: float

    def validated(self) -> Self:
        """This covariance, if its basis is orthonormal; a ValueError otherwise."""
        (r,), (d,) = self.variances.shape, self.inverse_scale.shape
        if self.basis.shape != (r, d):
            raise ValueError("the basis of a covariance has the wrong number of features")
        check_sizes(self.basis)
        check_scales(self.inverse_scale)
        check_variances(np.array([*self.variances, self.floor]))
        if not self.variances.all() or not self.floor > 0:
            raise ValueError("a variance is zero or negative")
        if not is_identity(self.basis @ self.basis.T):
            raise ValueError("the basis of a covariance is not orthonormal")
        return self

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.inverse_scale)

    @classmethod
    def of_factor(
        cls, factor: Floats, scale: Floats, share: float, floor: float
    ) -> LowRankCovariance:
        """share factor'factor + floor diag(scale²)."""
        inverse = reciprocal(scale)
        values, basis = span(factor * inverse)
        return cls(inverse, basis, share * values + floor, floor)

    @property
    def varying(self) -> Array:
        """Every feature that is not ignored has variance, (d,)."""
        return np.asarray(self.inverse_scale > 0)

    @property
    def rank(self) -> int:
        """Number of features that are not ignored."""
        return int(self.varying.sum())

    @property
    def log_determinant(self) -> float:
        """Log of the determinant."""
        outside = (self.rank - len(self.variances)) * np.log(self.floor)
        scales = -2 * np.log(self.inverse_scale[self.inverse_scale > 0]).sum()
        return float(np.log(self.variances).sum() + outside + scales)

    def whiten(self, steps: Floats) -> Floats:
        """Rows whose Euclidean lengths are the Mahalanobis lengths of `steps`."""
        return self._stretch(steps * self.inverse_scale)

    def squared_lengths(self, steps: Floats) -> Floats:
        """Squared Mahalanobis length of each row."""
        inside, outside = self._split(steps * self.inverse_scale)
        return squares(inside / np.sqrt(self.variances)) + squares(outside) / self.floor

    def unwhiten(self, rows: Floats) -> Floats:
        """Directions v with steps'v = whiten(steps)'row."""
        return self._stretch(rows) * self.inverse_scale

    def colour(self, noise: Floats) -> Floats:
        """Rows with this covariance, made of independent standard normals."""
        inside, outside = self._split(noise)
        rows = (inside * np.sqrt(self.variances)) @ self.basis + outside * np.sqrt(self.floor)
        return np.asarray(rows * reciprocal(self.inverse_scale))

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""
        inside = (self.basis.T * (self.variances - self.floor)) @ self.basis
        inside[np.diag_indices_from(inside)] += self.floor
        scale = reciprocal(self.inverse_scale)
        return np.asarray(inside * scale * scale[:, None])

    def scaled(self, factor: float) -> Self:
        """This covariance times `factor`."""
        return replace(self, inverse_scale=self.inverse_scale / np.sqrt(factor))

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place."""
        ignored = self.inverse_scale == 0
        missing = gaps.patterns & ~ignored
        steps[:, ignored] = 0.0
        return fill_by_pattern(steps, Gaps(missing, gaps.starts), self._precision)

    def _precision(self, at: Indices) -> Floats:
        """Some rows of the inverse covariance, (m, d)."""
        inside = (self.basis[:, at].T * (1 / self.variances - 1 / self.floor)) @ self.basis
        inside[np.arange(len(at)), at] += 1 / self.floor
        return np.asarray(inside * self.inverse_scale * self.inverse_scale[at][:, None])

    def _stretch(self, scaled: Floats) -> Floats:
        inside, outside = self._split(scaled)
        root = namespace(self.variances).sqrt(self.variances)
        stretched: Floats = (inside / root) @ self.basis + outside / math.sqrt(self.floor)
        return stretched

    def _split(self, scaled: Floats) -> tuple[Floats, Floats]:
        # Subtract before squaring: |u|² - |inside|² would cancel if the floor is small.
        inside = scaled @ self.basis.T
        return inside, scaled - inside @ self.basis
