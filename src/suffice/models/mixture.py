"""The mixture model: classes of several Gaussian components.

The components of a mixture are the classes of a Gaussian model, and their weights its priors: so
structure, pooling, shrinkage and all repairs are those of the family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance
from suffice.models.gaussian import GaussianModel
from suffice.models.limits import SUM_ROUNDING
from suffice.models.model import ClassModel
from suffice.models.scoring import log_sum
from suffice.models.settings import Settings
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import check_labels

# Rows are scored this many at a time, because (n, K) would take too much memory.
BLOCK_ROWS = 1 << 16


@storable
@dataclass(frozen=True)
class MixtureModel(ClassModel):
    """p(x, y): each class a mixture of Gaussian components."""

    components: GaussianModel  # K components, with priors equal to class prior times share
    owner: Indices  # (K,), ascending: the class of each component, by position
    shares: Floats  # (K,): of each component in its class

    def validated(self) -> Self:
        """This model, if its components are those of its classes; a ValueError otherwise."""
        check_labels("classes", self.classes)
        k, K = len(self.classes), len(self.components.means)
        shapes = self.owner.shape, self.shares.shape, self.priors.shape
        if shapes != ((K,), (K,), (k,)):
            raise ValueError("the components do not have one class and one share each")
        if not K or (np.diff(self.owner) < 0).any():
            raise ValueError("there are no components, or their classes are not in order")
        if not np.array_equal(np.unique(self.owner), np.arange(k)):
            raise ValueError("a class has no component, or a component no class")
        if (self.shares < 0).any() or (self.priors < 0).any():
            raise ValueError("a share or a prior is negative")
        if not np.allclose(by_owner(self.owner, self.shares), 1.0, rtol=0, atol=SUM_ROUNDING):
            raise ValueError("the shares of the components do not add up to 1")
        if not abs(self.priors.sum() - 1.0) <= SUM_ROUNDING:
            raise ValueError("the priors do not add up to 1")
        expected = self.priors[self.owner] * self.shares
        if not np.allclose(self.components.priors, expected, rtol=0, atol=SUM_ROUNDING):
            raise ValueError("the priors of the components do not match those of the classes")
        return self

    @classmethod
    def of(
        cls, components: GaussianModel, owner: Indices, classes: Array, priors: Floats | None
    ) -> MixtureModel:
        """Components with their classes; if None, class priors are sums of component priors."""
        total = by_owner(owner, components.priors)
        shares = components.priors / total[owner]
        model = cls(classes, total, components, owner, shares)
        return model if priors is None else model.with_priors(priors)

    def with_priors(self, priors: Floats) -> MixtureModel:
        """The same class densities under other priors."""
        components = self.components.with_priors(priors[self.owner] * self.shares)
        return replace(self, priors=priors, components=components)

    def check_computable(self) -> None:
        """Raise if the density of a component cannot be computed."""
        self.components.check_computable()

    def of_class(self, c: int) -> GaussianModel:
        """The components of one class, with their shares as priors."""
        at, components = np.flatnonzero(self.owner == c), self.components
        covariances = components.covariances
        return GaussianModel(
            np.arange(len(at)),
            self.shares[at],
            components.means[at],
            covariances if components.shared else tuple(covariances[i] for i in at.tolist()),
            (),
        )

    def scores(self, rows: Array) -> Floats:
        """ln p(x, y) up to a constant of the row, (n, k); missing values are integrated out."""
        return self._sum_components(rows, self.components.scores)

    def joint(self, rows: Array) -> Floats:
        """ln p(x, y), (n, k); missing values are integrated out."""
        return self._sum_components(rows, self.components.joint)

    def _sum_components(self, rows: Array, of_components: Callable[[Array], Floats]) -> Floats:
        """Sums over the components of each class, in logarithms, so that tails do not underflow."""
        out = np.empty((len(rows), len(self.classes)))
        for low in range(0, len(rows), BLOCK_ROWS):
            part = slice(low, low + BLOCK_ROWS)
            out[part] = self._by_class(of_components(rows[part]))
        return out

    def _by_class(self, of_components: Floats) -> Floats:
        """Logs of the sums over the components of each class, (n, k), from (n, K)."""
        edges = np.searchsorted(self.owner, np.arange(len(self.classes) + 1)).tolist()
        out = np.empty((len(of_components), len(self.classes)))
        for c, (low, high) in enumerate(pairwise(edges)):
            own = of_components[:, low:high]
            out[:, c] = own[:, 0] if high == low + 1 else log_sum(own)
            # Impossible in every component: log_sum would compute inf - inf there.
            out[np.isneginf(own).all(axis=1), c] = -np.inf
        return out


def by_owner(owner: Indices, weight: Floats) -> Floats:
    """Sums over the components of each class, (k,)."""
    return np.asarray(np.bincount(owner, weight), dtype=np.float64)


def own_log_likelihood(
    model: MixtureModel, X: Array, codes: Indices, weights: Floats | None
) -> float:
    """Sum of w ln p(x, y) over rows with their own classes."""
    total = 0.0
    for low in range(0, len(X), BLOCK_ROWS):
        part = slice(low, low + BLOCK_ROWS)
        joint = model.joint(X[part])
        own = joint[np.arange(len(joint)), codes[part]]
        if weights is not None:
            own = np.where(weights[part] > 0, own, 0.0) * weights[part]
        total += float(own.sum())
    return total


def n_parameters(model: MixtureModel, settings: Settings) -> int:
    """Number of free parameters of a fit: shares, means, and entries of covariances."""
    K, d = model.components.means.shape
    return int(K - 1 + K * d + settings.entries(d) * (1 if settings.pooling == 1 else K))


def covariance_arrays(components: GaussianModel, settings: Settings, what: str) -> Floats:
    """The "covariance" of each component, its "precision", or the "factor" F of that, FF'.

    Matrices, vectors or numbers, depending on the structure; without an axis for components if
    all share it.
    """
    arrays = [
        settings.structure.compact(_matrix_or_diagonal(c, what)) for c in components.covariances
    ]
    if settings.pooling == 1:
        return np.array(arrays[0])
    return np.repeat(np.array(arrays), len(components.means) // len(arrays), axis=0)


def _matrix_or_diagonal(covariance: Covariance, what: str) -> Floats:
    """A matrix, or its diagonal if features are independent."""
    if isinstance(covariance, DiagonalCovariance):
        variances, precisions = covariance.variances, covariance.precisions
        parts = {"covariance": variances, "precision": precisions, "factor": np.sqrt(precisions)}
        return parts[what]
    if what == "covariance":
        return covariance.matrix
    identity = np.eye(len(covariance.matrix))
    if what == "precision":
        return covariance.solve(identity)
    factor = np.zeros_like(identity)
    factor[:, : covariance.rank] = covariance.whiten(identity)
    return factor
