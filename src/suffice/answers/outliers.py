"""Outliers: the chance under the model that a row is at least this atypical."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from suffice.answers.nulls import Nulls
from suffice.data.arrays import Array, Floats
from suffice.data.gaps import Gaps
from suffice.models.gaussian import GaussianModel
from suffice.models.scoring import log_sum
from suffice.models.settings import Settings

# Random rows of the model are drawn from strata of their class's null distribution, each half as
# probable as the one before: so the far tail is as well known as the bulk.
BULK_STRATA, BULK_ROWS = 4, 5000
TAIL_STRATA, TAIL_ROWS = 120, 200

# For very many features fewer rows are drawn.
MOST_ENTRIES = 1 << 23

# Beyond this many patterns of gaps, classes count by their posterior instead.
MOST_PATTERNS = 32


class Atypicality:
    """How unusual rows are, for each class and for the whole model."""

    def __init__(self, model: GaussianModel, weight: Floats, settings: Settings) -> None:
        self.model, self.nulls = model, Nulls(model, weight, settings)

    def of_classes(self, X: Array) -> Floats:
        """The chance that a row of each class lies at least as far from its mean, (n, k)."""
        distances = self._answer("squared_distances", X)
        missing = np.isnan(X)
        known = X.shape[1] - missing.sum(axis=1)
        out = np.empty_like(distances)
        for m in np.unique(known).tolist():
            at = known == m
            for c in range(distances.shape[1]):
                out[at, c] = self.nulls.of(c, m).chance_beyond(distances[at, c])
        return out

    def of_model(self, X: Array) -> Floats:
        """The chance that a row of the model has no higher density in what is known, (n,)."""
        density = log_sum(self._answer("joint", X))
        order, gaps = Gaps.sorted(np.isnan(X))
        if len(gaps.patterns) > MOST_PATTERNS:
            shares = self._answer("posterior", X)
            return np.asarray((shares * self.of_classes(X)).sum(axis=1))
        out = np.empty(len(X))
        for pattern, (_, run) in zip(gaps.patterns, gaps, strict=True):
            at = order[run]
            out[at] = self._chances(X[at], density[at], pattern)
        return out

    def threshold(self, quantile: float) -> float:
        """The log density below which so large a share of the rows of the model lies."""
        values, below = self._complete
        at = int(np.searchsorted(below, quantile))
        return float(values[min(at, len(values) - 1)])

    def _chances(self, X: Array, density: Floats, pattern: Array) -> Floats:
        values, below = self._complete if not pattern.any() else self._drawn(pattern)
        at = np.searchsorted(values, density, side="right")
        found = np.where(at > 0, below[np.maximum(at, 1) - 1], 0.0)
        beyond = np.flatnonzero(at == 0)
        if len(beyond):
            # Further out than any row drawn: the classes count by their priors.
            rest = self.of_classes(X[beyond]) @ self.model.priors
            found[beyond] = np.minimum(rest, below[0])
        return found

    @cached_property
    def _complete(self) -> tuple[Floats, Floats]:
        return self._drawn(np.zeros(self.model.means.shape[1], bool))

    def _drawn(self, pattern: Array) -> tuple[Floats, Floats]:
        """Log densities of random rows that miss a pattern, ascending, and the chance of less."""
        rows, weights = self._random_rows(pattern)
        density = log_sum(self._answer("joint", rows))
        order = np.argsort(density)
        return density[order], np.minimum(np.cumsum(weights[order]), 1.0)

    def _random_rows(self, pattern: Array) -> tuple[Floats, Floats]:
        rng = np.random.default_rng(0)
        model, d = self.model, len(pattern)
        share = min(1.0, MOST_ENTRIES / (d * (BULK_ROWS * BULK_STRATA + TAIL_ROWS * TAIL_STRATA)))
        sizes = np.repeat([BULK_ROWS, TAIL_ROWS], [BULK_STRATA, TAIL_STRATA])
        sizes = np.ceil(share * sizes).astype(np.int64)
        strata = np.repeat(np.arange(len(sizes)), sizes)
        # Chances between 2^-(s+1) and 2^-s, evenly spread.
        place = np.concatenate([(np.arange(n) + rng.random(n)) / n for n in sizes])
        chances = 2.0**-strata * (1 - place / 2)
        weights = 2.0 ** -(strata + 1) / sizes[strata]
        codes = rng.choice(len(model.priors), len(strata), p=model.priors / model.priors.sum())
        noise = rng.standard_normal((len(strata), d))
        rows = np.empty((len(strata), d))
        for c in np.unique(codes).tolist():
            at = codes == c
            rows[at] = self._at_distances(c, chances[at], noise[at], pattern)
        rows[:, pattern] = np.nan
        return rows, weights

    def _at_distances(self, c: int, chances: Floats, noise: Floats, pattern: Array) -> Floats:
        """Rows of a class in random directions, as far out as their chances say."""
        model = self.model
        covariance = model.covariances[0 if model.shared else c]
        steps = covariance.colour(noise)
        steps[:, pattern] = np.nan
        covariance.fill(steps, Gaps(pattern[None], np.array([0, len(steps)])))
        lengths = covariance.squared_lengths(steps)
        wanted = self.nulls.of(c, int((~pattern).sum())).quantile(chances) * self._nearer[c]
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(wanted / lengths)
        return np.asarray(self._means[c] + steps * np.where(lengths > 0, factor, 0.0)[:, None])

    @cached_property
    def _noise(self) -> float:
        """How much of the spread of the class means is their estimation error, from 0 to 1."""
        model, weight = self.model, self.nulls.weight
        k = len(weight)
        if k == 1:
            return 0.0
        centre = (weight @ model.means) / weight.sum()
        covariances = [model.covariances[0 if model.shared else c] for c in range(k)]
        spread = sum(
            float(covariance.squared_lengths((mean - centre)[None])[0])
            for mean, covariance in zip(model.means, covariances, strict=True)
        )
        error = sum(
            c.rank * (1 / w - 1 / weight.sum()) for c, w in zip(covariances, weight, strict=True)
        )
        return min(1.0, error / spread) if spread > 0 else 1.0

    @cached_property
    def _means(self) -> Floats:
        """Class means, drawn together as far as they stand apart by chance (James and Stein)."""
        weight = self.nulls.weight
        centre = (weight @ self.model.means) / weight.sum()
        return np.asarray(self.model.means + self._noise * (centre - self.model.means))

    @cached_property
    def _nearer(self) -> Floats:
        """Squared distances to these means, as a share of those to the estimated ones, (k,)."""
        weight, noise = self.nulls.weight, self._noise
        return np.asarray((1 + (1 - noise) / weight + noise / weight.sum()) / (1 + 1 / weight))

    def _answer(self, name: str, X: Array) -> Floats:
        with np.errstate(all="ignore"):
            return self.model.answer(name, X)
