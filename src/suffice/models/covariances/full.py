"""Full covariances, estimated: by Cholesky if they are regular, with repairs if not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from suffice.models.covariances.covariance import (
    Covariance,
    CovarianceEstimate,
    FullCovariance,
)
from suffice.models.covariances.groups import Factor, Group, Groups
from suffice.models.covariances.linalg import (
    Whitener,
    compose,
    eigen,
    range_whitener,
    rank_tolerance,
    whitener,
)
from suffice.models.covariances.low_rank import LowRankCovariance
from suffice.models.separating import check_denominator, mean_steps, no_spread


def full_covariances(groups: Groups, lender: Groups | None = None) -> CovarianceEstimate:
    """One covariance per group.

    lender : source of the pooled covariance, if not the groups themselves

    A class whose own covariance is singular (fewer rows than features, a feature constant in
    it) borrows the one pooled over classes. If that is singular because features are linearly
    dependent, the directions without variance are left out. If it is singular because there are
    too few rows, so that class means differ where no class varies, the likelihood has no maximum:
    correlations are then shrunk by OAS.
    """
    regular_or_none = partial(_regular_covariance, groups)
    own = list(map(regular_or_none, map(groups.group, range(groups.size))))
    regular = tuple(filter(None, own))
    if len(regular) == len(own):
        return CovarianceEstimate(regular)
    check_denominator(groups.statistics, groups.settings)
    lender = groups if lender is None else lender
    base = _regular_covariance(lender, lender.pooled)
    if base is None:
        within = _range_of_pooled(lender)
        if within is None:
            return _shrunk_covariances(groups)
        base = FullCovariance(within)
        if not groups.shared:
            own = [_covariance_within(within, groups, groups.group(g)) for g in range(groups.size)]
    return CovarianceEstimate((base,)) if groups.shared else _with_borrowed(base, own)


def lacks_rows(groups: Groups) -> bool:
    """Whether even the pooled covariance is singular because there are too few rows."""
    if groups.settings.shrinkage != 0 or _regular_covariance(groups, groups.pooled) is not None:
        return False
    return _range_of_pooled(groups) is None


def _regular_covariance(groups: Groups, group: Group) -> Covariance | None:
    if group.denominator <= 0:
        return None
    if isinstance(group.scatter, Factor):
        return _wide_covariance(groups, group, group.scatter)
    share = groups.share(group)
    if share == 0 and group.rows <= groups.statistics.n_features:
        return None  # certainly singular, even if rounding hides it
    factor = whitener(groups.shrunk(group, share), groups.separation.constant)
    return None if factor is None else FullCovariance(factor)


def _wide_covariance(groups: Groups, group: Group, scatter: Factor) -> Covariance | None:
    share, variances = groups.share(group), group.variances
    if share == 0:
        return None
    factor = scatter.rows / np.sqrt(group.denominator)
    scale, floor = np.ones_like(variances), share
    if groups.settings.target == "identity":
        floor = share * float((variances + groups.separation.floor).mean())
    elif groups.settings.target == "diagonal":
        # The variance of a separating feature is the floor, shrunk or not.
        scale = np.sqrt(
            np.where(groups.separation.floor > 0, groups.separation.floor / share, variances)
        )
        if (scale[groups.pooled.variances > 0] == 0).any():
            return None
    return LowRankCovariance.of_factor(factor, scale, 1 - share, floor) if floor > 0 else None


def _range_of_pooled(groups: Groups) -> Whitener | None:
    """The pooled covariance on its range, or None if class means differ outside of it."""
    if groups.wide:
        return None
    steps = mean_steps(groups.statistics)
    return range_whitener(groups.shrunk(groups.pooled), steps)


def _covariance_within(base: Whitener, groups: Groups, group: Group) -> Covariance | None:
    """The covariance of a group in the directions that `base` keeps."""
    if group.denominator <= 0 or group.rows <= len(base.matrix) or not len(base.matrix):
        return None
    inside = base.matrix @ groups.shrunk(group) @ base.matrix.T
    # In units of the pooled covariance, in which tiny eigenvalues are rounding.
    if eigen(inside)[0][0] <= rank_tolerance(len(inside)):
        return None
    factor = whitener(inside)
    return None if factor is None else FullCovariance(compose(factor, base))


def _with_borrowed(base: Covariance, own: list[Covariance | None]) -> CovarianceEstimate:
    """The covariances of the classes, with `base` for those without their own."""
    borrowed = tuple(g for g, covariance in enumerate(own) if covariance is None)
    return CovarianceEstimate(tuple(base if c is None else c for c in own), borrowed)


def _shrunk_covariances(groups: Groups) -> CovarianceEstimate:
    """Covariances with correlations shrunk by OAS; own ones only if pooling supports them."""
    settings = replace(groups.settings, shrinkage="oas", target="diagonal")
    again = Groups(groups.statistics, settings)
    base = _regular_covariance(again, again.pooled)
    if base is None:
        raise no_spread()
    if groups.shared:
        return CovarianceEstimate((base,), shrunk=True)
    groups_of = range(again.size)
    own = [
        _regular_covariance(again, again.group(g)) if settings.pooling else None for g in groups_of
    ]
    return _with_borrowed(base, own)._replace(shrunk=True)
