"""Laws of units: at any scale of the features, answers are right or refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import InvalidInput, InvalidWeights, NotFinite

# Those for which the units of single features do not matter.
UNITLESS = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.3),
    sf.GaussianDiscriminant("diagonal", pooling=0.3),
    sf.QDA(shrinkage="oas", target="diagonal"),
    sf.LDA(shrinkage="auto"),
    sf.QDA(shrinkage="auto"),
    sf.DiagonalLDA(shrinkage="auto"),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage="auto"),
    sf.BayesianDiscriminant(),
    sf.BayesianDiscriminant("diagonal"),
    sf.MixedNB(categorical=[]),
]
# Those for which one unit for all features does not matter.
FAMILY = [
    *UNITLESS,
    sf.GaussianDiscriminant("spherical"),
    sf.QDA(shrinkage="oas"),
    sf.QDA(shrinkage="ledoit-wolf"),
    sf.LDA(shrinkage="ledoit-wolf"),
    sf.LDA(shrinkage=0.3),
    sf.DiagonalLDA(shrinkage="oas"),
]
EXPONENTS = [*range(-545, -480, 4), *range(-480, 480, 60), *range(480, 515, 4)]

unitless = pytest.mark.parametrize("model", UNITLESS, ids=repr)
every = pytest.mark.parametrize("model", FAMILY, ids=repr)


def table():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    return rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(3, 3))[y], y


def right_or_refused(model, scale):
    """Whether the model of scaled rows answers; if so, it answers as that of the original ones."""
    X, y = table()
    try:
        scaled = clone(model).fit(X * scale, y)
    except NotFinite:
        return False
    want = clone(model).fit(X, y).predict_log_proba(3 * X)
    np.testing.assert_allclose(scaled.predict_log_proba(3 * X * scale), want, rtol=1e-9, atol=1e-9)
    return True


@every
def test_one_unit_for_all_features_changes_no_answer_or_is_refused(model):
    answered = [e for e in EXPONENTS if right_or_refused(model, 2.0**e)]
    assert min(answered) <= -500
    assert max(answered) >= 500


@unitless
def test_the_unit_of_one_feature_changes_no_answer_or_is_refused(model):
    answered = [e for e in EXPONENTS if right_or_refused(model, [1.0, 2.0**e, 1.0])]
    assert min(answered) <= -500
    assert max(answered) >= 500


@pytest.mark.parametrize("size", [1e-155, 1e-158, 1e-160, 1e-162])
@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_squares_that_lose_digits_are_refused_with_their_column(size, detail, gaps):
    X, y = table()
    X = X * [1.0, size, 1.0]
    X[0, 0] = np.nan if gaps else X[0, 0]
    with pytest.raises(
        NotFinite, match=r"column '?1'? of X holds values so close together.*rescale"
    ):
        sf.summarize(X, y, detail=detail)


def test_rows_that_came_one_by_one_are_refused_when_the_model_is_built():
    X, y = table()
    model = sf.GaussianNB()
    for row, label in zip(X * 1e-158, y, strict=True):
        model.partial_fit(row[None], [label])
    with pytest.raises(NotFinite, match="close together"):
        model.predict(X)


@pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianNB()], ids=repr)
def test_a_separating_feature_that_vanishes_is_refused(model):
    X, y = table()
    X = np.column_stack([X, 1e-170 * y])
    with pytest.raises(NotFinite, match="column 3"):
        clone(model).fit(X, y)


@pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianNB()], ids=repr)
def test_classes_so_far_apart_that_squares_overflow_are_refused(model):
    X, y = table()
    X[:, 1] = 1e150 * X[:, 1] + 1e160 * y
    with pytest.raises(NotFinite, match=r"column 1.*rescale"):
        clone(model).fit(X, y)


@pytest.mark.parametrize("exponent", [-490, -300, 300, 490])
@pytest.mark.parametrize("model", [m for m in FAMILY if "Bayesian" not in repr(m)], ids=repr)
def test_leave_one_out_does_not_depend_on_the_unit(model, exponent):
    X, y = table()
    scaled = X * 2.0**exponent
    want = clone(model).fit(X, y).leave_one_out(X, y).log_proba
    got = clone(model).fit(scaled, y).leave_one_out(scaled, y).log_proba
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA(), sf.GaussianNB()], ids=repr)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_weights_of_any_size_are_used_or_refused(model, gaps):
    X, y = table()
    X[0, 0] = np.nan if gaps else X[0, 0]
    weights = np.random.default_rng(1).integers(1, 5, 60).astype(float)
    want = clone(model).fit(X, y, sample_weight=weights).predict_log_proba(X)
    answered = []
    for exponent in (-1074, -1060, -1030, -1010, -1000, -900, 0, 900, 1000, 1018):
        try:
            found = clone(model).fit(X, y, sample_weight=weights * 2.0**exponent)
        except InvalidInput:
            continue
        near = {"rtol": 1e-7, "atol": 1e-7} if gaps else {"rtol": 1e-9, "atol": 1e-9}
        np.testing.assert_allclose(found.predict_log_proba(X), want, **near)
        answered.append(exponent)
    assert {-1000, -900, 0, 900, 1000} <= set(answered)


def test_weights_that_are_too_small_are_refused_in_a_sentence():
    X, y = table()
    with pytest.raises(InvalidWeights, match=r"weights of class 'a' add up to .*sample_weight"):
        sf.GaussianNB().fit(X, np.array(["a", "b", "c"])[y], sample_weight=np.full(60, 5e-324))
    with pytest.raises(InvalidWeights, match="class 0"):
        sf.QDA().partial_fit(X[:1], y[:1], sample_weight=[5e-324])


@pytest.mark.parametrize("model", [sf.BernoulliNB(), sf.CategoricalNB()], ids=repr)
def test_weights_of_categories_that_are_too_large_are_refused(model):
    with pytest.raises(InvalidWeights, match="too large"):
        clone(model).fit([[0], [1], [1], [0]], [0, 0, 1, 1], sample_weight=np.full(4, 9e307))
