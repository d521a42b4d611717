"""Covariances: what a Gaussian needs of them, and the full and the diagonal ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.gaps import Gaps
from suffice.models.covariances.linalg import Cholesky, Whitener, reciprocal
from suffice.models.em.filling import (
    fill_independent,
    fill_regular,
    fill_singular,
    pulls_singular,
)
from suffice.models.limits import check_variances
from suffice.statistics.storage.registry import storable


class Covariance(ABC):
    """What a Gaussian needs from its covariance."""

    __slots__ = ()

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @property
    @abstractmethod
    def rank(self) -> int:
        """Number of directions with variance."""

    @property
    def varying(self) -> Array:
        """Which features have variance, (d,)."""
        return np.asarray(self.matrix.diagonal() > 0)

    @property
    @abstractmethod
    def log_determinant(self) -> float:
        """Log of the determinant, over the directions that have variance."""

    @property
    @abstractmethod
    def matrix(self) -> Floats:
        """All entries, (d, d)."""

    @abstractmethod
    def whiten(self, steps: Floats) -> Floats:
        """Rows (n, r) whose Euclidean lengths are the Mahalanobis lengths of `steps`."""

    @abstractmethod
    def unwhiten(self, rows: Floats) -> Floats:
        """Directions v with steps'v = whiten(steps)'row, for rows (m, r)."""

    @abstractmethod
    def colour(self, noise: Floats) -> Floats:
        """Rows (n, d) with this covariance, made of independent standard normals (n, d)."""

    @abstractmethod
    def scaled(self, factor: float) -> Self:
        """This covariance times `factor`."""

    @abstractmethod
    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place; see `filling`."""

    def squared_lengths(self, steps: Floats) -> Floats:
        """Squared Mahalanobis length of each row of (n, d)."""
        return squares(self.whiten(steps))

    def solve(self, steps: Floats) -> Floats:
        """Each row times the inverse covariance."""
        return self.unwhiten(self.whiten(steps))

    def pulls(self, steps: Floats, gaps: Gaps) -> Floats:
        """Filled rows times the inverse covariance of their observed features; zero elsewhere."""
        # At the conditional mean, the pull on missing entries is zero up to rounding.
        return np.where(gaps.rows, 0.0, self.solve(steps))


class CovarianceEstimate(NamedTuple):
    """Covariances, and the repairs that were necessary."""

    covariances: tuple[Covariance, ...]  # one per group
    borrowed: tuple[int, ...] = ()  # classes whose covariance is the pooled one
    shrunk: bool = False  # whether correlations were shrunk because there are too few rows


@storable
@dataclass(frozen=True, slots=True)
class FullCovariance(Covariance):
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
    def varying(self) -> Array:
        """Which features have variance, (d,)."""
        return np.asarray(self.whitener.colouring.any(axis=0))

    @property
    def log_determinant(self) -> float:
        """Log of the determinant, over the directions that have variance."""
        return self.whitener.log_determinant

    def whiten(self, steps: Floats) -> Floats:
        """Rows whose Euclidean lengths are the Mahalanobis lengths of `steps`."""
        out = np.empty((len(steps), self.rank))
        self.whitener.apply(steps, out)
        return out

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

    def scaled(self, factor: float) -> Self:
        """This covariance times `factor`."""
        return replace(self, whitener=self.whitener.scaled(factor))

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place."""
        if isinstance(self.whitener, Cholesky):
            return fill_regular(steps, gaps, self.whitener)
        return fill_singular(steps, gaps, self.whitener)

    def pulls(self, steps: Floats, gaps: Gaps) -> Floats:
        """Filled rows times the inverse covariance of their observed features; zero elsewhere."""
        if isinstance(self.whitener, Whitener):
            return pulls_singular(steps, gaps, self.whitener)
        # Not super(): a dataclass with slots is another class than its methods were written in.
        return Covariance.pulls(self, steps, gaps)


@storable
@dataclass(frozen=True, slots=True)
class DiagonalCovariance(Covariance):
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
    def varying(self) -> Array:
        """Which features have variance, (d,)."""
        return np.asarray(self.variances > 0)

    @property
    def rank(self) -> int:
        """Number of features with variance."""
        return int(self.varying.sum())

    @property
    def log_determinant(self) -> float:
        """Sum of the log variances."""
        return float(np.log(self.variances[self.variances > 0]).sum())

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

    def scaled(self, factor: float) -> Self:
        """This covariance times `factor`."""
        return replace(self, variances=factor * self.variances)

    def fill(self, steps: Floats, gaps: Gaps) -> Floats:
        """Fill rows about the mean by conditional means, in place."""
        return fill_independent(steps, gaps, self.variances)


def squares(rows: Floats) -> Floats:
    """Squared Euclidean length of each row."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
