"""Rarity: outlier p-values by sampling, for models whose distances have no formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.answers.sampling import draw, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.data.tables.mixed import mask, missing
from suffice.models.model import Model
from suffice.models.scoring import log_sum


@dataclass(frozen=True)
class Rarity:
    """How unusual rows are, by comparison with random rows of the model.

    source : what random rows are drawn from, if not the model itself
    """

    model: Model
    source: Model | None = None

    def of_classes(self, rows: Any) -> Floats:
        """The probability that a row of each class is no more likely in it, (n, k)."""
        k = len(self.model.classes)
        own = self._log_densities(rows)
        out = np.empty((len(own), k))
        # Random rows of each class for each pattern of gaps.
        class_rows = 5_000
        for pattern, at in self._patterns(rows):
            for c in range(k):
                rows_of_class = self._random_rows(np.full(class_rows, c), 2 + c)
                random = self._log_densities(mask(rows_of_class, pattern))
                out[at, c] = _pvalues(random[:, c], own[at, c])
        return out

    def of_model(self, rows: Any) -> Floats:
        """The probability that a row of the model is no more likely, (n,)."""
        density = log_sum(self.model.joint(rows))
        out = np.empty(len(density))
        for pattern, at in self._patterns(rows):
            out[at] = _pvalues(self._random_densities(pattern), density[at])
        return out

    def threshold(self, quantile: float) -> float:
        """The log density below which this share of the rows of the model lies."""
        row = self._random_rows(np.zeros(1, np.int64), 0)
        complete = np.zeros(missing(row).shape[1], bool)
        return float(np.quantile(self._random_densities(complete), quantile))

    def _patterns(self, rows: Any) -> list[tuple[Array, Indices]]:
        order, gaps = Gaps.sorted(missing(rows))
        return [
            (pattern, order[run]) for pattern, (_, run) in zip(gaps.patterns, gaps, strict=True)
        ]

    def _random_densities(self, pattern: Array) -> Floats:
        # Random rows of the model for each pattern of gaps.
        model_rows = 20_000
        codes = random_codes(self.model.priors, model_rows, np.random.default_rng(0))
        rows = mask(self._random_rows(codes, 1), pattern)
        return log_sum(self.model.joint(rows))

    def _random_rows(self, codes: Indices, seed: int) -> Any:
        return draw(self.source or self.model, codes, np.random.SeedSequence(seed))

    def _log_densities(self, rows: Any) -> Floats:
        """ln p(x | class), (n, k)."""
        k = len(self.model.classes)
        equal = self.model.with_priors(np.full(k, 1 / k))
        return np.asarray(equal.joint(rows) + np.log(k))


def _pvalues(random: Floats, values: Floats) -> Floats:
    """The share of random values that are not larger, each value itself included.

    >>> _pvalues(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 9.0]))
    array([0.25, 0.75, 1.  ])
    """
    # Equal up to rounding is equal: levels give the same density again and again.
    slack = np.where(np.isfinite(values), 1e-9 * (1 + np.abs(values)), 0.0)
    below = np.searchsorted(np.sort(random), values + slack, side="right")
    return np.asarray((below + 1) / (len(random) + 1))
