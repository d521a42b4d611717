"""Numbers with twice the digits: how running sums are held.

Everything that grows by addition goes through `DoubleDouble`, so another representation (such as
integers on a fixed grid, which no order of addition can change) needs only its few methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats

ALL = slice(None)

# Longer arrays are added in parts of so many entries: what is made on the way stays in the cache,
# and is small enough that the system need not find memory for it anew.
PART = 1 << 13


# Not frozen, though never changed: freezing triples the cost of making one, and an update
# by a single row makes a dozen.
@dataclass(slots=True, eq=False)
class DoubleDouble:
    """An array held as an unevaluated sum `high + low`, about 32 digits; low may be absent.

    >>> a = DoubleDouble(np.array([1.0])) + DoubleDouble(np.array([1e-20]))
    >>> (a - DoubleDouble(np.array([1.0]))).high
    array([1.e-20])
    """

    high: Floats
    low: Floats | None = None

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
        """The sum of both, and of something that is itself rounded to a float."""
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
        low = None if self.low is None else placed(self.low, at, length)
        return DoubleDouble(placed(self.high, at, length), low)

    def with_rows(self, at: Any, rows: DoubleDouble) -> DoubleDouble:
        """The same values, those at positions `at` of the first axis replaced."""
        high = self.high.copy()
        low = np.zeros_like(high) if self.low is None else self.low.copy()
        high[at] = rows.high
        low[at] = 0.0 if rows.low is None else rows.low
        return DoubleDouble(high, low)


def _are_long(a: Any, b: Any) -> bool:
    # Arrays of other libraries are added where they lie, all at once.
    return isinstance(a, np.ndarray) and a.size > PART and a.shape == b.shape


def _long_sum(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    high, low = np.empty(a.high.shape), np.empty(a.high.shape)
    out, rest = high.reshape(-1), low.reshape(-1)
    a, b = _flat(a), _flat(b)
    for start in range(0, len(out), PART):
        at = slice(start, start + PART)
        part = a[at] + b[at]
        out[at], rest[at] = part.high, part.low
    return DoubleDouble(high, low)


def _flat(pair: DoubleDouble) -> DoubleDouble:
    return DoubleDouble(pair.high.reshape(-1), None if pair.low is None else pair.low.reshape(-1))


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and its exact rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def placed(values: Array, at: Any, length: int) -> Array:
    """Values at positions `at` of a longer first axis, zero elsewhere."""
    out = np.zeros((length, *values.shape[1:]), values.dtype)
    out[at] = values
    return out
