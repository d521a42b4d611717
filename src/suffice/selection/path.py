"""Shrinkage path: one decomposition per covariance serves every share of its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.covariances.groups import Group, Groups, Matrix
from suffice.models.covariances.linalg import eigen
from suffice.models.covariances.shrinkage import shrunk_variances
from suffice.models.settings import Settings
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.passes.threads import small_matrices
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Basis:
    """Directions in which a covariance is diagonal, whatever the share of its target."""

    directions: Floats  # (d, r), as columns
    variances: Floats  # (m, r), for each share
    log_scale: float  # what the log-determinant has beyond the variances

    @classmethod
    def of(cls, groups: Groups, group: Group) -> Basis | None:
        """The basis of one group without shrinkage: its variances are those of the covariance."""
        if group.denominator <= 0 or not isinstance(group.scatter, Matrix):
            return None
        covariance = group.covariance
        covariance[np.diag_indices_from(covariance)] += groups.separation.floor
        if groups.settings.target != "diagonal":
            variances, vectors = eigen(covariance)
            return cls(vectors, variances[None], 0.0)
        # In correlations the target is the identity; a feature that never varies has none.
        known = ~groups.separation.constant
        scale = np.sqrt(covariance.diagonal()[known])
        if not scale.all() or not len(scale):
            return None
        variances, vectors = eigen(covariance[np.ix_(known, known)] / scale / scale[:, None])
        directions = np.zeros((len(known), len(scale)))
        directions[known] = vectors / scale[:, None]
        return cls(directions, variances[None], 2 * float(np.log(scale).sum()))

    def shrunk(self, shares: Floats, target: str, inflations: Floats) -> Basis:
        """The same for shares (m,) of the target, then inflated."""
        # In correlations the diagonal target is the unit matrix.
        goal = "unit" if target == "diagonal" else target
        variances = shrunk_variances(self.variances, shares[:, None], goal)
        return Basis(self.directions, variances * inflations[:, None], self.log_scale)

    @property
    def accurate(self) -> Array:
        """For which shares the variances are accurate enough, (m,)."""
        # Smallest eigenvalue, as a share of the largest, that is still known to ten digits.
        smallest_eigenvalue = 1e-5
        return np.asarray(
            self.variances.min(axis=1) > smallest_eigenvalue * self.variances.max(axis=1)
        )

    def keep(self, at: Array) -> Basis:
        """The same for some of the shares."""
        return Basis(self.directions, self.variances[at], self.log_scale)

    @property
    def log_determinants(self) -> Floats:
        """Log-determinant of the covariance for each share, (m,)."""
        return np.asarray(np.log(self.variances).sum(axis=1) + self.log_scale)


@dataclass(frozen=True, slots=True)
class LinearPath:
    """Models whose classes share a covariance: linear functions of x about a centre."""

    centre: Floats  # (d,)
    slopes: Floats  # (m, k, d)
    constants: Floats  # (m, k)

    @classmethod
    def of(cls, basis: Basis, means: DoubleDouble) -> LinearPath:
        """The path of classes with these means, (k, d)."""
        centre = means.high.mean(axis=0)
        steps = difference(means, DoubleDouble(centre)) @ basis.directions
        weighed = steps / basis.variances[:, None]
        constants = np.einsum("mkd,kd->mk", weighed, steps) / -2
        return cls(centre, weighed @ basis.directions.T, constants)

    def scores(self, X: Floats) -> Floats:
        """Log class densities up to a constant per row, (m, k, n)."""
        m, k, d = self.slopes.shape
        out = self.slopes.reshape(m * k, d) @ (X - self.centre).T
        out += self.constants.reshape(m * k, 1)
        return np.asarray(out.reshape(m, k, len(X)))


@dataclass(frozen=True, slots=True)
class QuadraticPath:
    """Models with a covariance for each class."""

    means: DoubleDouble  # (k, d)
    bases: tuple[Basis, ...]  # k

    def scores(self, X: Floats) -> Floats:
        """Log class densities up to a constant per row, (m, k, n)."""
        m = len(self.bases[0].variances)
        out = np.empty((m, len(self.bases), len(X)))
        for c, basis in enumerate(self.bases):
            squares = difference(DoubleDouble(X), self.means[c]) @ basis.directions
            squares *= squares
            np.matmul(-0.5 / basis.variances, squares.T, out=out[:, c])
            out[:, c] -= basis.log_determinants[:, None] / 2
        return out


def shrinkage_path(
    statistics: Statistics, settings: Sequence[Settings]
) -> tuple[LinearPath | QuadraticPath | None, Array]:
    """Full covariances that differ in shrinkage and inflation, and which settings this serves.

    The others (where a covariance is nearly singular, or needs a repair) are left to `build`.
    """
    nobody = np.zeros(len(settings), bool)
    each = [Groups(statistics, one) for one in settings]
    groups = each[0]
    if groups.wide:
        return None, nobody
    inflations = np.array([one.inflation for one in settings])
    bases = []
    with small_matrices(statistics.n_features):
        for g in range(groups.size):
            basis = Basis.of(groups, groups.group(g))
            if basis is None:
                return None, nobody
            shares = np.array([_share(one, g) for one in each])
            bases.append(basis.shrunk(shares, settings[0].target, inflations))
    served = np.logical_and.reduce([basis.accurate for basis in bases])
    if not served.any():
        return None, nobody
    kept = tuple(basis.keep(served) for basis in bases)
    if groups.shared:
        return LinearPath.of(kept[0], statistics.means), served
    return QuadraticPath(statistics.means, kept), served


def _share(groups: Groups, g: int) -> float:
    given = groups.settings.shrinkage
    return groups.share(groups.group(g)) if isinstance(given, str) else given
