"""Models on a grid: forgetting gives the model of never having seen, in every bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import InvalidParameter, Mismatch

KINDS = [
    sf.LDA,
    sf.QDA,
    sf.GaussianNB,
    sf.DiagonalLDA,
    sf.GaussianDiscriminant,
    sf.BayesianDiscriminant,
    sf.MixedNB,
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 150)
    X = rng.normal(size=(150, 4)) * [1, 10, 0.1, 100] + (y == "a")[:, None]
    gone = rng.permutation(150)[:40]
    return X, y, gone, np.setdiff1d(np.arange(150), gone)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_has_forgotten_is_the_one_that_has_never_seen(kind, table, tmp_path):
    X, y, gone, left = table
    grid = sf.Grid(-1e3, 1e3)
    never = kind(grid=grid).fit(X[left], y[left])
    forgot = kind(grid=grid).fit(X, y).forget(X[gone], y[gone])
    assert forgot.digest() == never.digest()
    assert np.array_equal(forgot.predict_log_proba(X), never.predict_log_proba(X))
    forgot.save(tmp_path / "a")
    never.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sf.load(tmp_path / "a").digest() == never.digest()


@pytest.mark.parametrize("kind", KINDS)
def test_parts_shuffled_merged_or_added_one_by_one_give_the_same_model(kind, table):
    X, y, gone, left = table
    grid = sf.Grid(-1e3, 1e3)
    whole = kind(grid=grid).fit(X, y)
    merged = kind(grid=grid).fit(X[left], y[left]).merge(kind(grid=grid).fit(X[gone], y[gone]))
    stream = kind(grid=grid)
    for part in np.array_split(np.random.default_rng(1).permutation(150), 6):
        stream.partial_fit(X[part], y[part])
    assert whole.digest() == merged.digest() == stream.digest()
    assert np.abs(whole.predict_proba(X) - kind().fit(X, y).predict_proba(X)).max() < 1e-6


def test_exact_statistics_make_the_models_that_rows_make(table):
    X, y, gone, _ = table
    s = sf.summarize(X, y, grid=sf.Grid(-1e3, 1e3))
    for kind in KINDS[:-1]:
        model = kind().fit_statistics(s)
        fitted = kind(grid=sf.Grid(-1e3, 1e3)).fit(X, y)
        assert np.array_equal(model.predict_log_proba(X), fitted.predict_log_proba(X))
        # Later rows are rounded to the grid of the statistics.
        assert model.forget(X[gone], y[gone]).statistics_.grid == s.grid


def test_a_mixed_table_forgets_numbers_and_levels_exactly(table):
    X, y, gone, left = table
    frame = pd.DataFrame(X, columns=list("pqrs")).assign(
        colour=np.random.default_rng(2).choice(["red", "blue"], len(X))
    )
    model = sf.MixedNB(grid=sf.Grid(-1e3, 1e3))
    never = clone(model).fit(frame.iloc[left], y[left])
    assert model.fit(frame, y).forget(frame.iloc[gone], y[gone]).digest() == never.digest()
    assert type(never.statistics_.numeric) is sf.ExactStatistics


def test_parameters_are_cross_validated_on_the_grid(table):
    X, y, *_ = table
    settings = {"pooling": "cv", "shrinkage": "cv"}
    exact = sf.GaussianDiscriminant(**settings, grid=sf.Grid(-1e3, 1e3)).fit(X, y)
    plain = sf.GaussianDiscriminant(**settings).fit(X, y)
    assert (exact.pooling_, exact.shrinkage_) == (plain.pooling_, plain.shrinkage_)
    assert isinstance(exact.statistics_, sf.ExactStatistics)


@pytest.mark.parametrize("kind", [sf.LDA, sf.QDA, sf.GaussianNB])
def test_leaving_a_row_out_is_forgetting_it(kind, table):
    X, y, *_ = table
    grid = sf.Grid(-1e3, 1e3, bits=16)  # coarse: the rows differ visibly from their points
    model = kind(grid=grid).fit(X, y)
    left_out = model.leave_one_out(X, y)
    for i in (0, 17, 149):
        other = kind(grid=grid).fit(X, y).forget(X[i : i + 1], y[i : i + 1])
        expected = other.predict_log_proba(grid.round(X[i : i + 1]))[0]
        np.testing.assert_allclose(left_out.log_proba[i], expected, rtol=1e-9, atol=1e-9)


def test_what_a_grid_cannot_do_is_said(table):
    X, y, *_ = table
    grid = sf.Grid(-1e3, 1e3)
    for model, rows, error, message in (
        (sf.UnskewedDiscriminant(grid=grid), X, InvalidParameter, "powers"),
        (sf.LDA(grid="auto"), X, InvalidParameter, "grid is 'auto'"),
        (sf.QDA(grid=grid, covariance_estimator=3), X, InvalidParameter, "not both"),
    ):
        with pytest.raises(error, match=message):
            model.fit(rows, y)
    exact, plain = sf.LDA(grid=grid).fit(X, y), sf.LDA().fit(X, y)
    before = exact.digest()
    with pytest.raises(Mismatch, match="exact"):
        exact.merge(plain)
    with pytest.raises(sf.errors.OutsideGrid):
        exact.partial_fit(X * 1e6, y)
    assert exact.digest() == before


def test_the_digest_covers_parameters_and_statistics(table):
    X, y, *_ = table
    digests = {
        sf.LDA(grid=sf.Grid(-1e3, 1e3)).fit(X, y).digest(),
        sf.LDA(grid=sf.Grid(-1e3, 1e3), shrinkage=0.1).fit(X, y).digest(),
        sf.LDA(grid=sf.Grid(-1e3, 1e3)).fit(X[1:], y[1:]).digest(),
        sf.QDA(grid=sf.Grid(-1e3, 1e3)).fit(X, y).digest(),
    }
    assert len(digests) == 4


@pytest.mark.parametrize("kind", [sf.LDA, sf.MixedNB])
def test_a_grid_that_is_changed_between_rows_is_refused_and_nothing_is_learned(table, kind):
    X, y, *_ = table
    first, other = sf.Grid(-1e3, 1e3), sf.Grid(-2e3, 2e3)
    for before, after in ((first, other), (None, first)):
        model = kind(grid=before).fit(X, y)
        state = model.statistics_.digest()
        model.set_params(grid=after)
        for learn in (model.partial_fit, model.forget):
            with pytest.raises(Mismatch, match="not on the grid that is set now"):
                learn(X[:5], y[:5])
        assert model.statistics_.digest() == state
        model.set_params(grid=getattr(model.statistics_, "grid", None)).partial_fit(X[:5], y[:5])
        assert model.statistics_.count.sum() == len(X) + 5
