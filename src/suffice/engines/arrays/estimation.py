"""Estimation: full covariances from scatter matrices on a device, by the rules of the host."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.engines.arrays.factors import BATCH_BYTES, Factors, factored
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.models.covariances.groups import Group, Groups, Matrix
from suffice.models.covariances.shrinkage import shrink
from suffice.models.separating import check_denominator
from suffice.models.settings import Settings
from suffice.statistics.statistics import Statistics


def estimated(
    statistics: Statistics, spread: HeldDense, settings: Settings
) -> tuple[Factors, tuple[int, ...]] | None:
    """Factors, and the classes that borrow the pooled covariance.

    None if even the pooled covariance is singular: the host then repairs it.
    """
    groups = DeviceGroups(statistics, settings, spread)
    lower, scale, regular = groups.all_factors()
    owner, borrowed = np.arange(len(regular)), np.flatnonzero(~regular)
    if len(borrowed):
        check_denominator(statistics, settings)
        if groups.shared:
            return None
        base = groups.factors(groups.pooled_batch)
        if not base[2].all():
            return None
        # The pooled covariance takes the place of the first that is not regular.
        owner[borrowed] = first = int(borrowed[0])
        one = spread.space.xp.eye(lower.shape[1], dtype=lower.dtype, device=lower.device)
        lower[borrowed.tolist()], scale[borrowed.tolist()] = one, 1.0
        lower[first], scale[first] = base[0][0], base[1][0]
    factors = Factors(spread.space, lower, scale, owner)
    return factors.inflated(settings.inflation), tuple(borrowed.tolist())


class DeviceGroups(Groups):
    """Groups whose scatter matrices are on a device, where many are factored at once."""

    def __init__(self, statistics: Statistics, settings: Settings, spread: HeldDense) -> None:
        super().__init__(statistics, settings)
        self.held, self.space = spread.held, spread.space

    @cached_property
    def _matrices(self) -> Any:
        return self.held.high if self.held.low is None else self.held.high + self.held.low

    @cached_property
    def pooled_batch(self) -> Group:
        """All classes together, as a batch of one group."""
        one = self.pooled
        quartic = None if one.quartic is None else np.array([one.quartic])
        numbers = np.array([one.weight]), np.array([one.denominator])
        scatter = Matrix(one.scatter.matrix[None])
        return Group(*numbers, scatter, quartic, np.array([one.rows]))

    @cached_property
    def _floor(self) -> Any:
        return self.space.put(self.separation.floor)

    @cached_property
    def _constant(self) -> Any:
        return self.space.put(self.separation.constant)

    def all_factors(self) -> tuple[Any, Any, Array]:
        """The factors of all groups, their scales, and which are regular (g,)."""
        if self.shared:
            return self.factors(self.pooled_batch)
        size, d = self.size, self.statistics.n_features
        step = max(1, BATCH_BYTES // (8 * d * d))
        lower = self.space.xp.empty(
            (size, d, d), dtype=self._matrices.dtype, device=self.space.device
        )
        scale, regular = self.space.xp.empty_like(lower[:, 0]), np.zeros(size, bool)
        for low in range(0, size, step):
            at = slice(low, min(size, low + step))
            lower[at], scale[at], regular[at] = self.factors(self.group(at))
        return lower, scale, regular

    def factors(self, groups: Group) -> tuple[Any, Any, Array]:
        """The same of a batch of groups."""
        shrinkage, d = self.settings.shrinkage, self.statistics.n_features
        shares = np.full(len(groups.weight), shrinkage)
        if isinstance(shrinkage, str):
            shares = self.estimated_shares(groups)
        divisor = np.where(groups.denominator > 0, groups.denominator, 1.0)
        covariances = shrink(
            groups.scatter.matrix / self.space.put(divisor)[:, None, None],
            self.space.put(shares) if shares.any() else None,
            self._floor,
            self.settings.target,
        )
        lower, scale, regular = factored(covariances, self._constant)
        # Certainly singular, even if rounding hides it.
        lacking = (groups.denominator <= 0) | ((shares == 0) & (groups.rows <= d))
        return lower, scale, self.space.fetch(regular) & ~lacking
