"""Exact statistics of rows with missing values: by pattern and by feature, in every bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from histories import DETAILS

import suffice as sf
from suffice.errors import InvalidFile, InvalidInput, InvalidParameter, Mismatch, NeverIncluded

GRID = sf.Grid(-30, 30)


def rows(seed, share):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    X = rng.normal(size=(60, d)) * 3
    X[rng.random((60, d)) < share] = np.nan
    weights = rng.integers(1, 5, 60) if seed % 3 == 0 else None
    return X, rng.integers(0, 3, 60), weights, rng.permutation(60)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("share", [0.02, 0.3])
@pytest.mark.parametrize("seed", range(6))
def test_any_history_ends_in_the_statistics_of_the_rows_left(seed, share, detail, tmp_path):
    X, y, weights, order = rows(seed, share)

    def of(at):
        return sf.summarize(
            X[at], y[at], None if weights is None else weights[at], detail, grid=GRID
        )

    whole = sum(of(part) for part in np.array_split(order, 4))
    assert whole.digest() == of(np.arange(60)).digest()
    left = whole - of(order[:7]) - of(order[7:20])
    assert left.digest() == of(order[20:]).digest()
    # With the last row that lacks a value, the kind of the statistics goes, too.
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    others = np.setdiff1d(np.arange(60), complete)
    if len(others):
        assert (whole - of(others)).digest() == of(complete).digest()
        assert type(of(complete)) is sf.ExactStatistics
    whole.save(tmp_path / "saved")
    assert sf.load(tmp_path / "saved").digest() == whole.digest()


@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_the_ordinary_statistics_of_the_rounded_rows(seed):
    X, y, weights, _ = rows(seed, 0.2)
    for detail in DETAILS:
        exact = sf.summarize(X, y, weights, detail, grid=GRID)
        assert exact.numbers == sf.summarize(GRID.round(X), y, weights, detail)
    whole = sf.summarize(X, y, weights, grid=GRID)
    for detail in ("shared", "diagonal"):
        coarse = sf.summarize(X, y, weights, detail, grid=GRID)
        assert whole.coarsen(detail).digest() == coarse.digest()
    kept = y != 1
    own = None if weights is None else weights[kept]
    assert whole.drop_class(1).digest() == sf.summarize(X[kept], y[kept], own, grid=GRID).digest()
    chosen = [X.shape[1] - 1]
    assert (
        whole.select(chosen).digest() == sf.summarize(X[:, chosen], y, weights, grid=GRID).digest()
    )


@pytest.mark.parametrize("kind", [sf.LDA, sf.QDA, sf.GaussianNB, sf.MixedNB])
def test_models_forget_rows_with_missing_values_in_every_bit(kind):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 3)), np.arange(120) % 2
    X[y == 1] += 1
    X[::7, 1] = np.nan
    model = kind(grid=GRID).fit(X, y).forget(X[:20], y[:20])
    assert model.digest() == kind(grid=GRID).fit(X[20:], y[20:]).digest()
    plain = kind().fit(X[20:], y[20:])
    assert np.abs(model.predict_proba(X) - plain.predict_proba(X)).max() < 1e-6


def test_what_was_never_in_and_other_grids_are_refused():
    X, y, _, _ = rows(1, 0.3)
    whole = sf.summarize(X, y, grid=GRID)
    with pytest.raises(NeverIncluded):
        whole - sf.summarize(np.vstack([X, X]), np.tile(y, 2), grid=GRID)
    with pytest.raises(Mismatch, match="grids"):
        whole + sf.summarize(X, y, grid=sf.Grid(-40, 40))
    with pytest.raises(Mismatch, match="exact"):
        whole + sf.summarize(X, y)


def test_a_file_whose_patterns_contradict_it_is_refused(tmp_path):
    from dataclasses import replace

    X, y, _, _ = rows(1, 0.3)
    whole = sf.summarize(X, y, grid=GRID)
    replace(whole, count=whole.count // whole.count).save(tmp_path / "wrong")
    with pytest.raises(InvalidFile, match="more rows"):
        sf.load(tmp_path / "wrong")


@pytest.mark.parametrize("detail", DETAILS)
def test_statistics_with_missing_values_go_to_a_finer_grid_and_back(detail):
    X, y, weights, _ = rows(4, 0.2)
    fine = sf.Grid(-30, 30, bits=40, weight_unit=0.25)
    s = sf.summarize(X, y, weights, detail, grid=GRID)
    expected = sf.summarize(GRID.round(X), y, weights, detail, grid=fine)
    assert s.regrid(fine).digest() == expected.digest()
    assert s.regrid(fine).regrid(GRID).digest() == s.digest()
    for grid in (None, "finer"):
        for own in (s, sf.summarize(GRID.round(X[:, :1] * 0), y, grid=GRID)):
            with pytest.raises(InvalidParameter, match="must be a grid"):
                own.regrid(grid)


def test_what_rows_with_missing_values_cannot_give_is_said():
    X, y, *_ = rows(3, 0.2)
    s = sf.summarize(X, y, grid=GRID)
    with pytest.raises(InvalidParameter, match="takes rows without missing values"):
        s.private(epsilon=1.0, delta=1e-6)
    with pytest.raises(InvalidParameter, match="no class 9; the classes are 0, 1, 2"):
        s.drop_class(9)
    with pytest.raises(InvalidParameter, match="cannot become 'separate'"):
        s.coarsen("shared").coarsen("separate")


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@pytest.mark.parametrize("bad", [70.0, np.inf])
def test_a_value_off_the_grid_is_named_by_its_place_in_a_table_with_gaps(detail, bad):
    rows = pd.DataFrame(np.zeros((6, 3)), columns=["a", "b", "c"])
    rows.iloc[0, 1] = rows.iloc[4, 0] = np.nan
    rows.iloc[4, 2] = bad
    with pytest.raises(InvalidInput, match=r"row 4, column 'c'") as raised:
        sf.summarize(rows, [0, 1] * 3, detail=detail, grid=sf.Grid(-8, 8))
    assert np.isinf(bad) or "grid.cover({'c': 70.0})" in str(raised.value)
    with pytest.raises(InvalidInput, match=r"row 4, column 'c'"):
        sf.summarize(rows.replace(bad, 0.123), [0, 1] * 3, detail=detail, grid=sf.Grid.decimal(2))


@pytest.mark.parametrize("detail", DETAILS)
def test_rows_without_any_value_have_counts_alone(detail):
    s = sf.summarize(np.full((3, 2), np.nan), ["a", "b", "a"], detail=detail, grid=sf.Grid(0, 1))
    assert s.numbers.count.tolist() == [2, 1]
    assert s.numbers.known_count.tolist() == [[0, 0], [0, 0]]
