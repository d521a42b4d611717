"""Completion: the statistics that rows with gaps are expected to have, by EM."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import InvalidFeatures, InvalidParameter, NotConverged, NotFinite, TooFewRows
from suffice.models.gap_em import Estimate, GapEm
from suffice.models.groups import Groups
from suffice.models.min_information import least_informative
from suffice.models.observed import Observed
from suffice.models.separating import check_denominator
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics, listed

# Beyond this many features the matrices of EM would fill the memory.
MOST_FEATURES = 4096


@dataclass(frozen=True, slots=True)
class Completed:
    """Statistics without gaps, as a model expects them, and the settings that they are for.

    lender : the same with one covariance for all classes, where some class borrows it
    steps : how many steps EM took
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
    """Statistics without gaps, as the settings' model expects them; diagonal ones as they are.

    Where each class has a covariance of its own, it is the most likely one that EM reaches from
    independent features. A class has none where the likelihood has no maximum: it borrows what
    the same rows give under one covariance for all classes, mean included. That is so where two
    features are not known together in more rows of the class than there are features, and where
    EM comes to a covariance of which some direction is known from no more rows than that. A row
    counts there for the share of the variance along the direction that its values explain.

    One covariance for all classes is subject to the same rule. Without support its correlations
    are shrunk by OAS. Features that are never known together are taken to be independent given
    all others.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            found = _completed(statistics, settings)
    except np.linalg.LinAlgError:
        raise _beyond_floats() from None
    if isinstance(found.statistics, Statistics) and not np.isfinite(found.statistics.squares).all():
        raise _beyond_floats()
    return found


def _completed(statistics: AnyStatistics, settings: Settings) -> Completed:
    if not isinstance(statistics, IncompleteStatistics):
        return Completed(statistics, settings)
    _check_known(statistics)
    if statistics.detail == "diagonal":
        return Completed(statistics, settings)
    if statistics.n_features > MOST_FEATURES:
        raise InvalidParameter(
            f"full covariances of {statistics.n_features} features with missing values would "
            "take matrices too large; use structure='diagonal', or fill the gaps first."
        )
    observed = Observed.of(statistics)
    _check_spread(observed)
    if not len(observed.varying):
        nothing = np.zeros((1 if settings.pooling == 1 else len(statistics.classes), 0, 0))
        shared = settings.pooling == 1
        return Completed(
            observed.completed(observed.start, nothing, shared, statistics.count), settings
        )
    if settings.pooling == 0:
        return _separate(observed, settings)
    return _together(observed, settings)


def _beyond_floats() -> NotFinite:
    return NotFinite(
        "these rows with missing values spread too far for their covariances to be found: squares "
        "exceed what a float can hold. Rescale the features (divide by 1e100, say)."
    )


def adapted(settings: Settings, statistics: AnyStatistics) -> Settings:
    """Settings that can be estimated from these statistics.

    Ledoit-Wolf takes fourth-order sums of complete rows. Where values are missing, OAS stands in:
    it is the same idea under the normal assumption, which gaps are filled by anyway.
    """
    if isinstance(statistics, IncompleteStatistics) and settings.shrinkage == "ledoit-wolf":
        return replace(settings, shrinkage="oas")
    return settings


def _check_known(statistics: IncompleteStatistics) -> None:
    unknown = np.flatnonzero(statistics.known_weight.sum(axis=0) == 0)
    if len(unknown):
        raise InvalidFeatures(
            f"{_column(statistics, unknown)} is missing in every row; drop it, or bring rows that "
            "have it."
        )


def _check_spread(observed: Observed) -> None:
    """Raise where a feature differs between classes, but is known at most once in each."""
    mean, still = observed.mean, observed.pooled_variances == 0
    differs = np.ptp(mean, axis=0) > 8 * np.finfo(float).eps * np.abs(mean).max(axis=0)
    once = np.flatnonzero(still & differs & (observed.count <= 1).all(axis=0))
    if len(once):
        raise TooFewRows(
            f"{_column(observed.statistics, once)} is known in no more than 1 row (1 sample) of "
            "every class, so nothing is known of its spread within a class. Give at least one "
            "class two rows that have it, or drop the column."
        )


def _check_denominators(observed: Observed, settings: Settings) -> None:
    """Raise where the degrees of freedom leave nothing to divide by."""
    s, known = observed.statistics, observed.weight.sum(axis=0)
    check_denominator(s, settings)
    few = np.flatnonzero(known <= settings.ddof * len(s.classes))
    if len(few):
        raise TooFewRows(
            f"{_column(s, few)} is known with a total weight of {known[few[0]]:g}; "
            f"{len(s.classes)} classes leave nothing to divide by at ddof={settings.ddof:g}. "
            "Use ddof=0 or more rows."
        )


def _column(statistics: IncompleteStatistics, at: Indices) -> str:
    names, j = statistics.feature_names, int(at[0])
    return f"column {j if names is None else repr(names[j])} of X"


def _separate(observed: Observed, settings: Settings) -> Completed:
    """Covariances of the classes, each from its own rows or else borrowed."""
    s, k, d = observed.statistics, len(observed.statistics.classes), len(observed.varying)
    codes = _able(observed, settings)
    means, scatter, steps, regular = observed.start.copy(), np.zeros((k, d, d)), 0, 0
    if len(codes):
        found = GapEm(observed.keep(codes), settings).run()
        _warn_unfinished(found, s.classes[codes])
        means[codes], scatter[codes], steps = found.means, found.scatter, found.steps
        if settings.shrinkage == 0:
            regular = int((found.supported & ~found.singular).sum())
            codes = codes[found.supported]
        else:
            regular = len(codes)
    lender = None
    if regular < k:
        lender = _together(observed, replace(settings, pooling=1.0))
        if lender.settings.shrinkage != settings.shrinkage:
            codes = codes[:0]
        means, scatter = _lent(observed, lender, codes, means, scatter)
    rows = observed.fewest_together if settings.shrinkage == 0 else s.count
    count = np.where(np.isin(np.arange(k), codes), rows, 0)
    statistics = observed.completed(means, scatter, False, count)
    return Completed(statistics, settings, lender, steps + (lender.steps if lender else 0))


def _able(observed: Observed, settings: Settings) -> Indices:
    """The classes that may have a covariance of their own."""
    s = observed.statistics
    divisible = observed.weight.min(axis=1) > settings.ddof
    if settings.shrinkage != 0:
        return np.flatnonzero(divisible | (settings.ddof == 0))
    varies = (observed.own_variances[:, observed.varying] > 0).all(axis=1)
    return np.flatnonzero(divisible & varies & (observed.fewest_together > s.n_features))


def _lent(
    observed: Observed, lender: Completed, own: Indices, means: Floats, scatter: Floats
) -> tuple[Floats, Floats]:
    """Means and scatter by class, with those of the lender for all but some classes."""
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


def _together(observed: Observed, settings: Settings) -> Completed:
    """Covariances that depend on each other: shared, pooled in part, or shrunk."""
    s = observed.statistics
    _check_denominators(observed, settings)
    shrunk = replace(settings, shrinkage="oas", target="diagonal")
    known = observed.count[:, observed.varying]
    rows = int((known.sum(axis=0) - (known > 0).sum(axis=0)).min()) + 1
    if settings.shrinkage == 0 and rows <= s.n_features:
        settings = shrunk
    found = GapEm(observed, settings).run()
    steps = found.steps
    if not found.supported.all():
        settings = shrunk
        found = GapEm(observed, settings).run()
        steps += found.steps
    _warn_unfinished(found, s.classes)
    shared, scatter = s.detail == "shared" or settings.pooling == 1, found.scatter
    most_likely = settings.pooling == 1 and settings.shrinkage == 0 and not found.singular.any()
    if most_likely and not observed.ever_together.all():
        scatter = least_informative(scatter[0], observed.ever_together)[None]
    statistics = observed.completed(found.means, scatter, shared, s.count)
    return Completed(statistics, settings, steps=steps)


def _warn_unfinished(found: Estimate, classes: Array) -> None:
    if found.settled.all():
        return
    apart = len(found.settled) == len(classes) > 1
    of = f"the covariance of class {listed(classes[~found.settled])}" if apart else "covariances"
    ways = "pooling=1, shrinkage='oas'" if apart else "shrinkage='oas'"
    warnings.warn(
        f"EM stopped after {found.steps} steps with {of} not final: too many values are missing. "
        f"Use {ways}, or structure='diagonal'.",
        NotConverged,
        stacklevel=2,
    )
