"""Leave-one-out: equal to fitting without the row, for every member of the family."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import accuracy_score, log_loss

import suffice as sf
from lawful import law
from suffice.errors import InvalidInput, InvalidParameter, Mismatch, NeverIncluded, TooFewRows
from suffice.estimators.bayesian import BayesianDiscriminant

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

LAW = law(100)


def refits(model, X, y, w=None, rows=None):
    """ln p(class | row) and ln p(row, class) of a model fitted afresh without each row."""
    classes = np.unique(y if w is None else y[w > 0])
    n = len(y)
    log_proba, joint = np.full((2, n, len(classes)), -np.inf)
    frame = hasattr(X, "iloc")
    for i in range(n) if rows is None else rows:
        at = np.arange(n) != i
        rest, row = (X.iloc[at], X.iloc[i : i + 1]) if frame else (X[at], X[i : i + 1])
        other = clone(model).fit(rest, y[at], sample_weight=None if w is None else w[at])
        known = np.searchsorted(classes, other.classes_)
        log_proba[i, known] = other.predict_log_proba(row)[0]
        joint[i, known] = other.predict_joint_log_proba(row)[0]
    return log_proba, joint


def assert_rows_near(found, expected, tolerance):
    """Infinities in the same places, the rest equal relative to the largest of the row."""
    assert np.array_equal(np.isneginf(found), np.isneginf(expected))
    finite = np.where(np.isneginf(expected), 0.0, expected)
    found = np.where(np.isneginf(found), 0.0, found)
    scale = np.maximum(1.0, np.abs(finite).max(axis=1, keepdims=True))
    assert (np.abs(found - finite) <= tolerance * scale).all(), np.abs(found - finite).max()


def assert_equals_refits(model, X, y, w=None, tolerance=1e-9):
    found = clone(model).fit(X, y, sample_weight=w).leave_one_out(X, y, sample_weight=w)
    log_proba, joint = refits(model, X, y, w)
    assert_rows_near(found.log_proba, log_proba, tolerance)
    assert_rows_near(found.joint_log_proba, joint, tolerance)
    return found


@st.composite
def members(draw):
    """A member of the family."""
    structure = draw(st.sampled_from(["full", "full", "diagonal", "spherical"]))
    target = draw(st.sampled_from(["identity", "diagonal", "unit"]))
    shrinkage = draw(st.sampled_from([0.0, 0.0, 0.2, 1.0, "oas", "ledoit-wolf"]))
    if (shrinkage, target) == ("ledoit-wolf", "diagonal"):
        target = "identity"
    return sf.GaussianDiscriminant(
        structure,
        draw(st.sampled_from([0.0, 0.3, 1.0])),
        shrinkage,
        target,
        draw(st.sampled_from([None, "uniform"])),
        draw(st.sampled_from([0, 1])),
    )


@st.composite
def tables(draw):
    """Rows of two or three classes, small ones too: normal, collinear, or on a small grid."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k, d = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    sizes = [draw(st.integers(1, 9)) for _ in range(k)]
    y = np.concatenate([[0, 0, 0, 1, 1], rng.permutation(np.repeat(np.arange(k), sizes))])
    n = len(y)
    kind = draw(st.sampled_from(["normal", "collinear", "duplicates", "grid"]))
    X = rng.normal(size=(n, d)) * (1 + y[:, None]) + 2 * rng.normal(size=(k, d))[y]
    X = X @ (np.eye(d) + 0.4 * rng.normal(size=(d, d)))
    if kind == "collinear":
        X = np.round(8 * X) / 8
        X = np.column_stack([X, X[:, 0] + 2 * X[:, -1]])
    elif kind == "duplicates":
        X = X[rng.integers(0, n, n)]
    elif kind == "grid":
        X = rng.integers(-1, 3, size=(n, d)) / 4.0
        X[:5] = np.array([0.0, 1.0, 0.25, 0.5, 0.75])[:, None] + rng.normal(size=(5, d))
    w = rng.integers(1, 9, n) / 2 if draw(st.booleans()) else None
    return X, y, w


@LAW
@given(model=members(), table=tables())
def test_leaving_a_row_out_equals_fitting_without_it(model, table):
    X, y, w = table
    try:
        model.fit(X, y, sample_weight=w)
        expected = refits(model, X, y, w)
    except TooFewRows:
        assume(False)
    found = model.leave_one_out(X, y, sample_weight=w)
    assert_rows_near(found.log_proba, expected[0], 1e-9)
    assert_rows_near(found.joint_log_proba, expected[1], 1e-9)


@law(50)
@given(table=tables(), smoothing=st.sampled_from([0.0, 1e-9, 0.5]))
def test_naive_bayes_with_smoothing_equals_fitting_without_the_row(table, smoothing):
    X, y, w = table
    assert_equals_refits(sf.GaussianNB(var_smoothing=smoothing), X, y, w)


CLOSED = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.4),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2, ddof=1),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.4, ddof=1),
    sf.GaussianDiscriminant(structure="diagonal", shrinkage="oas", target="diagonal"),
    sf.GaussianDiscriminant(structure="spherical", pooling=0.4),
    sf.GaussianDiscriminant(structure="spherical", pooling=1.0, shrinkage=0.3, target="unit"),
    sf.LDA(shrinkage="ledoit-wolf", ddof=1),
    sf.QDA(shrinkage="ledoit-wolf"),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage="ledoit-wolf"),
    sf.QDA(shrinkage="oas"),
    sf.QDA(reg_param=0.1),
    sf.LDA(priors=[0.2, 0.3, 0.5]),
]
REFITTED = [
    sf.LDA(shrinkage="auto", ddof=1),
    sf.LDA(shrinkage=0.3, target="diagonal"),
    sf.QDA(shrinkage="oas", target="diagonal"),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage="oas", target="diagonal"),
    sf.GaussianDiscriminant(structure="diagonal", shrinkage="ledoit-wolf"),
    sf.DiagonalLDA(shrinkage="oas"),
]
every = pytest.mark.parametrize("model", [*CLOSED, *REFITTED], ids=repr)


@pytest.mark.parametrize("model", REFITTED, ids=repr)
def test_models_without_a_closed_form_are_built_for_each_row(model):
    X, y = load_iris(return_X_y=True)
    found = assert_equals_refits(model, X, y, np.arange(150) % 4 + 0.5, 1e-10)
    assert len(found.refitted) == 150


@pytest.mark.parametrize("model", CLOSED, ids=repr)
def test_regular_rows_are_all_left_out_in_closed_form(model):
    X, y = load_iris(return_X_y=True)
    found = assert_equals_refits(model, X, y, np.arange(150) % 4 + 0.5, 1e-10)
    assert len(found.refitted) == 0


@every
def test_offsets_do_not_cost_digits(model):
    rng = np.random.default_rng(5)
    y = np.arange(60) % 3
    X = np.round((rng.normal(size=(60, 3)) + y[:, None]) * 2**20) / 2**20
    far = X + 2.0**30
    expected = clone(model).fit(X, y).leave_one_out(X, y)
    found = clone(model).fit(far, y).leave_one_out(far, y)
    assert_rows_near(found.log_proba, expected.log_proba, 1e-9)
    assert_rows_near(found.joint_log_proba, expected.joint_log_proba, 1e-9)


@every
def test_outliers_keep_their_digits(model):
    X, y = (rows[::2].copy() for rows in load_iris(return_X_y=True))
    X[4] += [300.0, -200.0, 500.0, 100.0]
    X[30, 2] = 1e6
    found = assert_equals_refits(model, X, y, None, 1e-9)
    assert len(found.refitted) < 50 or model in REFITTED


def test_features_of_any_units_are_left_out_alike():
    X, y = load_wine(return_X_y=True)
    units = 2.0 ** np.array([-30, 20, 0, 5, -7, 11, 0, 30, -2, 1, 9, -20, -4])
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.LDA(shrinkage="oas", target="diagonal")):
        expected = clone(model).fit(X, y).leave_one_out(X, y)
        found = clone(model).fit(X * units, y).leave_one_out(X * units, y)
        assert_rows_near(found.log_proba, expected.log_proba, 1e-9)


@pytest.mark.parametrize("pooling", [0.0, 0.5, 1.0])
def test_units_far_apart_and_little_shrinkage_have_a_closed_form(pooling):
    X, y = load_wine(return_X_y=True)
    model = sf.GaussianDiscriminant(pooling=pooling, shrinkage=1e-7)
    found = assert_equals_refits(model, X[::3], y[::3], None, 1e-10)
    assert len(found.refitted) == 0


def test_many_rows_in_threads_and_blocks_are_left_out_alike():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 40_000)
    X = (rng.normal(size=(40_000, 8)) + rng.normal(size=(4, 8))[y]).astype(np.float32)
    some = [0, 1, 16_383, 16_384, 20_000, 39_999]
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.LDA(shrinkage=0.1)):
        found = clone(model).fit(X, y).leave_one_out(X, y)
        expected, joint = refits(model, X, y, rows=some)
        assert_rows_near(found.log_proba[some], expected[some], 1e-9)
        assert_rows_near(found.joint_log_proba[some], joint[some], 1e-9)


# Exact arithmetic


def exact_joint(X, y, pooling, i):
    """ln p(row, class) without row i: fractions to the last step, then 50 digits."""
    mp.mp.dps = 50
    rows = [[Fraction(v) for v in x] for x in X]
    k, d = max(y) + 1, len(rows[0])
    parts = []
    for c in range(k):
        own = [x for j, x in enumerate(rows) if y[j] == c and j != i]
        mean = [sum(column) / len(own) for column in zip(*own, strict=True)]
        steps = [[a - b for a, b in zip(x, mean, strict=True)] for x in own]
        scatter = [[sum(s[a] * s[b] for s in steps) for b in range(d)] for a in range(d)]
        parts.append((len(own), mean, scatter))
    total = sum(n for n, _, _ in parts)
    pooled = [[sum(p[2][a][b] for p in parts) / total for b in range(d)] for a in range(d)]
    out = []
    for n, mean, scatter in parts:
        sigma = pooled if pooling else [[v / n for v in row] for row in scatter]
        determinant = sigma[0][0] * sigma[1][1] - sigma[0][1] ** 2
        a, b = (v - m for v, m in zip(rows[i], mean, strict=True))
        form = sigma[1][1] * a * a - 2 * sigma[0][1] * a * b + sigma[0][0] * b * b
        length = form / determinant
        terms = mp.log(mp.mpf(n) / total) - mp.log(2 * mp.pi)
        terms -= mp.log(mp.mpf(determinant.numerator) / determinant.denominator) / 2
        out.append(terms - mp.mpf(length.numerator) / length.denominator / 2)
    return out


@pytest.mark.parametrize(("model", "pooling"), [(sf.LDA(), 1), (sf.QDA(), 0)], ids=repr)
def test_lda_and_qda_equal_exact_arithmetic(model, pooling):
    X = [[0, 1], [2, 0], [1, 3], [4, 4], [3, 1], [5, 2], [6, 7], [8, 5], [7, 9], [9, 6], [5, 8]]
    y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    found = model.fit(np.array(X, float), y).leave_one_out(np.array(X, float), y)
    assert len(found.refitted) == 0
    for i in range(len(y)):
        joint = exact_joint(X, y, pooling, i)
        total = mp.log(mp.fsum(mp.exp(v) for v in joint))
        for c in range(2):
            assert abs(found.joint_log_proba[i, c] - joint[c]) < 1e-13 * max(1, abs(joint[c]))
            expected = joint[c] - total
            assert abs(found.log_proba[i, c] - expected) < 1e-13 * max(1, abs(expected))


def test_nearly_collinear_features_lose_no_more_digits_than_a_refit_does():
    rng = np.random.default_rng(0)
    y = [0, 1] * 15
    a = rng.normal(size=30) + np.array(y)
    X = np.column_stack([a, a + 1e-5 * rng.normal(size=30)])
    for model, pooling in ((sf.LDA(), 1), (sf.QDA(), 0)):
        found = model.fit(X, y).leave_one_out(X, y).joint_log_proba
        _, refit = refits(model, X, np.array(y))
        for i in range(0, 30, 5):
            exact = np.array([float(v) for v in exact_joint(X.tolist(), y, pooling, i)])
            lost = np.abs(refit[i] - exact).max()
            assert np.abs(found[i] - exact).max() <= 10 * lost + 1e-9


# Classes and rows that are gone


def test_a_class_that_loses_its_only_row_has_no_probability():
    X = np.array([[0.0], [1.0], [2.5], [5.0], [6.0], [9.0]])
    y = np.array(["a", "a", "a", "b", "b", "c"])
    found = sf.LDA().fit(X, y).leave_one_out(X, y)
    assert found.impossible.tolist() == [5]
    assert np.isneginf(found.log_proba[5, 2])
    assert found.log_loss == np.inf
    np.testing.assert_allclose(np.exp(found.log_proba).sum(axis=1), 1.0)
    assert found.labels[5] == "b"
    assert "log-loss inf" in repr(found)


@pytest.mark.parametrize("priors", [[0.5, 0.3, 0.2], {"a": 0.5, "b": 0.3, "c": 0.2}, "uniform"])
def test_given_priors_keep_their_proportions_without_a_class(priors):
    X = np.array([[0.0], [1.0], [2.5], [5.0], [6.0], [4.0]])
    y = np.array(["a", "a", "a", "b", "b", "c"])
    found = sf.QDA(priors=priors).fit(X, y).leave_one_out(X, y)
    shares = [0.5, 0.5] if priors == "uniform" else [0.625, 0.375]
    other = sf.QDA(priors=shares).fit(X[:5], y[:5])
    np.testing.assert_allclose(
        found.log_proba[5, :2], other.predict_log_proba(X[5:])[0], rtol=1e-13
    )
    np.testing.assert_allclose(
        found.joint_log_proba[5, :2], other.predict_joint_log_proba(X[5:])[0], rtol=1e-13
    )


def test_priors_that_all_lie_on_the_removed_class_leave_the_others_alike():
    X, y = np.array([[0.0], [1.0], [2.5], [9.0]]), [0, 0, 0, 1]
    found = sf.LDA(priors=[0.0, 1.0]).fit(X, y).leave_one_out(X, y)
    assert found.log_proba[3].tolist() == [0.0, -np.inf]


def test_rows_of_small_classes_are_left_out_by_building_models_anew():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [40, 4, 30])
    X = rng.normal(size=(74, 3)) + y[:, None]
    found = assert_equals_refits(sf.QDA(), X, y)
    assert np.array_equal(found.refitted, np.flatnonzero(y == 1))


def test_a_separating_feature_is_left_out_by_building_models_anew():
    rng = np.random.default_rng(3)
    y = np.arange(20) % 2
    X = np.column_stack([rng.normal(size=20), y * 2.0])
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.LDA(shrinkage=0.5)):
        assert len(assert_equals_refits(model, X, y).refitted) == 20


def test_more_features_than_rows():
    rng = np.random.default_rng(4)
    y = np.arange(14) % 2
    X = rng.normal(size=(14, 30)) + y[:, None]
    for model in (
        sf.LDA(),
        sf.QDA(),
        sf.LDA(shrinkage=0.3),
        sf.QDA(shrinkage="auto"),
        sf.QDA(shrinkage="oas", target="diagonal"),
    ):
        assert_equals_refits(model, X, y)


@pytest.mark.parametrize("pooling", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shrinkage", [0.3, "oas", "ledoit-wolf"])
@pytest.mark.parametrize("target", ["identity", "unit"])
def test_a_thin_factor_serves_as_well_as_matrices(pooling, shrinkage, target):
    rng = np.random.default_rng(4)
    y = np.arange(15) % 3
    X = rng.normal(size=(15, 600)) * np.geomspace(1, 4, 600) + y[:, None]
    model = sf.GaussianDiscriminant("full", pooling, shrinkage, target)
    found = assert_equals_refits(model, X, y, np.arange(15) % 4 + 1.0)
    assert len(found.refitted) == 0


def test_missing_values_are_left_out_by_building_models_anew():
    X, y = load_iris(return_X_y=True)
    X = X[::5].copy()
    X[::4, 1] = X[1::6, 3] = np.nan
    for model in (sf.LDA(), sf.GaussianNB()):
        found = assert_equals_refits(model, X, y[::5], None, 1e-9)
        assert len(found.refitted) == 30


def test_rows_without_weight_are_judged_by_the_model_of_all():
    X, y = load_iris(return_X_y=True)
    w = np.where(np.arange(150) % 5 == 0, 0.0, 1.5)
    labels = np.where((w == 0) & (y == 1), 7, y)
    model = sf.LDA().fit(X, labels, sample_weight=w)
    found = model.leave_one_out(X, labels, sample_weight=w)
    at = w == 0
    np.testing.assert_allclose(found.log_proba[at], model.predict_log_proba(X[at]), atol=1e-11)
    rest = sf.LDA().fit(X[~at], y[~at]).leave_one_out(X[~at], y[~at])
    assert_rows_near(found.log_proba[~at], rest.log_proba, 1e-11)
    np.testing.assert_allclose(found.log_loss, rest.log_loss, rtol=1e-10)


def test_rows_without_weight_are_judged_by_the_model_of_all_where_models_are_refitted():
    X, y = load_iris(return_X_y=True)
    w = np.where(np.arange(150) % 5 == 0, 0.0, 1.5)
    model = sf.LDA(shrinkage=0.3, target="diagonal").fit(X, y, sample_weight=w)
    found = model.leave_one_out(X, y, sample_weight=w)
    at = w == 0
    np.testing.assert_allclose(found.log_proba[at], model.predict_log_proba(X[at]), atol=1e-11)


# Discrete and mixed models


@law(50)
@given(
    seed=st.integers(0, 9999),
    alpha=st.sampled_from([0.0, 0.3, 1.0]),
    weighted=st.booleans(),
    gaps=st.booleans(),
)
def test_levels_are_left_out_as_by_fitting_without_the_row(seed, alpha, weighted, gaps):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 20))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    X = np.column_stack([rng.integers(0, m, n) for m in (2, 3, 8)]).astype(float)
    w = rng.integers(1, 9, n) / 2 if weighted else None
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[:2] = 0
    assert_equals_refits(sf.CategoricalNB(alpha=alpha), X, y, w, 1e-12)
    assert_equals_refits(sf.BernoulliNB(alpha=alpha), X, y, w, 1e-12)


def test_counts_are_left_out_in_closed_form():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 3
    X = rng.integers(0, 4, size=(200, 5))
    assert len(assert_equals_refits(sf.CategoricalNB(), X, y).refitted) == 0


def test_smoothing_that_the_counts_choose_is_chosen_anew_for_every_row():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.integers(0, 4, size=(30, 3))
    for model in (sf.CategoricalNB(alpha="auto"), sf.BernoulliNB(alpha="auto")):
        assert len(assert_equals_refits(model, X, y).refitted) == 30


@pytest.mark.parametrize("structure", ["diagonal", "full"])
def test_numbers_beside_levels(structure):
    rng = np.random.default_rng(1)
    y = np.array(["u", "v", "w"])[np.concatenate([np.arange(30) % 2, [2]])]
    X = pd.DataFrame(
        {
            "a": rng.normal(size=31),
            "colour": rng.choice(["red", "blue", "green"], 31),
            "b": rng.normal(size=31) + (y == "u"),
            "flag": rng.random(31) < 0.5,
        }
    )
    X.loc[4, "colour"] = "once"
    X.loc[5, "colour"] = None
    found = assert_equals_refits(sf.MixedNB(structure=structure), X, y, np.arange(31) % 3 + 1.0)
    assert found.impossible.tolist() == [30]
    assert {4, 30} <= set(found.refitted.tolist())


# What comes back


def test_scores_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    w = np.arange(150) % 7 + 1.0
    labels = np.array(["p", "q", "r"])[y]
    found = sf.QDA().fit(X, labels, sample_weight=w).leave_one_out(X, labels, sample_weight=w)
    proba = np.exp(found.log_proba)
    assert found.accuracy == pytest.approx(accuracy_score(labels, found.labels, sample_weight=w))
    assert found.log_loss == pytest.approx(log_loss(labels, proba, sample_weight=w), rel=1e-12)
    gaps = ((proba - np.eye(3)[y]) ** 2).sum(axis=1)
    assert found.brier == pytest.approx(np.average(gaps, weights=w))
    assert found.wrong.tolist() == np.flatnonzero(found.labels != labels).tolist()
    own = found.joint_log_proba[np.arange(150), y]
    assert found.log_likelihood == pytest.approx(own @ w)


def test_the_brier_score_of_two_classes_is_the_usual_one():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:] == 2
    found = sf.LDA().fit(X, y).leave_one_out(X, y)
    assert found.brier == pytest.approx(((np.exp(found.log_proba[:, 1]) - y) ** 2).mean())


def test_labels_frames_and_streams_are_welcome():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    model = sf.LDA().partial_fit(X[:75], names[:75]).partial_fit(X[75:], names[75:])
    found = model.leave_one_out(X, names)
    expected, _ = refits(sf.LDA(), X.to_numpy(), names.to_numpy())
    assert_rows_near(found.log_proba, expected, 1e-9)


def test_other_rows_than_the_training_rows_are_refused():
    X, y = load_iris(return_X_y=True)
    model = sf.LDA().fit(X, y)
    with pytest.raises(NeverIncluded, match="class 2 has 49 rows of total weight 49, but"):
        model.leave_one_out(X[:149], y[:149])
    with pytest.raises(NeverIncluded, match="class 0 have a different mean"):
        model.leave_one_out(X + 1, y)
    with pytest.raises(NeverIncluded, match="total weight 100, but the model was trained on 50"):
        model.leave_one_out(X, y, sample_weight=np.full(150, 2.0))
    with pytest.raises(NeverIncluded, match="row 3 is of class 9"):
        model.leave_one_out(X, np.where(np.arange(150) == 3, 9, y))
    with pytest.raises(Mismatch):
        model.leave_one_out(X, y.astype(str))
    with pytest.raises(InvalidInput, match="inconsistent numbers of samples"):
        model.leave_one_out(X, y[:-1])
    with pytest.raises(NeverIncluded, match="other levels"):
        sf.BernoulliNB().fit(X > 3, y).leave_one_out(X > 4, y)


def test_a_row_without_which_nothing_is_left_is_named():
    with pytest.raises(TooFewRows, match="row 0 is the only one"):
        sf.GaussianNB().fit([[1.0]], [0]).leave_one_out([[1.0]], [0])
    with pytest.raises(TooFewRows, match="row 0 is the only one"):
        sf.BernoulliNB().fit([[1.0]], [0]).leave_one_out([[1.0]], [0])
    X, y = [[1.0], [2.0], [5.0]], [0, 0, 1]
    with pytest.raises(TooFewRows, match="without row 0: every class has 1 row"):
        sf.LDA().fit(X, y).leave_one_out(X, y)


def test_a_bayesian_model_says_how_else_to_judge_it():
    X, y = load_iris(return_X_y=True)
    model = BayesianDiscriminant().fit(X, y)
    with pytest.raises(InvalidParameter, match="log_evidence_"):
        model.leave_one_out(X, y)


MANY_CLASSES = {
    "lda": sf.LDA(),
    "shrunken lda": sf.LDA(shrinkage=0.1),
    "qda": sf.QDA(shrinkage=0.5),
    "pooled in part": sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1),
    "gaussian naive bayes": sf.GaussianNB(),
    "diagonal lda": sf.DiagonalLDA(),
    "levels": sf.CategoricalNB(),
    "mixed": sf.MixedNB(categorical=[0]),
}


@pytest.mark.parametrize("case", MANY_CLASSES)
def test_memory_is_that_of_the_answer_however_many_classes_there_are(case):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(800), 4)
    X = rng.normal(size=(3200, 4)) + 3 * rng.normal(size=(800, 4))[y]
    if case in ("levels", "mixed"):
        X[:, 0] = rng.integers(0, 3, 3200)
        X = X[:, :1] if case == "levels" else X
    model = clone(MANY_CLASSES[case]).fit(X, y)
    model.predict(X)  # compiled loops are loaded now
    tracemalloc.start()
    try:
        found = model.leave_one_out(X, y)
        answer = found.log_proba.nbytes + found.joint_log_proba.nbytes
        _, peak = tracemalloc.get_traced_memory()
        assert peak < 1.5 * answer, peak / answer
        tracemalloc.reset_peak()
        assert 0 <= found.accuracy <= 1
        _, peak = tracemalloc.get_traced_memory()
        assert peak < 1.5 * answer, peak / answer
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shrinkage", ["auto", "oas"])
def test_without_the_only_row_with_a_gap_the_others_are_complete(shrinkage):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    X[0, 0] = np.nan
    found = sf.LDA(shrinkage=shrinkage).fit(X, y).leave_one_out(X, y).log_proba[0]
    right = sf.LDA(shrinkage=shrinkage).fit(X[1:], y[1:]).predict_log_proba(X[:1])[0]
    np.testing.assert_allclose(found, right, atol=1e-12)


def test_nothing_is_left_of_the_only_row_of_a_level_after_weights_were_forgotten():
    X, y = np.array([["a"], ["a"], ["b"], ["b"], ["b"], ["a"]]), np.array([0, 0, 0, 1, 1, 1])
    # 0.1 + 0.2 - 0.2 is not 0.1.
    w, kept = np.array([0.1, 0.2, 0.3, 0.7, 0.11, 0.13]), [0, 2, 3, 4, 5]
    model = sf.CategoricalNB(alpha=0).fit(X, y, sample_weight=w)
    model.forget(X[1:2], y[1:2], sample_weight=w[1:2])
    found = model.leave_one_out(X[kept], y[kept], sample_weight=w[kept])
    assert found.log_proba[0].tolist() == [-np.inf, 0.0]
