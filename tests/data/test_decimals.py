"""Numbers of digits and a power of ten, against Python's own reading, which rounds rightly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from suffice.data.decimals import LEAST, MOST, nearest

LEAST_NORMAL = 2.0**-1022


def check(digits, power):
    found, expected = nearest(np.uint64(digits), power), float(f"{digits}e{power}")
    if math.isnan(found):
        assert expected < LEAST_NORMAL or math.isinf(expected)
    else:
        assert found == expected


@given(st.integers(0, 2**64 - 1), st.integers(LEAST - 30, MOST + 30))
@example(2**64 - 1, MOST)
@example(1, LEAST)
@example(2**53, 22)
@example(2**53, -22)
@example(2**53 + 1, 0)
@example(17976931348623157, 292)
@example(17976931348623159, 292)
@example(22250738585072014, -324)
@example(22250738585072011, -324)
@example(9007199254740993, -22)
def test_the_nearest_number_is_found(digits, power):
    check(digits, power)


@given(st.floats(LEAST_NORMAL, allow_infinity=False))
def test_numbers_that_were_written_are_found_again(value):
    digits, _, power = f"{value:.16e}".partition("e")
    assert nearest(np.uint64(digits.replace(".", "")), int(power) - 16) == value


@pytest.mark.parametrize("power", range(-4, 24))
def test_halves_go_to_the_even_neighbour(power):
    """Numbers half way between two of float64, and their neighbours, by each power that has any."""
    rng, five = np.random.default_rng(power + 4), 5 ** abs(power)
    if power < 0:
        halves = [five * (2 * int(one) + 1) for one in rng.integers(2**52, 2**53, 1000)]
    else:
        low, high = -(-(2**53) // five), 2**54 // five
        halves = [int(one) | 1 for one in rng.integers(low, high + 1, 1000)]
        halves = [one for one in halves if low <= one <= high]
    assert halves
    for half in halves:
        exact = Fraction(half) * Fraction(10) ** power
        assert 2 * abs(exact - Fraction(float(exact))) == math.ulp(float(exact))
        for digits in (half - 1, half, half + 1):
            for shift in range(64 - digits.bit_length()):
                check(digits << shift, power)


def test_what_is_too_large_or_small_is_left_to_others():
    assert nearest(np.uint64(0), 10_000) == 0.0
    for digits, power in ((1, 309), (1, -400), (18, 307), (2, -308), (4, -324)):
        assert math.isnan(nearest(np.uint64(digits), power))
