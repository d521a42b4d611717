"""Prediction of rows with missing values: densities of what is known, and nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from scipy.special import logsumexp, softmax
from sklearn.base import clone

import suffice as sf
from closeness import near
from suffice.errors import NotFinite
from suffice.models import scoring
from suffice.models.covariances.linalg import Whitener
from suffice.models.covariances.low_rank import LowRankCovariance
from suffice.models.em import filling

D = 5
MODELS = [
    sf.QDA(),
    sf.LDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.QDA(reg_param=0.3),
    sf.LDA(shrinkage="oas"),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2, ddof=1),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2, target="diagonal"),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.4),
    sf.GaussianDiscriminant(structure="spherical"),
    sf.GaussianDiscriminant(structure="spherical", pooling=1.0),
    sf.GaussianDiscriminant(priors={"a": 0.7, "b": 0.1, "c": 0.2}),
]
FREE_OF_OTHERS = [
    sf.QDA(),
    sf.LDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.QDA(reg_param=0.3),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2, target="diagonal"),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.4, ddof=1),
]
ANSWERS = [
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_proba",
    "score_samples",
    "squared_mahalanobis",
    "decision_function",
    "discriminants",
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)
free_models = pytest.mark.parametrize("model", FREE_OF_OTHERS, ids=repr)


def rows(d=D, n=240, seed=0):
    """Correlated rows of three classes of different size."""
    rng = np.random.default_rng(seed)
    y = np.minimum(np.arange(n) % 6, 2)
    mixing = np.eye(d) + rng.normal(size=(3, d, d)) / np.sqrt(d)
    X = np.einsum("ni,nij->nj", rng.normal(size=(n, d)), mixing[y])
    return X + 1.5 * rng.normal(size=(3, d))[y], np.array(["a", "b", "c"])[y]


def with_gaps(X, share=0.35, seed=1):
    """X with values missing at random, its first row of nothing, every fifth complete."""
    missing = np.random.default_rng(seed).random(X.shape) < share
    missing[::5] = False
    missing[0] = True
    return np.where(missing, np.nan, X)


X, Y = rows()
GAPS = with_gaps(X)
COMPLETE = ~np.isnan(GAPS).any(axis=1)


def fitted(model):
    return clone(model).fit(X, Y)


def reference(m, table):
    """ln p(x, y) and squared distances by the known values of each row alone, (n, k) each."""
    joint, distances = np.zeros((2, len(table), len(m.classes_)))
    for i, x in enumerate(table):
        known = ~np.isnan(x)
        for c, mean in enumerate(m.means_):
            joint[i, c] = np.log(m.priors_[c])
            if known.any():
                S = m.covariances_[c][np.ix_(known, known)]
                step = x[known] - mean[known]
                joint[i, c] += stats.multivariate_normal(mean[known], S).logpdf(x[known])
                distances[i, c] = step @ np.linalg.solve(S, step)
    return joint, distances


@every_model
@pytest.mark.parametrize("trained_on", ["complete", "gaps"])
def test_every_answer_is_that_of_the_known_values_alone(model, trained_on):
    m = clone(model).fit(X if trained_on == "complete" else GAPS, Y)
    joint, distances = reference(m, GAPS)
    near(m.predict_joint_log_proba(GAPS), joint)
    near(m.score_samples(GAPS), logsumexp(joint, axis=1))
    near(m.predict_log_proba(GAPS), joint - logsumexp(joint, axis=1, keepdims=True))
    near(m.predict_proba(GAPS), softmax(joint, axis=1))
    near(m.squared_mahalanobis(GAPS), distances)
    near(m.log_odds(GAPS, "c", "a"), joint[:, 2] - joint[:, 0])
    ratio = joint - np.log(m.priors_)
    near(m.log_likelihood_ratio(GAPS, "c", "a"), ratio[:, 2] - ratio[:, 0])
    for scores in (m.decision_function(GAPS), m.discriminants(GAPS)):
        near(scores[:, 1:] - scores[:, :1], joint[:, 1:] - joint[:, :1])
    assert np.array_equal(m.predict(GAPS), m.classes_[joint.argmax(axis=1)])
    assert m.log_likelihood(GAPS, Y) == pytest.approx(
        joint[np.arange(len(Y)), np.searchsorted(m.classes_, Y)].sum(), rel=1e-12
    )


@every_model
def test_of_two_classes_the_decision_is_the_log_odds(model):
    two = Y != "b"
    m = clone(model).set_params(priors=[0.3, 0.7]).fit(X[two], Y[two])
    joint, _ = reference(m, GAPS)
    near(m.decision_function(GAPS), joint[:, 1] - joint[:, 0])
    near(m.log_odds(GAPS), joint[:, 1] - joint[:, 0])


@every_model
def test_plain_and_compiled_loops_agree(model, monkeypatch):
    m = fitted(model)
    found = {}
    for path, threshold in (("plain", 1 << 62), ("compiled", 0)):
        monkeypatch.setattr(filling, "COMPILED_FROM", threshold)
        monkeypatch.setattr(scoring.IndependentClasses, "observed_compiled_from", threshold)
        found[path] = [getattr(m, name)(GAPS) for name in ANSWERS] + [m.impute(GAPS)]
    for plain, compiled in zip(found["plain"], found["compiled"], strict=True):
        near(compiled, plain, 1e-12)


@every_model
def test_blocks_and_threads_give_the_answers_of_rows_alone(model, monkeypatch):
    m = fitted(model)
    alone = [np.concatenate([getattr(m, name)(x[None]) for x in GAPS]) for name in ANSWERS]
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    monkeypatch.setattr(scoring, "BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(scoring, "PARALLEL_FROM", 0)
    for name, wanted in zip(ANSWERS, alone, strict=True):
        near(getattr(m, name)(GAPS), wanted, 1e-11)


@every_model
def test_complete_rows_do_not_notice_gaps_in_others(model):
    m = fitted(model)
    for name in ANSWERS:
        among_gaps, among_complete = getattr(m, name)(GAPS), getattr(m, name)(X)
        assert np.array_equal(among_gaps[COMPLETE], among_complete[COMPLETE])
        assert np.isfinite(among_gaps).all()


@every_model
def test_rows_with_gaps_do_not_notice_others(model):
    m = fitted(model)
    order = np.random.default_rng(3).permutation(len(GAPS))
    for name in ANSWERS:
        near(getattr(m, name)(GAPS[order]), getattr(m, name)(GAPS)[order], 1e-12)


@every_model
def test_a_row_of_nothing_has_the_prior(model):
    m = fitted(model)
    nothing = np.full((2, D), np.nan)
    np.testing.assert_allclose(m.predict_proba(nothing), np.tile(m.priors_, (2, 1)), rtol=1e-13)
    near(m.predict_joint_log_proba(nothing), np.log(np.tile(m.priors_, (2, 1))), 1e-13)
    assert np.abs(m.score_samples(nothing)).max() < 1e-13
    assert not m.squared_mahalanobis(nothing).any()
    assert m.predict(nothing).tolist() == [m.classes_[m.priors_.argmax()]] * 2


def test_of_equal_priors_a_row_of_nothing_takes_the_first_class():
    for model in MODELS:
        m = fitted(model).with_priors("uniform")
        assert m.predict(np.full((1, D), np.nan)).tolist() == ["a"]


@every_model
def test_a_class_without_prior_stays_impossible(model):
    m = fitted(model).with_priors([0.0, 0.4, 0.6])
    assert not m.predict_proba(GAPS)[:, 0].any()
    kept = fitted(model).with_priors([0.2, 0.32, 0.48]).predict_proba(GAPS)[:, 1:]
    near(m.predict_proba(GAPS)[:, 1:], kept / kept.sum(axis=1, keepdims=True), 1e-12)


def subsets(d):
    for size in range(1, d):
        yield from (list(at) for at in combinations(range(d), size))


def check_marginals(m, table, tolerance=1e-10):
    """Whether rows that know few features are answered as by the model of these features."""
    for known in subsets(table.shape[1]):
        hidden = np.full_like(table, np.nan)
        hidden[:, known] = table[:, known]
        fewer = clone(m).fit_statistics(m.statistics_.select(known))
        near(m.predict_proba(hidden), fewer.predict_proba(table[:, known]))
        joint = fewer.predict_joint_log_proba(table[:, known])
        near(m.predict_joint_log_proba(hidden), joint, tolerance)


@free_models
def test_the_marginal_of_the_joint_is_the_model_of_fewer_columns(model):
    check_marginals(fitted(model), X)


@pytest.mark.parametrize("model", [sf.GaussianNB(), sf.DiagonalLDA()], ids=repr)
def test_known_values_of_independent_features_say_nothing_of_others(model):
    check_marginals(clone(model).fit(GAPS, Y), X)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize(
    "model", [sf.QDA(), sf.LDA(), sf.GaussianDiscriminant(pooling=0.4)], ids=repr
)
@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (-1e3, 7.0), (1e-3, 1.0)])
def test_marginals_of_singular_covariances_are_models_of_fewer_columns(model, a, b):
    copied = np.c_[X[:, :4], a * X[:, 1] + b, X[:, 0] - 2 * X[:, 2]]
    m = clone(model).fit(copied, Y)
    assert all(isinstance(c.whitener, Whitener) for c in m._fitted.covariances)
    check_marginals(m, copied, 1e-9)


WIDE = [
    sf.LDA(shrinkage=0.3, target="diagonal"),
    sf.QDA(shrinkage=0.3, target="diagonal"),
    sf.QDA(reg_param=0.3),
]


@pytest.mark.parametrize("model", WIDE, ids=repr)
def test_marginals_of_wide_covariances_are_models_of_fewer_columns(model, one_thread):
    table, y = rows(600, 36)
    m = clone(model).fit(table, y)
    assert all(isinstance(c, LowRankCovariance) for c in m._fitted.covariances)
    rng = np.random.default_rng(0)
    for size in (1, 40, 300, 595):
        missing = rng.choice(600, size, replace=False)
        known = np.setdiff1d(np.arange(600), missing)
        hidden = table.copy()
        hidden[:, missing] = np.nan
        fewer = clone(model).fit_statistics(m.statistics_.select(known))
        near(m.predict_proba(hidden), fewer.predict_proba(table[:, known]))
        near(m.predict_joint_log_proba(hidden), fewer.predict_joint_log_proba(table[:, known]))


@pytest.mark.parametrize("model", [sf.LDA(shrinkage=0.3), sf.QDA(shrinkage="oas")], ids=repr)
def test_wide_covariances_answer_like_their_matrices(model, one_thread):
    table, y = rows(600, 36)
    m = clone(model).fit(table, y)
    assert all(isinstance(c, LowRankCovariance) for c in m._fitted.covariances)
    hidden = with_gaps(table)[1:3]
    joint, distances = reference(m, hidden)
    near(m.predict_joint_log_proba(hidden), joint)
    near(m.squared_mahalanobis(hidden), distances)
    near(m.predict_proba(hidden), softmax(joint, axis=1))


@pytest.mark.parametrize("model", WIDE[:2], ids=repr)
def test_a_constant_column_of_a_wide_table_says_nothing(model, one_thread):
    table, y = rows(600, 36)
    m, wanted = (clone(model).fit(part, y) for part in (np.c_[table, np.ones(36)], table))
    assert all(isinstance(c, LowRankCovariance) for c in m._fitted.covariances)
    hidden = with_gaps(table)[:4]
    wanted = wanted.predict_joint_log_proba(hidden)
    for value in (1.0, np.nan):
        near(m.predict_joint_log_proba(np.c_[hidden, np.full(4, value)]), wanted)


def test_a_constant_column_says_nothing_whether_known_or_missing():
    still = np.c_[X, np.full(len(X), 3.0)]
    for model in (sf.QDA(), sf.LDA(), sf.GaussianNB(), sf.DiagonalLDA()):
        m, wanted = clone(model).fit(still, Y), clone(model).fit(X, Y)
        table = np.c_[GAPS, np.where(np.arange(len(X)) % 2, np.nan, 3.0)]
        near(m.predict_proba(table), wanted.predict_proba(GAPS))
        near(m.predict_joint_log_proba(table), wanted.predict_joint_log_proba(GAPS))


@pytest.mark.parametrize("kind", [sf.QDA, sf.LDA, sf.GaussianNB, sf.DiagonalLDA])
def test_units_of_known_and_missing_features_do_not_matter(kind):
    units = np.array([1e-6, 1e6, 1.0, 1e3, 1e-3])
    m, wanted = kind().fit(X * units, Y), kind().fit(X, Y)
    near(m.predict_log_proba(GAPS * units), wanted.predict_log_proba(GAPS), 1e-10)


@pytest.mark.parametrize("kind", [sf.QDA, sf.LDA, sf.GaussianNB, sf.DiagonalLDA])
def test_offsets_of_known_and_missing_features_do_not_matter(kind):
    m, wanted = kind().fit(X + 1e8, Y), kind().fit(X, Y)
    near(m.predict_proba(GAPS + 1e8), wanted.predict_proba(GAPS), 1e-6)


@pytest.mark.parametrize(
    "kind",
    [
        sf.LDA,
        sf.DiagonalLDA,
        sf.QDA,
        sf.GaussianNB,
    ],
)
def test_a_row_far_out_is_certain_gaps_or_not(kind):
    m = kind().fit(X, Y)
    far = np.array([[1e200, np.nan, 0.0, np.nan, 1.0]])
    proba = m.predict_proba(far)
    assert sorted(proba[0]) == [0.0, 0.0, 1.0]
    assert m.predict_log_proba(far).max() == 0.0


@every_model
def test_memory_order_and_precision_of_the_table_do_not_matter(model):
    m = fitted(model)
    single = GAPS.astype(np.float32)
    for name in ANSWERS:
        answer = getattr(m, name)
        near(answer(np.asfortranarray(GAPS)), answer(GAPS), 1e-12)
        near(answer(np.repeat(GAPS, 2, axis=0)[::2]), answer(GAPS), 1e-12)
        near(answer(single), answer(single.astype(float)), 1e-12)


@every_model
def test_integers_with_gaps_are_read_from_any_frame(model):
    whole = np.round(3 * X)
    table = np.where(np.isnan(GAPS), np.nan, whole)
    wanted = clone(model).fit(whole, Y).predict_log_proba(table)
    names = [f"x{j}" for j in range(D)]
    floats = pd.DataFrame(table, columns=names)
    integers = floats.astype("Int64")
    frames = [
        (pd.DataFrame(whole.astype(int), columns=names), [floats, integers]),
        (pl.DataFrame(whole.astype(int), schema=names), [pl.from_pandas(integers)]),
    ]
    for training, tables in frames:
        m = clone(model).fit(training, Y)
        for frame in tables:
            near(m.predict_log_proba(frame), wanted, 1e-12)


def test_masked_arrays_and_none_stand_for_gaps():
    m = sf.QDA().fit(X, Y)
    wanted = m.predict_log_proba(GAPS)
    near(m.predict_log_proba(np.ma.array(X, mask=np.isnan(GAPS))), wanted, 1e-12)
    table = [[None if np.isnan(v) else v for v in x] for x in GAPS]
    near(m.predict_log_proba(table), wanted, 1e-12)


@every_model
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinity_is_refused_gaps_or_not(model, infinity):
    m = fitted(model)
    named = clone(model).fit(pd.DataFrame(X, columns=list("abcde")), Y)
    for table in (X, GAPS):
        bad = table.copy()
        bad[8, 3] = infinity
        for name in [*ANSWERS, "predict", "impute"]:
            with pytest.raises(NotFinite, match="row 8, column 3"):
                getattr(m, name)(bad)
            with pytest.raises(NotFinite, match="row 8, column 'd'"):
                getattr(named, name)(pd.DataFrame(bad, columns=list("abcde")))
        for name in ("log_odds", "log_likelihood_ratio", "contributions"):
            with pytest.raises(NotFinite, match="row 8, column 3"):
                getattr(m, name)(bad, "a", "b")


@every_model
def test_answers_leave_the_table_as_it_was(model):
    m, table = fitted(model), GAPS.copy()
    for name in [*ANSWERS, "predict", "impute", "impute_draws"]:
        getattr(m, name)(table)
    assert np.array_equal(table, GAPS, equal_nan=True)


def test_patterns_of_more_features_than_a_word_has_bits_are_distinguished(one_thread):
    table, y = rows(70, 400, seed=5)
    m = sf.LDA().fit(table, y)
    hidden = with_gaps(table, 0.05)[:12]
    joint, _ = reference(m, hidden)
    near(m.predict_joint_log_proba(hidden), joint, 1e-10)


@pytest.mark.parametrize("kind", [sf.LDA, sf.QDA, sf.DiagonalLDA])
def test_many_rows_of_a_pattern_are_answered_like_each_alone(kind):
    m = kind().fit(X, Y)
    gaps = np.repeat(X[:2], 200, axis=0) + np.random.default_rng(0).normal(size=(400, X.shape[1]))
    gaps[:200, 1] = gaps[200:, [0, 2]] = np.nan
    for name in ("predict_proba", "predict_log_proba", "discriminants"):
        alone = np.concatenate([getattr(m, name)(row[None]) for row in gaps])
        near(getattr(m, name)(gaps), alone, 1e-11)
