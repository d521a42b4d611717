"""Diagonal leave-one-out: how to compute the densities of independent features."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.diagonal import diagonal_covariances
from suffice.models.groups import Groups
from suffice.models.separating import overall_variances, pooled_squares
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.independent import Independent, Overall, Variances
from suffice.selection.leave_one_out.plan import Plan, grouped, hopeless
from suffice.selection.leave_one_out.rows import LabelledRows
from suffice.selection.leave_one_out.shares import Shares, quartic_losses
from suffice.statistics.statistics import Statistics


def diagonal_plans(
    statistics: Statistics, settings: Settings, rows: LabelledRows
) -> tuple[Plan, ...]:
    """Ways to compute the densities: one, or none where there is no closed form."""
    estimated = isinstance(settings.shrinkage, str) and settings.target != "diagonal"
    covariances, _ = diagonal_covariances(statistics, settings)
    kept = covariances[0].variances > 0
    if not kept.any():
        return ()
    shares = _DiagonalShares(statistics, settings, rows, estimated)
    k, total = len(statistics.classes), np.asarray(pooled_squares(statistics))
    denominator = float(statistics.weight.sum()) - settings.ddof * k
    pooled = shares.variances(total, denominator, None)
    nobody, means = np.empty(0, np.int64), statistics.means
    lost = hopeless(statistics, settings, nobody, 0)
    if settings.pooling == 1:
        frame = Independent(pooled, pooled, np.zeros(len(kept), bool), kept, None)
        return (Plan(grouped(means, [], frame, np.arange(k), 1.0), lost, total),)
    overall = _overall(statistics, settings)
    frames = []
    for c in range(k):
        own = _own(statistics, settings, shares, pooled, c)
        lent = (own.whole[0] == 0) & (pooled.whole[0] > 0)
        frames.append(Independent(own, pooled, lent, kept, overall))
    still = overall is None and not any(frame.borrowed.any() for frame in frames)
    classes = [(c, frame, covariances[c]) for c, frame in enumerate(frames)]
    found = grouped(means, [*classes], None, nobody, settings.pooling, still)
    return (Plan(found, lost, total),)


def _own(
    statistics: Statistics, settings: Settings, shares: _DiagonalShares, pooled: Variances, c: int
) -> Variances:
    """The variances of a class, blended with the pooled ones."""
    part = settings.pooling
    squares = (1 - part) * statistics.squares[c] + part * pooled.squares
    own = float(statistics.weight[c]) - settings.ddof
    denominator = (1 - part) * own + part * pooled.denominator
    if denominator <= 0:  # then all variances are borrowed
        return shares.variances(np.zeros_like(squares), 1.0, c)
    return shares.variances(squares, denominator, c)


def _overall(statistics: Statistics, settings: Settings) -> Overall | None:
    if not settings.smoothing:
        return None
    base, weight = statistics.mean[0], float(statistics.weight.sum())
    centre = base + statistics.weight @ (statistics.mean - base) / weight
    return Overall(centre, overall_variances(statistics), weight, settings.smoothing)


class _DiagonalShares:
    """Variances with their shares, estimated from full scatter where they are estimated."""

    def __init__(
        self, statistics: Statistics, settings: Settings, rows: LabelledRows, estimated: bool
    ) -> None:
        self.settings = settings
        self.groups = Groups(statistics, settings) if estimated else None
        self.losses = None if self.groups is None else quartic_losses(self.groups, rows)

    def variances(self, squares: Floats, denominator: float, c: int | None) -> Variances:
        """Of a class, or of all."""
        kind = self.settings.shrinkage
        if self.groups is None:
            share = 0.0 if isinstance(kind, str) else kind
            shares = Shares(share, share, 0.0, len(squares), 1.0, 0.0, 0.0, 0.0, None)
            return Variances(squares, denominator, shares, None, self.settings)
        group = self.groups.pooled if c is None else self.groups.group(c)
        shares = Shares.of(self.groups, group, self.losses)
        return Variances(squares, denominator, shares, group.scatter.matrix, self.settings)
