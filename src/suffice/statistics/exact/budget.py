"""Budget: an (epsilon, delta) guarantee as one of zero-concentrated differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from suffice.data.parameters import count, is_number
from suffice.errors import InvalidParameter
from suffice.statistics.storage.registry import storable
from suffice.text import shown

# Shares of rho for counts, sums and products: the products have the most entries.
COUNT_SHARE = 0.1
SUM_SHARE = 0.3
PRODUCT_SHARE = 0.6


@storable
@dataclass(frozen=True, slots=True)
class Budget:
    """The privacy of one release.

    Discrete Gaussian noise of variance v on an integer that one person changes by at most D is
    D² / (2 v)-zCDP; these add up to rho over all integers, and rho-zCDP implies (epsilon, delta).
    """

    epsilon: float
    delta: float
    rho: float
    max_rows_per_person: int

    @classmethod
    def of(cls, epsilon: float, delta: float, max_rows_per_person: int) -> Budget:
        """The largest rho that implies (epsilon, delta)."""
        if not is_number(epsilon) or not 0 < epsilon < math.inf:
            raise InvalidParameter(f"epsilon is {shown(epsilon)}; it must be above 0, such as 1.0.")
        if not is_number(delta) or not 0 < delta < 1:
            raise InvalidParameter(
                f"delta is {shown(delta)}; it must lie between 0 and 1, well below 1 / the number "
                "of persons, such as 1e-6."
            )
        most = count("max_rows_per_person", max_rows_per_person)
        return cls(float(epsilon), float(delta), largest_rho(float(epsilon), float(delta)), most)

    def noise(self, entries: int, share: float) -> float:
        """Standard deviation of the noise on each of `entries` integers changed by one per row."""
        return self.max_rows_per_person * math.sqrt(entries / (2 * self.rho * share))

    def validated(self) -> Budget:
        """This budget, if its numbers are possible; a ValueError otherwise."""
        if not (self.epsilon > 0 and 0 < self.delta < 1 and self.rho > 0):
            raise ValueError("the privacy budget is impossible")
        if self.max_rows_per_person < 1 or delta_of(self.rho, self.epsilon) > self.delta:
            raise ValueError("the noise is too small for the privacy that is claimed")
        return self


def delta_of(rho: float, epsilon: float) -> float:
    """The smallest delta of a rho-zCDP release at this epsilon (Canonne et al., corollary 13).

    delta = min over a > 1 of exp((a - 1)(a rho - epsilon)) / (a - 1) (1 - 1 / a)^a

    >>> round(delta_of(0.01, 1.0), 12) < 1e-6
    True
    """
    # The minimum is near (epsilon / rho + 1) / 2; any a > 1 gives a valid bound.
    middle = max(1e-3, (epsilon / rho - 1) / 2)
    above = middle * np.geomspace(1e-2, 1e2, 4001)
    a = 1 + above
    log_delta = above * (a * rho - epsilon) - np.log(above) + a * np.log1p(-1 / a)
    return float(np.exp(min(float(log_delta.min()), 0.0)))


def largest_rho(epsilon: float, delta: float) -> float:
    """The largest rho for which rho-zCDP implies (epsilon, delta)."""
    low, high = 0.0, epsilon + 1.0
    for _ in range(100):  # bisections
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle, epsilon) <= delta else (low, middle)
    return low
