"""What the laws over several families share: labels, batches, and when answers are the same."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.base import clone

EXHAUSTIVE = bool(os.environ.get("SUFFICE_EXHAUSTIVE"))


def examples(most, share=5):
    """How many examples to try: all or, unless all tests are asked for, every `share`-th."""
    return most if EXHAUSTIVE else min(most, max(5, most // share))


def one_per_class(estimators):
    """Estimators to run scikit-learn's checks on: the first of each class, or all if asked for."""
    first = {}
    for one in estimators:
        first.setdefault(type(one), one)
    return estimators if EXHAUSTIVE else [*first.values()]


def few(names, every, default, ids=None):
    """Parameters of a costly test: those of `default`, and all with SUFFICE_EXHAUSTIVE=1."""
    every, alone = [*every], "," not in names
    assert {*default} <= {*every}, {*default} - {*every}
    left_out = dict.fromkeys({*every} - {*default}, pytest.mark.exhaustive)
    parameters = [
        pytest.param(*([one] if alone else one), marks=left_out.get(one, ())) for one in every
    ]
    return pytest.mark.parametrize(names, parameters, ids=ids)


def law(most):
    """Settings of a law that is tried on the same examples each time, and on many models."""
    some = examples(most, share=10)
    return settings(deadline=None, derandomize=True, database=None, max_examples=some)


LAW = law(40)
LABELS = (np.array(["a", "b", "long name"]), np.array([-7, 3, 1 << 40]), np.array([0.0, 1.0, 2.0]))

some_sizes = st.lists(st.integers(1, 6), max_size=30)


class Rows:
    """Labelled rows, perhaps weighted, and some more to ask about."""

    def __init__(self, X, y, w, Q):
        self.X, self.y, self.w, self.Q = X, y, w, Q

    def __repr__(self):
        w = None if self.w is None else self.w.tolist()
        return f"Rows({self.X.tolist()}, {self.y.tolist()}, {w})"

    def of(self, at):
        return self.X[at], self.y[at], None if self.w is None else self.w[at]

    def fit(self, model, at=slice(None)):
        X, y, w = self.of(at)
        return clone(model).fit(X, y, sample_weight=w)

    def update(self, model, at):
        X, y, w = self.of(at)
        return model.partial_fit(X, y, sample_weight=w)


@st.composite
def rows(draw, regular=False, weighted=None):
    """Rows of two or three classes: normal ones, or on a small grid, where much is singular.

    The first three rows are of one class and differ, so that any prefix of them has a model.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k, d = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    low = d + 2 if regular else 1
    sizes = [draw(st.integers(low, low + 6)) for _ in range(k)]
    y = rng.permutation(np.repeat(np.arange(k), sizes))
    y = np.concatenate([[0, 0, 0], y])
    n = len(y)
    if regular or draw(st.booleans()):
        X = rng.normal(size=(n, d)) * (1 + y[:, None]) + rng.normal(size=(k, d))[y]
        X = X @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)) / np.sqrt(d)) + draw(
            st.sampled_from([0.0, 1e3])
        )
    else:
        X = rng.integers(-1, 3, size=(n, d)) / 4.0
        X[:3] = [[0.0], [1.0], [0.25]]
    if weighted is None:
        weighted = draw(st.booleans())
    w = rng.integers(2, 9, n) / 2 if weighted else None
    Q = np.concatenate([X, X[:5] + rng.normal(size=(5, d))])
    return Rows(X, draw(st.sampled_from(LABELS))[y], w, Q)


def batches(draw_sizes, n):
    """Ranges of rows: the first three together, then the sizes that were drawn."""
    cuts = np.minimum(3 + np.cumsum([0, *draw_sizes]), n)
    return [at for at in np.split(np.arange(n), cuts) if len(at)]


def same_labels(a, b, margins, tolerance=1e-6):
    """Labels agree but for rows that lie on a boundary to rounding."""
    best = np.sort(margins, axis=1)
    with np.errstate(invalid="ignore"):
        clear = best[:, -1] - best[:, -2] > tolerance * np.maximum(1, np.abs(margins).max(axis=1))
    assert np.array_equal(a[clear], b[clear])
