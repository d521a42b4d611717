"""Covariances: in three representations, ready to measure distances."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, Self

import numpy as np

from suffice.data.arrays import Floats, Indices, namespace
from suffice.data.gaps import Gaps
from suffice.models.filling import (
    fill_by_pattern,
    fill_independent,
    fill_regular,
    fill_singular,
    pulls_singular,
)
from suffice.models.limits import check_scales, check_sizes, check_variances, is_identity
from suffice.models.linalg import Cholesky, Whitener, reciprocal, span
from suffice.statistics.registry import storable


class Covariance(Protocol):
    """What a Gaussian needs from its covariance."""

    @property
    def n_features(self) -> int:
        """Number of features."""

    @property
    def rank(self) -> int:
        """Number of directions with variance."""

    @property
    def log_determinant(self) -> float:
        """Log of the determinant, over the directions that have variance."""

    def squared_lengths(self, steps: Floats) -> Floats:
        """Squared Mahalanobis length of each row of (n, d)."""

    def whiten(self, steps: Floats) -> Floats:
        """Rows (n, r) whose Euclidean lengths are the Mahalanobis lengths of `steps`."""

    def solve(self, steps: Floats) -> Floats:
        """Each row times the inverse covariance."""

    def unwhiten(self, rows: Floats) -> Floats:
        """Directions v with steps'v = whiten(steps)'row, for rows (m, r)."""

    def colour(self, noise: Floats) -> Floats:
        """Rows (n, d) with this covariance, made of independent standard normals (n, d)."""

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""

    def scaled(self, factor: float) -> Covariance:
        """This covariance times `factor`."""

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place; see `filling`."""

    def pulls(self, steps: Floats, gaps: Gaps) -> Floats:
        """Filled rows times the inverse covariance of their observed features; zero elsewhere."""


class CovarianceEstimate(NamedTuple):
    """Covariances, and the repairs that were necessary."""

    covariances: tuple[Covariance, ...]  # one per group
    borrowed: tuple[int, ...] = ()  # classes whose covariance is the pooled one
    shrunk: bool = False  # whether correlations were shrunk because there are too few rows


@storable
@dataclass(frozen=True, slots=True)
class FullCovariance:
    """Any covariance, represented by its whitener."""

    whitener: Whitener | Cholesky

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.whitener.n_features

    @property
    def rank(self) -> int:
        """Number of directions with variance."""
        return self.whitener.rank

    @property
    def log_determinant(self) -> float:
        """Log of the determinant, over the directions that have variance."""
        return self.whitener.log_determinant

    def squared_lengths(self, steps: Floats) -> Floats:
        """Squared Mahalanobis length of each row."""
        return _squares(self.whiten(steps))

    def whiten(self, steps: Floats) -> Floats:
        """Rows whose Euclidean lengths are the Mahalanobis lengths of `steps`."""
        out = np.empty((len(steps), self.rank))
        self.whitener.apply(steps, out)
        return out

    def solve(self, steps: Floats) -> Floats:
        """Each row times the inverse covariance."""
        return self.unwhiten(self.whiten(steps))

    def unwhiten(self, rows: Floats) -> Floats:
        """Directions v with steps'v = whiten(steps)'row."""
        return np.asarray(rows @ self.whitener.matrix)

    def colour(self, noise: Floats) -> Floats:
        """Rows with this covariance, made of independent standard normals."""
        return np.asarray(noise[:, : self.rank] @ self.whitener.colouring)

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""
        rows = self.whitener.colouring
        return np.asarray(rows.T @ rows)

    def scaled(self, factor: float) -> FullCovariance:
        """This covariance times `factor`."""
        return FullCovariance(self.whitener.scaled(factor))

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place."""
        if isinstance(self.whitener, Cholesky):
            return fill_regular(steps, gaps, self.whitener)
        return fill_singular(steps, gaps, self.whitener)

    def pulls(self, steps: Floats, gaps: Gaps) -> Floats:
        """Filled rows times the inverse covariance of their observed features; zero elsewhere."""
        if isinstance(self.whitener, Cholesky):
            return _zero_missing(self.solve(steps), gaps)
        return pulls_singular(steps, gaps, self.whitener)


@storable
@dataclass(frozen=True, slots=True)
class DiagonalCovariance:
    """Independent features: one variance each; zero for a constant feature, which is ignored."""

    variances: Floats  # (d,)

    def validated(self) -> Self:
        """This covariance, if the variances are possible; a ValueError otherwise."""
        if self.variances.ndim != 1:
            raise ValueError("there is not one variance per feature")
        check_variances(self.variances)
        return self

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.variances)

    @property
    def precisions(self) -> Floats:
        """One over each variance; zero for a feature that is ignored."""
        return reciprocal(self.variances)

    @property
    def rank(self) -> int:
        """Number of features with variance."""
        return int((self.variances > 0).sum())

    @property
    def log_determinant(self) -> float:
        """Sum of the log variances."""
        return float(np.log(self.variances[self.variances > 0]).sum())

    def squared_lengths(self, steps: Floats) -> Floats:
        """Squared Mahalanobis length of each row."""
        return _squares(self.whiten(steps))

    def whiten(self, steps: Floats) -> Floats:
        """Rows divided by the standard deviations."""
        return np.asarray(steps * np.sqrt(self.precisions))

    def solve(self, steps: Floats) -> Floats:
        """Each row divided by the variances."""
        return np.asarray(steps * self.precisions)

    def unwhiten(self, rows: Floats) -> Floats:
        """Directions v with steps'v = whiten(steps)'row: whitening is its own transpose."""
        return self.whiten(rows)

    def colour(self, noise: Floats) -> Floats:
        """Rows with this covariance, made of independent standard normals."""
        return np.asarray(noise * np.sqrt(self.variances))

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""
        return np.diag(self.variances)

    def scaled(self, factor: float) -> DiagonalCovariance:
        """This covariance times `factor`."""
        return DiagonalCovariance(factor * self.variances)

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place."""
        return fill_independent(steps, gaps, self.variances)

    def pulls(self, steps: Floats, gaps: Gaps) -> Floats:
        """Filled rows times the inverse covariance of their observed features; zero elsewhere."""
        return _zero_missing(self.solve(steps), gaps)


@storable
@dataclass(frozen=True, slots=True)
class LowRankCovariance:
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
    def rank(self) -> int:
        """Every feature that is not ignored has variance."""
        return int((self.inverse_scale > 0).sum())

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
        return _squares(inside / np.sqrt(self.variances)) + _squares(outside) / self.floor

    def solve(self, steps: Floats) -> Floats:
        """Each row times the inverse covariance."""
        return self.unwhiten(self.whiten(steps))

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

    def scaled(self, factor: float) -> LowRankCovariance:
        """This covariance times `factor`."""
        return replace(self, inverse_scale=self.inverse_scale / np.sqrt(factor))

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place."""
        ignored = self.inverse_scale == 0
        missing = gaps.patterns & ~ignored
        steps[:, ignored] = 0.0
        return fill_by_pattern(steps, Gaps(missing, gaps.starts), self._precision)

    def pulls(self, steps: Floats, gaps: Gaps) -> Floats:
        """Filled rows times the inverse covariance of their observed features; zero elsewhere."""
        return _zero_missing(self.solve(steps), gaps)

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


def _zero_missing(pulls: Floats, gaps: Gaps) -> Floats:
    # At the conditional mean, the pull on missing entries is zero up to rounding.
    return np.where(gaps.rows, 0.0, pulls)


def _squares(rows: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
