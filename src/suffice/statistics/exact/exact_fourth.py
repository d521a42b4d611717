"""Exact fourth: integer sums of fourth order, from which Ledoit-Wolf shrinkage is computed.

Let q be the integers of a row, w its weight, and r the units as multiples of their common divisor.
Kept for each class, in one array (k, d + 1), are

    A = sum of w s q,    B = sum of w s²    with s = sum over the features of (r q)²

They add up and subtract like all integers, and `about_means` moves them to the means.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import Batch
from suffice.statistics.exact.digits import Digits, float_digits
from suffice.statistics.exact.exact_pass import whole_weights
from suffice.statistics.exact.exact_sums import TOTAL_WEIGHT_BITS
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import LIMB_BITS, Integers
from suffice.statistics.exact.triangle import diagonal_places, to_matrices
from suffice.statistics.fourth import Fourth, unit_of

if TYPE_CHECKING:
    from suffice.statistics.exact.exact_statistics import ExactStatistics

SQUARE_DIGIT_BITS = 16  # of the digits of w s


def common_unit(grid: Grid) -> tuple[Fraction, list[int]]:
    """The largest common divisor of the units of a grid, and the units as multiples of it."""
    units = grid.unit_fractions()
    below = math.lcm(*(unit.denominator for unit in units))
    whole = [int(unit * below) for unit in units]
    divisor = math.gcd(*whole)
    return Fraction(divisor, below), [one // divisor for one in whole]


def fourth_limbs(grid: Grid) -> int:
    """Limbs of the sums of fourth order on a grid."""
    return 1 + (2 * _square_bits(grid) + TOTAL_WEIGHT_BITS) // LIMB_BITS


def _square_bits(grid: Grid) -> int:
    ratios = common_unit(grid)[1]
    reach = max(r * int(q) for r, q in zip(ratios, grid.reach.tolist(), strict=True))
    return 2 * reach.bit_length() + len(ratios).bit_length() + 1


def fourth_sums(
    batch: Batch,
    grid: Grid,
    most_rows: int = 1 << 16,
    most_features: int = 1 << 11,
    block_entries: int = 1 << 19,
) -> Integers:
    """The sums of fourth order of a batch without missing values, all of it on the grid.

    most_rows, most_features : over which sums of products of digits, of at most 20 bits each, are
        exact in floats
    block_entries : of the rows that are read at a time
    """
    ones = np.full(len(batch.codes), 1 << max(0, -grid.weight_exponent))
    weights = ones if batch.weights is None else whole_weights(batch.weights, 0, grid)
    k, d = len(batch.classes), len(grid.exponent)
    digits, limbs = Digits.of(grid.bits), fourth_limbs(grid)
    pieces = -(-(_square_bits(grid) + TOTAL_WEIGHT_BITS) // SQUARE_DIGIT_BITS)
    floats = np.zeros((pieces, digits.number, k, d))
    total, quartic, waiting = Integers.zeros((k, d), limbs), np.zeros((k, 1), object), 0
    step = max(1, min(most_rows, block_entries // d))
    for low in range(0, len(batch.codes), step):
        codes = batch.codes[low : low + step]
        counted = np.flatnonzero(codes < k)
        order = counted[np.argsort(codes[counted], kind="stable")]
        rows = batch.features.read(low, low + len(codes))[order].astype(np.float64)
        own = digits.digits(np.rint(rows * grid.scale) - grid.anchor, np)
        squares = _squares(own, digits.width, grid, most_features)
        weighted = squares * weights[low + order].astype(object)
        edges = np.searchsorted(codes[order], np.arange(k + 1)).tolist()
        if waiting + len(order) > most_rows:
            total, waiting = total + _whole(floats, digits.width, limbs), 0
        waiting += len(order)
        for c in np.unique(codes[order]).tolist():
            at = slice(edges[c], edges[c + 1])
            quartic[c] += weighted[at] @ squares[at]
            for v, part in enumerate(float_digits(weighted[at], SQUARE_DIGIT_BITS)):
                for t, digit in enumerate(own):
                    floats[v, t, c] += part @ digit[at]
    total = total + _whole(floats, digits.width, limbs)
    return Integers(np.concatenate([total.limbs, Integers.of(quartic, limbs).limbs], axis=2))


def _squares(digits: list[Floats], width: int, grid: Grid, most_features: int) -> Array:
    """The sum of (r q)² of each row, (n,) of Python's integers."""
    ratios = common_unit(grid)[1]
    total = np.zeros(len(digits[0]), object)
    for ratio in sorted(set(ratios)):
        columns = np.flatnonzero([one == ratio for one in ratios])
        for some in np.split(columns, range(most_features, len(columns), most_features)):
            for (t, a), (u, b) in product(enumerate(digits), repeat=2):
                parts = np.einsum("ij,ij->i", a[:, some], b[:, some])
                scale = ratio * ratio << (width * (t + u))
                total += parts.astype(np.int64).astype(object) * scale
    return total


def _whole(floats: Floats, width: int, limbs: int) -> Integers:
    """The integers that sums of digits make; the floats are set to zero."""
    total = Integers.zeros(floats.shape[2:], limbs)
    for v, t in product(range(floats.shape[0]), range(floats.shape[1])):
        if floats[v, t].any():
            whole = floats[v, t].astype(np.int64)
            total = total + Integers.shifted(whole, SQUARE_DIGIT_BITS * v + width * t, limbs)
    floats[:] = 0.0
    return total


def about_means(s: ExactStatistics, means: Floats, squares: Floats) -> Fourth | None:
    """The sums about the class means, each rounded once; None where they are not kept.

    With S and P the sums of w q and w q q', G = diag(r²), Q = sum of w s and N = S'GS:

        sum of w|z|²    Q - N/W
        sum of w|z|²z   A - 2 PGS/W - QS/W + 2 NS/W²
        sum of w|z|⁴    B - 4 A'GS/W + 4 S'GPGS/W² + 2 NQ/W² - 3 N²/W³

    squares : sums of squares about the means, (k, d), which give the unit
    """
    if s.fourth is None:
        return None
    common, ratios = common_unit(s.grid)
    unit = unit_of(float((squares / s.weight[:, None]).max(initial=0.0)))
    scale, weight_unit = common / Fraction(unit), Fraction(s.grid.weight_unit)
    (k, d), r = s.sums.shape, np.array(ratios, object)
    square, cubic, quartic = np.zeros(k), np.zeros((k, d)), np.zeros(k)
    for c in range(k):
        W, S, fourth = int(s.weights[c]), s.sums[c].objects(), s.fourth[c].objects()
        A, B = fourth[:-1], fourth[-1]
        P = to_matrices(s.products[c : c + 1].objects(), d)[0]
        a, Q = r * r * S, (r * r) @ P.diagonal()
        PGS, N = P @ a, a @ S
        square[c] = Fraction(Q * W - N, W) * weight_unit * scale**2
        third = (A * W - 2 * PGS - Q * S) * W + 2 * N * S
        cubic[c] = third * r * (weight_unit * scale**3 / W**2)
        most = B * W**3 - 4 * (A @ a) * W**2 + 4 * (a @ PGS) * W + 2 * N * Q * W - 3 * N * N
        quartic[c] = Fraction(most, W**3) * weight_unit * scale**4
    return Fourth(unit, square, cubic, quartic, means, s.weight)


def impossible_fourth(s: ExactStatistics, c: int) -> bool:
    """Whether no rows of a class can have its sums: (sum of w s)² > W B."""
    if s.fourth is None:
        return False
    r = np.array(common_unit(s.grid)[1], object)
    Q = (r * r) @ s.products[c, diagonal_places(s.n_features)].objects()
    return bool(int(s.weights[c]) * s.fourth[c].objects()[-1] < Q * Q)
