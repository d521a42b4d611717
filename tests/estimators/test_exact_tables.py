"""Models of tables with levels on a grid: whatever was forgotten, the bits of never having seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import (
    InvalidFeatures,
    InvalidFile,
    InvalidParameter,
    Mismatch,
    NeverIncluded,
    OutsideGrid,
)
from suffice.reports.code import constructor, imports
from suffice.statistics.exact.integers import Integers

KINDS = [
    sf.LDA,
    sf.QDA,
    sf.GaussianNB,
    sf.DiagonalLDA,
    sf.GaussianDiscriminant,
    sf.BayesianDiscriminant,
    sf.MixedNB,
]
GRID = sf.Grid({"age": -1e3, "income": -1e6}, {"age": 1e3, "income": 1e6})


@pytest.fixture(scope="module", params=[0.0, 0.1], ids=["complete", "gaps"])
def table(request):
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 240)
    X = pd.DataFrame({"age": rng.normal(40, 9, 240) + 9 * (y == "yes")})
    X["colour"] = rng.choice(["red", "blue", "green"], 240)
    X["income"] = rng.normal(3e4, 9e3, 240)
    X["size"] = rng.choice(["S", "M", "L", "XL", "XXL"], 240, p=[0.4, 0.3, 0.2, 0.06, 0.04])
    for name in X.columns:
        X.loc[rng.random(240) < request.param, name] = None
    return X, y


def halves(X):
    gone = np.random.default_rng(1).permutation(len(X))[:80]
    return gone, np.setdiff1d(np.arange(len(X)), gone)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_a_table_that_has_forgotten_is_the_one_that_has_never_seen(
    kind, table, tmp_path
):
    X, y = table
    gone, left = halves(X)
    never = kind(grid=GRID).fit(X.iloc[left], y[left])
    forgot = kind(grid=GRID).fit(X, y).forget(X.iloc[gone], y[gone])
    assert forgot.digest() == never.digest()
    assert np.array_equal(forgot.predict_log_proba(X), never.predict_log_proba(X))
    forgot.save(tmp_path / "a")
    never.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = sf.load(tmp_path / "a")
    assert loaded.digest() == never.digest()
    assert np.array_equal(loaded.predict_log_proba(X), never.predict_log_proba(X))
    plain = kind().fit(X.iloc[left], y[left])
    assert np.abs(plain.predict_proba(X) - never.predict_proba(X)).max() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_a_table_merged_or_added_one_by_one_give_the_same_model(kind, table):
    X, y = table
    gone, left = halves(X)
    whole = kind(grid=GRID).fit(X, y)
    merged = (
        kind(grid=GRID).fit(X.iloc[left], y[left]).merge(kind(grid=GRID).fit(X.iloc[gone], y[gone]))
    )
    # Of some rows alone, columns could look different: what they are is decided once.
    stream = kind(grid=GRID, columns=sf.describe(X))
    for part in np.array_split(np.random.default_rng(2).permutation(240), 6):
        stream.partial_fit(X.iloc[part], y[part])
    assert whole.digest() == merged.digest()
    assert whole.statistics_.digest() == stream.statistics_.digest()


def test_categories_of_a_column_that_is_set_aside_are_not_kept(tmp_path):
    rng = np.random.default_rng(6)
    X = pd.DataFrame({"name": pd.Categorical([f"person {i}" for i in range(60)])})
    X["size"], X["n"] = rng.choice(["S", "M"], 60), rng.normal(size=60)
    y = rng.choice(["no", "yes"], 60)
    for model in (sf.LDA(grid=sf.Grid(-9, 9)), sf.LDA(), sf.MixedNB()):
        model.fit(X, y).save(tmp_path / "model")
        assert b"person" not in (tmp_path / "model").read_bytes()


def test_levels_are_as_rare_as_they_are_among_the_rows_left():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"size": rng.choice(["S", "M"], 100), "n": rng.normal(size=100)})
    X.loc[:13, "size"] = "XL"
    X.loc[14:17, "size"] = "XXL"
    y = rng.choice(["no", "yes"], 100)
    model = sf.LDA(grid=sf.Grid(-9, 9)).fit(X, y)
    assert model.statistics_.groups[0].rare == []  # XXL is "other" by itself
    assert model.coef_.shape[-1] == 4
    model.forget(X[:6], y[:6])
    assert model.statistics_.groups[0].rare == ["XL", "XXL"]
    assert model.digest() == sf.LDA(grid=sf.Grid(-9, 9)).fit(X[6:], y[6:]).digest()
    model.forget(X[6:18], y[6:18])
    assert [own.tolist() for own in model.statistics_.known_levels] == [["M", "S"]]
    assert model.digest() == sf.LDA(grid=sf.Grid(-9, 9)).fit(X[18:], y[18:]).digest()


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_integers_of_a_table_give_the_numbers_of_its_rounded_encoded_rows(table, detail):
    X, y = table
    s = sf.summarize(X, y, detail=detail, grid=GRID)
    model = sf.LDA(grid=GRID).fit(X, y)
    rows = model._rounded(model._rows(X))
    plain = sf.summarize(rows, y, detail=detail)
    numbers = s.numbers
    assert np.array_equal(numbers.count, plain.count)
    np.testing.assert_allclose(numbers.mean, plain.mean, rtol=1e-13, atol=1e-13)
    assert numbers == plain.named(numbers.feature_names)


def test_weighted_rows_of_a_table_are_repetitions(table):
    X, y = table
    weights = np.random.default_rng(4).integers(1, 4, len(X))
    at = np.repeat(np.arange(len(X)), weights)
    a, b = (
        sf.summarize(rows, labels, own, "diagonal", grid=GRID).every.numbers
        for rows, labels, own in ((X, y, weights), (X.iloc[at], y[at], None))
    )
    for name in ("mean", "weight", "squares"):
        assert np.array_equal(getattr(a, name), getattr(b, name))


def test_a_level_of_rows_without_weight_is_not_kept(table):
    X, y = table
    weights = np.where(X["size"] == "XXL", 0, 1)
    rows = weights > 0
    for grid in (GRID, None):
        s = sf.summarize(X, y, weights, grid=grid)
        assert "XXL" not in s.known_levels[1]
        assert s == sf.summarize(X[rows], y[rows], weights[rows], grid=grid)


@pytest.mark.parametrize("kind", [sf.LDA, sf.GaussianNB, sf.MixedNB])
def test_leaving_out_a_row_of_a_table_is_forgetting_it(kind, table):
    X, y = table
    if kind is sf.LDA:  # with missing values, EM would run for each row
        X, y = X.dropna().reset_index(drop=True), y[X.notna().all(axis=1)]
    grid = sf.Grid(-1e6, 1e6, bits=24)  # coarse: the rows differ visibly from their points
    model = kind(grid=grid).fit(X, y)
    left_out = model.leave_one_out(X, y)
    for i in (0, 17):
        other = kind(grid=grid).fit(X, y).forget(X[i : i + 1], y[i : i + 1])
        one = X[i : i + 1].assign(age=grid.round(X.age[i]), income=grid.round(X.income[i]))
        expected = other.predict_log_proba(one)[0]
        np.testing.assert_allclose(left_out.log_proba[i], expected, rtol=1e-7, atol=1e-9)


def test_parameters_are_cross_validated_and_models_chosen_on_the_grid(table):
    X, y = table
    X, y = X[X.notna().all(axis=1)], y[X.notna().all(axis=1)]
    both = {"pooling": 1.0, "shrinkage": "cv"}
    exact = sf.GaussianDiscriminant(**both, grid=GRID).fit(X, y)
    plain = sf.GaussianDiscriminant(**both).fit(X, y)
    assert exact.shrinkage_ == plain.shrinkage_
    assert exact.statistics_.grid == GRID
    models = [sf.LDA(), sf.GaussianNB(), sf.MixedNB(), sf.BayesianDiscriminant()]
    chosen = sf.select_model(X, y, [clone(model).set_params(grid=GRID) for model in models])
    scores = sf.select_model(X, y, models).table["log_loss"]
    np.testing.assert_allclose(chosen.table["log_loss"], scores, atol=1e-6)
    coarse = [sf.LDA(), sf.LDA(grid=GRID), sf.LDA(grid=sf.Grid(-1e6, 1e6, bits=8))]
    scores = sf.select_model(X, y, coarse).table["log_loss"]
    assert abs(scores[0] - scores[1]) < 1e-6 < abs(scores[1] - scores[2])


def test_a_chosen_model_is_on_its_grid_and_forgets_exactly():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(120, 3)), rng.choice(["a", "b"], 120)
    X[y == "a"] += 1
    grid = sf.Grid(-20, 20)
    model = sf.select_model(X, y, [sf.LDA(grid=grid), sf.QDA(grid=grid)]).model
    assert isinstance(model.statistics_, sf.ExactStatistics)
    model.forget(X[:20], y[:20])
    assert model.digest() == clone(model).fit(X[20:], y[20:]).digest()


def test_a_measured_grid_is_for_the_numbers_of_a_table(table):
    X, y = table
    for rows in (X, sf.summarize(X, y), sf.summarize(X, y, grid=GRID)):
        assert sf.Grid.of(rows).names == ("age", "income")
    grid = sf.Grid.of(X.assign(y=y), target="y", columns=sf.describe(X))
    assert grid == sf.Grid.of(X)
    assert sf.LDA(grid=grid).fit(X, y).statistics_.grid == grid
    levels = X[["colour", "size"]]
    with pytest.raises(InvalidFeatures, match="no column holds numbers"):
        sf.Grid.of(levels)
    model = sf.LDA(grid=sf.Grid(0, 1)).fit(levels, y)
    assert repr(model.statistics_.grid) == "<Grid of 0 features, 32 bits>"


def test_statistics_of_a_table_go_to_a_finer_grid_and_back(table):
    X, y = table
    coarse, fine = sf.Grid(-1e6, 1e6, bits=24), sf.Grid(-1e6, 1e6, bits=40)
    s = sf.summarize(X, y, grid=coarse)
    assert s.regrid(fine).regrid(coarse).digest() == s.digest()
    assert s.regrid(fine).grid == fine.resolve(("age", "income"), 2)
    with pytest.raises(InvalidParameter, match="on no grid"):
        sf.summarize(X, y).regrid(fine)


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_nothing_is_left_of_a_table_whose_rows_were_all_removed(detail, table):
    X, y = table
    s = sf.summarize(X, y, detail=detail, grid=GRID)
    nothing = s - s
    assert not len(nothing.classes)
    assert (nothing + s).digest() == s.digest()


@pytest.mark.parametrize("detail", ["separate", "shared"])
@pytest.mark.parametrize("gap", [None, 7.0])
def test_rows_that_combine_what_others_have_cannot_be_removed(detail, gap):
    pairs = [a + b for a in "pqr" for b in "uvw" if a + b != "pw"] * 4
    X = pd.DataFrame({"a": [a for a, _ in pairs], "b": [b for _, b in pairs]})
    X["n"] = [*np.arange(len(X) - 1) % 5, gap]
    columns = sf.describe(X)

    def summarized(rows):
        y = ["no"] * len(rows)
        return sf.summarize(rows, y, detail=detail, grid=sf.Grid.decimal(0), columns=columns)

    never = pd.DataFrame({"a": ["p"], "b": ["w"], "n": [3.0]})
    with pytest.raises(NeverIncluded, match="fewer than no rows with 'a=p' and 'b=w'"):
        summarized(X) - summarized(never)
    few = X[:3].assign(a=["p", "q", "q"], b="u", n=[1.0, 2.0, 4.0])
    with pytest.raises(NeverIncluded, match="no rows with 'a=p', but products"):
        summarized(few) - summarized(few[:1].assign(n=2.0))


def test_what_a_table_on_a_grid_cannot_do_is_said_and_changes_nothing(table):
    X, y = table
    model = sf.LDA(grid=GRID).fit(X, y)
    before = model.digest()
    cases = [
        (lambda: model.forget(X.assign(colour="mauve"), y), NeverIncluded, "'mauve'"),
        (lambda: model.forget(X.assign(colour="red"), y), NeverIncluded, "ever added|Were they"),
        (lambda: model.partial_fit(X.assign(age=1e9), y), OutsideGrid, "grid.cover"),
        (lambda: model.merge(sf.LDA().fit(X, y)), Mismatch, "exact"),
        (lambda: model.statistics_.private(1.0, 1e-6), InvalidParameter, "levels"),
        (lambda: sf.LDA(grid=sf.Grid({"age": 0}, {"age": 9})).fit(X, y), InvalidFeatures, "income"),
        (lambda: sf.LDA(grid=sf.Grid([0] * 4, [1] * 4)).fit(X, y), Mismatch, "'age', 'income'"),
        (lambda: sf.UnskewedDiscriminant(grid=GRID).fit(X, y), InvalidParameter, "powers"),
    ]
    for work, error, message in cases:
        with pytest.raises(error, match=message):
            work()
    assert model.digest() == before


def test_code_that_names_a_model_on_a_grid_can_be_pasted(tmp_path):
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(80, 2)) * [1, 1e4], rng.choice(["a", "b"], 80)
    grid = sf.Grid(-1e6, 1e6)
    with pytest.warns(sf.errors.RepairedModel, match="grid=grid, shrinkage"):
        sf.LDA(grid=grid, shrinkage=0.5).fit(X, y)
    assert constructor(sf.QDA(grid=grid)) == "sf.QuadraticDiscriminantAnalysis(grid=grid)"
    (line,) = imports(sf.QDA(grid=grid))[1:]
    grid.save(tmp_path / "own.grid")
    assert line.startswith('grid = sf.load("own.grid")')
    assert sf.load(tmp_path / "own.grid") == grid


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_a_file_of_indicators_that_no_rows_have_is_refused(detail, table, tmp_path):
    X, y = table
    s = sf.summarize(X.dropna(), y[X.notna().all(axis=1)], detail=detail, grid=GRID)
    d, products = s.every.n_features, s.every.products.limbs
    s.save(tmp_path / "own")
    assert sf.load(tmp_path / "own") == s
    row, column = (np.arange(d),) * 2 if detail == "diagonal" else np.triu_indices(d)
    cases = [((2, 2), "its own square"), ((2, 3), "two levels of one column")]
    for pair, message in cases[: 1 if detail == "diagonal" else 2]:
        forged = products.copy()
        forged[0, 0, (row == pair[0]) & (column == pair[1])] += 1
        every = replace(s.every, products=Integers(forged))
        replace(s, every=every).save(tmp_path / "forged")
        with pytest.raises(InvalidFile, match=message):
            sf.load(tmp_path / "forged")
    wide = s.every.grid.changed(highest=s.every.grid.highest + 1)
    replace(s, every=replace(s.every, grid=wide)).save(tmp_path / "forged")
    with pytest.raises(InvalidFile, match="units of one"):
        sf.load(tmp_path / "forged")
