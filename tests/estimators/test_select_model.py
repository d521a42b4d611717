"""select_model, and parameters that cross-validation chooses at fit."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB as sklearn_nb
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    NotFinite,
    TooFewRows,
)
from suffice.estimators.automatic.averaging import average, log_prior_weight
from suffice.selection.selection import Selection

X, Y = load_wine(return_X_y=True)
SHARES = [0.0, 0.1, 0.3, 0.9]


def test_the_best_is_what_grid_search_finds():
    found = sf.select_model(X, Y, sf.QDA(target="diagonal"), {"shrinkage": SHARES}, rule="best")
    search = GridSearchCV(
        sf.QDA(target="diagonal"),
        {"shrinkage": SHARES},
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        scoring="neg_log_loss",
    ).fit(X, Y)
    assert found.model.get_params() == search.best_estimator_.get_params()
    np.testing.assert_allclose(
        found.table["log_loss"], -search.cv_results_["mean_test_score"], rtol=1e-10
    )
    np.testing.assert_allclose(
        found.model.predict_proba(X), search.best_estimator_.predict_proba(X), rtol=1e-9
    )


def test_the_table_has_means_and_standard_errors_over_the_folds():
    found = sf.select_model(X, Y, [sf.LDA(), sf.QDA()])
    frame = pd.DataFrame(found.table)
    scores = cross_val_score(sf.QDA(), X, Y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
    assert frame["accuracy"][1] == pytest.approx(scores.mean())
    assert frame["accuracy_se"][1] == pytest.approx(scores.std(ddof=1) / np.sqrt(5))
    assert frame["model"].tolist() == [
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
    ]


def test_the_automatic_choice_beats_every_corner_of_the_family():
    found = sf.select_model(X, Y)
    corners = sf.select_model(X, Y, [sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA()])
    best = found.table["log_loss"][found.best]
    assert best < corners.table["log_loss"].min()
    assert found.model.score(X, Y) > 0.98
    assert "candidates, 10 folds, by log_loss" in repr(found)


@pytest.mark.parametrize("metric", ["accuracy", "log_loss", "brier", "calibration_error"])
def test_any_metric_may_decide(metric):
    found = sf.select_model(X, Y, sf.LDA(), {"shrinkage": SHARES}, metric=metric)
    values = found.table[metric]
    assert values[found.best] == (values.max() if metric == "accuracy" else values.min())


def test_one_standard_error_takes_the_simplest_that_is_as_good():
    grid = {"pooling": [0.0, 0.5, 1.0], "shrinkage": [0.0, 0.2, 0.5]}
    model = sf.GaussianDiscriminant(target="diagonal")
    found = sf.select_model(X, Y, model, grid, rule="one-standard-error")
    at, best, table = found.one_standard_error, found.best, found.table
    limit = table["log_loss"][best] + table["log_loss_se"][best]
    near = table["log_loss"] <= limit
    assert near[at]
    assert table["parameters"][at] == table["parameters"][near].min()
    assert found.model.pooling == found.candidates[at].get("pooling", 0.0)


def test_any_classifier_may_stand_beside_the_family():
    peer = make_pipeline(StandardScaler(), LogisticRegression())
    models = [sf.LDA(), peer, sf.MixtureDiscriminant(n_components=1), sf.MixedNB()]
    found = sf.select_model(X, Y, models)
    scores = cross_val_score(
        peer, X, Y, cv=StratifiedKFold(5, shuffle=True, random_state=0), scoring="neg_log_loss"
    )
    np.testing.assert_allclose(found.scores["log_loss"][1], -scores, rtol=1e-9)
    nb = cross_val_score(
        sf.GaussianNB(),
        X,
        Y,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        scoring="neg_log_loss",
    )
    np.testing.assert_allclose(found.scores["log_loss"][3], -nb, rtol=1e-9)
    qda = cross_val_score(
        sf.QDA(), X, Y, cv=StratifiedKFold(5, shuffle=True, random_state=0), scoring="neg_log_loss"
    )
    np.testing.assert_allclose(found.scores["log_loss"][2], -qda, rtol=1e-7)


def test_mixed_frames_are_taken():
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame["level"] = np.where(X[:, 9] > 5, "high", "low")
    found = sf.select_model(frame, Y, cv=5)
    assert found.table["log_loss"][found.best] < 0.6
    assert found.model.predict(frame[:2]).shape == (2,)
    scores = cross_val_score(
        sf.MixedNB(alpha=3.0),
        frame,
        Y,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        scoring="neg_log_loss",
    )
    at = next(
        i for i, one in enumerate(found.candidates) if one == {"model": "MixedNB", "alpha": 3.0}
    )
    np.testing.assert_allclose(found.scores["log_loss"][at], -scores, rtol=1e-9)


def test_thresholds_of_binary_features_are_compared_each_with_its_own_statistics():
    models = [sf.BernoulliNB(binarize=threshold) for threshold in (0.0, 13.0)]
    together = sf.select_model(X, Y, models)
    for model, score in zip(models, together.scores["log_loss"], strict=True):
        alone = sf.select_model(X, Y, model)
        np.testing.assert_allclose(score, alone.scores["log_loss"][0])


def test_a_candidate_that_cannot_be_fitted_is_left_out_and_named():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(20, 2)), np.repeat([0, 1], 10)
    found = sf.select_model(rows, y, [sf.LDA(), sf.CategoricalNB()])
    assert np.isnan(found.table["log_loss"][1])
    assert found.best == 0
    assert "CategoricalNB is left out" in repr(found)


def test_a_class_with_a_single_row_is_never_tested_and_the_result_says_so():
    y = Y.astype(str)
    y[5] = "alone"
    found = sf.select_model(X, y, [sf.LDA()])
    assert found.notes == (
        "class 'alone' has a single row: it trains in every fold and is never tested.",
    )
    assert list(found.model.classes_) == ["0", "1", "2", "alone"]


def test_notes_on_several_small_classes_speak_of_several():
    y = Y.astype(str)
    y[5], y[6], y[[7, 8]], y[[9, 10]] = "alone", "single", "few", "rare"
    assert sf.select_model(X, y, [sf.LDA()]).notes == (
        "classes 'alone', 'single' have a single row each: they train in every fold and are never "
        "tested.",
        "classes 'few', 'rare' have fewer rows than there are folds, so some folds do not test all "
        "of them.",
    )


def test_a_class_with_fewer_rows_than_folds_is_tested_in_some_of_them():
    y = Y.astype(str)
    y[[5, 6]] = "few"
    found = sf.select_model(X, y, [sf.LDA()])
    assert "fewer rows than there are folds" in found.notes[0]
    assert np.isfinite(found.table["log_loss"]).all()


def test_folds_are_no_more_than_rows_of_the_largest_class():
    rng = np.random.default_rng(0)
    found = sf.select_model(rng.normal(size=(6, 1)), [0, 0, 0, 1, 1, 1], [sf.LDA()])
    assert found.scores["accuracy"].shape == (1, 3)
    assert found.notes == ("3 folds instead of 5: no class has more rows.",)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y": np.zeros(len(Y))}, TooFewRows, "one class"),
        ({"y": Y[:-1]}, InvalidInput, "178 rows but y has 177 labels"),
        ({"cv": 1}, InvalidParameter, "at least 2 folds"),
        ({"cv": [([0, 1, 60, 61], [500])]}, InvalidParameter, "fold 0 of cv names row 500"),
        ({"cv": [(np.arange(100), [-1])]}, InvalidParameter, "fold 0 of cv names row -1"),
        ({"cv": [([0.5, 1.5], [2.5])]}, InvalidParameter, "fold 0 of cv holds float64"),
        ({"cv": [(np.arange(178), [])]}, InvalidParameter, "fold 0 has no row to test on"),
        ({"cv": "five"}, InvalidParameter, "does not split"),
        ({"metric": "auc"}, InvalidParameter, "metric is 'auc'"),
        ({"rule": "two"}, InvalidParameter, "rule is 'two'"),
        ({"models": ["lda"]}, InvalidParameter, "pass classifiers"),
        ({"models": sf.LDA(), "grid": {"pooling": [1]}}, InvalidParameter, "grid does not fit"),
        ({"models": sf.LDA(), "grid": {"shrinkage": [2.0]}}, InvalidParameter, "shrinkage is 2.0"),
        ({"groups": [1, 2]}, InvalidParameter, "groups has shape"),
        ({"groups": 5}, InvalidParameter, "groups has shape"),
        ({"groups": [None, *"a" * 177]}, InvalidParameter, "groups is missing in row 0"),
        ({"groups": np.append(np.nan, np.ones(177))}, InvalidParameter, "missing in row 0"),
        ({"groups": np.zeros(len(Y))}, TooFewRows, "all rows are in one group"),
        ({"models": sf.LDA}, InvalidParameter, "is a class; write LinearDiscriminantAnalysis"),
        ({"models": []}, InvalidParameter, "models is empty"),
        ({"sample_weight": np.zeros(len(Y))}, InvalidInput, "weight"),
    ],
    ids=lambda value: str(list(value)) if isinstance(value, dict) else "",
)
def test_contradictory_settings_are_named(change, error, message):
    given = {"y": Y, "models": [sf.LDA()], **change}
    with pytest.raises(error, match=message):
        sf.select_model(X, **given)


def test_weights_reach_the_last_step_of_a_pipeline():
    weights = np.random.default_rng(0).uniform(0.5, 3, len(Y))
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame["level"] = np.where(X[:, 9] > 5, "high", "low")
    models = [make_pipeline(sf.Indicators(), model) for model in (sf.LDA(), sklearn_nb())]
    found = sf.select_model(frame, Y, models, sample_weight=weights)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for i, model in enumerate(models):
        for f, (train, test) in enumerate(folds.split(X, Y)):
            last = {f"{model.steps[-1][0]}__sample_weight": weights[train]}
            fitted = clone(model).fit(frame.iloc[train], Y[train], **last)
            own = fitted.predict_log_proba(frame.iloc[test])[np.arange(len(test)), Y[test]]
            loss = -np.average(own, weights=weights[test])
            assert found.scores["log_loss"][i, f] == pytest.approx(loss, rel=1e-9)


def test_rows_of_weight_zero_are_as_if_absent():
    y = np.append(Y.astype(str), ["0", "nowhere"])
    rows, weights = np.concatenate([X, 100 * X[:2]]), np.append(np.ones(len(Y)), [0, 0])
    models = [sf.LDA(), sf.QDA(), sf.MixedNB(), sf.MixtureDiscriminant(n_components=1)]
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y))
    with_zeros = [(np.append(train, [178]), np.append(test, [179])) for train, test in splits]
    found = sf.select_model(rows, y, models, cv=with_zeros, sample_weight=weights)
    plain = sf.select_model(X, Y.astype(str), models, cv=splits)
    np.testing.assert_allclose(found.scores["log_loss"], plain.scores["log_loss"], rtol=1e-9)
    share = sf.LDA(shrinkage="cv").fit(rows, y, sample_weight=weights).shrinkage_
    assert share in sf.LDA(shrinkage="cv").fit(X, Y).selection_.table["shrinkage"]


def test_an_error_that_all_candidates_share_is_told_once_and_as_it_is():
    rows = X.copy()
    rows[100, 2] = np.inf
    with pytest.raises(NotFinite, match=r"row 100, column 2") as caught:
        sf.select_model(rows, Y)
    assert "left out" not in str(caught.value)


def test_no_rows_at_all_are_named():
    with pytest.raises(InvalidLabels, match="no labels"):
        sf.select_model(X[:0], Y[:0])
    with pytest.raises(InvalidFeatures, match="X is missing"):
        sf.select_model(None, Y)


def test_models_may_be_a_mapping_or_a_list():
    models = {"one": sf.LDA(), "two": sf.QDA()}
    by_name, listed = (sf.select_model(X, Y, m) for m in (models, list(models.values())))
    assert np.array_equal(by_name.scores["log_loss"], listed.scores["log_loss"])
    found = sf.compare(X, Y, [sf.LDA(), sf.LDA(shrinkage=0.1)])
    assert found.names == ("LinearDiscriminantAnalysis", "LinearDiscriminantAnalysis (2)")


def test_fewer_groups_than_folds_make_fewer_folds():
    found = sf.select_model(X, Y, sf.LDA(), groups=[f"g{i % 3}" for i in range(len(Y))])
    assert found.notes == ("3 folds instead of 5: there are no more groups.",)


# Parameters chosen at fit


@pytest.mark.parametrize(
    "model",
    [
        sf.LDA(shrinkage="cv", target="diagonal"),
        sf.QDA(shrinkage="cv"),
        sf.DiagonalLDA(shrinkage="cv"),
        sf.GaussianDiscriminant(pooling="cv", target="diagonal"),
        sf.GaussianDiscriminant(pooling="cv", shrinkage="cv", priors="uniform"),
    ],
    ids=repr,
)
def test_cv_takes_the_simplest_value_that_is_not_clearly_worse_than_the_best(model):
    fitted = clone(model).fit(X, Y)
    losses = fitted.selection_.table["log_loss"]
    chosen = {name: getattr(fitted, f"{name}_") for name in ("pooling", "shrinkage")}
    chosen = {name: value for name, value in chosen.items() if getattr(model, name, 0) == "cv"}
    plain = clone(model).set_params(**chosen)
    score = cross_val_score(
        plain, X, Y, cv=StratifiedKFold(5, shuffle=True, random_state=0), scoring="neg_log_loss"
    ).mean()
    assert losses[fitted.selection_.careful] == pytest.approx(-score, rel=1e-10)
    assert losses[fitted.selection_.careful] <= losses.min() + 0.05
    expected = plain.fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(fitted.predict_proba(X), expected, rtol=1e-11)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.LDA(shrinkage="auto")])
@pytest.mark.parametrize("weights", [None, np.arange(len(X)) % 3 + 0.5])
def test_the_model_is_the_same_as_one_fitted_to_the_rows(model, weights):
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    labels = np.array(["zero", "one", "two"])[Y]
    found = sf.select_model(frame, labels, model, sample_weight=weights).model
    refit = clone(model).fit(frame, labels, weights)
    assert found.statistics_ == refit.statistics_
    assert found.statistics_.detail == refit.statistics_.detail
    assert found.statistics_.feature_names == refit.statistics_.feature_names
    assert found.classes_.tolist() == refit.classes_.tolist()
    assert found.feature_names_in_.tolist() == refit.feature_names_in_.tolist()


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_what_cv_chose_is_kept_when_rows_come_and_go():
    model = sf.LDA(shrinkage="cv", target="diagonal").fit(X[::2], Y[::2])
    share = model.shrinkage_
    model.partial_fit(X[1::2], Y[1::2])
    plain = sf.LDA(shrinkage=share, target="diagonal").fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-9)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert model.with_priors("uniform").shrinkage_ == share


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_a_later_fit_with_a_number_forgets_the_choice():
    model = sf.LDA(shrinkage="cv").fit(X, Y).set_params(shrinkage=0.5).fit(X, Y)
    assert model.shrinkage_ == 0.5
    assert not hasattr(model, "selection_")


@pytest.mark.parametrize("how", ["partial_fit", "fit_statistics"])
def test_cv_without_rows_to_test_on_says_what_to_do(how):
    model = sf.QDA(shrinkage="cv")
    given = (X, Y) if how == "partial_fit" else (sf.summarize(X, Y),)
    with pytest.raises(InvalidParameter, match=r"shrinkage='cv' needs rows to test on"):
        getattr(model, how)(*given)


def test_a_failed_fit_with_cv_changes_nothing():
    model = sf.LDA(shrinkage="cv").fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(TooFewRows):
        model.fit(X, np.zeros(len(Y)))
    assert np.array_equal(model.predict_proba(X), before)


def test_cv_on_a_frame_keeps_its_names():
    rows, y = load_iris(return_X_y=True, as_frame=True)
    model = sf.GaussianDiscriminant(pooling="cv").fit(rows, y)
    assert list(model.feature_names_in_) == list(rows.columns)
    assert model.score(rows, y) > 0.95


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("ask", [sf.select_model, sf.compare])
def test_progress_grows_from_nothing_to_all(ask, levels):
    rows = X[:, :3]
    if levels:
        rows = pd.DataFrame(rows).assign(kind=np.where(X[:, 3] > np.median(X[:, 3]), "a", "b"))
        rows.columns = [str(name) for name in rows.columns]
    told = []
    plain = {"LDA": sf.LDA(), "other": LogisticRegression(max_iter=2000)}
    models = [sf.MixedNB(), sf.MixedNB(alpha=2.0)] if levels else plain
    ask(rows, Y, models, progress=told.append)
    assert told == sorted(told)
    assert 0 < told[0] < 0.5
    assert told[-1] == 1.0


# The average


def _told(losses, folds=4):
    rows = tuple({"model": "GaussianDiscriminant"} for _ in losses)
    scores = {"log_loss": np.repeat(np.array(losses)[:, None], folds, axis=1)}
    return Selection(rows, scores, np.arange(len(losses), dtype=float))


def test_candidates_count_by_the_likelihood_of_the_rows_they_were_tested_on():
    found = _told([0.5, 0.4, 0.45, np.nan]).weights(20)
    expected = np.exp(-20 * np.array([0.1, 0.0, 0.05]))
    np.testing.assert_allclose(found, [*expected / expected.sum(), 0.0], rtol=1e-12)


def test_a_candidate_is_believed_by_its_past_and_by_its_tests():
    even = _told([0.5, 0.4, 0.45])
    found = even.weights(20, np.array([3.0, 0.0, 1.0]))
    expected = np.exp([3.0 - 2.0, 0.0, 1.0 - 1.0])
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-12)


def test_what_one_fold_decides_is_decided_less():
    rows = ({"model": "LDA"}, {"model": "QDA"})
    hard = np.array([[0.2, 0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.9]])
    steady = np.repeat(hard.mean(axis=1)[:, None], 4, axis=1)
    one, other = (
        Selection(rows, {"log_loss": scores}, np.zeros(2)).weights(100) for scores in (hard, steady)
    )
    assert other[1] < 1e-4
    assert 0.05 < one[1] < 0.5
    again = Selection(rows, {"log_loss": hard}, np.zeros(2)).weights(100)
    assert one.tolist() == again.tolist()
    # Dealt twice, rows are no more than they were.
    twice = Selection(rows, {"log_loss": np.tile(hard, 2)}, np.zeros(2), repeats=2).weights(100)
    assert twice[1] == pytest.approx(one[1], abs=0.1)


def test_what_is_simpler_is_believed_more_beforehand():
    order = [
        sf.LDA(),
        sf.UnskewedDiscriminant(pooling=1.0),
        sf.GaussianDiscriminant(pooling=1.0, inflation=3.0),
        sf.GaussianDiscriminant(pooling=0.25),
        sf.QDA(),
        sf.UnskewedDiscriminant(pooling=0.0),
        sf.MixtureDiscriminant(2),
        sf.MixtureDiscriminant(3),
    ]
    beliefs = [log_prior_weight(model) for model in order]
    assert beliefs[0] == 0
    assert beliefs == sorted(beliefs, reverse=True)
    assert len(set(beliefs)) == len(order)
    assert log_prior_weight(make_pipeline(StandardScaler(), sf.QDA())) == beliefs[4]
    assert log_prior_weight(sf.LDA(shrinkage="cv")) == log_prior_weight(LogisticRegression()) == 0
    assert log_prior_weight(sf.GaussianDiscriminant(pooling=1, inflation="cv")) == 0
    assert log_prior_weight(sf.MixtureDiscriminant(np.int64(3))) == beliefs[-1]


def _classes(centres, spread=0.3, rows=150, seed=0):
    """Two classes, each about centres of its own."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], rows)
    middle = np.array(centres, float)[y, rng.integers(len(centres[0]), size=2 * rows)]
    return middle + spread * rng.normal(size=(2 * rows, 2)), y


def test_classes_that_fall_apart_get_two_gaussians_each():
    rows, y = _classes([[[-3, 0], [1, 0]], [[-1, 0], [3, 0]]])
    found = sf.select_model(rows, y, cv=5, simple=True)
    assert isinstance(found.model, sf.MixtureDiscriminant)
    assert found.scores["accuracy"][found.chosen].mean() > 0.97
    pool = sf.select_model(rows, y, cv=5).model
    assert any(isinstance(one, sf.MixtureDiscriminant) for one in pool.members_.values())


def test_minus_one_is_a_label_like_any_other():
    rows, y = _classes([[[-3, 0], [1, 0]], [[-1, 0], [3, 0]]])
    labels = np.r_[y, np.full(150, -1)]
    found = sf.select_model(np.r_[rows, rows[:150] + 20], labels, cv=5, simple=True)
    assert isinstance(found.model, sf.MixtureDiscriminant)
    assert found.model.classes_.tolist() == [-1, 0, 1]
    assert found.scores["accuracy"][found.chosen].mean() > 0.97


def test_classes_of_one_piece_do_not():
    found = sf.select_model(*_classes([[[-1, -1]], [[1, 1]]], spread=1.0), cv=5)
    assert not isinstance(found.model, sf.MixtureDiscriminant)
    assert any(one["model"] == "MixtureDiscriminant" for one in found.candidates)


@pytest.mark.parametrize("why", ["few rows", "gaps"])
def test_mixtures_are_not_tried_without_enough_rows_or_with_gaps(why):
    rows, y = _classes([[[-1, -1]], [[1, 1]]], rows=90 if why == "few rows" else 150)
    if why == "gaps":
        rows[3, 1] = np.nan
    found = sf.select_model(rows, y)
    assert not any(one["model"] == "MixtureDiscriminant" for one in found.candidates)


def test_the_average_lies_between_those_of_the_heaviest_kind():
    some = [
        sf.GaussianDiscriminant(pooling=pooling, shrinkage=share, target="diagonal")
        for pooling, share in ((0.0, 0.0), (1.0, 0.1))
    ]
    others = [sf.GaussianNB(var_smoothing=0.1), sf.BayesianDiscriminant(pooling=1.0)]
    found, same = average([*some, *others], np.array([0.2, 0.2, 0.3, 0.3]))
    assert isinstance(found, sf.GaussianDiscriminant)
    assert found.pooling == 0.5
    assert found.shrinkage == pytest.approx(np.sqrt(0.001 * 0.101) - 0.001, rel=1e-2)
    assert found.inflation == 1.0
    alone, at = average([*some, *others], np.array([0.0, 0.0, 0.4, 0.6]))
    assert repr(alone) == repr(others[1])
    assert (same, at) == (None, 3)
    whole = [sf.GaussianDiscriminant(pooling=0), sf.GaussianDiscriminant(pooling=1)]
    assert average(whole, np.array([0.5, 0.5]))[0].pooling == 0.5
    assert some[0].pooling == 0.0


def test_the_average_is_tried_on_the_same_folds_and_fitted():
    rows, y = load_breast_cancer(return_X_y=True)
    found = sf.select_model(rows, y, simple=True, repeats=1)
    assert found.averaged
    assert found.chosen == found.tried == len(found.candidates) - 1
    again = sf.select_model(rows, y, found.model, cv=5)
    for name, values in found.scores.items():
        np.testing.assert_allclose(values[found.chosen], again.scores[name][0], rtol=1e-9)
    assert max(found.best, found.careful, found.one_standard_error) < found.tried
    assert "average of those that did well" in repr(found)


def test_a_pool_takes_one_short_line_of_the_table():
    found = sf.select_model(X, Y, repeats=1)
    line = next(line for line in repr(found).splitlines() if line.startswith("+"))
    assert f"PooledDiscriminant of {len(found.model.members_)} models  " in line
    assert "pool of those that did well" in repr(found)


def test_the_rule_may_be_named_and_is_careful_with_models_of_the_users():
    grid = {"shrinkage": [0.01, 0.1, 0.3]}
    mine = sf.select_model(X, Y, sf.LDA(target="diagonal"), grid)
    assert not mine.averaged
    assert mine.chosen == mine.careful
    between = sf.select_model(X, Y, sf.LDA(target="diagonal"), grid, rule="average")
    assert 0.01 < between.model.shrinkage < 0.3
    best = sf.select_model(X, Y, rule="best", cv=5)
    assert best.chosen == best.best
    with pytest.raises(InvalidParameter, match="weighs models by log_loss"):
        sf.select_model(X, Y, rule="average", metric="accuracy")


def test_rows_dealt_anew_make_more_folds_but_no_smaller_errors():
    once = sf.select_model(X, Y, sf.LDA(), cv=5)
    often = sf.select_model(X, Y, sf.LDA(), cv=5, repeats=8)
    assert often.scores["log_loss"].shape == (1, 40)
    np.testing.assert_allclose(often.scores["log_loss"][:, :5], once.scores["log_loss"], rtol=1e-12)
    spread = often.scores["log_loss"].std(ddof=1)
    assert often.table["log_loss_se"][0] == pytest.approx(spread / np.sqrt(5))
    with pytest.raises(InvalidParameter, match="repeats"):
        sf.select_model(X, Y, sf.LDA(), cv=StratifiedKFold(5), repeats=2)
    with pytest.raises(InvalidParameter, match="repeats"):
        sf.select_model(X, Y, sf.LDA(), repeats=0)


def test_what_is_too_few_is_said_of_the_rows_outside_a_fold():
    with pytest.raises(TooFewRows, match="in the rows outside a fold, every class has 1 row"):
        sf.select_model([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 4.0]], [0, 0, 1, 1], sf.LDA())


def test_what_is_wrong_with_a_row_is_said_of_the_table():
    spoilt = X.copy()
    spoilt[3, 1] = np.inf
    with pytest.raises(NotFinite, match=r"^Input X contains infinity: .* row 3, column 1"):
        sf.select_model(spoilt, Y)
