"""Degenerate data: constant, collinear and separating features, tiny classes, wide tables."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import suffice as sf
from closeness import near
from lawful import examples, few
from suffice.errors import InvalidInput, RepairedModel, TooFewRows
from suffice.models.covariances import groups

# Repairs are what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=len(X))

FAMILY = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.5),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.5),
    sf.GaussianDiscriminant(structure="diagonal", ddof=1),
    sf.LDA(shrinkage=0.3, target="diagonal"),
    sf.QDA(shrinkage=0.3, target="diagonal"),
    sf.QDA(shrinkage="oas", target="diagonal"),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.3, target="diagonal", ddof=1),
]
# Those that look at the scale of features, by their definition.
SCALED = [
    sf.GaussianDiscriminant(structure="spherical"),
    sf.GaussianDiscriminant(structure="spherical", pooling=1.0),
    sf.QDA(shrinkage=0.3),
    sf.LDA(shrinkage="auto"),
    sf.LDA(shrinkage="ledoit-wolf"),
    sf.QDA(reg_param=0.1),
]
family = pytest.mark.parametrize("model", FAMILY, ids=repr)
everyone = pytest.mark.parametrize("model", FAMILY + SCALED, ids=repr)


def fit(model, X, y, **given):
    """A fresh fit of the model, in which no warning is allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RepairedModel)
        return clone(model).fit(X, y, **given)


def sensible(model, X):
    """Every answer is finite and the posterior sums to one."""
    assert np.isfinite(model.predict_joint_log_proba(X)).all()
    assert np.isfinite(model.predict_log_proba(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, atol=1e-12)
    assert np.isfinite(model.covariances_).all()


# Constant, collinear and separating features


@family
@pytest.mark.parametrize("value", [0.0, 0.1, -7e8, 1e-300])
def test_a_feature_that_never_varies_changes_nothing(model, value):
    wider = np.insert(X, 2, value, axis=1)
    a, b = fit(model, X, Y), fit(model, wider, Y)
    near(b.predict_log_proba(wider), a.predict_log_proba(X), 1e-10)
    near(b.predict_joint_log_proba(wider), a.predict_joint_log_proba(X), 1e-10)
    elsewhere = np.insert(X, 2, value + 5, axis=1)
    near(b.predict_log_proba(elsewhere), a.predict_log_proba(X), 1e-10)


@everyone
def test_where_nothing_varies_the_answer_is_the_prior(model):
    model = fit(model, np.full((8, 3), 0.1), [0, 0, 0, 1, 1, 1, 1, 1])
    near(model.predict_proba(np.full((1, 3), 0.1)), [[0.375, 0.625]], 1e-12)


@everyone
def test_a_feature_constant_within_one_class_breaks_nothing(model):
    rows = np.c_[X, np.where(Y == 1, 0.3, NOISE)]
    model = fit(model, rows, Y)
    sensible(model, rows)
    assert model.score(rows, Y) >= 0.9


def test_a_class_with_a_constant_feature_borrows_the_pooled_covariance():
    rows = np.c_[X, np.where(Y == 1, 0.3, NOISE)]
    model = fit(sf.QDA(), rows, Y)
    assert list(model.borrowed_classes_) == [1]
    near(model.covariances_[1], fit(sf.LDA(), rows, Y).covariance_, 1e-14)
    near(model.covariances_[0], np.cov(rows[Y == 0].T, ddof=0), 1e-14)


@pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianDiscriminant(pooling=1.0)], ids=repr)
@pytest.mark.parametrize(
    "extra",
    [lambda X: X[:, :1], lambda X: X[:, :2], lambda X: X @ np.ones((4, 1)), lambda X: -1e6 * X],
    ids=["one copy", "two copies", "the sum", "all in other units"],
)
def test_collinear_features_leave_the_boundaries_of_lda_as_they_are(model, extra):
    rows = np.c_[X, extra(X)]
    a, b = fit(model, X, Y), fit(model, rows, Y)
    near(b.predict_log_proba(rows), a.predict_log_proba(X), 1e-8)


@pytest.mark.parametrize("extra", [lambda X: X[:, :1], lambda X: X @ np.ones((4, 1))])
@pytest.mark.parametrize("pooling", [0.0, 0.5])
def test_collinear_features_leave_the_posterior_of_qda_as_it_is(extra, pooling):
    rows = np.c_[X, extra(X)]
    a, b = (fit(sf.GaussianDiscriminant(pooling=pooling), Z, Y) for Z in (X, rows))
    near(b.predict_log_proba(rows), a.predict_log_proba(X), 1e-8)
    assert len(b.borrowed_classes_) == 0


@everyone
def test_duplicated_features_give_sensible_answers(model):
    rows = np.c_[X, X]
    model = fit(model, rows, Y)
    sensible(model, rows)
    assert model.score(rows, Y) >= 0.88


@everyone
def test_a_feature_that_separates_the_classes_breaks_nothing(model):
    rows = np.c_[NOISE, -(NOISE**2), np.array([0.1, 0.7, 0.3])[Y]]
    sensible(fit(model, rows, Y), rows)


@family
@pytest.mark.parametrize("factor", [1e-12, 1e-6, 1, 1e6, 1e12])
def test_a_feature_that_separates_the_classes_decides_in_any_unit(model, factor):
    rows = np.c_[NOISE, -(NOISE**2), np.array([0.1, 0.7, 0.3])[Y] * factor]
    assert fit(model, rows, Y).score(rows, Y) == 1.0


@pytest.mark.parametrize(
    "model", [sf.LDA(), sf.QDA(), sf.GaussianDiscriminant(pooling=0.5)], ids=repr
)
@pytest.mark.parametrize("table", [load_iris, load_wine])
@pytest.mark.parametrize(
    "extra",
    [
        lambda X: X.astype(np.float32),
        lambda X: X[:, :2] * (1 + 1e-7 * np.sin(np.arange(len(X)))[:, None]),
        lambda X: X[:, :1] + X[:, 1:2] + 1e8,
        lambda X: (X[:, :1] * 1.8 + 32).astype(np.float32),
    ],
    ids=["single precision", "noise of 1e-7", "a far sum", "another unit, rounded"],
)
def test_copies_that_differ_by_rounding_change_no_label(model, table, extra):
    X, y = table(return_X_y=True)
    rows = np.c_[X, extra(X)]
    a, b = fit(model, X, y), fit(model, rows, y)
    changed = (a.predict(X) != b.predict(rows)).mean()
    assert changed <= 0.02
    assert b.score(rows, y) >= a.score(X, y) - 0.02


# Few rows


@everyone
@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_class_of_few_rows_gets_sensible_answers_and_spoils_no_other(model, rows):
    y = np.where(np.isin(np.arange(150), [0, 60, 120, 149][:rows]), 7, Y)
    model = fit(model, X, y)
    assert list(model.classes_) == [0, 1, 2, 7]
    sensible(model, X)
    assert model.score(X, y) >= 0.85


@pytest.mark.parametrize(("rows", "borrows"), [(1, True), (2, True), (4, True), (6, False)])
def test_a_class_borrows_until_its_rows_span_the_features(rows, borrows):
    y = np.where(np.arange(150) < rows, 7, Y)
    model = fit(sf.QDA(), X, y)
    assert (list(model.borrowed_classes_) == [7]) == borrows
    others = [0, 1, 2]
    wanted = fit(sf.QDA(), X[y < 7], y[y < 7])
    near(model.covariances_[others], wanted.covariances_, 1e-13)


@pytest.mark.parametrize("d", [3, 6, 20])
@pytest.mark.parametrize("how", ["fit", "partial_fit", "forget"])
def test_a_class_of_as_many_rows_as_features_borrows_whatever_the_rounding(d, how):
    for seed in range(examples(600)):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], [3 * d + 5, d + 2])
        rows = rng.normal(size=(len(y), d)) + y[:, None]
        kept = slice(0, -2)
        if how == "fit":
            model = sf.QDA().fit(rows[kept], y[kept])
        elif how == "partial_fit":
            model = sf.QDA().fit(rows[:-3], y[:-3]).partial_fit(rows[-3:-2], y[-3:-2])
        else:
            model = sf.QDA().fit(rows, y).forget(rows[-2:], y[-2:])
        assert list(model.borrowed_classes_) == [1], f"seed {seed}"


def test_ledoit_wolf_of_two_rows_does_not_take_rounding_for_variance():
    for seed in range(examples(400)):
        rng = np.random.default_rng(seed)
        pair = np.repeat(rng.normal(size=(1, 3)), 2, axis=0)
        pair[1, 0] += rng.normal()
        rows, y = np.concatenate([rng.normal(size=(12, 3)), pair]), np.repeat([0, 1], [12, 2])
        model = fit(sf.QDA(shrinkage="ledoit-wolf"), rows, y)
        assert model.predict_log_proba(rows).min() > -1e12, f"seed {seed}"


@family
def test_a_class_of_one_row_is_found_again(model):
    rows = np.concatenate([X, [[12.0, 9.0, 12.0, 9.0]]])
    y = np.append(Y, 3)
    assert fit(model, rows, y).predict(rows[-1:]) == [3]


@everyone
def test_when_every_class_has_one_row_the_error_says_what_to_do(model):
    if model.get_params().get("reg_param"):
        return  # its unit matrix needs no row
    with pytest.raises(TooFewRows, match=r"two rows|more rows"):
        clone(model).fit(X[[0, 60, 120]], [0, 1, 2])


@everyone
def test_one_class_with_two_rows_is_enough(model):
    rows = [0, 10, 60, 120]
    model = fit(model, X[rows], Y[rows]) if not model.get_params().get("ddof") else None
    if model is not None:
        sensible(model, X)


@everyone
def test_more_features_than_rows_is_no_obstacle(model):
    rng = np.random.default_rng(1)
    y = np.arange(24) % 3
    rows = rng.normal(size=(24, 60)) + 3 * np.eye(3)[y].repeat(20, axis=1)
    model = fit(model, rows, y)
    sensible(model, rows)
    fresh = rng.normal(size=(300, 60)) + 3 * np.eye(3)[np.arange(300) % 3].repeat(20, axis=1)
    assert model.score(fresh, np.arange(300) % 3) >= 0.9


@pytest.mark.parametrize(
    "model",
    [sf.LDA(ddof=1), sf.QDA(ddof=1), sf.DiagonalLDA(ddof=1)]
    + [
        sf.GaussianDiscriminant(structure=s, pooling=p, ddof=1)
        for s in ("diagonal", "spherical")
        for p in (0.0, 0.5)
    ],
    ids=repr,
)
def test_weights_too_small_for_the_degrees_of_freedom_are_an_error(model):
    with pytest.raises(TooFewRows, match="ddof"):
        clone(model).fit(X, Y, sample_weight=np.full(150, 0.01))


# Units and offsets


@family
@pytest.mark.parametrize("factor", [1e-100, 1e-6, 0.01, 1e6, 1e100])
@pytest.mark.parametrize("feature", [0, 3, slice(None)], ids=["first", "last", "all"])
def test_units_change_no_label(model, factor, feature):
    units = np.ones(4)
    units[feature] = factor
    a, b = fit(model, X, Y), fit(model, X * units, Y)
    assert np.array_equal(a.predict(X), b.predict(X * units))
    near(b.predict_log_proba(X * units), a.predict_log_proba(X), 1e-9)


@family
@pytest.mark.parametrize("feature", [0, 3, slice(None)], ids=["first", "last", "all"])
def test_an_offset_of_1e8_deviations_changes_no_label(model, feature):
    shift = np.zeros(4)
    shift[feature] = 1e8
    # The shifted values are rounded; both models see those.
    far = X + shift
    rounded = far - shift
    a, b = fit(model, rounded, Y), fit(model, far, Y)
    assert np.array_equal(a.predict(rounded), b.predict(far))
    near(b.predict_log_proba(far), a.predict_log_proba(rounded), 1e-5)


@everyone
def test_the_same_unit_for_all_features_changes_no_label_whatever_the_target(model):
    if model.get_params().get("reg_param"):
        return
    a, b = fit(model, X, Y), fit(model, X * 1e-6, Y)
    assert np.array_equal(a.predict(X), b.predict(X * 1e-6))
    near(b.predict_log_proba(X * 1e-6), a.predict_log_proba(X), 1e-9)


@pytest.mark.parametrize("model", FAMILY[:4], ids=repr)
def test_features_too_small_to_be_squared_are_an_error_not_a_guess(model):
    try:
        model = clone(model).fit(X * 1e-170, Y)
    except InvalidInput:
        return
    assert model.score(X * 1e-170, Y) >= 0.88


# Wide tables


def wide(n=200, d=12_000, k=4):
    rng = np.random.default_rng(5)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + 0.2 * rng.normal(size=(k, d))[y], y


WIDE = [
    sf.LDA(),
    sf.DiagonalLDA(),
    sf.GaussianNB(),
    sf.QDA(shrinkage=0.5),
    sf.QDA(shrinkage=0.5, target="diagonal"),
    sf.GaussianDiscriminant(pooling=0.5),
]


@few("model", WIDE, [WIDE[0], WIDE[2], WIDE[4]], ids=repr)
def test_twelve_thousand_features_never_become_a_matrix(model):
    rows, y = wide()
    tracemalloc.start()
    try:
        model = clone(model).fit(rows, y)
        accuracy = model.score(rows, y)
        model.predict_joint_log_proba(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e9
    assert accuracy == 1.0


@pytest.mark.parametrize("model", WIDE, ids=repr)
def test_statistics_kept_as_a_factor_serve_every_model_without_a_matrix(model):
    rows, y = wide(n=40, d=5_000)
    statistics = sf.summarize(rows, y)
    tracemalloc.start()
    try:
        fitted = clone(model).fit_statistics(statistics)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 5_000**2 / 2
    near(fitted.predict_log_proba(rows), clone(model).fit(rows, y).predict_log_proba(rows))


NARROW = [
    *WIDE,
    sf.LDA(shrinkage=0.3),
    sf.LDA(shrinkage="auto"),
    sf.LDA(shrinkage="ledoit-wolf"),
    sf.LDA(shrinkage=0.3, target="diagonal"),
    sf.LDA(ddof=1),
    sf.QDA(),
    sf.QDA(shrinkage="auto"),
    sf.QDA(shrinkage="ledoit-wolf"),
    sf.QDA(shrinkage="oas"),
    sf.QDA(reg_param=0.2),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.3, ddof=1),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.3, target="diagonal"),
]


def plain_table():
    return wide(n=60, d=120)


def with_a_constant_feature():
    rows, y = plain_table()
    rows[:, 4] = 2.5
    return rows, y


def with_a_separating_feature():
    rows, y = plain_table()
    rows[:, 4] = np.array([0.1, 0.7, 0.2, 0.5])[y]
    return rows, y


def with_a_class_of_one_row():
    rows, y = plain_table()
    y[0] = 9
    return rows, y


def with_a_copied_feature_in_other_units():
    rows, y = plain_table()
    rows[:, 4] = 1e6 * rows[:, 5]
    return rows, y


@pytest.mark.parametrize("model", NARROW, ids=repr)
@pytest.mark.parametrize(
    "table",
    [
        plain_table,
        with_a_constant_feature,
        with_a_separating_feature,
        with_a_class_of_one_row,
        with_a_copied_feature_in_other_units,
    ],
)
def test_a_factor_and_a_matrix_give_the_same_answers(model, table, monkeypatch):
    if table is with_a_copied_feature_in_other_units and model.get_params().get("reg_param"):
        return  # variances of 1e12 beside 0.2: thirteen digits go into the matrix
    rows, y = table()
    with np.errstate(all="ignore"):
        monkeypatch.setattr(groups, "WIDE", 100)
        factor = clone(model).fit(rows, y)
        monkeypatch.setattr(groups, "WIDE", 10_000)
        matrix = clone(model).fit(rows, y)
        fresh = rows + np.random.default_rng(8).normal(size=rows.shape)
        for name in ("predict_log_proba", "predict_joint_log_proba", "squared_mahalanobis"):
            near(getattr(factor, name)(fresh), getattr(matrix, name)(fresh), 1e-10)
        assert list(factor.borrowed_classes_) == list(matrix.borrowed_classes_)
        if hasattr(model, "transform"):
            near(factor.transform(fresh), matrix.transform(fresh), 1e-10)
            near(factor.coef_, matrix.coef_, 1e-10)


@pytest.mark.parametrize(
    "model", [sf.LDA(), sf.QDA(), sf.QDA(shrinkage=0.5), sf.LDA(shrinkage=0.5)], ids=repr
)
def test_many_separating_features_decide_in_a_wide_table(model):
    rows, y = wide(n=40, d=2_000)
    rows[:, :600] = y[:, None]
    fresh = np.random.default_rng(9).normal(size=rows.shape)
    fresh[:, :600] = y[:, None]
    assert fit(model, rows, y).score(fresh, y) == 1.0


def test_wide_rows_can_come_in_batches_and_be_forgotten():
    rows, y = wide(n=60, d=3_000)
    model = sf.LDA().fit(rows[:30], y[:30]).partial_fit(rows[30:], y[30:])
    near(model.predict_log_proba(rows), sf.LDA().fit(rows, y).predict_log_proba(rows))
    model.forget(rows[30:], y[30:])
    near(model.predict_log_proba(rows), sf.LDA().fit(rows[:30], y[:30]).predict_log_proba(rows))


# What docs/differences.md says of scikit-learn


def test_qda_of_sklearn_fails_in_other_units_and_ours_does_not():
    with pytest.raises((np.linalg.LinAlgError, UserWarning)):
        fit(QuadraticDiscriminantAnalysis(), X * 0.01, Y)
    assert fit(sf.QDA(), X * 0.01, Y).score(X * 0.01, Y) == 0.98


def test_lsqr_of_sklearn_goes_wrong_far_from_zero_and_ours_does_not():
    far = X + 1e8 * X.std(axis=0)
    ours = fit(sf.LDA(), far, Y).score(far, Y)
    assert ours == 0.98
    # How far wrong it goes depends on how its sums are rounded.
    assert LinearDiscriminantAnalysis(solver="lsqr").fit(far, Y).score(far, Y) < ours - 0.1


def test_naive_bayes_of_sklearn_drowns_small_units_and_ours_does_not():
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 2
    rows = np.c_[(rng.normal(size=2000) + 6 * y) * 1e-6, rng.normal(size=2000) * 1e3]
    assert round(GaussianNB().fit(rows, y).score(rows, y), 1) == 0.5
    assert fit(sf.GaussianNB(), rows, y).score(rows, y) == 0.9985


def test_lda_of_sklearn_leaves_out_a_separating_feature_and_ours_does_not():
    rows = np.c_[NOISE, Y]
    assert LinearDiscriminantAnalysis().fit(rows, Y).score(rows, Y) < 0.5
    assert fit(sf.LDA(), rows, Y).score(rows, Y) == 1.0


def test_qda_of_sklearn_fails_on_a_constant_feature_and_a_class_of_one_row():
    rows = np.c_[X, np.ones(150)]
    for Z, y in ((rows, Y), (X, np.where(np.arange(150) == 0, 7, Y))):
        with pytest.raises((ValueError, UserWarning)):
            fit(QuadraticDiscriminantAnalysis(), Z, y)
        fit(sf.QDA(), Z, y)


def test_lda_of_sklearn_cuts_off_small_probabilities_and_ours_does_not():
    far = np.full((1, 4), 1e4)
    assert LinearDiscriminantAnalysis().fit(X, Y).predict_log_proba(far).min() > -709
    assert fit(sf.LDA(), X, Y).predict_log_proba(far).min() < -1e5


def test_decision_functions_of_qda_differ_from_sklearn_by_the_constant_of_the_density():
    theirs = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, Y)
    ddof = 0 if np.allclose(theirs.covariance_, sf.QDA().fit(X, Y).covariance_) else 1
    gap = theirs.decision_function(X) - sf.QDA(ddof=ddof).fit(X, Y).decision_function(X)
    near(gap, np.full_like(gap, 2 * np.log(2 * np.pi)), 1e-11)


def test_priors_move_only_the_constants_of_log_odds():
    for priors in ([0.1, 0.2, 0.7], "uniform"):
        a, b = fit(sf.LDA(), X, Y), fit(sf.LDA(priors=priors), X, Y)
        near(np.diff(b.coef_, axis=0), np.diff(a.coef_, axis=0), 1e-13)
        near(b.covariance_, a.covariance_, 1e-14)


def test_frames_with_degenerate_columns_work_too():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=1, f=Y == 1)
    assert fit(sf.QDA(), frame, Y).score(frame, Y) > 0.95


def test_oas_of_features_without_any_correlation_is_all_of_the_target():
    for d in (2, 3, 7):
        rows = np.concatenate([np.eye(d), -np.eye(d)]) * np.arange(1, d + 1)
        X = np.concatenate([rows, rows + 0.1])
        y = np.repeat([0, 1], 2 * d)
        model = sf.LDA(shrinkage="oas", target="diagonal").fit(X, y)
        plain = sf.DiagonalLDA().fit(X, y)
        np.testing.assert_allclose(model.covariance_, plain.covariance_, atol=1e-15)


@pytest.mark.parametrize(
    "model",
    [
        sf.QDA(),
        sf.GaussianNB(),
        sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1, inflation=2.0),
        sf.QDA(priors=[0.0, 0.5, 0.5]),
    ],
    ids=repr,
)
def test_labels_agree_with_posteriors_however_far_out(model):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) * (1 + y[:, None])
    far = np.array([[1e200, 1e200], [-1e200, 0.0], [1e160, -1e180], [1.0, 2.0], [1e30, 1e30]])
    model = model.fit(X, y)
    best = model.predict_proba(far).argmax(axis=1)
    np.testing.assert_array_equal(model.predict(far), best)
    assert (best[:3] == 2).all()


def test_a_class_that_does_not_vary_where_the_others_do_borrows():
    """Its variance in the directions that classes share is rounding, however small."""
    rows = np.array([[0.1, 0.4], [0.1, 0.1], [0.2, 0.8], [0.6, 0.1], [0.1, 0.1]])
    rows = np.c_[rows, 2 * rows[:, :1] - rows[:, 1:], np.full(5, 0.1)]
    others = np.array([[0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.5], [0.1, 0.1, 0.1, 0.3]])
    table, y = np.r_[rows, others], np.repeat([1, 0], [5, 3])
    np.testing.assert_array_equal(sf.QDA().fit(table, y).borrowed_classes_, [0, 1])


def test_a_feature_that_varies_by_the_rounding_of_its_values_is_constant():
    rng = np.random.default_rng(0)
    shares = rng.random((60, 5))
    shares /= shares.sum(axis=1, keepdims=True)
    total, y = shares.sum(axis=1), rng.integers(0, 3, 60)
    assert np.ptp(total) > 0
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB()):
        with_total = clone(model).fit(np.c_[shares[:, :3], total], y)
        without = clone(model).fit(np.c_[shares[:, :3], np.ones(60)], y)
        found = with_total.predict_proba(np.c_[shares[:, :3], total])
        right = without.predict_proba(np.c_[shares[:, :3], np.ones(60)])
        np.testing.assert_allclose(found, right, atol=1e-12)
