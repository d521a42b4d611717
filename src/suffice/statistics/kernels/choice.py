"""Which inner loops to use: compiled ones are loaded only for data large enough to repay it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Protocol

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.kernels.centred import Centred
from suffice.statistics.kernels.sums import Centres, ClassSums, Fourths, RowBlock

# Number of entries from which compiled loops are faster, once they are loaded.
COMPILED_FROM = 1 << 22

# Entries that a process reads with NumPy before it loads the compiled loops, and before it compiles
# them. Loading takes about as long as the loops save on LOADED_FROM entries, compiling ten times
# as long.
LOADED_FROM = 1 << 26
BUILT_FROM = 1 << 30


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


class _Loading:
    """The decision to load the compiled loops, once the entries read so far repay it."""

    def __init__(self) -> None:
        self.entries = 0

    def repaid_by(self, n_entries: int) -> bool:
        """Whether reading this many more entries repays it."""
        if f"{__package__}.compiled" in sys.modules:
            return True
        self.entries += n_entries
        if self.entries < LOADED_FROM:
            return False
        return self.entries >= BUILT_FROM or _were_built()


_loading = _Loading()


def kernels_for(n_entries: int, lasting: bool = False) -> Kernels:
    """The inner loops for a batch of this many entries.

    The two kinds differ in the last digits of sums, so that those of large batches may depend on
    what the process has read before.

    lasting : whether the batch is one of many whose sums must not depend on that
    """
    if n_entries >= COMPILED_FROM and (lasting or _loading.repaid_by(n_entries)):
        from suffice.statistics.kernels import compiled

        return compiled
    from suffice.statistics.kernels import plain

    return plain


def _were_built() -> bool:
    """Whether another process has compiled the loops: then numba finds them on disk."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    kept = Path(folder) if folder else Path(__file__).parent
    return next(kept.glob("*/compiled.*.nbi"), None) is not None
