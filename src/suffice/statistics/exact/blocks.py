"""Blocks: rows on the grid, a few at a time, so that they and their digits stay in the cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.exact.digits import WEIGHT_DIGIT_BITS
from suffice.statistics.exact.exact_sums import FloatSums, class_sums, weight_digits
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.outside import is_inside
from suffice.statistics.kernels.choice import COMPILED_FROM
from suffice.statistics.reader import Reader

# Entries of a block of rows.
BLOCK_ENTRIES = 1 << 15
FEWEST_ROWS = 128

# Compiled loops round by adding a constant, which is right for whole numbers below this.
MOST_COMPILED = 2.0**51


def is_compiled(reader: Reader, grid: Grid, weights: Indices | None) -> bool:
    """Whether compiled loops serve these rows, and are worth loading."""
    n, d = reader.shape
    large = reader.batch.is_long or n * d >= COMPILED_FROM
    two = grid.bits > 21 and grid.bits <= 34
    near = bool((np.abs(grid.anchor) + grid.reach < MOST_COMPILED).all())
    return large and two and near and weights is None and not grid.is_decimal


class ExactBlocks:
    """Adds rows to sums, with NumPy alone."""

    def __init__(self, total: FloatSums) -> None:
        self.total = total
        d = total.sums.shape[2]
        most = total.digits.most_rows(total.weighted)
        self.step = max(1, min(max(FEWEST_ROWS, BLOCK_ENTRIES // d), most))

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
        k = self.total.sums.shape[1]
        counted = np.flatnonzero(codes < k)
        order = counted[np.argsort(codes[counted], kind="stable")]
        for low in range(0, len(order), self.step):
            some = order[low : low + self.step]
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


def add_square(rows: Floats, out: Floats) -> None:
    """Add rows' rows to the upper triangle of `out`, in place."""
    # The transposes of arrays in C order, which BLAS takes without a copy; its lower triangle is
    # our upper one. A product by NumPy would be written and read once more.
    dsyrk(1.0, rows.T, beta=1.0, c=out.T, lower=1, overwrite_c=1)


def _weighted(factors: list[Floats], weights: Indices | None) -> list[tuple[int, list[Floats]]]:
    """The factors times each digit of the weights, and its power of two."""
    if weights is None:
        return [(0, factors)]
    return [
        (WEIGHT_DIGIT_BITS * g, [factor * part[:, None] for factor in factors])
        for g, part in enumerate(weight_digits(weights))
    ]


class CompiledBlocks(ExactBlocks):
    """Adds rows of two digits without weights to sums, with compiled loops."""

    def __init__(self, total: FloatSums, d: int) -> None:
        super().__init__(total)
        self._room = np.empty((3, self.step, d))
        grid = total.grid
        self._grid: tuple[Any, ...] = (
            grid.scale,
            grid.anchor,
            grid.lowest.astype(np.float64),
            grid.highest.astype(np.float64),
            float(1 << total.digits.width),
        )

    @classmethod
    def of(cls, total: FloatSums, d: int) -> CompiledBlocks:
        """Blocks of rows of d features."""
        return cls(total, d)

    def add_products(
        self, X: Array, order: Indices, codes: Indices, weights: Indices | None, group: int
    ) -> bool:
        """Add some rows, all products to one group; False if a value is not on the grid."""
        from suffice.statistics.kernels.factors import factors_of_two

        total = self.total
        total.add_weights(codes[order], None)
        # By class, so that its sums stay in the cache.
        order = order[np.argsort(codes[order], kind="stable")]
        for low in range(0, len(order), self.step):
            some = order[low : low + self.step]
            total.make_room(len(some), group)
            room = self._room[:, : len(some)]
            # The lower digit's sum takes whole integers: they stay below 2^53, too.
            if factors_of_two(X, some, codes, *self._grid, *room, total.sums[0]):
                return False
            for factor, product in zip(room, total.products, strict=True):
                add_square(factor, product)
        return True

    def add_squares(self, X: Array, codes: Indices, weights: Indices | None) -> bool:
        """Add rows, the squares of each class by itself; False if a value is not on the grid."""
        from suffice.statistics.kernels.factors import squares_of_two

        total = self.total
        total.make_room(len(codes))
        total.add_weights(codes, None)
        low, high, cross = np.zeros_like(total.products)
        for start in range(0, len(codes), self.step):
            some = _by_class(codes, start, start + self.step, total.sums.shape[1])
            if squares_of_two(X, some, codes, *self._grid, total.sums[0], low, high, cross):
                return False
        total.products += np.stack([low, high, low + high + 2 * cross])
        return True


def _by_class(codes: Indices, start: int, stop: int, k: int) -> Indices:
    """Rows of a block in the order of their classes, so that a class's sums stay in the cache."""
    own = codes[start:stop]
    order = np.argsort(own, kind="stable")
    if own.max(initial=0) >= k:
        order = order[own[order] < k]
    return np.asarray(order + start)
