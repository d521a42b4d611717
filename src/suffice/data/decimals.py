"""Decimals: digits and a power of ten -> the nearest float64, by compiled code.

Where both the digits and the power are exact as float64, one operation rounds rightly. Elsewhere
the digits are multiplied with the leading 128 bits of the power of five: D. Lemire, Number parsing
at a gigabyte per second, Software: Practice and Experience 51 (2021), with the proof of N. Mushtak
and D. Lemire, Fast number parsing without fallback (2023), that these bits are always enough for
digits of 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.jit import jit

# Of other powers nothing, or nothing finite, is left in float64.
LEAST, MOST = -342, 308

_EXACT = np.uint64(1 << 53)
_MOST_EXACT = 22
_TENS = 10.0 ** np.arange(_MOST_EXACT + 1)

_ONE, _HALF, _LOW = np.uint64(1), np.uint64(32), np.uint64((1 << 32) - 1)
_BITS = np.uint64(52)
_LEADING = np.uint64(1 << 52)
_DROPPED = np.uint64(9)  # bits of a word below the 55 that decide
_TAIL = np.uint64((1 << 9) - 1)
_THREE = np.uint64(3)


def _fives() -> Array:
    """The leading 128 bits of each power of five, in two words; of one small enough to divide
    a product exactly, rounded up.
    """
    words = []
    for power in range(LEAST, MOST + 1):
        if power >= 0:
            bits = (5**power << 128) >> (5**power).bit_length()
        else:
            bits = (1 << (5**-power).bit_length() + 127) // 5**-power + (power >= -27)
        words.append((bits >> 64, bits & ((1 << 64) - 1)))
    return np.array(words, np.uint64)


_FIVES = _fives()


@jit()
def nearest(digits: Any, power: int) -> Any:  # pragma: no cover - compiled
    """digits * 10**power rounded to float64, digits being a uint64.

    NaN where the result is not in the range of normal numbers.
    """
    if digits == 0:
        return 0.0
    if digits <= _EXACT and -_MOST_EXACT <= power <= _MOST_EXACT:
        whole = float(digits)
        return whole / _TENS[-power] if power < 0 else whole * _TENS[power]
    if power < LEAST or power > MOST:
        return np.nan
    return _of_product(digits, power)


@jit()
def _of_product(digits: Any, power: int) -> Any:  # pragma: no cover - compiled
    shift = 0
    while digits >> np.uint64(63) == 0:
        digits <<= _ONE
        shift += 1
    high, low = _product(digits, _FIVES[power - LEAST, 0])
    if high & _TAIL == _TAIL:
        more, _ = _product(digits, _FIVES[power - LEAST, 1])
        low += more
        if low < more:
            high += _ONE
    top = high >> np.uint64(63)
    found = high >> (top + _DROPPED)
    exponent = ((217706 * power) >> 16) + 1086 + np.int64(top) - shift
    if exponent <= 0:
        return np.nan
    between = low <= _ONE and -4 <= power <= 23 and found & _THREE == _ONE
    if between and found << (top + _DROPPED) == high:
        found -= _ONE  # as near to the one below, which is even
    found = (found + (found & _ONE)) >> _ONE
    if found == _LEADING << _ONE:
        found = _LEADING
        exponent += 1
    if exponent >= 2047:
        return np.nan
    return np.uint64((found - _LEADING) | (np.uint64(exponent) << _BITS)).view(np.float64)


@jit()
def _product(a: Any, b: Any) -> tuple[Any, Any]:  # pragma: no cover - compiled
    """The 128 bits of a product, in two words."""
    a_low, a_high, b_low, b_high = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    least, left, right = a_low * b_low, a_low * b_high, a_high * b_low
    middle = (least >> _HALF) + (left & _LOW) + (right & _LOW)
    high = a_high * b_high + (left >> _HALF) + (right >> _HALF) + (middle >> _HALF)
    return high, (least & _LOW) | (middle << _HALF)
