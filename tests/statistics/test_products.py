"""Products of centred columns: right for any number of columns and rows, and always alike."""

from __future__ import annotations

from fractions import Fraction
from types import FunctionType

import numpy as np
import pytest
from numba import njit

from suffice.data.column_features import new_room
from suffice.statistics.kernels import products
from suffice.statistics.kernels.products import WIDE, Products


def columns(d, rows, seed=0):
    return np.random.default_rng(seed).normal(size=(d, rows))


def filled(Z, extra=0):
    """Products of columns, and a place for so many more rows."""
    d, rows = Z.shape
    found = Products.empty(d, rows + extra, new_room)
    found.columns[:d] = np.nan
    found.columns[:d, :rows] = Z
    return found


@pytest.mark.parametrize("d", [*range(1, 14), 63, 64, 65, WIDE - 1, WIDE, WIDE + 1])
@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 700])
def test_all_pairs_are_multiplied_once(d, rows):
    Z = columns(d, rows)
    found = filled(Z, extra=3)
    found.add(rows)
    size = np.sqrt(np.outer((Z**2).sum(axis=1), (Z**2).sum(axis=1)))
    assert (np.abs(found.matrix() - Z @ Z.T) <= 1e-15 * rows * size).all()
    np.testing.assert_array_equal(found.matrix(), found.matrix().T)
    np.testing.assert_array_equal(found.diagonal(), found.matrix().diagonal())


def test_whole_numbers_are_exact():
    Z = np.random.default_rng(1).integers(-1000, 1000, size=(9, 3001)).astype(float)
    found = filled(Z)
    for _ in range(2):
        found.add(3001)
    np.testing.assert_array_equal(found.matrix(), 2 * (Z @ Z.T))


def test_long_sums_lose_no_more_than_they_must():
    Z = 1 + columns(3, 8192) / 100
    found = filled(Z)
    found.add(8192)
    rows = [[Fraction(float(z)) for z in row] for row in Z]
    for i in range(3):
        for j in range(3):
            right = sum(a * b for a, b in zip(rows[i], rows[j], strict=True))
            assert abs(Fraction(float(found.matrix()[i, j])) - right) <= right * Fraction(1, 10**14)


@pytest.mark.parametrize("d", [5, WIDE])
def test_what_is_not_a_number_shows(d):
    Z = columns(d, 20)
    Z[2, 7] = np.nan
    found = filled(Z)
    found.add(20)
    wrong = np.isnan(found.matrix())
    assert wrong[2].all()
    assert wrong[:, 2].all()
    assert wrong.sum() == 2 * d - 1


@pytest.mark.parametrize("across", [3, 4])
def test_processors_of_few_and_of_many_registers_agree(across):
    def compiled(function, **names):
        plain = function.py_func
        return FunctionType(plain.__code__, {**plain.__globals__, "ACROSS": across, **names})

    tile = njit(fastmath=products.ANY_ORDER)(compiled(products._add_tile))
    add = njit()(compiled(products._add_products, _add_tile=tile))
    for d in range(1, 14):
        Z = columns(d, 300)
        room = filled(Z)
        add(room.columns, 300, d, 128, room.below)
        np.testing.assert_allclose(room.matrix(), Z @ Z.T, rtol=1e-13, atol=1e-13)


def test_where_columns_lie_in_memory_changes_no_bit():
    Z, found = columns(7, 45), set()
    for gap in range(100):
        reached = len(Products.empty(7, 1, new_room).columns)
        whole = np.zeros(reached * 45 + gap + reached**2)
        room = whole[: reached * 45].reshape(reached, 45)
        below = whole[reached * 45 + gap :].reshape(reached, reached)
        room[:7] = Z
        one = Products(7, room, below, np.empty((0, 0)))
        one.add(45)
        found.add(one.matrix().tobytes())
    assert len(found) == 1
