"""Grids: what they choose, say, save and refuse."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidFeatures, InvalidParameter, Mismatch


@pytest.mark.parametrize("bits", [2, 8, 16, 32, 48])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 1000), (1e8, 1e8 + 1), (-1e-9, 0)])
def test_a_grid_covers_its_range_with_integers_of_its_bits(bits, low, high):
    grid = sf.Grid(low, high, bits=bits)
    largest = 2 ** (bits - 1) - 1
    assert max(-grid.lowest[0], grid.highest[0]) <= largest
    assert 2 * max(-grid.lowest[0], grid.highest[0]) + 4 > largest  # no smaller unit would do
    assert np.frexp(grid.unit)[0].tolist() == [0.5]
    assert abs(grid.low[0] - low) <= grid.unit[0] / 2
    assert abs(grid.high[0] - high) <= grid.unit[0] / 2


def test_a_grid_by_name_follows_the_columns_of_a_frame():
    grid = sf.Grid({"b": 0, "a": -1}, {"b": 10, "a": 1}, bits=16)
    frame = pd.DataFrame({"a": [0.5, -0.5], "b": [9.0, 1.0]})
    s = sf.summarize(frame, ["x", "y"], grid=grid)
    assert s.grid.names == ("a", "b")
    assert s.grid == grid.select(["a", "b"])
    with pytest.raises(InvalidFeatures, match="no range for feature 'c'"):
        sf.summarize(frame.assign(c=1.0), ["x", "y"], grid=grid)
    with pytest.raises(Mismatch, match="2 features and the rows have 3"):
        sf.summarize(np.zeros((2, 3)), ["x", "y"], grid=grid)


def test_a_measured_grid_has_room_for_its_rows_and_says_what_it_rounds():
    rng = np.random.default_rng(0)
    X = rng.standard_cauchy((400, 3)) * [1e-3, 1.0, 1e6]
    for margin in (1, 16, 1000):
        grid = sf.Grid.of(X, margin=margin)
        reach = np.abs(X - X.mean(axis=0)).max(axis=0)
        assert (grid.high - X.mean(axis=0) >= 1.4 * reach).all()
        assert not grid.declared
        assert "in standard deviations" in str(grid)
    statistics = sf.summarize(X, np.arange(400) % 2)
    assert (sf.Grid.of(statistics).high > 8 * X.std(axis=0)).all()


@pytest.mark.parametrize(
    "grid",
    [
        sf.Grid(0, 1),
        sf.Grid([0, 1], [2, 3], bits=48, weight_unit=0.25),
        sf.Grid({"a": 0}, {"a": 1}),
        sf.Grid.decimal(2),
        sf.Grid.decimal({"a": 0, "b": 3}, 0, 100),
        sf.Grid.of([[1.0, 2.0], [3.0, 5.0]]),
    ],
)
def test_a_grid_saves_loads_pickles_and_compares(grid, tmp_path):
    grid.save(tmp_path / "grid")
    loaded = sf.load(tmp_path / "grid")
    assert type(loaded) is sf.Grid
    for copy in (loaded, pickle.loads(pickle.dumps(grid))):
        assert copy == grid
        assert copy.digest() == grid.digest()
    assert grid != sf.Grid(0, 2)
    assert grid.digest() != sf.Grid(0, 2).digest()
    assert str(grid).startswith("grid of")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.Grid(1, 0), "low must be below high"),
        (lambda: sf.Grid(0, np.inf), "finite"),
        (lambda: sf.Grid(np.nan, 1), "finite"),
        (lambda: sf.Grid("low", 1), "low is 'low'"),
        (lambda: sf.Grid([0, 1], [1, 2, 3]), "same number of features"),
        (lambda: sf.Grid({"a": 0}, {"b": 1}), "same feature names"),
        (lambda: sf.Grid(0, 1, bits=49), "from 2 to 48"),
        (lambda: sf.Grid(0, 1, bits=True), "bits"),
        (lambda: sf.Grid(0, 1, weight_unit=0.3), "power of two"),
        (lambda: sf.Grid(0, 1e-200), "too narrow"),
        (lambda: sf.Grid.decimal(-1), "digits must be whole numbers"),
        (lambda: sf.Grid.decimal(2, 5, 4), "low must be below high"),
        (lambda: sf.Grid.of([[1.0]], margin=0), "margin is 0"),
        (lambda: sf.Grid.of([[np.nan], [np.nan]]), "no value"),
        (lambda: sf.Grid.of("rows.csv"), "target="),
        (lambda: sf.Grid(0, 1).cover({0: np.nan}), "finite"),
    ],
)
def test_impossible_grids_say_what_is_wrong(make, message):
    with pytest.raises((InvalidParameter, InvalidFeatures), match=message):
        make()
