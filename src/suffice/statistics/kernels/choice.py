"""Which inner loops to use: compiled ones are loaded only for data large enough to repay it."""

from __future__ import annotations

from typing import Protocol

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.kernels.centred import Centred
from suffice.statistics.kernels.sums import Centres, ClassSums, Fourths, RowBlock

# Number of entries from which compiled loops save more time than loading them takes.
COMPILED_FROM = 1 << 22


class Kernels(Protocol):
    """The inner loops; `plain` and `compiled` give the same sums up to rounding."""

    def class_sums(
        self, X: Array, codes: Indices, weights: Floats, origin: Floats, out: ClassSums
    ) -> None:
        """Add each class's sums about its origin to `out`."""

    def by_class(self, codes: Indices, k: int) -> tuple[Indices, Indices]:
        """Rows in the order of their codes, and where each code starts and the last ends."""

    def centre(
        self, block: RowBlock, order: Indices, about: Centres, Z: Floats, out: Fourths | None
    ) -> None:
        """Write centred rows to Z and add to the fourth-order sums."""

    def centred(self, shape: tuple[int, int], workers: int) -> Centred:
        """An accumulator of scatter, for one of several threads that share rows of this shape."""


def kernels_for(n_entries: int) -> Kernels:
    """The inner loops for a batch of this many entries."""
    if n_entries >= COMPILED_FROM:
        from suffice.statistics.kernels import compiled

        return compiled
    from suffice.statistics.kernels import plain

    return plain
