"""Centred rows: one thread's buffers for centring rows and multiplying them with BLAS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.kernels.sums import Centres, Fourths, RowBlock

Centre = Callable[[RowBlock, Indices, Centres, Floats, Fourths | None], None]


class Centred(Protocol):
    """An object that adds up the scatter of rows."""

    def add_scatter(
        self, block: RowBlock, order: Indices, about: Centres, out: Floats, fourths: Fourths | None
    ) -> None:
        """Add the scatter of the rows of a block in `order` about their class means to `out`.

        fourths : receives the fourth-order sums; all rows must then belong to one class
        """


@dataclass(frozen=True, slots=True)
class CentredRows:
    """Rows less the means of their classes, and their product."""

    block_bytes: ClassVar[int] = 4 << 20  # fits the cache
    all_blocks_bytes: ClassVar[int] = 64 << 20  # limit for all threads together
    fewest_rows: ClassVar[int] = 3072  # products of fewer rows are slower

    rows: Floats  # (rows, d)
    product: Floats  # (d, d)
    centre: Centre

    @classmethod
    def of(cls, shape: tuple[int, int], workers: int, centre: Centre) -> CentredRows:
        """Buffers for one of several threads that share rows of this shape."""
        n, d = shape
        rows = max(cls.block_bytes // (8 * d), cls.fewest_rows)
        most = min(n, cls.all_blocks_bytes // workers // (8 * d))
        return cls(np.empty((max(1, min(rows, most)), d)), np.empty((d, d)), centre)

    def add_scatter(
        self, block: RowBlock, order: Indices, about: Centres, out: Floats, fourths: Fourths | None
    ) -> None:
        """See `Centred`."""
        step = len(self.rows)
        for start in range(0, len(order), step):
            some = order[start : start + step]
            Z = self.rows[: len(some)]
            self.centre(block, some, about, Z, fourths)
            out += np.matmul(Z.T, Z, out=self.product)
