"""Gap rows: rows with missing values, gathered by how many values are missing.

With Q the precision matrix, the missing values of a row given the others have covariance
inv(Q_mm) and mean -inv(Q_mm) (Q x)_m, where x is the row with zeros for what is missing (all about
the mean). So a row costs the cube of the number of its missing values, not of its features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices


@dataclass(frozen=True, slots=True)
class GapRows:
    """Rows that lack the same number of values."""

    rows: Indices  # (n,): their positions
    missing: Indices  # (n, m): which features they lack

    @classmethod
    def of(cls, held: Array) -> list[GapRows]:
        """From which values are there, (n, d).

        >>> GapRows.of(np.array([[True, False], [True, True]]))
        [GapRows(rows=array([0]), missing=array([[1]]))]
        """
        counts = (~held).sum(axis=1)
        out = []
        for m in np.unique(counts[counts > 0]):
            rows = np.flatnonzero(counts == m)
            out.append(cls(rows, np.nonzero(~held[rows])[1].reshape(len(rows), m)))
        return out

    def block(self, precision: Floats) -> Floats:
        """The part of precision matrices (..., d, d) for the missing values, (..., n, m, m)."""
        return precision[..., self.missing[:, :, None], self.missing[:, None, :]]

    def entries(self, products: Floats) -> Floats:
        """The entries of products Qx (..., rows, d) for the missing values, (..., n, m)."""
        return products[..., self.rows[:, None], self.missing]
