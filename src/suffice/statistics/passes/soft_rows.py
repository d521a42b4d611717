"""Soft rows: rows that may belong to several components, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, TypeVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.statistics.passes.threads import blas_threads, in_parallel, n_threads

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows that may belong to the same components."""

    at: Indices | slice  # which rows of X
    size: int
    components: Indices  # (m,)
    gaps: Gaps | None = None  # the missing values of the rows, which are then sorted by pattern

    @property
    def rows(self) -> Indices:
        """The numbers of the rows."""
        return np.arange(self.size) if isinstance(self.at, slice) else self.at


@dataclass(frozen=True, slots=True)
class SoftBlock:
    """Some rows of a stretch, one per column."""

    columns: Floats  # (d, b)
    weights: Floats | None  # (b,)
    at: Indices | slice
    components: Indices  # (m,)
    gaps: Gaps | None


@dataclass(frozen=True, slots=True)
class SoftRows:
    """Rows, with the components that each may belong to."""

    # Number of entries from which a second thread saves more time than starting it takes.
    parallel_from: ClassVar[int] = 1 << 18

    most_rows: ClassVar[int] = 4096  # per block

    fewest_rows: ClassVar[int] = 256  # per block

    # A block of rows takes about this much, so that it fits the cache along with temporary arrays.
    block_bytes: ClassVar[int] = 1 << 17

    X: Array  # (n, d)
    weights: Floats | None  # (n,)
    stretches: tuple[Stretch, ...]

    @classmethod
    def of(
        cls, X: Array, weights: Floats | None, codes: Indices, owner: Indices, gaps: bool
    ) -> SoftRows:
        """Rows of a class may have its components; rows of no class (-1) may have all.

        codes : (n,) position of the class of each row; rows of weight zero are left out
        owner : (K,) class of each component
        gaps : whether values are missing
        """
        stretches: list[Stretch] = []
        for c in np.unique(codes).tolist():
            mine = codes == c if weights is None else (codes == c) & (weights > 0)
            components = np.arange(len(owner)) if c < 0 else np.flatnonzero(owner == c)
            stretches += _stretches(X, mine, components, gaps)
        return cls(X, weights, tuple(stretch for stretch in stretches if stretch.size))

    def each(self, work: Callable[[SoftBlock], None]) -> None:
        """Call work(block) for every block, divided among threads."""

        def several(first: int, workers: int) -> None:
            for block in self.blocks(first, workers):
                work(block)

        self.shared_out(several)

    def shared_out(self, work: Callable[[int, int], Result], bytes_each: int = 0) -> list[Result]:
        """Results of work(first, workers) for each worker, which allocates `bytes_each` bytes."""
        size = sum(stretch.size for stretch in self.stretches) * self.X.shape[1]
        threads = n_threads() if size >= self.parallel_from else 1
        # Every thread has its own sums; this limits the memory of the sums of all threads together.
        copies_bytes = 48 << 20
        workers = max(1, min(threads, copies_bytes // max(1, bytes_each)))
        with blas_threads(max(1, threads // workers)):
            return in_parallel(work, [(first, workers) for first in range(workers)])

    def blocks(self, first: int, every: int) -> Iterator[SoftBlock]:
        """Every `every`-th block, starting with block `first`."""
        fair = self.block_bytes // (8 * self.X.shape[1])
        step = min(self.most_rows, max(self.fewest_rows, fair))
        for i, low in islice(self._starts(step), first, None, every):
            stretch = self.stretches[i]
            high = min(stretch.size, low + step)
            at = slice(low, high) if isinstance(stretch.at, slice) else stretch.at[low:high]
            columns = np.ascontiguousarray(self.X[at].T, dtype=np.float64)
            weights = None if self.weights is None else self.weights[at]
            gaps = None if stretch.gaps is None else stretch.gaps.between(low, high)
            yield SoftBlock(columns, weights, at, stretch.components, gaps)

    def _starts(self, step: int) -> Iterator[tuple[int, int]]:
        for i, stretch in enumerate(self.stretches):
            for low in range(0, stretch.size, step):
                yield i, low


def _stretches(X: Array, mine: Array, components: Indices, gaps: bool) -> Iterator[Stretch]:
    """Complete rows in their order, and rows with missing values sorted by pattern."""
    if not gaps:
        at = slice(0, len(X)) if mine.all() else np.flatnonzero(mine)
        yield Stretch(at, int(mine.sum()), components)
        return
    at = np.flatnonzero(mine)
    missing = np.isnan(X[at])
    some = missing.any(axis=1)
    yield Stretch(at[~some], int((~some).sum()), components)
    order, patterns = Gaps.sorted(missing[some])
    yield Stretch(at[some][order], int(some.sum()), components, patterns)
