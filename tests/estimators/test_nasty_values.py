"""Whatever is passed for whatever parameter: it works, or one of our own errors says why not."""

import inspect
import pickle
import sys
import warnings
from copy import copy

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.data import parameters
from suffice.errors import (
    InvalidFeatures,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    SufficeError,
)
from suffice.selection.diagnostics.calibration import calibration

NASTY = {
    "None": None,
    "a word": "junk",
    "NaN": np.nan,
    "infinity": np.inf,
    "minus one": -1,
    "a fraction": 1.5,
    "a huge number": 10**30,
    "a number beyond floats": 10**400,
    "a number next to zero": 1e-320,
    "bytes": b"x",
    "an empty list": [],
    "ragged lists": [[1], [2, 3]],
    "an object": object(),
    "a class": int,
    "a date": np.datetime64("2020-01-01"),
    "a span of time": np.timedelta64(3, "D"),
    "a complex number": 1j,
    "a matrix": np.ones((2, 2)),
    "a dictionary": {},
}
R = np.random.default_rng(0)
NUMBERS = R.lognormal(size=(30, 3))
LEVELS = R.integers(0, 3, (30, 3))
TEXTS = np.concatenate([NUMBERS.astype(object), np.array([["x"], ["y"]] * 15, object)], axis=1)
Y = np.arange(30) % 2
ESTIMATORS = [
    (sf.GaussianDiscriminant(), NUMBERS),
    (sf.QDA(), NUMBERS),
    (sf.LDA(), NUMBERS),
    (sf.GaussianNB(), NUMBERS),
    (sf.DiagonalLDA(), NUMBERS),
    (sf.BayesianDiscriminant("full", 0.0, 1.0, 4.0), NUMBERS),
    (sf.UnskewedDiscriminant(), NUMBERS),
    (sf.BernoulliNB(), LEVELS),
    (sf.CategoricalNB(), LEVELS),
    (sf.MixedNB(), TEXTS),
    (sf.MixtureDiscriminant(random_state=0, max_iter=4), NUMBERS),
    (sf.GaussianMixture(2, random_state=0, max_iter=4), NUMBERS),
    (sf.Indicators(), TEXTS),
]
PARAMETERS = [
    pytest.param(model, X, name, id=f"{type(model).__name__}-{name}")
    for model, X in ESTIMATORS
    for name in model.get_params(deep=False)
]


def attempt(call):
    """Whether a call works; any error but ours goes on."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call()
        except SufficeError:
            return False
    return True


def answers(model, X):
    return (model.transform if isinstance(model, sf.Indicators) else model.predict_proba)(X)


def unchanged(model, before):
    """Whether a model holds the very same things as before."""
    return vars(model).keys() == before.keys() and all(
        value is before[name] for name, value in vars(model).items()
    )


@pytest.mark.parametrize(("model", "X", "name"), PARAMETERS)
def test_a_parameter_works_or_is_refused_in_a_sentence(model, X, name, capsys):
    assert attempt(lambda: model.fit(X, Y))
    for value in NASTY.values():
        if name == "callback" and callable(value):
            continue  # what it raises is the user's own affair
        other = copy(model)
        setattr(other, name, value)
        before = dict(vars(other))
        if attempt(lambda other=other: other.fit(X, Y)):
            found = answers(other, X)
            assert isinstance(model, sf.Indicators) or np.isfinite(found).all(), value
        else:
            assert unchanged(other, before), "a fit that fails changes nothing"


def fitted(kind, *rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(**options).fit(*rows)


LDA = fitted(sf.LDA, NUMBERS, Y)
MODELS = {
    "LDA": (LDA, NUMBERS),
    "CategoricalNB": (fitted(sf.CategoricalNB, LEVELS, Y), LEVELS),
    "MixedNB": (fitted(sf.MixedNB, TEXTS, Y), TEXTS),
    "MixtureDiscriminant": (
        fitted(sf.MixtureDiscriminant, NUMBERS, Y, random_state=0, max_iter=4),
        NUMBERS,
    ),
    "GaussianMixture": (
        fitted(sf.GaussianMixture, NUMBERS, n_components=2, random_state=0, max_iter=4),
        NUMBERS,
    ),
    "Indicators": (fitted(sf.Indicators, TEXTS), TEXTS),
}

# What a method is to be given beside what is passed to it here.
KNOWN = {
    "means": [[0.0, 0.0], [1.0, 1.0]],
    "covariances": np.eye(2),
    "weights": [0.5, 0.5],
    "probabilities": [[[0.5, 0.5], [0.1, 0.9]]],
}
WITH = {
    "from_parameters": KNOWN,
    **{name: {"b": 1} for name in ("log_odds", "log_likelihood_ratio", "contributions")},
    "boundary": {"b": 1},
    "ellipse": {"label": 1, "probability": 0.5},
    "impute_draws": {"random_state": 0},
    "explain": {"a": 0, "b": 1},
}
METHODS = [
    pytest.param(name, method, id=f"{name}.{method}")
    for name, (model, _) in MODELS.items()
    for method in dir(type(model))
    if not method.startswith(("_", "get_", "set_"))
    and method != "fit_transform"  # scikit-learn's
    and inspect.isroutine(getattr(model, method, None))
]


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_an_argument_works_or_is_refused_in_a_sentence(name, method, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parameters, "memory_bytes", lambda: 1 << 30)
    model, X = MODELS[name]
    signature = inspect.signature(getattr(model, method))
    usual = {"X": X, "y": Y, **WITH.get(method, {}), "path": tmp_path / "model", "n_draws": 2}
    given = {key: value for key, value in usual.items() if key in signature.parameters}
    for key in signature.parameters:
        for value in NASTY.values():
            other, arguments = copy(model), {**given, key: value}
            before = dict(vars(other))
            if not attempt(lambda one=other, own=arguments: getattr(one, method)(**own)):
                assert unchanged(other, before), "a call that fails changes nothing"


ROWS = {"X": NUMBERS, "y": Y}
FUNCTIONS = {
    "summarize": (sf.summarize, ROWS),
    "count_levels": (sf.count_levels, {"X": LEVELS, "y": Y}),
    "select_model": (sf.select_model, {**ROWS, "models": sf.LDA()}),
    "diagnose": (sf.diagnose, ROWS),
    "calibration": (calibration, {"y": Y, "probabilities": LDA.predict_proba(NUMBERS)}),
    "load": (sf.load, {"path": "model"}),
    "save": (sf.save, {"model": LDA, "path": "model"}),
    "model_card": (sf.model_card, {"model": LDA}),
    "to_onnx": (sf.to_onnx, {"model": LDA}),
    "select": (LDA.statistics_.select, {}),
    "drop_class": (LDA.statistics_.drop_class, {}),
    "coarsen": (LDA.statistics_.coarsen, {}),
    "save of statistics": (LDA.statistics_.save, {"path": "statistics"}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_argument_of_a_function_works_or_is_refused_in_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LDA.save("model")
    function, given = FUNCTIONS[name]
    for key in inspect.signature(function).parameters:
        for value in NASTY.values():
            if key != "models" or value is not None:  # which takes its time
                attempt(lambda key=key, value=value: function(**{**given, key: value}))


@pytest.mark.parametrize("key", ["cv", "groups", "sample_weight", "random_state", "progress"])
def test_an_argument_of_compare_works_or_is_refused_in_a_sentence(key):
    for value in NASTY.values():
        given = {**ROWS, "models": [sf.GaussianNB()], "cv": 2, key: value}
        attempt(lambda given=given: sf.compare(**given))


REFUSED = {
    "fit_prior": (sf.BernoulliNB(fit_prior="junk"), "fit_prior is 'junk'; it must be True or"),
    "alpha, a word": (sf.CategoricalNB(alpha="junk"), "alpha is 'junk'; it must be a number"),
    "alpha, NaN": (sf.CategoricalNB(alpha=np.nan), "alpha is nan; it must be finite"),
    "alpha, too short": (
        sf.CategoricalNB(alpha=[1.0, 1.0]),
        r"alpha has shape \(2,\)",
    ),
    "alpha, a date": (sf.BernoulliNB(alpha=np.datetime64("2020")), "alpha is .*must be a number"),
    "min_categories": (sf.CategoricalNB(min_categories=10**9), "at most 1,048,576 levels"),
    "n_init": (
        sf.MixtureDiscriminant(n_init=10**30),
        "n_init is 10+; it must be at most",
    ),
    "max_iter": (sf.GaussianMixture(max_iter=10**30), "max_iter is 10+; it must be at most"),
    "n_components": (sf.GaussianMixture(10**30), "n_components is 10+"),
    "verbose": (sf.GaussianMixture(verbose="junk"), "verbose is 'junk'"),
    "callback": (sf.GaussianMixture(callback="junk"), "callback is 'junk'; it must be a function"),
    "unlabelled": (sf.MixtureDiscriminant(unlabelled=[1]), r"unlabelled is \[1\]; it must be one"),
    "ddof": (sf.LDA(ddof=np.timedelta64(1, "D")), "ddof is .*must be a number"),
    "prior_covariance, tiny": (
        sf.BayesianDiscriminant(prior_covariance=1e-320),
        "prior_covariance holds the variance 1e-320",
    ),
    "prior_covariance, a skew matrix": (
        sf.BayesianDiscriminant(prior_covariance=np.eye(3) + np.eye(3, k=1) / 2),
        "symmetric",
    ),
    "prior_covariance, not definite": (
        sf.BayesianDiscriminant(prior_covariance=np.ones((3, 3))),
        "positive definite",
    ),
    "prior_covariance, another shape": (
        sf.BayesianDiscriminant(prior_covariance=np.ones((2, 3))),
        r"prior_covariance has shape \(2, 3\)",
    ),
    "prior_covariance, infinite": (sf.BayesianDiscriminant(prior_covariance=np.inf), "finite"),
    "prior_mean, too large": (sf.BayesianDiscriminant(prior_mean=1e300), "its squares overflow"),
    "covariance_strength": (sf.BayesianDiscriminant(covariance_strength=0), "a positive number of"),
    "mean_strength": (sf.BayesianDiscriminant(mean_strength=1e300), "from 1e-100 to 1e"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_at_fit(case):
    model, sentence = REFUSED[case]
    discrete = isinstance(model, sf.BernoulliNB | sf.CategoricalNB)
    with pytest.raises(InvalidParameter, match=sentence):
        model.fit(LEVELS if discrete else NUMBERS, Y)


def test_a_model_is_not_selected_without_labels():
    with pytest.raises(InvalidLabels, match="y is missing"):
        sf.select_model(NUMBERS, None)


@pytest.mark.parametrize("row", [1.5, True, None, "junk", np.nan, 30, -31, 10**30])
def test_a_row_to_explain_is_the_number_of_one(row):
    with pytest.raises(InvalidParameter, match="row"):
        LDA.explain(NUMBERS, row)


def test_rows_to_explain_are_counted_from_either_end():
    assert LDA.explain(NUMBERS, -1) == LDA.explain(NUMBERS, 29) == LDA.explain(NUMBERS[-1:], 0)
    assert LDA.explain(NUMBERS, np.int32(3)) == LDA.explain(NUMBERS, 3)


@pytest.mark.parametrize("call", ["sample", "impute_draws"])
@pytest.mark.parametrize("n", [10**12, 2**62, 10**30, sys.maxsize])
def test_what_does_not_fit_into_memory_is_refused_before_it_is_asked_for(call, n):
    given = (NUMBERS, n) if call == "impute_draws" else (n,)
    with pytest.raises(InvalidParameter, match=r"this machine has|at most"):
        getattr(LDA, call)(*given)
    if call == "sample":
        with pytest.raises(InvalidParameter, match=r"this machine has|at most"):
            MODELS["GaussianMixture"][0].sample(n)


@pytest.mark.parametrize(
    "weights",
    [
        np.full(30, np.datetime64("2020-01-01")),
        np.full(30, np.timedelta64(1, "D")),
        np.full(30, np.timedelta64(1, "D"), object),
    ],
    ids=["dates", "spans of time", "objects"],
)
@pytest.mark.parametrize(("model", "X"), ESTIMATORS[:-1], ids=lambda one: type(one).__name__)
def test_dates_and_spans_of_time_are_not_weights(model, X, weights):
    with pytest.raises(InvalidWeights, match="sample_weight must hold numbers"):
        clone(model).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("kind", [list, tuple, lambda labels: np.array(labels, object)])
def test_labels_that_numpy_would_cut_are_refused(kind):
    labels = kind(["a", "a\0"] * 15)
    for model in (sf.LDA(), sf.MixtureDiscriminant(1)):
        with pytest.raises(InvalidLabels, match=r"y holds 'a\\x00'.*rstrip"):
            model.fit(NUMBERS, labels)
    with pytest.raises(InvalidLabels, match=r"y holds 'a\\x00'"):
        sf.summarize(NUMBERS, kind([b"a", b"a\0"] * 15))


def test_levels_that_numpy_would_cut_are_refused():
    rows = [["a", "x"], ["a\0", "y"]] * 15
    # The levels of a table are stripped, like spaces around them.
    assert [own.tolist() for own in sf.MixedNB().fit(rows, Y).levels_] == [["a"], ["x", "y"]]
    for model in (sf.CategoricalNB(), sf.Indicators()):
        with pytest.raises(InvalidFeatures, match=r"column 0 holds 'a\\x00'.*rstrip"):
            model.fit(rows, Y)
    with pytest.raises(InvalidParameter, match=r"levels of feature 1 holds 'x\\x00'"):
        sf.CategoricalNB(levels=[None, ["x", "x\0"]]).fit([["a", "x"]] * 30, Y)


def test_a_label_that_numpy_would_cut_is_none_of_the_classes():
    model = sf.LDA().fit(NUMBERS, np.where(Y, "a", "b"))
    for call in (
        lambda: model.log_odds(NUMBERS, "a\0", "b"),
        lambda: model.log_likelihood(NUMBERS, ["a\0"] * 30),
        lambda: model.with_priors({"a\0": 0.5, "b": 0.5}),
    ):
        with pytest.raises(InvalidParameter, match=r"a\\x00"):
            call()


PRIORS = np.array([0.3, 0.7])
ALPHA = np.array([0.5, 1.0, 2.0])
OWN = {
    "priors": (sf.LDA(priors=PRIORS), NUMBERS, PRIORS),
    "class_prior": (sf.CategoricalNB(class_prior=PRIORS), LEVELS, PRIORS),
    "alpha": (sf.CategoricalNB(alpha=ALPHA), LEVELS, ALPHA),
    "binary alpha": (sf.BernoulliNB(alpha=ALPHA), LEVELS, ALPHA),
    "min_categories": (
        sf.CategoricalNB(min_categories=(least := np.array([4, 4, 4]))),
        LEVELS,
        least,
    ),
    "prior_mean": (sf.BayesianDiscriminant(prior_mean=(mean := np.ones(3))), NUMBERS, mean),
    "prior_covariance": (
        sf.BayesianDiscriminant(prior_covariance=(spread := np.eye(3))),
        NUMBERS,
        spread,
    ),
    "mixed alpha": (
        sf.MixedNB(alpha=(alone := np.array([0.5]))),
        TEXTS,
        alone,
    ),
    "mixture priors": (sf.MixtureDiscriminant(1, priors=PRIORS), NUMBERS, PRIORS),
}


@pytest.mark.parametrize(
    ("case", "method"),
    [(c, m) for c in OWN for m in ("fit", "partial_fit") if hasattr(OWN[c][0], m)],
)
def test_changing_an_array_after_fit_changes_nothing(case, method, tmp_path):
    model, X, array = OWN[case]
    vary = getattr(model, method)(X, Y)
    twin = pickle.loads(pickle.dumps(vary))
    before = array.copy()
    try:
        array[...] = array[::-1] + (1 if array.dtype.kind == "i" else 0.0)
        if array.ndim == 2 or np.array_equal(array, before):
            array *= 3
        assert np.array_equal(vary.predict_proba(X), twin.predict_proba(X))
        assert np.array_equal(vary.priors_, twin.priors_)
        if hasattr(vary, "alpha_"):
            assert np.array_equal(vary.alpha_, twin.alpha_)
        drawn = [one.sample(20, random_state=0) for one in (vary, twin)]
        assert all(np.array_equal(a, b) for a, b in zip(*drawn, strict=True))
    finally:
        array[...] = before
    vary.save(tmp_path / "model")
    assert np.array_equal(sf.load(tmp_path / "model").predict_proba(X), twin.predict_proba(X))
