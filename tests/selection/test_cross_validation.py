"""Cross-validation from statistics by fold equals refitting the estimators."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import (
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_validate,
)

import suffice as sf
from lawful import law
from suffice.errors import InvalidParameter, TooFewRows
from suffice.selection.folds import Fold, all_but_each, training_statistics

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

FAMILY = [
    sf.LDA(),
    sf.LDA(shrinkage="auto"),
    sf.LDA(shrinkage="oas", target="diagonal", ddof=1),
    sf.QDA(),
    sf.QDA(reg_param=0.1),
    sf.GaussianNB(),
    sf.GaussianNB(var_smoothing=0.3),
    sf.DiagonalLDA(shrinkage=0.2),
    sf.GaussianDiscriminant("spherical", pooling=0.5),
    *(
        sf.GaussianDiscriminant("full", pooling, share, target, priors, ddof)
        for pooling in (0.0, 0.4, 1.0)
        for share in (0.0, 1e-6, 0.1, 1.0, "oas")
        for target in ("identity", "diagonal")
        for priors, ddof in ((None, 0), ("uniform", 1))
    ),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage="ledoit-wolf"),
]


def table(name):
    X, y = {
        "iris": load_iris,
        "wine": load_wine,
        "cancer": load_breast_cancer,
        "digits": load_digits,
    }[name](return_X_y=True)
    if name == "digits":  # with constant features, and some constant within a class
        X, y = X[:400], y[:400]
    return X, np.array([f"class {label}" for label in y])


def refitted(model, X, y, train, test, weights=None):
    """Accuracy, log-loss, Brier score of a model fitted to the training rows alone."""
    w = None if weights is None else weights[train]
    model = clone(model).fit(X[train], y[train], sample_weight=w)
    own = np.searchsorted(model.classes_, y[test])
    logs, p = model.predict_log_proba(X[test]), model.predict_proba(X[test])
    w = np.ones(len(test)) if weights is None else weights[test]
    right = np.eye(len(model.classes_))[own]
    half = 2 if len(model.classes_) == 2 else 1
    return (
        np.average(p.argmax(axis=1) == own, weights=w),
        -np.average(logs[np.arange(len(own)), own], weights=w),
        np.average(((p - right) ** 2).sum(axis=1), weights=w) / half,
    )


def assert_as_refitted(found, models, X, y, splits, weights=None):
    for i, model in enumerate(models):
        for f, (train, test) in enumerate(splits):
            expected = refitted(model, X, y, train, test, weights)
            for name, value in zip(("accuracy", "log_loss", "brier"), expected, strict=True):
                got = found.scores[name][i, f]
                assert got == pytest.approx(value, rel=1e-10, abs=1e-10), (model, name)


@pytest.mark.parametrize("name", ["iris", "wine", "cancer", "digits"])
def test_scores_equal_those_of_estimators_fitted_to_each_fold(name):
    X, y = table(name)
    models = FAMILY if name == "iris" else FAMILY[:: 5 if name == "digits" else 3]
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    assert_as_refitted(sf.select_model(X, y, models), models, X, y, splits)


def test_scores_equal_cross_validate_of_scikit_learn():
    X, y = table("wine")
    model, cv = sf.LDA(shrinkage=0.2), RepeatedStratifiedKFold(n_splits=4, n_repeats=2)
    splits = list(cv.split(X, y))
    theirs = cross_validate(model, X, y, cv=splits, scoring=["accuracy", "neg_log_loss"])
    ours = sf.select_model(X, y, [model], cv=splits).scores
    np.testing.assert_allclose(ours["accuracy"][0], theirs["test_accuracy"], rtol=1e-10)
    np.testing.assert_allclose(ours["log_loss"][0], -theirs["test_neg_log_loss"], rtol=1e-10)


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.3, random_state=0),
        ShuffleSplit(3, test_size=0.3, train_size=0.5, random_state=0),
        LeaveOneGroupOut(),
        StratifiedGroupKFold(3, shuffle=True, random_state=0),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_splitters_of_scikit_learn_are_taken(cv):
    X, y = table("iris")
    groups = np.arange(len(y)) % 7 if "Group" in type(cv).__name__ else None
    models = [sf.LDA(shrinkage=0.1), sf.QDA(), sf.GaussianNB()]
    found = sf.select_model(X, y, models, cv=cv, groups=groups)
    assert_as_refitted(found, models, X, y, list(cv.split(X, y, groups)))


def test_folds_may_be_given_as_row_numbers_or_masks():
    X, y = table("iris")
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    masks = [
        (np.isin(np.arange(len(y)), train), np.isin(np.arange(len(y)), test))
        for train, test in splits
    ]
    by_number = sf.select_model(X, y, sf.QDA(), cv=splits).scores["log_loss"]
    assert np.array_equal(by_number, sf.select_model(X, y, sf.QDA(), cv=masks).scores["log_loss"])


def test_rows_of_a_group_stay_together():
    X, y = table("iris")
    groups = np.arange(len(y)) // 3
    found = sf.select_model(X, y, [sf.LDA()], groups=groups)
    splits = list(StratifiedGroupKFold(5, shuffle=True, random_state=0).split(X, y, groups))
    assert_as_refitted(found, [sf.LDA()], X, y, splits)


def test_weights_count_in_training_and_in_testing():
    X, y = table("wine")
    weights = np.random.default_rng(0).uniform(0.5, 3, len(y))
    models = [sf.LDA(shrinkage=0.1), sf.QDA(shrinkage=0.2), sf.GaussianNB()]
    found = sf.select_model(X, y, models, sample_weight=weights)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    assert_as_refitted(found, models, X, y, splits, weights)


def test_missing_values_are_taken():
    X, y = table("iris")
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    models = [sf.LDA(), sf.QDA(shrinkage=0.1), sf.GaussianNB()]
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    assert_as_refitted(sf.select_model(X, y, models), models, X, y, splits)


def test_an_outlier_in_a_fold_costs_the_other_folds_no_digits():
    X, y = table("iris")
    X[7] *= 1e9
    models = [sf.LDA(shrinkage=0.1), sf.QDA()]
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    found = sf.select_model(X, y, models)
    clean = next(f for f, (_, test) in enumerate(splits) if 7 in test)
    train, test = splits[clean]
    for i, model in enumerate(models):
        expected = refitted(model, X, y, train, test)[1]
        assert found.scores["log_loss"][i, clean] == pytest.approx(expected, rel=1e-10)


@law(40)
@given(
    seed=st.integers(0, 1000),
    d=st.integers(1, 4),
    grid=st.booleans(),
    pooling=st.sampled_from([0.0, 0.3, 1.0]),
    share=st.sampled_from([0.0, 0.05, 1.0, "oas"]),
    target=st.sampled_from(["identity", "diagonal"]),
)
def test_singular_covariances_are_repaired_as_the_estimators_do(
    seed, d, grid, pooling, share, target
):
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b", "c"], [4, 5, 9])
    X = rng.integers(0, 3, (18, d)).astype(float) if grid else rng.normal(size=(18, d))
    X[:3, 0] = 0, 1, 2
    X = np.column_stack([X, X[:, 0], np.ones(18)])
    models = [sf.GaussianDiscriminant("full", pooling, share, target)]
    found = sf.select_model(X, y, models, cv=2)
    assert_as_refitted(
        found, models, X, y, list(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
    )


def test_all_but_each_part_for_any_number_of_parts():
    for n in range(2, 8):
        parts = [2**i for i in range(n)]
        assert all_but_each(parts) == [sum(parts) - part for part in parts]


def test_folds_that_share_the_rows_out_read_each_row_once():
    rows = np.arange(12)
    folds = [Fold(np.delete(rows, part), part) for part in np.split(rows[:9], 3)]
    read = []

    def total(at):
        read.extend(at.tolist())
        return int(at.sum())

    expected = [(int(f.train.sum()), int(rows.sum())) for f in folds]
    assert list(training_statistics(folds, 12, total)) == expected
    assert sorted(read) == rows.tolist()
    assert list(training_statistics(folds, 12, total, threads=2)) == expected


def test_folds_that_leave_rows_out_train_on_theirs_alone():
    folds = [Fold(np.array([0, 1]), np.array([2])), Fold(np.array([2]), np.array([0]))]
    assert list(training_statistics(folds, 4, lambda at: int(at.sum()))) == [(1, None), (2, None)]


# What cannot be


def test_a_fold_that_leaves_a_class_without_rows_is_an_error_that_names_it():
    X, y = table("iris")
    groups = np.searchsorted(np.unique(y), y)
    with pytest.raises(TooFewRows, match="fold 0 leaves no row of class 'class 0' to train on"):
        sf.select_model(X, y, sf.LDA(), cv=LeaveOneGroupOut(), groups=groups)


def test_splitters_that_need_groups_say_so():
    X, y = table("iris")
    with pytest.raises(InvalidParameter, match="groups"):
        sf.select_model(X, y, sf.LDA(), cv=LeaveOneGroupOut())
