"""Fold moments: weight, mean and scatter of every class in the training rows of every fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import batches
from suffice.selection.folds import Fold, training_statistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize_batches


@dataclass(frozen=True, slots=True)
class FoldMoments:
    """Moments of the training rows, stacked over f folds and k classes.

    >>> X, codes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])
    >>> first, second = np.array([0, 2]), np.array([1, 3])
    >>> folds = [Fold(second, first), Fold(first, second)]
    >>> FoldMoments.of(X, codes, np.ones(4), folds, 2).mean[:, :, 0]
    array([[2., 7.],
           [0., 5.]])
    """

    weight: Floats  # (f, k)
    mean: Floats  # (f, k, d)
    scatter: Floats  # (f, k, d, d)
    variance: Floats  # (d,): of all rows, whatever their class

    @classmethod
    def of(cls, X: Floats, codes: Indices, weights: Floats, folds: Sequence[Fold], k: int) -> Self:
        """The moments of complete rows, each of which is read once, see `training_statistics`."""

        def summarize_rows(at: Indices) -> Statistics:
            own: Statistics = summarize_batches(batches(X[at], codes[at], weights[at]), "separate")
            return own

        f, d = len(folds), X.shape[1]
        weight, mean, scatter = np.zeros((f, k)), np.zeros((f, k, d)), np.zeros((f, k, d, d))
        for i, (trained, _) in enumerate(training_statistics(folds, len(X), summarize_rows)):
            at = trained.classes
            mean[i] = trained.mean[0]  # of a class without rows: any one nearby
            weight[i, at], mean[i, at], scatter[i, at] = (
                trained.weight,
                trained.mean,
                trained.scatter,
            )
        return cls(weight, mean, scatter, X.var(axis=0))

    @property
    def pooled(self) -> Floats:
        """Scatter of all classes about their own means, (f, d, d)."""
        return np.asarray(self.scatter.sum(axis=1))

    @property
    def overall(self) -> Floats:
        """Variance of each feature over all training rows of a fold, (f, d)."""
        share = self.weight / self.weight.sum(axis=1, keepdims=True)
        steps = self.mean - self.mean[:, :1]
        steps = steps - (share[:, :, None] * steps).sum(axis=1, keepdims=True)
        between = (share[:, :, None] * steps**2).sum(axis=1)
        within = np.einsum("fii->fi", self.pooled) / self.weight.sum(axis=1, keepdims=True)
        found = within + between
        # What is left of a constant is rounding.
        return np.where(found > 1e-20 * self.variance, found, 0.0)

    @property
    def shares(self) -> Floats:
        """Share of each class in the training rows, (f, k)."""
        return np.asarray(self.weight / self.weight.sum(axis=1, keepdims=True))

    def select(self, features: Indices) -> FoldMoments:
        """The same for some of the features."""
        scatter = self.scatter[:, :, features[:, None], features]
        return FoldMoments(self.weight, self.mean[:, :, features], scatter, self.variance[features])
