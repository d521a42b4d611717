"""Sums of long arrays of pairs are those of short ones, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.statistics.numbers import PART_ENTRIES, DoubleDouble


def _pair(shape: tuple[int, ...], seed: int, low: bool) -> DoubleDouble:
    rng = np.random.default_rng(seed)
    high = rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9, size=shape)
    return DoubleDouble(high, high * rng.normal(size=shape) * 2**-54 if low else None)


@pytest.mark.parametrize(
    "shape", [(PART_ENTRIES + 1,), (3, PART_ENTRIES), (2, 5, PART_ENTRIES // 3)]
)
@pytest.mark.parametrize("lows", [(False, False), (True, False), (False, True), (True, True)])
def test_in_parts_or_at_once(shape: tuple[int, ...], lows: tuple[bool, bool]) -> None:
    a, b = (_pair(shape, seed, low) for seed, low in enumerate(lows))
    found = a + b
    assert found.high.shape == found.low.shape == shape
    for row in np.ndindex(shape[:-1]):
        for start in range(0, shape[-1], PART_ENTRIES):
            at = (*row, slice(start, start + PART_ENTRIES))
            short = a[at] + b[at]
            np.testing.assert_array_equal(found.high[at], short.high)
            np.testing.assert_array_equal(found.low[at], short.low)


def test_neither_summand_is_changed_nor_need_it_lie_in_order() -> None:
    a, b = _pair((PART_ENTRIES, 3), 0, True), _pair((3, PART_ENTRIES), 1, False)
    before = a.high.copy(), b.high.copy()
    turned = DoubleDouble(b.high.T)
    found = a + turned
    np.testing.assert_array_equal(found.high[:50], (a[:50] + turned[:50]).high)
    np.testing.assert_array_equal(a.high, before[0])
    np.testing.assert_array_equal(b.high, before[1])
