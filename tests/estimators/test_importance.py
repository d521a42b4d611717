"""Importance: the increase of the log-loss without a feature."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.data.tables.user_table import blank_column
from suffice.errors import InvalidLabels, InvalidParameter

X, Y = load_wine(return_X_y=True)
X = X[:, :5]

MODELS = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_importance_is_the_loss_of_the_model_of_the_other_features(model):
    """Of these the marginal is the model fitted without the feature, unless it is shrunk."""
    fitted = model.fit(X, Y)
    found = sf.importance(fitted, X, Y)
    whole = log_loss(Y, fitted.predict_proba(X))
    assert found.log_loss == pytest.approx(whole, rel=1e-9)
    for j in range(5):
        gone = X.copy()
        gone[:, j] = np.nan
        change = log_loss(Y, fitted.predict_proba(gone)) - whole
        assert found.increase[j] == pytest.approx(change, rel=1e-7, abs=1e-9)
        if not getattr(model, "shrinkage", 0):
            rest = np.delete(X, j, axis=1)
            without = log_loss(Y, type(model)().fit(rest, Y).predict_proba(rest))
            assert found.increase[j] == pytest.approx(without - whole, rel=1e-6, abs=1e-8)


def test_a_feature_that_is_copied_is_unimportant_and_noise_has_no_importance():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    signal = rng.normal(size=4000) + 2 * y
    rows = np.column_stack([signal, signal + 1e-3 * rng.normal(size=4000), rng.normal(size=4000)])
    found = sf.importance(sf.LDA().fit(rows, y), rows, y, cv=5)
    alone = sf.importance(sf.LDA().fit(rows[:, [0, 2]], y), rows[:, [0, 2]], y, cv=5)
    assert abs(found.increase[0]) < 0.01
    assert alone.increase[0] > 0.2
    assert abs(alone.increase[1]) < 4 * alone.se[1] + 1e-3


def test_held_out_importance_is_that_of_models_fitted_without_the_fold():
    model = sf.LDA()
    found = sf.importance(model, X, Y, cv=4)
    changes = np.empty(len(Y))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y):
        fitted = sf.LDA().fit(X[train], Y[train])
        own = np.arange(len(test)), Y[test]
        with_it = fitted.predict_log_proba(X[test])[own]
        changes[test] = with_it - fitted.predict_log_proba(blank_column(X[test], 0))[own]
    assert found.held_out
    assert found.increase[0] == pytest.approx(changes.mean(), rel=1e-9)
    assert found.se[0] == pytest.approx(changes.std() / np.sqrt(len(Y)), rel=1e-9)


def test_weights_count_rows():
    w = np.arange(len(Y)) % 3
    rows = np.repeat(np.arange(len(Y)), w)
    model = sf.LDA().fit(X, Y)
    weighted = sf.importance(model, X, Y, w)
    repeated = sf.importance(model, X[rows], Y[rows])
    np.testing.assert_allclose(weighted.increase, repeated.increase, rtol=1e-9)


def test_standard_errors_are_the_spread_over_samples():
    model = sf.LDA().fit(X, Y)
    found = []
    for seed in range(200):
        rows, labels = model.sample(300, random_state=seed)
        found.append(sf.importance(model, rows, labels))
    spread = np.std([one.increase for one in found], axis=0, ddof=1)
    np.testing.assert_allclose(np.mean([one.se for one in found], axis=0), spread, rtol=0.15)


def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=200) + y,
            "count": rng.integers(0, 5, 200) + y,
            "text": np.where(rng.random(200) < 0.3 + 0.4 * y, "a", "b"),
            "flag": rng.random(200) < 0.3 + 0.3 * y,
            "kind": pd.Categorical(np.where(rng.random(200) < 0.5, "u", "v")),
        }
    )
    return frame, np.array(["no", "yes"])[y]


@pytest.mark.parametrize("model", [sf.MixedNB(), make_pipeline(sf.Indicators(), sf.LDA())])
def test_frames_of_any_library_give_the_same_importance_by_column(model):
    frame, y = table()
    frames = [frame, pl.from_pandas(frame), pl.from_pandas(frame).to_arrow()]
    found = [sf.importance(model.fit(one, y), one, y) for one in frames]
    assert found[0].names == tuple(frame.columns)
    for one in found[1:]:
        np.testing.assert_allclose(one.increase, found[0].increase, rtol=1e-12)
    assert found[0].increase.argmax() == 0


def test_columns_with_declared_levels_can_be_integrated_out():
    frame, y = table()
    coloured = pl.from_pandas(frame).with_columns(pl.col("kind").cast(pl.Enum(["u", "v", "w"])))
    for one in (coloured, coloured.with_columns(pl.col("kind").cast(pl.Categorical))):
        expected = sf.importance(sf.LDA().fit(frame, y), frame, y)
        found = sf.importance(sf.LDA().fit(one, y), one, y)
        np.testing.assert_allclose(found.increase, expected.increase, rtol=1e-9)


def test_the_table_has_the_most_important_feature_first():
    rows, y = load_iris(return_X_y=True, as_frame=True)
    found = sf.importance(sf.LDA().fit(rows, y), rows, y)
    named = pd.DataFrame(found.table)
    assert named["importance"].is_monotonic_decreasing
    assert set(named["feature"]) == set(rows.columns)
    lines = repr(found).splitlines()
    assert lines[2].startswith(named["feature"][0])
    assert ">petal length (cm)</th>" in found._repr_html_()


def test_what_has_no_importance_is_an_error():
    with pytest.raises(InvalidParameter, match="LogisticRegression has no density"):
        sf.importance(LogisticRegression(max_iter=5000).fit(X, Y), X, Y)
    with pytest.raises(InvalidLabels, match="not trained on"):
        sf.importance(sf.LDA().fit(X, Y), X, Y + 1)


def test_columns_without_names_that_are_set_aside_have_no_importance():
    frame, y = table()
    frame.insert(0, "name", [f"person {i}" for i in range(200)])
    rows = frame.drop(columns="kind").to_numpy(object)
    found = sf.importance(sf.LDA().fit(rows, y), rows, y)
    named = sf.importance(sf.LDA().fit(frame.drop(columns="kind"), y), frame, y)
    assert found.names == ("x1", "x2", "x3", "x4", "x5")
    assert found.increase[0] == 0
    np.testing.assert_allclose(found.increase[1:], named.increase, rtol=1e-9)
