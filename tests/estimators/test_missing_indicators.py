"""Missingness indicators: that a value is missing counts as a feature of its column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.errors import InvalidParameter

MODELS = (
    sf.LDA(),
    sf.GaussianNB(),
    sf.QDA(),
    sf.UnskewedDiscriminant(pooling=1.0),
    sf.BayesianDiscriminant(structure="diagonal"),
    sf.MixtureDiscriminant(1),
    sf.MixedNB(),
)
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def table(n: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    """Ages and colours, both missing more often in class "a"."""
    rng = np.random.default_rng(5)
    y = np.where(rng.random(n) < 0.5, "a", "b")
    often = np.where(y == "a", 0.4, 0.1)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 9, n) + 4 * (y == "a"),
            "wage": rng.lognormal(3, 0.5, n),
            "colour": rng.choice(["blue", "green", "red"], n).astype(object),
        }
    )
    frame.loc[rng.random(n) < often, "age"] = np.nan
    frame.loc[rng.random(n) < often, "colour"] = None
    return frame, y


def by_hand(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with columns of true and false for the gaps."""
    return frame.assign(no_age=frame["age"].isna(), no_colour=frame["colour"].isna())


@each_model
def test_an_indicator_is_a_column_that_says_what_is_missing(model):
    X, y = table()
    mine = model.__class__(**{**model.get_params(), "columns": sf.describe(X, missing="indicator")})
    plain = model.__class__(**model.get_params())
    found = mine.fit(X, y).predict_proba(X)
    wanted = plain.fit(by_hand(X), y).predict_proba(by_hand(X))
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)
    assert list(mine.feature_names_in_) == ["age", "wage", "colour"]
    apart = np.concatenate([mine.predict_proba(X.iloc[[i]]) for i in range(9)])
    np.testing.assert_allclose(apart, found[:9], rtol=1e-9)


@pytest.mark.parametrize("model", [sf.LDA(), sf.MixedNB()], ids=["LDA", "MixedNB"])
def test_a_column_answers_for_its_indicator(model):
    X, y = table()
    mine = model.set_params(columns=sf.describe(X, missing="indicator")).fit(X, y)
    hand = type(model)().fit(by_hand(X), y)
    found, apart = mine.contributions(X), hand.contributions(by_hand(X))
    assert found.feature_names == ("age", "wage", "colour")
    parts = apart.values[:, :3] + np.stack(
        [apart.values[:, 3], np.zeros(len(X)), apart.values[:, 4]], axis=1
    )
    np.testing.assert_allclose(found.values, parts, atol=1e-9)
    missing = int(np.flatnonzero(X["age"].isna())[0])
    assert "age (missing)" in mine.explain(X, missing)
    without = sf.importance(mine, X, y)
    blank = by_hand(X).assign(age=np.nan, no_age=pd.Series([None] * len(X), dtype=object))
    at = np.arange(len(y)), np.searchsorted(hand.classes_, y)
    loss = [-hand.predict_log_proba(rows)[at].mean() for rows in (blank, by_hand(X))]
    np.testing.assert_allclose(without.increase[0], loss[0] - loss[1], atol=1e-9)


@pytest.mark.parametrize("kind", FRAMES)
def test_samples_have_gaps_and_imputed_tables_have_none(kind):
    X, y = table()
    frame = FRAMES[kind](X.replace({np.nan: None}).to_dict("list"))
    model = sf.MixedNB(columns=sf.describe(frame, missing="indicator")).fit(frame, y)
    drawn = model.sample(4000, random_state=0)[0]
    columns = {"pandas": lambda t: t.isna().sum().to_dict()}.get(
        kind, lambda t: {name: pl.DataFrame(t)[name].null_count() for name in X.columns}
    )(drawn)
    assert abs(columns["age"] / 4000 - X["age"].isna().mean()) < 0.03
    assert abs(columns["colour"] / 4000 - X["colour"].isna().mean()) < 0.03
    assert columns["wage"] == 0
    full = pl.DataFrame(model.impute(frame))
    assert full.null_count().sum_horizontal().item() == 0
    known = pl.DataFrame(model.sample(50, random_state=0, given={"age": 30.0})[0])
    assert known["age"].to_list() == [30.0] * 50
    assert known["colour"].null_count() > 0


def test_indicators_add_up_and_stay_in_files(tmp_path):
    X, y = table()
    columns = sf.describe(X, missing="indicator")
    whole = sf.LDA(columns=columns).fit(X, y)
    parts = [sf.LDA(columns=columns).fit(X[i::2], y[i::2]) for i in (0, 1)]
    np.testing.assert_allclose(
        parts[0].merge(parts[1]).predict_proba(X), whole.predict_proba(X), atol=1e-6
    )
    whole.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    assert np.array_equal(again.predict_proba(X), whole.predict_proba(X))
    assert [kind.label for kind in again.columns_.kinds] == [
        "number + missing",
        "number",
        "levels + missing",
    ]


def test_texts_may_stand_beside_the_word_indicator():
    X = pd.DataFrame({"pay": ["10", "12", "secret", "9"], "sex": ["f", "m", "f", "?"]})
    found = sf.describe(X, missing=["indicator", "secret", "?"])
    assert [column.kind.label for column in found.columns] == [
        "number (text) + missing",
        "levels + missing",
    ]
    assert [column.missing for column in found.columns] == [1, 1]
    usual = [sf.describe(X, missing=given) for given in ("indicator", ["indicator"])]
    assert str(usual[0]) == str(usual[1])
    assert usual[0].columns[1].kind.label == "levels + missing"
    with pytest.raises(InvalidParameter, match="'indicator' for features"):
        sf.describe(X, missing="indicators")
