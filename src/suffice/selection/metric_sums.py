"""Metric sums: what metrics need to know of rows; the sums of two sets of rows add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.selection.rankings import Rankings

# Bins of the calibration error, of equal width between probability 0 and 1.
BINS = 15


@dataclass(frozen=True, slots=True)
class RowScores:
    """What m models predict for n rows of k classes, and how far off it is.

    predicted : (m, k, n) whether a class is the predicted label
    correct : (m, n) 1 where the label is the row's own
    log_loss, brier : (m, n)
    confidence : (m, n) probability of the predicted label
    ranking : (m, r, n) see `Rankings`; None unless asked for
    codes : (n,) the class of each row
    weights : (n,)
    """

    predicted: Array
    correct: Floats
    log_loss: Floats
    brier: Floats
    confidence: Floats
    ranking: Floats | None
    codes: Indices
    weights: Floats

    @classmethod
    def of(
        cls, scores: Floats, codes: Indices, weights: Floats | None, ranked: bool = False
    ) -> RowScores:
        """From scores (m, k, n), joint log densities up to a constant per row; overwrites them."""
        _, k, n = scores.shape
        ranking = _ranking(scores) if ranked else None
        top = scores.max(axis=1)
        scores -= top[:, None]
        own = scores[:, codes, np.arange(n)]
        predicted = _first_best(scores)
        correct = predicted[:, codes, np.arange(n)].astype(np.float64)
        np.exp(scores, out=scores)
        total = scores.sum(axis=1)
        confidence = 1 / total
        squares = np.einsum("mkn,mkn->mn", scores, scores) * confidence**2
        brier = squares - 2 * np.exp(own) * confidence + 1
        # Log posteriors add up to one up to this error.
        rounding = 1e-12
        if ranking is not None and k > 2:
            constant = top + np.log(total)
            # Log posteriors are ranked as they are: rounding would break their ties.
            ranking -= np.where(np.abs(constant) < rounding, 0.0, constant)[:, None]
        w = np.ones(n) if weights is None else weights
        return cls(predicted, correct, np.log(total) - own, brier, confidence, ranking, codes, w)

    @property
    def bin(self) -> Indices:
        """The bin of the calibration error, (m, n)."""
        # NaN goes to the last bin.
        return np.fmin(self.confidence * BINS, BINS - 1).astype(np.int64)

    @property
    def excess(self) -> Floats:
        """How far the confidence is above the correct share, (m, n)."""
        return self.confidence - self.correct

    @property
    def rankings(self) -> Rankings | None:
        """The ranking of the rows by their scores, if it was asked for."""
        given = self.ranking
        return None if given is None else Rankings(given, self.codes, self.weights)

    def sums(self) -> MetricSums:
        """The sums over the rows."""
        m, k, n = self.predicted.shape
        w = self.weights
        classes = np.zeros((n, k))
        classes[np.arange(n), self.codes] = w
        at = self.bin + BINS * np.arange(m)[:, None]
        bins = np.bincount(at.ravel(), (self.excess * w).ravel(), m * BINS).astype(np.float64)
        return MetricSums(
            classes.sum(axis=0),
            self.predicted @ w,
            self.correct @ classes,
            np.stack([self.log_loss @ w, self.brier @ w], axis=1),
            bins.reshape(m, BINS),
            () if self.rankings is None else (self.rankings,),
        )


@dataclass(frozen=True)
class MetricSums:
    """Sums over rows for m models and k classes; those of two sets of rows add up.

    actual : (k,) weight of the rows of each class
    predicted : (m, k) weight of the rows predicted as each class
    correct : (m, k) weight of the rows predicted as each class that are of it
    losses : (m, 2) log-loss and Brier score
    bins : (m, BINS) by the probability of the predicted label: its excess over the correct share
    rankings : the scores of the rows in parts, where they are to be ranked
    """

    actual: Floats
    predicted: Floats
    correct: Floats
    losses: Floats
    bins: Floats
    rankings: tuple[Rankings, ...] = ()

    @classmethod
    def of(
        cls, scores: Floats, codes: Indices, weights: Floats | None, ranked: bool = False
    ) -> MetricSums:
        """Sums of scores (m, k, n), joint log densities up to a constant per row; overwrites them.

        ranked : whether scores are kept, to rank the rows of all parts together

        >>> sums = MetricSums.of(np.log([[[0.9, 0.6], [0.1, 0.4]]]), np.array([0, 1]), None)
        >>> sums.predicted, sums.correct, sums.losses.round(4)
        (array([[2., 0.]]), array([[1., 0.]]), array([[1.0217, 0.74  ]]))
        """
        return RowScores.of(scores, codes, weights, ranked).sums()

    @classmethod
    def of_all_models(cls, parts: Sequence[MetricSums]) -> MetricSums:
        """The sums of the models of all parts, over the same rows; without rankings."""
        return cls(
            parts[0].actual,
            np.concatenate([part.predicted for part in parts]),
            np.concatenate([part.correct for part in parts]),
            np.concatenate([part.losses for part in parts]),
            np.concatenate([part.bins for part in parts]),
        )

    def __add__(self, other: MetricSums) -> MetricSums:
        return MetricSums(
            self.actual + other.actual,
            self.predicted + other.predicted,
            self.correct + other.correct,
            self.losses + other.losses,
            self.bins + other.bins,
            self.rankings + other.rankings,
        )

    @property
    def weight(self) -> float:
        """Total weight of the rows."""
        return float(self.actual.sum())

    @property
    def recall(self) -> Floats:
        """Share of the rows of each class that is predicted as it, (m, k); NaN without rows."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.correct / self.actual)

    @property
    def f1(self) -> Floats:
        """2 correct / (actual + predicted) of each class, (m, k); NaN where there is neither."""
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * self.correct / (self.actual + self.predicted))

    @cached_property
    def ranked(self) -> Rankings:
        """The scores of all rows together."""
        return Rankings.joined(self.rankings)


def _ranking(scores: Floats) -> Floats:
    """What ranks rows: the log-odds of two classes, else each score, still up to its constant."""
    return scores[:, 1:] - scores[:, :1] if scores.shape[1] == 2 else scores.copy()


def _first_best(scores: Floats) -> Array:
    """Where a class is the first of the best scores, which are zero, (m, k, n)."""
    best = scores == 0
    if np.count_nonzero(best) != best.size // scores.shape[1]:
        best &= np.cumsum(best, axis=1) == 1
    return np.asarray(best)
