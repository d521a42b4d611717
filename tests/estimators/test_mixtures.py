"""Mixtures as estimators: scikit-learn's checks and numbers, labels of all kinds, bad input."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.mixture import GaussianMixture as Theirs
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from closeness import near
from lawful import one_per_class
from suffice import GaussianMixture, MixtureDiscriminant
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    NotFinite,
    TooFewRows,
)

KINDS = ("full", "tied", "diag", "spherical")
each_kind = pytest.mark.parametrize("kind", KINDS)
FITTED = (
    "weights_",
    "means_",
    "covariances_",
    "precisions_",
    "precisions_cholesky_",
    "lower_bound_",
)
IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)
REFERENCE = Path(__file__).resolve().parent.parent / "reference"


def with_gaps(X, share=0.1):
    return np.where(np.random.default_rng(0).random(X.shape) < share, np.nan, X)


# Some checks hand over a few rows that say little, and turn down the iterations.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    one_per_class(
        [
            GaussianMixture(),
            GaussianMixture(2, random_state=0),
            GaussianMixture(2, covariance_type="tied", random_state=0),
            GaussianMixture(3, covariance_type="diag", reg_covar=1e-3, random_state=0),
            GaussianMixture(2, structure="spherical", pooling=1.0, random_state=0),
            MixtureDiscriminant(),
            MixtureDiscriminant(1),
            MixtureDiscriminant(3, pooling=1.0, shrinkage="oas", priors="uniform", random_state=0),
            MixtureDiscriminant(structure="diagonal", unlabelled=None, random_state=0),
            MixtureDiscriminant("bic", structure="diagonal", random_state=0),
        ]
    )
)
def test_every_mixture_passes_every_check_of_sklearn(estimator, check):
    check(estimator)


def start_of(X, K, kind):
    d = X.shape[1]
    precisions = {
        "full": np.array([(i + 1) * np.eye(d) for i in range(K)]),
        "tied": 0.5 * np.eye(d),
        "diag": np.outer(1 + np.arange(K), np.ones(d)),
        "spherical": 1.0 + np.arange(K),
    }[kind]
    means = X[np.random.default_rng(3).choice(len(X), K, replace=False)]
    return {"weights_init": np.full(K, 1 / K), "means_init": means, "precisions_init": precisions}


@each_kind
@pytest.mark.parametrize("stop", [{"tol": 0.0, "max_iter": 20}, {"tol": 1e-13, "max_iter": 3000}])
@pytest.mark.parametrize("reg_covar", [0.0, 0.01])
def test_numbers_equal_those_of_sklearn_from_the_same_start(kind, stop, reg_covar):
    X, _ = IRIS
    same = {"covariance_type": kind, "reg_covar": reg_covar, **stop, **start_of(X, 3, kind)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs, ours = Theirs(3, **same).fit(X), GaussianMixture(3, **same).fit(X)
    for name in FITTED:
        assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name))
        near(getattr(ours, name), getattr(theirs, name), 1e-10 if stop["tol"] == 0 else 1e-6)
    if stop["tol"]:
        assert ours.converged_ == theirs.converged_
        near(ours.lower_bound_, theirs.lower_bound_)
    near(ours.predict_proba(X), theirs.predict_proba(X), 1e-6)
    near(ours.score_samples(X), theirs.score_samples(X), 1e-6)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    near([ours.score(X), ours.bic(X), ours.aic(X)], [theirs.score(X), theirs.bic(X), theirs.aic(X)])


@each_kind
def test_the_start_is_no_worse_than_that_of_sklearn(kind):
    for X, _ in (IRIS, WINE):
        same = {"covariance_type": kind, "n_init": 5, "random_state": 0, "max_iter": 500}
        theirs, ours = Theirs(3, **same).fit(X), GaussianMixture(3, **same).fit(X)
        assert ours.lower_bound_ > theirs.lower_bound_ - 0.05


def test_sklearn_names_and_ours_say_the_same():
    X, _ = IRIS
    pairs = {"tied": {"pooling": 1.0}, "diag": {"structure": "diagonal"}, "full": {}}
    for kind, settings in pairs.items():
        a = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
        b = GaussianMixture(2, random_state=0, **settings).fit(X)
        assert np.array_equal(a.covariances_, b.covariances_)
        assert a.bic(X) == b.bic(X)
    assert GaussianMixture(2, structure="diagonal", pooling=1.0).fit(X).covariances_.shape == (4,)
    assert GaussianMixture(2, structure="spherical", pooling=1.0).fit(X).covariances_.shape == ()


def test_a_clone_and_a_pickle_of_a_mixture_are_as_they_should_be():
    X, y = IRIS
    for model, args in ((GaussianMixture(3, random_state=0), ()), (MixtureDiscriminant(2), (y,))):
        fitted = clone(model).fit(X, *args)
        again = pickle.loads(pickle.dumps(fitted))
        assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
        assert not hasattr(clone(fitted), "n_iter_")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_give_names_and_the_answers_of_arrays(frame):
    X, y = IRIS
    table = frame(dict(zip("abcd", X.T, strict=True)))
    for model in (GaussianMixture(3, random_state=0), MixtureDiscriminant(2, random_state=0)):
        args = () if isinstance(model, GaussianMixture) else (y,)
        fitted, plain = clone(model).fit(table, *args), clone(model).fit(X, *args)
        assert list(fitted.feature_names_in_) == list("abcd")
        near(fitted.predict_proba(table), plain.predict_proba(X))


def test_samples_follow_the_mixture():
    X, y = IRIS
    model = GaussianMixture(3, random_state=0).fit(X)
    rows, codes = model.sample(50_000)
    near(np.bincount(codes) / 50_000, model.weights_, 0.02)
    for c in range(3):
        near(rows[codes == c].mean(axis=0), model.means_[c], 0.02)
    assert np.array_equal(rows, model.sample(50_000)[0])
    assert not np.array_equal(rows, model.sample(50_000, random_state=1)[0])
    rows, labels = MixtureDiscriminant(2, random_state=0).fit(X, y).sample(30_000, random_state=0)
    for c in range(3):
        near(rows[labels == c].mean(axis=0), X[y == c].mean(axis=0), 0.02)
        near(np.cov(rows[labels == c].T), np.cov(X[y == c].T, ddof=0), 0.1)


SETTINGS = [
    {},
    {"pooling": 1.0},
    {"pooling": 0.5, "shrinkage": 0.1},
    {"structure": "diagonal"},
    {"structure": "spherical", "priors": "uniform"},
    {"shrinkage": "oas", "target": "diagonal", "priors": {0: 0.2, 1: 0.3, 2: 0.5}},
    {"shrinkage": "ledoit-wolf"},
]


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_one_component_per_class_is_the_gaussian_discriminant(settings, gaps):
    X, y = WINE
    X = with_gaps(X) if gaps else X
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    one = MixtureDiscriminant(1, **settings).fit(X, y, weights)
    plain = sf.GaussianDiscriminant(**settings).fit(X, y, weights)
    assert np.array_equal(one.classes_, plain.classes_)
    for name in ("priors_", "means_", "covariances_"):
        assert np.array_equal(getattr(one, name), getattr(plain, name))
    assert np.array_equal(one.predict_log_proba(X), plain.predict_log_proba(X))
    assert (one.n_iter_, one.converged_) == (1, True)


def test_two_components_a_class_beat_every_single_gaussian_on_the_notes():
    table = np.loadtxt(REFERENCE / "notes3b.csv", delimiter=",", skiprows=1)
    X, y = table[:, :-1], table[:, -1].astype(int)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)

    def loss(model):
        return log_loss(y, cross_val_predict(model, X, y, cv=folds, method="predict_proba"))

    singles = (sf.QDA(), sf.LDA(), sf.GaussianNB(), sf.DiagonalLDA())
    best = min(loss(model) for model in singles)
    assert loss(MixtureDiscriminant(2, random_state=0)) < best - 0.02
    assert loss(MixtureDiscriminant("bic", random_state=0)) < best - 0.02


def partly(X, y, seed, each=5):
    """Rows to learn from with a few labels per class, those rows alone, and rows to test on."""
    order = np.random.default_rng(seed).permutation(len(X))
    test, train = order[: len(X) // 3], order[len(X) // 3 :]
    known = np.concatenate([train[y[train] == c][:each] for c in np.unique(y)])
    labels = np.full(len(X), -1)
    labels[known] = y[known]
    return train, labels[train], known, test


@pytest.mark.parametrize(
    ("table", "settings"),
    [
        ("wine", {"pooling": 1.0, "shrinkage": "oas", "target": "diagonal"}),
        ("wine", {"structure": "diagonal"}),
        ("digits", {"pooling": 1.0, "shrinkage": 0.3}),
    ],
)
def test_rows_without_a_label_help(table, settings):
    X, y = WINE if table == "wine" else load_digits(return_X_y=True)
    few, all_rows = [], []
    for seed in range(10):
        train, labels, known, test = partly(X, y, seed)
        model = MixtureDiscriminant(1, **settings)
        few.append(clone(model).fit(X[known], y[known]).score(X[test], y[test]))
        all_rows.append(model.fit(X[train], labels).score(X[test], y[test]))
    assert np.mean(all_rows) > np.mean(few) + 0.01


def labels_of_all_kinds():
    y = IRIS[1]
    hidden = np.arange(150) % 3 > 0
    names = np.array(["se", "ve", "vi"])[y]
    texts = np.where(hidden, None, names.astype(object))
    return {
        "-1": np.where(hidden, -1, y),
        "NaN": np.where(hidden, np.nan, y.astype(float)),
        "None among integers": np.where(hidden, None, y.astype(object)),
        "None among strings": texts,
        "a list with None": texts.tolist(),
        "NaN among strings": np.where(hidden, np.nan, names.astype(object)),
        "masked": np.ma.masked_array(y, hidden),
        "pandas strings": pd.Series(texts),
        "pandas integers": pd.Series(y).astype("Int64").mask(hidden),
        "pandas categories": pd.Series(texts, dtype="category"),
        "polars strings": pl.Series(texts.tolist()),
        "polars integers": pl.Series(np.where(hidden, None, y.astype(object)).tolist()),
    }


@pytest.mark.parametrize("form", labels_of_all_kinds())
def test_every_way_to_leave_out_a_label_teaches_the_same(form):
    X, _ = IRIS
    wanted = MixtureDiscriminant(1).fit(X, labels_of_all_kinds()["-1"])
    found = MixtureDiscriminant(1).fit(X, labels_of_all_kinds()[form])
    assert len(found.classes_) == 3
    near(found.predict_proba(X), wanted.predict_proba(X), 1e-12)
    assert wanted.n_iter_ > 1


def test_the_label_for_unlabelled_rows_can_be_chosen():
    X, y = IRIS
    hidden = np.arange(150) % 3 > 0
    wanted = MixtureDiscriminant(1).fit(X, np.where(hidden, -1, y)).predict_proba(X)
    texts = np.where(hidden, "?", np.array(["a", "b", "c"])[y])
    near(MixtureDiscriminant(1, unlabelled="?").fit(X, texts).predict_proba(X), wanted)
    assert len(MixtureDiscriminant(1).fit(X, texts).classes_) == 4
    assert (
        len(MixtureDiscriminant(1, unlabelled=None).fit(X, np.where(hidden, -1, y)).classes_) == 4
    )
    numbers = np.where(hidden, 99, y)
    near(MixtureDiscriminant(1, unlabelled=99).fit(X, numbers).predict_proba(X), wanted)


def test_minus_one_and_one_are_two_classes():
    X, y = IRIS
    X, y = X[y < 2], 2 * y[y < 2] - 1
    assert MixtureDiscriminant(1).fit(X, y).classes_.tolist() == [-1, 1]


def test_without_unlabelled_rows_the_answers_are_those_of_labels_alone():
    X, y = IRIS
    labels = np.where(np.arange(150) % 3 > 0, -1, y)
    known = labels >= 0
    weights = known.astype(float)
    a = MixtureDiscriminant(1).fit(X[known], labels[known])
    b = MixtureDiscriminant(1).fit(X, labels, weights)
    near(a.predict_log_proba(X), b.predict_log_proba(X))


def test_components_can_be_given_by_class():
    X, y = IRIS
    names = np.array(["a", "b", "c"])[y]
    model = MixtureDiscriminant({"a": 1, "b": 2, "c": 3}, random_state=0).fit(X, names)
    assert model.component_classes_.tolist() == ["a", "b", "b", "c", "c", "c"]
    near(model.weights_[:1], [1.0])
    near(model.weights_[1:3].sum(), 1.0)
    assert model.means_.shape == (6, 4)
    assert model.covariances_.shape == (6, 4, 4)
    near(model.means_[0], X[y == 0].mean(axis=0))
    chosen = MixtureDiscriminant("bic", random_state=0).fit(X, names)
    assert set(chosen.component_classes_) == {"a", "b", "c"}


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_a_mixture_gives_the_answers_of_a_classifier(gaps):
    X, y = IRIS
    X = with_gaps(X) if gaps else X
    model = MixtureDiscriminant(2, random_state=0).fit(X, y)
    log_proba = model.predict_log_proba(X)
    near(np.exp(log_proba), model.predict_proba(X))
    near(model.log_odds(X, 0, 1), log_proba[:, 0] - log_proba[:, 1])
    shift = np.log(model.priors_[0] / model.priors_[1])
    near(model.log_likelihood_ratio(X, 0, 1), log_proba[:, 0] - log_proba[:, 1] - shift)
    assert model.decision_function(X).shape == (150, 3)
    assert np.isfinite(model.score_samples(X)).all()
    near(model.with_priors("uniform").priors_, np.full(3, 1 / 3))
    near(model.with_priors(None).predict_log_proba(X), log_proba)
    assert model.adapt_priors(X[y < 2]).priors_[2] < 0.05
    assert None in model.decide(X, reject=1e-12)
    assert model.score(X, y) > 0.95
    chances = model.outlier_pvalue(np.r_[X[:100], np.full((1, 4), 100.0)])
    assert 0.3 < chances[:100].mean() < 0.7
    assert chances[-1] < 0.001
    assert model.outlier_pvalue(X, by_class=True).shape == (150, 3)


def test_gaps_are_filled_by_the_mixture():
    X, y = IRIS
    gappy = with_gaps(X)
    model = MixtureDiscriminant(2, random_state=0).fit(gappy, y)
    filled = model.impute(gappy)
    own = model.impute(gappy, y)
    missing = np.isnan(gappy)
    assert np.array_equal(filled[~missing], X[~missing])
    spread = X.std(axis=0)
    for found in (filled, own):
        assert np.sqrt(np.mean(((found - X) / spread)[missing] ** 2)) < 0.5
    assert np.mean((own - X)[missing] ** 2) <= np.mean((filled - X)[missing] ** 2) * 1.1
    drawn = model.impute_draws(gappy, 200, random_state=0)
    assert np.abs(drawn.mean(axis=0) - filled)[missing].max() < 0.3
    drawn = model.impute_draws(gappy, 200, y, random_state=0)
    assert np.abs(drawn.mean(axis=0) - own)[missing].max() < 0.3
    rows, labels = model.sample(500, given={0: 5.0}, random_state=0)
    assert (rows[:, 0] == 5.0).all()
    assert (labels == 0).mean() > 0.5


def test_densities_of_components_add_up():
    X, _ = IRIS
    model = GaussianMixture(2, random_state=0).fit(X)
    parts = [
        w * multivariate_normal(m, S).pdf(X)
        for w, m, S in zip(model.weights_, model.means_, model.covariances_, strict=True)
    ]
    near(np.exp(model.score_samples(X)), np.sum(parts, axis=0))
    near(model.predict_proba(X), np.transpose(parts / np.sum(parts, axis=0)))


def test_a_mixture_learns_from_all_rows_at_once_or_not_at_all():
    model = MixtureDiscriminant().fit(*IRIS)
    for name in ("partial_fit", "merge", "forget", "fit_statistics", "statistics_"):
        assert not hasattr(model, name)
    for name in ("boundary", "squared_mahalanobis", "whiten"):
        assert not hasattr(model, name)


def test_a_refit_that_fails_leaves_the_model_as_it_was():
    X, y = IRIS
    for model, args in ((GaussianMixture(3, random_state=0), ()), (MixtureDiscriminant(2), (y,))):
        before = model.fit(X, *args).predict_proba(X)
        with pytest.raises(NotFinite):
            model.fit(np.where(X > 7, np.inf, X), *args)
        assert np.array_equal(model.predict_proba(X), before)


def test_one_line_per_iteration_is_printed_on_request(capsys):
    X, _ = IRIS
    model = GaussianMixture(3, random_state=0, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_ == len(model.log_likelihoods_)
    assert lines[1].startswith("start 1, iteration 2: mean log-likelihood -")
    seen = []
    GaussianMixture(3, random_state=0, callback=seen.append).fit(X)
    assert len(seen) == model.n_iter_
    assert capsys.readouterr().out == ""


def test_an_interrupted_fit_keeps_the_best_model_so_far():
    def stop(progress):
        if progress.iteration == 3:
            raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="interrupted after 3 iterations"):
        model = GaussianMixture(3, random_state=0, callback=stop, tol=1e-9).fit(IRIS[0])
    assert not model.converged_
    assert model.n_iter_ == 3
    assert np.isfinite(model.score(IRIS[0]))
    with pytest.warns(RuntimeWarning, match="interrupted"):
        model = MixtureDiscriminant(3, random_state=0, callback=stop, tol=1e-9).fit(*IRIS)
    assert model.score(*IRIS) > 0.9


def test_too_few_iterations_are_reported():
    with pytest.warns(ConvergenceWarning, match="not converged in 2 iterations"):
        model = GaussianMixture(3, random_state=0, max_iter=2, tol=1e-12).fit(IRIS[0])
    assert not model.converged_


def test_components_that_shrink_to_one_row_each_are_reported():
    X = np.random.default_rng(0).normal(size=(5, 2))
    with pytest.warns(RuntimeWarning, match="shrank to single rows"):
        model = GaussianMixture(5, random_state=0).fit(X)
    assert np.isfinite(model.covariances_).all()
    assert not model.converged_


def test_borrowed_components_are_reported():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(60, 2)), np.repeat([[9.0, 9.0]], 30, axis=0)]
    model = GaussianMixture(2, random_state=0, max_iter=300).fit(X)
    assert len(model.borrowed_components_) == 1
    assert len(GaussianMixture(2, random_state=0).fit(IRIS[0]).borrowed_components_) == 0


BAD_PARAMETERS = {
    "n_components": [0, -1, 1.5, True, None, "x"],
    "covariance_type": ["round", 3],
    "tol": [-1, "x", np.nan],
    "reg_covar": [-1.0, "x"],
    "max_iter": [-1, 1.5, "x", False],
    "n_init": [0, "x"],
    "init_params": ["often", None],
    "weights_init": [[0.5, 0.6], [1.0], [1.5, -0.5], "x", [np.nan, 1.0]],
    "means_init": [[[1.0, 2.0]], np.full((2, 4), np.nan)],
    "precisions_init": [np.eye(4), -np.array([np.eye(4)] * 2), "x"],
    "structure": ["round"],
    "pooling": [2.0],
    "shrinkage": ["x", 2],
    "target": ["x"],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in BAD_PARAMETERS.items() for value in values],
)
def test_bad_parameters_of_a_mixture_are_named(name, value):
    model = GaussianMixture(2).set_params(**{name: value})
    with pytest.raises(InvalidParameter, match=name):
        model.fit(IRIS[0])


@pytest.mark.parametrize("value", [0, 1.5, "x", None, {0: 1, 1: 0, 2: 1}, {0: 1, 1: "x", 2: 2}])
def test_bad_numbers_of_components_are_named(value):
    with pytest.raises(InvalidParameter, match="n_components"):
        MixtureDiscriminant(value).fit(*IRIS)


def test_a_mapping_must_name_the_classes():
    with pytest.raises(InvalidParameter, match="'z'"):
        MixtureDiscriminant({0: 1, 1: 1, 2: 1, "z": 2}).fit(*IRIS)
    with pytest.raises(InvalidParameter, match="no entry for class 2"):
        MixtureDiscriminant({0: 1, 1: 1}).fit(*IRIS)
    with pytest.raises(TooFewRows, match="class 1 is 51, but it has 50"):
        MixtureDiscriminant({0: 1, 1: 51, 2: 1}).fit(*IRIS)


def test_more_components_than_rows_are_refused():
    X, y = IRIS
    with pytest.raises(TooFewRows, match="n_components is 6, but X has 5 rows"):
        GaussianMixture(6).fit(X[:5])
    with pytest.raises(TooFewRows, match="n_components is 51, but the largest class, 0, has 50"):
        MixtureDiscriminant(51).fit(X, y)
    with pytest.raises(TooFewRows, match="n_components is 4, but X has 3 rows"):
        GaussianMixture(4).fit(X[:6], sample_weight=[1, 0, 1, 0, 1, 0])


@pytest.mark.parametrize("K", [1, 2])
def test_one_row_again_and_again_is_refused(K):
    X = np.repeat([[1.0, 2.0]], 20, axis=0)
    with pytest.raises(TooFewRows, match="20 rows of X are the same"):
        GaussianMixture(K).fit(X)
    with pytest.raises(TooFewRows):
        MixtureDiscriminant({0: K, 1: K}).fit(X, np.arange(20) % 2)


@pytest.mark.parametrize(
    "y", [np.full(150, -1), np.full(150, np.nan), np.full(150, None), [None] * 150], ids=repr
)
def test_rows_without_any_label_are_refused(y):
    with pytest.raises(InvalidLabels, match="none of the 150 rows has a label"):
        MixtureDiscriminant(2).fit(IRIS[0], y)


def test_labels_on_rows_of_no_weight_are_ignored():
    X, y = IRIS
    with pytest.raises(InvalidLabels, match="no row of positive weight"):
        MixtureDiscriminant(1).fit(X, np.where(y == 2, -1, y), (y == 2).astype(float))
    assert MixtureDiscriminant(1).fit(X, y, (y < 2).astype(float)).classes_.tolist() == [0, 1]


def test_bad_rows_labels_and_weights_are_named():
    X, y = IRIS
    for model, args in ((GaussianMixture(2), ()), (MixtureDiscriminant(2), (y,))):
        infinite = X.copy()
        infinite[3, 2] = np.inf
        with pytest.raises(NotFinite, match="row 3, column 2"):
            model.fit(infinite, *args)
        fitted = clone(model).fit(X, *args)
        with pytest.raises(NotFinite, match="row 3, column 2"):
            fitted.predict(infinite)
        with pytest.raises(InvalidFeatures):
            fitted.predict(X[:, :2])
        with pytest.raises(InvalidInput, match="sample_weight"):
            model.fit(X, *(args or (None,)), sample_weight=-np.ones(150))
        empty = X.copy()
        empty[:, 1] = np.nan
        with pytest.raises(InvalidFeatures, match="column 1"):
            model.fit(empty, *args)
    with pytest.raises(InvalidInput, match="150 rows but y has 10"):
        MixtureDiscriminant().fit(X, y[:10])
    with pytest.raises(InvalidLabels, match="requires y"):
        MixtureDiscriminant().fit(X, None)
    with pytest.raises(InvalidLabels):
        MixtureDiscriminant().fit(X, np.where(y == 0, "a", y.astype(object)))
    with pytest.raises(InvalidParameter, match="priors"):
        MixtureDiscriminant(priors=[0.5, 0.5]).fit(X, y)


@pytest.mark.parametrize("pooling", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("target", ["identity", "diagonal"])
@pytest.mark.parametrize("priors", [None, "uniform"])
def test_one_gaussian_per_class_has_the_parameters_of_the_family(
    pooling, shrinkage, target, priors
):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
    how = {"pooling": pooling, "shrinkage": shrinkage, "target": target, "priors": priors}
    family = sf.GaussianDiscriminant(**how).fit(X, y)
    mixture = sf.MixtureDiscriminant(1, **how).fit(X, y)
    assert mixture.n_parameters() == family.n_parameters()
    assert mixture.aic(X, y) == pytest.approx(family.aic(), rel=1e-9)
    assert mixture.bic(X, y) == pytest.approx(family.bic(), rel=1e-9)


def test_a_mixture_says_why_it_has_no_equation():
    model = sf.MixtureDiscriminant(1).fit([[0.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1])
    with pytest.raises(AttributeError, match="no equation of second degree"):
        model.boundary(0, 1)


# As in scikit-learn


def test_no_iteration_keeps_the_start(tmp_path):
    X = IRIS[0]
    means = X[[0, 60, 120]]
    model = GaussianMixture(3, max_iter=0, means_init=means, random_state=0).fit(X)
    np.testing.assert_allclose(model.means_, means)
    assert (model.n_iter_, model.converged_, len(model.lower_bounds_)) == (0, False, 0)
    model.save(tmp_path / "start")
    again = sf.load(tmp_path / "start")
    assert again.n_iter_ == 0
    np.testing.assert_array_equal(again.means_, model.means_)


def test_a_warm_start_goes_on_where_the_last_fit_stopped():
    X, steps = IRIS[0], {"tol": 0.0, "random_state": 0}
    once = GaussianMixture(3, max_iter=6, **steps).fit(X)
    thrice = GaussianMixture(3, max_iter=2, warm_start=True, **steps)
    bounds = [thrice.fit(X).lower_bounds_ for _ in range(3)]
    np.testing.assert_allclose(thrice.means_, once.means_, rtol=1e-12)
    np.testing.assert_allclose(np.concatenate(bounds), once.lower_bounds_, rtol=1e-12)
    # Other components start anew.
    assert thrice.set_params(n_components=2).fit(X).means_.shape == (2, 4)


def test_every_start_of_scikit_learn_is_accepted():
    models = [
        GaussianMixture(3, init_params=start, random_state=0).fit(IRIS[0])
        for start in ("k-means++", "kmeans", "random", "random_from_data")
    ]
    for model in models[1:]:
        assert np.array_equal(model.means_, models[0].means_)
