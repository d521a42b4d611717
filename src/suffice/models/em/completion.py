"""Completion: expected statistics of rows with missing values, by EM."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.caller import stacklevel
from suffice.errors import InvalidFeatures, InvalidParameter, NotConverged, NotFinite, TooFewRows
from suffice.models.covariances.groups import Groups
from suffice.models.em.effort import most_work
from suffice.models.em.gap_em import Estimate, GapEm
from suffice.models.em.observed import Observed
from suffice.models.separating import check_denominator
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.text import quote_names


@dataclass(frozen=True, slots=True)
class Completed:
    """Statistics with missing values filled in by a model, and the settings of that model.

    lender : the same with one covariance for all classes, if some class borrows it
    steps : number of EM steps
    """

    statistics: AnyStatistics
    settings: Settings
    lender: Completed | None = None
    steps: int = 0

    @property
    def groups(self) -> Groups:
        """The scatter behind each full covariance."""
        assert isinstance(self.statistics, Statistics)
        return Groups(self.statistics, self.settings)


def complete(statistics: AnyStatistics, settings: Settings) -> Completed:
    """Statistics with missing values filled in by the model; diagonal ones are unchanged.

    If each class has its own covariance, it is the most likely one that EM reaches from
    independent features. If the likelihood of a class has no maximum, the class borrows the mean
    and covariance that the same rows give under one covariance for all classes. This happens if
    two features are observed together in too few rows of the class (no more than there are
    features), or if EM reaches a covariance with a direction that too few rows determine. There, a
    row counts for the share of the variance along the direction that its values explain.

    One covariance for all classes follows the same rule, but its correlations are then shrunk by
    OAS. Features that are never observed together are assumed independent given all others.
    """
    if not isinstance(statistics, IncompleteStatistics):
        return Completed(statistics, settings)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            completed = _complete(statistics, settings)
    except np.linalg.LinAlgError:
        raise _beyond_floats() from None
    if (
        isinstance(completed.statistics, Statistics)
        and not np.isfinite(completed.statistics.squares).all()
    ):
        raise _beyond_floats()
    return completed


def _complete(statistics: IncompleteStatistics, settings: Settings) -> Completed:
    _check_observed(statistics)
    if statistics.detail == "diagonal":
        return Completed(statistics, settings)
    # Largest number of features: the matrices of EM would fill the memory.
    most_features = 4096
    if statistics.n_features > most_features:
        raise InvalidParameter(
            f"full covariances of {statistics.n_features} features with missing values would "
            "need matrices that are too large; use structure='diagonal', or fill in the missing "
            "values first."
        )
    observed = Observed.of(statistics)
    _check_spread(observed)
    if not len(observed.varying):
        no_scatter = np.zeros((1 if settings.pooling == 1 else len(statistics.classes), 0, 0))
        shared = settings.pooling == 1
        return Completed(
            observed.completed(observed.start, no_scatter, shared, statistics.count), settings
        )
    if settings.pooling == 0:
        return _separate(observed, settings)
    return _dependent(observed, settings)


def _beyond_floats() -> NotFinite:
    return NotFinite(
        "these rows with missing values spread too far to estimate their covariances: squares "
        "exceed what a float can hold. Rescale the features (for example, divide by 1e100)."
    )


def adapt_settings(settings: Settings, statistics: AnyStatistics) -> Settings:
    """Settings that can be estimated from these statistics.

    Ledoit-Wolf needs fourth-order sums of complete rows. If values are missing, OAS replaces it:
    it is the same idea under the normal assumption, by which missing values are filled in anyway.
    """
    return settings.without_fourth() if isinstance(statistics, IncompleteStatistics) else settings


def _check_observed(statistics: IncompleteStatistics) -> None:
    unknown = np.flatnonzero(statistics.known_weight.sum(axis=0) == 0)
    if len(unknown):
        raise InvalidFeatures(
            f"{_column(statistics, unknown)} is missing in every row; drop it, or add rows that "
            "have it."
        )


def _check_spread(observed: Observed) -> None:
    """Raise if a feature differs between classes but is observed at most once in each."""
    mean, still = observed.mean, observed.pooled_variances == 0
    differs = np.ptp(mean, axis=0) > 8 * np.finfo(float).eps * np.abs(mean).max(axis=0)
    once = np.flatnonzero(still & differs & (observed.count <= 1).all(axis=0))
    if len(once):
        raise TooFewRows(
            f"{_column(observed.statistics, once)} is observed in no more than 1 row (1 sample) of "
            "every class, so its variance within classes cannot be estimated. Give at least one "
            "class two rows that have it, or drop the column."
        )


def _check_denominators(observed: Observed, settings: Settings) -> None:
    """Raise if ddof leaves nothing to divide by."""
    s, weight = observed.statistics, observed.weight.sum(axis=0)
    check_denominator(s, settings)
    few = np.flatnonzero(weight <= settings.ddof * len(s.classes))
    if len(few):
        raise TooFewRows(
            f"{_column(s, few)} is observed with a total weight of {weight[few[0]]:g}; "
            f"{len(s.classes)} classes leave nothing to divide by at ddof={settings.ddof:g}. "
            "Use ddof=0 or more rows."
        )


def _column(statistics: IncompleteStatistics, at: Indices) -> str:
    names, j = statistics.feature_names, int(at[0])
    return f"column {j if names is None else repr(names[j])} of X"


def _separate(observed: Observed, settings: Settings) -> Completed:
    """Covariances of the classes, each from its own rows or borrowed."""
    s, k, d = observed.statistics, len(observed.statistics.classes), len(observed.varying)
    codes = _classes_with_own_covariance(observed, settings)
    means, scatter, steps, regular = observed.start.copy(), np.zeros((k, d, d)), 0, 0
    if len(codes):
        estimate = GapEm(observed.keep(codes), settings).run()
        _warn_unfinished(estimate, s.classes[codes])
        means[codes], scatter[codes], steps = estimate.means, estimate.scatter, estimate.steps
        if settings.shrinkage == 0:
            regular = int((estimate.supported & ~estimate.singular).sum())
            codes = codes[estimate.supported]
        else:
            regular = len(codes)
    lender = None
    if regular < k:
        lender = _dependent(observed, replace(settings, pooling=1.0))
        if lender.settings.shrinkage != settings.shrinkage:
            codes = codes[:0]
        means, scatter = _with_lender(observed, lender, codes, means, scatter)
    rows = observed.fewest_together if settings.shrinkage == 0 else s.count
    count = np.where(np.isin(np.arange(k), codes), rows, 0)
    statistics = observed.completed(means, scatter, False, count)
    return Completed(statistics, settings, lender, steps + (lender.steps if lender else 0))


def _classes_with_own_covariance(observed: Observed, settings: Settings) -> Indices:
    """The classes that have enough rows for a covariance of their own."""
    s = observed.statistics
    divisible = observed.weight.min(axis=1) > settings.ddof
    if settings.shrinkage != 0:
        return np.flatnonzero(divisible | (settings.ddof == 0))
    varies = (observed.own_variances[:, observed.varying] > 0).all(axis=1)
    return np.flatnonzero(divisible & varies & (observed.fewest_together > s.n_features))


def _with_lender(
    observed: Observed, lender: Completed, own: Indices, means: Floats, scatter: Floats
) -> tuple[Floats, Floats]:
    """Means and scatter by class, with those of the lender for all classes not in `own`."""
    lent, varying = lender.statistics, observed.varying
    assert isinstance(lent, Statistics)
    assert lent.means.low is not None
    steps = (lent.means.high - observed.centre) + lent.means.low
    share = lent.weight / lent.weight.sum()
    spread = lent.scatter[np.ix_(varying, varying)] * share[:, None, None]
    keeps = np.isin(np.arange(len(means)), own)
    return (
        np.where(keeps[:, None], means, steps[:, varying]),
        np.where(keeps[:, None, None], scatter, spread),
    )


def _dependent(observed: Observed, settings: Settings) -> Completed:
    """Covariances that depend on each other: shared, pooled in part, or shrunk."""
    s = observed.statistics
    _check_denominators(observed, settings)
    shrunk = replace(settings, shrinkage="oas", target="diagonal")
    observed_count = observed.count[:, observed.varying]
    rows = int((observed_count.sum(axis=0) - (observed_count > 0).sum(axis=0)).min()) + 1
    if settings.shrinkage == 0 and rows <= s.n_features:
        settings = shrunk
    estimate = GapEm(observed, settings).run()
    steps = estimate.steps
    if not estimate.supported.all():
        settings = shrunk
        estimate = GapEm(observed, settings).run()
        steps += estimate.steps
    _warn_unfinished(estimate, s.classes)
    shared, scatter = s.detail == "shared" or settings.pooling == 1, estimate.scatter
    most_likely = settings.pooling == 1 and settings.shrinkage == 0 and not estimate.singular.any()
    if most_likely and not observed.ever_together.all():
        scatter = least_informative(scatter[0], observed.ever_together)[None]
    statistics = observed.completed(estimate.means, scatter, shared, s.count)
    return Completed(statistics, settings, steps=steps)


def _warn_unfinished(estimate: Estimate, classes: Array) -> None:
    if estimate.settled.all() or not most_work():  # without work allowed, rows are only scored
        return
    apart = len(estimate.settled) == len(classes) > 1
    of = (
        f"the covariance of class {quote_names(classes[~estimate.settled])}"
        if apart
        else "covariances"
    )
    ways = "pooling=1, shrinkage='oas'" if apart else "shrinkage='oas'"
    warnings.warn(
        f"EM stopped after {estimate.steps} steps before {of} converged: too many values are "
        f"missing. "
        f"Use {ways}, or structure='diagonal'.",
        NotConverged,
        stacklevel=stacklevel(),
    )


def least_informative(covariance: Floats, together: Array) -> Floats:
    """The covariance (d, d) with undetermined entries at their maximum-entropy values.

    together : (d, d) bool, which pairs of features are observed together

    The likelihood does not depend on the other entries. They are chosen so that the determinant
    is largest: two features never observed together are independent given all others (Dempster
    1972). Each sweep regresses every feature on those it is observed with (Hastie, Tibshirani and
    Friedman 2009, algorithm 17.1).
    """
    scale = np.sqrt(covariance.diagonal())
    matrix = covariance / scale / scale[:, None]
    partly = np.flatnonzero(~together.all(axis=1))
    tolerance = 1e-13  # change of a correlation that ends the sweeps
    for _ in range(500):
        before = matrix.copy()
        for j in partly.tolist():
            near = np.flatnonzero(together[j] & (np.arange(len(matrix)) != j))
            far = np.flatnonzero(~together[j])
            slopes = np.linalg.solve(matrix[np.ix_(near, near)], matrix[near, j])
            matrix[far, j] = matrix[j, far] = matrix[np.ix_(far, near)] @ slopes
        if np.abs(matrix - before).max() < tolerance:
            break
    return np.asarray(matrix * scale * scale[:, None])
