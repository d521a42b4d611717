"""Held statistics: tables of one pass on a device, copied to the host when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.engines.arrays.space import Space
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, Scatter
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True, eq=False)
class DeviceMoments:
    """The results of one pass over rows on a device; large tables are still there."""

    space: Space
    detail: str
    mean: tuple[Any, Any]  # each (k, d): the mean and the digits that one float cannot hold
    spread: Any  # (k, d, d), (1, d, d) or (k, d) on the device; or a factor on the host
    fourths: Any | None  # (k, d + 2): sums of w|z|²z, w|z|², w|z|⁴ in units
    unit: float

    @property
    def bytes(self) -> int:
        """The size of all tables."""
        k, d = self.mean[0].shape
        matrices = 0
        if not isinstance(self.spread, FactoredScatter):
            matrices = int(np.prod(self.spread.shape))
        return int(8 * (matrices + 3 * k * d))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.mean[0].shape[1])

    def means(self) -> DoubleDouble:
        """Means of the classes, on the host."""
        high, low = (self.space.fetch(table) for table in self.mean)
        return DoubleDouble(high, low)

    def scatter(self, hold: bool) -> Scatter:
        """Sums of products on the host; matrices stay on the device if they are to be held."""
        if isinstance(self.spread, FactoredScatter):
            return self.spread
        if self.detail == "diagonal":
            return DiagonalScatter(DoubleDouble(self.space.fetch(self.spread)))
        per_class = self.detail == "separate"
        if hold:
            return HeldDense(DoubleDouble(self.spread), per_class, self.space)
        return DenseScatter(DoubleDouble(self.space.fetch(self.spread)), per_class)

    def fourth(self, means: DoubleDouble, weight: Floats) -> Fourth | None:
        """Fourth-order sums about the means, on the host."""
        if self.fourths is None or self.detail != "separate":
            return None
        sums, d = self.space.fetch(self.fourths), self.n_features
        cubic, square, quartic = sums[:, :d].copy(), sums[:, d].copy(), sums[:, d + 1].copy()
        return Fourth(self.unit, square, cubic, quartic, means.high, weight)


class HeldStatistics(Statistics):
    """Statistics of rows on a device; large tables stay there until they are needed."""

    moments: DeviceMoments

    @classmethod
    def of(
        cls, classes: Array, count: Indices, weight: Floats, moments: DeviceMoments
    ) -> HeldStatistics:
        """Statistics of classes, from the results of the pass."""
        statistics = cls.__new__(cls)
        held = {"classes": classes, "count": count, "weight": weight, "feature_names": None}
        for name, value in (held | {"moments": moments}).items():
            object.__setattr__(statistics, name, value)
        statistics.__post_init__()
        return statistics

    @cached_property
    def means(self) -> DoubleDouble:
        """Means of the classes."""
        return self.moments.means()

    @cached_property
    def spread(self) -> Scatter:
        """Sums of products; matrices stay on the device."""
        return self.moments.scatter(hold=True)

    @cached_property
    def fourth(self) -> Fourth | None:
        """Fourth-order sums about the means."""
        return self.moments.fourth(self.means, self.weight)

    # Copies with other parts, as `dataclasses.replace` makes them, have no moments.

    @property
    def detail(self) -> str:
        """How much is kept: "separate", "shared" or "diagonal"."""
        held = self.__dict__.get("moments")
        return Statistics.detail.fget(self) if held is None else held.detail  # type: ignore[attr-defined,no-any-return]

    @property
    def n_features(self) -> int:
        """Number of features."""
        held = self.__dict__.get("moments")
        return int(self.means.high.shape[1]) if held is None else held.n_features
