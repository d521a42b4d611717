"""Atypicality of rows with categories (levels): by their probabilities, not as if Gaussian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.answers.imputation import conditional_mean, draws
from suffice.answers.level_tree import LevelTree
from suffice.answers.nulls import Null, Nulls
from suffice.answers.outliers import MOST_PATTERNS, stratified_pvalues
from suffice.answers.rarity import RandomRows
from suffice.answers.sampling import random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.models.mixture import MixtureModel
from suffice.models.scoring import log_sum


@dataclass(frozen=True, eq=False)
class LevelAtypicality(RandomRows):
    """How unusual rows of numbers and indicators are, for each class and for the whole model.

    The density is that of a mixed row: ln p(x, levels | class) = ln P(levels | class)
    + ln p(x | levels, class). Levels have the probabilities of a `LevelTree`, and numbers the
    density of the model given the indicators. As the model has it, indicators would be Gaussian,
    and a rare level far out.

    model : of numbers and indicators
    sizes : number of levels of each column, whose indicators come last
    weight : of the rows of each class, (k,)
    nulls : distances of new rows, if they have a formula; else rows are drawn from `source`
    """

    model: Any
    sizes: tuple[int, ...]
    weight: Floats
    nulls: Nulls | None = None
    source: Any = None

    def log_density(self, X: Array) -> Floats:
        """ln p(x, levels), (n,)."""
        with np.errstate(divide="ignore"):
            return log_sum(self.log_densities(X) + np.log(self.model.priors))

    def log_densities(self, X: Array) -> Floats:
        """ln p(x, levels | class), (n, k)."""
        codes = self._codes(X)
        levels = np.stack([tree.log_probability(codes) for tree in self._trees], axis=1)
        known = X.astype(np.float64)
        known[:, : self._numbers] = np.nan
        k = len(self.weight)
        even = self.model.with_priors(np.full(k, 1 / k))
        with np.errstate(all="ignore"):
            return np.asarray(levels + even.joint(X) - even.joint(known))

    @cached_property
    def _trees(self) -> list[LevelTree]:
        means, matrices = _moments(self.model)
        at = slice(self._numbers, None)
        return [
            LevelTree.of(means[c, at], matrices(c)[at, at], self.sizes, float(w))
            for c, w in enumerate(self.weight)
        ]

    @cached_property
    def _numbers(self) -> int:
        """Number of numeric features."""
        d: int = _moments(self.model)[0].shape[1]
        return d - sum(size - 1 for size in self.sizes)

    @cached_property
    def _edges(self) -> list[tuple[int, int]]:
        """Where the indicators of each column start and end."""
        steps = np.cumsum([self._numbers, *(size - 1 for size in self.sizes)])
        return list(pairwise(steps.tolist()))

    def _codes(self, X: Array) -> Indices:
        """The level of each row in each column, (n, columns); -1 where it is missing."""
        codes = np.zeros((len(X), len(self.sizes)), np.int64)
        for j, (low, high) in enumerate(self._edges):
            own = X[:, low:high]
            if low < high:
                codes[:, j] = np.where(own.max(axis=1) > 0.5, own.argmax(axis=1) + 1, 0)
                codes[np.isnan(own).any(axis=1), j] = -1
        return codes

    def draw(self, c: int | None, n_patterns: int) -> tuple[Floats, Floats]:
        """Rows without gaps, and the probability that each stands for."""
        rng = np.random.default_rng(0)
        priors = self.model.priors if c is None else np.eye(len(self.weight))[c]
        share = min(1.0, MOST_PATTERNS / max(1, n_patterns))
        pvalues, weights = stratified_pvalues(share, rng) if self.nulls else _even(share)
        codes = random_codes(priors, len(weights), rng)
        rows = np.full((len(codes), self._edges[-1][1]), np.nan)
        for own in np.unique(codes).tolist():
            at = np.flatnonzero(codes == own)
            levels = self._trees[own].draw(len(at), rng)
            for j, (low, high) in enumerate(self._edges):
                rows[at, low:high] = levels[:, j : j + 1] == np.arange(1, high - low + 1)
        if not self._numbers:
            return rows, weights
        source = self.source or (self.nulls.gaussian if self.nulls else self.model)
        drawn = np.asarray(draws(source, rows, 1, codes, rng)[0])
        if self.nulls is not None:
            drawn = _at_distances(self.nulls, rows, drawn, codes, pvalues, self._numbers)
        return drawn, weights


def level_atypicality(base: Any, model: Any, sizes: Sequence[int], weight: Floats) -> Any:
    """The atypicality for rows with levels, from that for numbers; that itself without levels.

    sizes : number of levels of each column
    """
    if not any(size > 1 for size in sizes):
        return base
    nulls, source = getattr(base, "nulls", None), getattr(base, "source", None)
    return LevelAtypicality(model, tuple(sizes), weight, nulls, source)


def _at_distances(
    nulls: Nulls, rows: Floats, drawn: Floats, codes: Indices, pvalues: Floats, numbers: int
) -> Floats:
    """Drawn rows moved to the distances of their p-values from what their levels predict.

    Squared distances of some of the features, given the others, have the law of all with fewer of
    them: scale x F(all, freedom) becomes scale some/all x F(some, freedom).
    """
    model, each = nulls.gaussian, np.arange(len(rows))
    centre = conditional_mean(model, rows, np.eye(len(model.classes))[codes])
    with np.errstate(all="ignore"):
        lengths = model.squared_distances(drawn)[each, codes]
        lengths = lengths - model.squared_distances(rows)[each, codes]
    every, some = int(nulls.varies.sum()), int(nulls.varies[:numbers].sum())
    factor = np.zeros(len(rows))
    for c in np.unique(codes).tolist():
        at = codes == c
        law = nulls.of(c, every)
        own = Null(law.scale * some / max(every, 1), some, law.freedom)
        with np.errstate(all="ignore"):
            ratio = np.sqrt(own.quantile(pvalues[at]) / lengths[at])
        factor[at] = np.where(lengths[at] > 0, ratio, 0.0)
    moved = centre + (drawn - centre) * factor[:, None]
    return np.where(np.isnan(rows), moved, rows)


def _even(share: float, rows: int = 20_000) -> tuple[Floats, Floats]:
    n = int(np.ceil(share * rows))
    return np.ones(n), np.full(n, 1 / n)


def _moments(model: Any) -> tuple[Floats, Callable[[int], Floats]]:
    """The mean of each class, (k, d), and the function of its covariance, (d, d)."""
    if not isinstance(model, MixtureModel):
        matrices = model.matrices
        return model.means, lambda c: matrices if matrices.ndim == 2 else matrices[c]
    parts, owner, k = model.components, model.owner, len(model.classes)
    shares = (owner == np.arange(k)[:, None]) * model.shares
    means = shares @ parts.means
    matrices = parts.matrices

    def covariance(c: int) -> Floats:
        steps = parts.means - means[c]
        within = matrices if matrices.ndim == 2 else np.tensordot(shares[c], matrices, 1)
        return np.asarray(within + (steps * shares[c][:, None]).T @ steps)

    return means, covariance
