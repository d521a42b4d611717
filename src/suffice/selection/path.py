"""Shrinkage path: one decomposition a covariance serves every share of its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.groups import Group, Groups, Matrix
from suffice.models.linalg import eigen
from suffice.models.settings import Settings
from suffice.statistics.numbers import Pair
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics
from suffice.statistics.threads import small_matrices

# Eigenvalues are known to some 1e-15 of the largest, so those this much smaller to ten digits.
SMALLEST = 1e-5


class Path(Protocol):
    """Scores of m models at once."""

    def scores(self, X: Floats) -> Floats:
        """Log class densities up to a constant of the row, (m, k, n)."""


@dataclass(frozen=True, slots=True)
class Basis:
    """Directions in which a covariance is diagonal, whatever the share of its target."""

    directions: Floats  # (d, r), as columns
    variances: Floats  # (m, r), for each share
    log_scale: float  # what the log-determinant has beyond the variances

    @classmethod
    def of(cls, groups: Groups, group: Group) -> Basis | None:
        """Of one group, for no shrinkage yet: the variances are those of the covariance."""
        if group.denominator <= 0 or not isinstance(group.scatter, Matrix):
            return None
        covariance = group.covariance
        covariance[np.diag_indices_from(covariance)] += groups.floor
        if groups.settings.target != "diagonal":
            variances, vectors = eigen(covariance)
            return cls(vectors, variances[None], 0.0)
        # In correlations the target is the identity; a feature that never varies has none.
        known = ~groups.constant
        scale = np.sqrt(covariance.diagonal()[known])
        if not scale.all() or not len(scale):
            return None
        variances, vectors = eigen(covariance[np.ix_(known, known)] / scale / scale[:, None])
        directions = np.zeros((len(known), len(scale)))
        directions[known] = vectors / scale[:, None]
        return cls(directions, variances[None], 2 * float(np.log(scale).sum()))

    def shrunk(self, shares: Floats, target: str, inflations: Floats) -> Basis:
        """For shares (m,) of the target, and then inflated."""
        own, share = self.variances, shares[:, None]
        goal = own.mean() if target == "identity" else 1.0
        variances = ((1 - share) * own + share * goal) * inflations[:, None]
        return Basis(self.directions, variances, self.log_scale)

    @property
    def sound(self) -> Array:
        """For which shares the variances are known well enough, (m,)."""
        return np.asarray(self.variances.min(axis=1) > SMALLEST * self.variances.max(axis=1))

    def keep(self, at: Array) -> Basis:
        """For some of the shares."""
        return Basis(self.directions, self.variances[at], self.log_scale)

    @property
    def log_determinants(self) -> Floats:
        """Of the covariance for each share, (m,)."""
        return np.asarray(np.log(self.variances).sum(axis=1) + self.log_scale)


@dataclass(frozen=True, slots=True)
class LinearPath:
    """Models whose classes share a covariance: linear functions of x about a centre."""

    centre: Floats  # (d,)
    slopes: Floats  # (m, k, d)
    constants: Floats  # (m, k)

    @classmethod
    def of(cls, basis: Basis, means: Pair) -> LinearPath:
        """Of class means (k, d)."""
        centre = means.high.mean(axis=0)
        steps = difference(means, Pair(centre)) @ basis.directions
        weighed = steps / basis.variances[:, None]
        constants = np.einsum("mkd,kd->mk", weighed, steps) / -2
        return cls(centre, weighed @ basis.directions.T, constants)

    def scores(self, X: Floats) -> Floats:
        """Log class densities up to a constant of the row, (m, k, n)."""
        m, k, d = self.slopes.shape
        found = self.slopes.reshape(m * k, d) @ (X - self.centre).T
        found += self.constants.reshape(m * k, 1)
        return np.asarray(found.reshape(m, k, len(X)))


@dataclass(frozen=True, slots=True)
class QuadraticPath:
    """Models with a covariance for each class."""

    means: Pair  # (k, d)
    bases: tuple[Basis, ...]  # k

    def scores(self, X: Floats) -> Floats:
        """Log class densities up to a constant, (m, k, n)."""
        m = len(self.bases[0].variances)
        found = np.empty((m, len(self.bases), len(X)))
        for c, basis in enumerate(self.bases):
            squares = difference(Pair(X), self.means[c]) @ basis.directions
            squares *= squares
            np.matmul(-0.5 / basis.variances, squares.T, out=found[:, c])
            found[:, c] -= basis.log_determinants[:, None] / 2
        return found


def shrinkage_path(
    statistics: Statistics, settings: Sequence[Settings]
) -> tuple[Path | None, Array]:
    """Full covariances that differ in shrinkage and inflation, and which of them this serves.

    The others (where a covariance is nearly singular, or repairs are due) are left to `build`.
    """
    with small_matrices(statistics.n_features):
        return _path(statistics, settings)


def _path(statistics: Statistics, settings: Sequence[Settings]) -> tuple[Path | None, Array]:
    nobody = np.zeros(len(settings), bool)
    every = [Groups(statistics, one) for one in settings]
    groups = every[0]
    if groups.wide:
        return None, nobody
    found, inflations = [], np.array([one.inflation for one in settings])
    for g in range(groups.size):
        basis = Basis.of(groups, groups.group(g))
        if basis is None:
            return None, nobody
        shares = np.array([_share(one, g) for one in every])
        found.append(basis.shrunk(shares, settings[0].target, inflations))
    served = np.logical_and.reduce([basis.sound for basis in found])
    if not served.any():
        return None, nobody
    bases = tuple(basis.keep(served) for basis in found)
    if groups.shared:
        return LinearPath.of(bases[0], statistics.means), served
    return QuadraticPath(statistics.means, bases), served


def _share(groups: Groups, g: int) -> float:
    given = groups.settings.shrinkage
    return groups.share(groups.group(g)) if isinstance(given, str) else given
