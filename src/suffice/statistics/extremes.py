"""Extremes: the smallest and largest value of each feature in each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.alignment import Alignment
from suffice.statistics.numbers import ALL


@dataclass(slots=True, eq=False)
class Extremes:
    """Values that no row lies beyond; attained by some row as long as `exact`."""

    low: Floats  # (k, d)
    high: Floats  # (k, d)
    exact: bool = True

    def merged(self, other: Extremes, at: Alignment) -> Extremes:
        """Extremes of both."""
        exact = self.exact and other.exact
        if at.both is ALL:
            return Extremes(
                np.minimum(self.low, other.low), np.maximum(self.high, other.high), exact
            )
        if at.left is ALL:
            low, high = self.low.copy(), self.high.copy()
        else:
            low = np.full((at.size, self.low.shape[1]), np.inf)
            high = -low
            low[at.left], high[at.left] = self.low, self.high
        if isinstance(at.right, slice):  # a view, so that nothing need be copied back
            np.minimum(low[at.right], other.low, out=low[at.right])
            np.maximum(high[at.right], other.high, out=high[at.right])
        else:
            low[at.right] = np.minimum(low[at.right], other.low)
            high[at.right] = np.maximum(high[at.right], other.high)
        return Extremes(low, high, exact)

    def keep(self, classes: Indices) -> Extremes:
        """The extremes of some classes."""
        return Extremes(self.low[classes], self.high[classes], self.exact)

    def select(self, features: Indices) -> Extremes:
        """The extremes of some features."""
        return Extremes(self.low[:, features], self.high[:, features], self.exact)
