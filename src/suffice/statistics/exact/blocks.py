"""Blocks: rows on the grid, a few at a time, so that they and their digits stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.exact.digits import WEIGHT_DIGIT_BITS
from suffice.statistics.exact.exact_sums import ExactSums, FloatSums, class_sums, weight_digits
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

    def __init__(self, total: FloatSums, by_class: SortByClass) -> None:
        self.total, self.by_class = total, by_class
        d = total.sums.shape[2]
        most = total.digits.most_rows(total.weighted)
        self.step = max(1, min(max(self.fewest_rows, self.entries // d), most))

    def exact(self) -> ExactSums:
        """The sums of all rows that were added."""
        return self.total.exact()

    def add_products(
        self, X: Array, order: Indices, codes: Indices, weights: Indices | None, group: int
    ) -> bool:
        """Add some rows, all products to one group; False if a value is not on the grid."""
        for low in range(0, len(order), self.step):
            some = order[low : low + self.step]
            own = None if weights is None else weights[some]
            if not self._add_products(X, some, codes, own, group):
                return False
        return True

    def add_squares(self, X: Array, codes: Indices, weights: Indices | None) -> bool:
        """Add rows, the squares of each class by itself; False if a value is not on the grid."""
        order, edges = self.by_class(codes, self.total.sums.shape[1])
        for low in range(0, edges[-1], self.step):
            some = order[low : min(low + self.step, edges[-1])]
            own = None if weights is None else weights[some]
            factors = self._factors(X, some, codes, own)
            if factors is None:
                return False
            for shift, left in _weighted(factors, own):
                self._add(left, factors, codes[some], shift, squares=True)
        return True

    def _add_products(
        self, X: Array, some: Indices, codes: Indices, weights: Indices | None, group: int
    ) -> bool:
        order = np.argsort(codes[some], kind="stable")
        at, weights = some[order], None if weights is None else weights[order]
        factors = self._factors(X, at, codes, weights, group)
        if factors is None:
            return False
        for shift, left in _weighted(factors, weights):
            self._add(left, factors, codes[at], shift, squares=False, group=group)
        return True

    def _factors(
        self, X: Array, at: Indices, codes: Indices, weights: Indices | None, group: int = 0
    ) -> list[Floats] | None:
        """The factors of rows, which are counted; None if a value is not on the grid."""
        total, grid = self.total, self.total.grid
        rows = X[at]
        q = np.rint(rows.astype(np.float64, copy=False) * grid.scale) - grid.anchor
        if not is_inside(grid, rows, q):
            return None
        total.make_room(len(at), group)
        total.add_weights(codes[at], weights)
        return total.digits.factors(q, np)

    def _add(
        self,
        left: list[Floats],
        right: list[Floats],
        codes: Indices,
        shift: int,
        squares: bool,
        group: int = 0,
    ) -> None:
        total = self.total
        if shift or total.weighted:
            # Each digit of the weights has a power of its own.
            total.flush()
            total.rows, total.group = len(codes), group
        k = total.sums.shape[1]
        for t in range(total.digits.number):
            total.sums[t] += class_sums(left[t], codes, k)
        for f, (a, b) in enumerate(zip(left, right, strict=True)):
            if squares:
                total.products[f] += class_sums(a * b, codes, k)
            elif a is b:
                add_square(a, total.products[f])
            else:
                total.products[f] += a.T @ b
        if shift or total.weighted:
            total.flush(shift)


def _weighted(factors: list[Floats], weights: Indices | None) -> list[tuple[int, list[Floats]]]:
    """The factors times each digit of the weights, and its power of two."""
    if weights is None:
        return [(0, factors)]
    return [
        (WEIGHT_DIGIT_BITS * g, [factor * part[:, None] for factor in factors])
        for g, part in enumerate(weight_digits(weights))
    ]


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

    def add_products(
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

    def add_squares(self, X: Array, codes: Indices, weights: Indices | None) -> bool:
        """Add rows, the squares of each class by itself; False if a value is not on the grid."""
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
