"""Numbers with twice the digits: the representation of running sums.

All running sums are `DoubleDouble`, so another representation (such as integers on a fixed grid,
whose sums do not depend on the order) would need only its few methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.storage.registry import storable

ALL = slice(None)
EPSILON = float(np.finfo(np.float64).eps)

# Longer arrays are added in parts of this many entries, so that temporary arrays stay in the cache
# and are small enough for the allocator to reuse.
PART_ENTRIES = 1 << 13


# Not frozen, although never modified: freezing triples the cost of construction, and an update
# by a single row constructs a dozen.
@storable
@dataclass(slots=True, eq=False)
class DoubleDouble:
    """An array held as an unevaluated sum `high + low` of about 32 digits; low may be None.

    >>> a = DoubleDouble(np.array([1.0])) + DoubleDouble(np.array([1e-20]))
    >>> (a - DoubleDouble(np.array([1.0]))).high
    array([1.e-20])
    """

    high: Floats
    low: Floats | None = None

    def validated(self) -> Self:
        """These numbers, if the low part is below the rounding of the high part.

        A larger low part would go unnoticed in results computed from the high part alone, until
        rows are added and both parts count.
        """
        high, low = self.high, self.low
        if low is not None and (low.shape != high.shape or not np.array_equal(high + low, high)):
            raise ValueError("the low part of a sum is not what rounding leaves")
        return self

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        if _are_long(self.high, other.high):
            return _long_sum(self, other)
        total, error = two_sum(self.high, other.high)
        if self.low is not None:
            error += self.low
        if other.low is not None:
            error += other.low
        high = total + error
        return DoubleDouble(high, error - (high - total))

    def plus(self, other: DoubleDouble, rest: Floats) -> DoubleDouble:
        """The sum of both and of `rest`, which has single precision."""
        total, error = two_sum(self.high, other.high)
        for low in (self.low, other.low):
            if low is not None:
                error += low
        return DoubleDouble(*two_sum(total, error + rest))

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, None if self.low is None else -self.low)

    def __sub__(self, other: DoubleDouble) -> DoubleDouble:
        return self + -other

    def __getitem__(self, at: Any) -> DoubleDouble:
        if at is ALL:
            return self
        return DoubleDouble(self.high[at], None if self.low is None else self.low[at])

    def spread(self, at: Any, length: int) -> DoubleDouble:
        """The same values at positions `at` of a longer first axis, zero elsewhere."""
        if length == len(self.high):
            return self
        low = None if self.low is None else place_rows(self.low, at, length)
        return DoubleDouble(place_rows(self.high, at, length), low)

    def with_rows(self, at: Any, rows: DoubleDouble) -> DoubleDouble:
        """The same values, with those at positions `at` of the first axis replaced."""
        high = self.high.copy()
        low = np.zeros_like(high) if self.low is None else self.low.copy()
        high[at] = rows.high
        low[at] = 0.0 if rows.low is None else rows.low
        return DoubleDouble(high, low)


def _are_long(a: Any, b: Any) -> bool:
    # Arrays of other libraries (GPU) are added in one operation on their device.
    return isinstance(a, np.ndarray) and a.size > PART_ENTRIES and a.shape == b.shape


def _long_sum(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    high, low = np.empty(a.high.shape), np.empty(a.high.shape)
    out, rest = high.reshape(-1), low.reshape(-1)
    a, b = _flat(a), _flat(b)
    for start in range(0, len(out), PART_ENTRIES):
        at = slice(start, start + PART_ENTRIES)
        part = a[at] + b[at]
        out[at], rest[at] = part.high, part.low
    return DoubleDouble(high, low)


def _flat(values: DoubleDouble) -> DoubleDouble:
    return DoubleDouble(
        values.high.reshape(-1), None if values.low is None else values.low.reshape(-1)
    )


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and its exact rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def place_rows(values: Array, at: Any, length: int) -> Array:
    """Values at positions `at` of a longer first axis, zero elsewhere."""
    out = np.zeros((length, *values.shape[1:]), values.dtype)
    out[at] = values
    return out
