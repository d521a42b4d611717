"""Integers: arrays of whole numbers larger than a machine word, added without rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.storage.registry import storable

LIMB_BITS = 60
MASK = (1 << LIMB_BITS) - 1

# The size of the largest number in the last limb: one bit is left for the sign of a sum.
TOP = 1 << (LIMB_BITS - 1)


@storable
@dataclass(frozen=True, slots=True, eq=False)
class Integers:
    """An array of integers, in limbs: sum over i of limbs[i] * 2^(60 i).

    All limbs but the last lie in [0, 2^60); the last carries the sign. So equal integers have
    equal limbs, and sums of any order give the same bits.

    >>> a = Integers.of([3, -(2**70)], 2)
    >>> (a + a).tolist() == [6, -(2**71)]
    True
    """

    limbs: Indices  # (number of limbs, *shape)

    @classmethod
    def zeros(cls, shape: tuple[int, ...], limbs: int) -> Self:
        """Zeros."""
        return cls(np.zeros((limbs, *shape), np.int64))

    @classmethod
    def of(cls, values: Any, limbs: int) -> Self:
        """An array of Python's integers."""
        rest, parts = np.array(values, object), []
        for _ in range(limbs - 1):
            parts.append(rest & MASK)
            rest = rest >> LIMB_BITS
        return cls(np.array([*parts, rest]).astype(np.int64))

    @classmethod
    def shifted(cls, values: Indices, shift: int, limbs: int) -> Self:
        """values * 2^shift, for values of less than 60 bits."""
        out = np.zeros((limbs, *values.shape), np.int64)
        at, bits = divmod(shift, LIMB_BITS)
        out[at] = values
        for i in range(at, limbs - 1):
            # What does not fit moves on to the next limb, with its sign.
            low = out[i] & ((1 << (LIMB_BITS - bits)) - 1) if bits else out[i] & MASK
            out[i + 1] = out[i] >> (LIMB_BITS - bits)
            out[i] = low << bits
            bits = 0
        if bits:
            out[-1] <<= bits
        return cls(out)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.limbs.shape[1:]

    def __add__(self, other: Integers) -> Integers:
        return _carried(self.limbs + other.limbs)

    def __sub__(self, other: Integers) -> Integers:
        return _carried(self.limbs - other.limbs)

    def __getitem__(self, at: Any) -> Integers:
        at = at if isinstance(at, tuple) else (at,)
        return Integers(self.limbs[:, *at])

    def times(self, shift: int) -> Integers:
        """The same times 2^shift, for shifts below 60."""
        limbs = self.limbs
        out = Integers.shifted(limbs[0], shift, len(limbs))
        for i in range(1, len(limbs)):
            out = out + Integers.shifted(limbs[i], shift + LIMB_BITS * i, len(limbs))
        return out

    def placed(self, at: Any, size: int) -> Integers:
        """The same rows at positions `at` of `size` rows; zero elsewhere."""
        out = np.zeros((len(self.limbs), size, *self.shape[1:]), np.int64)
        out[:, at] = self.limbs
        return Integers(out)

    def spread(self, at: Any, size: int) -> Integers:
        """The same columns at positions `at` of `size` columns; zero elsewhere."""
        out = np.zeros((*self.limbs.shape[:-1], size), np.int64)
        out[..., at] = self.limbs
        return Integers(out)

    def blank(self) -> Integers:
        """Zeros in the same shape."""
        return Integers(np.zeros_like(self.limbs))

    def add_rows(self, at: Any, other: Integers, sign: int = 1) -> Integers:
        """The same with other rows added at positions `at`, or subtracted (sign -1)."""
        out = self.limbs.copy()
        out[:, at] = _carried(out[:, at] + sign * other.limbs).limbs
        return Integers(out)

    def objects(self) -> Array:
        """Python's integers, in an array of the same shape."""
        *lower, total = self.limbs.astype(object)
        for limb in reversed(lower):
            total = (total << LIMB_BITS) + limb
        return np.asarray(total, object)

    def tolist(self) -> list[int]:
        """Python's integers, in the order of the flattened array."""
        return [*self.objects().ravel().tolist()]

    def floats(self) -> Floats:
        """The integers as floats, up to a few roundings of their size."""
        *lower, top = self.limbs
        # Limbs of one sign: -2^60 plus a whole limb would lose the digits of a small number.
        sign = top >> (LIMB_BITS + 3)
        out: Floats = top - sign
        for i in range(len(lower) - 1, -1, -1):
            out = out * 2.0**LIMB_BITS + (lower[i] + sign * (MASK + (i == 0)))
        return np.asarray(out, np.float64)

    def validated(self) -> Self:
        """These integers, if each has one form only; a ValueError otherwise."""
        if self.limbs.ndim < 2 or not len(self.limbs):
            raise ValueError("the integers have no limbs")
        low, top = self.limbs[:-1], self.limbs[-1]
        if (low < 0).any() or (low > MASK).any() or (top < -TOP).any() or (top >= TOP).any():
            raise ValueError("an integer is not written in its only form")
        return self


def _carried(limbs: Indices) -> Integers:
    """Limbs that may be negative or too large, brought into their range; changed in place."""
    for i in range(len(limbs) - 1):
        limbs[i + 1] += limbs[i] >> LIMB_BITS
        limbs[i] &= MASK
    return Integers(limbs)
