"""Moments: mean and scatter of exact statistics, each entry rounded to a float once.

With W the weight in units of weight v, s the sums of w q, S those of w q q', and u the units of the
grid:

    mean     = (s / W + anchor) u
    scatter  = (W S - s s') / W  v u u'    (summed over the classes if pooled)

The numerators are Python's integers, and the quotient of two of them is the nearest float. A power
of two is then multiplied in, which is exact; a power of ten belongs to the denominator.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.exact.digits import float_digits
from suffice.statistics.exact.exact_fourth import about_means
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.triangle import pairs, to_matrices, triangle
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
    weights = s.weights.astype(object)[:, None]
    anchor = np.array([int(one) for one in s.grid.anchor.tolist()], object)
    quotients = np.frompyfunc(_quotient, 2, 2)
    both = quotients(s.sums.objects() + weights * anchor, weights * _tens(s))
    high, low = (np.ldexp(part.astype(np.float64), s.grid.exponent) for part in both)
    return high, low


def _tens(s: ExactStatistics) -> Array:
    """The powers of ten by which units are divided, (d,)."""
    return np.array([10 ** max(places, 0) for places in s.grid.decimals.tolist()], object)


def _quotient(number: int, below: int) -> tuple[float, float]:
    """The nearest float, and what is left of the quotient."""
    near = number / below
    top, bottom = near.as_integer_ratio()
    return near, (number * bottom - top * below) / (below * bottom)


def scatter(s: ExactStatistics) -> Floats:
    """Centred sums of products: (k, d, d), (1, d, d) if pooled, or (k, d) of squares."""
    k, d = s.sums.shape
    i, j = pairs(d, s.detail)
    tens = _tens(s)
    below = tens[i] * tens[j]
    if s.detail == "shared":
        triangles = _pooled(s, below)[None]
    else:
        triangles = np.empty((k, len(i)))
        for c, weight in enumerate(s.weights.tolist()):
            own = s.sums[c].objects()
            above = weight * s.products[c].objects() - own[i] * own[j]
            triangles[c] = above / (weight * below)
    units = s.grid.exponent[i] + s.grid.exponent[j] + s.grid.weight_exponent
    values = np.ldexp(triangles, units)
    return values if s.detail == "diagonal" else to_matrices(values, d)


def _pooled(s: ExactStatistics, below: Array, fraction_bits: int = 64) -> Floats:
    """The scatter pooled over classes, divided by `below`: (entries,).

    scatter = S - sum over classes of s s' / W. With T = rint(2^F s / W), the sum of s T' is 2^F
    times the last term, off by at most half the sum of |s|. Where both ends of that error round to
    the same float, it is the nearest one; else the entry is computed by fractions.
    """
    i, j = triangle(s.n_features)
    own, products = s.sums.objects(), s.products.objects()[0]
    weights = s.weights.astype(object)[:, None]
    shares = (2 * (own << fraction_bits) + weights) // (2 * weights)
    error = (np.abs(own).sum(axis=0) // 2 + 1)[i]
    values = (products << fraction_bits) - _product(own, shares)
    unit = below << fraction_bits
    low, high = (((values + end) / unit).astype(np.float64) for end in (-error, error))
    for at in np.flatnonzero(low != high).tolist():
        between = zip(own[:, i[at]] * own[:, j[at]], s.weights.tolist(), strict=True)
        exact = products[at] - sum((Fraction(*part) for part in between), Fraction(0))
        low[at] = exact.numerator / (exact.denominator * below[at])
    return np.asarray(low)


DIGIT_BITS = 20


def _product(a: Array, b: Array) -> Array:
    """The upper triangle of a'b for integers (k, d), from exact products of their digits."""
    left, right = float_digits(a, DIGIT_BITS), float_digits(b, DIGIT_BITS)
    upper = triangle(a.shape[1])
    limbs = -(-DIGIT_BITS * (len(left) + len(right)) // 60) + 1
    total = Integers.zeros((len(upper[0]),), limbs)
    chunk_classes = 1 << 12  # of which products of digits add up below 2^53
    for t, x in enumerate(left):
        for u, y in enumerate(right):
            for low in range(0, len(a), chunk_classes):
                part = (x[low : low + chunk_classes].T @ y[low : low + chunk_classes])[upper]
                total = total + Integers.shifted(part.astype(np.int64), DIGIT_BITS * (t + u), limbs)
    return total.objects()
