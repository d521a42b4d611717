"""Conjugate priors of Gaussian classes: their parameters before and after the rows.

The strength of a prior is measured in rows: κ for its mean m0, and λ for its covariance P.
S ~ inverse Wishart(λP, λ + d - 1) and mean | S ~ N(m0, S/κ), for each class or with one S for all;
for independent features, the same for each feature alone. After n rows of mean m and scatter W,

    mean = (κ m0 + n m) / (κ + n)
    covariance = (λP + W + κ n / (κ + n) (m - m0)(m - m0)') / (λ + n)

and a new row has a Student t distribution about that mean, with λ + n degrees of freedom, whose
scale is that covariance times 1 + 1 / (κ + n). Any subset of the features has the same λ and κ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter, TooFewRows
from suffice.models.conjugate_priors.beliefs import (
    Beliefs,
    Prior,
    prior_location,
    usable_statistics,
)
from suffice.models.conjugate_priors.marginal import evidence_of
from suffice.models.conjugate_priors.strengths import best_strengths
from suffice.models.conjugate_priors.student import (
    IndependentStudent,
    MultivariateStudent,
    StudentModel,
)
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import whitener
from suffice.models.gaussian import GaussianModel
from suffice.models.priors import class_priors
from suffice.models.separating import check_scale
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DiagonalScatter, dense
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import LARGEST
from suffice.text import shown

# Smallest estimated strengths of the mean and the covariance, in rows. That of the mean may be tiny
# if classes are far apart.
LEAST_STRENGTHS = (1e-12, 1e-3)


@storable
@dataclass(frozen=True)
class Posterior:
    """The posterior distribution of the parameters, given the rows."""

    prior: Prior
    freedom: Floats  # (k,), or (k, d) for independent features: degrees of freedom of a new row
    stretch: Floats  # (k,), or (k, d): the scale of a new row is the covariance times this
    varies: Array  # (d,): features that are not constant

    def validated(self) -> Self:
        """This posterior, if a new row can have it; a ValueError otherwise."""
        varies = self.varies
        if varies.dtype != np.bool_ or not np.array_equal(varies, self.prior.variances > 0):
            raise ValueError("the features that vary are not those with a prior variance")
        for numbers in (self.freedom, self.stretch):
            if not ((numbers > 0) & (numbers <= LARGEST)).all():
                raise ValueError("the freedom or the stretch of a class is out of range")
        return self


@storable
@dataclass(frozen=True)
class MapModel(GaussianModel):
    """Gaussian classes at the maximum of the posterior (MAP)."""

    posterior: Posterior

    def validated(self) -> Self:
        """This model, if its posterior has its classes and features; a ValueError otherwise."""
        GaussianModel.validated(self)
        (k, d), own = self.means.shape, self.posterior
        shapes = own.freedom.shape, own.stretch.shape, own.prior.mean.shape
        if shapes != ((k, 1), (k, 1), (d,)):
            raise ValueError("the posterior has the wrong classes or features")
        return self


BayesianModel: TypeAlias = MapModel | StudentModel


def infer(statistics: AnyStatistics, beliefs: Beliefs, priors: Any) -> BayesianModel:
    """The model from beliefs and statistics."""
    if not len(statistics.classes):
        raise TooFewRows("there are no rows to build a model from.")
    probabilities = class_priors(
        priors, statistics.classes, statistics.weight + beliefs.class_strength
    )
    check_scale(statistics)
    s = usable_statistics(statistics, beliefs)
    prior = estimate_prior(s, beliefs)
    kappa, lam = prior.mean_strength, prior.covariance_strength
    n = s.known_weight
    means = s.means - DoubleDouble(kappa / (kappa + n) * prior.shifts(s))
    total = n.sum(axis=0, keepdims=True) if beliefs.pooling == 1 else n
    freedom = np.broadcast_to(lam + total, n.shape)
    stretch = 1 + 1 / (kappa + n)
    covariances = _covariances(s, beliefs, prior)
    posterior = Posterior(prior, freedom, stretch, prior.variances > 0)
    model = MapModel(
        s.classes, probabilities, means.high, covariances, (), posterior, means_low=means.low
    )
    return predictive(model, beliefs)


def predictive(model: MapModel, beliefs: Beliefs) -> BayesianModel:
    """The density that the beliefs ask for: "map" or "predictive"."""
    if beliefs.density == "map":
        return model
    kind = MultivariateStudent if beliefs.structure.takes_matrices else IndependentStudent
    posterior = model.posterior
    return kind(model, posterior.freedom, posterior.stretch, posterior.varies)


def estimate_prior(s: AnyStatistics, beliefs: Beliefs) -> Prior:
    """The prior, with parts that were not given estimated from the rows."""
    mean, covariance = prior_location(s, beliefs)
    given = beliefs.mean_strength, beliefs.covariance_strength
    prior = Prior(mean.high, covariance, given[0] or 1.0, given[1] or 1.0, mean.low)
    if None not in given or not (prior.variances > 0).any():
        return prior
    most = _largest_strengths(s, beliefs)
    low = np.array(
        [
            given[0] or min(LEAST_STRENGTHS[0], most[0]),
            given[1] or min(LEAST_STRENGTHS[1], most[1]),
        ]
    )
    high = np.array([given[0] or most[0], given[1] or most[1]])
    strengths = best_strengths(evidence_of(s, beliefs, prior, choosing=True), low, high).tolist()
    return replace(prior, mean_strength=strengths[0], covariance_strength=strengths[1])


def _largest_strengths(s: AnyStatistics, beliefs: Beliefs) -> tuple[float, float]:
    """Largest strengths of a prior that is itself estimated from the rows: no more than theirs."""
    n = s.known_weight
    total = float(n.sum(axis=0).max())
    alone = len(s.classes) == 1
    most_strength = 1e8
    mean, covariance = most_strength, most_strength
    if beliefs.prior_mean is None:
        # The mean of a single class adds nothing to its rows.
        mean = LEAST_STRENGTHS[0] if alone else max(total, 1.0)
    if beliefs.prior_covariance is None:
        covariance = max(float((n - (n > 0)).sum(axis=0).max()), 1.0)
        if not beliefs.structure.takes_matrices and (alone or beliefs.pooling == 1):
            covariance = LEAST_STRENGTHS[1]  # nor does the variance of all rows
    return mean, covariance


def log_evidence(statistics: AnyStatistics, beliefs: Beliefs, prior: Prior) -> float:
    """ln p(rows | labels): means and covariances integrated out."""
    if not (prior.variances > 0).any():
        return 0.0
    evidence = evidence_of(usable_statistics(statistics, beliefs), beliefs, prior)
    return evidence(prior.mean_strength, prior.covariance_strength)[0]


def _covariances(s: AnyStatistics, beliefs: Beliefs, prior: Prior) -> tuple[Covariance, ...]:
    kappa, lam, n = prior.mean_strength, prior.covariance_strength, s.known_weight
    shift, pull = prior.shifts(s), kappa * n / (kappa + n)
    over, pooled = (0,) if beliefs.pooling == 1 else (), beliefs.pooling == 1
    if not beliefs.structure.takes_matrices:
        squares = (np.maximum(s.squares, 0.0) + pull * shift**2).sum(axis=over)
        variances = (lam * prior.variances + squares) / (lam + n.sum(axis=over))
        variances = np.where(prior.variances > 0, variances, 0.0)
        return tuple(DiagonalCovariance(v) for v in np.atleast_2d(variances))
    assert isinstance(s, Statistics)
    assert not isinstance(s.spread, DiagonalScatter)
    scatter = dense(s.spread.pooled() if pooled and s.spread.per_class else s.spread).sums.high
    parts = [slice(None)] if pooled else [slice(c, c + 1) for c in range(len(n))]
    out: list[Covariance] = []
    for part, matrix in zip(parts, scatter, strict=True):
        steps, weight = shift[part] * np.sqrt(pull[part]), float(n[part].sum())
        covariance = (lam * prior.covariance + matrix + steps.T @ steps) / (lam + weight)
        out.append(_regular_covariance(covariance, prior, s, part))
    return tuple(out)


def _regular_covariance(covariance: Floats, prior: Prior, s: Statistics, part: slice) -> Covariance:
    varies = prior.variances > 0
    if not varies.any():
        return DiagonalCovariance(np.zeros(len(varies)))
    covariance[~varies] = 0.0
    covariance[:, ~varies] = 0.0
    factor = whitener(covariance, ~varies)
    if factor is None:
        who = "the classes" if part == slice(None) else f"class {shown(s.classes[part][0])}"
        raise InvalidParameter(
            f"covariance_strength is {prior.covariance_strength:g}, which leaves the covariance "
            f"of {who} ({int(s.count[part].sum())} rows, {len(varies)} features) singular; "
            "use a larger value, or 'auto'."
        )
    return FullCovariance(factor)
