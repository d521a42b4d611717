"""Estimation: full covariances from scatter matrices on a device, by the rules of the host.

Weights, degrees of freedom and shares of shrinkage come from the host's `Groups`; blending,
shrinking and factoring are done on the device, for many classes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.engines.arrays.factors import BATCH_BYTES, Factors, factored
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.models.covariances.groups import Groups, GroupSizes
from suffice.models.covariances.shrinkage import Spread
from suffice.models.separating import check_denominator
from suffice.models.settings import Settings
from suffice.statistics.statistics import Statistics


def estimated(
    statistics: Statistics, spread: HeldDense, settings: Settings
) -> tuple[Factors, tuple[int, ...]] | None:
    """Factors, and the classes that borrow the pooled covariance.

    None if even the pooled covariance is singular: the host then repairs it.
    """
    groups = DeviceGroups(Groups(statistics, settings), spread)
    lower, scale, regular = groups.all_factors()
    owner, borrowed = np.arange(len(regular)), np.flatnonzero(~regular)
    if len(borrowed):
        check_denominator(statistics, settings)
        if groups.rules.shared:
            return None
        base = groups.factors(groups.pooled, groups.rules.pooled_sizes)
        if not base[2].all():
            return None
        # The pooled covariance takes the place of the first that is not regular.
        owner[borrowed] = first = int(borrowed[0])
        one = spread.space.xp.eye(lower.shape[1], dtype=lower.dtype, device=lower.device)
        lower[borrowed.tolist()], scale[borrowed.tolist()] = one, 1.0
        lower[first], scale[first] = base[0][0], base[1][0]
    factors = Factors(spread.space, lower, scale, owner)
    return factors.inflated(settings.inflation), tuple(borrowed.tolist())


@dataclass(frozen=True)
class DeviceGroups:
    """The scatter matrices of groups on a device."""

    rules: Groups
    spread: HeldDense

    @cached_property
    def own(self) -> Any:
        """The scatter of each class, (k, d, d); of all for a shared one, (1, d, d)."""
        low = self.spread.held.low
        return self.spread.held.high if low is None else self.spread.held.high + low

    @cached_property
    def pooled(self) -> Any:
        """The scatter of all classes, (1, d, d)."""
        return self.own.sum(dim=0, keepdim=True)

    @cached_property
    def floor(self) -> Any:
        """Variance within classes of features that separate them exactly, (d,)."""
        return self.spread.space.put(self.rules.separation.floor)

    @cached_property
    def constant(self) -> Any:
        """Which features never vary, (d,)."""
        return self.spread.space.put(self.rules.separation.constant)

    def all_factors(self) -> tuple[Any, Any, Array]:
        """The factors of all groups, their scales, and which are regular (g,)."""
        size, d, sizes = self.rules.size, self.own.shape[1], self.rules.sizes
        step = max(1, BATCH_BYTES // (8 * d * d))
        kind = {"dtype": self.own.dtype, "device": self.own.device}
        lower = self.spread.space.xp.empty((size, d, d), **kind)
        scale = self.spread.space.xp.empty((size, d), **kind)
        regular = np.zeros(size, bool)
        for low in range(0, size, step):
            at = slice(low, min(size, low + step))
            lower[at], scale[at], regular[at] = self.factors(self._scatters(at), sizes.part(at))
        return lower, scale, regular

    def factors(self, scatters: Any, sizes: GroupSizes) -> tuple[Any, Any, Array]:
        """The same of some scatters (g, d, d)."""
        shares = self._shares(scatters, sizes)
        covariances = self._shrunk(scatters, sizes, shares)
        lower, scale, regular = factored(covariances, self.constant)
        # Certainly singular, even if rounding hides it.
        lacking = (sizes.denominator <= 0) | ((shares == 0) & (sizes.rows <= scatters.shape[1]))
        return lower, scale, self.spread.space.fetch(regular) & ~lacking

    def _scatters(self, at: slice) -> Any:
        if self.rules.shared:
            return self.pooled
        share, own = self.rules.settings.pooling, self.own[at]
        return (1 - share) * own + share * self.pooled if share else own

    def _shares(self, scatters: Any, sizes: GroupSizes) -> Floats:
        shrinkage = self.rules.settings.shrinkage
        if isinstance(shrinkage, str):
            return self.rules.estimated_shares(self._spreads(scatters, sizes))
        return np.full(len(sizes.weight), shrinkage)

    def _shrunk(self, scatters: Any, sizes: GroupSizes, shares: Floats) -> Any:
        """The covariances after shrinkage, (g, d, d)."""
        space = self.spread.space
        divisor = np.where(sizes.denominator > 0, sizes.denominator, 1.0)
        covariances = scatters / space.put(divisor)[:, None, None]
        diagonal = covariances.diagonal(dim1=1, dim2=2)
        diagonal += self.floor
        if not shares.any():
            return covariances
        share, kept = space.put(shares)[:, None], diagonal.clone()
        target = {
            "identity": kept.mean(dim=1, keepdim=True),
            "diagonal": kept,
            "unit": space.xp.ones_like(kept),
        }[self.rules.settings.target]
        covariances *= 1 - share[:, :, None]
        diagonal.copy_((1 - share) * kept + share * target)
        return covariances

    def _spreads(self, scatters: Any, sizes: GroupSizes) -> Iterator[Spread]:
        """The spread of each group, as `Group` has it, with few copies from the device."""
        squares = scatters.diagonal(dim1=1, dim2=2).clamp(min=0)
        if self.rules.by_correlations:
            scale = squares.sqrt()
            inverse = self.spread.space.xp.where(scale > 0, 1 / scale, 0.0)
            norms = _norms(scatters * inverse[:, :, None] * inverse[:, None, :])
            counts = (squares > 0).sum(dim=1).tolist()
            for w, d, norm in zip(sizes.weight.tolist(), counts, norms, strict=True):
                yield Spread(w, max(d, 1), float(d), norm**2, np.nan)
            return
        unit, d = self.rules.unit, squares.shape[1]
        norms = _norms(scatters / unit / unit)
        traces = (squares / unit / unit).sum(dim=1).tolist()
        quartic = np.full(len(traces), np.nan) if sizes.quartic is None else sizes.quartic
        numbers = zip(sizes.weight.tolist(), traces, norms, quartic.tolist(), strict=True)
        for w, trace, norm, fourth in numbers:
            yield Spread(w, d, trace / w, (norm / w) ** 2, fourth / w)


def _norms(matrices: Any) -> list[float]:
    """Root of the sum of the squared entries of each matrix."""
    norms: list[float] = (matrices * matrices).sum(dim=(1, 2)).sqrt().tolist()
    return norms
