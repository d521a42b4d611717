"""Rarity: outlier p-values by sampling, for models whose distances have no formula."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.answers.sampling import draw, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.data.tables.mixed import mask, missing
from suffice.models.model import Model
from suffice.models.scoring import log_sum


class RandomRows(ABC):
    """How unusual rows are, by comparison with random rows of the model with the same gaps."""

    model: Any

    @abstractmethod
    def log_densities(self, rows: Any) -> Floats:
        """ln p(x | class), (n, k)."""

    @abstractmethod
    def log_density(self, rows: Any) -> Floats:
        """ln p(x), (n,)."""

    @abstractmethod
    def draw(self, c: int | None, n_patterns: int) -> tuple[Any, Floats]:
        """Random rows of a class, or of the model for None, and the probability of each.

        n_patterns : how many patterns of gaps they are compared in
        """

    def of_classes(self, rows: Any) -> Floats:
        """The probability that a row of each class is no more likely in it, (n, k)."""
        own, patterns = self.log_densities(rows), _patterns(rows)
        out = np.empty_like(own)
        for c in range(own.shape[1]):
            random, weights = self.draw(c, len(patterns))
            for pattern, at in patterns:
                densities = self.log_densities(mask(random, pattern))[:, c]
                out[at, c] = pvalues(densities, weights, own[at, c])
        return out

    def of_model(self, rows: Any) -> Floats:
        """The probability that a row of the model is no more likely, (n,)."""
        own, patterns = self.log_density(rows), _patterns(rows)
        out = np.empty_like(own)
        random, weights = self.draw(None, len(patterns))
        for pattern, at in patterns:
            densities = self.log_density(mask(random, pattern))
            out[at] = pvalues(densities, weights, own[at])
        return out

    def threshold(self, quantile: float) -> float:
        """The log density of the model below which this share of its rows lies."""
        random, weights = self.draw(None, 1)
        density = log_sum(self.model.joint(random))
        order = np.argsort(density)
        at = int(np.searchsorted(np.cumsum(weights[order]), quantile))
        return float(density[order][min(at, len(order) - 1)])


@dataclass(frozen=True)
class Rarity(RandomRows):
    """By the densities of the model itself.

    source : what random rows are drawn from, if not the model
    """

    model: Model
    source: Model | None = None

    def log_densities(self, rows: Any) -> Floats:
        """ln p(x | class), (n, k)."""
        k = len(self.model.classes)
        equal = self.model.with_priors(np.full(k, 1 / k))
        return np.asarray(equal.joint(rows) + np.log(k))

    def log_density(self, rows: Any) -> Floats:
        """ln p(x), (n,)."""
        return log_sum(self.model.joint(rows))

    def draw(self, c: int | None, n_patterns: int) -> tuple[Any, Floats]:
        """20,000 random rows of the model, or 5,000 of a class."""
        if c is None:
            codes, seed = random_codes(self.model.priors, 20_000, np.random.default_rng(0)), 1
        else:
            codes, seed = np.full(5_000, c), 2 + c
        rows = draw(self.source or self.model, codes, np.random.SeedSequence(seed))
        return rows, np.full(len(codes), 1 / len(codes))


def _patterns(rows: Any) -> list[tuple[Array, Indices]]:
    """Each pattern of gaps, and the rows that have it."""
    order, gaps = Gaps.sorted(missing(rows))
    return [(pattern, order[run]) for pattern, (_, run) in zip(gaps.patterns, gaps, strict=True)]


def pvalues(random: Floats, weights: Floats, values: Floats) -> Floats:
    """The probability of random values that are not larger, each value itself included.

    weights : the probability of each random value; the value itself counts like the rarest

    >>> pvalues(np.array([1.0, 2.0, 3.0]), np.full(3, 1 / 3), np.array([0.0, 2.0, 9.0]))
    array([0.25, 0.75, 1.  ])
    """
    order, own = np.argsort(random), weights.min()
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    # Equal up to rounding is equal: levels give the same density again and again.
    slack = np.where(np.isfinite(values), 1e-9 * (1 + np.abs(values)), 0.0)
    at = np.searchsorted(random[order], values + slack, side="right")
    return np.asarray(np.minimum((own + below[at]) / (1 + own), 1.0))
