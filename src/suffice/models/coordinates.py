"""Coordinates: class means and scatter as vectors, in standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Floats, Indices


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
