"""Exact sums: those of integers over rows, in floats while they cannot round, then in integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidWeights
from suffice.statistics.alignment import Alignment
from suffice.statistics.exact.digits import Digits
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.triangle import diagonal_places

# Of all rows, in units of weight: as many limbs as hold sums of any of them.
TOTAL_WEIGHT_BITS = 56
SUM_LIMBS = 2


def product_limbs(bits: int) -> int:
    """Limbs of sums of products of integers of a given size."""
    return 2 if bits <= 32 else 3


def n_products(d: int, detail: str) -> int:
    """Number of products of d features that are kept: of each with itself, or of all pairs."""
    return d if detail == "diagonal" else d * (d + 1) // 2


def coarser(products: Integers, detail: str, d: int) -> Integers:
    """Products of pairs by class in less detail: squares alone, or all classes together."""
    if detail == "diagonal":
        return products[:, diagonal_places(d)]
    total = Integers.zeros((1, *products.shape[1:]), len(products.limbs))
    for group in range(products.shape[0]):
        total = total + products[group : group + 1]
    return total


@dataclass(frozen=True, slots=True)
class ExactSums:
    """Sums over the rows of each class; products by class, or of all classes together."""

    count: Indices  # (k,)
    weight: Indices  # (k,): in units of weight
    sums: Integers  # (k, d): of w q
    products: Integers  # (groups, entries): of w q q', the upper triangle or the diagonal

    @classmethod
    def zeros(cls, k: int, d: int, bits: int, detail: str) -> ExactSums:
        """Sums over no rows."""
        groups = 1 if detail == "shared" else k
        return cls(
            np.zeros(k, np.int64),
            np.zeros(k, np.int64),
            Integers.zeros((k, d), SUM_LIMBS),
            Integers.zeros((groups, n_products(d, detail)), product_limbs(bits)),
        )

    @staticmethod
    def bytes(k: int, d: int, bits: int, detail: str) -> int:
        """Memory of the sums."""
        groups = 1 if detail == "shared" else k
        return 8 * (SUM_LIMBS * k * d + product_limbs(bits) * groups * n_products(d, detail))

    def __add__(self, other: ExactSums) -> ExactSums:
        return ExactSums(
            self.count + other.count,
            self.weight + other.weight,
            self.sums + other.sums,
            self.products + other.products,
        )

    def in_weight_units(self, grid: Grid) -> ExactSums:
        """Sums of rows of weight one, in units of weight."""
        shift = -grid.weight_exponent
        if shift == 0:
            return self
        if shift < 0:
            raise InvalidWeights(
                f"rows without weights have weight 1, which is not a multiple of "
                f"{grid.weight_unit:g}; make the grid with weight_unit=1."
            )
        sums, products = self.sums.times(shift), self.products.times(shift)
        return ExactSums(self.count, self.weight << shift, sums, products)


def add_aligned(a: Any, b: Any, at: Alignment) -> tuple[Integers, Integers]:
    """The sums and products of two statistics of the same detail, added class by class."""
    sums = a.sums.placed(at.left, at.size).add_rows(at.right, b.sums)
    if a.detail == "shared":
        return sums, a.products + b.products
    return sums, a.products.placed(at.left, at.size).add_rows(at.right, b.products)


@dataclass(slots=True)
class FloatSums:
    """Sums of digits in floats, moved to integers before one could reach 2^53."""

    digits: Digits
    grid: Grid
    detail: str
    total: ExactSums
    sums: Floats  # (digits, k, d)
    products: Floats  # (factors, d, d) of one group; (factors, k, d) of squares
    upper: Any  # the places of the upper triangle
    weighted: bool
    rows: int = 0  # in the floats
    group: int = 0  # of the products in the floats

    @classmethod
    def empty(cls, k: int, d: int, grid: Grid, detail: str, weighted: bool) -> FloatSums:
        """Sums over no rows."""
        digits = Digits.of(grid.bits)
        size = k if detail == "diagonal" else d
        return cls(
            digits,
            grid,
            detail,
            ExactSums.zeros(k, d, grid.bits, detail),
            np.zeros((digits.number, k, d)),
            np.zeros((digits.n_factors, size, d)),
            np.triu_indices(d),
            weighted,
        )

    def make_room(self, rows: int, group: int = 0) -> None:
        """Move the floats to integers if more rows could round, or if they are of another group."""
        if group != self.group or self.rows + rows > self.digits.most_rows(self.weighted):
            self.flush()
        self.rows, self.group = self.rows + rows, group

    def add_weights(self, codes: Indices, weights: Indices | None) -> None:
        """Count rows by class."""
        k = len(self.total.count)
        count = np.bincount(codes, minlength=k)[:k]
        self.total.count[:] += count
        if weights is None:
            self.total.weight[:] += count
        else:
            np.add.at(self.total.weight, codes[codes < k], weights[codes < k])

    def flush(self, shift: int = 0) -> None:
        """Move the floats to integers, times 2^shift."""
        if not self.rows:
            return
        self.rows = 0
        t, digits = self.total, self.digits
        sums = digits.sum_of(list(self.sums), SUM_LIMBS)
        sums = t.sums + (sums.times(shift) if shift else sums)
        parts = list(self.products)
        where: Any = slice(None)
        if self.detail != "diagonal":
            parts = [part[self.upper][None] for part in parts]
            where = slice(self.group, self.group + 1)
        more = digits.product_of(parts, len(t.products.limbs), shift)
        products = t.products.add_rows(where, more)
        self.total = ExactSums(t.count, t.weight, sums, products)
        self.sums[:], self.products[:] = 0.0, 0.0

    def exact(self) -> ExactSums:
        """The sums of all rows that were added."""
        self.flush()
        return self.total
