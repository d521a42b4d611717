"""Known covariance: one that was given, not estimated, and stays as it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariance import FullCovariance
from suffice.models.limits import CLOSE
from suffice.statistics.registry import storable


@storable
@dataclass(frozen=True, slots=True)
class KnownCovariance(FullCovariance):
    """A regular covariance with its entries as they were given, to the last digit."""

    entries: Floats  # (d, d); the product of the factors would round them

    def validated(self) -> Self:
        """This covariance, if its entries are those of its factor; a ValueError otherwise."""
        rows, entries = self.whitener.colouring, self.entries
        if entries.shape != (self.n_features,) * 2 or not np.array_equal(entries, entries.T):
            raise ValueError("the entries of a covariance are not a symmetric table")
        scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            gap = np.abs(entries / scale / scale[:, None] - (rows / scale).T @ (rows / scale))
        if not (gap < CLOSE).all():
            raise ValueError("the entries of a covariance are not those of its factor")
        return self

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""
        return self.entries

    def scaled(self, factor: float) -> KnownCovariance:
        """This covariance times `factor`."""
        return KnownCovariance(self.whitener.scaled(factor), self.entries * factor)
