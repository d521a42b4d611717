"""Fold completion: moments of the training rows of every fold where values are missing.

EM under one covariance shared by the classes, all folds side by side. Every candidate takes the
same completed moments: this is for choosing a model, not for its estimates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.em.anderson import Anderson
from suffice.models.em.expectation import Expected, expected_sums
from suffice.models.em.gap_em import are_positive
from suffice.models.em.observed_parts import ObservedParts
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.folds import Fold


def completed_moments(
    X: Floats,
    codes: Indices,
    weights: Floats,
    folds: Sequence[Fold],
    k: int,
    *,
    tolerance: float = 1e-3,
    max_steps: int = 40,
    fold_steps: int = 6,
) -> FoldMoments:
    """The moments of rows with missing values (NaN).

    tolerance : of means and covariances, in standard deviations
    fold_steps : steps of EM in the folds, starting from the estimates of all rows
    """
    held = ~np.isnan(X)
    centre, unit = _deviations(X, held)
    rows = (np.where(held, X, 0.0) - centre * held) / unit, held, codes
    training = np.zeros((len(folds), len(X)))
    for row, fold in zip(training, folds, strict=True):
        row[fold.train] = weights[fold.train]
    every = _Weighted.of(*rows, weights[None], np.zeros(k, np.int64))
    state = every.converged(tolerance, max_steps)
    by_fold, by_class = np.repeat(np.arange(len(folds)), k), np.arange(len(folds) * k)
    own = _Weighted.of(*rows, training, by_fold)
    state = _State(
        np.tile(state.mean, (len(folds), 1)), np.repeat(state.covariance, len(folds), axis=0)
    )
    for _ in range(fold_steps):
        state = own.step(state)
    final = _Weighted.of(*rows, training, by_class)
    e = final.expected(_State(state.mean, state.covariance[by_fold]))
    shape = len(folds), k, X.shape[1]
    variance = np.where(unit > 0, unit**2, 0.0)
    return FoldMoments(
        own.weight.reshape(shape[:2]),
        e.means.reshape(shape) * unit + centre,
        e.scatter.reshape(*shape, -1) * unit[:, None] * unit,
        variance,
    )


class _State(NamedTuple):
    """Means of classes (K, d), and the covariances of their groups (g, d, d)."""

    mean: Floats
    covariance: Floats


@dataclass(frozen=True, slots=True)
class _Weighted:
    """Rows in standard units under several weightings, each with classes of its own."""

    parts: ObservedParts
    weight: Floats  # (K,)

    @classmethod
    def of(
        cls, Z: Floats, held: Array, codes: Indices, weights: Floats, owner: Indices
    ) -> _Weighted:
        """See `ObservedParts.of_rows`."""
        k = len(owner) // len(weights)
        weight = np.concatenate([np.bincount(codes, own, k) for own in weights])
        return cls(ObservedParts.of_rows(Z, held, codes, weights, owner), weight)

    def expected(self, state: _State) -> Expected:
        """The sums of the completed rows."""
        weight = np.maximum(self.weight, np.finfo(np.float64).tiny)
        # Steps end long before rounding of an inverse would matter.
        return expected_sums(self.parts, *state, weight, doubtful=1e-9)

    def step(self, state: _State) -> _State:
        """One step of EM."""
        e = self.expected(state)
        pooled = e.scatter / np.bincount(self.parts.owner, self.weight)[:, None, None]
        # A little independence, so that few rows of many features have a regular covariance.
        diagonal, at = np.einsum("gii->gi", pooled).copy(), np.arange(pooled.shape[1])
        pooled *= 0.99
        pooled[:, at, at] = diagonal + 1e-6
        return _State(e.means, pooled)

    def converged(self, tolerance: float, max_steps: int) -> _State:
        """The state after which no step changes an entry by the tolerance."""
        d = self.parts.within.shape[1]
        shape = (len(self.weight), d), (len(self.parts.within), d, d)
        history, size = Anderson(0), shape[0][0] * d
        state = _State(np.zeros(shape[0]), np.tile(np.eye(d), (shape[1][0], 1, 1)))
        last, shortest = state, np.inf
        for _ in range(max_steps):
            image = self.step(state)
            point, end = (np.concatenate([part.ravel() for part in one]) for one in (state, image))
            if np.abs(end - point).max() < tolerance:
                return image
            length = float(np.linalg.norm(end - point))
            if length > 2 * shortest:
                history.reject()
                state, shortest = last, np.inf
                continue
            history.add(point, end - point)
            state = last = image
            shortest = length
            correction = history.correction()
            if correction is not None:
                end = end + correction
                leap = _State(end[:size].reshape(shape[0]), end[size:].reshape(shape[1]))
                if are_positive(leap.covariance - 0.1 * image.covariance):
                    state = leap
        return last


def _deviations(X: Floats, held: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the known values of each feature; 1 for a constant one."""
    count = np.maximum(held.sum(axis=0), 1)
    centre = np.where(held, X, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(held, (X - centre) ** 2, 0.0).sum(axis=0) / count)
    return centre, np.where(spread > 0, spread, 1.0)
