"""Bad input: a typed error that says what to try, and a fitted model left as it was."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    Mismatch,
    NeverIncluded,
    NotFinite,
    NotNumbers,
    SufficeError,
)

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
FAMILY = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1),
    sf.LDA(shrinkage="auto"),
]
each = pytest.mark.parametrize("model", FAMILY, ids=repr)
# For what happens before any model is built.
two = pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianNB()], ids=repr)


def altered(value, row=3, column=2):
    rows = X.copy()
    rows[row, column] = value
    return rows


class Unchanged:
    """A context in which one error is raised and the model stays as it was."""

    def __init__(self, model, error, match=""):
        self.model, self.error, self.match = model, error, match

    def __enter__(self):
        self.before = self.state()

    def __exit__(self, kind, error, trace):
        assert error is not None, f"no error; {self.error.__name__} was expected"
        if not isinstance(error, self.error):
            return False
        assert re.search(self.match, str(error)), str(error)
        assert self.state() == self.before
        return True

    def state(self):
        model = self.model
        names = {name for name in vars(model) if name.endswith("_")}
        if not hasattr(model, "statistics_"):
            return sorted(names)
        answers = model._fitted.joint(X[:, : model.n_features_in_])
        return (
            sorted(names),
            model.statistics_.digest(),
            model.classes_.tolist(),
            model.n_features_in_,
            getattr(model, "feature_names_in_", np.empty(0)).tolist(),
            answers.tobytes(),
        )


@each
@pytest.mark.parametrize(
    "method",
    [
        "predict",
        "predict_proba",
        "predict_log_proba",
        "predict_joint_log_proba",
        "decision_function",
        "score_samples",
        "squared_mahalanobis",
    ],
)
def test_answers_before_fit_say_so(model, method):
    with pytest.raises(NotFittedError, match="fit"):
        getattr(clone(model), method)(X)


@each
def test_updates_before_fit_say_so(model):
    fitted = clone(model).fit(X, Y)
    for call in (
        lambda m: m.merge(fitted),
        lambda m: m.forget(X, Y),
        lambda m: m.with_priors("uniform"),
        lambda m: m.covariance_,
        lambda m: m.priors_,
        lambda m: m.means_,
    ):
        with pytest.raises(NotFittedError, match="fit"):
            call(clone(model))
    with Unchanged(fitted, NotFittedError):
        fitted.merge(clone(model))


BAD_PRIORS = [
    ([0.5, 0.6, -0.1], "non-negative.*class"),
    ({0: 0.5, 1: 0.2, 2: 0.2}, "sum.*1"),
    ([0.5, 0.5], "match number of classes"),
    ([0.5, 0.5, np.nan], "class"),
    ([np.inf, 0, 0], "class"),
    ({0: 0.5, 1: 0.25, 7: 0.25}, "7.*classes are"),
    ({0: 0.5, 1: 0.5}, "no entry for class 2"),
    ({0: 1.5, 1: -0.25, 2: -0.25}, "non-negative"),
    ("equal", "uniform"),
    (["a", "b", "c"], "numbers"),
    ([[0.2, 0.3, 0.5]], "match number of classes"),
    (1.0, "match number of classes"),
]


@each
@pytest.mark.parametrize(("priors", "match"), BAD_PRIORS, ids=str)
def test_impossible_priors_are_refused_everywhere(model, priors, match):
    fresh = clone(model).set_params(priors=priors)
    with Unchanged(fresh, InvalidParameter, match):
        fresh.fit(X, Y)
    fitted = clone(model).fit(X, Y)
    with Unchanged(fitted, InvalidParameter, match):
        fitted.with_priors(priors)
    fitted.set_params(priors=priors)
    with Unchanged(fitted, InvalidParameter, match):
        fitted.partial_fit(X[:5], Y[:5])


BAD_PARAMETERS = [
    (sf.GaussianDiscriminant(), "pooling", [-0.1, 1.1, np.nan, "half", None, True, [0.5]]),
    (sf.GaussianDiscriminant(), "shrinkage", [-0.1, 1.5, np.inf, "much", True, [0.5]]),
    (sf.GaussianDiscriminant(), "structure", ["round", None, 3]),
    (sf.GaussianDiscriminant(), "target", ["zero", None, 3]),
    (sf.GaussianDiscriminant(), "ddof", [-1, np.nan, np.inf, "one", None]),
    (sf.LDA(), "shrinkage", [-0.1, 1.5, "much"]),
    (sf.LDA(), "n_components", [0, -1, 1.5, "two"]),
    (sf.LDA(), "ddof", [-1]),
    (sf.QDA(), "shrinkage", [-0.1, 1.5, "much"]),
    (sf.QDA(), "reg_param", [-0.1, 1.5, np.nan, "auto", "oas", "much"]),
    (sf.QDA(), "target", ["zero"]),
    (sf.GaussianNB(), "var_smoothing", [-1e-9, np.nan, np.inf, "little", None]),
    (sf.DiagonalLDA(), "shrinkage", [-0.1, 1.5, "much"]),
]


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [(model, name, value) for model, name, values in BAD_PARAMETERS for value in values],
    ids=repr,
)
def test_parameters_out_of_range_are_named_and_change_nothing(model, name, value):
    fresh = clone(model).set_params(**{name: value})
    with Unchanged(fresh, InvalidParameter, name):
        fresh.fit(X, Y)
    fitted = clone(model).fit(X, Y).set_params(**{name: value})
    for update in (
        lambda m: m.partial_fit(X[:9], Y[:9]),
        lambda m: m.forget(X[:9], Y[:9]),
        lambda m: m.merge(clone(model).fit(X, Y)),
        lambda m: m.fit_statistics(sf.summarize(X, Y)),
        lambda m: m.fit(X[:100], Y[:100]),
    ):
        with Unchanged(fitted, InvalidParameter, name):
            update(fitted)


BAD_ROWS = {
    "infinity": (altered(np.inf), NotFinite, r"infinity.*row 3, column 2.*Drop"),
    "minus infinity": (altered(-np.inf), NotFinite, r"infinity.*row 3, column 2.*Drop"),
    "infinity after a gap": (
        np.where(np.arange(150)[:, None] == 1, np.nan, altered(np.inf)),
        NotFinite,
        r"infinity.*row 3, column 2.*Drop",
    ),
    "huge": (altered(1e200), NotFinite, "large"),
    "fewer features": (X[:, :3], InvalidInput, "features"),
    "more features": (np.c_[X, X], InvalidInput, "features"),
    "one dimension": (X[0], InvalidFeatures, "2D"),
    "three dimensions": (X[None], InvalidFeatures, "2D"),
    "no rows": (X[:0], InvalidFeatures, "0 sample"),
    "no features": (X[:, :0], InvalidInput, "feature"),
    "complex": (X + 1j, InvalidFeatures, "[Cc]omplex"),
    "text": (np.where(X > 3, "tall", "short"), NotNumbers, "numbers"),
    "sparse": (sparse.csr_array(X), InvalidFeatures, "[Ss]parse"),
    "nothing": (None, InvalidFeatures, ""),
    "a name": ("rows", InvalidFeatures, ""),
}


@two
@pytest.mark.parametrize("what", BAD_ROWS)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "forget"])
def test_bad_rows_are_a_typed_error_and_change_nothing(model, what, method):
    rows, error, match = BAD_ROWS[what]
    if method == "fit" and what in ("fewer features", "more features", "text"):
        return
    fitted = clone(model).fit(X, Y)
    with Unchanged(fitted, error, match):
        getattr(fitted, method)(rows, Y)


@two
@pytest.mark.parametrize("what", [what for what in BAD_ROWS if what != "huge"])
def test_asking_about_bad_rows_is_a_typed_error(model, what):
    rows, error, _ = BAD_ROWS[what]
    fitted = clone(model).fit(X, Y)
    for method in ("predict", "predict_log_proba", "predict_joint_log_proba", "decision_function"):
        with Unchanged(fitted, InvalidInput if what in ("nothing", "a name") else error):
            getattr(fitted, method)(rows)


@two
@pytest.mark.parametrize(
    ("labels", "error", "match"),
    [
        (Y[:-1], InvalidInput, "150|149"),
        (None, InvalidLabels, "y"),
        (np.where(Y == 0, np.nan, 1.0), InvalidLabels, "missing"),
        (Y + 0.5, InvalidLabels, "classes"),
        (np.c_[Y, Y], InvalidInput, "1d|one label"),
        ([None] * 150, InvalidLabels, "missing"),
        (np.where(Y == 0, "a", "b"), InvalidInput, "strings"),
    ],
    ids=["too few", "none", "missing", "continuous", "two columns", "all missing", "other kind"],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "forget"])
def test_bad_labels_change_nothing(model, labels, error, match, method):
    if method == "fit" and match == "strings":
        return
    fitted = clone(model).fit(X, Y)
    with Unchanged(fitted, error, match):
        getattr(fitted, method)(X, labels)


@each
@pytest.mark.parametrize(
    "weights",
    [-np.ones(150), np.ones(149), np.zeros(150), np.full(150, np.nan), ["a"] * 150],
    ids=["negative", "too few", "zero", "NaN", "text"],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "forget"])
def test_bad_weights_change_nothing(model, weights, method):
    fitted = clone(model).fit(X, Y)
    with Unchanged(fitted, InvalidWeights, "sample_weight"):
        getattr(fitted, method)(X, Y, sample_weight=weights)


@two
@pytest.mark.parametrize(
    "frame",
    [
        FRAME.rename(columns={"d": "other"}),
        FRAME[["b", "a", "c", "d"]],
        FRAME[["a", "b", "c"]],
        FRAME.assign(e=1.0),
    ],
    ids=["renamed", "reordered", "missing", "more"],
)
@pytest.mark.parametrize("method", ["predict", "predict_log_proba", "partial_fit", "forget"])
def test_other_features_than_at_fit_are_a_typed_error_that_names_them(model, frame, method):
    fitted = clone(model).fit(FRAME, Y)
    labels = (Y,) if method in ("partial_fit", "forget") else ()
    with Unchanged(fitted, InvalidInput, r"feature|order"):
        getattr(fitted, method)(frame, *labels)


@each
def test_the_message_names_the_features_that_are_new_and_those_that_are_missing(model):
    fitted = clone(model).fit(FRAME, Y)
    with Unchanged(fitted, ValueError, r"(?s)other.*d"):
        fitted.predict(FRAME.rename(columns={"d": "other"}))


@each
def test_forgetting_what_was_never_seen_is_refused(model):
    fitted = clone(model).fit(X, Y)
    more = np.concatenate([X, X]), np.concatenate([Y, Y])
    with Unchanged(fitted, NeverIncluded, "7.*none were ever added"):
        fitted.forget(X[:3], [0, 0, 7])
    with Unchanged(fitted, NeverIncluded, "50 rows; 100 cannot be removed"):
        fitted.forget(*more)
    with Unchanged(fitted, NeverIncluded, "impossible variance|further"):
        fitted.forget(X[:3] + 100, Y[:3])
    with Unchanged(fitted, NeverIncluded, "weight"):
        fitted.forget(X[:3], Y[:3], sample_weight=[100, 1, 1])
    with Unchanged(fitted, NeverIncluded, "start again with fit"):
        fitted.forget(X, Y)


@each
def test_merging_with_something_else_is_refused(model):
    fitted = clone(model).fit(FRAME, Y)
    others = [
        (clone(model).fit(X[:, :3], Y), Mismatch, "features"),
        (clone(model).fit(X, Y), Mismatch, "names"),
        (clone(model).fit(FRAME.rename(columns={"d": "e"}), Y), Mismatch, "'d'.*'e'"),
        (clone(model).fit(FRAME, Y.astype(str)), Mismatch, "strings"),
        (fitted.statistics_, InvalidParameter, "fitted classifier"),
        (None, InvalidParameter, "fitted classifier"),
    ]
    for other, error, match in others:
        with Unchanged(fitted, error, match):
            fitted.merge(other)


@each
def test_fitting_statistics_takes_statistics_that_suffice(model):
    fitted = clone(model).fit(X, Y)
    for wrong in (None, X, "file", fitted):
        with Unchanged(fitted, InvalidParameter, "summarize"):
            fitted.fit_statistics(wrong)
    coarse = sf.summarize(X, Y, detail="diagonal")
    if fitted.statistics_.detail != "diagonal":
        with Unchanged(fitted, InvalidParameter, "detail"):
            fitted.fit_statistics(coarse)


@each
def test_statistics_of_no_rows_are_refused(model):
    fitted = clone(model).fit(X, Y)
    statistics = sf.summarize(X, Y)
    with Unchanged(fitted, SufficeError):
        fitted.fit_statistics(statistics - statistics)


@each
def test_a_class_that_was_not_announced_is_refused_when_some_were(model):
    fitted = clone(model).fit(X, Y)
    with Unchanged(fitted, InvalidLabels, "classes"):
        fitted.partial_fit(X, Y, classes=[0, 1])
    fresh = clone(model)
    with Unchanged(fresh, InvalidLabels, "classes"):
        fresh.partial_fit(X, Y, classes=[0, 1])


def test_statistics_without_classes_apart_cannot_serve_qda():
    shared = sf.GaussianDiscriminant(pooling=1.0).fit(X, Y)
    shared.set_params(pooling=0.0)
    with Unchanged(shared, InvalidParameter, "separate"):
        shared.partial_fit(X, Y)


def test_shrinkage_and_reg_param_together_are_refused():
    with pytest.raises(InvalidParameter, match="not both"):
        sf.QDA(shrinkage=0.1, reg_param=0.1).fit(X, Y)


def test_too_many_components_are_refused_with_the_most_there_can_be():
    with pytest.raises(InvalidParameter, match="= 2"):
        sf.LDA(n_components=3).fit(X, Y).transform(X)


def test_lda_merges_with_lda_built_from_richer_statistics():
    whole = sf.LDA().fit(X, Y)
    ours, theirs = sf.LDA().fit(X[::2], Y[::2]), sf.summarize(X[1::2], Y[1::2])
    for other in (sf.LDA().fit_statistics(theirs), sf.QDA().fit_statistics(theirs)):
        merged = clone(ours).fit(X[::2], Y[::2]).merge(other)
        np.testing.assert_allclose(
            merged.predict_log_proba(X), whole.predict_log_proba(X), atol=1e-10
        )


@each
def test_a_row_too_far_to_square_gets_an_answer_or_an_error_but_no_nan(model):
    fitted = clone(model).fit(X, Y)
    far = np.full((1, 4), 1e160)
    try:
        answers = fitted.predict_log_proba(far), fitted.predict_proba(far)
    except SufficeError:
        return
    assert not np.isnan(answers).any()


@each
def test_a_prior_of_zero_rules_a_class_out_and_leaves_no_nan(model):
    fitted = clone(model).set_params(priors=[0, 0.5, 0.5]).fit(X, Y)
    assert (fitted.predict_proba(X)[:, 0] == 0).all()
    joint = fitted.predict_joint_log_proba(X)
    assert (joint[:, 0] == -np.inf).all()
    assert np.isfinite(joint[:, 1:]).all()
    assert np.isfinite(fitted.score_samples(X)).all()
    assert set(fitted.predict(X)) <= {1, 2}


CLASSIFIERS = [
    sf.LDA,
    sf.QDA,
    sf.GaussianNB,
    sf.DiagonalLDA,
    sf.GaussianDiscriminant,
    sf.UnskewedDiscriminant,
    sf.BayesianDiscriminant,
    sf.MixtureDiscriminant,
    sf.BernoulliNB,
    sf.CategoricalNB,
    sf.MixedNB,
    sf.PooledDiscriminant,
    sf.AutoDiscriminant,
]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_class_weight_is_refused_with_what_it_is_called_here(kind):
    sentence = f"{kind.__name__} takes no class_weight.*'balanced' is priors='uniform'"
    with pytest.raises(InvalidParameter, match=sentence):
        kind(class_weight="balanced")
    with pytest.raises(InvalidParameter, match=sentence):
        kind().set_params(class_weight={"a": 2})
    with pytest.raises(TypeError, match="weights"):
        kind(weights="balanced")
    assert "class_weight" not in kind().get_params()
