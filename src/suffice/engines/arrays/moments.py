"""Moments: what one pass over rows on a device found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.engines.arrays.space import Space
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, Scatter
from suffice.statistics.thin import FactoredScatter


@dataclass(frozen=True, slots=True, eq=False)
class DeviceMoments:
    """What one pass over rows on a device found; the large tables still lie there."""

    space: Space
    detail: str
    mean: tuple[Any, Any]  # each (k, d): the mean and the digits that one float cannot hold
    spread: Any  # (k, d, d), (1, d, d) or (k, d) on the device; or a Thin on the host
    fourths: Any | None  # (k, d + 2): sums of w|z|²z, w|z|², w|z|⁴ in units
    unit: float

    @property
    def bytes(self) -> int:
        """How much it would take to fetch all."""
        k, d = self.mean[0].shape
        matrices = 0
        if not isinstance(self.spread, FactoredScatter):
            matrices = int(np.prod(self.spread.shape))
        return int(8 * (matrices + 3 * k * d))

    @property
    def n_features(self) -> int:
        """How many features a row has."""
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
        found, d = self.space.fetch(self.fourths), self.n_features
        cubic, square, quartic = found[:, :d].copy(), found[:, d].copy(), found[:, d + 1].copy()
        return Fourth(self.unit, square, cubic, quartic, means.high, weight)
