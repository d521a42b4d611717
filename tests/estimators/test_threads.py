"""Several threads and one model: no row is lost, and no answer comes from half a model."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from threading import Barrier, Event, local

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.errors import Mismatch
from suffice.estimators import drawing

THREADS = 4
PATIENCE = 120  # seconds, after which a test that hangs fails instead

R = np.random.default_rng(0)
NUMBERS = R.lognormal(size=(40, 3))
LEVELS = R.integers(0, 3, (40, 3))
TEXTS = np.concatenate([NUMBERS.astype(object), np.array([["x"], ["y"]] * 20, object)], axis=1)
Y = np.arange(40) % 2
CASES = {
    "LDA": (sf.LDA(), NUMBERS),
    "QDA": (sf.QDA(), NUMBERS),
    "GaussianNB": (sf.GaussianNB(), NUMBERS),
    "BayesianDiscriminant": (sf.BayesianDiscriminant(), NUMBERS),
    "UnskewedDiscriminant": (sf.UnskewedDiscriminant(pooling=1.0), NUMBERS),
    "BernoulliNB": (sf.BernoulliNB(), LEVELS),
    "CategoricalNB": (sf.CategoricalNB(), LEVELS),
    "MixedNB": (sf.MixedNB(), TEXTS),
}
every = pytest.mark.parametrize("case", CASES)


def together(*calls):
    """Results of calls that are made at the same time, a thread each."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [one.result(PATIENCE) for one in [pool.submit(call) for call in calls]]


def meet_in(monkeypatch, model, name, threads=THREADS):
    """Lets all threads come to the end of a method of a model before one of them goes on."""
    barrier, own, kind = Barrier(threads), local(), type(model)
    method = getattr(kind, name)

    def patched(self, *args, **kwargs):
        found = method(self, *args, **kwargs)
        if not getattr(own, "met", False):
            own.met = True
            barrier.wait(PATIENCE)
        return found

    monkeypatch.setattr(kind, name, patched)


def parts(X):
    return [(X[i::THREADS], Y[i::THREADS]) for i in range(THREADS)]


@every
def test_rows_that_several_threads_add_are_all_counted(case, monkeypatch):
    model, X = CASES[case]
    shared, whole = clone(model).fit(X, Y), clone(model).fit(X, Y)
    for rows in parts(X):
        whole.partial_fit(*rows)
    meet_in(monkeypatch, model, "_summarize")
    together(*(lambda rows=rows: shared.partial_fit(*rows) for rows in parts(X)))
    assert shared.statistics_ == whole.statistics_
    np.testing.assert_allclose(shared.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


@every
def test_the_first_rows_may_come_from_several_threads(case, monkeypatch):
    model, X = CASES[case]
    shared, whole = clone(model), clone(model).fit(X, Y)
    meet_in(monkeypatch, model, "_summarize")
    together(*(lambda rows=rows: shared.partial_fit(*rows) for rows in parts(X)))
    assert shared.statistics_.count.tolist() == [20, 20]
    if case != "UnskewedDiscriminant":  # whose powers are those of the first rows
        assert shared.statistics_ == whole.statistics_


@pytest.mark.parametrize("case", [case for case in CASES if case != "UnskewedDiscriminant"])
def test_rows_that_several_threads_forget_are_all_removed(case, monkeypatch):
    model, X = CASES[case]
    shared = clone(model).fit(X, Y)
    doubled = deepcopy(shared).partial_fit(X, Y)
    meet_in(monkeypatch, model, "_summarize")
    together(*(lambda rows=rows: doubled.forget(*rows) for rows in parts(X)))
    assert doubled.statistics_ == shared.statistics_


@every
def test_models_that_several_threads_merge_are_all_counted(case, monkeypatch):
    model, X = CASES[case]
    shared, other = clone(model).fit(X, Y), clone(model).fit(X, Y)
    meet_in(monkeypatch, model, "_merge_state")
    together(*[lambda: shared.merge(other)] * THREADS)
    assert shared.statistics_.count.tolist() == [20 * (1 + THREADS)] * 2


@every
def test_models_may_be_merged_with_themselves_and_with_one_another(case, monkeypatch):
    model, X = CASES[case]
    a, b = clone(model).fit(X, Y), clone(model).fit(X, Y)
    assert a.merge(a).statistics_.count.tolist() == [40, 40]
    meet_in(monkeypatch, model, "_merge_state", threads=2)
    together(lambda: a.merge(b), lambda: b.merge(a))
    assert a.statistics_.count.tolist() == b.statistics_.count.tolist() == [60, 60]


def paused(monkeypatch, kind, name):
    """A method that waits at its end, an event that says it is there, and one to let it go on."""
    there, go, method = Event(), Event(), getattr(kind, name)

    def patched(self, *args, **kwargs):
        found = method(self, *args, **kwargs)
        if not go.is_set():
            there.set()
            assert go.wait(PATIENCE)
        return found

    monkeypatch.setattr(kind, name, patched)
    return there, go


@every
@pytest.mark.parametrize("ask", ["predict", "impute", "decide", "score"])
def test_answers_come_from_one_model_though_it_is_fitted_meanwhile(case, ask, monkeypatch):
    model, X = CASES[case]
    shared, labels = clone(model).fit(X, Y), np.array(["c", "b", "a"])[np.arange(40) % 3]
    rows = X[:, :3] if case == "MixedNB" else X
    given = (X, Y) if ask == "score" else (X,)
    expected = getattr(shared, ask)(*given)
    there, go = paused(monkeypatch, kind=type(model), name="_rows")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(getattr(shared, ask), *given)
        assert there.wait(PATIENCE)
        shared.fit(rows[:, :2], labels)
        go.set()
        found = asked.result(PATIENCE)
    assert np.array_equal(found, expected)
    assert shared.classes_.tolist() == ["a", "b", "c"]


def test_samples_come_from_one_model_though_it_is_fitted_meanwhile(monkeypatch):
    shared = sf.UnskewedDiscriminant().fit(NUMBERS, Y)
    expected = shared.sample(5, random_state=0)
    there, go, draw = Event(), Event(), drawing.draw

    def slow(*args):
        found = draw(*args)
        there.set()
        assert go.wait(PATIENCE)
        return found

    monkeypatch.setattr(drawing, "draw", slow)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shared.sample, 5, random_state=0)
        assert there.wait(PATIENCE)
        shared.fit(NUMBERS[:, :2] ** 2, np.arange(40) % 3)
        go.set()
        found = asked.result(PATIENCE)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@every
def test_a_model_that_is_built_late_is_never_one_of_fewer_rows(case, monkeypatch):
    model, X = CASES[case]
    shared, whole = (clone(model).partial_fit(X[:20], Y[:20]) for _ in range(2))
    whole.partial_fit(X[20:], Y[20:]).predict_proba(X)
    there, go = paused(monkeypatch, kind=type(model), name="_build")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shared.predict_proba, X)
        assert there.wait(PATIENCE)
        shared.partial_fit(X[20:], Y[20:])
        go.set()
        asked.result(PATIENCE)
    assert np.array_equal(shared.predict_proba(X), whole.predict_proba(X))


def pickled(model):
    return pickle.loads(pickle.dumps(model))


@every
@pytest.mark.parametrize("again", [copy, deepcopy, pickled])
def test_copies_learn_and_forget_on_their_own(case, again):
    model, X = CASES[case]
    first = clone(model).fit(X, Y)
    first.outlier_pvalue(X[:3])  # which keeps what it has simulated
    other = again(first)
    assert np.array_equal(other.predict_proba(X), first.predict_proba(X))
    other.partial_fit(X, Y)
    assert first.statistics_.count.tolist() == [20, 20]
    assert other.statistics_.count.tolist() == [40, 40]
    assert clone(other).partial_fit(X, Y).statistics_.count.tolist() == [20, 20]


def test_priors_set_on_a_copy_stay_there():
    first = sf.LDA().partial_fit(NUMBERS, np.arange(40) % 4 > 0)
    other = copy(first).set_params(priors="uniform").partial_fit(NUMBERS[:4], [True] * 4)
    assert other.priors_.tolist() == [0.5, 0.5]
    assert first.priors_.tolist() == [0.25, 0.75]


def test_powers_are_not_mixed_with_rows_as_they_are():
    unskewed, plain = sf.UnskewedDiscriminant().fit(NUMBERS, Y), sf.GaussianDiscriminant()
    with pytest.raises(Mismatch, match="powers"):
        plain.fit(NUMBERS, Y).merge(unskewed)
