"""Fold moments: weight, mean and scatter of every class in the training rows of every fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Self

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.selection.folds import Fold, disjoint_groups


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
        """The moments of complete rows.

        Where folds partition the rows, those of a fold's training rows are the sum over the other
        folds: every row is read once, and an outlier in a fold costs the others no digits.
        """
        origin = _origins(X, codes, k)
        sums_of = partial(_sums, X, origin, codes, weights)
        parts = []
        for group in disjoint_groups(folds, len(X)):
            if len(group) == 1:
                parts.append(sums_of([group[0].train]))
                continue
            tested = [fold.test for fold in group]
            rest = np.setdiff1d(np.arange(len(X)), np.concatenate(tested))
            each = sums_of([*tested, rest])
            parts.append([_all_but_each(sums)[: len(group)] for sums in each])
        weight, first, second = (np.concatenate(some) for some in zip(*parts, strict=True))
        step = first / np.maximum(weight, np.finfo(np.float64).tiny)[:, :, None]
        scatter = second - first[:, :, :, None] * step[:, :, None, :]
        squares, before = (np.einsum("fkii->fki", some) for some in (scatter, second))
        # What is left of the squares of a constant is rounding.
        varies = squares > 1e-13 * before
        scatter *= varies[:, :, :, None] & varies[:, :, None, :]
        return cls(weight, origin + step, scatter, X.var(axis=0))

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


def _origins(X: Floats, codes: Indices, k: int, most: int = 1000) -> Floats:
    """A place close to the mean of each class, (k, d): the mean of some of its rows.

    E[xx'] - mm' about zero would lose all digits at large offsets.
    """
    out = np.zeros((k, X.shape[1]))
    for c in np.unique(codes).tolist():
        rows = np.flatnonzero(codes == c)
        out[c] = X[rows[:: -(-len(rows) // most)]].mean(axis=0)
    return out


def _sums(
    X: Floats, origin: Floats, codes: Indices, weights: Floats, parts: Sequence[Indices]
) -> list[Floats]:
    """Sums of w, wz and wzz' over the rows of each part and class, z = x - origin of its class.

    (p, k), (p, k, d) and (p, k, d, d)
    """
    p, (k, d) = len(parts), origin.shape
    weight, first, second = np.zeros((p, k)), np.zeros((p, k, d)), np.zeros((p, k, d, d))
    for i, part in enumerate(parts):
        order = part[np.argsort(codes[part], kind="stable")]
        ends = np.searchsorted(codes[order], np.arange(k + 1))
        for c, (low, high) in enumerate(pairwise(ends.tolist())):
            w = weights[order[low:high]]
            z = X[order[low:high]] - origin[c]
            weighted = z * w[:, None]
            weight[i, c], first[i, c], second[i, c] = w.sum(), weighted.sum(axis=0), weighted.T @ z
    return [weight, first, second]


def _all_but_each(sums: Floats) -> Floats:
    """For each position of the first axis, the sum over all others."""
    others = np.zeros_like(sums)
    others[1:] = np.cumsum(sums[:-1], axis=0)
    others[:-1] += np.cumsum(sums[:0:-1], axis=0)[::-1]
    return others
