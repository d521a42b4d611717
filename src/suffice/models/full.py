"""Full covariances, estimated: by Cholesky where they are regular, in their range where not."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import TooFewRows
from suffice.models.covariance import Covariance, Full, LowRank
from suffice.models.groups import Factor, Group, Groups
from suffice.models.linalg import Whitener, range_whitener, thin_whitener, whitener
from suffice.models.separating import (
    FLOOR,
    check_some_spread,
    mean_steps,
    overall_variances,
)


def full_covariances(groups: Groups) -> tuple[tuple[Covariance, ...], tuple[int, ...]]:
    """One covariance a group, and the classes that had to borrow the pooled one.

    A class whose own covariance is singular (fewer rows than features, a feature constant in
    it) borrows the covariance pooled over classes. Where that is singular too, directions in
    which nothing varies are left out, and directions in which only class means differ decide.
    """
    found = [_regular(groups, groups.group(g)) for g in range(groups.size)]
    if None not in found:
        return tuple(c for c in found if c is not None), ()
    base = _base(groups)
    if groups.shared:
        return (Full(base),), ()
    if base.separating or len(base.matrix) < groups.statistics.n_features:
        found = [_within(base, groups, groups.group(g)) for g in range(groups.size)]
    borrowed = tuple(g for g, covariance in enumerate(found) if covariance is None)
    return tuple(Full(base) if c is None else c for c in found), borrowed


def _regular(groups: Groups, group: Group) -> Covariance | None:
    if group.denominator <= 0:
        return None
    if groups.wide:
        return _wide(groups, group)
    found = whitener(groups.shrunk(group))
    return None if found is None else Full(found)


def _wide(groups: Groups, group: Group) -> Covariance | None:
    share, variances = groups.share(group), group.variances
    if share == 0 or not variances.any():
        return None
    assert isinstance(group.scatter, Factor)
    factor = group.scatter.rows / np.sqrt(group.denominator)
    scale = np.ones_like(variances)
    floor = share
    if groups.settings.target == "identity":
        floor = share * float(variances.mean())
    elif groups.settings.target == "diagonal":
        scale = np.sqrt(variances)
    return LowRank.of_factor(factor, scale, 1 - share, floor)


def _base(groups: Groups) -> Whitener:
    """The pooled covariance, where it is regular and where class means differ."""
    pooled, statistics = groups.pooled, groups.statistics
    if pooled.denominator <= 0:
        raise TooFewRows(
            f"{len(statistics.classes)} classes with a total weight of {pooled.weight:g} leave "
            f"nothing to divide by at ddof={groups.settings.ddof:g}. Use ddof=0 or more rows."
        )
    check_some_spread(statistics)
    # In units of the standard deviation within classes, or overall where there is none.
    within, overall = pooled.variances, overall_variances(statistics)
    scale = np.sqrt(np.where(within > 0, within, overall))
    steps = mean_steps(statistics)
    if isinstance(pooled.scatter, Factor):
        factor = pooled.scatter.rows / np.sqrt(pooled.denominator)
        return thin_whitener(factor, scale, steps, FLOOR)
    covariance = groups.shrunk(pooled)
    return whitener(covariance) or range_whitener(covariance, scale, steps, FLOOR)


def _within(base: Whitener, groups: Groups, group: Group) -> Covariance | None:
    """The covariance of a group in the directions that `base` keeps."""
    if group.denominator <= 0:
        return None
    covariance: Floats
    if isinstance(group.scatter, Factor):
        rows = group.scatter.rows @ base.matrix.T
        covariance = rows.T @ rows / group.denominator
    else:
        covariance = base.matrix @ groups.shrunk(group) @ base.matrix.T
    # Along directions that only separate, no class has variance of its own.
    first = len(covariance) - base.separating
    covariance[first:], covariance[:, first:] = 0.0, 0.0
    covariance[range(first, len(covariance)), range(first, len(covariance))] = 1.0
    found = whitener(covariance)
    return None if found is None else Full(found.after(base))
