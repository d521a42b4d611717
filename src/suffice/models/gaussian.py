"""The Gaussian model: class priors, means and covariances, ready to score rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import TooFewRows
from suffice.models.conjugate_priors.gammas import LOG_2PI as LOG_2PI
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import Cholesky, reciprocal
from suffice.models.covariances.side_by_side import SideBySide
from suffice.models.em.completion import Completed, adapt_settings, complete
from suffice.models.gapped import (
    far_scores,
    gapped_distances,
    gapped_joint,
    gapped_scores,
    with_gaps,
)
from suffice.models.limits import FAR as FARTHEST_MEAN
from suffice.models.model import ClassModel, check_density
from suffice.models.priors import class_priors
from suffice.models.scoring import IndependentClasses, by_blocks
from suffice.models.separating import check_scale
from suffice.models.settings import Settings, coarsen_for
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.passes.threads import small_matrices
from suffice.statistics.shift import difference
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import check_labels


@dataclass(frozen=True)
class LinearScores:
    """Scores (x - centre)'coefficients + constants, where all classes share a covariance."""

    # Number of rows at a time for which BLAS is fastest with a few columns.
    few_rows: ClassVar[int] = 1024

    # Larger squared distances are computed directly, not as differences of linear scores.
    far: ClassVar[float] = 1e6

    centre: Floats  # (d,)
    coefficients: Floats  # (k, d)
    constants: Floats  # (k,)
    far_apart: bool = False  # whether classes are so far from the centre that scores lose digits

    @cached_property
    def slopes(self) -> Floats:
        """The coefficients as columns, (d, k), for which BLAS is fastest."""
        return np.ascontiguousarray(self.coefficients.T)

    @cached_property
    def intercepts(self) -> Floats:
        """The scores at the origin, (k,)."""
        return np.asarray(self.constants - self.coefficients @ self.centre)

    @cached_property
    def is_near_origin(self) -> bool:
        """Whether x'coefficients is as accurate as (x - centre)'coefficients."""
        # Sums of products up to this size are exact to 1e-13.
        near = 256.0
        return bool((np.abs(self.coefficients) @ np.abs(self.centre)).max() < near)

    def scores(self, X: Floats) -> Floats:
        """The scores of rows (n, d), (k, n)."""
        near = self.is_near_origin
        scores = np.empty((len(X), len(self.constants)))
        for low in range(0, len(X), self.few_rows):
            at = slice(low, low + self.few_rows)
            np.matmul(X[at] if near else X[at] - self.centre, self.slopes, out=scores[at])
        scores = scores.T.copy()
        scores += (self.intercepts if near else self.constants)[:, None]
        return scores


@storable
@dataclass(frozen=True)
class GaussianModel(ClassModel):
    """p(x, y): a prior, a mean and a covariance for each class.

    Scores are joint log densities up to a constant of the row. They suffice for labels and
    posteriors, and are linear in x if the covariance is shared.
    """

    means: Floats  # (k, d)
    covariances: tuple[Covariance, ...]  # one shared by all classes, or k
    borrowed: tuple[int, ...]  # classes that use the pooled covariance instead of their own
    # (k, d): low parts of the means; at an offset of 1e8 deviations, 1e-8 of a deviation.
    means_low: Floats | None = field(default=None, kw_only=True)
    shrunk: bool = field(default=False, kw_only=True)  # correlations, for lack of rows

    def validated(self) -> Self:
        """This model, if its parts belong together; a ValueError otherwise."""
        check_labels("classes", self.classes)
        k, means = len(self.classes), self.means
        if means.ndim != 2 or len(means) != k or not means.size:
            raise ValueError("there is not one mean for each class")
        if self.priors.shape != (k,) or (self.priors < 0).any():
            raise ValueError("there is not one prior for each class")
        if not (np.abs(means) <= FARTHEST_MEAN).all():
            raise ValueError("a mean is too large")
        DoubleDouble(means, self.means_low).validated()
        if len(self.borrowed) > k or not all(0 <= c < k for c in self.borrowed):
            raise ValueError("borrowed does not name classes")
        if len(self.covariances) not in (1, k):
            raise ValueError("there is not one covariance for all classes, nor one for each")
        if any(one.n_features != means.shape[1] for one in self.covariances):
            raise ValueError("a covariance has the wrong number of features")
        return self

    def check_computable(self) -> None:
        """Raise if all parameters are finite, but the density at a class mean is not."""
        check_density(self, self.means[:1])

    def about_mean(self, rows: Floats, c: int) -> Floats:
        """Rows (n, d) minus the mean of class c."""
        return difference(DoubleDouble(rows), DoubleDouble(self.means, self.means_low)[c])

    def means_about(self, point: Floats) -> Floats:
        """Class means minus a point (d,), (k, d)."""
        return difference(DoubleDouble(self.means, self.means_low), DoubleDouble(point))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.means.shape[1])

    @property
    def gaussian(self) -> GaussianModel:
        """The Gaussian classes: this model itself, where others are made from one."""
        return self

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""
        return len(self.covariances) == 1

    def covariance_of(self, c: int) -> Covariance:
        """The covariance of class c."""
        return self.covariances[0 if self.shared else c]

    @property
    def matrices(self) -> Floats:
        """The covariances as matrices: (d, d) shared, (k, d, d) separate."""
        matrices = [covariance.matrix for covariance in self.covariances]
        return np.array(matrices[0] if self.shared else matrices)

    def inflated(self, factor: float) -> GaussianModel:
        """The same classes with all covariances multiplied by `factor`."""
        return replace(self, covariances=tuple(c.scaled(factor) for c in self.covariances))

    @cached_property
    def linear(self) -> LinearScores:
        """Discriminant functions of a shared covariance: w = P(m - c), b = ln p - w'(m - c) / 2."""
        # About a centre: x'w with x far from zero would lose the digits that matter.
        centre = self.means.mean(axis=0)
        steps = self.means_about(centre)
        coefficients = self.covariances[0].solve(steps)
        lengths = np.einsum("ij,ij->i", coefficients, steps)
        far_apart = bool((lengths > LinearScores.far).any())
        return LinearScores(centre, coefficients, self.log_priors - lengths / 2, far_apart)

    @property
    def is_linear(self) -> bool:
        """Whether scores are computed as linear functions of x, without losing digits."""
        return self.shared and not self.linear.far_apart

    @cached_property
    def volumes(self) -> Floats:
        """(ln|S| + r ln 2 pi) / 2 for each covariance."""
        return np.array([c.log_determinant + c.rank * LOG_2PI for c in self.covariances]) / 2

    @cached_property
    def constants(self) -> Floats:
        """ln p - (ln|S| + r ln 2 pi) / 2 for each class."""
        return self.log_priors - self.volumes

    @cached_property
    def variances(self) -> Floats | None:
        """Of independent features: (k, d), or (1, d) if shared; None for dependent ones."""
        own = [c.variances for c in self.covariances if isinstance(c, DiagonalCovariance)]
        return np.array(own) if len(own) == len(self.covariances) else None

    @cached_property
    def independent(self) -> IndependentClasses | None:
        """The classes with independent features, or None if features are dependent."""
        if self.variances is None:
            return None
        return IndependentClasses(self.means, reciprocal(self.variances), self.means_low)

    @cached_property
    def side_by_side(self) -> SideBySide | None:
        """The classes with separate, regular and small covariances, or None otherwise."""
        own = [c.whitener for c in self.covariances if isinstance(c, FullCovariance)]
        factors = tuple(factor for factor in own if isinstance(factor, Cholesky))
        if not len(factors) == len(self.means) > 1:
            return None
        centre = self.means.mean(axis=0)
        return SideBySide.of(centre, self.means_about(centre), factors)

    def scores(self, rows: Array) -> Floats:
        """ln p(x, y) up to a constant of the row, (n, k); missing values are integrated out."""

        def complete(X: Array) -> Floats:
            return self._score_far_rows(X, by_blocks(X, len(self.classes), self._scorer(len(X))))

        return with_gaps(self, rows, complete, gapped_scores, self.log_priors)

    def joint(self, rows: Array) -> Floats:
        """ln p(x, y), (n, k); missing values are integrated out."""

        def complete(X: Array) -> Floats:
            score = self._shared_joint if self.is_linear else self._scorer(len(X))
            return by_blocks(X, len(self.classes), score)

        return with_gaps(self, rows, complete, gapped_joint, self.log_priors)

    def squared_distances(self, rows: Array) -> Floats:
        """Squared Mahalanobis distance to each class mean in the observed features, (n, k)."""

        def complete(X: Array) -> Floats:
            return by_blocks(X, len(self.classes), self._measure(len(X)))

        return with_gaps(self, rows, complete, gapped_distances, 0.0)

    def _scorer(self, n_rows: int) -> Callable[[Floats], Floats]:
        """The function from rows to scores (k, n), chosen by the total number of rows."""
        if self.is_linear:
            return self.linear.scores
        measure, constants = self._measure(n_rows), self.constants[:, None]

        def score(X: Floats) -> Floats:
            distances = measure(X)
            distances *= -0.5
            distances += constants
            return distances

        return score

    def _measure(self, n_rows: int) -> Callable[[Floats], Floats]:
        independent = self.independent
        if independent is not None and not self.shared:
            return independent.distances(n_rows)
        return self.side_by_side.squared_distances if self.side_by_side else self._distances

    def _shared_joint(self, X: Floats) -> Floats:
        lengths = self.covariances[0].squared_lengths(X - self.linear.centre)
        return self.linear.scores(X) - lengths / 2 - self.volumes

    def _distances(self, X: Floats) -> Floats:
        out = np.empty((len(self.classes), len(X)))
        for low in range(0, len(X), LinearScores.few_rows):
            at = slice(low, low + LinearScores.few_rows)
            for c in range(len(out)):
                steps = self.about_mean(X[at], c)
                out[c, at] = self.covariance_of(c).squared_lengths(steps)
        return out

    def _score_far_rows(self, X: Array, scores: Floats) -> Floats:
        """Scores of complete rows, with those whose squares overflow computed apart."""
        if not self.is_linear and not np.isfinite(scores[:, 0]).all():
            far = np.flatnonzero(~np.isfinite(scores).any(axis=1))
            far = far[np.isfinite(X[far]).all(axis=1)]
            scores[far] = far_scores(self, X[far])
        return scores


def class_matrices(model: Any) -> Floats:
    """The covariance of each class of a model as a matrix, (k, d, d), shared or not."""
    matrices: Floats = model.matrices
    return matrices if matrices.ndim == 3 else np.repeat(matrices[None], len(model.means), axis=0)


def build(statistics: AnyStatistics, settings: Settings, priors: Any) -> GaussianModel:
    """The model that the settings ask for, from statistics alone."""
    if not len(statistics.classes):
        raise TooFewRows("there are no rows to build a model from.")
    probabilities = class_priors(priors, statistics.classes, statistics.weight)
    check_scale(statistics)
    with small_matrices(statistics.n_features):
        if isinstance(statistics, IncompleteStatistics):
            settings = adapt_settings(settings, statistics)
            completed = complete(coarsen_for(statistics, settings), settings)
        else:
            completed = Completed(coarsen_for(statistics, settings), settings)
        covariances, borrowed, lacks_rows = settings.structure.estimate(completed, settings)
    statistics, lender = completed.statistics, completed.lender
    shrunk = (lender or completed).settings.shrinkage != settings.shrinkage
    model = GaussianModel(
        statistics.classes,
        probabilities,
        statistics.mean,
        covariances,
        borrowed,
        means_low=statistics.means.low,
        shrunk=shrunk or lacks_rows,
    )
    return model if settings.inflation == 1 else model.inflated(settings.inflation)
