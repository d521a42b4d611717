"""PooledDiscriminant: the laws of a mean of models, its answers, learning, and what it refuses."""

from __future__ import annotations

import pickle
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from lawful import one_per_class
from suffice.answers.integration import shapley_values
from suffice.errors import InvalidParameter, Mismatch, TooFewRows
from suffice.estimators.automatic import out_of_fold
from suffice.selection.pool import Pool
from suffice.selection.recalibration import Recalibration

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIGITS = tuple(part[::3] for part in load_digits(return_X_y=True))
RNG = np.random.default_rng(3)
GAPS = np.where(RNG.random(IRIS[0].shape) < 0.1, np.nan, IRIS[0])
FRAME = pd.DataFrame(IRIS[0], columns=["a", "b", "c", "d"])
FRUIT = pd.DataFrame(
    {
        "size": np.round(IRIS[0][:, 0], 1),
        "colour": np.array(["red", "blue", "green"])[(IRIS[1] + RNG.integers(0, 2, 150)) % 3],
        "ripe": RNG.random(150) < 0.3 + 0.2 * IRIS[1],
    }
)


def pooled(X=IRIS[0], y=IRIS[1], **options):
    return sf.PooledDiscriminant(**options).fit(X, y)


def by_hand(weights, share_weight, recalibrations, X=IRIS[0], y=IRIS[1]):
    members = [sf.LDA().fit(X, y), sf.QDA().fit(X, y)]
    return sf.PooledDiscriminant._of(members, recalibrations, weights, share_weight, X, y)


def because_rows_are_divided_into_folds(estimator):
    if not estimator.calibrate:
        return {}
    why = "a row that counts twice is in one fold, two equal rows may be in two"
    return {"check_sample_weight_equivalence_on_dense_data": why}


@parametrize_with_checks(
    one_per_class(
        [sf.PooledDiscriminant(), sf.PooledDiscriminant([sf.LDA(shrinkage=0.1)], calibrate=False)]
    ),
    expected_failed_checks=because_rows_are_divided_into_folds,
)
def test_pools_pass_the_checks_of_sklearn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("member", [sf.LDA(), sf.GaussianNB(), sf.QDA(priors="uniform")], ids=repr)
def test_a_pool_of_one_member_without_calibration_is_the_member(member):
    alone = clone(member).fit(*WINE)
    pool = pooled(*WINE, models=[member], calibrate=False)
    X, gaps = WINE[0], np.where(RNG.random(WINE[0].shape) < 0.2, np.nan, WINE[0])
    assert pool.weights_ == [1.0]
    for rows in (X, gaps):
        for answer in ("predict_log_proba", "score_samples", "outlier_pvalue", "impute"):
            wanted = getattr(alone, answer)(rows)
            np.testing.assert_allclose(getattr(pool, answer)(rows), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(pool.log_odds(X, 0, 1), alone.log_odds(X, 0, 1), atol=1e-9)
    drawn, wanted = (model.sample(4000, random_state=0)[0] for model in (pool, alone))
    spread = 5 * X.std(axis=0) * np.sqrt(2 / 4000)
    assert (np.abs(drawn.mean(axis=0) - wanted.mean(axis=0)) < spread).all()


def test_the_order_of_the_members_does_not_matter():
    models = {"lda": sf.LDA(), "qda": sf.QDA(), "nb": sf.GaussianNB()}
    first, *others = [
        pooled(models={name: models[name] for name in order}) for order in permutations(models)
    ]
    for other in others:
        weights = dict(zip(other.members_, other.weights_, strict=True))
        np.testing.assert_allclose(
            [weights[name] for name in first.members_], first.weights_, rtol=1e-9
        )
        np.testing.assert_allclose(
            other.predict_proba(GAPS), first.predict_proba(GAPS), rtol=1e-9, atol=1e-12
        )


def test_posteriors_and_densities_are_those_of_the_formula():
    own = [Recalibration(0.7, np.array([0.1, 0.2, -0.3])), Recalibration(1.2, np.zeros(3))]
    pool = by_hand([0.5, 0.3], 0.2, own)
    members, X = list(pool.members_.values()), IRIS[0]
    total = 0.2 * np.full(3, 1 / 3)
    for weight, one, member in zip([0.5, 0.3], own, members, strict=True):
        p = member.predict_proba(X) ** one.slope * np.exp(one.offsets)
        total = total + weight * p / p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(pool.predict_proba(X), total, rtol=1e-10)
    densities = [member.score_samples(X) for member in members]
    density = np.log(5 / 8 * np.exp(densities[0]) + 3 / 8 * np.exp(densities[1]))
    np.testing.assert_allclose(pool.score_samples(X), density, rtol=1e-10)
    joint = density[:, None] + np.log(total)
    np.testing.assert_allclose(pool.predict_joint_log_proba(X), joint, rtol=1e-9)
    np.testing.assert_allclose(logsumexp(joint, axis=1), pool.score_samples(X), rtol=1e-10)


def test_probabilities_are_exact_however_small():
    pool = by_hand([0.5, 0.5], 0.0, [Recalibration.none(3)] * 2)
    far = IRIS[0][:1] + 200
    logs = [member.predict_log_proba(far) for member in pool.members_.values()]
    assert pool.predict_log_proba(far).min() < -1000
    wanted = logsumexp(logs, axis=0) - np.log(2)
    np.testing.assert_allclose(pool.predict_log_proba(far), wanted, rtol=1e-10)


@pytest.mark.parametrize("table", [WINE, CANCER, DIGITS], ids=["wine", "cancer", "digits"])
def test_a_pool_predicts_new_rows_as_well_as_its_best_member(table):
    X, y = table
    models = [sf.LDA(), sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1), sf.GaussianNB()]
    folds = StratifiedKFold(4, shuffle=True, random_state=11)

    def loss(model):
        rows = []
        for train, test in folds.split(X, y):
            log_p = clone(model).fit(X[train], y[train]).predict_log_proba(X[test])
            rows.append(-log_p[np.arange(len(test)), y[test]])
        return np.concatenate(rows)

    pool = loss(sf.PooledDiscriminant(models))
    best = min((loss(model) for model in models), key=np.mean)
    difference = pool - best
    noise = difference.std() / np.sqrt(len(difference))
    assert difference.mean() < max(2 * noise, 0.005)


def test_folds_from_statistics_are_refits(monkeypatch):
    rich = [sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.BayesianDiscriminant()]
    plain = [sf.LDA(), sf.GaussianNB()]
    for X, models in ((IRIS[0], rich), (GAPS, rich), (FRAME, plain), (FRUIT, plain)):
        fast = pooled(X, models=models)
        with monkeypatch.context() as patch:
            patch.setattr(out_of_fold, "_have_statistics", lambda models: False)
            slow = pooled(X, models=models)
        np.testing.assert_allclose(fast.weights_, slow.weights_, rtol=1e-7)
        np.testing.assert_allclose(fast.predict_proba(X), slow.predict_proba(X), atol=1e-9)


def test_weights_of_rows_count_relative_to_each_other():
    w = RNG.random(150) + 0.5
    one = sf.PooledDiscriminant().fit(*IRIS, sample_weight=w)
    other = sf.PooledDiscriminant().fit(*IRIS, sample_weight=1000 * w)
    np.testing.assert_allclose(one.predict_proba(GAPS), other.predict_proba(GAPS), atol=1e-9)


def test_rows_without_weight_are_as_if_left_out():
    w = np.ones(150)
    w[::7] = 0
    one = sf.PooledDiscriminant().fit(*IRIS, sample_weight=w)
    other = pooled(IRIS[0][w > 0], IRIS[1][w > 0])
    np.testing.assert_allclose(one.predict_proba(GAPS), other.predict_proba(GAPS), atol=1e-9)


def test_members_of_little_weight_are_left_out():
    noise = sf.GaussianDiscriminant("spherical", pooling=1.0, inflation=1000.0)
    pool = pooled(*WINE, models={"good": sf.LDA(), "noise": noise})
    assert list(pool.members_) == ["good"]
    assert pool.weights_.sum() + pool.share_weight_ == pytest.approx(1)


def test_contributions_add_up_and_ignore_what_is_missing():
    pool = pooled()
    for rows in (IRIS[0][::10], GAPS[::10]):
        found = pool.contributions(rows, 1, 2)
        np.testing.assert_allclose(found.log_odds, pool.log_odds(rows, 1, 2), atol=1e-12)
        assert (np.abs(found.values[np.isnan(rows)]) < 1e-12).all()
    assert "rather than" in pool.explain(GAPS, 3)


def test_contributions_of_independent_features_are_their_log_likelihood_ratios():
    naive = sf.GaussianNB().fit(*IRIS)
    pool = pooled(models=[sf.GaussianNB()], calibrate=False)
    found, wanted = (model.contributions(IRIS[0][:9], 1, 2) for model in (pool, naive))
    np.testing.assert_allclose(found.values, wanted.values, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.base, wanted.base, atol=1e-9)


def test_shares_of_features_are_shapley_values():
    values = {(): 1.0, (0,): 2.0, (1,): 4.0, (0, 1): 9.0}

    def answer(left_out):
        return np.array([[values[tuple(np.flatnonzero(~one).tolist())]] for one in left_out])

    shares, base = shapley_values(answer, 2)
    assert base == [1.0]
    # ((2 - 1) + (9 - 4)) / 2 and ((9 - 2) + (4 - 1)) / 2
    np.testing.assert_allclose(shares, [[3.0, 5.0]])


def test_other_priors_weight_the_posterior_and_change_no_likelihood_ratio():
    pool = pooled()
    new = np.array([0.7, 0.2, 0.1])
    other = pool.with_priors(new)
    p = pool.predict_proba(GAPS) * new / pool.priors_
    np.testing.assert_allclose(
        other.predict_proba(GAPS), p / p.sum(axis=1, keepdims=True), rtol=1e-9
    )
    for a, b in ((0, 1), (1, 2)):
        np.testing.assert_allclose(
            other.log_likelihood_ratio(GAPS, a, b),
            pool.log_likelihood_ratio(GAPS, a, b),
            atol=1e-9,
        )
    np.testing.assert_allclose(other.with_priors(None).priors_, pool.priors_)
    members = [one.with_priors(new) for one in pool.members_.values()]
    parts = [one.score_samples(GAPS) for one in members]
    weights = pool.weights_ / pool.weights_.sum()
    wanted = logsumexp(np.stack(parts), axis=0, b=weights[:, None])
    np.testing.assert_allclose(other.score_samples(GAPS), wanted, rtol=1e-9)
    assert sf.PooledDiscriminant(priors=new).fit(*IRIS).priors_ == pytest.approx(new)


def test_missing_values_come_from_the_mixture_of_the_members_conditionals():
    pool = by_hand([0.6, 0.4], 0.0, [Recalibration.none(3)] * 2)
    members = list(pool.members_.values())
    rows = GAPS[np.isnan(GAPS).any(axis=1)]
    joint = np.stack(
        [np.log(w) + m.score_samples(rows) for w, m in zip((0.6, 0.4), members, strict=True)]
    )
    shares = np.exp(joint - logsumexp(joint, axis=0))
    wanted = sum(s[:, None] * m.impute(rows) for s, m in zip(shares, members, strict=True))
    np.testing.assert_allclose(pool.impute(rows), wanted, rtol=1e-10)
    drawn = pool.impute_draws(rows[:5], 3000, random_state=0)
    near = np.abs(drawn.mean(axis=0) - pool.impute(rows[:5]))
    assert (near < 5 * drawn.std(axis=0) / np.sqrt(3000) + 1e-12).all()
    known = ~np.isnan(rows)
    assert np.array_equal(pool.impute(rows)[known], rows[known])


def test_given_the_class_members_impute_with_their_own_class_densities():
    pool = by_hand([0.6, 0.4], 0.0, [Recalibration.none(3)] * 2)
    rows, y = GAPS[::3], IRIS[1][::3]
    members = list(pool.members_.values())
    at = np.arange(len(rows)), y
    joint = np.stack(
        [
            np.log(w) + m.predict_joint_log_proba(rows)[at]
            for w, m in zip((0.6, 0.4), members, strict=True)
        ]
    )
    shares = np.exp(joint - logsumexp(joint, axis=0))
    wanted = sum(s[:, None] * m.impute(rows, y) for s, m in zip(shares, members, strict=True))
    np.testing.assert_allclose(pool.impute(rows, y), wanted, rtol=1e-10)


def test_labels_of_random_rows_have_the_pooled_posterior():
    pool = pooled()
    X, y = pool.sample(6000, random_state=5)
    expected = pool.predict_proba(X).mean(axis=0)
    shares = np.bincount(y, minlength=3) / len(y)
    np.testing.assert_allclose(shares, expected, atol=4 * np.sqrt(0.25 / len(y)))
    fixed, _ = pool.sample(50, random_state=5, given={2: 4.5})
    assert (fixed[:, 2] == 4.5).all()
    assert fixed[:, 0].std() > 0.1
    assert (pool.sample(5, y=[0, 1, 2, 1, 0], random_state=1)[1] == [0, 1, 2, 1, 0]).all()


@pytest.mark.parametrize(
    "member",
    [
        sf.GaussianDiscriminant(pooling=1.0),
        sf.GaussianDiscriminant(structure="diagonal"),
        sf.UnskewedDiscriminant(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("X", [IRIS[0], GAPS], ids=["numbers", "gaps"])
def test_inflation_of_a_member_changes_posteriors_but_not_densities(member, X):
    y = IRIS[1]
    inflated = clone(member).set_params(inflation=5.0)
    pool = sf.PooledDiscriminant([inflated], calibrate=False).fit(X, y)
    plain = clone(member).fit(X, y)
    np.testing.assert_allclose(pool.predict_proba(X), inflated.fit(X, y).predict_proba(X))
    np.testing.assert_allclose(pool.score_samples(X), plain.score_samples(X), rtol=1e-10)
    np.testing.assert_allclose(pool.outlier_pvalue(X), plain.outlier_pvalue(X), rtol=1e-10)
    np.testing.assert_allclose(pool.impute(X), plain.impute(X), rtol=1e-6)
    for priors in ("uniform", [0.7, 0.2, 0.1]):
        other, single = pool.with_priors(priors), plain.with_priors(priors)
        np.testing.assert_allclose(other.score_samples(X), single.score_samples(X), rtol=1e-10)


def test_the_mean_of_p_values_is_small_for_rows_unlike_any_class():
    pool = pooled()
    rows = np.vstack([IRIS[0][:1], IRIS[0][:1] + 50])
    usual, odd = pool.outlier_pvalue(rows)
    assert usual > 0.05
    assert odd < 1e-6
    weights = pool.weights_ / pool.weights_.sum()
    parts = [member.outlier_pvalue(rows) for member in pool.members_.values()]
    np.testing.assert_allclose([usual, odd], weights @ np.array(parts), rtol=1e-12)
    X, _ = pool.sample(3000, random_state=2)
    below = (pool.score_samples(X) < pool.outlier_threshold(0.1)).mean()
    assert below == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize("X", [IRIS[0], FRUIT, GAPS], ids=["numbers", "levels", "gaps"])
def test_forgetting_rows_leaves_the_members_of_never_having_seen_them(X):
    y, gone = IRIS[1], np.arange(150) % 5 == 0
    pool = pooled(X, y)
    before = pool.weights_, pool.share_weight_
    pool.forget(X[gone], y[gone], keep_weights=True)
    for member in pool.members_.values():
        never = clone(member).fit(X[~gone], y[~gone])
        np.testing.assert_allclose(
            member.predict_log_proba(X), never.predict_log_proba(X), rtol=1e-6, atol=1e-6
        )
    assert np.array_equal(pool.weights_, before[0])
    assert pool.share_weight_ == before[1]
    shares = np.bincount(y[~gone]) / (~gone).sum()
    np.testing.assert_allclose(pool.priors_, shares, rtol=1e-12)


def test_forgetting_refuses_unless_the_weights_may_stay():
    X, y = IRIS
    pool = pooled()
    before = pool.predict_log_proba(X)
    with pytest.raises(InvalidParameter, match=r"forget\(X, y, keep_weights=True\)"):
        pool.forget(X[:5], y[:5])
    assert np.array_equal(pool.predict_log_proba(X), before)


def test_parts_merge_to_the_whole():
    half = np.arange(150) % 2 == 0
    X, y = IRIS
    whole = pooled()
    own = whole.recalibrations_
    models = [clone(one) for one in whole.members_.values()]

    def part(at):
        fitted = [clone(one).fit(X[at], y[at]) for one in models]
        return sf.PooledDiscriminant._of(
            fitted, own, whole.weights_, whole.share_weight_, X[at], y[at]
        )

    wanted = whole.predict_log_proba(GAPS)
    merged = part(half).merge(part(~half))
    np.testing.assert_allclose(merged.predict_log_proba(GAPS), wanted, atol=1e-8)
    added = part(half).partial_fit(X[~half], y[~half])
    np.testing.assert_allclose(added.predict_log_proba(GAPS), wanted, atol=1e-8)


def test_new_classes_are_learned_with_an_offset_of_zero_and_forgotten_again():
    X, y = IRIS
    pool = pooled(X[:100], y[:100])
    wanted = pool.predict_proba(X[:100])
    pool.partial_fit(X[100:], y[100:])
    assert pool.classes_.tolist() == [0, 1, 2]
    assert pool.score(X, y) > 0.95
    pool.forget(X[100:], y[100:], keep_weights=True)
    np.testing.assert_allclose(pool.predict_proba(X[:100]), wanted, atol=1e-7)


def test_a_failed_update_changes_nothing():
    pool = pooled()
    before = pool.predict_log_proba(GAPS)
    twice = np.vstack([IRIS[0], IRIS[0]]), np.concatenate([IRIS[1], IRIS[1]])
    with pytest.raises(ValueError, match="cannot be removed"):
        pool.forget(*twice, keep_weights=True)
    with pytest.raises(ValueError, match="class labels are integers"):
        pool.partial_fit(IRIS[0][:5], ["x"] * 5)
    assert np.array_equal(pool.predict_log_proba(GAPS), before)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_back_as_frames(library):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    frame = FRUIT if library == "pandas" else pl.from_pandas(FRUIT)
    y = np.array(["plum", "fig", "pear"])[IRIS[1]]
    pool = sf.PooledDiscriminant().fit(frame, y)
    drawn, labels = pool.sample(30, random_state=0)
    assert isinstance(drawn, kind)
    assert list(drawn.columns) == list(FRUIT.columns)
    assert set(drawn["colour"]) <= {"red", "blue", "green"}
    assert set(labels) <= set(y)
    holes = FRUIT.astype({"ripe": object})
    holes.loc[::4, "colour"] = None
    holes.loc[1::4, "size"] = np.nan
    holes = holes if library == "pandas" else pl.from_pandas(holes.astype({"ripe": bool}))
    whole = pool.impute(holes)
    assert isinstance(whole, kind)
    full = whole if library == "pandas" else whole.to_pandas()
    assert full.notna().all().all()
    assert (full["colour"].to_numpy() == FRUIT["colour"].to_numpy())[2::4].all()
    assert [isinstance(one, kind) for one in pool.impute_draws(holes, 2, random_state=0)] == [1, 1]
    assert pool.explain(holes, 5).count("colour") == 1
    one, _ = pool.sample(3, random_state=0, given={"colour": "red"})
    assert isinstance(one, kind)
    assert set(one["colour"]) == {"red"}


def test_levels_have_the_density_of_the_members_that_take_levels():
    y = IRIS[1]
    pool = pooled(FRUIT, y, models={"linear": sf.LDA(), "naive": sf.MixedNB()}, calibrate=False)
    np.testing.assert_allclose(
        pool.score_samples(FRUIT), pool.members_["naive"].score_samples(FRUIT), rtol=1e-12
    )
    numbers = IRIS[0].round().astype(int)
    clash = pooled(numbers, y, models=[sf.CategoricalNB(), sf.LDA()], calibrate=False)
    assert clash.predict_proba(numbers).shape == (150, 3)
    with pytest.raises(InvalidParameter, match="take different columns as levels"):
        clash.score_samples(numbers)


def test_a_member_of_another_library_predicts_but_has_no_density():
    rival = make_pipeline(StandardScaler(), LogisticRegression())
    members = [one.fit(FRAME, IRIS[1]) for one in (sf.LDA(), rival)]
    own = [Recalibration.none(3)] * 2
    pool = sf.PooledDiscriminant._of(members, own, [0.7, 0.3], 0.0, FRAME, IRIS[1])
    assert list(pool.members_) == ["LinearDiscriminantAnalysis", "LogisticRegression"]
    parts = [one.predict_proba(FRAME) for one in pool.members_.values()]
    wanted = 0.7 * parts[0] + 0.3 * parts[1]
    np.testing.assert_allclose(pool.predict_proba(FRAME), wanted, rtol=1e-9)
    for ask in (
        lambda: pool.score_samples(FRAME),
        lambda: pool.impute(FRAME),
        lambda: pool.sample(2),
        lambda: pool.outlier_pvalue(FRAME),
        lambda: pool.explain(FRAME),
        lambda: pool.contributions(FRAME, 0, 1),
    ):
        with pytest.raises(InvalidParameter, match="member 'LogisticRegression' has none"):
            ask()
    with pytest.raises(InvalidParameter, match="'LogisticRegression' is not a function of stat"):
        pool.forget(FRAME[:5], IRIS[1][:5], keep_weights=True)
    with pytest.raises(InvalidParameter, match="member 'LogisticRegression' cannot be saved"):
        pool.save("pool.suffice")
    with pytest.raises(InvalidParameter, match="no density to integrate"):
        sf.importance(pool, FRAME, IRIS[1])
    assert "LogisticRegression" in sf.model_card(pool)


def test_the_boundary_names_the_single_model_that_has_one():
    pool = pooled()
    assert not hasattr(pool, "boundary")
    with pytest.raises(AttributeError, match="simple=True"):
        pool.boundary  # noqa: B018


@pytest.mark.parametrize(
    ("options", "X", "y", "error", "says"),
    [
        ({"models": []}, *IRIS, InvalidParameter, "models is empty"),
        ({"models": [sf.LDA]}, *IRIS, InvalidParameter, "is a class; write"),
        ({"models": "lda"}, *IRIS, InvalidParameter, "models holds 'lda'"),
        ({"cv": 1}, *IRIS, InvalidParameter, "at least 2 folds"),
        ({"calibrate": "yes"}, *IRIS, InvalidParameter, "must be True or False"),
        ({"priors": {0: 1.0}}, *IRIS, InvalidParameter, "no entry for class 1"),
        ({}, IRIS[0], np.zeros(150), TooFewRows, "y has one class"),
        ({"models": [sf.QDA()]}, IRIS[0][::49], [0, 0, 1, 1], TooFewRows, "without the rows of"),
    ],
)
def test_what_cannot_be_pooled_is_said_in_a_sentence(options, X, y, error, says):
    if says.startswith("without"):
        X = np.array([[0.0], [0.0], [1.0], [1.0]])
    with pytest.raises(error, match=says):
        sf.PooledDiscriminant(**options).fit(X, y)


def test_pools_of_other_members_do_not_merge():
    with pytest.raises(Mismatch, match="merge pools of the same members"):
        pooled().merge(pooled(models=[sf.LDA(), sf.QDA()]))
    with pytest.raises(InvalidParameter, match="another fitted PooledDiscriminant"):
        pooled().merge(sf.LDA().fit(*IRIS))


def test_pickles_clones_and_cross_validation():
    pool = pooled(models=[sf.LDA(), sf.QDA()])
    again = pickle.loads(pickle.dumps(pool))
    assert np.array_equal(again.predict_proba(GAPS), pool.predict_proba(GAPS))
    assert repr(clone(pool)) == repr(sf.PooledDiscriminant([sf.LDA(), sf.QDA()]))
    assert cross_val_score(sf.PooledDiscriminant(), *WINE, cv=3).mean() > 0.95


def test_summaries_and_reports_name_the_members(tmp_path):
    pool = pooled(models={"linear": sf.LDA(), "quadratic": sf.QDA()})
    assert "linear" in str(sf.summary(pool))
    assert "slope" in str(sf.summary(pool))
    assert "members: linear" in sf.model_card(pool)
    found = sf.report(FRAME, IRIS[1], tmp_path / "page.html", model=clone(pool))
    page = (tmp_path / "page.html").read_text()
    assert "could not be made" not in page
    assert "98" in found.summary


def test_a_pool_with_weights_that_are_no_mean_is_refused():
    good = Pool.of([1.0, 1.0], 0.0, np.array([0.5, 0.5]), [Recalibration.none(2)] * 2)
    assert good.validated() is good
    for broken in (
        Pool(np.array([0.5, 0.6]), 0.0, good.shares, good.recalibrations),
        Pool(np.array([1.5, -0.5]), 0.0, good.shares, good.recalibrations),
        Pool(good.weights, 0.0, good.shares, good.recalibrations[:1]),
        Pool(good.weights, 0.0, np.array([1.0, 0.0]), good.recalibrations),
        Pool(good.weights, 0.0, np.array([0.2, 0.3, 0.5]), good.recalibrations),
    ):
        with pytest.raises(ValueError, match=r"pool|recalibration"):
            broken.validated()
