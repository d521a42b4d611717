"""Shrinkage: the target of a covariance, and its share, estimated from statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats


def shrunk_variances(variances: Any, share: Any, target: str) -> Any:
    """(1 - share) v + share t of variances v, (..., d), with t their mean, one, or v itself.

    share : a number, or one for each row of variances, (..., 1)

    >>> shrunk_variances(np.array([1.0, 3.0]), 0.5, "identity")
    array([1.5, 2.5])
    """
    if target == "diagonal":
        return variances
    goal = 1.0 if target == "unit" else variances.mean(axis=-1, keepdims=True)
    return (1 - share) * variances + share * goal


def shrink(covariance: Any, share: Any, floor: Any, target: str) -> Any:
    """Add `floor` (d,) to the variances, then replace a share by the target; changed in place.

    covariance : (d, d), or (g, d, d) on any device with one share each, (g,)
    """
    numpy = isinstance(covariance, np.ndarray)
    diagonal = np.einsum("...ii->...i", covariance) if numpy else covariance.diagonal(0, -2, -1)
    variances = diagonal + floor
    if share is not None:
        covariance *= 1 - share[..., None, None]
        variances = shrunk_variances(variances, share[..., None], target)
    diagonal[...] = variances
    return covariance


@dataclass(frozen=True, slots=True)
class Spread:
    """What the estimates need from a covariance: sums over its entries, numbers or (n,) each."""

    weight: Any
    features: int
    trace: Any
    squared_norm: Any  # of all entries
    quartic: Any  # sum of w|z|⁴ / weight

    @property
    def mean_variance(self) -> Any:
        """Average variance over features."""
        return self.trace / self.features


@np.errstate(divide="ignore", invalid="ignore")
def ledoit_wolf(spread: Spread) -> Floats:
    """The share that minimises the expected squared error (Ledoit and Wolf 2004)."""
    d, mean = spread.features, spread.mean_variance
    noise = (spread.quartic - spread.squared_norm) / (d * spread.weight)
    distance = np.asarray(spread.squared_norm - 2 * mean * spread.trace + d * mean**2) / d
    share = np.minimum(np.maximum(noise, 0.0), distance) / distance
    return np.where((distance > 0) & (d > 1), share, 0.0)


@np.errstate(divide="ignore", invalid="ignore")
def oas(spread: Spread) -> Floats:
    """The same for Gaussian rows, iterated to its limit (Chen, Wiesel, Eldar and Hero 2010).

    For correlations, it is the share for the diagonal target, and units do not matter.
    """
    d = spread.features
    alpha = spread.squared_norm / d**2
    mean = spread.mean_variance**2
    denominator = np.asarray((spread.weight + 1) * (alpha - mean / d))
    return np.where(denominator <= 0, 1.0, np.minimum((alpha + mean) / denominator, 1.0))
