"""Pooling: the scatter summed over many classes, correctly rounded, by a matrix product.

scatter = S - sum over classes of s s' / W. With T = rint(2^F s / W), the sum of s T' is 2^F times
the last term, off by at most half the sum of |s|. Where both ends of that error round to the same
float, it is the nearest one; else the entry is computed by fractions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Floats
from suffice.statistics.exact.integers import Integers

if TYPE_CHECKING:
    from suffice.statistics.exact.exact_statistics import ExactStatistics

FRACTION_BITS = 64
DIGIT_BITS = 20
CHUNK_CLASSES = 1 << 12  # of which products of digits add up below 2^53


def pooled_scatter(s: ExactStatistics, tens: list[int]) -> list[float]:
    """The upper triangle of the pooled scatter, in units of powers of two."""
    k, d = s.sums.shape
    own, weights = s.sums.tolist(), s.weights.tolist()
    shares = [_rounded(one << FRACTION_BITS, weights[at // d]) for at, one in enumerate(own)]
    between = _product(own, shares, k, d)
    error = [sum(abs(own[c * d + j]) for c in range(k)) // 2 + 1 for j in range(d)]
    products, out, at = s.products.tolist(), [], 0
    unit = 1 << FRACTION_BITS
    for i in range(d):
        for j in range(i, d):
            value = (products[at] << FRACTION_BITS) - between[at]
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
    for t, x in enumerate(left):
        for u, y in enumerate(right):
            for low in range(0, k, CHUNK_CLASSES):
                part = (x[low : low + CHUNK_CLASSES].T @ y[low : low + CHUNK_CLASSES])[upper]
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
