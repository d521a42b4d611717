"""Full covariances, estimated: by Cholesky where they are regular, and what to do where not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.errors import TooFewRows
from suffice.models.covariance import (
    Covariance,
    CovarianceEstimate,
    FullCovariance,
    LowRankCovariance,
)
from suffice.models.groups import Factor, Group, Groups
from suffice.models.linalg import (
    Whitener,
    composed,
    eigen,
    range_whitener,
    rank_tolerance,
    whitener,
)
from suffice.models.separating import check_denominator, mean_steps


def full_covariances(groups: Groups, lender: Groups | None = None) -> CovarianceEstimate:
    """One covariance a group.

    lender : where the pooled one comes from, if not from the groups themselves

    A class whose own covariance is singular (fewer rows than features, a feature constant in
    it) borrows the one pooled over classes. Where that is singular because features depend on
    each other, the directions in which nothing varies are left out. Where it is singular for
    want of rows, so that class means differ where no class varies, there is no maximum of the
    likelihood: correlations are then shrunk by OAS.
    """
    found = [_regular(groups, groups.group(g)) for g in range(groups.size)]
    if None not in found:
        return CovarianceEstimate(tuple(c for c in found if c is not None))
    check_denominator(groups.statistics, groups.settings)
    lender = groups if lender is None else lender
    base = _regular(lender, lender.pooled)
    if base is None:
        within = _dependent(lender)
        if within is None:
            return _shrunk(groups)
        base = FullCovariance(within)
        if not groups.shared:
            found = [_within(within, groups, groups.group(g)) for g in range(groups.size)]
    return CovarianceEstimate((base,)) if groups.shared else _lent(base, found)


def lacks_rows(groups: Groups) -> bool:
    """Whether even the pooled covariance is singular for want of rows."""
    if groups.settings.shrinkage != 0 or _regular(groups, groups.pooled) is not None:
        return False
    return _dependent(groups) is None


def _regular(groups: Groups, group: Group) -> Covariance | None:
    if group.denominator <= 0:
        return None
    if isinstance(group.scatter, Factor):
        return _wide(groups, group, group.scatter)
    if groups.share(group) == 0 and group.rows <= groups.statistics.n_features:
        return None  # known to be singular, whatever rounding says
    found = whitener(groups.shrunk(group), groups.constant)
    return None if found is None else FullCovariance(found)


def _wide(groups: Groups, group: Group, scatter: Factor) -> Covariance | None:
    share, variances = groups.share(group), group.variances
    if share == 0:
        return None
    factor = scatter.rows / np.sqrt(group.denominator)
    scale, floor = np.ones_like(variances), share
    if groups.settings.target == "identity":
        floor = share * float((variances + groups.floor).mean())
    elif groups.settings.target == "diagonal":
        # A separating feature has the floor for its variance, shrunk or not.
        scale = np.sqrt(np.where(groups.floor > 0, groups.floor / share, variances))
        if (scale[groups.pooled.variances > 0] == 0).any():
            return None
    return LowRankCovariance.of_factor(factor, scale, 1 - share, floor) if floor > 0 else None


def _dependent(groups: Groups) -> Whitener | None:
    """The pooled covariance where it has variance, if class means differ nowhere else."""
    if groups.wide:
        return None
    steps = mean_steps(groups.statistics)
    return range_whitener(groups.shrunk(groups.pooled), steps)


def _within(base: Whitener, groups: Groups, group: Group) -> Covariance | None:
    """The covariance of a group in the directions that `base` keeps."""
    if group.denominator <= 0 or group.rows <= len(base.matrix) or not len(base.matrix):
        return None
    inside = base.matrix @ groups.shrunk(group) @ base.matrix.T
    # In units of the pooled covariance: what is tiny in these is rounding.
    if eigen(inside)[0][0] <= rank_tolerance(len(inside)):
        return None
    found = whitener(inside)
    return None if found is None else FullCovariance(composed(found, base))


def _lent(base: Covariance, own: list[Covariance | None]) -> CovarianceEstimate:
    """The covariances of classes, and `base` for those that have none of their own."""
    borrowed = tuple(g for g, covariance in enumerate(own) if covariance is None)
    return CovarianceEstimate(tuple(base if c is None else c for c in own), borrowed)


def _shrunk(groups: Groups) -> CovarianceEstimate:
    """Covariances with correlations shrunk by OAS; own ones only if pooling supports them."""
    settings = replace(groups.settings, shrinkage="oas", target="diagonal")
    again = Groups(groups.statistics, settings)
    base = _regular(again, again.pooled)
    if base is None:
        raise TooFewRows(
            "every class has 1 row (1 sample), so nothing is known of the spread within a class. "
            "The number of samples must be more than the number of classes: give at least one "
            "class two rows."
        )
    if groups.shared:
        return CovarianceEstimate((base,), shrunk=True)
    groups_of = range(again.size)
    found = [_regular(again, again.group(g)) if settings.pooling else None for g in groups_of]
    return _lent(base, found)._replace(shrunk=True)
