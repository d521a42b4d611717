"""Entrants: candidates of several kinds, compared on the same test rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.models.scoring import normalised
from suffice.selection.folds import Fold
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import Metric
from suffice.selection.pool import MOST_SURPRISE

# Positions of candidates (m,), the fold, numbers of test rows (n,) -> ln p(x, y) of the model of
# each candidate that is trained on the fold, up to a constant of the row, (m, k, n).
Scores = Callable[[Indices, int, Indices], Floats]


@dataclass(frozen=True, eq=False)
class Entrants:
    """Candidates of one kind that are scored together.

    kind : those of one kind stand for the same idea; the best of each kind may be pooled
    candidates : what each of them is, for the one who builds the models
    complexity : effective number of parameters of each, (m,)
    scores : of some of the candidates
    """

    kind: str
    candidates: Sequence[Any]
    complexity: Floats
    scores: Scores

    def take(self, which: Sequence[int]) -> Entrants:
        """Some of the candidates."""
        own, scores = np.array(which, np.int64), self.scores
        return Entrants(
            self.kind,
            [self.candidates[i] for i in which],
            self.complexity[own],
            lambda some, fold, at: scores(own[some], fold, at),
        )

    def milder(self, temperature: float) -> Entrants:
        """The same with all scores divided by a temperature."""
        scores = self.scores
        return replace(self, scores=lambda some, fold, at: scores(some, fold, at) / temperature)


class Contest:
    """Folds with their test rows, of large tables a sample of these."""

    def __init__(
        self,
        folds: Sequence[Fold],
        codes: Indices,
        weights: Floats,
        k: int,
        max_tests: int = 3072,
    ) -> None:
        self.folds, self.codes, self.weights, self.k = folds, codes, weights, k
        self.shares = np.bincount(codes, weights, k) / weights.sum()
        self.tests = [fold.test for fold in folds]
        self.tests = self.fewer(max_tests).tests

    def fewer(self, most: int) -> Contest:
        """The same with about `most` test rows, chosen at random from every class and fold."""
        total = sum(map(len, self.tests))
        if total <= most:
            return self
        out, rng = copy(self), np.random.default_rng(0)
        out.tests = [_sample(rows, self.codes, self.k, most / total, rng) for rows in self.tests]
        return out

    @property
    def rows(self) -> Indices:
        """The rows that are tested, fold by fold."""
        return np.concatenate(self.tests)

    @property
    def fold_of(self) -> Indices:
        """The fold of each of them."""
        return np.repeat(np.arange(len(self.tests)), [len(test) for test in self.tests])

    def losses(self, entrants: Entrants) -> Floats:
        """Mean of -ln p(true class | x) over the test rows of each fold, (m, f)."""
        return self.losses_and_surprises(entrants)[0]

    def losses_and_surprises(self, entrants: Entrants) -> tuple[Floats, Floats]:
        """The losses, (m, f), and what they would be for labels drawn from the class shares."""
        each = [self._fold_losses(entrants, fold) for fold in range(len(self.tests))]
        losses, surprises = (np.stack(some, axis=1) for some in zip(*each, strict=True))
        return losses, surprises

    def _fold_losses(self, entrants: Entrants, fold: int) -> tuple[Floats, Floats]:
        total, weight = np.zeros(len(entrants.candidates)), 0.0
        drawn, drawn_weight = np.zeros(len(total)), 0.0
        step = -(-len(self.tests[fold]) // 256)  # labels are drawn for every step-th row
        for at, scores in self._blocks(entrants, fold):
            own = scores[:, self.codes[at], np.arange(len(at))]
            some, some_weights = scores[:, :, ::step].copy(), self.weights[at[::step]]
            top = scores.max(axis=1)
            scores -= top[:, None]
            normaliser = np.log(np.exp(scores, out=scores).sum(axis=1)) + top
            each = np.minimum(normaliser[:, None, ::step] - some, MOST_SURPRISE)
            total += (normaliser - own) @ self.weights[at]
            drawn += (self.shares @ each) @ some_weights
            weight += float(self.weights[at].sum())
            drawn_weight += float(some_weights.sum())
        if not weight:
            return (np.full(len(total), np.nan),) * 2
        return total / weight, drawn / max(drawn_weight, np.finfo(np.float64).tiny)

    def metrics(
        self, entrants: Entrants, metrics: Mapping[str, Metric], ranked: bool
    ) -> dict[str, Floats]:
        """Each metric of each candidate in each fold, (m, f)."""
        sums = []
        for fold in range(len(self.tests)):
            parts = [
                MetricSums.of(scores, self.codes[at], self.weights[at], ranked)
                for at, scores in self._blocks(entrants, fold)
            ]
            sums.append(reduce(add, parts))
        return {
            name: np.stack([metric.values(one) for one in sums], axis=1)
            for name, metric in metrics.items()
            if ranked or not metric.ranks
        }

    def log_posteriors(self, entrants: Entrants) -> Floats:
        """ln p(y | x) of all test rows under each candidate, (m, n, k)."""
        parts = []
        for fold in range(len(self.tests)):
            for _, scores in self._blocks(entrants, fold):
                parts.append(normalised(scores, axis=1).transpose(0, 2, 1))
        return np.concatenate(parts, axis=1)

    def _blocks(self, entrants: Entrants, fold: int) -> Iterator[tuple[Indices, Floats]]:
        """Test rows of a fold in blocks, and their scores."""
        rows, every = self.tests[fold], np.arange(len(entrants.candidates))
        step = max(16, (1 << 21) // (len(every) * self.k))
        for low in range(0, len(rows), step):
            at = rows[low : low + step]
            with np.errstate(all="ignore"):
                yield at, entrants.scores(every, fold, at)


def _sample(
    rows: Indices, codes: Indices, k: int, share: float, rng: np.random.Generator
) -> Indices:
    """A share of the rows of each class, rounded up."""
    # A share of all rows could be too few in a fold to represent a rare class.
    chosen = []
    for c in range(k):
        own = rows[codes[rows] == c]
        chosen.append(rng.permutation(own)[: int(np.ceil(share * len(own)))])
    return np.sort(np.concatenate(chosen))
