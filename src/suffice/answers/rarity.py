"""Rarity: outlier p-values by sampling, for models whose distances have no formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.answers.sampling import draw, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.model import Model
from suffice.models.scoring import log_sum

# Rows drawn of the model for each pattern of gaps, and of each class.
DRAWN = 20_000
DRAWN_OF_CLASS = 5_000


@dataclass(frozen=True)
class Rarity:
    """How unusual rows are, by comparison with rows drawn from the model.

    missing : which features each row misses, (n, d)
    masked : rows without the features of a pattern
    """

    model: Model
    missing: Callable[[Any], Array]
    masked: Callable[[Any, Array], Any]

    def of_classes(self, rows: Any) -> Floats:
        """The chance that a row of each class is no more likely in it, (n, k)."""
        k = len(self.model.classes)
        own = self._log_densities(rows)
        out = np.empty((len(own), k))
        for pattern, at in self._patterns(rows):
            for c in range(k):
                drawn = self._drawn(np.full(DRAWN_OF_CLASS, c), pattern, c)
                out[at, c] = _chance(drawn[:, c], own[at, c])
        return out

    def of_model(self, rows: Any) -> Floats:
        """The chance that a row of the model is no more likely, (n,)."""
        density = log_sum(self.model.answer("joint", rows))
        out = np.empty(len(density))
        for pattern, at in self._patterns(rows):
            out[at] = _chance(self._all_densities(pattern), density[at])
        return out

    def threshold(self, quantile: float) -> float:
        """The log density below which so large a share of the rows of the model lies."""
        some = self._sampled(random_codes(self.model.priors, 1, np.random.default_rng(0)), 0)
        complete = np.zeros(self.missing(some).shape[1], bool)
        return float(np.quantile(self._all_densities(complete), quantile))

    def _patterns(self, rows: Any) -> list[tuple[Array, Indices]]:
        order, gaps = Gaps.sorted(self.missing(rows))
        return [
            (pattern, order[run]) for pattern, (_, run) in zip(gaps.patterns, gaps, strict=True)
        ]

    def _all_densities(self, pattern: Array) -> Floats:
        codes = random_codes(self.model.priors, DRAWN, np.random.default_rng(0))
        rows = self.masked(self._sampled(codes, 1), pattern)
        return log_sum(self.model.answer("joint", rows))

    def _drawn(self, codes: Indices, pattern: Array, seed: int) -> Floats:
        return self._log_densities(self.masked(self._sampled(codes, 2 + seed), pattern))

    def _sampled(self, codes: Indices, seed: int) -> Any:
        return draw(self.model, codes, np.random.SeedSequence(seed))

    def _log_densities(self, rows: Any) -> Floats:
        """ln p(x | class), (n, k)."""
        k = len(self.model.classes)
        equal = self.model.with_priors(np.full(k, 1 / k))
        return np.asarray(equal.answer("joint", rows) + np.log(k))


def _chance(drawn: Floats, found: Floats) -> Floats:
    """The share of values drawn that are no larger, the value itself counted with them."""
    order = np.sort(drawn)
    # Equal up to rounding is equal: levels give the same density again and again.
    slack = np.where(np.isfinite(found), 1e-9 * (1 + np.abs(found)), 0.0)
    return np.asarray((np.searchsorted(order, found + slack, side="right") + 1) / (len(order) + 1))
