"""Moments: mean and scatter of exact statistics, each entry rounded to a float once.

With W the weight in units of weight v, s the sums of w q, S those of w q q', and u the units of the
grid:

    mean     = (s / W + anchor) u
    scatter  = (W S - s s') / W  v u u'    (summed over the classes if pooled)

The numerators are Python's integers, and the quotient of two of them is the nearest float. A power
of two is then multiplied in, which is exact; a power of ten belongs to the denominator.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Floats
from suffice.statistics.exact.exact_fourth import about_means
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.triangle import pairs, to_matrices
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, Scatter
from suffice.statistics.statistics import Statistics

if TYPE_CHECKING:
    from suffice.statistics.exact.exact_statistics import ExactStatistics


def moments(s: ExactStatistics) -> Statistics:
    """Ordinary statistics with the correctly rounded mean and scatter."""
    sums = DoubleDouble(scatter(s))
    spread: Scatter = DenseScatter(sums, s.detail == "separate")
    if s.detail == "diagonal":
        spread = DiagonalScatter(sums)
    means_of = DoubleDouble(*means(s))
    fourth = about_means(s, means_of.high, spread.diagonal()) if s.has_fourth else None
    return Statistics(s.classes, s.count, s.weight, means_of, spread, fourth, s.feature_names)


def means(s: ExactStatistics) -> tuple[Floats, Floats]:
    """The means, and the part of them that does not fit in the float, (k, d) each."""
    k, d = s.sums.shape
    anchor = list(map(int, s.grid.anchor.tolist()))
    tens = [10 ** max(p, 0) for p in s.grid.decimals.tolist()]
    totals, weights = iter(s.sums.tolist()), s.weights.tolist()
    high, low = [], []
    for c in range(k):
        for j in range(d):
            number, below = next(totals) + weights[c] * anchor[j], weights[c] * tens[j]
            near = number / below
            top, bottom = near.as_integer_ratio()
            high.append(near)
            low.append((number * bottom - top * below) / (below * bottom))
    both = np.ldexp(np.array([high, low]).reshape(2, k, d), s.grid.exponent)
    return both[0], both[1]


def scatter(s: ExactStatistics) -> Floats:
    """Centred sums of products: (k, d, d), (1, d, d) if pooled, or (k, d) of squares."""
    k, d = s.sums.shape
    if s.detail == "shared":
        triangles = np.array([_pooled(s)])
    else:
        triangles = np.array([_of_class(s, c) for c in range(k)]).reshape(k, -1)
    i, j = pairs(d, s.detail)
    units = s.grid.exponent[i] + s.grid.exponent[j] + s.grid.weight_exponent
    values = np.ldexp(triangles, units)
    return values if s.detail == "diagonal" else to_matrices(values, d)


def _of_class(s: ExactStatistics, c: int) -> list[float]:
    """The scatter of a class, in units of powers of two."""
    W, own, products = int(s.weights[c]), s.sums[c].tolist(), s.products[c].tolist()
    tens = _tens(s)
    if s.detail == "diagonal":
        parts = zip(products, own, tens, strict=True)
        return [(W * square - one * one) / (W * p * p) for square, one, p in parts]
    out, at = [], 0
    for i, (first, p) in enumerate(zip(own, tens, strict=True)):
        row = products[at : at + len(own) - i]
        at += len(row)
        if p == 1 and s.grid.decimals.max() <= 0:
            out += [(W * one - first * b) / W for one, b in zip(row, own[i:], strict=True)]
        else:
            others = zip(row, own[i:], tens[i:], strict=True)
            out += [(W * one - first * b) / (W * p * q) for one, b, q in others]
    return out


def _pooled(s: ExactStatistics) -> list[float]:
    """The scatter pooled over classes: S minus the sum of s s' / W, over one denominator."""
    d, tens = s.n_features, _tens(s)
    # Up to this many classes, a common denominator takes less time than a matrix product of digits.
    few_classes = 3
    if len(s.classes) > few_classes:
        return _pooled_by_digits(s, tens)
    common = math.lcm(*s.weights.tolist())
    shares = [common // weight for weight in s.weights.tolist()]
    own, products = s.sums.tolist(), s.products.tolist()
    rows = [own[c * d : (c + 1) * d] for c in range(len(s.classes))]
    out, at = [], 0
    for i in range(d):
        scaled = [share * row[i] for share, row in zip(shares, rows, strict=True)]
        for j in range(i, d):
            between = sum(a * row[j] for a, row in zip(scaled, rows, strict=True))
            out.append((common * products[at] - between) / (common * tens[i] * tens[j]))
            at += 1
    return out


def _tens(s: ExactStatistics) -> list[int]:
    return [10 ** max(p, 0) for p in s.grid.decimals.tolist()]


DIGIT_BITS = 20


def _pooled_by_digits(s: ExactStatistics, tens: list[int]) -> list[float]:
    """The same for many classes, by a matrix product.

    scatter = S - sum over classes of s s' / W. With T = rint(2^F s / W), the sum of s T' is 2^F
    times the last term, off by at most half the sum of |s|. Where both ends of that error round to
    the same float, it is the nearest one; else the entry is computed by fractions.
    """
    k, d = s.sums.shape
    own, weights = s.sums.tolist(), s.weights.tolist()
    fraction_bits = 64
    shares = [_rounded(one << fraction_bits, weights[at // d]) for at, one in enumerate(own)]
    between = _product(own, shares, k, d)
    error = [sum(abs(own[c * d + j]) for c in range(k)) // 2 + 1 for j in range(d)]
    products, out, at = s.products.tolist(), [], 0
    unit = 1 << fraction_bits
    for i in range(d):
        for j in range(i, d):
            value = (products[at] << fraction_bits) - between[at]
            below = unit * tens[i] * tens[j]
            near = (value - error[i]) / below
            if near != (value + error[i]) / below:
                near = _exactly(products[at], own, weights, i, j, d, tens[i] * tens[j])
            out.append(near)
            at += 1
    return out


def _rounded(a: int, b: int) -> int:
    return (2 * a + b) // (2 * b)


def _exactly(
    product: int, own: list[int], weights: list[int], i: int, j: int, d: int, ten: int
) -> float:
    value = Fraction(product)
    for c, weight in enumerate(weights):
        value -= Fraction(own[c * d + i] * own[c * d + j], weight)
    value /= ten
    return value.numerator / value.denominator


def _product(a: list[int], b: list[int], k: int, d: int) -> list[int]:
    """The upper triangle of a'b for integers (k, d), from exact products of their digits."""
    left, right = _digits(a, k, d), _digits(b, k, d)
    upper = np.triu_indices(d)
    limbs = -(-DIGIT_BITS * (len(left) + len(right)) // 60) + 1
    total = Integers.zeros((len(upper[0]),), limbs)
    chunk_classes = 1 << 12  # of which products of digits add up below 2^53
    for t, x in enumerate(left):
        for u, y in enumerate(right):
            for low in range(0, k, chunk_classes):
                part = (x[low : low + chunk_classes].T @ y[low : low + chunk_classes])[upper]
                total = total + Integers.shifted(part.astype(np.int64), DIGIT_BITS * (t + u), limbs)
    return total.tolist()


def _digits(values: list[int], k: int, d: int) -> list[Floats]:
    """The digits of integers as floats (k, d), lowest first; the last one carries the sign."""
    size = max((abs(value).bit_length() for value in values), default=0) + 1
    parts, mask = [], (1 << DIGIT_BITS) - 1
    while size > DIGIT_BITS:
        parts.append(np.array([value & mask for value in values], np.float64).reshape(k, d))
        values = [value >> DIGIT_BITS for value in values]
        size -= DIGIT_BITS
    return [*parts, np.array(values, np.float64).reshape(k, d)]
