"""Coordinates: class means and scatter as vectors, in standard deviations; and directions in them.

Where values are missing, directions tell how well rows determine a covariance, and which vanish.
Their matrices hold scatter per unit of weight, in standard deviations of the features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.models.covariances.linalg import rank_tolerance, reciprocal


@dataclass(frozen=True)
class Coordinates:
    """One row for each class, or one for all of them.

    apart : whether each class has its own row and scatter
    """

    scale: Floats  # (g, d): standard deviations
    totals: Floats  # (g,): weight behind each scatter
    classes: int
    apart: bool

    @cached_property
    def upper(self) -> tuple[Indices, Indices]:
        """Rows and columns of the upper triangle, which determines a symmetric matrix."""
        rows, columns = np.triu_indices(self.scale.shape[1])
        return rows, columns

    def pack(self, means: Floats, scatter: Floats, at: Indices) -> Floats:
        """Class means (k, d) and scatter (g, d, d) as rows; `at` selects classes, if apart."""
        scale = self._own(self.scale, at)
        matrices = self.correlations(scatter, at)
        parts = [means / scale, matrices[:, self.upper[0], self.upper[1]]]
        if self.apart:
            return np.concatenate(parts, axis=1)
        return np.concatenate([part.ravel() for part in parts])[None]

    def unpack(self, points: Floats, at: Indices) -> tuple[Floats, Floats]:
        """Class means and scatter of such rows."""
        scale, totals = self._own(self.scale, at), self._own(self.totals, at)
        g, d = scale.shape
        k = g if self.apart else self.classes
        if self.apart:
            means, entries = points[:, :d], points[:, d:]
        else:
            means, entries = points[0, : k * d].reshape(k, d), points[0, k * d :].reshape(g, -1)
        scatter, (rows, columns) = np.empty((g, d, d)), self.upper
        scatter[:, rows, columns] = scatter[:, columns, rows] = entries
        scatter *= scale[:, :, None] * scale[:, None, :] * totals[:, None, None]
        return means * scale, scatter

    def correlations(self, scatter: Floats, at: Indices) -> Floats:
        """Scatter (g, d, d) per unit of weight, in standard deviations."""
        scale, totals = self._own(self.scale, at), self._own(self.totals, at)
        return np.asarray(scatter / scale[:, :, None] / scale[:, None, :] / totals[:, None, None])

    def _own(self, values: Floats, at: Indices) -> Floats:
        return values[at] if self.apart else values


# Variances below this share of the largest that keep falling are taken to be zero.
VANISHING_SHARE = 1e-9


def missing_shares(modelled: Floats, imputed: Floats) -> Floats:
    """The largest share of missing values in the variance along any direction, (n,).

    max v'Iv / v'Mv, with M the scatter that corresponds to a covariance and I the part of it due to
    missing values, both (n, d, d). Directions without variance are left out.
    """
    values, vectors = np.linalg.eigh(modelled)
    kept = values > rank_tolerance(values.shape[1]) * values[:, -1:]
    inverse = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    whitening = vectors * inverse[:, None, :]
    return np.asarray(np.linalg.eigvalsh(whitening.transpose(0, 2, 1) @ imputed @ whitening)[:, -1])


def vanishing_directions(modelled: Floats, after: Floats, imputed: Floats) -> Floats | None:
    """Directions (d, r) along which the variance tends to zero from step to step.

    A step keeps the share of the variance due to missing values, and adds what observed values
    contribute. The variance converges where the two balance.
    """
    values, vectors = np.linalg.eigh(after)
    tolerance = rank_tolerance(len(values)) * values[-1]
    small = vectors[:, (values > tolerance) & (values < VANISHING_SHARE * values[-1])]
    if not small.shape[1]:
        return None
    whole, seen, lost = (
        np.einsum("ir,ij,jr->r", small, part, small)
        for part in (modelled, after - imputed, imputed)
    )
    vanishing = small[:, seen * whole < tolerance * (whole - lost)]
    return vanishing if vanishing.shape[1] else None


def is_moving(before: Floats, after: Floats) -> bool:
    """Whether a step still changes small variances, long after large ones have converged."""
    then, now = np.linalg.eigvalsh(before), np.linalg.eigvalsh(after)
    # Variances below this share of the largest must converge on their own.
    small_share = 1e-3
    small = (now < small_share * now[-1]) & (now > rank_tolerance(len(now)) * now[-1])
    return bool((small & (np.abs(now - then) > 1e-3 * now)).any())


def smallest_shares(matrices: Floats) -> Floats:
    """The smallest variance along any direction of (n, d, d), as a share of the largest, (n,)."""
    values: Floats = np.linalg.eigvalsh(matrices).astype(np.float64)
    return np.asarray(values[:, 0] * reciprocal(values[:, -1]))
