"""Laws of the discrete, mixed and mixture models: those of the Gaussian family, where levels,
gaps and starts make them harder to keep."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import suffice as sf
from lawful import LABELS, LAW, Rows, batches, near, same_labels, some_sizes
from suffice.errors import InvalidFeatures, LostPrecision, SufficeError, TooFewRows

LAW = settings(LAW, max_examples=25)

LEVELS = {
    "strings": ["", "blue", "red", "a long name"],
    "integers": [0, 1, 4],
    "halves": [0, 0.5, 2, 3],
    "booleans": [False, True],
    "bits": [0.0, 1.0],
}
WEIGHTS = (None, [0.5, 1.0, 4.5], [1e-6, 1.0, 1e6])


class Table(Rows):
    """Rows of numbers and levels; None where a value is missing."""

    def __init__(self, X, y, w, Q, kinds, alpha):
        super().__init__(X, y, w, Q)
        self.kinds, self.alpha = kinds, alpha  # by column

    def columns(self, at):
        kinds, alpha = [self.kinds[j] for j in at], self.alpha[at]
        return Table(self.X[:, at], self.y, self.w, self.Q[:, at], kinds, alpha)

    @property
    def discrete(self):
        return [j for j, kind in enumerate(self.kinds) if kind != "numbers"]


class Case:
    """An estimator, and the columns it takes."""

    def __init__(self, kinds, estimator, by_feature=False):
        self.kinds, self.estimator, self.by_feature = kinds, estimator, by_feature

    def of(self, table):
        """The estimator for a table: some parameters name its columns."""
        model = clone(self.estimator)
        if isinstance(model, sf.MixedNB):
            model.set_params(categorical=table.discrete)
        return model.set_params(alpha=table.alpha[table.discrete]) if self.by_feature else model


NAMES = ("strings", "integers", "halves", "booleans")
MIXED = ("numbers", *NAMES)
CASES = {
    "binary": Case(["bits"], sf.BernoulliNB()),
    "binary, unsmoothed": Case(["bits"], sf.BernoulliNB(alpha=0, binarize=None)),
    "levels": Case(NAMES, sf.CategoricalNB()),
    "levels, by feature": Case(NAMES, sf.CategoricalNB(), by_feature=True),
    "levels, unsmoothed": Case(NAMES, sf.CategoricalNB(alpha=0, fit_prior=False)),
    "mixed": Case(MIXED, sf.MixedNB()),
    "mixed, by feature": Case(MIXED, sf.MixedNB(pooling=0.3, priors="uniform"), by_feature=True),
    "mixed, unsmoothed": Case(MIXED, sf.MixedNB(alpha=0)),
    "mixed, full": Case(MIXED, sf.MixedNB(structure="full", pooling=1.0)),
}
every = pytest.mark.parametrize("case", CASES)
naive = pytest.mark.parametrize("case", [c for c in CASES if c != "mixed, full"])


def column(rng, kind, y, gaps):
    """Values that lean on the class, some of them missing."""
    n = len(y)
    if kind == "numbers":
        values = (rng.normal(size=n) + y).astype(object)
    else:
        levels = np.array(LEVELS[kind], dtype=object)
        values = levels[(rng.integers(0, len(levels), n) * rng.integers(0, 2, n) + y) % len(levels)]
    values[rng.random(n) < gaps] = None
    return values


@st.composite
def tables(draw, case, weighted=True):
    """Rows of two or three classes, some of one row; levels and classes may come late.

    The first three rows are of one class and know their numbers, so that any prefix has a model.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k, kinds = draw(st.integers(2, 3)), CASES[case].kinds
    kinds = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    sizes = [draw(st.integers(1, 7)) for _ in range(k)]
    y = np.concatenate([[0, 0, 0], rng.permutation(np.repeat(np.arange(k), sizes))])
    n, gaps = len(y), draw(st.sampled_from([0.0, 0.2, 0.6]))
    some = np.concatenate([y, rng.integers(0, k, 6)])
    both = np.empty((n + 6, len(kinds)), object)
    for j, kind in enumerate(kinds):
        # Of a full covariance with gaps there are estimates by EM only.
        full = kind == "numbers" and case == "mixed, full"
        both[:, j] = column(rng, kind, some, 0.0 if full else gaps)
        if kind == "numbers":
            both[:3, j] = rng.normal(size=3)
    weights = draw(st.sampled_from(WEIGHTS)) if weighted else None
    w = None if weights is None else rng.choice(weights, n)
    if case.startswith("binary"):
        both = both.astype(np.float64)
    labels = draw(st.sampled_from(LABELS))[y]
    return Table(both[:n], labels, w, both, kinds, rng.choice([0.0, 0.1, 1.0, 5.0], len(kinds)))


def assert_same(a, b, Q, tolerance=1e-9, priors=1e-12):
    """The same classes, levels and answers, relative to the largest."""
    assert np.array_equal(a.classes_, b.classes_)
    for mine, theirs in zip(getattr(a, "levels_", []), getattr(b, "levels_", []), strict=True):
        assert np.array_equal(mine, theirs)
    near(a.priors_, b.priors_, priors)
    near(a.predict_joint_log_proba(Q), b.predict_joint_log_proba(Q), tolerance)
    near(a.predict_log_proba(Q), b.predict_log_proba(Q), tolerance)


# Learning


@every
@LAW
@given(data=st.data(), sizes=some_sizes)
def test_partial_fit_equals_fit_for_any_batching(case, data, sizes):
    table = data.draw(tables(case))
    model = CASES[case].of(table)
    stream = clone(model)
    for at in batches(sizes, len(table.X)):
        table.update(stream, at)
    assert_same(stream, table.fit(model), table.Q)


@every
@LAW
@given(data=st.data(), parts=st.integers(2, 4))
def test_merging_two_models_equals_fitting_the_union(case, data, parts):
    table = data.draw(tables(case))
    model = CASES[case].of(table)
    left = np.arange(len(table.X)) % parts > 0
    left[:3] = True
    assume(not left.all())
    try:
        other = table.fit(model, ~left)
    except (TooFewRows, InvalidFeatures):
        assume(False)
    merged = table.fit(model, left).merge(other)
    assert_same(merged, table.fit(model), table.Q)


@every
@LAW
@given(data=st.data(), count=st.integers(1, 12))
def test_forgetting_inverts_learning(case, data, count):
    table = data.draw(tables(case))
    model, n = CASES[case].of(table), len(table.X)
    kept, gone = np.arange(max(3, n - count)), np.arange(max(3, n - count), n)
    before, after = table.fit(model, kept), table.update(table.fit(model, kept), gone)
    X, y, w = table.of(gone)
    try:
        after.forget(X, y, sample_weight=w)
    except LostPrecision:
        assert w is not None
        return
    assert_same(after, before, table.Q, 1e-7, 1e-7)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_whole_weights_equal_repetition(case, data, seed):
    table = data.draw(tables(case, weighted=False))
    model = CASES[case].of(table)
    w = np.random.default_rng(seed).integers(1, 4, len(table.y))
    weighted = clone(model).fit(table.X, table.y, sample_weight=w)
    repeated = clone(model).fit(np.repeat(table.X, w, axis=0), np.repeat(table.y, w))
    assert_same(weighted, repeated, table.Q)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_a_weight_of_zero_equals_absence(case, data, seed):
    table = data.draw(tables(case))
    model = CASES[case].of(table)
    absent = np.random.default_rng(seed).random(len(table.y)) < 0.4
    absent[:3] = False
    w = np.where(absent, 0.0, 1.0 if table.w is None else table.w)
    weighted = clone(model).fit(table.X, table.y, sample_weight=w)
    assert_same(weighted, table.fit(model, ~absent), table.Q, 1e-12)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_the_order_of_rows_does_not_matter(case, data, seed):
    table = data.draw(tables(case))
    model = CASES[case].of(table)
    order = np.random.default_rng(seed).permutation(len(table.X))
    assert_same(table.fit(model, order), table.fit(model), table.Q)


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
    assert_same(clone(model).fit_statistics(loaded), fitted, table.Q, 1e-14)


@every
@LAW
@given(data=st.data())
def test_a_clone_learns_the_same_and_a_pickle_answers_the_same(case, data):
    table = data.draw(tables(case))
    fitted = table.fit(CASES[case].of(table))
    assert_same(table.fit(clone(fitted)), fitted, table.Q, 0)
    again = pickle.loads(pickle.dumps(fitted))
    assert_same(again, fitted, table.Q, 0)
    assert again.statistics_ == fitted.statistics_


# Answers


@every
@LAW
@given(data=st.data())
def test_answers_agree_with_each_other(case, data):
    table = data.draw(tables(case))
    fitted, Q = table.fit(CASES[case].of(table)), table.Q
    log_proba, joint = fitted.predict_log_proba(Q), fitted.predict_joint_log_proba(Q)
    proba, density = fitted.predict_proba(Q), fitted.score_samples(Q)
    near(proba.sum(axis=1), np.ones(len(Q)), 1e-12)
    assert np.array_equal(np.exp(log_proba), proba)
    near(density, np.logaddexp.reduce(joint, axis=1), 1e-12)
    possible = np.isfinite(density)
    near(log_proba[possible], joint[possible] - density[possible, None], 1e-10)
    same_labels(fitted.predict(Q), fitted.classes_[proba.argmax(axis=1)], log_proba, 1e-9)
    a, b = fitted.classes_[[-1, 0]]
    with np.errstate(invalid="ignore"):
        odds = log_proba[:, -1] - log_proba[:, 0]
    near(fitted.log_odds(Q, a, b), odds, 1e-9)
    near(fitted.contributions(Q, a, b).log_odds, odds, 1e-9)


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
        assert_same(table.fit(clone(other)), other, table.Q, 1e-13)
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
def test_the_chances_of_all_levels_add_up_to_that_of_a_missing_one(case, data):
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
@settings(LAW, max_examples=3)
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
