"""Exact statistics: the same bits however the rows were added, and nothing left of removed ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from operator import add, sub

import numpy as np
import pytest
from histories import DETAILS, compiled_loops, history

import exact as rational
import suffice as sf
from lawful import EXHAUSTIVE, few
from suffice.data.batches import batches
from suffice.errors import (
    InvalidParameter,
    InvalidWeights,
    Mismatch,
    NeverIncluded,
    NotFinite,
    OutsideGrid,
)
from suffice.statistics.exact.exact_statistics import exact_statistics
from suffice.statistics.exact.integers import Integers


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def rows(rng, n=40, d=3, k=3):
    X = rng.normal(size=(n, d)) * 10.0 ** np.arange(d) + 5
    return X, rng.integers(0, k, n)


@pytest.mark.parametrize("seed", range(40 if EXHAUSTIVE else 2))
def test_random_histories_end_in_the_statistics_of_the_rows_left(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        total, alone = history(rng)
        assert total.digest() == alone.digest()
        assert total == alone


@pytest.mark.parametrize("seed", range(10 if EXHAUSTIVE else 1))
def test_the_saved_file_after_forgetting_is_that_of_never_having_seen(seed, tmp_path):
    rng = np.random.default_rng(1000 + seed)
    for _ in range(25):
        total, alone = history(rng)
        total.save(tmp_path / "after")
        alone.save(tmp_path / "alone")
        assert (tmp_path / "after").read_bytes() == (tmp_path / "alone").read_bytes()


def test_forgetting_an_extreme_row_or_a_whole_class_leaves_nothing(rng, tmp_path):
    X, y = rows(rng)
    grid = sf.Grid(-1e6, 1e6)
    labels = np.array(["a", "b", "a much longer label"])[y]
    labels[:5] = "gone"
    X[0] = 9e5
    for detail in DETAILS:
        whole = sf.summarize(X, labels, detail=detail, grid=grid)
        left = whole - sf.summarize(X[:5], labels[:5], detail=detail, grid=grid)
        never = sf.summarize(X[5:], labels[5:], detail=detail, grid=grid)
        left.save(tmp_path / "left")
        never.save(tmp_path / "never")
        assert (tmp_path / "left").read_bytes() == (tmp_path / "never").read_bytes()


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("bits", [8, 21, 22, 32, 34, 35, 48])
def test_mean_and_scatter_are_the_floats_nearest_to_the_exact_values(rng, bits, detail):
    X, y = rows(rng)
    grid = sf.Grid.of(X, bits=bits)
    s = sf.summarize(X, y, detail=detail, grid=grid)
    parts = rational.by_class(grid.round(X), y)
    for c, (_, mean, scatter) in enumerate(parts):
        assert s.mean[c].tolist() == [nearest(value) for value in mean]
        if detail == "separate":
            assert s.scatter[c].tolist() == [[nearest(v) for v in row] for row in scatter]
        if detail == "diagonal":
            assert s.scatter[c].tolist() == [nearest(scatter[j][j]) for j in range(3)]
    if detail == "shared":
        total = [[sum(p[2][i][j] for p in parts) for j in range(3)] for i in range(3)]
        assert s.scatter.tolist() == [[nearest(v) for v in row] for row in total]


def nearest(value: Fraction) -> float:
    return value.numerator / value.denominator


@pytest.mark.parametrize("classes", [2, 30])
def test_pooled_scatter_is_correctly_rounded_for_few_and_for_many_classes(rng, classes):
    X, y = rows(rng, 200, 3, classes)
    grid = sf.Grid.of(X, bits=40)
    parts = rational.by_class(grid.round(X), y)
    total = [[sum(p[2][i][j] for p in parts) for j in range(3)] for i in range(3)]
    s = sf.summarize(X, y, detail="shared", grid=grid)
    assert s.scatter.tolist() == [[nearest(v) for v in row] for row in total]


def test_decimals_are_summed_without_any_rounding():
    X = np.array([[0.1], [0.2], [0.3], [1.15]])
    s = sf.summarize(X, [0, 0, 0, 1], grid=sf.Grid.decimal(2))
    assert s.mean.tolist() == [[0.2], [1.15]]
    assert s.scatter[0, 0, 0] == 0.02  # of 0.1, 0.2, 0.3 as decimals; floats give 0.0199...


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_decimals_are_recognised_in_both_kinds_of_floats(kind, rng):
    cents = rng.integers(-(10**6), 10**6, (50, 2))
    X, y = (cents / 100).astype(kind), np.zeros(50, int)
    s = sf.summarize(X, y, grid=sf.Grid.decimal(2))
    assert s.sums.tolist() == cents.sum(axis=0).tolist()


def test_values_differ_from_their_points_by_half_a_unit_at_most(rng):
    X, _ = rows(rng, 500)
    for bits in (8, 16, 32):
        grid = sf.Grid.of(X, bits=bits)
        assert (np.abs(grid.round(X) - X) <= grid.unit / 2).all()


@pytest.mark.parametrize("detail", DETAILS)
def test_weights_are_repetitions(rng, detail):
    X, y = rows(rng)
    weights = rng.integers(0, 1000, len(X))
    grid = sf.Grid.of(X)
    weighted = sf.summarize(X, y, weights, detail, grid=grid)
    repeated = sf.summarize(X.repeat(weights, axis=0), y.repeat(weights), None, detail, grid=grid)
    assert np.array_equal(weighted.sums.limbs, repeated.sums.limbs)
    assert np.array_equal(weighted.products.limbs, repeated.products.limbs)
    assert weighted.weight.tolist() == repeated.weight.tolist()


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("unit", [2**-4, 1, 8])
def test_moments_of_weights_in_any_unit_are_the_floats_nearest_to_the_exact_values(
    rng, unit, detail
):
    X, y = rows(rng)
    grid = sf.Grid(-2000, 2000, weight_unit=unit)
    weights = rng.integers(1, 40, len(X)) * unit
    s = sf.summarize(X, y, weights, detail, grid=grid)
    parts = rational.by_class(grid.round(X), y, weights)
    for c, (weight, mean, scatter) in enumerate(parts):
        assert s.weight[c] == nearest(weight)
        assert s.mean[c].tolist() == [nearest(value) for value in mean]
        if detail == "separate":
            assert s.scatter[c].tolist() == [[nearest(v) for v in row] for row in scatter]
        if detail == "diagonal":
            assert s.scatter[c].tolist() == [nearest(scatter[j][j]) for j in range(3)]
    if detail == "shared":
        total = rational.pooled(parts)
        assert s.scatter.tolist() == [[nearest(v) for v in row] for row in total]


def test_rows_without_weights_have_weight_one_in_any_unit(rng):
    X, y = rows(rng)
    grid = sf.Grid(-2000, 2000, weight_unit=2**-4)
    whole = sf.summarize(X, y, grid=sf.Grid(-2000, 2000))
    assert np.array_equal(sf.summarize(X, y, grid=grid).scatter, whole.scatter)
    plain = sf.summarize(X, y, grid=grid)
    assert plain.weight.tolist() == plain.count.tolist()
    with pytest.raises(InvalidWeights, match=r"row 3 has weight 0\.3"):
        sf.summarize(X, y, np.where(np.arange(len(X)) == 3, 0.3, 1.0), grid=grid)


def test_select_coarsen_and_drop_class_are_those_of_the_rows(rng):
    X, y = rows(rng)
    grid = sf.Grid.of(X)
    s = sf.summarize(X, y, grid=grid)
    chosen = sf.summarize(X[:, [2, 0]], y, grid=grid.select([2, 0]))
    assert s.select([2, 0]).digest() == chosen.digest()
    for detail in ("shared", "diagonal"):
        assert s.coarsen(detail).digest() == sf.summarize(X, y, None, detail, grid=grid).digest()
    assert s.drop_class(1).digest() == sf.summarize(X[y != 1], y[y != 1], grid=grid).digest()
    with pytest.raises(InvalidParameter, match="shared"):
        s.coarsen("shared").drop_class(1)


def test_different_grids_do_not_merge_until_one_is_brought_to_the_other(rng):
    X = rng.integers(0, 100, (30, 2)).astype(float)
    y = np.arange(30) % 3
    coarse, fine = sf.Grid(0, 128, bits=16), sf.Grid(0, 128, bits=24)
    a, b = (sf.summarize(X, y, grid=grid) for grid in (coarse, fine))
    with pytest.raises(Mismatch, match=r"different grids.*regrid"):
        a + b
    assert a.regrid(fine).digest() == b.digest()
    assert b.regrid(coarse).digest() == a.digest()
    between = sf.summarize(X + 2.0**-15, y, grid=fine)
    with pytest.raises(Mismatch, match="between the points"):
        between.regrid(coarse)
    with pytest.raises(Mismatch, match="does not cover"):
        b.regrid(sf.Grid(0, 64, bits=24))


@pytest.mark.parametrize("detail", DETAILS)
def test_what_was_never_in_cannot_be_removed(rng, detail):
    X, y = rows(rng)
    grid = sf.Grid.of(X)

    def of(rows, labels):
        return sf.summarize(rows, labels, detail=detail, grid=grid)

    whole = of(X, y)
    state = whole.digest()
    for rows_, labels, message in (
        (X[:1], [9], "class 9 has rows to remove"),
        (np.vstack([X, X]), np.tile(y, 2), "rows of weight"),
        (X * 1.001, y, "not the same rows|impossible"),
        (X[y == 0][1:] + 0.01, np.zeros(np.sum(y == 0) - 1, int), "impossible|outside"),
    ):
        if detail == "shared" and "impossible|" in message:
            continue  # other classes' variances hide it
        with pytest.raises(NeverIncluded, match=message):
            whole - of(rows_, labels)
    assert whole.digest() == state


def test_values_outside_the_grid_are_named_and_nothing_is_counted(rng):
    X, y = rows(rng)
    grid = sf.Grid([0, 0, 0], [10, 100, 1000])
    X = np.clip(X, 0, 1)
    X[7, 1] = 150.0
    with pytest.raises(OutsideGrid, match=r"row 7, column 1 holds 150.0.*0 to 100.*cover\(\{1: "):
        sf.summarize(X, y, grid=grid)
    assert sf.summarize(X, y, grid=grid.cover({1: 150.0})).count.sum() == len(X)
    with pytest.raises(NotFinite, match="row 2, column 0"):
        sf.summarize(np.where(np.arange(120).reshape(40, 3) == 6, np.inf, X), y, grid=grid)
    with pytest.raises(OutsideGrid, match=r"row 0, column 0 holds 0\.123.*more than 2 decimals"):
        sf.summarize([[0.123]], ["a"], grid=sf.Grid.decimal(2))


def test_a_row_of_weight_zero_may_hold_anything(rng):
    X, y = rows(rng)
    grid = sf.Grid.of(X)
    weights = np.ones(len(X))
    weights[3] = 0
    expected = sf.summarize(np.delete(X, 3, 0), np.delete(y, 3), grid=grid)
    X[3] = 1e300
    assert sf.summarize(X, y, weights, grid=grid).digest() == expected.digest()


def test_exact_and_ordinary_statistics_do_not_mix(rng):
    X, y = rows(rng)
    exact, floats, holes = sf.summarize(X, y, grid=sf.Grid.of(X)), sf.summarize(X, y), X.copy()
    holes[0, 0] = np.nan
    for own in (exact, sf.summarize(holes, y, grid=sf.Grid.of(X))):
        for pair in ((own, floats), (floats, own)):
            for work in (add, sub):
                with pytest.raises(Mismatch, match=r"exact.numbers"):
                    work(*pair)
    grid = sf.Grid.of(X)
    for here, there in ((sf.LDA(grid=grid), sf.LDA()), (sf.LDA(), sf.LDA(grid=grid))):
        with pytest.raises(Mismatch, match="one side is exact"):
            here.fit(X, y).merge(there.fit(X, y))
    assert exact.numbers + sf.summarize(X, y) == sf.summarize(X, y) + exact.numbers
    with pytest.raises(InvalidParameter, match="grid is 'auto'"):
        sf.summarize(X, y, grid="auto")


def test_files_of_impossible_sums_are_refused(rng, tmp_path):
    from dataclasses import replace

    X, y = rows(rng)
    s = sf.summarize(X, y, grid=sf.Grid.of(X))
    wrong = replace(s, products=s.products - s.products - s.products)
    wrong.save(tmp_path / "wrong")
    with pytest.raises(sf.errors.InvalidFile, match="impossible variance"):
        sf.load(tmp_path / "wrong")


@pytest.mark.parametrize("kind", ["float32", "float64", "int16"])
def test_many_rows_through_compiled_loops_give_the_same_bits_as_few(kind):
    rng = np.random.default_rng(3)
    X = (4 * rng.normal(size=(20_001, 65))).astype(kind)
    y = rng.integers(0, 5, len(X))
    grid = sf.Grid(-32, 32)
    for detail in DETAILS:
        parts = (
            sf.summarize(X[at], y[at], detail=detail, grid=grid)
            for at in np.array_split(rng.permutation(len(X)), 9)
        )
        with compiled_loops():
            whole = sf.summarize(X, y, detail=detail, grid=grid)
        assert whole.digest() == sum(parts).digest()


@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf, 1e300, -1e300, 8.1, -8.1, 2e9])
def test_compiled_loops_find_every_value_outside_the_grid(value):
    X, y = np.ones((50, 3)), np.zeros(50, int)
    for row in (0, 48, 49):
        X[row, 1] = value
        for detail in DETAILS:
            with compiled_loops(), pytest.raises((OutsideGrid, NotFinite)) as error:
                exact_statistics(next(iter(batches(X, y, None))), detail, sf.Grid(-8, 8))
            assert f"row {row}, column 1" in str(error.value) or np.isnan(value)
        X[row, 1] = 1.0


@few(
    "low, bits",
    product([-1.0, 2.0**19, 2.0**20, 1e9], [12, 32, 34, 36]),
    [(-1.0, 12), (-1.0, 36), (2.0**19, 36), (2.0**20, 32), (2.0**20, 34), (1e9, 36)],
)
def test_compiled_loops_round_like_numpy_at_the_edges_and_far_from_zero(bits, low):
    # From 2^20 on, values in units of 2^-31 pass 2^51, where the loops' way to round ends.
    rng = np.random.default_rng(bits)
    grid = sf.Grid(low, low + 1, bits=bits)
    X = rng.choice([low, low + 1, *rng.uniform(low, low + 1, 1000)], (8_001, 64))
    y, weights = rng.integers(0, 3, len(X)), np.ones(len(X), int)
    weights[::7] = 0
    for detail in ("shared", "diagonal"):
        with compiled_loops():
            some = sf.summarize(X[weights > 0], y[weights > 0], detail=detail, grid=grid)
        # Weights are the NumPy way.
        assert some.digest() == sf.summarize(X, y, weights, detail, grid=grid).digest()


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(7_000, 64)), rng.integers(0, 5, 7_000)
    grid = sf.Grid(-8, 8)
    expected = sf.summarize(X, y, grid=grid).digest()
    monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
    with compiled_loops():
        assert sf.summarize(X, y, grid=grid).digest() == expected


def test_integers_add_shift_and_compare_like_those_of_python(rng):
    values = [
        int(v) * 2 ** int(e)
        for v, e in zip(rng.integers(-(2**62), 2**62, 200), rng.integers(0, 50, 200), strict=True)
    ]
    others = values[::-1]
    a, b = Integers.of(values, 3), Integers.of(others, 3)
    assert (a + b).tolist() == [x + y for x, y in zip(values, others, strict=True)]
    assert (a - b).tolist() == [x - y for x, y in zip(values, others, strict=True)]
    assert a.times(7).tolist() == [128 * x for x in values]
    small = rng.integers(-(2**53), 2**53, 200)
    for shift in (0, 1, 59, 60, 61, 90):
        assert Integers.shifted(small, shift, 3).tolist() == [int(v) << shift for v in small]
    assert np.allclose(a.floats(), [float(v) for v in values], rtol=1e-15, atol=0)
    assert Integers.of([-1, -512], 2).floats().tolist() == [-1.0, -512.0]
