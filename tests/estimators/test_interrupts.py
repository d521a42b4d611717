"""An interrupt at any line leaves the old model or the new one, never a mixture of both."""

import inspect
import pickle
import sys
import warnings
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import suffice as sf
from lawful import EXHAUSTIVE
from suffice.errors import InvalidFeatures

PACKAGE = Path(sf.__file__).parent
WATCHED = tuple(str(PACKAGE / part) for part in ("estimators", "engines"))

# Attributes that would not fit together if only some of them were replaced.
ATTRIBUTES = (
    *("classes_", "n_features_in_", "feature_names_in_", "priors_", "means_", "levels_"),
    *("powers_", "n_iter_", "converged_", "lower_bound_", "log_likelihoods_", "layout_"),
)


class Stop(BaseException):
    """What the tests raise; EM would catch a KeyboardInterrupt and keep what it has found."""


@dataclass(frozen=True)
class Table:
    """Rows of two classes, more rows of a third one, and others with other columns and labels."""

    old: tuple
    more: tuple
    other: tuple
    rows: tuple  # to ask about, by number of columns

    @classmethod
    def of(cls, old, other, names=False):
        at = np.arange(len(old))
        X = pd.DataFrame(old, columns=list("uvwxyz"[: old.shape[1]])) if names else old
        return cls(
            (X, np.where(at % 2, "b", "a")),
            (X, np.where(at % 3, "c", "a")),
            (other, np.arange(len(other)) % 3),
            (X, other),
        )

    def with_names(self):
        return Table.of(self.old[0], self.other[0], names=True)


def numbers(seed, d):
    return np.random.default_rng(seed).lognormal(size=(18, d))


def levels(seed, d):
    return np.random.default_rng(seed).integers(0, 3, (18, d))


NUMERIC = Table.of(numbers(0, 2), numbers(1, 3))
DISCRETE = Table.of(levels(0, 2), levels(1, 3))
MIXED = Table.of(
    np.concatenate([numbers(0, 2), np.array([["x"], ["y"], ["z"]] * 6, object)], axis=1),
    np.concatenate([numbers(1, 3), np.array([["x"], ["y"]] * 9, object)], axis=1),
)
LEARNERS = {
    "LDA": (sf.LDA(), NUMERIC),
    "QDA": (sf.QDA(priors="uniform"), NUMERIC),
    "GaussianNB": (sf.GaussianNB(), NUMERIC),
    "DiagonalLDA": (sf.DiagonalLDA(), NUMERIC),
    "GaussianDiscriminant": (sf.GaussianDiscriminant(pooling=0.5, shrinkage="oas"), NUMERIC),
    "BayesianDiscriminant": (sf.BayesianDiscriminant("full", 0.0, 1.0, 4.0), NUMERIC),
    "UnskewedDiscriminant": (sf.UnskewedDiscriminant(pooling=0.5, shrinkage=0.1), NUMERIC),
    "BernoulliNB": (sf.BernoulliNB(), DISCRETE),
    "CategoricalNB": (sf.CategoricalNB(alpha=0.5), DISCRETE),
    "MixedNB": (sf.MixedNB(), MIXED),
}
OTHERS = {
    "MixtureDiscriminant": (sf.MixtureDiscriminant(2, max_iter=3, random_state=0), NUMERIC),
    "GaussianMixture": (sf.GaussianMixture(2, max_iter=3, random_state=0), NUMERIC),
    "Indicators": (sf.Indicators(), MIXED),
}
CALLS = {
    "partial_fit": lambda model, table, twin: model.partial_fit(*table.more),
    "forget": lambda model, table, twin: model.forget(*(part[:4] for part in table.old)),
    "merge": lambda model, table, twin: model.merge(twin),
    "fit_statistics": lambda model, table, twin: model.fit_statistics(
        twin.statistics_ + twin.statistics_
    ),
}


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations are enough here
        return call()


def fitted(model, rows):
    return quiet(lambda: clone(model).fit(*rows))


def state(model, table):
    """All that can be seen of a model."""
    if not hasattr(model, "n_features_in_"):
        return None
    seen = {name: getattr(model, name, None) for name in ATTRIBUTES}
    statistics, answers = getattr(model, "statistics_", None), None
    digest = None if statistics is None else statistics.digest()
    for X in table.rows:
        if X.shape[1] == model.n_features_in_:
            try:
                ask = model.transform if hasattr(model, "layout_") else model.predict_proba
                answers = ask(X).tobytes()
            except InvalidFeatures as error:
                answers = str(error)
    return pickle.dumps(seen), digest, answers, hasattr(model, "selection_")


class Interrupting:
    """Makes a call, and raises at the n-th step that it takes in the estimators.

    A step is a line of theirs, or a call that such a line makes to another part of the package.
    """

    def __init__(self, at=None):
        self.steps, self.at = [], at

    def __call__(self, call):
        before = sys.gettrace()
        sys.settrace(self.entered)
        try:
            call()
        except Stop:
            return True
        finally:
            sys.settrace(before)
        return False

    def entered(self, frame, event, value):
        code = frame.f_code
        if code.co_filename.startswith(WATCHED):
            # What is raised while a generator is thrown away is lost.
            return None if code.co_flags & inspect.CO_GENERATOR else self.inside
        caller = frame.f_back and frame.f_back.f_code.co_filename
        if code.co_filename.startswith(str(PACKAGE)) and caller and caller.startswith(WATCHED):
            self.step(frame, event)
        return None

    def inside(self, frame, event, value):
        if event in ("line", "return"):
            self.step(frame, event)
        return self.inside

    def step(self, frame, event):
        self.steps.append((frame.f_code, frame.f_lineno, event))
        if len(self.steps) - 1 == self.at:
            raise Stop

    def places(self):
        """Where to raise: at every line the first and the last time that it is run."""
        first = {step: at for at, step in reversed(list(enumerate(self.steps)))}
        last = {step: at for at, step in enumerate(self.steps)}
        return sorted({*first.values(), *last.values()})


def check_interrupts(once, call, table, stride=1):
    """Interrupt a call everywhere, and compare what is left with the old and the new model.

    At every third place unless all tests are asked for.
    """
    quiet(lambda: call(copy(once)))  # what is imported or compiled is so before
    one, counting = copy(once), Interrupting()
    old = state(one, table)
    assert not quiet(lambda: counting(lambda: call(one)))
    new = state(one, table)
    assert new != old, "the call changes nothing, so that the test shows nothing"
    found = set()
    for at in counting.places()[:: stride if EXHAUSTIVE else 3 * stride]:
        one = copy(once)
        stopped = quiet(lambda at=at, one=one: Interrupting(at)(lambda: call(one)))
        left = state(one, table)
        allowed = (old, new) if stopped else (new,)
        assert left in allowed, f"a mixture is left by step {at}: {counting.steps[at]}"
        if left not in found:
            assert state(pickle.loads(pickle.dumps(one)), table) == left
        found.add(left)
    assert old in found


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (call, name)
        for call in CALLS
        for name in LEARNERS
        if (call, name) != ("forget", "UnskewedDiscriminant")  # which refuses to
    ],
)
def test_an_interrupted_update_leaves_the_old_model_or_the_new_one(name, call):
    model, table = LEARNERS[name]
    once, twin = fitted(model, table.old), fitted(model, table.old)
    check_interrupts(once, lambda one: CALLS[call](one, table, twin), table)


@pytest.mark.parametrize("name", LEARNERS)
def test_an_interrupted_fit_leaves_the_old_model_or_the_new_one(name):
    model, table = LEARNERS[name][0], LEARNERS[name][1].with_names()
    check_interrupts(fitted(model, table.old), lambda one: one.fit(*table.other), table)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_an_interrupted_first_fit_leaves_no_model_or_the_new_one(name, call):
    model, table = LEARNERS[name]
    check_interrupts(clone(model), lambda one: getattr(one, call)(*table.old), table, stride=3)


@pytest.mark.parametrize("name", OTHERS)
def test_an_interrupted_search_leaves_the_old_mixture_or_the_new_one(name):
    model, table = OTHERS[name][0], OTHERS[name][1].with_names()
    for once in (fitted(model, table.old), clone(model)):
        check_interrupts(once, lambda one: one.fit(*table.other), table, stride=2)


def test_an_interrupted_choice_leaves_the_old_model_or_the_new_one():
    table = NUMERIC.with_names()
    chosen = fitted(sf.DiagonalLDA(shrinkage="cv"), table.old)
    check_interrupts(chosen, lambda one: one.fit(*table.other), table, stride=4)
    plain = chosen.set_params(shrinkage=0.5)
    check_interrupts(plain, lambda one: one.fit(*table.other), table, stride=2)
    assert not hasattr(plain.fit(*table.other), "selection_")


def in_partitions(X):
    return pytest.importorskip("dask.array").from_array(X, chunks=(6, X.shape[1]))


def on_a_device(X):
    return pytest.importorskip("array_api_strict").asarray(X)


@pytest.mark.parametrize("place", [in_partitions, on_a_device])
@pytest.mark.parametrize("call", ["fit", "partial_fit", "forget"])
def test_rows_elsewhere_are_learned_as_a_whole_or_not_at_all(place, call):
    table = NUMERIC.with_names() if call == "fit" else NUMERIC
    X, y = table.other if call == "fit" else table.old
    once, rows = fitted(sf.LDA(), table.old), place(X[:6])
    run = nullcontext()
    if place is in_partitions:
        run = pytest.importorskip("dask").config.set(scheduler="synchronous")
    with run:
        check_interrupts(once, lambda one: getattr(one, call)(rows, y[:6]), table, stride=2)
