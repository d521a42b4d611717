"""Messages: values in errors are written as a user would write them, never as NumPy does."""

from __future__ import annotations

import inspect
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

import suffice as sf
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.estimators.indicators import Indicators
from suffice.text import shown

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
X = np.abs(RNG.normal(size=(60, 3)) + Y[:, None]) + 0.1
LEVELS = RNG.integers(0, 3, (60, 3))

CLASSIFIERS = {
    model.__name__: (model, LEVELS if model in (sf.CategoricalNB, sf.BernoulliNB) else X)
    for model in (
        sf.QDA,
        sf.LDA,
        sf.GaussianDiscriminant,
        sf.GaussianNB,
        sf.DiagonalLDA,
        sf.BernoulliNB,
        sf.CategoricalNB,
        sf.MixedNB,
        sf.BayesianDiscriminant,
        sf.UnskewedDiscriminant,
        sf.MixtureDiscriminant,
    )
}

VALUES = (
    np.int64(-7),
    np.float64(-0.5),
    np.float64(np.nan),
    np.str_("junk"),
    np.bool_(True),
    [np.int64(-3), np.float64(0.25)],
    (np.str_("x"), np.str_("y")),
    {np.int64(9): np.float64(2.0)},
    {np.str_("z"): np.int64(1)},
    np.array([-1.0, 2.0]),
    np.array([np.int64(3), np.str_("x")], object),
)

CALLS = {
    "class of odds": lambda m, Z: m.log_odds(Z, np.int64(99), np.int64(0)),
    "same class twice": lambda m, Z: m.log_odds(Z, np.int64(1), np.int64(1)),
    "class of ratio": lambda m, Z: m.log_likelihood_ratio(Z, np.str_("a"), np.int64(0)),
    "class of boundary": lambda m, Z: m.boundary(np.int64(99), np.int64(0)),
    "feature of boundary": lambda m, Z: m.boundary(0, 1).section([np.int64(9), 0]),
    "class of contributions": lambda m, Z: m.contributions(Z, np.int64(99), np.int64(0)),
    "row of explain": lambda m, Z: m.explain(Z, row=np.int64(999)),
    "class of explain": lambda m, Z: m.explain(Z, a=np.int64(99), b=np.int64(0)),
    "costs": lambda m, Z: m.decide(Z, np.array([[np.float64(-1.0), 1.0]])),
    "class of ellipse": lambda m, Z: m.ellipse(np.int64(99)),
    "reject": lambda m, Z: m.decide(Z, 1 - np.eye(3), reject=np.float64(-1.0)),
    "samples": lambda m, Z: m.sample(np.int64(-3)),
    "class of samples": lambda m, Z: m.sample(3, y=np.int64(99)),
    "classes of samples": lambda m, Z: m.sample(3, y=np.array([0, 1, 99])),
    "seed": lambda m, Z: m.sample(3, random_state=np.float64(0.5)),
    "given feature": lambda m, Z: m.sample(3, given={np.int64(9): np.float64(1.0)}),
    "given value": lambda m, Z: m.sample(3, given={0: np.array([1.0, 2.0])}),
    "given row": lambda m, Z: m.sample(3, given=[np.float64(1.0)]),
    "given level": lambda m, Z: m.sample(3, given={0: np.int64(50)}),
    "draws": lambda m, Z: m.impute_draws(Z, np.int64(0)),
    "quantile": lambda m, Z: m.outlier_threshold(np.float64(2.0)),
    "deviations": lambda m, Z: m.ellipse(0, deviations=np.float64(-2.0)),
    "probability": lambda m, Z: m.ellipse(np.int64(0), probability=np.float64(2.0)),
    "priors of other classes": lambda m, Z: m.with_priors({np.int64(99): np.float64(1.0)}),
    "priors without a class": lambda m, Z: m.with_priors({np.int64(0): np.float64(1.0)}),
    "negative priors": lambda m, Z: m.with_priors([np.float64(-1.0), 1.0, 1.0]),
    "too few priors": lambda m, Z: m.with_priors([np.float64(0.5), np.float64(0.5)]),
    "priors": lambda m, Z: m.with_priors(np.str_("junk")),
    "announced classes": lambda m, Z: m.partial_fit(Z, Y, classes=np.array([0, 1])),
    "labels of another kind": lambda m, Z: m.partial_fit(Z, Y.astype(str)),
    "labels that are numbers": lambda m, Z: clone(m).fit(Z, Y + 0.25),
    "labels that are lists": lambda m, Z: clone(m).fit(Z, [[np.int64(1)]] * 59 + [None]),
    "labels of two kinds": lambda m, Z: clone(m).fit(Z, [np.int64(1), np.str_("a")] * 30),
    "negative weight": lambda m, Z: clone(m).fit(Z, Y, sample_weight=np.full(60, -1.0)),
    "weight that is no number": lambda m, Z: clone(m).fit(Z, Y, sample_weight=Y / 0.0),
    "rows never seen": lambda m, Z: m.forget(Z[:2], np.array([0, 99])),
    "more rows than there are": lambda m, Z: m.forget(np.concatenate([Z, Z]), np.tile(Y, 2)),
    "left out": lambda m, Z: m.leave_one_out(Z, Y + 1),
    "other rows left out": lambda m, Z: m.leave_one_out(Z[1:], Y[1:]),
    "features selected": lambda m, Z: m.statistics_.select([np.int64(99)]),
    "class dropped": lambda m, Z: m.statistics_.drop_class(np.int64(99)),
    "detail": lambda m, Z: m.statistics_.coarsen(np.str_("junk")),
    "objects": lambda m, Z: m.predict(np.array([[np.str_("x"), np.int64(1), 1.0]], object)),
    "infinity": lambda m, Z: m.predict(np.where(Z[3, 1] == Z, np.inf, Z)),
    "negative levels": lambda m, Z: m.predict(-1 - Z.astype(int)),
    "fewer features": lambda m, Z: m.predict(Z[:, :1]),
    "explanation": lambda m, Z: m.explain(Z),
    "picture": lambda m, Z: repr(m.boundary(0, 1)),
    "left out in words": lambda m, Z: repr(m.leave_one_out(Z, Y)),
}


def text_of(call):
    """What a call says: its error, its warnings, and its text if it answers with one."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = call()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    answer = found if isinstance(found, str) else ""
    return "\n".join([answer, *(str(warning.message) for warning in told)])


def assert_plain(text):
    assert not re.search(r"\bnp\.|\bnumpy\.", text), text


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_parameters_out_of_range_are_written_without_their_numpy_type(name):
    new, Z = CLASSIFIERS[name]
    spoken = 0
    for parameter in inspect.signature(new).parameters:
        for value in VALUES:
            text = text_of(lambda p=parameter, v=value: new(**{p: v}).fit(Z, Y))
            assert_plain(text)
            spoken += bool(text.strip())
    assert spoken > 5


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("names", [False, True])
def test_what_is_wrong_with_a_call_is_written_without_numpy_types(name, names):
    new, Z = CLASSIFIERS[name]
    if names:
        Z = pd.DataFrame(Z, columns=np.array(["one", "two", "three"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = new().fit(Z, Y)
    rows = Z if not names else Z.to_numpy()
    spoken = 0
    for call in CALLS.values():
        # A copy, since some calls change the model.
        text = text_of(lambda call=call: call(pickle.loads(pickle.dumps(model)), rows))
        assert_plain(text)
        spoken += bool(text.strip())
    assert spoken > len(CALLS) / 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: sf.summarize(X, Y, detail=np.str_("junk")),
        lambda: sf.summarize(X, Y, sample_weight=np.full(60, -1.0)),
        lambda: sf.summarize(X, Y) - sf.summarize(X[:3], Y[:3] + 7),
        lambda: sf.summarize(X, Y) + sf.summarize(X, Y.astype(str)),
        lambda: sf.count_levels(LEVELS, Y) + sf.count_levels(LEVELS.astype(str), Y),
        lambda: sf.count_levels(-LEVELS, Y),
        lambda: sf.count_levels(LEVELS, Y) - sf.count_levels(LEVELS + 5, Y),
        lambda: sf.count_levels(np.array([[np.int64(1)], [np.str_("a")]], object), [0, 1]),
        lambda: sf.select_model(X, Y, metric=np.str_("junk")),
        lambda: sf.select_model(X, Y, cv=np.int64(1)),
        lambda: sf.select_model(X, Y, cv=np.float64(1.5)),
        lambda: sf.compare(X, Y, models=[np.int64(3)]),
        lambda: sf.compare(X, Y, random_state=np.float64(1.5)),
        lambda: sf.GaussianMixture(np.int64(-2)).fit(X),
        lambda: sf.GaussianMixture(np.float64(1.5)).fit(X),
        lambda: sf.GaussianMixture(2, random_state=np.str_("x")).fit(X),
        lambda: sf.MixtureDiscriminant({np.int64(0): np.int64(-1)}).fit(X, Y),
        lambda: sf.MixtureDiscriminant({0: 2, 1: np.int64(400), 2: 1}).fit(X, Y),
    ],
)
def test_functions_write_values_without_their_numpy_type(call):
    text = text_of(call)
    assert text.strip()
    assert_plain(text)


@pytest.mark.parametrize("method", ["fit", "partial_fit", "predict", "update"])
@pytest.mark.parametrize("categorical", [None, [0]])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (scipy.sparse.csr_matrix, r"sparse matrix; .* X\.toarray\(\)"),
        (scipy.sparse.csr_array, r"sparse matrix; .* X\.toarray\(\)"),
        (lambda table: table[:, 0], r"Expected 2D array, got 1D array .* X\.reshape\(-1, 1\)"),
        (lambda table: table[:, 0].tolist(), "Expected 2D array, got 1D array"),
        (lambda table: table[None], "Expected 2D array, got 3D array"),
    ],
)
def test_mixed_features_say_what_is_not_a_table(method, categorical, make, message):
    table = np.column_stack([LEVELS[:, 0], X[:, 0]]).astype(float)
    model = sf.MixedNB(categorical=categorical)
    if method in ("predict", "update"):
        model.fit(table, Y)
    call = {
        "fit": lambda bad: model.fit(bad, Y),
        "partial_fit": lambda bad: model.partial_fit(bad, Y),
        "update": lambda bad: model.partial_fit(bad, Y),
        "predict": model.predict,
    }[method]
    with pytest.raises(InvalidFeatures, match=message):
        call(make(table))


def test_indicators_say_what_is_not_a_table():
    table = np.column_stack([LEVELS[:, 0], X[:, 0]]).astype(float)
    for bad, message in ((scipy.sparse.csr_matrix(table), "toarray"), (table[:, 0], "got 1D")):
        with pytest.raises(InvalidFeatures, match=message):
            Indicators(categorical=[0]).fit(bad)
        with pytest.raises(InvalidFeatures, match=message):
            Indicators(categorical=[0]).fit(table).transform(bad)


def test_columns_that_are_not_there_are_named_plainly():
    with pytest.raises(InvalidParameter, match="categorical= names column 7, which the table"):
        sf.MixedNB(categorical=[np.int64(7)]).fit(X, Y)


def test_values_are_shown_as_they_are_written_and_no_longer_than_a_message_bears():
    assert shown(np.float64(0.1)) == "0.1"
    assert shown(np.str_("a\x1b[2Jb")) == repr("a\x1b[2Jb")
    assert shown({np.int64(1): [np.bool_(True), None]}) == "{1: [True, None]}"
    assert shown(np.array([[1, 2]])) == "[[1, 2]]"
    assert 290 < len(shown("x" * 10_000)) <= 300
    assert len(shown(np.zeros(100_000))) <= 300


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"shrinkage": "autoo"},
            "shrinkage is 'autoo'; it must be a number from 0 to 1 or one of ledoit-wolf, oas, "
            "auto. Did you mean 'auto'?",
        ),
        (
            {"structure": "ful"},
            "structure is 'ful'; it must be one of full, diagonal, spherical. Did you mean 'full'?",
        ),
        ({"target": "xyz"}, "target is 'xyz'; it must be one of identity, diagonal, unit."),
    ],
)
def test_an_unknown_word_is_answered_with_the_most_similar_one(parameters, sentence):
    with pytest.raises(InvalidParameter) as raised:
        sf.GaussianDiscriminant(**parameters).fit(X, Y)
    assert str(raised.value) == sentence


def test_labels_in_one_column_are_taken_with_a_warning_at_the_users_line():
    with pytest.warns(DataConversionWarning, match="column-vector y was passed") as caught:
        model = sf.LDA().fit(X, Y[:, None])
    assert [one.filename for one in caught] == [__file__]
    np.testing.assert_array_equal(model.predict(X), sf.LDA().fit(X, Y).predict(X))
