"""Laws of models with missing values: what must not matter does not, however many are missing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from lawful import EXHAUSTIVE, few

MODELS = [
    sf.QDA(),
    sf.LDA(),
    sf.QDA(ddof=1),
    sf.GaussianDiscriminant(pooling=0.5),
    sf.QDA(shrinkage="oas", target="diagonal"),
    sf.BayesianDiscriminant(),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)

# Rows, features, classes, share of missing values, and whether the last class has three rows.
TABLES = [
    (120, 4, 3, 0.1, True),
    (120, 4, 3, 0.3, False),
    (120, 4, 3, 0.6, False),
    (400, 4, 3, 0.6, False),
    (200, 5, 4, 0.6, True),
    (400, 4, 2, 0.8, False),
]
every_table = few("shape", TABLES, [TABLES[0], TABLES[2], TABLES[5]], ids=str)
SEEDS = range(2 if EXHAUSTIVE else 1)


def table(shape, seed):
    """Correlated rows of k classes, a share of the values missing."""
    n, d, k, share, tiny = shape
    rng = np.random.default_rng(seed + n + 10 * d)
    y = rng.integers(0, k, n)
    if tiny:
        y = np.where(np.arange(n) < 3, k - 1, y % (k - 1))
    mixing = np.eye(d) + 0.7 * rng.normal(size=(k, d, d))
    X = np.einsum("ni,nij->nj", rng.normal(size=(n, d)), mixing[y]) + rng.normal(size=(k, d))[y]
    X[rng.random((n, d)) < share] = np.nan
    return X, y


def answers(model, X, y):
    """Posteriors, and the log-likelihood of the training rows."""
    return model.predict_proba(X), model.log_likelihood(X, y)


@cache
def usual(name, shape, seed):
    """The answers of a model, by its name, for a table as it is."""
    X, y = table(shape, seed)
    model = next(one for one in MODELS if repr(one) == name)
    return answers(clone(model).fit(X, y), X, y)


def same(found, wanted, shift=0.0):
    """Posteriors to a millionth, log-likelihoods to a ten-millionth of their size."""
    np.testing.assert_allclose(found[0], wanted[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[1] + shift, wanted[1], rtol=1e-7)
    margin = np.sort(wanted[0], axis=1)
    clear = margin[:, -1] - margin[:, -2] > 1e-5
    assert np.array_equal(found[0].argmax(axis=1)[clear], wanted[0].argmax(axis=1)[clear])


@every_model
@every_table
def test_the_order_of_rows_does_not_matter(model, shape):
    for seed in SEEDS:
        X, y = table(shape, seed)
        order = np.random.default_rng(seed).permutation(len(X))
        m = clone(model).fit(X[order], y[order])
        same(answers(m, X, y), usual(repr(model), shape, seed))


@every_model
@every_table
def test_parts_may_be_merged_in_any_order(model, shape):
    for seed in SEEDS:
        X, y = table(shape, seed)
        part = np.random.default_rng(seed).integers(0, 3, len(X))
        a, b, c = (sf.summarize(X[part == i], y[part == i]) for i in range(3))
        for total in (a + b + c, c + (b + a)):
            found = answers(clone(model).fit_statistics(total), X, y)
            same(found, usual(repr(model), shape, seed))


@every_model
@every_table
def test_batches_of_rows_do_not_matter(model, shape):
    X, y = table(shape, 0)
    m = clone(model)
    for rows in np.array_split(np.arange(len(X)), 7):
        m.partial_fit(X[rows], y[rows])
    same(answers(m, X, y), usual(repr(model), shape, 0))


@every_model
@every_table
def test_names_of_classes_do_not_matter(model, shape):
    for seed in SEEDS:
        X, y = table(shape, seed)
        names = np.random.default_rng(seed).permutation(shape[2])
        m = clone(model).fit(X, names[y])
        proba, level = answers(m, X, names[y])
        same((proba[:, names], level), usual(repr(model), shape, seed))


@every_model
@every_table
def test_the_order_of_features_does_not_matter(model, shape):
    for seed in SEEDS:
        X, y = table(shape, seed)
        order = np.random.default_rng(seed).permutation(X.shape[1])
        m = clone(model).fit(X[:, order], y)
        same(answers(m, X[:, order], y), usual(repr(model), shape, seed))


@every_model
@every_table
def test_units_do_not_matter(model, shape):
    for seed in SEEDS:
        X, y = table(shape, seed)
        units = 10.0 ** np.random.default_rng(seed).integers(-4, 5, X.shape[1])
        m = clone(model).fit(X * units, y)
        shift = float((~np.isnan(X) * np.log(units)).sum())
        same(answers(m, X * units, y), usual(repr(model), shape, seed), shift)


@every_table
def test_separate_covariances_are_at_least_as_likely_as_a_shared_one(shape):
    for seed in range(4 if EXHAUSTIVE else 2):
        X, y = table(shape, seed)
        qda, lda = sf.QDA().fit(X, y), sf.LDA().fit(X, y)
        assert qda.log_likelihood(X, y) >= lda.log_likelihood(X, y) * (1 + 1e-9)
