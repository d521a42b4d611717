"""Laws of learning, over every classifier that is defined by statistics."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from subjects import FAMILY, SUBJECTS, Gaussian, Table

from lawful import LAW, batches, some_sizes
from suffice.errors import InvalidFeatures, LostPrecision, TooFewRows

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

every = pytest.mark.parametrize("subject", SUBJECTS, ids=repr)


@every
@LAW
@given(data=st.data(), sizes=some_sizes)
def test_partial_fit_equals_fit_for_any_batching(subject, data, sizes):
    table = data.draw(subject.rows())
    model = subject.of(table)
    stream = clone(model)
    for at in batches(sizes, len(table.X)):
        table.update(stream, at)
    subject.check_same(stream, table.fit(model), table.Q)


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("order", [[0, 0, 1, 1, 2], [0, 1, 2, 0, 1], [2, 1, 0, 0, 0]], ids=str)
def test_rows_may_come_one_at_a_time_in_any_order_of_classes(model, order):
    rng = np.random.default_rng(3)
    y = np.array(order * 5)
    X = rng.normal(size=(25, 2)) + y[:, None]
    stream = clone(model)
    for i in range(25):
        stream.partial_fit(X[i : i + 1], y[i : i + 1])
    Gaussian(model).check_same(stream, clone(model).fit(X, y), X)


@every
@LAW
@given(data=st.data(), parts=st.integers(2, 4))
def test_merging_two_models_equals_fitting_the_union(subject, data, parts):
    table = data.draw(subject.rows())
    model = subject.of(table)
    left = np.arange(len(table.X)) % parts > 0
    left[:3] = True
    assume(not left.all())
    try:
        other = table.fit(model, ~left)
    except (TooFewRows, InvalidFeatures):
        assume(False)
    merged = table.fit(model, left).merge(other)
    subject.check_same(merged, table.fit(model), table.Q)


@every
@LAW
@given(data=st.data(), count=st.integers(1, 12))
def test_forgetting_inverts_learning(subject, data, count):
    table = data.draw(subject.rows())
    model, n = subject.of(table), len(table.X)
    kept, gone = np.arange(max(3, n - count)), np.arange(max(3, n - count), n)
    assume(len(gone))
    before, after = table.fit(model, kept), table.update(table.fit(model, kept), gone)
    X, y, w = table.of(gone)
    try:
        after.forget(X, y, sample_weight=w)
    except LostPrecision:
        assert w is not None
        return
    subject.check_same(after, before, table.Q, 1e-7)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_whole_weights_equal_repetition(subject, data, seed):
    table = data.draw(subject.rows(weighted=False))
    model = subject.of(table)
    w = np.random.default_rng(seed).integers(1, 4, len(table.y))
    weighted = clone(model).fit(table.X, table.y, sample_weight=w)
    repeated = clone(model).fit(np.repeat(table.X, w, axis=0), np.repeat(table.y, w))
    subject.check_same(weighted, repeated, table.Q)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_a_weight_of_zero_equals_absence(subject, data, seed):
    table = data.draw(subject.rows())
    model = subject.of(table)
    absent = np.random.default_rng(seed).random(len(table.y)) < 0.4
    absent[:3] = False
    w = np.where(absent, 0.0, 1.0 if table.w is None else table.w)
    X = table.X if isinstance(table, Table) else np.where(absent[:, None], 1e6, table.X)
    weighted = clone(model).fit(X, table.y, sample_weight=w)
    subject.check_same(weighted, table.fit(model, ~absent), table.Q, 1e-12)


@every
@LAW
@given(data=st.data(), seed=st.integers(0, 999))
def test_the_order_of_rows_does_not_matter(subject, data, seed):
    table = data.draw(subject.rows())
    model = subject.of(table)
    order = np.random.default_rng(seed).permutation(len(table.X))
    subject.check_same(table.fit(model, order), table.fit(model), table.Q)


@every
@LAW
@given(data=st.data())
def test_a_clone_learns_the_same_and_a_pickle_answers_the_same(subject, data):
    table = data.draw(subject.rows())
    fitted = table.fit(subject.of(table))
    subject.check_same(table.fit(clone(fitted)), fitted, table.Q, 0)
    again = pickle.loads(pickle.dumps(fitted))
    subject.check_same(again, fitted, table.Q, 0)
    assert again.statistics_ == fitted.statistics_
