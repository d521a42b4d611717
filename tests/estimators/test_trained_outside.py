"""Trained outside: models of the rows outside each fold, which nothing in the fold may change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine

import suffice as sf
from suffice.data.tables.user_table import take_rows
from suffice.estimators.automatic.trained_outside import trained_outside
from suffice.estimators.automatic.trial import Trial
from suffice.selection.folds import Fold, folds_inside

X, Y = load_wine(return_X_y=True)
RNG = np.random.default_rng(5)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
TABLE = pd.DataFrame(GAPS[:, :4], columns=list("abcd")).assign(
    level=np.where(RNG.random(len(Y)) < 0.3 + 0.2 * Y, "high", "low")
)
MODELS = [
    sf.LDA(),
    sf.QDA(shrinkage=0.1),
    sf.AutoDiscriminant(cv=3, simple=True),
    sf.MixtureDiscriminant(2, random_state=0),
]


def trial_of(X, y=Y, cv=4):
    return Trial(X, y, None, cv, 1, None)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_single_models_are_those_of_the_rows_outside_each_fold(model):
    trial = trial_of(X[:, :4])
    fitted = clone(model).fit(X[:, :4], Y)
    for found, fold in zip(trained_outside(fitted, trial), trial.folds, strict=True):
        alone = clone(model).fit(X[fold.train, :4], Y[fold.train])
        rows = X[fold.test, :4]
        assert np.abs(found.predict_proba(rows) - alone.predict_proba(rows)).max() < 1e-8


@pytest.mark.parametrize("table", [X, GAPS, TABLE], ids=["numbers", "gaps", "levels"])
def test_no_label_of_a_fold_changes_the_pool_that_is_tested_on_it(table):
    pool = sf.PooledDiscriminant([sf.LDA(), sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.2)])
    trial = trial_of(table)
    first = trial.folds[0].test
    labels = Y.copy()
    labels[first] = np.roll(labels[first], 1)
    before, after = (
        trained_outside(clone(pool).fit(table, y), trial_with(trial, y))[0] for y in (Y, labels)
    )
    rows = take_rows(table, first)
    np.testing.assert_allclose(
        after.predict_proba(rows), before.predict_proba(rows), rtol=1e-9, atol=1e-12
    )


def trial_with(trial, y):
    """The same folds with other labels."""
    return Trial(trial.table.X, y, None, [(f.train, f.test) for f in trial.folds], 1, None)


def test_pools_predict_like_refits():
    iris, y = load_iris(return_X_y=True)
    pool = sf.PooledDiscriminant().fit(iris, y)
    trial = trial_of(iris, y, 5)
    for found, fold in zip(trained_outside(pool, trial), trial.folds, strict=True):
        alone = clone(pool).fit(iris[fold.train], y[fold.train])
        found, alone = (one.predict_proba(iris[fold.test]) for one in (found, alone))
        assert np.abs(found - alone).max() < 0.12
        assert np.abs(found - alone).mean() < 0.01


def test_members_that_a_pool_left_out_may_be_members_in_a_fold():
    noise = sf.GaussianDiscriminant("spherical", pooling=1.0, inflation=1000.0)
    pool = sf.PooledDiscriminant({"good": sf.LDA(), "noise": noise}).fit(X, Y)
    assert list(pool.members_) == ["good"]
    for found in trained_outside(pool, trial_of(X)):
        assert list(found.members_) == ["good"]


def test_columns_that_a_fold_would_set_aside_are_read_as_in_the_whole_table():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    # With fewer rows, more than half of the texts would differ: names, not levels.
    texts = [f"town {i}" for i in rng.integers(0, 28, 60)]
    table = pd.DataFrame({"a": rng.normal(size=60) + y, "town": texts, "b": rng.normal(size=60)})
    pool = sf.PooledDiscriminant([sf.LDA(shrinkage=0.5), sf.MixedNB()]).fit(table, y)
    trial = trial_of(table, y, 3)
    assert any(
        "town" not in sf.LDA().fit(table.iloc[f.train], y[f.train]).columns_.used
        for f in trial.folds
    )
    for found, fold in zip(trained_outside(pool, trial), trial.folds, strict=True):
        assert found.columns_ == pool.columns_
        measured = sf.importance(found, table.iloc[fold.test], y[fold.test])
        assert measured.names == ("a", "town", "b")


def test_folds_inside_train_on_every_class():
    codes = np.array([0, 0, 0, 0, 1, 1])
    folds = [Fold(np.delete(np.arange(6), at), np.array(at)) for at in ([0, 4], [1, 5], [2, 3])]
    inside = folds_inside(folds[0], folds, codes)
    # Row 5 is the only one of its class outside the first fold: it trains, and is not tested.
    assert [fold.train.tolist() for fold in inside] == [[2, 3, 5], [1, 5]]
    assert [fold.test.tolist() for fold in inside] == [[1], [2, 3]]


def test_pools_of_two_rows_per_class_are_refitted():
    table = pd.DataFrame({"a": [1.0, 1.1, 3.0, 3.1], "b": [2.0, 2.2, 1.0, 1.4]})
    y = np.array([0, 0, 1, 1])
    pool = sf.PooledDiscriminant([sf.GaussianNB(var_smoothing=0.1)], cv=2)
    trial = trial_of(np.tile(table, (3, 1)), np.tile(y, 3), 2)
    found = trained_outside(pool.fit(np.tile(table, (3, 1)), np.tile(y, 3)), trial)
    assert len(found) == 2
    assert all(one.classes_.tolist() == [0, 1] for one in found)
