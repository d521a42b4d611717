"""Laws of the discrete, mixed and mixture models: those of the Gaussian family, where levels,
gaps and starts make them harder to keep."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.base import clone
from subjects import CASES, check_same, tables

import suffice as sf
from closeness import near
from lawful import LABELS, Rows, law, rows, same_labels
from suffice.errors import SufficeError

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

LAW = law(25)
QUICK = law(8)

every = pytest.mark.parametrize("case", CASES)
naive = pytest.mark.parametrize("case", [c for c in CASES if c != "mixed, full"])


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_the_order_of_columns_changes_nothing_but_the_order_of_columns(case, data, seed):
    table = data.draw(tables(case))
    order = np.random.default_rng(seed).permutation(table.X.shape[1])
    moved = table.columns(order)
    a, b = table.fit(CASES[case].of(table)), moved.fit(CASES[case].of(moved))
    near(b.predict_joint_log_proba(moved.Q), a.predict_joint_log_proba(table.Q), 1e-10)
    near(b.predict_log_proba(moved.Q), a.predict_log_proba(table.Q), 1e-10)


# Statistics


@every
@LAW
@given(data=st.data())
def test_saved_statistics_serve_as_well_as_the_rows(case, data):
    table = data.draw(tables(case))
    model = CASES[case].of(table)
    fitted = table.fit(model)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.stats"
        fitted.statistics_.save(file)
        loaded = sf.load(file)
    assert loaded == fitted.statistics_
    check_same(clone(model).fit_statistics(loaded), fitted, table.Q, 1e-14)


# Answers


@every
@LAW
@given(data=st.data())
def test_answers_agree_with_each_other(case, data):
    table = data.draw(tables(case))
    fitted, Q = table.fit(CASES[case].of(table)), table.Q
    log_proba, joint = fitted.predict_log_proba(Q), fitted.predict_joint_log_proba(Q)
    proba, density = fitted.predict_proba(Q), fitted.score_samples(Q)
    near(proba.sum(axis=1), np.ones(len(Q)), 1e-12, smallest=1.0)
    near(proba, np.exp(log_proba), 1e-15, smallest=1.0)
    near(density, np.logaddexp.reduce(joint, axis=1), 1e-12, smallest=1.0)
    possible = np.isfinite(density)
    near(log_proba[possible] + density[possible, None], joint[possible], 1e-12, smallest=1.0)
    same_labels(fitted.predict(Q), fitted.classes_[proba.argmax(axis=1)], log_proba, 1e-9)
    a, b = fitted.classes_[[-1, 0]]
    with np.errstate(invalid="ignore"):
        odds = log_proba[:, -1] - log_proba[:, 0]
    # They are differences of joint densities, which may be large.
    size = np.abs(joint[np.isfinite(joint)]).max(initial=1.0)
    near(fitted.log_odds(Q, a, b) / size, odds / size, 1e-12, smallest=1.0)
    near(fitted.contributions(Q, a, b).log_odds / size, odds / size, 1e-12, smallest=1.0)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_other_priors_need_no_refit(case, data, seed):
    table = data.draw(tables(case))
    model = CASES[case].of(table)
    fitted = table.fit(model)
    chances = np.random.default_rng(seed).dirichlet(np.ones(len(fitted.classes_)))
    by_label = dict(zip(fitted.classes_.tolist(), chances, strict=True))
    before = fitted.predict_log_proba(table.Q)
    for priors in (chances, by_label, "uniform", None):
        other = fitted.with_priors(priors)
        check_same(table.fit(clone(other)), other, table.Q, 1e-13)
    assert np.array_equal(fitted.predict_log_proba(table.Q), before)


@naive
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_a_missing_value_is_as_if_its_column_had_never_been(case, data, seed):
    table = data.draw(tables(case))
    d = table.X.shape[1]
    assume(d > 1)
    j = np.random.default_rng(seed).integers(d)
    without = table.columns(np.delete(np.arange(d), j))
    Q = table.Q.copy()
    Q[:, j] = None
    whole, part = table.fit(CASES[case].of(table)), without.fit(CASES[case].of(without))
    near(whole.predict_joint_log_proba(Q), part.predict_joint_log_proba(without.Q), 1e-10)
    near(whole.predict_log_proba(Q), part.predict_log_proba(without.Q), 1e-10)


@every
@LAW
@given(data=st.data())
def test_the_probabilities_of_all_levels_add_up_to_that_of_a_missing_one(case, data):
    table = data.draw(tables(case))
    assume(table.discrete)
    fitted, j = table.fit(CASES[case].of(table)), table.discrete[0]
    levels = fitted.levels_[0] if hasattr(fitted, "levels_") else [0, 1]
    joints = []
    for level in [*levels, None]:
        Q = table.Q.copy()
        Q[:, j] = level
        joints.append(fitted.predict_joint_log_proba(Q))
    assume(len(levels))
    near(np.logaddexp.reduce(joints[:-1], axis=0), joints[-1], 1e-10)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_samples_and_completions_hold_known_levels_only(case, data, seed):
    table = data.draw(tables(case))
    fitted = table.fit(CASES[case].of(table))
    rows, labels = fitted.sample(20, random_state=seed)
    assert np.isin(labels, fitted.classes_).all()
    known = fitted.levels_ if hasattr(fitted, "levels_") else [[0, 1]] * table.X.shape[1]
    known = dict(zip(table.discrete, known, strict=True))
    for found in (rows, fitted.impute(table.X), fitted.impute_draws(table.X, random_state=seed)[0]):
        for j in range(found.shape[1]):
            if j not in known:
                assert np.isfinite(found[:, j].astype(np.float64)).all()
            elif len(known[j]):
                assert set(found[:, j].tolist()) <= set(np.asarray(known[j]).tolist())


BAD = {
    "labels": lambda table: (table.X, np.full(len(table.y), None)),
    "fewer labels": lambda table: (table.X, table.y[1:]),
    "another kind of label": lambda table: (table.X, np.arange(len(table.y)) + 1j),
    "another width": lambda table: (table.X[:, [0, *range(table.X.shape[1])]], table.y),
    "infinity": lambda table: (np.where(np.ones_like(table.X, bool), np.inf, table.X), table.y),
    "no rows": lambda table: (table.X[:0], table.y[:0]),
}


@every
@pytest.mark.parametrize("bad", BAD)
@law(3)
@given(data=st.data())
def test_a_call_that_fails_leaves_the_model_as_it_was(case, bad, data):
    table = data.draw(tables(case))
    fitted = table.fit(CASES[case].of(table))
    fitted.predict(table.Q)
    before = dict(vars(fitted))
    X, y = BAD[bad](table)
    calls = (fitted.partial_fit, fitted.forget, fitted.fit)
    for call in calls[: 2 if bad == "another width" else 3]:
        with pytest.raises(SufficeError):
            call(X, y)
        assert vars(fitted).keys() == before.keys()
        assert all(vars(fitted)[name] is before[name] for name in before)


# Mixtures

# A fixed number of iterations, so that rounding does not decide when to stop.
STEPS = {"tol": 0.0, "max_iter": 5, "random_state": 0}
SINGLE = [
    {},
    {"pooling": 1.0},
    {"pooling": 0.4, "shrinkage": 0.2, "priors": "uniform"},
    {"structure": "diagonal"},
    {"structure": "spherical", "pooling": 1.0},
    {"shrinkage": "ledoit-wolf"},
]
MIXTURES = [
    sf.MixtureDiscriminant(1, **STEPS),
    sf.MixtureDiscriminant(2, **STEPS),
    sf.MixtureDiscriminant(2, pooling=1.0, priors="uniform", **STEPS),
    sf.MixtureDiscriminant(3, structure="diagonal", **STEPS),
    sf.GaussianMixture(1, **STEPS),
    sf.GaussianMixture(2, **STEPS),
    sf.GaussianMixture(3, covariance_type="tied", **STEPS),
    sf.GaussianMixture(3, covariance_type="diag", **STEPS),
]
# Where no component comes down to a few rows: it would borrow a covariance by their number, and
# the likelihood may fall.
STEADY = [MIXTURES[i] for i in (0, 2, 4, 5, 6)]
CLASSIFIERS = [model for model in MIXTURES if isinstance(model, sf.MixtureDiscriminant)]
each_mixture = pytest.mark.parametrize("model", MIXTURES, ids=repr)
each_steady = pytest.mark.parametrize("model", STEADY, ids=repr)
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)


@st.composite
def bumps(draw, gaps=True, weighted=True):
    """Rows in two bumps a class; of some neither every value nor the label is known."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k, d, n = draw(st.integers(2, 3)), draw(st.integers(1, 3)), draw(st.integers(40, 60))
    y = np.concatenate([np.repeat(np.arange(k), 12), rng.integers(0, k, n - 12 * k)])
    centres = rng.normal(size=(2 * k, d)) * 4
    X = rng.normal(size=(n, d)) + centres[2 * y + rng.integers(0, 2, n)]
    Q = np.concatenate([X, X + rng.normal(size=(n, d))])
    if gaps and draw(st.booleans()):
        Q[rng.random(Q.shape) < 0.1] = np.nan
    labels = draw(st.sampled_from(LABELS))[y].astype(object)
    labels[12 * k :][rng.random(n - 12 * k) < draw(st.sampled_from([0.0, 0.5]))] = None
    w = rng.choice([0.5, 1.0, 4.5], n) if weighted and draw(st.booleans()) else None
    order = rng.permutation(n)
    return Rows(Q[:n][order], labels[order], None if w is None else w[order], Q)


def assert_alike(a, b, Q, P=None, tolerance=1e-8):
    """The same components and answers; P are the rows Q as b knows them."""
    P = Q if P is None else P
    near(a.weights_, b.weights_, tolerance)
    near(a.score_samples(Q), b.score_samples(P), tolerance)
    near(a.predict_proba(Q), b.predict_proba(P), tolerance)


@pytest.mark.parametrize("chosen", SINGLE, ids=str)
@QUICK
@given(table=rows(), gaps=st.booleans(), seed=st.integers(0, 999))
def test_one_component_per_class_with_every_label_is_the_closed_form(chosen, table, gaps, seed):
    X = table.X.copy()
    if gaps:
        X[3:][np.random.default_rng(seed).random(X[3:].shape) < 0.2] = np.nan
    exact = sf.GaussianDiscriminant(**chosen).fit(X, table.y, table.w)
    model = sf.MixtureDiscriminant(1, **chosen).fit(X, table.y, table.w)
    check_same(model, exact, table.Q, 1e-14)
    near(model.means_, exact.means_, 1e-14)
    near(model.covariances_, exact.covariances_, 1e-14)


@each_steady
@QUICK
@given(table=bumps(weighted=False), seed=st.integers(0, 999))
def test_whole_weights_equal_repetition_in_a_mixture(model, table, seed):
    w = np.random.default_rng(seed).integers(1, 4, len(table.y))
    repeated = Rows(np.repeat(table.X, w, axis=0), np.repeat(table.y, w), None, None)
    weighted = Rows(table.X, table.y, w, None)
    assert_alike(weighted.fit(model), repeated.fit(model), table.Q)


@each_mixture
@QUICK
@given(table=bumps(), seed=st.integers(0, 999))
def test_the_order_of_rows_does_not_matter_to_a_mixture(model, table, seed):
    order = np.random.default_rng(seed).permutation(len(table.X))
    assert_alike(table.fit(model, order), table.fit(model), table.Q)


@each_mixture
@QUICK
@given(table=bumps(), seed=st.integers(0, 999))
def test_the_order_of_columns_does_not_matter_to_a_mixture(model, table, seed):
    order = np.random.default_rng(seed).permutation(table.X.shape[1])
    moved = Rows(table.X[:, order], table.y, table.w, None).fit(model)
    fitted = table.fit(model)
    near(moved.means_, fitted.means_[:, order], 1e-8)
    assert_alike(fitted, moved, table.Q, table.Q[:, order])


@each_mixture
@QUICK
@given(
    table=bumps(),
    powers=st.lists(st.sampled_from([-6, -3, 0, 6]), min_size=3, max_size=3),
    shifts=st.lists(st.sampled_from([0.0, -1e4, 1e4]), min_size=3, max_size=3),
)
def test_units_and_offsets_do_not_matter_to_a_mixture(model, table, powers, shifts):
    d = table.X.shape[1]
    units, shift = 10.0 ** np.array(powers[:d]), np.array(shifts[:d])
    moved = Rows((table.X + shift) * units, table.y, table.w, None).fit(model)
    fitted, P = table.fit(model), (table.Q + shift) * units
    near(moved.weights_, fitted.weights_, 1e-6)
    near(moved.predict_proba(P), fitted.predict_proba(table.Q), 1e-6)
    known = (~np.isnan(table.Q)) @ np.log(units)
    near(moved.score_samples(P) + known, fitted.score_samples(table.Q), 1e-6)


@each_steady
@QUICK
@given(table=bumps())
def test_the_likelihood_of_a_mixture_never_falls(model, table):
    levels = table.fit(clone(model).set_params(max_iter=15)).log_likelihoods_
    assert (np.diff(levels) > -1e-10 * np.abs(levels).max()).all()


@each_mixture
@QUICK
@given(table=bumps())
def test_the_answers_of_a_mixture_agree_with_each_other(model, table):
    fitted, Q = table.fit(model), table.Q
    proba, density = fitted.predict_proba(Q), fitted.score_samples(Q)
    near(proba.sum(axis=1), np.ones(len(Q)), 1e-12)
    assert np.isfinite(density).all()
    if isinstance(fitted, sf.GaussianMixture):
        assert np.array_equal(fitted.predict(Q), proba.argmax(axis=1))
        return
    log_proba, joint = fitted.predict_log_proba(Q), fitted.predict_joint_log_proba(Q)
    near(proba, np.exp(log_proba), 1e-15)
    near(density, np.logaddexp.reduce(joint, axis=1), 1e-12)
    near(log_proba + density[:, None], joint, 1e-12)
    a, b = fitted.classes_[[-1, 0]]
    near(fitted.log_odds(Q, a, b), log_proba[:, -1] - log_proba[:, 0], 1e-10)
    same_labels(fitted.predict(Q), fitted.classes_[proba.argmax(axis=1)], log_proba, 1e-9)


@each_mixture
@QUICK
@given(table=bumps(gaps=False), seed=st.integers(0, 999))
def test_a_mixture_integrates_missing_values_out(model, table, seed):
    fitted, d = table.fit(model), table.X.shape[1]
    assume(d > 1)
    j = np.random.default_rng(seed).integers(d)
    rest, Q = np.delete(np.arange(d), j), table.Q.copy()
    Q[:, j] = np.nan
    shapes = np.asarray(fitted.covariances_)
    if getattr(model, "covariance_type", None) == "diag":
        shapes = shapes[:, None] * np.eye(d)
    shapes = np.broadcast_to(shapes, (len(fitted.means_), d, d))[:, rest][:, :, rest]
    shares = fitted.weights_
    if isinstance(fitted, sf.MixtureDiscriminant):
        shares = (
            shares * fitted.priors_[np.searchsorted(fitted.classes_, fitted.component_classes_)]
        )
    parts = [
        np.log(share) + multivariate_normal(mean[rest], shape).logpdf(Q[:, rest])
        for share, mean, shape in zip(shares, fitted.means_, shapes, strict=True)
    ]
    near(fitted.score_samples(Q), np.logaddexp.reduce(parts, axis=0), 1e-9)


@each_classifier
@QUICK
@given(table=bumps(), seed=st.integers(0, 999))
def test_other_priors_of_a_mixture_move_the_posterior_by_their_ratio(model, table, seed):
    fitted = table.fit(model)
    chances = np.random.default_rng(seed).dirichlet(np.ones(len(fitted.classes_)))
    other = fitted.with_priors(dict(zip(fitted.classes_.tolist(), chances, strict=True)))
    moved = fitted.predict_proba(table.Q) / fitted.priors_ * chances
    near(other.predict_proba(table.Q), moved / moved.sum(axis=1, keepdims=True), 1e-10)
    near(other.weights_, fitted.weights_, 0)


@each_mixture
@QUICK
@given(table=bumps(), seed=st.integers(0, 999))
def test_a_clone_of_a_mixture_learns_the_same_and_a_pickle_answers_the_same(model, table, seed):
    fitted = table.fit(model)
    assert_alike(table.fit(fitted), fitted, table.Q, tolerance=0)
    again = pickle.loads(pickle.dumps(fitted))
    assert_alike(again, fitted, table.Q, tolerance=0)
    assert np.array_equal(
        again.sample(9, random_state=seed)[0], fitted.sample(9, random_state=seed)[0]
    )


@each_mixture
@pytest.mark.parametrize("bad", ["infinity", "no rows", "a weight too few"])
@law(2)
@given(table=bumps())
def test_a_fit_that_fails_leaves_the_mixture_as_it_was(model, bad, table):
    fitted = table.fit(model)
    before = dict(vars(fitted))
    X = np.full_like(table.X, np.inf) if bad == "infinity" else table.X
    X, y = (X[:0], table.y[:0]) if bad == "no rows" else (X, table.y)
    with pytest.raises(SufficeError):
        fitted.fit(X, y, sample_weight=np.ones(len(X) - 1) if bad.startswith("a") else None)
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[name] is before[name] for name in before)
