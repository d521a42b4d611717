"""Products of centred columns, added up; imported only when there are many rows.

Libraries of linear algebra are made for larger matrices: here is what they copy and sort first,
already in columns, and for up to some hundred of these plain loops take half or a quarter as long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from platform import machine
from typing import Any

import numpy as np
from llvmlite.binding import get_host_cpu_features

from suffice.data.arrays import Floats
from suffice.data.jit import jit

# Sums along rows may be added up in any order, so that compiled loops take several at a time: but
# only in loops that write nothing. Beside the writing, the order would depend on where in memory
# things lie.
ANY_ORDER = {"contract", "reassoc"}

# From so many columns on, the library is faster.
WIDE = 192

# Products of four columns and so many others at a time: 16 sums where the processor has 32 wide
# registers, else 12: with sums that have none it takes half as long again, or more.
ACROSS = 4 if get_host_cpu_features().get("avx512f") or machine() in ("aarch64", "arm64") else 3

# Rows at a time: their columns stay in the cache.
STRETCH_BYTES, STRETCH = 1 << 19, 512


@dataclass(frozen=True, slots=True)
class Products:
    """Sums of products of columns; filled in place."""

    d: int
    columns: Floats  # (d, rows), and as many more, all zero, as the loops reach beyond the last
    below: Floats  # the same number of rows and columns; only what is not above the diagonal counts
    product: Floats  # a place for one product of the library

    @classmethod
    def empty(cls, d: int, rows: int, room: Callable[[int, int], Floats]) -> Products:
        """Of nothing, and a place for so many rows of d columns."""
        reached = d if d >= WIDE else 4 * -(-d // 4) + 2
        columns = room(reached, rows)
        columns[d:] = 0.0
        product = np.empty((d, d) if d >= WIDE else (0, 0))
        return cls(d, columns, np.zeros((reached, reached)), product)

    def add(self, rows: int) -> None:
        """The products of the first rows of the columns."""
        if self.d < WIDE:
            stretch = max(STRETCH, STRETCH_BYTES // (8 * self.d))
            _add_products(self.columns, rows, self.d, stretch, self.below)
        else:
            Z = self.columns[:, :rows]
            np.add(self.below, np.matmul(Z, Z.T, out=self.product), out=self.below)

    def diagonal(self) -> Floats:
        """Sums of squares, (d,)."""
        return self.below.diagonal()[: self.d]

    def matrix(self) -> Floats:
        """All of them, (d, d): to the last bit its own transpose."""
        below = np.tril(self.below[: self.d, : self.d])
        return below + np.tril(below, -1).T


@jit(fastmath=ANY_ORDER)
def _add_tile(
    Z: Any, i: int, j: int, start: int, stop: int, out: Any
) -> None:  # pragma: no cover - compiled
    # Sums of products of four columns and three or four others.
    a0, a1 = Z[i, start:stop], Z[i + 1, start:stop]
    a2, a3 = Z[i + 2, start:stop], Z[i + 3, start:stop]
    b0, b1 = Z[j, start:stop], Z[j + 1, start:stop]
    b2, b3 = Z[j + 2, start:stop], Z[j + ACROSS - 1, start:stop]
    s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
    s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = 0.0
    for p in range(stop - start):
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
        if ACROSS == 4:
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
    if ACROSS == 4:
        out[i, j + 3] += s03
        out[i + 1, j + 3] += s13
        out[i + 2, j + 3] += s23
        out[i + 3, j + 3] += s33


@jit()
def _add_products(
    Z: Any, rows: int, d: int, stretch: int, out: Any
) -> None:  # pragma: no cover - compiled
    for start in range(0, rows, stretch):
        stop = min(rows, start + stretch)
        for i in range(0, d, 4):
            for j in range(0, i + 4, ACROSS):
                _add_tile(Z, i, j, start, stop, out)
