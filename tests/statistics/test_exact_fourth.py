"""Sums of fourth order as integers: Ledoit-Wolf on a grid forgets in every bit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import suffice as sf
from suffice.data.batches import batches
from suffice.errors import InvalidParameter, Mismatch, NeverIncluded, NotOnDevice
from suffice.statistics.exact.exact_fourth import common_unit, fourth_sums
from suffice.statistics.exact.exact_statistics import exact_statistics

WOLF = {"shrinkage": "ledoit-wolf"}


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def summed(X, y, grid, weights=None, detail="separate"):
    return exact_statistics(*batches(X, y, weights), detail, grid, True)


def rows_on(rng, grid, n=60, d=3, k=3):
    X = rng.normal(size=(n, d)) * [1, 30, 0.1][:d] + 5
    return (X.round(2) if grid.is_decimal else X), rng.integers(0, k, n)


GRIDS = [
    sf.Grid(-200, 200, bits=12),
    sf.Grid([-20, -400, 0], [20, 500, 9], bits=32),
    sf.Grid(-200, 200, bits=48),
    sf.Grid.decimal([2, 2, 3], low=-500, high=500, weight_unit=0.5),
]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_sums_are_those_of_whole_numbers_row_by_row(rng, grid, weighted):
    X, y = rows_on(rng, grid)
    weights = rng.integers(0, 5, len(X)) * grid.weight_unit if weighted else None
    s = summed(X, y, grid, weights)
    own, ratios = s.grid, common_unit(s.grid)[1]
    q = (np.rint(X * own.scale) - own.anchor).astype(np.int64).astype(object)
    w = np.ones(len(X)) if weights is None else weights
    w = (w / own.weight_unit).astype(np.int64).astype(object)
    size = (q * q * np.array([r * r for r in ratios], object)).sum(axis=1)
    for c, label in enumerate(s.classes):
        at = y == label
        expected = [*(w[at] * size[at]) @ q[at], (w[at] * size[at]) @ size[at]]
        assert s.fourth[c].tolist() == expected


@pytest.mark.parametrize("grid", GRIDS)
def test_moments_about_the_means_are_the_floats_nearest_to_the_exact_ones(rng, grid):
    X, y = rows_on(rng, grid)
    s = summed(X, y, grid)
    found, units = s.numbers.fourth, s.grid.unit_fractions()
    q = (np.rint(X * s.grid.scale) - s.grid.anchor).astype(np.int64)
    for c, label in enumerate(s.classes):
        rows = [
            [Fraction(int(a)) * u for a, u in zip(row, units, strict=True)] for row in q[y == label]
        ]
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        z = [[a - m for a, m in zip(row, mean, strict=True)] for row in rows]
        size = [sum(a * a for a in row) for row in z]
        unit = Fraction(found.unit)
        assert found.square[c] == float(sum(size) / unit**2)
        assert found.quartic[c] == float(sum(a * a for a in size) / unit**4)
        for j in range(X.shape[1]):
            third = sum(a * row[j] for a, row in zip(size, z, strict=True))
            assert found.cubic[c, j] == float(third / unit**3)


def test_many_rows_in_several_blocks_give_the_sums_of_their_parts(rng):
    X, y = rng.normal(size=(3000, 3)), rng.integers(0, 4, 3000)
    (batch,), grid = batches(X, y), GRIDS[2].resolve(None, 3)
    parts = fourth_sums(batch, grid, most_rows=700, most_features=2, block_entries=900)
    assert np.array_equal(parts.limbs, fourth_sums(batch, grid).limbs)


@pytest.mark.parametrize("kind", [sf.QDA, sf.LDA, sf.GaussianDiscriminant, sf.DiagonalLDA])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_a_model_that_has_forgotten_is_the_one_that_has_never_seen(kind, gaps, rng, tmp_path):
    X, y = rng.normal(size=(150, 4)) * [1, 2, 3, 4], rng.choice(["a", "b"], 150)
    X[:40][rng.random((40, 4)) < gaps] = np.nan
    model = kind(grid=sf.Grid(-100, 100), **WOLF)
    never = kind(grid=sf.Grid(-100, 100), **WOLF).fit(X[40:], y[40:])
    assert model.fit(X, y).forget(X[:40], y[:40]).digest() == never.digest()
    stream = kind(grid=sf.Grid(-100, 100), **WOLF)
    for part in np.array_split(rng.permutation(150), 5):
        stream.partial_fit(X[part], y[part])
    assert stream.forget(X[:40], y[:40]).digest() == never.digest()
    never.save(tmp_path / "model")
    loaded = sf.load(tmp_path / "model")
    assert loaded.digest() == never.digest()
    assert np.array_equal(loaded.predict_log_proba(X[40:]), never.predict_log_proba(X[40:]))
    plain = kind(**WOLF).fit(X[40:], y[40:])
    np.testing.assert_allclose(never.shrinkage_, plain.shrinkage_, rtol=1e-6)


def test_candidates_on_a_grid_are_scored_with_their_estimates(rng):
    X, y = rng.normal(size=(120, 5)), rng.choice(["a", "b"], 120)
    X[y == "a"] += 0.5
    grid = sf.Grid(-20, 20)
    plain = sf.select_model(X, y, [sf.LDA(**WOLF), sf.QDA(**WOLF)])
    exact = sf.select_model(X, y, [sf.LDA(grid=grid, **WOLF), sf.QDA(grid=grid, **WOLF)])
    np.testing.assert_allclose(exact.table["log_loss"], plain.table["log_loss"], atol=1e-6)
    assert exact.model.statistics_.has_fourth
    left_out = exact.model.leave_one_out(X, y)
    other = plain.model.leave_one_out(X, y)
    np.testing.assert_allclose(left_out.log_proba, other.log_proba, atol=1e-5)


def test_what_does_not_keep_these_sums_is_said(rng, tmp_path):
    X, y = rows_on(rng, GRIDS[1])
    whole, without = summed(X, y, GRIDS[1]), sf.summarize(X, y, grid=GRIDS[1])
    with pytest.raises(Mismatch, match="ledoit-wolf"):
        whole + without
    with pytest.raises(Mismatch, match="ledoit-wolf"):
        whole - without
    with pytest.raises(InvalidParameter, match="from the start"):
        sf.LDA(**WOLF).fit_statistics(without)
    assert whole.select([2, 0]).fourth is None
    assert whole.coarsen("shared").digest() == without.coarsen("shared").digest()
    assert whole.drop_class(0).digest() == summed(X[y > 0], y[y > 0], GRIDS[1]).digest()
    # Squares of 3.9 can be removed from squares of 4, but not fourth powers of 7.7 from those of 4.
    ones = np.array([[-1.0], [1.0], [-1.0], [1.0], [0.0], [0.0]])
    with pytest.raises(NeverIncluded, match="fourth order"):
        summed(ones, np.zeros(6), GRIDS[0]) - summed(1.4 * ones[:2], np.zeros(2), GRIDS[0])
    torch = pytest.importorskip("torch")
    with pytest.raises(NotOnDevice, match="oas"):
        sf.LDA(grid=GRIDS[1], **WOLF).fit(torch.tensor(X), y)
