"""Groups: the scatter behind each covariance on a device, after pooling (Friedman 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.models.linalg import rank_tolerance
from suffice.models.separating import floor, overall_variances
from suffice.models.settings import Settings
from suffice.models.shrinkage import Spread, ledoit_wolf, oas
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is behind each covariance."""

    weight: Floats  # (g,)
    denominator: Floats  # (g,): the weight less its degrees of freedom
    rows: Indices  # (g,): a covariance is singular unless this exceeds the number of features
    quartic: Floats  # (g,): sum of w|z|⁴ in units; NaN where it is not known

    def part(self, at: slice) -> Sizes:
        """Those of some groups."""
        return Sizes(self.weight[at], self.denominator[at], self.rows[at], self.quartic[at])


class DeviceGroups:
    """One group for all classes when pooling is 1, else one each; the rules are the host's."""

    def __init__(self, statistics: Statistics, spread: HeldDense, settings: Settings) -> None:
        self.statistics, self.settings, self.space = statistics, settings, spread.space
        high: Any = spread.held.high
        low: Any = spread.held.low
        self.own: Any = high if low is None else high + low
        self.pooled: Any = self.own.sum(dim=0, keepdim=True)
        overall = overall_variances(statistics)
        self.floor = self.space.put(floor(statistics, overall))
        self.constant = self.space.put(overall == 0)
        fourth = statistics.fourth
        self.unit = self._unit() if fourth is None else fourth.unit
        self.quartic: Floats | None = None
        if fourth is not None and settings.shrinkage == "ledoit-wolf":
            self.quartic = fourth.centred(statistics.known).quartic

    @property
    def shared(self) -> bool:
        """Whether all classes have one covariance."""
        return self.settings.pooling == 1

    @property
    def size(self) -> int:
        """How many covariances there are."""
        return 1 if self.shared else len(self.statistics.classes)

    def sizes(self) -> Sizes:
        """Those of each group."""
        together = self.pooled_sizes()
        if self.shared:
            return together
        s, share = self.statistics, self.settings.pooling
        quartic = np.full(self.size, np.nan) if self.quartic is None else self.quartic
        return Sizes(
            (1 - share) * s.weight + share * together.weight,
            (1 - share) * (s.weight - self.settings.ddof) + share * together.denominator,
            np.repeat(together.rows, self.size) if share else s.count,
            (1 - share) * quartic + share * together.quartic if share else quartic,
        )

    def pooled_sizes(self) -> Sizes:
        """Those of all classes together, each about its own mean."""
        s = self.statistics
        k, weight = len(s.classes), float(s.weight.sum())
        return Sizes(
            np.array([weight]),
            np.array([weight - self.settings.ddof * k]),
            np.array([int(s.count.sum()) - k + 1]),
            np.array([np.nan if self.quartic is None else float(self.quartic.sum())]),
        )

    def scatters(self, at: slice) -> Any:
        """The scatter of some groups."""
        if self.shared:
            return self.pooled
        share, own = self.settings.pooling, self.own[at]
        return (1 - share) * own + share * self.pooled if share else own

    def shares(self, scatters: Any, sizes: Sizes) -> Floats:
        """How much of each covariance the target replaces."""
        shrinkage = self.settings.shrinkage
        if not isinstance(shrinkage, str):
            return np.full(len(sizes.weight), shrinkage)
        estimate = ledoit_wolf if shrinkage == "ledoit-wolf" else oas
        found = np.array([estimate(spread) for spread in self._spreads(scatters, sizes)])
        return np.where(found > rank_tolerance(1), found, 0.0)

    def shrunk(self, scatters: Any, sizes: Sizes, shares: Floats) -> Any:
        """The covariances of some groups after shrinkage."""
        divisor = np.where(sizes.denominator > 0, sizes.denominator, 1.0)
        found = scatters / self.space.put(divisor)[:, None, None]
        diagonal = found.diagonal(dim1=1, dim2=2)
        diagonal += self.floor
        if not shares.any():
            return found
        share, kept = self.space.put(shares)[:, None], diagonal.clone()
        target = {
            "identity": kept.mean(dim=1, keepdim=True),
            "diagonal": kept,
            "unit": self.space.xp.ones_like(kept),
        }[self.settings.target]
        found *= 1 - share[:, :, None]
        diagonal.copy_((1 - share) * kept + share * target)
        return found

    def _unit(self) -> float:
        largest = self.pooled.diagonal(dim1=1, dim2=2).max() / self.statistics.weight.sum()
        return float(largest.sqrt()) or 1.0

    def _spreads(self, scatters: Any, sizes: Sizes) -> list[Spread]:
        """What estimates of shrinkage take, as on the host: of correlations, or in units."""
        squares = scatters.diagonal(dim1=1, dim2=2).clamp(min=0)
        if self.settings.target == "diagonal":
            scale = squares.sqrt()
            inverse = self.space.xp.where(scale > 0, 1 / scale, 0.0)
            norms = _norms(scatters * inverse[:, :, None] * inverse[:, None, :])
            counts = (squares > 0).sum(dim=1).tolist()
            return [
                Spread(float(w), max(d, 1), float(d), norm**2, np.nan)
                for w, d, norm in zip(sizes.weight, counts, norms, strict=True)
            ]
        norms = _norms(scatters / self.unit / self.unit)
        traces = (squares / self.unit / self.unit).sum(dim=1).tolist()
        d = squares.shape[1]
        return [
            Spread(float(w), d, trace / w, (norm / w) ** 2, quartic / w)
            for w, trace, norm, quartic in zip(
                sizes.weight, traces, norms, sizes.quartic, strict=True
            )
        ]


def _norms(matrices: Any) -> list[float]:
    """Root of the sum of the squared entries of each matrix."""
    found: list[float] = (matrices * matrices).sum(dim=(1, 2)).sqrt().tolist()
    return found
