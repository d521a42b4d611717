"""Side by side: distances of rows to classes with separate full covariances, by one product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariances.linalg import Cholesky, strips


@dataclass(frozen=True)
class SideBySide:
    """Classes whose whiteners A are triangular: |(x - mean) A'|² for all classes at once.

    With x and the means about one centre, (x, 1) times (A', -mean A') needs no subtraction per
    class. Each product takes the same few columns of every A', and skips the zeros below them.
    """

    # Largest distance, in deviations, of all means from a single reference point: a row within its
    # class then loses two digits, sums of squares four.
    few_deviations: ClassVar[float] = 64.0

    # Largest number of entries of all factors: larger ones are as fast class by class.
    most_entries: ClassVar[int] = 1 << 18

    centre: Floats  # (d,)
    steps: Floats  # (k, d): means about the centre
    factors: tuple[Cholesky, ...]

    @classmethod
    def of(cls, centre: Floats, steps: Floats, factors: tuple[Cholesky, ...]) -> SideBySide | None:
        """Classes with these means about a centre, or None if too large or too far apart."""
        if steps.size * steps.shape[1] > cls.most_entries:
            return None
        scales = np.array([factor.scale for factor in factors])
        near = np.abs(steps) <= cls.few_deviations * scales
        return cls(centre, steps, factors) if near.all() else None

    @cached_property
    def strips(self) -> list[Floats]:
        """The next few columns of (-mean A', A') of all classes, without rows of zeros."""
        parts = []
        for low, high in strips(len(self.centre)):
            columns = [factor.columns[:high, low:high] for factor in self.factors]
            starts = [-step[:high] @ A for step, A in zip(self.steps, columns, strict=True)]
            parts.append(np.vstack([np.concatenate(starts), np.hstack(columns)]))
        return parts

    def squared_distances(self, X: Floats) -> Floats:
        """Squared Mahalanobis distance of each row to each mean, (k, n)."""
        n, k = len(X), len(self.factors)
        out = np.zeros((k, n))
        width = self.strips[0].shape[1]
        # Entries of a block of rows whitened for all classes, which fits the cache.
        block_entries = 1 << 17
        block = min(n, max(64, block_entries // width))
        rows, products = np.ones((block, 1 + len(self.centre))), np.empty(block * width)
        for start in range(0, n, block):
            part, sums = X[start : start + block], out[:, start : start + block]
            np.subtract(part, self.centre, out=rows[: len(part), 1:])
            for strip in self.strips:
                white = products[: len(part) * strip.shape[1]].reshape(len(part), -1)
                np.matmul(rows[: len(part), : len(strip)], strip, out=white)
                by_class = white.reshape(len(part), k, -1)
                sums += np.einsum("ncj,ncj->cn", by_class, by_class)
        return out
