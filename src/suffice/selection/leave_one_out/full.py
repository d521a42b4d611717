"""Full leave-one-out: how to compute the densities of full covariances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariance import Covariance, Full, LowRank
from suffice.models.full import full_covariances
from suffice.models.groups import Group, Groups
from suffice.models.linalg import Cholesky, reciprocal, span
from suffice.models.separating import pooled_squares
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.dense import DenseGroup
from suffice.selection.leave_one_out.frames import LITTLE, Eigen, Frame, Whitened
from suffice.selection.leave_one_out.plan import Plan, grouped, hopeless
from suffice.selection.leave_one_out.rows import LabelledRows
from suffice.selection.leave_one_out.shares import Shares, quartic_losses
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics

# Covariances whose correlations have smaller eigenvalues, relatively, may lose their rank.
STEADY = 1e-10

# From so many rows for each direction on, one more or less hardly changes a covariance.
MANY_ROWS = 10

# With fewer, variances must not fall below this share of the largest.
FEW_DIGITS = 1e-5

# Squared pivots above this say enough of the eigenvalues.
CLEAR = 1e-2


def full_plans(statistics: Statistics, settings: Settings, rows: LabelledRows) -> tuple[Plan, ...]:
    """Ways to compute the densities, the fastest first; none where there is no closed form."""
    groups = Groups(statistics, settings)
    if groups.wide and (settings.shrinkage == 0 or settings.target == "diagonal"):
        return ()
    covariances, borrowed, _ = full_covariances(groups)
    lent = np.arange(len(statistics.classes)) if groups.shared else np.array(borrowed, np.int64)
    used = [groups.pooled if g in borrowed else groups.group(g) for g in range(groups.size)]
    pairs = list(zip(covariances, used, strict=True))
    if not all(_as_asked(covariance, groups, group) for covariance, group in pairs):
        return ()
    lost = hopeless(statistics, settings, lent, covariances[0].rank)
    if settings.shrinkage != 0:
        losses = quartic_losses(groups, rows)
        unit, basis = settings.target == "unit", _basis(groups)
        dense = () if groups.wide else (_dense_plan(groups, used, lent, losses, lost),)
        if settings.target == "diagonal":
            return dense
        frames = [Eigen.of(group, Shares.of(groups, group, losses), unit, basis) for group in used]
        fast = _plan(groups, frames, covariances, lent, lost, pooled_squares(statistics))
        return fast, *dense
    if covariances[0].rank == 0:
        return ()
    least = [_least(covariance) for covariance in covariances]
    if min(least) <= STEADY:
        return ()
    whitened = [
        Whitened(c, g.denominator, _limit(g, c.rank, low))
        for (c, g), low in zip(pairs, least, strict=True)
        if isinstance(c, Full)
    ]
    return (_plan(groups, whitened, covariances, lent, lost, None),)


def _plan(
    groups: Groups,
    frames: Sequence[Frame],
    covariances: Sequence[Covariance],
    lent: Indices,
    lost: Array,
    pooled: Floats | None,
) -> Plan:
    shared = frames[0 if groups.shared else lent[0]] if len(lent) else None
    own = [(c, frames[c], covariances[c]) for c in range(len(frames)) if c not in lent]
    means, pooling = groups.statistics.means, groups.settings.pooling
    return Plan(grouped(means, own, shared, lent, pooling), lost, pooled)


def _dense_plan(
    groups: Groups, used: list[Group], lent: Indices, losses: Floats | None, lost: Array
) -> Plan:
    target, squares = groups.settings.target, pooled_squares(groups.statistics)
    kept = squares > 0 if target == "diagonal" else np.ones(len(squares), bool)

    def dense(classes: Indices, group: Group, part: float) -> DenseGroup:
        return DenseGroup(classes, group, Shares.of(groups, group, losses), target, part, kept)

    own = [c for c in range(len(used)) if c not in lent]
    found = [dense(np.array([c]), used[c], groups.settings.pooling) for c in own]
    if len(lent):
        found.append(dense(lent, groups.pooled, 1.0))
    return Plan(tuple(found), lost, squares)


def _basis(groups: Groups) -> Floats | None:
    """Orthonormal rows that span all rows about a class mean, where those are few, (m, d)."""
    factor, means = groups.statistics.factor, groups.statistics.means
    if not groups.wide or factor is None:
        return None
    steps = difference(means, means[np.zeros(len(means.high), np.int64)])
    return span(np.concatenate([factor, steps[1:]]))[1]


def _as_asked(covariance: Covariance, groups: Groups, group: Group) -> bool:
    """Whether a covariance is what the settings say, and no repair of it."""
    if isinstance(covariance, LowRank) and group.denominator > 0:
        return groups.share(group) > 0
    if not isinstance(covariance, Full) or group.denominator <= 0:
        return False
    few = group.rows <= groups.statistics.n_features
    if groups.settings.shrinkage != 0 and few and groups.share(group) == 0:
        return False
    asked = groups.shrunk(group)
    scale = np.sqrt(np.maximum(asked.diagonal(), 0.0))
    gap = np.abs(covariance.matrix - asked)
    return bool((gap <= 1e-9 * scale * scale[:, None]).all())


def _least(covariance: Covariance) -> float:
    """The smallest eigenvalue of the correlations, as a share of the largest, about."""
    assert isinstance(covariance, Full)
    whitener = covariance.whitener
    if isinstance(whitener, Cholesky):
        least = float((whitener.factor.diagonal() ** 2).min())
        if least > CLEAR:
            return least
    rows = whitener.colouring
    scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    sizes = np.linalg.svd(rows * reciprocal(scale), compute_uv=False)
    return float((sizes[-1] / sizes[0]) ** 2)


def _limit(group: Group, rank: int, least: float) -> float:
    """What a removal must leave of the determinant.

    More where the rows are few: then it is they that make a covariance nearly singular, and one
    less may make it more so. Many rows are as nearly singular without one.
    """
    few = group.rows <= MANY_ROWS * rank
    return max(LITTLE, FEW_DIGITS / least) if few else LITTLE
