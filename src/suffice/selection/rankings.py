"""Rankings: how well scores order the rows of a class before all others; ROC AUC, precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np

from suffice.data.arrays import Array, Floats, Indices


@dataclass(frozen=True)
class Rankings:
    """Scores by which m models rank rows, one ranking per class against all others.

    scores : (m, r, n); with two classes there is one ranking, of the second (r = 1), else r = k
    codes : (n,) the class of each row
    weights : (n,)
    """

    scores: Floats
    codes: Indices
    weights: Floats

    @classmethod
    def joined(cls, parts: Sequence[Rankings]) -> Rankings:
        """The rankings of the rows of all parts together."""
        return cls(
            np.concatenate([part.scores for part in parts], axis=2),
            np.concatenate([part.codes for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )

    def roc_auc(self) -> Floats:
        """Area under the ROC curve, (m,): the mean over the classes that rows are of."""
        return _mean(self._values[..., 0])

    def average_precision(self) -> Floats:
        """Mean precision at the scores of the rows of a class, (m,); the mean over classes."""
        return _mean(self._values[..., 1])

    def roc_auc_gradient(self) -> Floats:
        """Derivative of the area of the first model by the weight of each row, (n,)."""
        return self._mean_gradient(_Ranking.roc_auc_gradient)

    def average_precision_gradient(self) -> Floats:
        """Derivative of the average precision of the first model by each row's weight, (n,)."""
        return self._mean_gradient(_Ranking.average_precision_gradient)

    @cached_property
    def _values(self) -> Floats:
        """The area and the average precision of each class, (m, r, 2)."""
        m, r, n = self.scores.shape
        # Scores that are sorted together take about this many bytes.
        sorted_bytes = 1 << 20
        step = max(1, sorted_bytes // (8 * n))
        out = np.empty((m, r, 2))
        for low, c in product(range(0, m, step), range(r)):
            models = slice(low, low + step)
            out[models, c] = self._ranking(models, c).values()
        return out

    def _ranking(self, models: slice, c: int) -> _Ranking:
        own = self.codes == (c if self.scores.shape[1] > 1 else 1)
        return _Ranking.of(self.scores[models, c], own, self.weights)

    def _mean_gradient(self, gradient: Callable[[_Ranking], Floats]) -> Floats:
        classes = range(self.scores.shape[1])
        return _mean(np.stack([gradient(self._ranking(slice(1), c)) for c in classes], axis=1))


@dataclass(frozen=True, slots=True)
class _Ranking:
    """How m models rank the rows of one class among all rows."""

    scores: Floats  # (m, n)
    own: Array  # (n,) whether a row is of the class
    everyone: _Ordered
    inside: _Ordered  # the rows of the class

    @classmethod
    def of(cls, scores: Floats, own: Array, weights: Floats) -> _Ranking:
        same = bool((weights == weights[0]).all())
        inside = _Ordered.of(scores[:, own], weights[own], same)
        return cls(scores, own, _Ordered.of(scores, weights, same), inside)

    def values(self) -> Floats:
        """The area under the ROC curve and the average precision, (m, 2).

        The area is the share of pairs of rows, one of the class and one not, in the right order.
        """
        at, weights = self.inside.scores, self.inside.weights
        below, own_below = self.everyone.below(at), self.inside.below(at)
        upto, own_upto = self.everyone.upto(at), self.inside.upto(at)
        total, own = self.everyone.total, self.inside.total
        lower = (below - own_below + upto - own_upto) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            area = (weights * lower).sum(axis=1) / (own * (total - own))
            precision = (weights * ((own - own_below) / (total - below))).sum(axis=1) / own
        return np.stack([area, precision], axis=1)

    def roc_auc_gradient(self) -> Floats:
        """Derivatives by weight for the first model, (n,): what DeLong calls components."""
        at, own = self.scores, self.inside.total
        others = self.everyone.total - own
        own_lower = (self.inside.below(at) + self.inside.upto(at)) / 2
        lower = (self.everyone.below(at) + self.everyone.upto(at)) / 2 - own_lower
        area = self.values()[0, 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = (lower / others - area) / own
            outside = (1 - own_lower / own - area) / others
        return np.asarray(np.where(self.own, inside, outside)[0])

    def average_precision_gradient(self) -> Floats:
        """Derivatives by weight: a row changes its own precision, and that of lower scores."""
        own, mean = self.inside.total, self.values()[0, 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            precision, _ = self._precision(self.scores)
            own_precision, reached = self._precision(self.inside.scores)
            shares = self.inside.weights / reached
            gained = self.inside.upto(self.scores, shares)
            lost = self.inside.upto(self.scores, shares * own_precision)
            change = np.where(self.own, precision - mean + gained, 0.0) - lost
            return np.asarray(change[0] / own)

    def _precision(self, at: Floats) -> tuple[Floats, Floats]:
        """Precision of predicting the class from some scores on, and the weight so predicted."""
        reached = self.everyone.total - self.everyone.below(at)
        return (self.inside.total - self.inside.below(at)) / reached, reached


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Rows in ascending order of the scores that m models give them."""

    scores: Floats  # (m, n)
    weights: Floats  # (m, n), or (1, n) where all rows have the same
    before: Floats  # like the weights, with one more column: the weight of all rows before

    @classmethod
    def of(cls, scores: Floats, weights: Floats, same: bool) -> _Ordered:
        """The order by scores (m, n).

        same : whether all rows have the same weight
        """
        if same:
            # To sort values takes a quarter of the time that the order of rows takes.
            ordered, weights = np.sort(scores, axis=1), weights[None]
        else:
            order = np.argsort(scores, axis=1)
            ordered, weights = np.take_along_axis(scores, order, axis=1), weights[order]
        return cls(ordered, weights, _sums_before(weights))

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.before[0, -1])

    def below(self, scores: Floats) -> Floats:
        """Weight of the rows with lower scores, (m, q)."""
        return self._at(scores, "left", self.before)

    def upto(self, scores: Floats, values: Floats | None = None) -> Floats:
        """Weight of the rows with lower or equal scores, (m, q); or the sum of values of theirs."""
        return self._at(scores, "right", self.before if values is None else _sums_before(values))

    def _at(self, scores: Floats, side: Literal["left", "right"], sums: Floats) -> Floats:
        each = zip(self.scores, scores, strict=True)
        places = np.array([row.searchsorted(at, side) for row, at in each])
        return sums[0, places] if len(sums) == 1 else np.take_along_axis(sums, places, axis=1)


def _sums_before(values: Floats) -> Floats:
    """Sum of the values before each position, (m, n + 1)."""
    sums = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def _mean(by_class: Floats) -> Floats:
    """The mean over classes with rows inside and outside, (m,); NaN if there is none."""
    defined = ~np.isnan(by_class)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, by_class, 0.0).sum(axis=1) / defined.sum(axis=1))
