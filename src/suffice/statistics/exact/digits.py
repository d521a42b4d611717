"""Digits: integers of up to 48 bits in digits so small that float products of them add exactly.

Let q = sum over t of 2^(w t) digit_t. Then, for the factors digit_t and digit_t + digit_u,

    q q' = sum over t of 2^(2 w t) P(t, t) + sum over t < u of 2^(w (t + u)) C(t, u)
    C(t, u) = P(t + u) - P(t, t) - P(u, u)

where P(f) is the product f f' of a factor with itself. Each P is symmetric, so one digit takes one
product, two take three and three take six. Sums of floats below 2^53 are exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.exact.integers import Integers

WEIGHT_DIGIT_BITS = 8


@dataclass(frozen=True, slots=True)
class Digits:
    """How integers of `bits` bits are cut into digits of `width` bits."""

    number: int
    width: int

    @classmethod
    def of(cls, bits: int) -> Digits:
        """The fewest digits whose products add up exactly over many rows."""
        single_bits = 21  # integers of at most this size are one digit
        double_bits = 34  # and these are two
        number = 1 if bits <= single_bits else 2 if bits <= double_bits else 3
        return cls(number, -(-bits // number))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of digits that are added to make factors."""
        return list(combinations(range(self.number), 2))

    @property
    def n_factors(self) -> int:
        """Number of factors."""
        return self.number + len(self.pairs)

    def most_rows(self, weighted: bool = False) -> int:
        """How many rows may be added in floats before a sum could round."""
        # A digit is at most 2^(w - 1) in size, the last one 1 more, and a factor twice that.
        largest = (1 << self.width) + 2
        heaviest = 1 << (WEIGHT_DIGIT_BITS if weighted else 0)
        float_bits = 53  # whole numbers up to 2^53 are floats
        return max(1, (1 << float_bits) // (largest * largest * heaviest))

    def digits(self, q: Any, xp: Any) -> list[Any]:
        """The digits of integers held in floats, lowest first; the lower ones are signed."""
        base, parts = float(1 << self.width), []
        for _ in range(self.number - 1):
            high = xp.round(q * (1 / base))
            parts.append(q - high * base)
            q = high
        return [*parts, q]

    def factors(self, q: Any, xp: Any) -> list[Any]:
        """The digits, and the sums of pairs of them."""
        own = self.digits(q, xp)
        return own + [own[t] + own[u] for t, u in self.pairs]

    def sum_of(self, sums: list[Array], limbs: int) -> Integers:
        """The sum of integers, from the sums of their digits."""
        total = Integers.shifted(_whole(sums[0]), 0, limbs)
        for t in range(1, self.number):
            total = total + Integers.shifted(_whole(sums[t]), self.width * t, limbs)
        return total

    def product_of(self, products: list[Array], limbs: int, shift: int = 0) -> Integers:
        """The sum of products of integers, from the products of their factors."""
        own = [_whole(product) for product in products[: self.number]]
        total = Integers.shifted(own[0], shift, limbs)
        for t in range(1, self.number):
            total = total + Integers.shifted(own[t], shift + 2 * self.width * t, limbs)
        for (t, u), both in zip(self.pairs, products[self.number :], strict=True):
            cross = _whole(both) - own[t] - own[u]
            total = total + Integers.shifted(cross, shift + self.width * (t + u), limbs)
        return total


def float_digits(values: Array, bits: int) -> list[Floats]:
    """Integers in digits of `bits` bits as floats, lowest first; the last one has the sign.

    >>> float_digits(np.array([300, -1]), 8)
    [array([ 44., 255.]), array([ 1., -1.])]
    """
    parts = []
    while np.abs(values).max(initial=0) >> bits:
        parts.append((values & ((1 << bits) - 1)).astype(np.float64))
        values = values >> bits
    return [*parts, values.astype(np.float64)]


def _whole(values: Array) -> Indices:
    whole: Indices = values.astype("int64")
    return whole
