"""Shrinkage: the target of a covariance, and its share, estimated from statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats


def shrunk_variances(variances: Floats, share: Any, target: str) -> Floats:
    """(1 - share) v + share t of variances v, (..., d), with t their mean, one, or v itself.

    share : a number, or one for each row of variances, (..., 1)

    >>> shrunk_variances(np.array([1.0, 3.0]), 0.5, "identity")
    array([1.5, 2.5])
    """
    if target == "diagonal":
        return variances
    goal = 1.0 if target == "unit" else variances.mean(axis=-1, keepdims=True)
    return np.asarray((1 - share) * variances + share * goal)


@dataclass(frozen=True, slots=True)
class Spread:
    """What the estimates need from a covariance: sums over its entries."""

    weight: float
    features: int
    trace: float
    squared_norm: float  # of all entries
    quartic: float  # sum of w|z|⁴ / weight

    @property
    def mean_variance(self) -> float:
        """Average variance over features."""
        return self.trace / self.features


def ledoit_wolf(spread: Spread) -> float:
    """The share that minimises the expected squared error (Ledoit and Wolf 2004)."""
    if spread.features == 1:
        return 0.0
    d, mean = spread.features, spread.mean_variance
    noise = (spread.quartic - spread.squared_norm) / (d * spread.weight)
    distance = (spread.squared_norm - 2 * mean * spread.trace + d * mean**2) / d
    return float(min(max(noise, 0.0), distance) / distance) if distance > 0 and noise else 0.0


def oas(spread: Spread) -> float:
    """The same for Gaussian rows, iterated to its limit (Chen, Wiesel, Eldar and Hero 2010).

    For correlations, it is the share for the diagonal target, and units do not matter.
    """
    d = spread.features
    alpha = spread.squared_norm / d**2
    mean = spread.mean_variance**2
    denominator = (spread.weight + 1) * (alpha - mean / d)
    return 1.0 if denominator <= 0 else min((alpha + mean) / denominator, 1.0)
