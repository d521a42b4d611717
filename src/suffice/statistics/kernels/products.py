"""Centred columns: rows centred and multiplied by compiled loops; imported for large data only.

BLAS is made for large matrices. Below about two hundred features, loops over columns that are in
the cache take a half or a quarter of its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from platform import machine
from typing import Any, ClassVar

import numpy as np
from llvmlite.binding import get_host_cpu_features

from suffice.data.arrays import Floats, Indices
from suffice.data.jit import jit
from suffice.statistics.kernels.sums import Centres, Fourths, RowBlock

# Sums along rows may be reordered for vector instructions, but only in loops that write nothing:
# otherwise the order, and so the last digit, would depend on the alignment of the arrays.
ANY_ORDER = {"contract", "reassoc"}

# Number of features from which BLAS is faster.
WIDE = 192

# Each tile multiplies four columns by this many others: 16 sums if the processor has 32 wide
# registers, else 12. Sums that do not fit the registers take half as much time again, or more.
_is_arm = machine() in ("aarch64", "arm64")
TILE_COLUMNS = 4 if _is_arm or get_host_cpu_features().get("avx512f") else 3


@dataclass(frozen=True, slots=True)
class CentredColumns:
    """Buffers for the columns of rows minus their class means, and for the products of columns."""

    fewest_rows: ClassVar[int] = 256

    # Rows are centred in blocks of this size, which fit the second-level cache.
    block_bytes: ClassVar[int] = 1 << 18

    columns: Floats  # (d + columns that the last tile reads beyond it, rows + padding)
    length: Floats  # (rows,)
    product: Floats  # one row and column per column; filled below the diagonal only
    cubic: Floats  # (d,)

    @classmethod
    def of(cls, n: int, d: int) -> CentredColumns:
        """Buffers for blocks of at most n rows."""
        rows = max(1, min(n, max(cls.fewest_rows, cls.block_bytes // (8 * d))))
        reached = 4 * -(-d // 4) + 2
        # Extra entries at the end of each column: if lengths were powers of two, all columns
        # would compete for the same cache lines.
        padding = 8
        columns = np.zeros((reached, rows + padding))
        return cls(columns, np.zeros(rows), np.zeros((reached, reached)), np.zeros(d))

    def add_scatter(
        self, block: RowBlock, order: Indices, about: Centres, out: Floats, fourths: Fourths | None
    ) -> None:
        """See `Centred`."""
        d, sums = block.rows.shape[1], fourths is not None
        rows = (block.rows, order, block.codes, block.weights)
        self.product[:] = 0.0
        means = (about.mean, about.rest, about.per_unit)
        room = (self.columns, self.length, self.product, self.cubic)
        square, quartic = _add_scatter(rows, means, sums, room)
        below = np.tril(self.product[:d, :d])
        out += below + np.tril(below, -1).T
        if fourths is not None and len(order):
            fourths.add(int(block.codes[order[0]]), square, self.cubic, quartic)


@jit()
def _add_scatter(rows: Any, about: Any, with_fourths: bool, room: Any) -> tuple[float, float]:
    X, order, codes, weights = rows
    mean, rest, per_unit = about
    Z, length, product, cubic = room
    d = X.shape[1]
    square = quartic = 0.0
    w = np.empty(0)
    cubic[:] = 0.0
    for start in range(0, len(order), len(length)):
        block = order[start : start + len(length)]
        n = len(block)
        _centre_columns(X, block, codes, mean, rest, Z)
        if len(weights):
            w = weights[block]
        if with_fourths:
            more, most = _fourth_order(Z, n, d, w, per_unit, length, cubic)
            square += more
            quartic += most
        if len(weights):
            _multiply(Z, d, np.sqrt(w))
        _add_products(Z, n, d, product)
    return square, quartic


@jit()
def _multiply(Z: Any, d: int, root: Any) -> None:
    for j in range(d):
        for p in range(len(root)):
            Z[j, p] *= root[p]


@jit(forceinline=True)
def minus(x: float, m: float, rest: float) -> float:
    """x minus a mean in two parts."""
    # A function of its own, compiled without permission to merge the two subtractions.
    return (x - m) - rest


@jit()
def _centre_columns(X: Any, order: Any, codes: Any, mean: Any, rest: Any, Z: Any) -> None:
    for r in range(len(order)):
        x = X[order[r]]
        c = codes[order[r]]
        m = mean[c]
        low = rest[c]
        for j in range(len(x)):
            Z[j, r] = minus(np.float64(x[j]), m[j], low[j])


@jit(fastmath=ANY_ORDER, forceinline=True)
def _sum(a: Any) -> float:
    total = 0.0
    for p in range(len(a)):
        total += a[p]
    return total


@jit(fastmath=ANY_ORDER, forceinline=True)
def dot(a: Any, b: Any) -> float:
    """The sum of products."""
    total = 0.0
    for p in range(len(a)):
        total += a[p] * b[p]
    return total


@jit()
def _fourth_order(
    Z: Any, rows: int, d: int, weights: Any, per_unit: float, length: Any, cubic: Any
) -> tuple[float, float]:
    length[:rows] = 0.0
    for j in range(d):
        for p in range(rows):
            length[p] += Z[j, p] * Z[j, p]
    scale = per_unit * per_unit
    for p in range(rows):
        length[p] *= scale
    long = weights * length[:rows] if len(weights) else length[:rows]
    for j in range(d):
        cubic[j] += per_unit * dot(long, Z[j, :rows])
    return _sum(long), dot(long, length[:rows])


@jit(fastmath=ANY_ORDER)
def _add_tile(Z: Any, i: int, j: int, rows: int, out: Any) -> None:
    # Sums of products of four columns and three or four others.
    a0, a1 = Z[i, :rows], Z[i + 1, :rows]
    a2, a3 = Z[i + 2, :rows], Z[i + 3, :rows]
    b0, b1 = Z[j, :rows], Z[j + 1, :rows]
    b2, b3 = Z[j + 2, :rows], Z[j + TILE_COLUMNS - 1, :rows]
    s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
    s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = 0.0
    for p in range(rows):
        s00 += a0[p] * b0[p]
        s01 += a0[p] * b1[p]
        s02 += a0[p] * b2[p]
        s10 += a1[p] * b0[p]
        s11 += a1[p] * b1[p]
        s12 += a1[p] * b2[p]
        s20 += a2[p] * b0[p]
        s21 += a2[p] * b1[p]
        s22 += a2[p] * b2[p]
        s30 += a3[p] * b0[p]
        s31 += a3[p] * b1[p]
        s32 += a3[p] * b2[p]
        if TILE_COLUMNS == 4:
            s03 += a0[p] * b3[p]
            s13 += a1[p] * b3[p]
            s23 += a2[p] * b3[p]
            s33 += a3[p] * b3[p]
    out[i, j] += s00
    out[i, j + 1] += s01
    out[i, j + 2] += s02
    out[i + 1, j] += s10
    out[i + 1, j + 1] += s11
    out[i + 1, j + 2] += s12
    out[i + 2, j] += s20
    out[i + 2, j + 1] += s21
    out[i + 2, j + 2] += s22
    out[i + 3, j] += s30
    out[i + 3, j + 1] += s31
    out[i + 3, j + 2] += s32
    if TILE_COLUMNS == 4:
        out[i, j + 3] += s03
        out[i + 1, j + 3] += s13
        out[i + 2, j + 3] += s23
        out[i + 3, j + 3] += s33


@jit()
def _add_products(Z: Any, rows: int, d: int, out: Any) -> None:
    for i in range(0, d, 4):
        for j in range(0, i + 4, TILE_COLUMNS):
            _add_tile(Z, i, j, rows, out)
