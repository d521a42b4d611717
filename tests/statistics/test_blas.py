"""The product that BLAS adds in place."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.statistics.kernels.blas import add_square


@pytest.mark.parametrize(("n", "d"), [(0, 3), (1, 1), (5, 3), (320, 17)])
def test_squares_are_added_to_the_upper_triangle_alone(n, d):
    rng = np.random.default_rng(0)
    rows, before = rng.integers(-99, 99, (n, d)).astype(float), rng.integers(0, 9, (d, d)) * 1.0
    out = before.copy()
    add_square(rows, out)
    assert np.array_equal(np.triu(out), np.triu(before + rows.T @ rows))
    assert np.array_equal(np.tril(out, -1), np.tril(before, -1))
    again = before.copy()
    add_square(np.asfortranarray(rows)[:, ::-1][:, ::-1], again)
    assert np.array_equal(again, out)


@pytest.mark.parametrize(
    "out", [np.zeros((2, 3)), np.zeros((3, 3), np.float32), np.zeros((6, 3))[::2], np.zeros((2, 2))]
)
def test_sums_that_cannot_be_added_to_in_place_are_refused(out):
    with pytest.raises(ValueError, match=r"shape \(3, 3\), float64 and in C order"):
        add_square(np.ones((4, 3)), out)
