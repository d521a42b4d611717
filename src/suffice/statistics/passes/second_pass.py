"""Second pass: scatter and fourth-order sums about the class means."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.factored_scatter import FactoredScatter, from_rows
from suffice.statistics.fourth import Fourth
from suffice.statistics.kernels.sums import Centres, Fourths, RowBlock
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.passes.reader import Reader
from suffice.statistics.passes.threads import blas_threads, in_parallel
from suffice.statistics.scatter import DenseScatter


@dataclass(frozen=True, slots=True)
class ScatterSums:
    """Outer products by group and fourth-order sums by class; filled in place."""

    outer: Floats  # (groups, d, d)
    fourths: Fourths | None

    @classmethod
    def empty(cls, k: int, d: int, per_class: bool) -> ScatterSums:
        """Sums over no rows; fourth-order sums only with a scatter per class."""
        if per_class:
            return cls(np.zeros((k, d, d)), Fourths.empty(k, d))
        return cls(np.zeros((1, d, d)), None)

    def absorb(self, other: ScatterSums) -> None:
        """Add the sums of other rows."""
        np.add(self.outer, other.outer, out=self.outer)
        if self.fourths is not None and other.fourths is not None:
            self.fourths.absorb(other.fourths)


def scatter(
    reader: Reader, mean: DoubleDouble, weight: Floats, unit: float, per_class: bool
) -> tuple[DenseScatter | FactoredScatter, Fourth | None]:
    """Scatter by class or pooled, as matrices or as a factor, whichever takes less memory.

    Fourth-order sums need a scatter per class: without it they cannot be merged.
    """
    k = len(mean.high)
    rest = np.zeros_like(mean.high) if mean.low is None else mean.low
    about = Centres(mean.high, rest, 1.0 / unit)
    n, d = reader.shape
    spread: DenseScatter | FactoredScatter
    with np.errstate(all="ignore"):
        if n <= (k if per_class else 1) * d:
            spread, fourths = _factored(reader, about, k, per_class)
        else:
            sums = _by_rows(reader, about, k, per_class)
            spread, fourths = DenseScatter(DoubleDouble(sums.outer), per_class), sums.fourths
    if not np.isfinite(spread.diagonal()).all():
        raise reader.not_finite()
    if fourths is None:
        return spread, None
    if not np.isfinite(fourths.square).all():
        raise reader.not_finite()
    parts = (fourths.square, fourths.cubic, fourths.quartic)
    return spread, Fourth(unit, *parts, mean.high, weight)


def _factored(
    reader: Reader, about: Centres, k: int, per_class: bool
) -> tuple[FactoredScatter, Fourths | None]:
    n, d = reader.shape
    fourths = Fourths.empty(k, d) if per_class else None
    parts, owners = [], []
    for block in reader.blocks(0, n):
        order = _counted_rows(block, k)
        rows = np.empty((len(order), d))
        if len(order):
            reader.kernels.centre(block, order, about, rows, fourths)
        parts.append(rows)
        owners.append(block.codes[order])
    owner = np.concatenate(owners)
    if not per_class:
        owner = np.zeros_like(owner)
    return from_rows(np.concatenate(parts), owner, k if per_class else 1, per_class), fourths


def _by_rows(
    reader: Reader, about: Centres, k: int, per_class: bool, rows_per_class: int = 8192
) -> ScatterSums:
    """Divide the rows among threads that each have sums; if these are too large, the classes.

    rows_per_class : average number in the blocks from which the rows of a class are gathered
    """
    d, groups = reader.shape[1], k if per_class else 1
    workers = reader.workers(8 * groups * d * d)
    if per_class and workers < min(reader.threads, k):
        return _by_class(reader, about, k)

    def work(start: int, stop: int) -> ScatterSums:
        sums = ScatterSums.empty(k, d, per_class)
        centred = reader.kernels.centred(reader.shape, workers)
        for block in reader.blocks(start, stop, rows_per_class * k if per_class else None):
            for group, order in _groups(reader, block, k, per_class):
                centred.add_scatter(block, order, about, sums.outer[group], sums.fourths)
        return sums

    # For small products, BLAS uses one thread by itself, and setting the limit takes longer.
    small = reader.shape[0] * d * d < 1 << 16
    with nullcontext() if small else blas_threads(max(1, reader.threads // workers)):
        return reader.add_up(work, workers)


def _by_class(reader: Reader, about: Centres, k: int) -> ScatterSums:
    """Divide the classes among threads, which then need no sums of their own."""
    n, d = reader.shape
    sums = ScatterSums.empty(k, d, per_class=True)
    workers = min(reader.threads, k)

    def work(block: RowBlock, groups: list[tuple[int, Indices]]) -> None:
        centred = reader.kernels.centred(reader.shape, workers)
        for group, order in groups:
            centred.add_scatter(block, order, about, sums.outer[group], sums.fourths)

    with blas_threads(max(1, reader.threads // workers)):
        for block in reader.blocks(0, n):
            groups = _groups(reader, block, k, per_class=True)
            groups.sort(key=lambda one: -len(one[1]))
            shares_of_work = [groups[i::workers] for i in range(workers)]
            in_parallel(work, [(block, share) for share in shares_of_work if share])
    return sums


def _groups(reader: Reader, block: RowBlock, k: int, per_class: bool) -> list[tuple[int, Indices]]:
    """The rows of a block by group: those of each class, or all of them in one group."""
    if not per_class:
        return [(0, _counted_rows(block, k))]
    order, edges = reader.kernels.by_class(block.codes, k)
    ranges = enumerate(pairwise(edges.tolist()))
    return [(c, order[start:stop]) for c, (start, stop) in ranges if stop > start]


def _counted_rows(block: RowBlock, k: int) -> Indices:
    """The rows of a block without those of weight zero."""
    return np.flatnonzero(block.codes < k) if len(block.weights) else np.arange(len(block.codes))
