"""Fold completion: moments of the training rows of every fold where values are missing.

EM under one covariance shared by the classes, all folds side by side. Every candidate takes the
same completed moments: this is for choosing a model, not for its estimates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
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
    max_steps: int = 60,
    fold_steps: int = 6,
) -> FoldMoments:
    """The moments of rows with missing values (NaN).

    tolerance : of means and covariances, in standard deviations
    fold_steps : steps of EM in the folds, starting from the estimates of all rows
    """
    held = ~np.isnan(X)
    scale = _deviations(X, held)
    training = np.zeros((len(folds), len(X)))
    for row, fold in zip(training, folds, strict=True):
        row[fold.train] = weights[fold.train]
    em = _Completion((np.where(held, X, 0.0) - scale[0] * held) / scale[1], held, codes, k)
    mean, covariance = np.zeros((1, k, X.shape[1])), np.eye(X.shape[1])[None]
    for _ in range(max_steps):
        before = mean, covariance
        mean, covariance = em.step(mean, covariance, weights[None])
        changes = (
            np.abs(now - old).max() for now, old in zip((mean, covariance), before, strict=True)
        )
        if max(changes) < tolerance:
            break
    mean, covariance = (np.repeat(one, len(folds), axis=0) for one in (mean, covariance))
    for _ in range(fold_steps):
        mean, covariance = em.step(mean, covariance, training)
    mean, scatter, weight = em.moments(mean, covariance, training)
    variance = np.where(scale[1] > 0, scale[1] ** 2, 0.0)
    unit = scale[1]
    return FoldMoments(weight, mean * unit + scale[0], scatter * unit[:, None] * unit, variance)


class _Completion:
    """Rows in standard units, zero where a value is missing."""

    def __init__(self, Z: Floats, held: Floats, codes: Indices, k: int) -> None:
        self.Z, self.held, self.k = Z, held, k
        self.gaps = GapRows.of(held)
        self.own = np.zeros((k, len(Z)))
        self.own[codes, np.arange(len(Z))] = 1.0
        self.codes = codes

    def step(self, mean: Floats, covariance: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """One step of EM: means (f, k, d) and covariances (f, d, d) of each weighting (f, n)."""
        mean, scatter, weight = self.moments(mean, covariance, weights)
        total = weight.sum(axis=1)[:, None, None]
        pooled = scatter.sum(axis=1) / total
        # A little independence, so that few rows of many features have a regular covariance.
        diagonal = np.einsum("fii->fi", pooled)
        pooled *= 0.99
        d = pooled.shape[-1]
        pooled[:, np.arange(d), np.arange(d)] = diagonal + 1e-6
        return mean, pooled

    def moments(
        self, mean: Floats, covariance: Floats, weights: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Mean (f, k, d), scatter (f, k, d, d) and weight (f, k) of the completed rows."""
        f, d = len(mean), mean.shape[2]
        step = (self.Z - mean[:, self.codes]) * self.held  # (f, n, d)
        precision = np.asarray(np.linalg.inv(covariance), np.float64)
        products = step @ precision
        spread = np.zeros((f, self.k, d * d))
        for gaps in self.gaps:
            inverse = np.asarray(np.linalg.inv(gaps.block(precision)), np.float64)
            conditional, missing = inverse[:, gaps.pattern], gaps.missing  # (f, n, m, m), (n, m)
            filled = conditional @ gaps.entries(products)[..., None]
            step[:, gaps.rows[:, None], missing] = -filled[..., 0]
            at = missing[:, :, None] * d + missing[:, None, :]
            at = at + (self.codes[gaps.rows] * d * d)[:, None, None]
            part = conditional * weights[:, gaps.rows][:, :, None, None]
            for i in range(f):
                spread[i] += np.bincount(at.ravel(), part[i].ravel(), self.k * d * d).reshape(
                    self.k, d * d
                )
        weight = weights @ self.own.T
        sizes = np.maximum(weight, np.finfo(np.float64).tiny)[:, :, None]
        scatter = spread.reshape(f, self.k, d, d)
        moved = np.empty_like(mean)
        for c in range(self.k):
            rows = np.flatnonzero(self.codes == c)
            z = step[:, rows]
            weighted = z * weights[:, rows, None]
            first = weighted.sum(axis=1)
            centre = first / sizes[:, c]
            scatter[:, c] += weighted.transpose(0, 2, 1) @ z - first[:, :, None] * centre[:, None]
            moved[:, c] = mean[:, c] + centre
        return moved, scatter, weight


def _deviations(X: Floats, held: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the known values of each feature; 1 for a constant one."""
    count = np.maximum(held.sum(axis=0), 1)
    centre = np.where(held, X, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(held, (X - centre) ** 2, 0.0).sum(axis=0) / count)
    return centre, np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True, slots=True)
class GapRows:
    """Rows that lack the same number of values.

    With Q the precision matrix, the missing values of a row given the others have covariance
    inv(Q_mm) and mean -inv(Q_mm) (Q x)_m, where x is the row with zeros for what is missing (all
    about the mean). So a pattern of gaps costs the cube of the number of its missing values, not of
    the features; rows with the same pattern share its matrices.
    """

    rows: Indices  # (n,): their positions
    pattern: Indices  # (n,): which pattern of gaps each has
    patterns: Indices  # (u, m): the features that are missing in each pattern

    @classmethod
    def of(cls, held: Array) -> list[GapRows]:
        """From which values are there, (n, d).

        >>> GapRows.of(np.array([[True, False], [True, True], [True, False]]))
        [GapRows(rows=array([0, 2]), pattern=array([0, 0]), patterns=array([[1]]))]
        """
        bits = np.packbits(~held, axis=1)
        keys = bits.view(np.dtype((np.void, bits.shape[1]))).ravel()
        _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
        counts = (~held[first]).sum(axis=1)
        out = []
        for m in np.unique(counts[counts > 0]).tolist():
            rows = np.flatnonzero(counts[pattern] == m)
            own, at = np.unique(pattern[rows], return_inverse=True)
            missing = np.nonzero(~held[first[own]])[1].reshape(len(own), m)
            out.append(cls(rows, at, missing))
        return out

    @property
    def missing(self) -> Indices:
        """Which features each row lacks, (n, m)."""
        return np.asarray(self.patterns[self.pattern])

    def block(self, precision: Floats) -> Floats:
        """The part of precision matrices (..., d, d) for the missing values, (..., u, m, m)."""
        return precision[..., self.patterns[:, :, None], self.patterns[:, None, :]]

    def entries(self, products: Floats) -> Floats:
        """The entries of products Qx (..., rows, d) for the missing values, (..., n, m)."""
        return products[..., self.rows[:, None], self.missing]
