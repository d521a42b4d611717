"""Rankings: how well scores order the rows of a class before all others; ROC AUC, precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices

# Scores that are sorted together take about this many bytes.
SORTED_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
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
        return np.concatenate([_mean(part.roc_auc()) for part in self._parts()])

    def average_precision(self) -> Floats:
        """Mean precision at the scores of the rows of a class, (m,); the mean over classes."""
        return np.concatenate([_mean(part.average_precision()) for part in self._parts()])

    def roc_auc_gradient(self) -> Floats:
        """Derivative of the area of the first model by the weight of each row, (n,)."""
        return _mean_gradient(self._whole().roc_auc_gradient())

    def average_precision_gradient(self) -> Floats:
        """Derivative of the average precision of the first model by each row's weight, (n,)."""
        return _mean_gradient(self._whole().average_precision_gradient())

    def _whole(self) -> _Sorted:
        return _Sorted.of(self.scores[:1], self.codes, self.weights)

    def _parts(self) -> Iterator[_Sorted]:
        m, r, n = self.scores.shape
        step = max(1, SORTED_BYTES // (8 * r * n))
        for low in range(0, m, step):
            yield _Sorted.of(self.scores[low : low + step], self.codes, self.weights)


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Rows in ascending order of their scores, (m, r, n); equal scores count together.

    own, others : weight of each row where it is of the class, and where it is not
    order : positions of the rows
    first, last : position of the first and the last row with an equal score; None without ties
    """

    own: Floats
    others: Floats
    order: Indices
    first: Indices | None
    last: Indices | None

    @classmethod
    def of(cls, scores: Floats, codes: Indices, weights: Floats) -> _Sorted:
        order = np.argsort(scores, axis=-1)
        values = np.take_along_axis(scores, order, axis=-1)
        r = scores.shape[1]
        ranked = np.arange(r) if r > 1 else np.ones(1, np.int64)
        weight = weights[order]
        own = np.where(codes[order] == ranked[:, None], weight, 0.0)
        first = last = None
        differs = values[..., 1:] != values[..., :-1]
        if not differs.all():
            first, last = _tied(differs)
        return cls(own, weight - own, order, first, last)

    def roc_auc(self) -> Floats:
        """The share of pairs of rows, one of the class and one not, in the right order."""
        with np.errstate(invalid="ignore", divide="ignore"):
            total = self.own.sum(axis=-1) * self.others.sum(axis=-1)
            return np.asarray(np.einsum("mrn,mrn->mr", self.own, self._lower(self.others)) / total)

    def average_precision(self) -> Floats:
        """The mean over the rows of the class of the precision at their scores."""
        with np.errstate(invalid="ignore", divide="ignore"):
            precision, _ = self._precision()
            total = self.own.sum(axis=-1)
            return np.asarray(np.einsum("mrn,mrn->mr", self.own, precision) / total)

    def roc_auc_gradient(self) -> Floats:
        """Derivatives by weight, in the order of the rows: what DeLong calls components."""
        own, others = self.own.sum(axis=-1), self.others.sum(axis=-1)
        auc = self.roc_auc()[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = (self._lower(self.others) / others[..., None] - auc) / own[..., None]
            outside = (1 - self._lower(self.own) / own[..., None] - auc) / others[..., None]
        return self._unsorted(np.where(self.own > 0, inside, outside))

    def average_precision_gradient(self) -> Floats:
        """Derivatives by weight: a row changes its own precision, and that of lower scores."""
        total = self.own.sum(axis=-1)[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            precision, reached = self._precision()
            mean = self.average_precision()[..., None]
            shares = self.own / reached
            gained = self._at_last(np.cumsum(shares, axis=-1))
            lost = self._at_last(np.cumsum(shares * precision, axis=-1))
            change = np.where(self.own > 0, precision - mean + gained, 0.0) - lost
            return self._unsorted(change / total)

    def _precision(self) -> tuple[Floats, Floats]:
        """Precision of predicting the class from each score on, and the weight so predicted."""
        weight = self.own + self.others
        reached = weight.sum(axis=-1)[..., None] - self._before(weight)
        right = self.own.sum(axis=-1)[..., None] - self._before(self.own)
        return right / reached, reached

    def _lower(self, weight: Floats) -> Floats:
        """Weight of lower scores, and half the weight of equal ones."""
        upto = self._at_last(np.cumsum(weight, axis=-1))
        return (self._before(weight) + upto) / 2

    def _before(self, weight: Floats) -> Floats:
        """Weight of lower scores."""
        below = np.cumsum(weight, axis=-1) - weight
        return below if self.first is None else np.take_along_axis(below, self.first, axis=-1)

    def _at_last(self, sums: Floats) -> Floats:
        return sums if self.last is None else np.take_along_axis(sums, self.last, axis=-1)

    def _unsorted(self, values: Floats) -> Floats:
        out = np.empty_like(values)
        np.put_along_axis(out, self.order, values, axis=-1)
        return np.asarray(out[0])


def _tied(differs: Array) -> tuple[Indices, Indices]:
    """Positions of the first and the last value equal to each of sorted ones, (m, r, n)."""
    *shape, steps = differs.shape
    at = np.arange(steps + 1)
    edge = np.ones((*shape, 1), bool)
    starts, ends = (np.concatenate(two, axis=-1) for two in ((edge, differs), (differs, edge)))
    first = np.maximum.accumulate(np.where(starts, at, 0), axis=-1)
    backwards = np.where(ends, at, steps)[..., ::-1]
    return first, np.minimum.accumulate(backwards, axis=-1)[..., ::-1]


def _mean(by_class: Floats) -> Floats:
    """The mean over classes with rows inside and outside, (m,); NaN if there is none."""
    defined = ~np.isnan(by_class)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, by_class, 0.0).sum(axis=1) / defined.sum(axis=1))


def _mean_gradient(by_class: Floats) -> Floats:
    """The same for derivatives, (r, n) -> (n,)."""
    return _mean(by_class.T)
