"""Model files: what is loaded is what was saved, to the last bit, or an error that says why not."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from forged import below, parts_of, with_field, with_parts, without
from suffice.errors import (
    InvalidFile,
    InvalidParameter,
    MissingFile,
    RepairedModel,
    SufficeError,
    UnreadableFile,
)
from suffice.estimators.automatic.candidates import named_classifiers
from suffice.estimators.card import model_card
from suffice.estimators.files import file_of
from suffice.statistics.storage import container

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 4)) * [1, 5, 0.1, 30] + np.arange(90)[:, None] % 3
Y = np.array(["ant", "bee", "cät"])[np.arange(90) % 3]
GAPS = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
CODES = RNG.integers(0, 4, (90, 3)) + (np.arange(90)[:, None] % 3 == 2)
FLAT = np.column_stack([X, X[:, 0] - X[:, 1]])
WIDE = RNG.normal(size=(12, 600)) + np.arange(12)[:, None] % 3
FRAME = pd.DataFrame(X, columns=["width", "height", "ünits", 'a "b"\n'])
MIXED = pd.DataFrame(
    {
        "size": X[:, 0],
        "colour": np.array(["red", "blue", None], object)[CODES[:, 0] % 3],
        "ripe": CODES[:, 1] > 1,
        "weight": GAPS[:, 1],
    }
)
WEIGHTS = RNG.integers(1, 5, 90) / 2.0
SHARES = {"ant": 0.5, "bee": 0.25, "cät": 0.25}


def zoo():
    """Fitted models of every kind, and the rows to ask them about."""
    some = np.arange(90)
    yield "LDA", sf.LDA().fit(X, Y), X
    yield "LDA frame", sf.LDA(n_components=1, priors=SHARES).fit(FRAME, Y), FRAME
    yield "LDA ledoit-wolf", sf.LDA(shrinkage="ledoit-wolf").fit(X, Y), X
    yield "LDA gaps", sf.LDA().fit(GAPS, Y), GAPS
    yield "LDA wide", sf.LDA(shrinkage=0.2).fit(WIDE, Y[:12]), WIDE
    yield "LDA flat", sf.LDA().fit(FLAT, Y), FLAT
    yield "LDA weighted", sf.LDA(ddof=1).fit(X, Y, WEIGHTS), X
    yield "QDA", sf.QDA().fit(X, Y), X
    yield "QDA merged", sf.QDA().fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:]), X
    yield "QDA forgetful", sf.QDA().fit(X, Y).forget(X[:30], Y[:30]), X
    yield "QDA gaps", sf.QDA(shrinkage="oas").fit(GAPS, Y), GAPS
    yield "QDA flat", sf.QDA().fit(FLAT, Y), FLAT
    yield "QDA wide", sf.QDA(shrinkage=0.5, target="diagonal").fit(WIDE, Y[:12]), WIDE
    yield "QDA reg", sf.QDA(reg_param=0.3).fit(X, Y == "ant"), X
    yield "QDA other priors", sf.QDA().fit(X, Y).with_priors([0.2, 0.3, 0.5]), X
    yield "QDA adapted", sf.QDA().fit(X, Y).adapt_priors(X[:20]), X
    yield "GaussianNB", sf.GaussianNB(var_smoothing=1e-3).fit(X, some % 2 - 7), X
    yield "GaussianNB gaps", sf.GaussianNB().fit(GAPS, Y), GAPS
    yield "DiagonalLDA", sf.DiagonalLDA(priors=np.array([0.2, 0.3, 0.5])).fit(X, Y), X
    yield "GaussianDiscriminant", sf.GaussianDiscriminant(pooling=0.3, shrinkage=0.1).fit(X, Y), X
    yield "spherical", sf.GaussianDiscriminant("spherical", priors="uniform").fit(X, Y), X
    yield "unskewed", sf.UnskewedDiscriminant(pooling=0.3).fit(X, Y), X
    cv = sf.GaussianDiscriminant(pooling="cv", shrinkage="cv", inflation="cv")
    yield "cv", cv.fit(X, Y), X
    yield "Bayesian", sf.BayesianDiscriminant().fit(X, Y), X
    given = sf.BayesianDiscriminant("diagonal", prior_mean=[1, 2, 3, 4.0], class_strength=1)
    yield "Bayesian given", given.fit(GAPS, Y), GAPS
    beliefs = {"prior_covariance": np.cov(X.T), "mean_strength": 2.0, "density": "map"}
    yield "Bayesian map", sf.BayesianDiscriminant(**beliefs).fit(X, Y), X
    yield "BernoulliNB", sf.BernoulliNB(alpha=[0.5, 1, 2, 0], binarize=1.0).fit(X, Y), X
    yield "CategoricalNB", sf.CategoricalNB(min_categories=9).fit(CODES, Y), CODES
    texts = np.array(["low", "mid", "high", "top", "peak"])[CODES]
    levels = [["low", "mid", "high", "top", "peak", "none"]] * 3
    yield (
        "CategoricalNB texts",
        sf.CategoricalNB(levels=levels, class_prior=[1, 0, 0]).fit(texts, Y),
        texts,
    )
    yield "CategoricalNB uniform", sf.CategoricalNB(fit_prior=False).fit(CODES, Y), CODES
    yield "MixedNB", sf.MixedNB().fit(MIXED, Y), MIXED
    full = sf.MixedNB(categorical={"colour", "ripe"}, structure="full", pooling=1.0, alpha=0.1)
    yield "MixedNB full", full.fit(MIXED, Y), MIXED
    yield "MixedNB numbers", sf.MixedNB().fit(X, Y), X
    yield "GaussianMixture", sf.GaussianMixture(3, random_state=1).fit(X), X
    for kind in ("tied", "diag", "spherical"):
        mixture = sf.GaussianMixture(2, covariance_type=kind, random_state=np.int64(1))
        yield f"GaussianMixture {kind}", mixture.fit(GAPS), GAPS
    yield (
        "GaussianMixture flat",
        sf.GaussianMixture(2, random_state=1, shrinkage=0.1).fit(FRAME),
        FRAME,
    )
    given = sf.GaussianMixture(2, means_init=X[:2], weights_init=[0.5, 0.5], random_state=0)
    yield "GaussianMixture given", given.fit(X), X
    yield "MixtureDiscriminant", sf.MixtureDiscriminant(2, random_state=1).fit(X, Y), X
    sizes = {"ant": 1, "bee": 2, "cät": 1}
    few = sf.MixtureDiscriminant(sizes, random_state=1, unlabelled=None).fit(
        FLAT, np.where(some < 60, Y, None)
    )
    yield "MixtureDiscriminant few", few, FLAT
    thin = sf.MixtureDiscriminant(1, shrinkage=0.3, random_state=0)
    yield "MixtureDiscriminant wide", thin.fit(WIDE, Y[:12]).with_priors("uniform"), WIDE
    yield "PooledDiscriminant", sf.PooledDiscriminant().fit(X, Y), X
    few = [sf.LDA(), sf.MixtureDiscriminant(1, random_state=0), sf.UnskewedDiscriminant(pooling=1)]
    several = sf.PooledDiscriminant(few, calibrate=False, cv=3, priors=SHARES)
    yield "PooledDiscriminant given", several.fit(FRAME, Y), FRAME
    mixed = sf.PooledDiscriminant({"naive": sf.MixedNB(), "linear": sf.LDA()})
    yield "PooledDiscriminant mixed", mixed.fit(MIXED, Y), MIXED
    yield "AutoDiscriminant", sf.AutoDiscriminant(cv=2).fit(MIXED, Y), MIXED
    yield "pipeline", make_pipeline(sf.Indicators(), sf.QDA(shrinkage=0.1)).fit(MIXED, Y), MIXED
    named = Pipeline([("in", sf.Indicators().set_output(transform="pandas")), ("lda", sf.LDA())])
    yield "pipeline named", named.fit(MIXED, Y), MIXED


with warnings.catch_warnings():
    warnings.simplefilter("ignore", RepairedModel)  # some are repaired on purpose
    ZOO = {name: (model, rows) for name, model, rows in zoo()}
ANSWERS = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba")
ANSWERS += ("decision_function", "score_samples", "transform", "outlier_pvalue")


def reloaded(model, path):
    sf.save(model, path)
    return sf.load(path)


def same(a, b):
    """Whether two values are the same to the last bit, and of the same kind."""
    if isinstance(a, np.ndarray):
        return a.dtype.kind == b.dtype.kind and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", ZOO)
def test_a_loaded_model_answers_to_the_last_bit_as_the_one_that_was_saved(name, tmp_path):
    model, rows = ZOO[name]
    again = reloaded(model, tmp_path / "m.suffice")
    asked = [answer for answer in ANSWERS if hasattr(model, answer)]
    for answer in asked:
        # Each pattern of missing values and each new model simulates a null of its own.
        given = rows[:12] if answer == "outlier_pvalue" else rows
        assert same(getattr(model, answer)(given), getattr(again, answer)(given)), answer
    assert {"predict", "predict_proba"} <= set(asked)


@pytest.mark.parametrize("name", ZOO)
def test_equal_models_make_equal_files_before_and_after_loading(name, tmp_path):
    model, _ = ZOO[name]
    again = reloaded(model, tmp_path / "m.suffice")
    data = (tmp_path / "m.suffice").read_bytes()
    assert file_of(model) == data == file_of(again)
    assert [file.name for file in tmp_path.iterdir()] == ["m.suffice"]


FITTED = ("classes_", "priors_", "means_", "covariances_", "weights_", "feature_names_in_")
FITTED += ("n_features_in_", "n_iter_", "converged_", "log_likelihoods_", "lower_bound_", "levels_")
FITTED += ("borrowed_classes_", "pooling_", "shrinkage_", "log_evidence_", "feature_log_prob_")
FITTED += ("component_classes_", "precisions_", "numeric_features_", "coef_", "scalings_")


@pytest.mark.parametrize("name", [name for name in ZOO if not name.startswith("pipeline")])
def test_parameters_and_what_was_fitted_come_back(name, tmp_path):
    model, _ = ZOO[name]
    again = reloaded(model, tmp_path / "m")
    assert type(again) is type(model)
    for key, value in model.get_params().items():
        loaded = again.get_params()[key]
        if isinstance(value, set):
            assert loaded == sorted(value)
        elif isinstance(value, np.generic):
            assert loaded == value.item()
        elif key == "models" and value is not None:
            assert repr(loaded) == repr(named_classifiers(value))
        else:
            assert same(value, loaded), key
    for attribute in FITTED:
        assert hasattr(model, attribute) == hasattr(again, attribute), attribute
        if not hasattr(model, attribute):
            continue
        before, after = getattr(model, attribute), getattr(again, attribute)
        if attribute == "shrinkage_":
            # With missing values it is estimated by EM, again after loading.
            np.testing.assert_allclose(after, before, rtol=1e-9)
        else:
            assert same(before, after), attribute
    clone(again)


@pytest.mark.parametrize("name", [n for n, (m, _) in ZOO.items() if hasattr(m, "statistics_")])
def test_a_loaded_model_still_has_its_statistics(name, tmp_path):
    model, _ = ZOO[name]
    again = reloaded(model, tmp_path / "m")
    assert again.statistics_.digest() == model.statistics_.digest()


def test_loaded_models_merge_and_go_on_learning(tmp_path):
    for kind in (sf.QDA(), sf.LDA(), sf.GaussianNB(), sf.BayesianDiscriminant()):
        a = reloaded(clone(kind).fit(X[:30], Y[:30]), tmp_path / "a")
        b = reloaded(clone(kind).fit(X[30:60], Y[30:60]), tmp_path / "b")
        a.merge(b).partial_fit(X[60:], Y[60:])
        assert a.statistics_ == sf.summarize(X, Y, detail=a.statistics_.detail)
        a.partial_fit(X[:3], ["dog"] * 3)
        assert a.classes_.tolist() == ["ant", "bee", "cät", "dog"]
    counted = reloaded(sf.CategoricalNB().fit(CODES[:40], Y[:40]), tmp_path / "c")
    counted.merge(sf.CategoricalNB().fit(CODES[40:], Y[40:]))
    assert counted.statistics_ == sf.count_levels(CODES, Y)


def test_a_model_with_too_few_rows_can_be_saved_and_fed_on(tmp_path):
    early = sf.QDA().partial_fit(X[:3], Y[:3])
    again = reloaded(early, tmp_path / "early")
    with pytest.raises(SufficeError):
        again.predict(X)
    again.partial_fit(X[3:], Y[3:])
    whole = sf.QDA().fit(X, Y)
    np.testing.assert_allclose(again.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_priors_for_classes_to_come_wait_in_the_file(tmp_path):
    early = sf.LDA(priors=SHARES).partial_fit(X[::3], Y[::3])
    again = reloaded(early, tmp_path / "early").partial_fit(X[1::3], Y[1::3])
    again.partial_fit(X[2::3], Y[2::3])
    assert again.priors_.tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    "labels",
    [np.arange(90) % 3 - 5, np.arange(90) % 2 == 0, (np.arange(90) % 3).astype(float),
     np.where(np.arange(90) % 2, 2**62, -(2**62)), np.array(["", "ü\ud800"])[np.arange(90) % 2]],
    ids=["integers", "booleans", "floats", "large", "odd texts"],
)  # fmt: skip
@pytest.mark.parametrize("kind", [sf.LDA, sf.MixedNB, lambda: sf.MixtureDiscriminant(1)])
def test_labels_of_any_kind_come_back(kind, labels, tmp_path):
    model = kind().fit(X, labels)
    again = reloaded(model, tmp_path / "m")
    assert again.classes_.dtype.kind == labels.dtype.kind
    assert np.array_equal(again.predict(X), model.predict(X))


def test_a_choice_by_cross_validation_comes_back_whole(tmp_path):
    model, _ = ZOO["cv"]
    again = reloaded(model, tmp_path / "m")
    assert again.pooling == again.shrinkage == "cv"
    assert repr(again.selection_) == repr(model.selection_)
    assert again.selection_.candidates == model.selection_.candidates
    for metric, scores in model.selection_.scores.items():
        assert np.array_equal(again.selection_.scores[metric], scores, equal_nan=True)
    again.partial_fit(X[:5], Y[:5])
    assert again.pooling_ == model.pooling_


def test_what_acts_is_left_out_and_said_so(tmp_path):
    seen = []
    model = sf.GaussianMixture(2, random_state=np.random.default_rng(0), callback=seen.append)
    model.fit(X)
    model.save(tmp_path / "m")
    again = sf.load(tmp_path / "m")
    assert (again.callback, again.random_state) == (None, None)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    card = model_card(tmp_path / "m")
    assert "parameter not kept in the file: callback (a function)" in card
    assert "parameter not kept in the file: random_state (a random generator)" in card


def test_what_a_file_cannot_hold_is_refused_by_name(tmp_path):
    odd = sf.GaussianMixture(2, random_state=0).fit(X).set_params(callback={"a": print})
    with pytest.raises(InvalidParameter, match="callback"):
        odd.save(tmp_path / "m")
    for stranger in (LogisticRegression(), 5, None, type("Mine", (sf.LDA,), {})()):
        with pytest.raises(InvalidParameter, match="estimators of suffice"):
            sf.save(stranger, tmp_path / "m")
    mine = make_pipeline(StandardScaler(), sf.LDA()).fit(X, Y)
    with pytest.raises(InvalidParameter, match="StandardScaler"):
        sf.save(mine, tmp_path / "m")
    with pytest.raises(NotFittedError):
        sf.QDA().save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("model", "change"),
    [(sf.LDA(), {"shrinkage": 0.5}), (sf.QDA(), {"priors": [0.2, 0.3, 0.5]}),
     (sf.LDA(), {"ddof": 1}),
     (sf.BayesianDiscriminant(prior_mean=np.zeros(4)), {"prior_mean": np.ones(4)}),
     (sf.MixedNB(), {"alpha": 2.0})],
    ids=str,
)  # fmt: skip
def test_parameters_changed_after_fit_do_not_tell_what_a_model_is(model, change, tmp_path):
    model = clone(model).fit(X, Y).set_params(**change)
    with pytest.raises(InvalidParameter, match="fit_statistics"):
        model.save(tmp_path / "m")
    model.fit_statistics(model.statistics_).save(tmp_path / "m")
    assert np.array_equal(sf.load(tmp_path / "m").predict_proba(X), model.predict_proba(X))


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    ZOO["LDA"][0].save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk on fire")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="on fire"):
        ZOO["QDA"][0].save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m"]


def test_no_file_or_a_folder_is_an_error_that_says_so(tmp_path):
    with pytest.raises(MissingFile, match=r"no file .*none\. The folder .* is empty") as missing:
        sf.load(tmp_path / "none")
    assert isinstance(missing.value, FileNotFoundError)
    with pytest.raises(MissingFile, match="Nor is there a folder"):
        sf.load(tmp_path / "no" / "folder")
    with pytest.raises(UnreadableFile, match="is a folder") as folder:
        sf.load(tmp_path)
    assert isinstance(folder.value, OSError | InvalidFile)
    if os.path.exists("/dev/zero"):
        with pytest.raises(UnreadableFile, match="not a regular file"):
            sf.load("/dev/zero")


def test_a_date_is_shown_only_if_given(tmp_path):
    model, _ = ZOO["LDA"]
    day = datetime.date(2026, 1, 31)
    model.save(tmp_path / "m", created=day)
    assert model_card(tmp_path / "m").endswith("created: 2026-01-31")
    assert file_of(model, day) == file_of(model, "2026-01-31") != file_of(model)
    with pytest.raises(InvalidParameter, match="created"):
        model.save(tmp_path / "m", created=5)
    with pytest.raises(InvalidParameter, match="statistics have no date"):
        sf.save(model.statistics_, tmp_path / "m", created=day)


def test_a_card_describes_the_model(tmp_path):
    model, _ = ZOO["cv"]
    sf.save(model, tmp_path / "m")
    lines = model_card(tmp_path / "m").splitlines()
    assert lines[:4] == [
        "GaussianDiscriminant",
        "features: 4",
        "classes: 3 (ant, bee, cät)",
        "trained on: 90 rows (ant 30, bee 30, cät 30)",
    ]
    assert lines[4] == "parameters: inflation='cv', pooling='cv', shrinkage='cv'"
    assert lines[5].startswith("chosen: ")
    assert f"pooling={model.pooling_}" in lines[5]
    assert lines[6] == f"written by: suffice {sf.__version__}"
    mixed = model_card(ZOO["MixedNB"][0])
    assert "features: 4 (size, colour, ripe, weight)\nlevels: colour 2, ripe 2" in mixed
    assert "components: 3 (converged" in model_card(ZOO["GaussianMixture"][0])
    assert model_card(ZOO["pipeline"][0]).startswith("Pipeline of 2 steps\n- indicators: Ind")
    weighted = model_card(ZOO["LDA weighted"][0])
    assert f"weight of rows: {WEIGHTS.sum():.6g} (" in weighted
    ZOO["LDA"][0].statistics_.save(tmp_path / "s")
    assert model_card(tmp_path / "s").startswith("statistics, no model: Statistics of 90")
    early = sf.QDA().partial_fit(X[:3], Y[:3])
    assert "too few rows" in model_card(early)


def test_loading_statistics_does_not_load_scikit_learn(tmp_path):
    sf.summarize(X, Y).save(tmp_path / "s")
    program = f"import sys, suffice; suffice.load({str(tmp_path / 's')!r}); print(*sys.modules)"
    run = [sys.executable, "-c", program]
    loaded = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    assert "suffice.statistics.storage.storage" in loaded
    assert not [name for name in loaded if name.split(".")[0] in ("sklearn", "pickle5")]


def test_a_model_out_of_proportion_to_its_file_has_to_be_trusted(tmp_path):
    codes = CODES.copy()
    codes[0, 0] = 1_000_000
    model = sf.CategoricalNB().fit(codes, Y)
    model.save(tmp_path / "m")
    with pytest.raises(InvalidFile, match="trusted=True"):
        sf.load(tmp_path / "m")
    again = sf.load(tmp_path / "m", trusted=True)
    assert np.array_equal(again.predict_proba(CODES), model.predict_proba(CODES))


def contents(model):
    return container.unpack(file_of(model), "it")


def load_changed(path, header, arrays):
    path.write_bytes(container.pack(header, arrays))
    return sf.load(path)


def put(array, at, value):
    out = np.array(array)
    out[at] = value
    return out


FIELDS = {
    "an unknown class": ("estimator", "NeuralNet", "'NeuralNet'.*Upgrade"),
    "another module's class": ("estimator", "os.system", "'os.system'"),
    "another class": ("estimator", "BernoulliNB", "not those of a BernoulliNB"),
    "a kind that does not exist": ("content.kind", "Popen", "'Popen'.*Upgrade"),
    "a kind that does not belong there": ("content.kind", "FullStructure", "FullStructure has the"),
    "an unknown field": ("wisdom", 1, "'wisdom'.*Upgrade"),
    "parameters that are none": ("parameters", {"list": []}, "parameters has the wrong type"),
    "parameters of another": ("parameters", {"names": {"depth": 3}}, "not those of"),
    "no statistics": ("content.statistics", None, "unexpected array"),
    "a flag for statistics": ("content.statistics", True, "unexpected array|wrong kind"),
    "other statistics": ("content.statistics.kind", "Counts", "lacks the field"),
    "numbers for built": ("content.built.is_built", 1, "is_built has the wrong type"),
    "a selection": ("content.selection", {"kind": "Selection"}, "selection"),
    "powers": ("content.powers", {"kind": "Powers"}, "powers"),
    "an output of rows": ("output", "rows", "output"),
    "a long library": ("library", "x" * 101, "library"),
    "a long date": ("created", "x" * 101, "created"),
    "names of fewer features": ("names", {"tuple": ["a"]}, "as many feature names"),
}


@pytest.mark.parametrize("what", FIELDS)
def test_fields_that_cannot_be_true_are_an_error_that_says_which(what, tmp_path):
    header, arrays = contents(ZOO["LDA"][0])
    path, node, told = FIELDS[what]
    with pytest.raises(InvalidFile, match=f"(?s)bad.suffice.*{told}"):
        load_changed(tmp_path / "bad.suffice", with_field(header, path, node), arrays)


@pytest.mark.parametrize("name", ["LDA", "cv", "MixtureDiscriminant", "CategoricalNB", "pipeline"])
def test_a_field_that_is_missing_is_an_error(name, tmp_path):
    header, arrays = contents(ZOO[name][0])
    for field in set(header) - {"format", "kind", "signed"}:
        with pytest.raises(InvalidFile):
            load_changed(tmp_path / "m", {k: v for k, v in header.items() if k != field}, arrays)


def deep(levels):
    return {"list": [deep(levels - 1)] if levels else []}


PARAMETERS = {
    "out of range": ("LDA", {"shrinkage": 2.0}, "shrinkage is 2.0"),
    "of another type": ("LDA", {"ddof": "one"}, "ddof"),
    "no form": ("LDA", {"priors": {"code": "import os"}}, "unknown form 'code'"),
    "two forms": ("LDA", {"priors": {"list": [], "tuple": []}}, "no known form"),
    "no array": ("LDA", {"priors": {"array": "C"}}, "lacks the array 'parameters.priors'"),
    "priors beyond 1": (
        "LDA",
        {"priors": {"mapping": [{"list": ["ant", "bee", "cät"]}, {"list": [1.0, 1.0, 1.0]}]}},
        "sum of the priors",
    ),
    "priors of two": ("LDA", {"priors": {"list": [0.5, 0.5]}}, "Number of priors"),
    "a key twice": ("LDA", {"priors": {"mapping": [{"list": ["ant", "ant"]}, {"list": [1, 0]}]}},
                    "key twice"),
    "a key too many": ("LDA", {"priors": {"mapping": [{"list": ["ant"]}, {"list": []}]}},
                       "one value per key"),
    "too deep": ("LDA", {"priors": deep(40)}, "too deeply"),
    "cv of nothing": ("LDA", {"shrinkage": "cv"}, "cv"),
    "levels of fewer": ("CategoricalNB", {"levels": {"list": [{"list": [0, 1, 2, 3, 4]}]}},
                        "1 lists for 3"),
    "a text for a flag": ("CategoricalNB", {"fit_prior": "yes"}, "fit_prior"),
    "negative alpha": ("CategoricalNB", {"alpha": -1.0}, "alpha"),
    "other components": ("GaussianMixture", {"n_components": 4}, "n_components"),
    "no effort": ("GaussianMixture", {"max_iter": -1}, "max_iter"),
    "no seed": ("GaussianMixture", {"random_state": "dice"}, "random_state|dice"),
}  # fmt: skip


@pytest.mark.parametrize("what", PARAMETERS)
def test_parameters_that_no_model_has_are_an_error_that_says_which(what, tmp_path):
    name, change, told = PARAMETERS[what]
    header, arrays = contents(ZOO[name][0])
    header["parameters"]["names"] |= change
    with pytest.raises(InvalidFile, match=told):
        load_changed(tmp_path / "m", header, arrays)


MEAN = "content.statistics.means.high"
SCATTER = "content.statistics.spread.sums.high"
ROWS = "content.statistics.tables.rows"

STATISTICS = {
    "an indefinite scatter": (
        "QDA",
        lambda a: {SCATTER: put(a[SCATTER], (0, [0, 1], [1, 0]), 1e6)},
        "semidefinite",
    ),
    "not finite": ("QDA", lambda a: {MEAN: a[MEAN] * np.nan}, "finite"),
    "a mean nowhere": (
        "QDA",
        lambda a: {MEAN: put(a[MEAN], (0, 0), 1e308)},
        "too large",
    ),
    "more values than rows": ("CategoricalNB", lambda a: {ROWS: a[ROWS] + 99}, "more values"),
    "weight but no rows": (
        "CategoricalNB",
        lambda a: {ROWS: a[ROWS] * 0},
        "weight but no rows",
    ),
}


@pytest.mark.parametrize("what", STATISTICS)
def test_statistics_that_cannot_be_true_are_an_error_that_says_why(what, tmp_path):
    name, change, told = STATISTICS[what]
    header, arrays = contents(ZOO[name][0])
    with pytest.raises(InvalidFile, match=told):
        load_changed(tmp_path / "m", header, arrays | change(arrays))


def test_finite_numbers_of_which_nothing_finite_comes_are_an_error(tmp_path):
    model = sf.BayesianDiscriminant(prior_covariance=np.eye(4), covariance_strength=99.0).fit(X, Y)
    header, arrays = contents(model)
    arrays["parameters.prior_covariance"] = np.diag([1e308, 1, 1, 1])
    with pytest.raises(InvalidFile, match=r"variance 1e\+308; it must"):
        load_changed(tmp_path / "m", header, arrays)


MIX = "content.mixture"
COMPONENTS = f"{MIX}.components"
EACH = f"{COMPONENTS}.covariances"
SCALE = ".whitener.scale"
SHAPES = f"{EACH}#shapes{SCALE}"


def first(arrays, part):
    return next(name for name in sorted(arrays) if name.endswith(part) and "#shapes" not in name)


def scaled(part, factor):
    """A change of the first array whose name ends so."""
    return lambda a: {first(a, part): factor * a[first(a, part)]}


MIXTURES = {
    "shares beyond 1": ("GaussianMixture", scaled("shares", 2), "add up"),
    "priors beyond 1": ("MixtureDiscriminant", scaled("mixture.priors", 2), "add up"),
    "other priors": (
        "GaussianMixture",
        lambda a: {f"{COMPONENTS}.priors": a[f"{COMPONENTS}.priors"][::-1].copy()},
        "priors of the components",
    ),
    "no means": (
        "GaussianMixture",
        lambda a: {f"{COMPONENTS}.means": a[f"{COMPONENTS}.means"][:0]},
        "one mean for each",
    ),
    "a class without components": (
        "MixtureDiscriminant",
        lambda a: {f"{MIX}.owner": np.minimum(a[f"{MIX}.owner"], 1)},
        "no component",
    ),
    "components out of order": (
        "MixtureDiscriminant",
        lambda a: {f"{MIX}.owner": a[f"{MIX}.owner"][::-1].copy()},
        "order",
    ),
    "weights of fewer components": (
        "GaussianMixture",
        lambda a: {"content.component_weight": a["content.component_weight"][1:]},
        "one weight per component",
    ),
    "negative variance": ("GaussianMixture diag", scaled("variances", -1), "negative"),
    "shapes of more": (
        "GaussianMixture",
        lambda a: {SHAPES: np.repeat([[1, 2]], 6, axis=0)},
        "no shapes",
    ),
    "scales of fewer features": (
        "GaussianMixture",
        lambda a: {SHAPES: np.repeat([[1, 2]], 3, axis=0), EACH + SCALE: a[EACH + SCALE][:6]},
        "wrong number of features",
    ),
    "scales of more axes": (
        "GaussianMixture",
        lambda a: {SHAPES: np.repeat([[2, 4]], 3, axis=0)},
        "invalid shapes",
    ),
    "scales larger than there are": (
        "GaussianMixture",
        lambda a: {SHAPES: np.repeat([[1, 4000]], 3, axis=0)},
        "larger shapes",
    ),
    "scales without shapes": (
        "GaussianMixture",
        lambda a: {EACH + SCALE: a[f"{COMPONENTS}.means"]},
        "no shapes",
    ),
    "a covariance without scale": (
        "GaussianMixture",
        lambda a: {
            SHAPES: put(a[SHAPES], 2, [-1, 0]),
            EACH + SCALE: a[EACH + SCALE][:8],
        },
        "lacks the array 'whitener.scale'",
    ),
    "two covariances of three": (
        "GaussianMixture",
        lambda a: with_parts(EACH, a, parts_of(EACH, a)[:2], np.zeros(2, np.int64)),
        "nor one for each",
    ),
    "a full factor": (
        "GaussianMixture",
        lambda a: {first(a, "factor"): a[first(a, "factor")][::-1].copy()},
        "positive definite",
    ),
    "zero scale": ("GaussianMixture", scaled("scale", 0), "zero"),
    "another inverse": ("MixtureDiscriminant few", scaled("matrix", 2), "singular"),
    "a skew basis": ("MixtureDiscriminant wide", scaled("basis", 2), "orthonormal"),
    "an array too many": (
        "GaussianMixture",
        lambda a: {"extra": a[f"{COMPONENTS}.means"]},
        "'extra'",
    ),
}


@pytest.mark.parametrize("what", MIXTURES)
def test_components_that_cannot_be_true_are_an_error_that_says_why(what, tmp_path):
    name, change, told = MIXTURES[what]
    header, arrays = contents(ZOO[name][0])
    with pytest.raises(InvalidFile, match=told):
        load_changed(tmp_path / "m", header, arrays | change(arrays))


STEPS = {
    "a name with a path": ("a__b", "else"),
    "a name of a parameter": ("memory", "else"),
    "a step that is no model": (None, "unexpected array"),
}


@pytest.mark.parametrize("what", STEPS)
def test_steps_that_no_pipeline_has_are_an_error_that_says_why(what, tmp_path):
    header, arrays = contents(ZOO["pipeline"][0])
    (first, one), (last, other) = header["steps"]["names"].items()
    name, told = STEPS[what]
    steps = {last: other} if name is None else {name: one, last: other}
    moved = {f"steps.{name}{rest}": a for rest, a in below(f"steps.{first}", arrays).items()}
    own = arrays if name is None else without(f"steps.{first}", arrays) | moved
    with pytest.raises(InvalidFile, match=told):
        load_changed(tmp_path / "m", with_field(header, "steps", {"names": steps}), own)


@pytest.mark.parametrize(
    ("field", "node", "told"),
    [
        ("steps", 2, "wrong type|unexpected array"),
        ("steps", {"names": 2}, "by name"),
        ("steps", {"names": {}}, "no steps|unexpected array"),
        ("verbose", "no", "verbose has the wrong type"),
        ("dropped", {"names": {"memory": "x"}}, "is invalid"),
    ],
)
def test_fields_that_no_pipeline_has_are_an_error_that_says_why(field, node, told, tmp_path):
    header, arrays = contents(ZOO["pipeline"][0])
    with pytest.raises(InvalidFile, match=told):
        load_changed(tmp_path / "m", with_field(header, field, node), arrays)


def test_steps_in_another_order_are_an_error(tmp_path):
    header, arrays = contents(ZOO["pipeline"][0])
    swapped = dict(reversed(header["steps"]["names"].items()))
    with pytest.raises(InvalidFile, match="does not transform"):
        load_changed(tmp_path / "m", with_field(header, "steps", {"names": swapped}), arrays)


def test_estimates_of_em_of_another_type_are_an_error(tmp_path):
    header, arrays = contents(sf.BayesianDiscriminant().fit(GAPS, Y))
    varies = "content.built.completed.posterior.varies"
    with pytest.raises(InvalidFile, match="the features that vary"):
        load_changed(tmp_path / "m", header, arrays | {varies: arrays[varies].astype(float)})


def test_any_damage_to_a_model_file_is_found(tmp_path):
    path, data = tmp_path / "m", file_of(ZOO["MixtureDiscriminant"][0])
    rng = np.random.default_rng(0)
    for at in rng.choice(len(data), 150, replace=False).tolist():
        for changed in (data[:at], data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]):
            path.write_bytes(changed)
            with pytest.raises(InvalidFile):
                sf.load(path)


@pytest.mark.parametrize("kind", [sf.QDA, sf.LDA])
def test_the_last_bit_does_not_depend_on_what_was_asked_first(kind, tmp_path):
    rows = RNG.normal(size=(3000, 200)) @ np.tri(200) + 1e3
    model = kind().fit(rows, np.arange(3000) % 3)
    model.predict_proba(rows[:5])
    again = reloaded(model, tmp_path / "m")
    assert same(again.predict_proba(rows), model.predict_proba(rows))
    assert same(again.predict_proba(rows[:5]), model.predict_proba(rows[:5]))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_levels_that_are_fractions_of_any_precision_come_back(dtype, tmp_path):
    levels = (CODES / 2).astype(dtype)
    model = sf.CategoricalNB().fit(levels, Y)
    again = reloaded(model, tmp_path / "m")
    assert same(again.predict_proba(levels), model.predict_proba(levels))


def test_a_model_of_columns_under_several_lines_of_names_comes_back(tmp_path):
    lines = pd.MultiIndex.from_product([["a", "b"], ["x", "y"]])
    frame = pd.DataFrame(X, columns=lines)
    model = sf.LDA().fit(frame, Y)
    assert model.feature_names_in_.tolist() == ["a x", "a y", "b x", "b y"]
    again = reloaded(model, tmp_path / "m")
    assert same(again.predict_proba(frame), model.predict_proba(frame))
    assert again.sample(2, random_state=0)[0].columns.tolist() == ["a x", "a y", "b x", "b y"]


@pytest.mark.filterwarnings("error")
def test_labels_of_half_precision_are_read_without_a_warning():
    halves = np.arange(90, dtype=np.float16) % 3
    assert sf.LDA().fit(X, halves).classes_.tolist() == [0, 1, 2]
