"""Outliers: the probability under the model that a row is at least this atypical."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from suffice.answers.nulls import Nulls
from suffice.data.arrays import Array, Floats
from suffice.data.gaps import Gaps
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.gaussian import GaussianModel
from suffice.models.scoring import log_sum, posterior

# Rows of each stratum of the null distribution, each half as probable as the one before, so that
# the far tail is as well known as the bulk.
STRATA = (5000,) * 4 + (200,) * 120


# Random rows for all patterns of gaps together, in units of those for one.
MOST_PATTERNS = 4.0


class Atypicality:
    """How unusual rows are, for each class and for the whole model."""

    def __init__(self, model: GaussianModel | StudentModel, nulls: Nulls) -> None:
        self.model, self.nulls = model, nulls

    def of_classes(self, X: Array) -> Floats:
        """The probability that a row of each class lies at least as far from its mean, (n, k)."""
        with np.errstate(all="ignore"):
            distances = self.model.squared_distances(X)
        known = (~np.isnan(X) & self.nulls.varies).sum(axis=1)
        out = np.empty_like(distances)
        for m in np.unique(known).tolist():
            at = known == m
            for c in range(distances.shape[1]):
                out[at, c] = self.nulls.of(c, m).pvalue(distances[at, c])
        return out

    def of_model(self, X: Array) -> Floats:
        """The probability that a row of the model has no higher density, (n,).

        The density is that of the observed features.
        """
        density = self._log_densities(X)
        order, gaps = Gaps.sorted(np.isnan(X))
        # With more patterns of gaps than this, classes count by their posterior instead.
        max_patterns = 32
        if len(gaps.patterns) > max_patterns:
            with np.errstate(all="ignore"):
                shares = posterior(self.model, X)
            return np.asarray((shares * self.of_classes(X)).sum(axis=1))
        out, share = np.empty(len(X)), min(1.0, MOST_PATTERNS / max(1, len(gaps.patterns)))
        for pattern, (_, run) in zip(gaps.patterns, gaps, strict=True):
            at = order[run]
            null = self._random_densities(pattern, share) if pattern.any() else self._complete
            out[at] = self._pvalues(X[at], density[at], null)
        return out

    def threshold(self, quantile: float) -> float:
        """The log density below which this share of the rows of the model lies."""
        values, below = self._complete
        at = int(np.searchsorted(below, quantile))
        return float(values[min(at, len(values) - 1)])

    def _pvalues(self, X: Array, density: Floats, null: tuple[Floats, Floats]) -> Floats:
        values, below = null
        at = np.searchsorted(values, density, side="right")
        out = np.where(at > 0, below[np.maximum(at, 1) - 1], 0.0)
        beyond = np.flatnonzero(at == 0)
        if len(beyond):
            # Further out than any random row: the classes count by their priors.
            rest = self.of_classes(X[beyond]) @ self.model.priors
            out[beyond] = np.minimum(rest, below[0])
        return out

    @cached_property
    def _complete(self) -> tuple[Floats, Floats]:
        return self._random_densities(np.zeros(len(self.nulls.varies), bool), 1.0)

    def _random_densities(self, pattern: Array, share: float) -> tuple[Floats, Floats]:
        """Log densities of random rows with a pattern of gaps, sorted, and P(a lower one)."""
        rows, weights = self._random_rows(pattern, share)
        density = self._log_densities(rows)
        order = np.argsort(density)
        return density[order], np.minimum(np.cumsum(weights[order]), 1.0)

    def _random_rows(self, pattern: Array, share: float) -> tuple[Floats, Floats]:
        """Rows of the model, and the probability that each stands for.

        share : of the usual number of rows
        """
        rng = np.random.default_rng(0)
        priors, d = self.model.priors, len(pattern)
        # For very many features fewer rows are drawn.
        most_entries = 1 << 23
        share = min(share, most_entries / (d * sum(STRATA)))
        pvalues, weights = stratified_pvalues(share, rng)
        codes = rng.choice(len(priors), len(weights), p=priors / priors.sum())
        noise = rng.standard_normal((len(weights), d))
        rows = np.empty((len(weights), d))
        for c in np.unique(codes).tolist():
            at = codes == c
            rows[at] = self._at_distances(c, pvalues[at], noise[at], pattern)
        rows[:, pattern] = np.nan
        return rows, weights

    def _at_distances(self, c: int, pvalues: Floats, noise: Floats, pattern: Array) -> Floats:
        """Rows of a class in random directions, at the distances of their p-values."""
        nulls, model = self.nulls, self.nulls.gaussian
        covariance = model.covariance_of(c)
        steps = covariance.colour(noise)
        steps[:, pattern] = np.nan
        covariance.fill(steps, Gaps(pattern[None], np.array([0, len(steps)])))
        lengths = covariance.squared_lengths(steps)
        known = int((~pattern & nulls.varies).sum())
        wanted = nulls.of(c, known).quantile(pvalues) * nulls.nearer[c]
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(wanted / lengths)
        return np.asarray(nulls.centres[c] + steps * np.where(lengths > 0, factor, 0.0)[:, None])

    def _log_densities(self, X: Array) -> Floats:
        with np.errstate(all="ignore"):
            return log_sum(self.model.joint(X))


def stratified_pvalues(share: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Random p-values, far ones among them, and the probability that each stands for.

    share : of the usual number
    """
    sizes = np.ceil(share * np.array(STRATA)).astype(np.int64)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    # P-values evenly spread between 2^-(s+1) and 2^-s.
    place = np.concatenate([(np.arange(n) + rng.random(n)) / n for n in sizes])
    return 2.0**-strata * (1 - place / 2), 2.0 ** -(strata + 1) / sizes[strata]
