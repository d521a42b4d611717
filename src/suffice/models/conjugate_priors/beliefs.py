"""Beliefs: prior assumptions about the classes, completed from the rows where left open."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import as_float, choice, is_number, not_negative, numbers
from suffice.errors import InvalidParameter
from suffice.models.covariances.groups import Groups
from suffice.models.covariances.linalg import whitener
from suffice.models.em.completion import complete
from suffice.models.priors import class_priors
from suffice.models.separating import Separation
from suffice.models.settings import MomentLikelihood, Settings, coarsen_for
from suffice.models.structures import DIAGONAL, FULL, Structure, structure_of
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import LARGEST
from suffice.text import shown

if TYPE_CHECKING:  # this module builds on beliefs
    from suffice.models.conjugate_priors.conjugate import BayesianModel, MapModel


@dataclass(frozen=True)
class Beliefs(MomentLikelihood):
    """The given parts of a prior; None where they are to be estimated from the rows.

    structure : "full" or "diagonal"
    pooling : 0 for one covariance per class, or 1 for one shared by all
    mean_strength, covariance_strength : weight of the prior mean and covariance, in rows
    prior_mean, prior_covariance : (d,), and (d, d) or the variances (d,)
    density : "predictive" (means and covariances integrated out) or "map" (at their estimates)
    class_strength : number of rows added to every class when class priors are estimated
    """

    name = "bayesian"
    structure: Structure = FULL
    pooling: float = 0.0
    mean_strength: float | None = None
    covariance_strength: float | None = None
    prior_mean: Floats | None = field(default=None, compare=False)
    prior_covariance: Floats | None = field(default=None, compare=False)
    density: str = "predictive"
    class_strength: float = 0.0

    @classmethod
    def checked(cls, **given: Any) -> Beliefs:
        """Beliefs, after checking every value."""
        given["structure"] = structure_of(
            given.get("structure", FULL), {one.name: one for one in (FULL, DIAGONAL)}
        )
        densities = ("predictive", "map")
        choice("density", given.get("density", "predictive"), densities)
        pooling = given.get("pooling", 0.0)
        if not is_number(pooling) or pooling not in (0, 1):
            raise InvalidParameter(
                f"pooling is {shown(pooling)}; it must be 0 (one covariance per class) or 1 "
                "(one for all): between them there is no conjugate prior. A larger "
                "covariance_strength draws more on the other classes."
            )
        for name in ("mean_strength", "covariance_strength"):
            given[name] = _strength(name, given.get(name))
        given["prior_mean"] = _given_mean(given.get("prior_mean"))
        given["prior_covariance"] = _given_spread(given.get("prior_covariance"))
        not_negative("class_strength", given.get("class_strength", 0.0))
        return cls(**given)

    @property
    def detail(self) -> str:
        """The smallest detail of statistics that is sufficient."""
        if not self.structure.takes_matrices:
            return "diagonal"
        return "shared" if self.pooling == 1 else "separate"

    @property
    def estimated_model(self) -> type[MapModel]:
        """The class of what EM estimates."""
        from suffice.models.conjugate_priors.conjugate import MapModel

        return MapModel

    def build(
        self, statistics: AnyStatistics, priors: Any, completed: MapModel | None = None
    ) -> BayesianModel:
        """The model built from statistics, or from the estimates of EM."""
        from suffice.models.conjugate_priors.conjugate import infer, predictive

        if completed is None:
            return infer(statistics, self, priors)
        weight = statistics.weight + self.class_strength
        shares = class_priors(priors, statistics.classes, weight)
        return predictive(replace(completed, priors=shares), self)

    def check(self, statistics: AnyStatistics) -> None:
        """Raise if the statistics are too coarse, or do not fit the given prior."""
        Settings(self.structure, self.pooling).check(statistics)
        check_usable(statistics, self)


@storable
@dataclass(frozen=True, slots=True)
class Prior:
    """The prior distribution of the mean and covariance of a class."""

    mean: Floats  # (d,)
    covariance: Floats  # (d, d), or variances (d,); zero for a feature that is ignored
    mean_strength: float
    covariance_strength: float
    mean_low: Floats | None = None  # (d,): low part of the mean

    def validated(self) -> Self:
        """This prior, if its parts belong together; a ValueError otherwise."""
        (d,) = self.mean.shape
        if self.covariance.shape not in ((d,), (d, d)):
            raise ValueError("the covariance of the prior has the wrong number of features")
        sizes = [np.abs(part).max(initial=0.0) for part in (self.mean, self.covariance)]
        strengths = self.mean_strength, self.covariance_strength
        if not all(size <= LARGEST for size in (*sizes, *strengths)):
            raise ValueError("a number of the prior is too large")
        if not min(strengths) > 0 or (self.variances < 0).any():
            raise ValueError("a strength or a variance of the prior is negative")
        DoubleDouble(self.mean, self.mean_low).validated()
        return self

    def shifts(self, s: AnyStatistics) -> Floats:
        """Class means minus that of the prior, (k, d)."""
        return difference(s.means, DoubleDouble(self.mean, self.mean_low))

    @property
    def variances(self) -> Floats:
        """The variance of each feature, (d,)."""
        own = self.covariance
        return np.asarray(own if own.ndim == 1 else own.diagonal())


def usable_statistics(statistics: AnyStatistics, beliefs: Beliefs) -> AnyStatistics:
    """Statistics in the detail that the beliefs need, after checking them.

    With missing values, the posterior of full covariances has no closed form. The rows are then
    completed by EM, and weighted by the average share of their values that is observed.
    """
    check_usable(statistics, beliefs)
    wanted = Settings(beliefs.structure, beliefs.pooling)
    if beliefs.structure.takes_matrices and isinstance(statistics, IncompleteStatistics):
        wanted = replace(wanted, shrinkage="oas", target="diagonal")
    completed = complete(coarsen_for(statistics, wanted), wanted).statistics
    if not isinstance(statistics, IncompleteStatistics) or not isinstance(completed, Statistics):
        return completed
    assert isinstance(completed.spread, DenseScatter)
    share = statistics.known_weight.mean(axis=1) / statistics.weight
    each = (
        share if completed.spread.per_class else np.average(share, weights=completed.weight)[None]
    )
    spread = DenseScatter(
        DoubleDouble(completed.spread.sums.high * each[:, None, None]), completed.spread.per_class
    )
    return replace(completed, weight=completed.weight * share, spread=spread)


def check_usable(statistics: AnyStatistics, beliefs: Beliefs) -> None:
    """Raise if there are too many features, or if given parts of the prior have the wrong shape."""
    d = statistics.n_features
    # Largest number of features: matrices for every class would fill the memory.
    most_features = 2048
    if beliefs.structure.takes_matrices and d > most_features:
        raise InvalidParameter(
            f"full covariances of {d} features need matrices that are too large (at most "
            f"{most_features}); use structure='diagonal', or choose features."
        )
    mean, covariance = beliefs.prior_mean, beliefs.prior_covariance
    if mean is not None and mean.shape not in ((), (d,)):
        raise InvalidParameter(f"prior_mean has shape {mean.shape}; there are {d} features.")
    if covariance is not None and covariance.shape not in ((), (d,), (d, d)):
        raise InvalidParameter(
            f"prior_covariance has shape {covariance.shape}; give ({d}, {d}), or {d} variances."
        )


def prior_location(s: AnyStatistics, beliefs: Beliefs) -> tuple[DoubleDouble, Floats]:
    """Mean and covariance of the prior: as given, or the overall mean and pooled covariance.

    The correlations of the pooled covariance are shrunk by OAS, so that it is regular however few
    rows there are. If there is only one covariance to estimate, its own correlations are not prior
    information, so they are zero in the prior.
    """
    mean, covariance, d = _mean(s, beliefs), beliefs.prior_covariance, s.n_features
    if covariance is not None:
        return mean, _given_covariance(covariance, d, beliefs)
    alone = beliefs.pooling == 1 or len(s.classes) == 1
    if beliefs.structure.takes_matrices and not alone:
        assert isinstance(s, Statistics)
        groups = Groups(s, Settings(shrinkage="oas", target="diagonal"))
        covariance = groups.shrunk(groups.pooled) * (s.weight.sum() / _denominator(s))
        constant = groups.separation.constant
        covariance[:, constant] = covariance[constant] = 0.0
        return mean, covariance
    separation = Separation.of(s)
    variances = s.squares.sum(axis=0) / _denominator(s) + separation.floor
    variances = np.where(separation.constant, 0.0, variances)
    if beliefs.structure.takes_matrices:
        variances = np.diag(variances)
    return mean, variances


def _mean(s: AnyStatistics, beliefs: Beliefs) -> DoubleDouble:
    """The given mean, or the mean of all rows."""
    if beliefs.prior_mean is not None:
        return DoubleDouble(np.broadcast_to(beliefs.prior_mean, (s.n_features,)))
    weight, first = s.known_weight, s.means[0]
    steps = (weight * difference(s.means, first)).sum(axis=0) / weight.sum(axis=0)
    return first + DoubleDouble(steps)


def _denominator(s: AnyStatistics) -> Floats:
    """Rows minus classes, by feature: the divisor of squares about class means."""
    weight = s.known_weight
    total, classes = weight.sum(axis=0), (weight > 0).sum(axis=0)
    # Weights may add up to less than one row per class; for whole rows this is the difference.
    return np.asarray(np.maximum(total - classes, total / (classes + 1)))


def _given_covariance(covariance: Floats, d: int, beliefs: Beliefs) -> Floats:
    if covariance.ndim < 2:
        variances = np.array(np.broadcast_to(covariance, (d,)))
        return np.diag(variances) if beliefs.structure.takes_matrices else variances
    if whitener(covariance) is None:
        raise InvalidParameter("prior_covariance must be symmetric and positive definite.")
    return np.asarray(covariance if beliefs.structure.takes_matrices else covariance.diagonal())


def _given_mean(prior_mean: Any) -> Floats | None:
    mean = numbers("prior_mean", prior_mean)
    most_mean = 1e150
    if mean is not None and (np.abs(mean) > most_mean).any():
        farthest = mean.ravel().tolist()[np.abs(mean).argmax()]
        raise InvalidParameter(
            f"prior_mean holds {farthest}; beyond {most_mean:g} its squares overflow. Rescale the "
            "features."
        )
    return mean


def _given_spread(prior_covariance: Any) -> Floats | None:
    """A prior covariance with variances in a safe range; its shape is checked later."""
    values = numbers("prior_covariance", prior_covariance)
    if values is None:
        return None
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        if not np.allclose(values, values.T, atol=0):
            raise InvalidParameter("prior_covariance must be symmetric and positive definite.")
        variances = values.diagonal()
    else:
        variances = values.ravel()
    least_variance = 1e-200
    most_variance = 1e200
    outside = variances[(variances < least_variance) | (variances > most_variance)]
    if len(outside):
        raise InvalidParameter(
            f"prior_covariance holds the variance {outside.tolist()[0]}; it must have positive "
            f"variances, from {least_variance:g} to {most_variance:g}."
        )
    return values


def _strength(name: str, value: Any) -> float | None:
    if isinstance(value, str) and value == "auto":
        return None
    strength = as_float(value)
    # Outside these limits, products of strengths and squares overflow or underflow.
    least_strength, most_strength = 1e-100, 1e100
    if not least_strength <= strength <= most_strength:
        limits = f"from {least_strength:g} to {most_strength:g}"
        raise InvalidParameter(
            f"{name} is {shown(value)}; it must be a positive number of rows, {limits}, or 'auto'."
        )
    return strength
