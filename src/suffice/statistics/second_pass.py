"""Second pass: scatter and fourth-order sums about the class means."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.factored_scatter import FactoredScatter, from_rows
from suffice.statistics.fourth import Fourth
from suffice.statistics.kernels.centred import Centred
from suffice.statistics.kernels.sums import Centres, Fourths, RowBlock
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.reader import Reader
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.threads import blas_threads, in_parallel, shares


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


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows of a block that belong to one group: those of a class, or all of them."""

    group: int
    order: Indices


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


def _by_rows(reader: Reader, about: Centres, k: int, per_class: bool) -> ScatterSums:
    """Divide the rows among threads that each have sums; if these are too large, the classes."""
    n, d = reader.shape
    groups = k if per_class else 1
    workers = reader.workers(8 * groups * d * d)
    if per_class and workers < min(reader.threads, k):
        return _by_class(reader, about, k)

    # Rows are gathered by class from stretches with on average this many rows per class.
    rows_per_class = 8192

    def work(start: int, stop: int) -> ScatterSums:
        sums = ScatterSums.empty(k, d, per_class)
        centred = reader.kernels.centred(reader.shape, workers)
        for block in reader.blocks(start, stop, rows_per_class * k if per_class else None):
            for segment in _segments(reader, block, k, per_class):
                _add(block, segment, about, centred, sums)
        return sums

    with blas_threads(max(1, reader.threads // workers)):
        total, *others = in_parallel(work, shares(n, workers))
    for other in others:
        total.absorb(other)
    return total


def _by_class(reader: Reader, about: Centres, k: int) -> ScatterSums:
    """Divide the classes among threads, which then need no sums of their own."""
    n, d = reader.shape
    sums = ScatterSums.empty(k, d, per_class=True)
    workers = min(reader.threads, k)

    def work(block: RowBlock, segments: list[Segment]) -> None:
        centred = reader.kernels.centred(reader.shape, workers)
        for segment in segments:
            _add(block, segment, about, centred, sums)

    with blas_threads(max(1, reader.threads // workers)):
        for block in reader.blocks(0, n):
            segments = _segments(reader, block, k, per_class=True)
            segments.sort(key=lambda segment: -len(segment.order))
            shares_of_work = [segments[i::workers] for i in range(workers)]
            in_parallel(work, [(block, share) for share in shares_of_work if share])
    return sums


def _segments(reader: Reader, block: RowBlock, k: int, per_class: bool) -> list[Segment]:
    if not per_class:
        return [Segment(0, _counted_rows(block, k))]
    order, edges = reader.kernels.by_class(block.codes, k)
    ranges = enumerate(pairwise(edges.tolist()))
    return [Segment(c, order[start:stop]) for c, (start, stop) in ranges if stop > start]


def _counted_rows(block: RowBlock, k: int) -> Indices:
    """The rows of a block without those of weight zero."""
    return np.flatnonzero(block.codes < k) if len(block.weights) else np.arange(len(block.codes))


def _add(
    block: RowBlock, segment: Segment, about: Centres, centred: Centred, sums: ScatterSums
) -> None:
    centred.add_scatter(block, segment.order, about, sums.outer[segment.group], sums.fourths)
