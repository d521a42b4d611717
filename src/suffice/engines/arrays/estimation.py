"""Estimation: full covariances from scatter matrices on a device, by the rules of the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.engines.arrays.factors import Factors, factored
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.models.linalg import rank_tolerance
from suffice.models.separating import check_denominator, floor, overall_variances
from suffice.models.settings import Settings
from suffice.models.shrinkage import Spread, ledoit_wolf, oas
from suffice.statistics.numbers import ALL
from suffice.statistics.statistics import Statistics

# Covariances are made and factored in batches of this size.
BATCH_BYTES = 1 << 30

# Weight, denominator, rows and sum of w|z|⁴ of each group.
Numbers: TypeAlias = tuple[Floats, Floats, Indices, Floats]


class Groups:
    """The scatter behind each covariance on the device, after pooling (Friedman 1989)."""

    def __init__(self, statistics: Statistics, spread: HeldDense, settings: Settings) -> None:
        self.statistics, self.settings, self.space = statistics, settings, spread.space
        held = spread.held
        self.own: Any = held.high if held.low is None else held.high + held.low
        self.shared = settings.pooling == 1
        self.pooled = self.own.sum(dim=0, keepdim=True)
        overall = overall_variances(statistics)
        self.floor = self.space.put(floor(statistics, overall))
        self.constant = self.space.put(overall == 0)
        fourth = statistics.fourth
        self.unit = self._unit() if fourth is None else fourth.unit
        self.quartic: Floats | None = None
        if fourth is not None and settings.shrinkage == "ledoit-wolf":
            self.quartic = fourth.centred(statistics.known).quartic

    @property
    def size(self) -> int:
        """How many covariances there are."""
        return 1 if self.shared else len(self.statistics.classes)

    def _unit(self) -> float:
        largest = self.pooled.diagonal(dim1=1, dim2=2).max() / self.statistics.weight.sum()
        return float(largest.sqrt()) or 1.0

    def numbers(self) -> Numbers:
        """Weight, denominator, rows and quartic of each group."""
        weight, denominator, rows, quartic = self.pooled_numbers()
        if self.shared:
            return weight, denominator, rows, quartic
        s, share = self.statistics, self.settings.pooling
        own = np.full(self.size, np.nan) if self.quartic is None else self.quartic
        return (
            (1 - share) * s.weight + share * weight,
            (1 - share) * (s.weight - self.settings.ddof) + share * denominator,
            s.count if share == 0 else np.repeat(rows, self.size),
            (1 - share) * own + share * quartic if share else own,
        )

    def pooled_numbers(self) -> Numbers:
        """The same of all classes together, each about its own mean."""
        s = self.statistics
        k, weight = len(s.classes), float(s.weight.sum())
        quartic = np.nan if self.quartic is None else float(self.quartic.sum())
        rows = int(s.count.sum()) - k + 1
        denominator = weight - self.settings.ddof * k
        return np.array([weight]), np.array([denominator]), np.array([rows]), np.array([quartic])

    def scatters(self, low: int, high: int) -> Any:
        """The scatter of some groups."""
        if self.shared:
            return self.pooled
        share, own = self.settings.pooling, self.own[low:high]
        return (1 - share) * own + share * self.pooled if share else own

    def shares(self, scatters: Any, weight: Floats, quartic: Floats) -> Floats:
        """How much of each covariance the target replaces."""
        shrinkage = self.settings.shrinkage
        if not isinstance(shrinkage, str):
            return np.full(len(weight), shrinkage)
        spreads = self._spreads(scatters, weight, quartic)
        estimate = ledoit_wolf if shrinkage == "ledoit-wolf" else oas
        found = np.array([estimate(spread) for spread in spreads])
        return np.where(found > rank_tolerance(1), found, 0.0)

    def _spreads(self, scatters: Any, weight: Floats, quartic: Floats) -> list[Spread]:
        squares = scatters.diagonal(dim1=1, dim2=2).clamp(min=0)
        if self.settings.target == "diagonal":
            scale = squares.sqrt()
            inverse = self.space.xp.where(scale > 0, 1 / scale, 0.0)
            norms = _norms(scatters * inverse[:, :, None] * inverse[:, None, :])
            sizes = (squares > 0).sum(dim=1).tolist()
            return [
                Spread(float(w), max(d, 1), float(d), norm**2, np.nan)
                for w, d, norm in zip(weight, sizes, norms.tolist(), strict=True)
            ]
        norms = _norms(scatters / self.unit / self.unit).tolist()
        traces = (squares / self.unit / self.unit).sum(dim=1).tolist()
        d = squares.shape[1]
        return [
            Spread(float(w), d, trace / w, (norm / w) ** 2, q / w)
            for w, trace, norm, q in zip(weight, traces, norms, quartic, strict=True)
        ]

    def shrunk(self, scatters: Any, denominator: Floats, shares: Floats) -> Any:
        """The covariances of some groups after shrinkage."""
        divisor = self.space.put(np.where(denominator > 0, denominator, 1.0))[:, None, None]
        found = scatters / divisor
        diagonal = found.diagonal(dim1=1, dim2=2)
        diagonal += self.floor
        if not shares.any():
            return found
        share, kept = self.space.put(shares)[:, None], diagonal.clone()
        target = {
            "identity": kept.mean(dim=1, keepdim=True).expand_as(kept),
            "diagonal": kept,
            "unit": self.space.xp.ones_like(kept),
        }[self.settings.target]
        found *= 1 - share[:, :, None]
        diagonal.copy_((1 - share) * kept + share * target)
        return found


def estimated(
    statistics: Statistics, spread: HeldDense, settings: Settings
) -> tuple[Factors, tuple[int, ...]] | None:
    """Factors, and the classes that borrow the pooled covariance; None where the host must look.

    That is where even the pooled covariance is singular, or something is lacking.
    """
    if settings.shrinkage == "ledoit-wolf" and statistics.fourth is None:
        return None
    groups = Groups(statistics, spread, settings)
    lower, scale, regular = _all(groups)
    owner = np.arange(groups.size)
    if regular.all():
        return Factors(spread.space, lower, scale, owner).inflated(settings.inflation), ()
    check_denominator(statistics, settings)
    if groups.shared:
        return None
    base = _some(groups, groups.pooled, groups.pooled_numbers())
    if not base[2].all():
        return None
    borrowed = np.flatnonzero(~regular)
    xp = spread.space.xp
    # The pooled covariance takes the place of the first that is not regular.
    first = int(borrowed[0])
    lower[first], scale[first] = base[0][0], base[1][0]
    lower[borrowed[1:].tolist()] = xp.eye(lower.shape[1], dtype=lower.dtype, device=lower.device)
    scale[borrowed[1:].tolist()] = 1.0
    owner[borrowed] = first
    found = Factors(spread.space, lower, scale, owner).inflated(settings.inflation)
    return found, tuple(borrowed.tolist())


def _all(groups: Groups) -> tuple[Any, Any, Any]:
    d = groups.own.shape[1]
    step = max(1, BATCH_BYTES // (8 * d * d))
    numbers = groups.numbers()
    make: Callable[..., Any] = groups.space.xp.empty
    kind = {"dtype": groups.own.dtype, "device": groups.own.device}
    lower, scale = make((groups.size, d, d), **kind), make((groups.size, d), **kind)
    regular = np.zeros(groups.size, bool)
    for low in range(0, groups.size, step):
        at = slice(low, min(groups.size, low + step))
        scatters = groups.scatters(at.start, at.stop)
        lower[at], scale[at], regular[at] = _some(groups, scatters, numbers, at)
    return lower, scale, regular


def _some(groups: Groups, scatters: Any, numbers: Numbers, at: slice = ALL) -> tuple[Any, Any, Any]:
    weight, denominator, rows, quartic = (part[at] for part in numbers)
    shares = groups.shares(scatters, weight, quartic)
    covariances = groups.shrunk(scatters, denominator, shares)
    lower, scale, regular = factored(covariances, groups.constant)
    # Known to be singular, whatever rounding says.
    lacking = (denominator <= 0) | ((shares == 0) & (rows <= scatters.shape[1]))
    return lower, scale, groups.space.fetch(regular) & ~lacking


def _norms(matrices: Any) -> Any:
    """Root of the sum of the squared entries of each matrix."""
    return (matrices * matrices).sum(dim=(1, 2)).sqrt()
