"""Discrete and mixed models: their formulas, and the numbers of scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import naive_bayes as theirs

import suffice as sf
from closeness import near
from suffice.errors import InvalidParameter
from suffice.models import discrete
from suffice.statistics.passes import count_pass

RNG = np.random.default_rng(0)
N = 400
Y = RNG.choice(["ant", "bee", "cat"], N, p=[0.5, 0.3, 0.2])
SHIFT = np.unique(Y, return_inverse=True)[1]
X = (RNG.integers(0, [3, 4, 6, 2], (N, 4)) + SHIFT[:, None]) % [3, 4, 6, 2]
W = RNG.integers(0, 5, N) / 2.0
BINARY = (RNG.random((N, 5)) < (0.2 + 0.25 * SHIFT[:, None])).astype(float)


def assert_same_answers(ours, peer, rows):
    near(ours.predict_joint_log_proba(rows), peer.predict_joint_log_proba(rows))
    near(ours.predict_log_proba(rows), peer.predict_log_proba(rows))
    near(ours.predict_proba(rows), peer.predict_proba(rows))
    assert np.array_equal(ours.predict(rows), peer.predict(rows))
    near(ours.class_log_prior_, peer.class_log_prior_)
    assert np.array_equal(ours.class_count_, peer.class_count_)


SETTINGS = [
    {},
    {"fit_prior": False},
    {"class_prior": [0.2, 0.3, 0.5]},
    {"alpha": 0.5},
    {"alpha": 2.0},
    {"alpha": 1e-3},
]
weights = pytest.mark.parametrize("w", [None, W], ids=["plain", "weighted"])


@weights
@pytest.mark.parametrize("more", [{}, {"min_categories": 7}, {"min_categories": [5, 4, 9, 2]}])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_categories_get_the_answers_of_sklearn(settings, more, w):
    ours, peer = (
        kind(**settings, **more).fit(X, Y, sample_weight=w)
        for kind in (sf.CategoricalNB, theirs.CategoricalNB)
    )
    assert_same_answers(ours, peer, X)
    for name in ("feature_log_prob_", "category_count_"):
        for a, b in zip(getattr(ours, name), getattr(peer, name), strict=True):
            near(a, b)
    assert np.array_equal(ours.n_categories_, peer.n_categories_)


@weights
@pytest.mark.parametrize("binarize", [0.0, 0.5, None])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_binary_features_get_the_answers_of_sklearn(settings, binarize, w):
    ours, peer = (
        kind(**settings, binarize=binarize).fit(BINARY, Y, sample_weight=w)
        for kind in (sf.BernoulliNB, theirs.BernoulliNB)
    )
    assert_same_answers(ours, peer, BINARY)
    near(ours.feature_log_prob_, peer.feature_log_prob_)
    near(ours.feature_count_, peer.feature_count_)


def test_values_above_the_threshold_count_as_one():
    Z = RNG.normal(size=(N, 3)) + SHIFT[:, None]
    ours, peer = (kind(binarize=0.7).fit(Z, Y) for kind in (sf.BernoulliNB, theirs.BernoulliNB))
    assert_same_answers(ours, peer, Z)
    assert_same_answers(sf.BernoulliNB(binarize=None).fit(Z > 0.7, Y), peer, Z > 0.7)


def test_an_alpha_for_each_feature_smooths_that_feature():
    alpha = np.array([0.0, 0.5, 2.0, 10.0])
    model = sf.CategoricalNB(alpha=alpha).fit(X, Y)
    for j, found in enumerate(model.feature_log_prob_):
        m = X[:, j].max() + 1
        for c, label in enumerate(model.classes_):
            own = np.bincount(X[label == Y, j], minlength=m)
            near(np.exp(found[c]), (own + alpha[j]) / (own.sum() + alpha[j] * m))
    alpha = np.array([1.0, 0.5, 2.0, 3.0, 9.0])
    binary = sf.BernoulliNB(alpha=alpha).fit(BINARY, Y)
    ones = np.stack([BINARY[label == Y].sum(axis=0) for label in binary.classes_])
    n = binary.class_count_[:, None]
    near(np.exp(binary.feature_log_prob_), (ones + alpha) / (n + 2 * alpha))


def test_a_level_that_no_row_had_counts_as_one_without_a_row():
    rows = [["red"], ["red"], ["blue"], ["blue"], ["blue"]]
    model = sf.CategoricalNB(alpha=0.5).fit(rows, [0, 0, 0, 1, 1])
    chances = np.exp(model.predict_joint_log_proba([["green"]])[0]) / model.priors_
    near(chances, [0.5 / (3 + 0.5 * 2), 0.5 / (2 + 0.5 * 2)])
    gaps = sf.CategoricalNB(alpha=0.5).fit([*rows, [None]], [0, 0, 0, 1, 1, 1])
    chances = np.exp(gaps.predict_joint_log_proba([["green"]])[0]) / gaps.priors_
    near(chances, [0.5 / (3 + 0.5 * 2), 0.5 / (2 + 0.5 * 2)])


def test_declared_levels_have_their_share_without_a_row():
    rows, y = [["s"], ["m"], ["m"]], [0, 0, 1]
    model = sf.CategoricalNB(levels=[["l", "m", "s"]]).fit(rows, y)
    assert model.levels_[0].tolist() == ["l", "m", "s"]
    near(np.exp(model.feature_log_prob_[0]), [[1 / 5, 2 / 5, 2 / 5], [1 / 4, 2 / 4, 1 / 4]])
    near(
        np.exp(sf.CategoricalNB().fit([[True], [True]], [0, 1]).feature_log_prob_[0]),
        [[1 / 3, 2 / 3]] * 2,
    )


def test_a_missing_value_is_integrated_out():
    rows = X.astype(float)
    model = sf.CategoricalNB().fit(rows, Y)
    for j in range(X.shape[1]):
        gappy = rows.copy()
        gappy[:, j] = np.nan
        without = sf.CategoricalNB().fit(np.delete(rows, j, axis=1), Y)
        near(
            model.predict_joint_log_proba(gappy),
            without.predict_joint_log_proba(np.delete(rows, j, axis=1)),
        )
        total = np.zeros((N, 3))
        for level in range(len(model.levels_[j])):
            filled = rows.copy()
            filled[:, j] = level
            total += np.exp(model.predict_joint_log_proba(filled))
        near(np.log(total), model.predict_joint_log_proba(gappy))
    binary = sf.BernoulliNB().fit(BINARY, Y)
    gappy = BINARY.copy()
    gappy[:, 2] = np.nan
    without = sf.BernoulliNB().fit(np.delete(BINARY, 2, axis=1), Y)
    near(
        binary.predict_joint_log_proba(gappy),
        without.predict_joint_log_proba(np.delete(BINARY, 2, axis=1)),
    )


def test_a_missing_value_in_training_leaves_its_row_out_of_that_feature_only():
    rows = X.astype(float)
    rows[::3, 1] = np.nan
    model = sf.CategoricalNB().fit(rows, Y)
    known = ~np.isnan(rows[:, 1])
    alone = sf.CategoricalNB().fit(X[known], Y[known])
    near(model.feature_log_prob_[1], alone.feature_log_prob_[1])
    near(model.feature_log_prob_[0], sf.CategoricalNB().fit(X, Y).feature_log_prob_[0])
    near(model.priors_, sf.CategoricalNB().fit(X, Y).priors_)


def test_a_row_of_gaps_gets_the_priors():
    model = sf.CategoricalNB().fit(X, Y)
    near(model.predict_proba(np.full((2, 4), np.nan)), [model.priors_] * 2)
    near(sf.BernoulliNB().fit(BINARY, Y).predict_proba(np.full((1, 5), np.nan)), [model.priors_])


@pytest.mark.parametrize("kind", [str, int])
def test_a_row_of_none_gets_the_priors(kind):
    rows = np.array([[kind(1), kind(2)], [kind(3), kind(1)]], dtype=object)
    model = sf.CategoricalNB(priors=[0.3, 0.7]).fit(rows, [0, 1])
    near(model.predict_proba([[None, None]]), [[0.3, 0.7]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_nulls_is_ignored_at_predict(frame):
    train = frame({"colour": ["red", "blue", "red"], "size": ["s", "m", "l"]})
    model = sf.CategoricalNB().fit(train, [0, 1, 1])
    without = sf.CategoricalNB().fit(frame({"colour": ["red", "blue", "red"]}), [0, 1, 1])
    near(
        model.predict_proba(frame({"colour": ["red"], "size": [None]})),
        without.predict_proba(frame({"colour": ["red"]})),
    )


def test_a_feature_missing_in_every_row_says_nothing():
    model = sf.CategoricalNB().fit([[None, "a"], [None, "b"]], [0, 1])
    alone = sf.CategoricalNB().fit([["a"], ["b"]], [0, 1])
    near(model.predict_proba([["red", "a"]]), alone.predict_proba([["a"]]))


def test_without_smoothing_probabilities_are_shares_and_unseen_levels_impossible():
    rows = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]]
    model = sf.CategoricalNB(alpha=0).fit(rows, [0, 0, 1, 1])
    assert np.array_equal(np.exp(model.feature_log_prob_[0]), [[1, 0], [0, 1]])
    assert np.array_equal(np.exp(model.feature_log_prob_[1]), [[0.5, 0.5], [0, 1]])
    assert np.array_equal(model.predict_proba([["a", "y"], ["b", "y"]]), [[1, 0], [0, 1]])
    near(model.predict_proba([["c", "y"]]), [[1 / 3, 2 / 3]], 1e-15)


def test_a_row_impossible_in_every_class_has_a_posterior():
    model = sf.CategoricalNB(alpha=0).fit([["a", "x"], ["b", "y"]], [0, 1])
    near(model.predict_proba([["a", "y"]]).sum(axis=1), 1)


def test_numbers_speak_where_the_levels_are_impossible_in_every_class():
    X = np.array([[0.0, "a", "x"], [1.0, "a", "x"], [8.0, "b", "y"], [9.0, "b", "y"]], object)
    model, row = sf.MixedNB(alpha=0).fit(X, [0, 0, 1, 1]), np.array([[7.0, "a", "y"]], object)
    numbers = sf.GaussianNB().fit(X[:, :1].astype(float), [0, 0, 1, 1])
    near(model.predict_proba(row), numbers.predict_proba([[7.0]]))
    assert model.predict(row) == [1]
    near(model.contributions(row).log_odds, numbers.log_odds([[7.0]]))
    assert "x1" in model.explain(row)


def test_classes_that_are_both_impossible_have_no_odds():
    rows = [["a", "x"], ["b", "y"], ["c", "x"]]
    model = sf.CategoricalNB(alpha=0).fit(rows, [0, 1, 2])
    assert np.isnan(model.log_odds([["c", "x"]], 0, 1))
    assert np.isnan(model.contributions([["c", "x"]], 0, 1).log_odds)
    assert "inf" in model.explain([["c", "x"]])


def test_an_impossible_row_is_an_outlier():
    model = sf.CategoricalNB(alpha=0).fit([["a", "x"], ["b", "y"]], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.outlier_pvalue([["a", "y"]])[0] < 0.01


@pytest.mark.parametrize("code", [2**31, 2**45, 2**62])
def test_enormous_integers_are_levels(code):
    model = sf.CategoricalNB().fit([[code], [1]], [0, 1])
    assert model.predict([[code], [1]]).tolist() == [0, 1]
    assert model.n_categories_.tolist() == [2]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32])
@pytest.mark.parametrize("large", [False, True])
def test_compiled_and_plain_scores_agree(dtype, large, monkeypatch):
    model = sf.CategoricalNB().fit(X, Y)
    rows = X.astype(dtype)
    rows[0] = 99
    wanted = model.predict_joint_log_proba(rows)
    gappy = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    with_gaps = model.predict_joint_log_proba(gappy)
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    monkeypatch.setattr(discrete.DiscreteModel, "compiled_from", 0)
    if large:
        monkeypatch.setattr(count_pass, "COMPILED_FROM", 0)
    near(model.predict_joint_log_proba(rows), wanted, 1e-12)
    near(model.predict_joint_log_proba(gappy), with_gaps, 1e-12)
    monkeypatch.setattr(discrete.DiscreteModel, "compiled_from", 1 << 62)
    near(model.predict_joint_log_proba(rows), wanted, 1e-12)


@pytest.mark.parametrize(
    ("dtype", "compiled"),
    [
        pytest.param("uint64", 0, id="uint64 compiled"),
        pytest.param("uint64", 1 << 62, id="uint64 plain"),
        pytest.param(">i4", 0, id="swapped"),
    ],
)
def test_large_tables_of_any_integer_type_are_scored(dtype, compiled, monkeypatch):
    model = sf.CategoricalNB().fit(X, Y)
    wanted = model.predict_joint_log_proba(X)
    monkeypatch.setattr(discrete.DiscreteModel, "compiled_from", compiled)
    monkeypatch.setattr(count_pass, "COMPILED_FROM", 0)
    near(model.predict_joint_log_proba(X.astype(dtype)), wanted)


def test_the_exercise_of_two_features_has_its_posterior():
    positive = [[1 if i < 6 else 0, 2 if i < 21 else 0] for i in range(30)]
    negative = [[1 if i < 10 else 0, 2 if i < 6 else 0] for i in range(20)]
    model = sf.CategoricalNB(alpha=0).fit(positive + negative, ["+"] * 30 + ["-"] * 20)
    near(model.priors_, [0.6, 0.4])
    joint = np.exp(model.predict_joint_log_proba([[1, 2]])[0])
    near(joint / model.priors_, [0.2 * 0.7, 0.5 * 0.3])
    assert model.predict_proba([[1, 2]])[0, 0] == pytest.approx(0.583333, abs=1e-6)
    binary = sf.BernoulliNB(alpha=0).fit(positive + negative, ["+"] * 30 + ["-"] * 20)
    assert binary.predict_proba([[1, 2]])[0, 0] == pytest.approx(0.583333, abs=1e-6)


NUMERIC = RNG.normal(size=(N, 3)) @ RNG.normal(size=(3, 3)) + SHIFT[:, None]
COLOURS = np.array(["red", "blue", "green", "grey"])[X[:, 1]]
MIXED = pd.DataFrame(
    {
        "width": NUMERIC[:, 0],
        "colour": COLOURS,
        "height": NUMERIC[:, 1],
        "old": X[:, 3] == 1,
        "depth": NUMERIC[:, 2],
    }
)
DISCRETE = MIXED[["colour", "old"]]


@weights
@pytest.mark.parametrize(
    ("settings", "gaussian"),
    [
        ({}, sf.GaussianNB()),
        ({"structure": "full"}, sf.QDA()),
        ({"structure": "full", "pooling": 1.0, "shrinkage": 0.2}, sf.LDA(shrinkage=0.2)),
        ({"var_smoothing": 0.1}, sf.GaussianNB(var_smoothing=0.1)),
    ],
    ids=str,
)
def test_the_joint_of_mixed_features_is_the_product_of_both_parts(settings, gaussian, w):
    priors = [0.2, 0.3, 0.5]
    model = sf.MixedNB(alpha=0.5, priors=priors, **settings).fit(MIXED, Y, sample_weight=w)
    numbers = gaussian.set_params(priors=priors).fit(NUMERIC, Y, sample_weight=w)
    levels = sf.CategoricalNB(alpha=0.5, priors=priors).fit(DISCRETE, Y, sample_weight=w)
    wanted = numbers.predict_joint_log_proba(NUMERIC) + levels.predict_joint_log_proba(DISCRETE)
    near(model.predict_joint_log_proba(MIXED), wanted - np.log(priors), 1e-11)
    near(model.means_, numbers.means_)
    near(model.covariances_, numbers.covariances_)
    near(model.predict_proba(MIXED).sum(axis=1), 1)


def test_gaps_in_either_part_are_integrated_out():
    model = sf.MixedNB(structure="full").fit(MIXED, Y)
    gappy = MIXED.assign(height=np.nan)
    gappy.loc[::2, "colour"] = None
    less = sf.MixedNB(structure="full").fit(MIXED.drop(columns="height"), Y)
    found = model.predict_joint_log_proba(gappy)
    near(found[1::2], less.predict_joint_log_proba(MIXED.drop(columns="height"))[1::2])
    least = sf.MixedNB(structure="full").fit(MIXED.drop(columns=["height", "colour"]), Y)
    near(found[::2], least.predict_joint_log_proba(MIXED.drop(columns=["height", "colour"]))[::2])


FORMS = {
    "pandas": MIXED,
    "categories": MIXED.astype({"colour": "category"}),
    "nullable": MIXED.convert_dtypes(),
    "polars": pl.DataFrame({name: MIXED[name].tolist() for name in MIXED}),
    "pyarrow": pa.table({name: MIXED[name].tolist() for name in MIXED}),
    "objects": MIXED.to_numpy(dtype=object),
    "lists": MIXED.to_numpy(dtype=object).tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_texts_and_booleans_are_discrete_and_numbers_numeric(form):
    table = FORMS[form]
    model = sf.MixedNB().fit(table, Y)
    assert model.categorical_features_ == (1, 3)
    assert model.numeric_features_ == (0, 2, 4)
    assert [levels.tolist() for levels in model.levels_] == [
        ["blue", "green", "grey", "red"],
        [False, True],
    ]
    near(
        model.predict_joint_log_proba(table),
        sf.MixedNB().fit(MIXED, Y).predict_joint_log_proba(MIXED),
    )


def test_columns_named_or_numbered_are_discrete():
    coded = MIXED.assign(colour=X[:, 1], old=X[:, 3])
    assert sf.MixedNB().fit(coded, Y).categorical_features_ == ()
    by_name = sf.MixedNB(categorical=["old", "colour"]).fit(coded, Y)
    by_place = sf.MixedNB(categorical=[1, 3]).fit(coded.to_numpy(), Y)
    assert by_name.categorical_features_ == by_place.categorical_features_ == (1, 3)
    near(by_name.predict_joint_log_proba(coded), by_place.predict_joint_log_proba(coded.to_numpy()))
    assert sf.MixedNB(categorical=[]).fit(coded, Y).categorical_features_ == ()
    assert (
        sf.MixedNB(categorical=range(5))
        .fit(coded.assign(width=0, height=1, depth=2), Y)
        .numeric_features_
        == ()
    )


def test_one_kind_of_columns_alone_gives_the_model_of_that_kind():
    near(
        sf.MixedNB().fit(NUMERIC, Y).predict_joint_log_proba(NUMERIC),
        sf.GaussianNB().fit(NUMERIC, Y).predict_joint_log_proba(NUMERIC),
    )
    near(
        sf.MixedNB().fit(DISCRETE, Y).predict_joint_log_proba(DISCRETE),
        sf.CategoricalNB().fit(DISCRETE, Y).predict_joint_log_proba(DISCRETE),
    )


def test_a_mask_is_refused_or_taken_as_a_mask():
    mask = [False, True, False, True, False]
    try:
        model = sf.MixedNB(categorical=mask).fit(FORMS["objects"], Y)
    except InvalidParameter:
        return
    assert model.categorical_features_ == (1, 3)
