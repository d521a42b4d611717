"""Exact pass: rows -> integers on a grid -> sums of them, and of their products, by class."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import Batch
from suffice.errors import HasGaps, InvalidWeights, NotFinite
from suffice.statistics.exact.digits import WEIGHT_DIGIT_BITS, Digits
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.outside import check_inside
from suffice.statistics.reader import Reader, RowBlock
from suffice.statistics.threads import blas_threads, in_parallel, shares

# Entries of a block of rows: the block and its factors stay in the cache.
BLOCK_ENTRIES = 1 << 17

# The weight of a row, and of all rows, in units of weight.
ROW_WEIGHT_BITS = 24
TOTAL_WEIGHT_BITS = 56

SUM_LIMBS = 2


def product_limbs(bits: int) -> int:
    """Limbs of sums of products of integers of so many bits, whatever the number of rows."""
    return 2 if bits <= 32 else 3


def n_products(d: int, detail: str) -> int:
    """Number of products of d features that are kept: of each with itself, or of all pairs."""
    return d if detail == "diagonal" else d * (d + 1) // 2


@dataclass(frozen=True, slots=True)
class ExactSums:
    """Sums over the rows of each class; products by class, or of all classes together."""

    count: Indices  # (k,)
    weight: Indices  # (k,): in units of weight
    sums: Integers  # (k, d): of w q
    products: Integers  # (groups, entries): of w q q', the upper triangle or the diagonal

    def plus(self, other: ExactSums) -> ExactSums:
        """The sums of the rows of both."""
        return ExactSums(
            self.count + other.count,
            self.weight + other.weight,
            self.sums + other.sums,
            self.products + other.products,
        )


def exact_sums(batch: Batch, grid: Grid, detail: str) -> ExactSums:
    """The sums of a batch, on a grid with one entry for each feature."""
    reader = Reader.of(batch)
    n, d = reader.shape
    k, groups = len(batch.classes), 1 if detail == "shared" else len(batch.classes)
    weights = None if batch.weights is None else whole_weights(batch, grid)
    size = 8 * groups * product_limbs(grid.bits) * n_products(d, detail)
    workers = reader.workers(size)

    def work(start: int, stop: int) -> ExactSums:
        summing = _Summing(batch, grid, detail, weights, k)
        for block in reader.blocks(start, stop, summing.most_rows):
            summing.add(block)
        return summing.total()

    with blas_threads(max(1, reader.threads // workers)):
        total, *others = in_parallel(work, shares(n, workers))
    for other in others:
        total = total.plus(other)
    return total


def whole_weights(batch: Batch, grid: Grid) -> Indices:
    """The weights of rows in units of weight; an error if one is not a multiple of the unit."""
    assert batch.weights is not None
    scaled = np.ldexp(batch.weights, -grid.weight_exponent)
    bad = (np.rint(scaled) != scaled) | (scaled >= 1 << ROW_WEIGHT_BITS)
    if bad.any():
        i = int(bad.argmax())
        raise InvalidWeights(
            f"row {batch.first_row + i} has weight {batch.weights[i]:.6g}; on this grid weights "
            f"are multiples of {grid.weight_unit:g} below {2.0**ROW_WEIGHT_BITS * grid.weight_unit:g}"
            ". Round them, or make the grid with another weight_unit, such as weight_unit=2**-10."
        )
    return scaled.astype(np.int64)


class _Summing:
    """Sums in floats, which are moved to integers before they could round."""

    def __init__(
        self, batch: Batch, grid: Grid, detail: str, weights: Indices | None, k: int
    ) -> None:
        self._batch, self._grid, self._detail, self._k = batch, grid, detail, k
        self._weights = weights
        self._digits = Digits.of(grid.bits)
        d = batch.features.shape[1]
        self._limbs = product_limbs(grid.bits)
        self._upper = np.triu_indices(d)
        groups = 1 if detail == "shared" else k
        self._count = np.zeros(k, np.int64)
        self._weight = np.zeros(k, np.int64)
        self._sums = Integers.zeros((k, d), SUM_LIMBS)
        self._products = Integers.zeros((groups, n_products(d, detail)), self._limbs)
        self._step = max(1, min(BLOCK_ENTRIES // d, self._digits.most_rows(weights is not None)))
        # A class's rows are gathered from a stretch of the table.
        self.most_rows = 16 * self._step * (k if detail == "separate" else 1)

    def add(self, block: RowBlock) -> None:
        """Add the rows of a block."""
        order = np.argsort(block.codes, kind="stable")
        codes = block.codes[order]
        edges = np.searchsorted(codes, np.arange(self._k + 1))
        self._count += np.diff(edges)
        if self._detail == "separate":
            for c, (low, high) in enumerate(pairwise(edges.tolist())):
                if high > low:
                    self._add_run(block, order[low:high], np.array([0, high - low]), [c], c)
        else:
            counted = order[: edges[-1]]
            for low in range(0, len(counted), self._step):
                some = counted[low : low + self._step]
                inner = np.clip(edges - low, 0, len(some))
                present = np.flatnonzero(np.diff(inner)).tolist()
                starts = np.append(inner[present], len(some))
                self._add_run(block, some, starts, present, 0)

    def _add_run(
        self, block: RowBlock, order: Indices, edges: Indices, classes: list[int], group: int
    ) -> None:
        """Add rows that are sorted by class, a few at a time."""
        for low in range(0, len(order), self._step):
            some = order[low : low + self._step]
            inner = np.clip(edges - low, 0, len(some))
            q = self._integers(block, some)
            weights = None if self._weights is None else self._weights[block.first + some]
            self._add_rows(q, weights, inner, classes, group)

    def _integers(self, block: RowBlock, order: Indices) -> Floats:
        """Some rows as integers, held in floats; an error names a value outside the grid."""
        rows = block.rows[order].astype(np.float64, copy=False)
        grid = self._grid
        q = np.rint(rows * grid.scale) - grid.anchor
        low, high = q.min(axis=0), q.max(axis=0)
        # Also where a value is NaN.
        if not ((low >= grid.lowest) & (high <= grid.highest)).all():
            self._raise_outside(block, order, q)
        if grid.is_decimal:
            check_inside(grid, block.rows[order], q, self._first(block), order, self._names)
        return q

    def _raise_outside(self, block: RowBlock, order: Indices, q: Floats) -> None:
        rows = block.rows[order]
        if np.isinf(rows).any():
            raise Reader.of(self._batch).infinite() or NotFinite("Input X contains infinity.")
        if np.isnan(rows).any():
            raise HasGaps("Input X contains NaN.")
        check_inside(self._grid, rows, q, self._first(block), order, self._names)

    def _first(self, block: RowBlock) -> int:
        return self._batch.first_row + block.first

    @property
    def _names(self) -> tuple[str, ...] | None:
        return self._batch.features.names

    def _add_rows(
        self, q: Floats, weights: Indices | None, edges: Indices, classes: list[int], group: int
    ) -> None:
        digits, factors = self._digits, self._digits.factors(q, np)
        starts = edges[:-1]
        for g, part in enumerate(weight_digits(weights)):
            shift = WEIGHT_DIGIT_BITS * g
            left = factors if part is None else [factor * part[:, None] for factor in factors]
            own = [np.add.reduceat(one, starts, axis=0) for one in left[: digits.number]]
            sums = digits.sum_of(own, SUM_LIMBS)
            self._sums = self._sums.add_rows(classes, sums.times(shift) if shift else sums)
            if self._detail == "diagonal":
                squares = [
                    np.add.reduceat(a * b, starts, axis=0)
                    for a, b in zip(left, factors, strict=True)
                ]
                at: Any = classes
            else:
                squares = [
                    (a.T @ b)[self._upper][None] for a, b in zip(left, factors, strict=True)
                ]
                at = [group]
            products = digits.product_of(squares, self._limbs, shift)
            self._products = self._products.add_rows(at, products)
        own_weight = np.diff(edges) if weights is None else np.add.reduceat(weights, starts)
        self._weight[classes] += own_weight

    def total(self) -> ExactSums:
        """The sums of all rows that were added, in units of weight."""
        sums = ExactSums(self._count, self._weight, self._sums, self._products)
        return sums if self._weights is not None else in_weight_units(sums, self._grid)


def weight_digits(weights: Indices | None) -> list[Floats | None]:
    """The digits of weights, as floats; a single None where each row has weight one."""
    if weights is None:
        return [None]
    parts: list[Floats | None] = []
    while not parts or weights.any():
        parts.append((weights & ((1 << WEIGHT_DIGIT_BITS) - 1)).astype(np.float64))
        weights = weights >> WEIGHT_DIGIT_BITS
    return parts


def in_weight_units(sums: ExactSums, grid: Grid) -> ExactSums:
    """Sums of rows of weight one, in units of weight."""
    shift = -grid.weight_exponent
    if shift == 0:
        return sums
    if shift < 0:
        raise InvalidWeights(
            f"rows without weights have weight 1, which is not a multiple of {grid.weight_unit:g}; "
            "make the grid with weight_unit=1."
        )
    return ExactSums(
        sums.count, sums.weight << shift, sums.sums.times(shift), sums.products.times(shift)
    )
