"""Blocks: rows on the grid, a few at a time, so that they and their digits stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.exact.digits import WEIGHT_DIGIT_BITS, float_digits
from suffice.statistics.exact.exact_sums import ExactSums, FloatSums
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.outside import is_inside
from suffice.statistics.kernels import plain
from suffice.statistics.kernels.blas import add_square
from suffice.statistics.passes.reader import Reader

SortByClass = Callable[[Indices, int], tuple[Indices, Indices]]  # see `kernels.choice.Kernels`


def blocks_for(reader: Reader, total: FloatSums) -> ExactBlocks:
    """The loops that suit these rows: compiled ones where they are possible and worth loading."""
    grid, sort = total.grid, reader.kernels.by_class
    # Compiled loops round by adding a constant, which is right for whole numbers below this.
    most_compiled = 2.0**51
    far = (np.abs(grid.anchor) + grid.reach >= most_compiled).any()
    if reader.kernels is plain or total.weighted or grid.is_decimal or far:
        return ExactBlocks(total, sort)
    if total.detail == "diagonal":
        small = grid.bits <= CompiledSquares.most_bits
        return CompiledSquares(total, sort) if small else ExactBlocks(total, sort)
    return CompiledProducts(total, sort) if total.digits.number == 2 else ExactBlocks(total, sort)


class ExactBlocks:
    """Adds rows to sums, with NumPy alone."""

    fewest_rows: ClassVar[int] = 128
    entries: ClassVar[int] = 1 << 15  # of the rows that are taken at a time
    xp: Any = np

    def __init__(self, total: FloatSums, by_class: SortByClass) -> None:
        self.total, self.by_class = total, by_class
        d = total.sums.shape[2]
        most = total.digits.most_rows(total.weighted)
        self.step = max(1, min(max(self.fewest_rows, self.entries // d), most))

    def exact(self) -> ExactSums:
        """The sums of all rows that were added."""
        return self.total.exact()

    def add(self, X: Array, codes: Indices, weights: Indices | None) -> bool:
        """Add the rows of all classes; False if a value is not on the grid."""
        if self.total.detail != "separate":
            counted = np.flatnonzero(codes < self.total.sums.shape[1])
            return self.add_group(X, counted, codes, weights, 0)
        order, edges = self.by_class(codes, self.total.sums.shape[1])
        return all(
            self.add_group(X, order[low:high], codes, weights, c)
            for c, (low, high) in enumerate(pairwise(edges.tolist()))
            if high > low
        )

    def add_group(
        self, X: Array, order: Indices, codes: Indices, weights: Indices | None, group: int
    ) -> bool:
        """Add some rows, all products to one group; False as above."""
        for low in range(0, len(order), self.step):
            some = order[low : low + self.step]
            # By class, so that its sums stay in the cache.
            some = some[np.argsort(codes[some], kind="stable")]
            own = None if weights is None else weights[some]
            if not self.add_rows(X, some, codes[some], own, group):
                return False
        return True

    def add_rows(
        self, X: Any, at: Any, codes: Indices, weights: Indices | None, group: int
    ) -> bool:
        """Add the rows at some places, in the order of their codes; False as above."""
        total, q = self.total, self.integers(X, at)
        if q is None:
            return False
        total.make_room(len(codes), group)
        total.add_weights(codes, weights)
        factors = total.digits.factors(q, self.xp)
        bits = WEIGHT_DIGIT_BITS
        for g, part in enumerate([None] if weights is None else float_digits(weights, bits)):
            left = factors
            if part is not None:
                # Each digit of the weights has a power of its own.
                total.flush()
                total.rows, total.group = len(codes), group
                left = [factor * self.put(part)[:, None] for factor in factors]
            for digit, sums in zip(left[: total.digits.number], total.sums, strict=True):
                self.add_by_class(digit, codes, sums)
            for a, b, products in zip(left, factors, total.products, strict=True):
                if total.detail == "diagonal":
                    self.add_by_class(a * b, codes, products)
                else:
                    self.add_pairs(a, b, products)
            if part is not None:
                total.flush(bits * g)
        return True

    def put(self, values: Floats) -> Any:
        """An array where the rows are."""
        return values

    def integers(self, X: Any, at: Any) -> Any:
        """Rows in units of the grid; None if a value is not on it."""
        grid, rows = self.total.grid, X[at]
        q = np.rint(rows.astype(np.float64, copy=False) * grid.scale) - grid.anchor
        return q if is_inside(grid, rows, q) else None

    def add_by_class(self, values: Any, codes: Indices, out: Floats) -> None:
        """Add rows in the order of their codes to the sums of their classes, (k, d)."""
        present, starts = np.unique(codes, return_index=True)
        out[present] += np.add.reduceat(values, starts, axis=0)

    def add_pairs(self, left: Any, right: Any, out: Floats) -> None:
        """Add the products of all pairs of columns, (d, d)."""
        if left is right:
            add_square(left, out)
        else:
            out += left.T @ right


class CompiledProducts(ExactBlocks):
    """Adds rows of two digits without weights to sums, with compiled loops."""

    # Products of a power of two of rows are slower: such rows share places in the cache.
    fewest_rows = 320
    # Each block is a few calls from Python, which small ones would not repay.
    entries = fewest_rows << 8

    def __init__(self, total: FloatSums, by_class: SortByClass) -> None:
        super().__init__(total, by_class)
        grid = total.grid
        self._room = np.empty((3, self.step, total.sums.shape[2]))
        ends = grid.lowest.astype(float), grid.highest.astype(float)
        self._grid, self._base = (grid.scale, _bias(grid), *ends), float(1 << total.digits.width)

    def add_group(
        self, X: Array, order: Indices, codes: Indices, weights: Indices | None, group: int
    ) -> bool:
        """Add some rows, all products to one group; False if a value is not on the grid."""
        from suffice.statistics.kernels.factors import factors_of_two, fetch

        total = self.total
        total.add_weights(codes[order], None)
        for low in range(0, len(order), self.step):
            some = order[low : low + self.step]
            fetch(X, some)
            # By class, so that its sums stay in the cache.
            some = some[np.argsort(codes[some], kind="stable")]
            total.make_room(len(some), group)
            room = self._room[:, : len(some)]
            # The lower digit's sum takes whole integers: they stay below 2^53, too.
            if factors_of_two(X, some, codes, self._grid, self._base, tuple(room), total.sums[0]):
                return False
            for factor, product in zip(room, total.products, strict=True):
                add_square(factor, product)
        return True


class CompiledSquares(ExactBlocks):
    """Adds rows without weights to sums of integers and of their squares, with compiled loops."""

    entries = 1 << 17
    most_bits: ClassVar[int] = 32  # four squares of such integers are added in 64 bits
    most_rows: ClassVar[int] = 1 << 27

    def __init__(self, total: FloatSums, by_class: SortByClass) -> None:
        super().__init__(total, by_class)
        grid = total.grid
        self._grid = grid.scale, _bias(grid), grid.lowest, grid.highest
        # Of the integers, and of the lower and upper halves of their squares.
        self._sums = np.zeros((3, *total.sums.shape[1:]), np.int64)
        self._places = np.arange(self.step)
        self._rows = 0

    def add(self, X: Array, codes: Indices, weights: Indices | None) -> bool:
        """Add the rows of all classes; False if a value is not on the grid."""
        from suffice.statistics.kernels.factors import add_squares, fetch

        self.total.add_weights(codes, None)
        k = self._sums.shape[1]
        for low in range(0, len(codes), self.step):
            rows, own = X[low : low + self.step], codes[low : low + self.step]
            fetch(rows, self._places[: len(rows)])
            # By class, so that its sums stay in the cache.
            order, edges = self.by_class(own, k)
            order = order[: edges[k]]
            self._rows += len(order)
            if self._rows > self.most_rows:
                self._flush()
                self._rows = len(order)
            if add_squares(rows, order, own, self._grid, self._sums):
                return False
        return True

    def exact(self) -> ExactSums:
        """The sums of all rows that were added."""
        self._flush()
        return self.total.exact()

    def _flush(self) -> None:
        t, (sums, low, high) = self.total.total, self._sums
        limbs = len(t.products.limbs)
        squares = Integers.shifted(low, 0, limbs) + Integers.shifted(high, 32, limbs)
        sums = t.sums + Integers.shifted(sums, 0, len(t.sums.limbs))
        self.total.total = ExactSums(t.count, t.weight, sums, t.products + squares)
        self._sums[:] = 0


def _bias(grid: Grid) -> Floats:
    """What compiled loops add to scaled values, which rounds them and subtracts the anchor."""
    return np.asarray(1.5 * 2.0**52 - grid.anchor)
