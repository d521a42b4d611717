"""Scatter of centred rows by compiled loops: right for any shape, and always the same bits."""

from __future__ import annotations

from fractions import Fraction
from types import FunctionType

import numpy as np
import pytest
from numba import njit

from suffice.statistics.kernels import compiled, plain, products
from suffice.statistics.kernels.products import WIDE, CentredColumns
from suffice.statistics.kernels.sums import Centres, Fourths, RowBlock


def scatter(X, codes=None, weights=None, mean=None, kernels=compiled, fourths=None):
    """Scatter about the means, zero unless given."""
    n, d = X.shape
    codes = np.zeros(n, np.int64) if codes is None else codes
    mean = np.zeros((codes.max(initial=0) + 1, d)) if mean is None else mean
    about = Centres(mean, np.zeros_like(mean), 0.5)
    block, out = RowBlock(X, codes, np.empty(0) if weights is None else weights), np.zeros((d, d))
    centred = kernels.centred(X.shape, 1)
    centred.add_scatter(block, np.arange(n), about, out, fourths)
    return out


def rows(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("d", [*range(1, 14), 63, 64, 65, WIDE - 1, WIDE, WIDE + 1])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 700, 3000])
def test_all_pairs_are_multiplied_once(n, d):
    X = rows(n, d)
    found = scatter(X)
    size = np.sqrt(np.outer((X**2).sum(axis=0), (X**2).sum(axis=0)))
    assert (np.abs(found - X.T @ X) <= 1e-15 * n * size).all()
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [3, 40])
def test_compiled_and_plain_loops_agree(d, weighted, dtype):
    X = (10 * rows(5000, d)).astype(dtype)
    rng = np.random.default_rng(1)
    codes, mean = rng.integers(3, size=5000), 5 * rng.normal(size=(3, d))
    weights = rng.random(5000) if weighted else None
    one, other = (scatter(X, codes, weights, mean, kernels) for kernels in (compiled, plain))
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_compiled_and_plain_sums_of_fourth_order_agree(weighted):
    X = rows(5000, 6)
    codes, mean = np.full(5000, 1), rows(2, 6, seed=2)
    weights = np.random.default_rng(1).random(5000) if weighted else None
    sums = []
    for kernels in (compiled, plain):
        fourths = Fourths.empty(2, 6)
        scatter(X, codes, weights, mean, kernels, fourths)
        sums.append(np.r_[fourths.square, fourths.cubic.ravel(), fourths.quartic])
    np.testing.assert_allclose(*sums, rtol=1e-12)
    assert sums[0][0] == 0
    assert sums[0][1] > 0


def test_whole_numbers_are_exact():
    X = np.random.default_rng(1).integers(-1000, 1000, size=(9001, 9)).astype(float)
    np.testing.assert_array_equal(scatter(X), X.T @ X)


def test_long_sums_lose_no_more_than_they_must():
    X = 1 + rows(8192, 3) / 100
    found = scatter(X)
    columns = [[Fraction(float(x)) for x in column] for column in X.T]
    for i in range(3):
        for j in range(3):
            right = sum(a * b for a, b in zip(columns[i], columns[j], strict=True))
            assert abs(Fraction(float(found[i, j])) - right) <= right * Fraction(1, 10**14)


@pytest.mark.parametrize("d", [5, WIDE])
def test_what_is_not_a_number_shows(d):
    X = rows(20, d)
    X[7, 2] = np.nan
    wrong = np.isnan(scatter(X))
    assert wrong[2].all()
    assert wrong[:, 2].all()
    assert wrong.sum() == 2 * d - 1


@pytest.mark.parametrize("across", [3, 4])
def test_processors_of_few_and_of_many_registers_agree(across):
    def other(function, **names):
        python = function.py_func
        names = {**python.__globals__, "TILE_COLUMNS": across, **names}
        return FunctionType(python.__code__, names)

    tile = njit(fastmath=products.ANY_ORDER)(other(products._add_tile))
    add = njit()(other(products._add_products, _add_tile=tile))
    for d in range(1, 14):
        X = rows(300, d)
        room = CentredColumns.of(300, d)
        room.columns[:d, :300] = X.T
        add(room.columns, 300, d, room.product)
        below = np.tril(room.product[:d, :d])
        np.testing.assert_allclose(below, np.tril(X.T @ X), rtol=1e-13, atol=1e-13)


def test_where_columns_lie_in_memory_changes_no_bit():
    X, mean, found = rows(45, 7), rows(1, 7), set()
    about = Centres(mean, np.zeros_like(mean), 1.0)
    block = RowBlock(X, np.zeros(45, np.int64), np.empty(0))
    usual = CentredColumns.of(45, 7)
    sizes = [part.size for part in (usual.columns, usual.length, usual.product, usual.cubic)]
    shapes = [part.shape for part in (usual.columns, usual.length, usual.product, usual.cubic)]
    for gap in range(100):
        whole, parts, at = np.zeros(sum(sizes) + 4 * gap), [], 0
        for size, shape in zip(sizes, shapes, strict=True):
            parts.append(whole[at : at + size].reshape(shape))
            at += size + gap
        fourths, out = Fourths.empty(1, 7), np.zeros((7, 7))
        CentredColumns(*parts).add_scatter(block, np.arange(45), about, out, fourths)
        found.add(out.tobytes() + fourths.cubic.tobytes() + fourths.quartic.tobytes())
    assert len(found) == 1
