"""Estimation: full covariances from scatter matrices on a device, by the rules of the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.engines.arrays.factors import Factors, factored
from suffice.engines.arrays.groups import DeviceGroups, Sizes
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.models.separating import check_denominator
from suffice.models.settings import Settings
from suffice.statistics.statistics import Statistics

# Covariances are made and factored in batches of this size.
BATCH_BYTES = 1 << 30


def estimated(
    statistics: Statistics, spread: HeldDense, settings: Settings
) -> tuple[Factors, tuple[int, ...]] | None:
    """Factors, and the classes that borrow the pooled covariance; None where the host must look.

    That is where even the pooled covariance is singular, or fourth-order sums are lacking.
    """
    if settings.shrinkage == "ledoit-wolf" and statistics.fourth is None:
        return None
    groups = DeviceGroups(statistics, spread, settings)
    lower, scale, regular = _all(groups)
    owner, borrowed = np.arange(groups.size), np.flatnonzero(~regular)
    if len(borrowed):
        check_denominator(statistics, settings)
        if groups.shared:
            return None
        base = _some(groups, groups.pooled, groups.pooled_sizes())
        if not base[2].all():
            return None
        # The pooled covariance takes the place of the first that is not regular.
        owner[borrowed] = first = int(borrowed[0])
        one = spread.space.xp.eye(lower.shape[1], dtype=lower.dtype, device=lower.device)
        lower[borrowed.tolist()], scale[borrowed.tolist()] = one, 1.0
        lower[first], scale[first] = base[0][0], base[1][0]
    found = Factors(spread.space, lower, scale, owner)
    return found.inflated(settings.inflation), tuple(borrowed.tolist())


def _all(groups: DeviceGroups) -> tuple[Any, Any, Array]:
    size, d = groups.size, groups.own.shape[1]
    step = max(1, BATCH_BYTES // (8 * d * d))
    sizes = groups.sizes()
    kind = {"dtype": groups.own.dtype, "device": groups.own.device}
    lower = groups.space.xp.empty((size, d, d), **kind)
    scale = groups.space.xp.empty((size, d), **kind)
    regular = np.zeros(size, bool)
    for low in range(0, size, step):
        at = slice(low, min(size, low + step))
        found = _some(groups, groups.scatters(at), sizes.part(at))
        lower[at], scale[at], regular[at] = found
    return lower, scale, regular


def _some(groups: DeviceGroups, scatters: Any, sizes: Sizes) -> tuple[Any, Any, Array]:
    shares = groups.shares(scatters, sizes)
    lower, scale, regular = factored(groups.shrunk(scatters, sizes, shares), groups.constant)
    # Known to be singular, whatever rounding says.
    lacking = (sizes.denominator <= 0) | ((shares == 0) & (sizes.rows <= scatters.shape[1]))
    return lower, scale, groups.space.fetch(regular) & ~lacking
