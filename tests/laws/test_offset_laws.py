"""Laws of features far from zero: answers keep their digits at offsets of 1e8 deviations.

Rows on a grid of 2^-20 can be moved by 2^27 without rounding. So what is said of the moved rows
must be what is said of the original ones.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.models import scoring

GRID = 2.0**-20
OFFSET = 2.0**27 * np.array([1, -1.25, 0.5, 2])
CLOSE = 1e-12

GAUSSIAN = [
    sf.QDA(),
    sf.LDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.3),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage=0.2, ddof=1),
    sf.GaussianDiscriminant("diagonal", pooling=0.3),
    sf.GaussianDiscriminant("spherical", pooling=0.3),
    sf.GaussianDiscriminant("spherical", pooling=1.0),
    sf.QDA(shrinkage="oas", target="diagonal"),
    sf.LDA(shrinkage="ledoit-wolf"),
    sf.QDA(reg_param=0.1),
]
BAYESIAN = [
    sf.BayesianDiscriminant(),
    sf.BayesianDiscriminant("diagonal"),
    sf.BayesianDiscriminant(pooling=1),
    sf.BayesianDiscriminant("diagonal", pooling=1),
    sf.BayesianDiscriminant(density="map"),
]
MIXED = [sf.MixedNB(categorical=[]), sf.MixedNB(categorical=[], structure="full")]
gaussian = pytest.mark.parametrize("model", GAUSSIAN, ids=repr)
every = pytest.mark.parametrize("model", [*GAUSSIAN, *BAYESIAN, *MIXED], ids=repr)


def table():
    """Rows of three classes on the grid, and their labels."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [30, 25, 20])
    X = rng.normal(size=(75, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=(3, 4))[codes]
    return np.rint(X / GRID) * GRID, np.array(["a", "b", "c"])[codes]


def near_and_far():
    X, y = table()
    far = X + OFFSET
    assert np.array_equal(far - OFFSET, X)
    return X, far, y


def same(got, want):
    np.testing.assert_allclose(got, want, rtol=CLOSE, atol=CLOSE)


def with_gaps(X):
    X = X.copy()
    X[::3, 1] = X[1::5, 3] = np.nan
    return X


@every
def test_what_is_said_of_rows_does_not_depend_on_where_zero_is(model):
    X, far, y = near_and_far()
    here, there = clone(model).fit(X, y), clone(model).fit(far, y)
    same(there.predict_log_proba(far), here.predict_log_proba(X))
    same(there.predict_joint_log_proba(far), here.predict_joint_log_proba(X))
    same(there.log_odds(far, "a", "c"), here.log_odds(X, "a", "c"))
    same(there.outlier_pvalue(far), here.outlier_pvalue(X))
    gaps, far_gaps = with_gaps(X), with_gaps(far)
    same(there.predict_joint_log_proba(far_gaps), here.predict_joint_log_proba(gaps))
    same(there.predict_log_proba(far_gaps), here.predict_log_proba(gaps))
    assert np.array_equal(there.predict(far), here.predict(X))


@gaussian
def test_distances_boundaries_and_reasons_do_not_depend_on_where_zero_is(model):
    X, far, y = near_and_far()
    here, there = clone(model).fit(X, y), clone(model).fit(far, y)
    same(there.squared_mahalanobis(far), here.squared_mahalanobis(X))
    same(there.squared_mahalanobis(with_gaps(far)), here.squared_mahalanobis(with_gaps(X)))
    same(there.outlier_pvalue(far, by_class=True), here.outlier_pvalue(X, by_class=True))
    same(there.boundary("a", "c")(far), here.boundary("a", "c")(X))
    same(there.contributions(far, "b", "c").values, here.contributions(X, "b", "c").values)
    assert there.means_.dtype == np.float64


@gaussian
def test_leave_one_out_does_not_depend_on_where_zero_is(model):
    X, far, y = near_and_far()
    here = clone(model).fit(X, y).leave_one_out(X, y)
    same(clone(model).fit(far, y).leave_one_out(far, y).log_proba, here.log_proba)


def test_discriminant_axes_do_not_depend_on_where_zero_is():
    X, far, y = near_and_far()
    same(sf.LDA().fit(far, y).transform(far), sf.LDA().fit(X, y).transform(X))


@every
def test_files_keep_what_rounding_cut_off_the_means(model, tmp_path):
    _, far, y = near_and_far()
    model = clone(model).fit(far, y)
    model.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    assert np.array_equal(again.predict_log_proba(far), model.predict_log_proba(far))


# The share of Ledoit and Wolf comes from sums that merging moves by the rounded means.
merging = pytest.mark.parametrize(
    "model", [m for m in [*GAUSSIAN, *BAYESIAN] if m.get_params().get("shrinkage") != "ledoit-wolf"]
)


@merging
def test_rows_in_batches_do_not_depend_on_where_zero_is(model):
    X, far, y = near_and_far()
    here, there = clone(model), clone(model)
    for low in range(0, len(X), 9):
        part = slice(low, low + 9)
        here.partial_fit(X[part], y[part])
        there.partial_fit(far[part], y[part])
    same(there.predict_log_proba(far), here.predict_log_proba(X))


@pytest.mark.parametrize("model", [sf.QDA(), sf.LDA(), sf.GaussianNB()], ids=repr)
def test_training_rows_with_gaps_do_not_depend_on_where_zero_is(model):
    X, far, y = near_and_far()
    here, there = clone(model).fit(with_gaps(X), y), clone(model).fit(with_gaps(far), y)
    same(there.predict_joint_log_proba(far), here.predict_joint_log_proba(X))


def test_the_compiled_loops_of_naive_bayes_keep_the_digits_too(monkeypatch):
    X, far, y = near_and_far()
    here, there = sf.GaussianNB().fit(X, y), sf.GaussianNB().fit(far, y)
    want, want_gaps = here.predict_log_proba(X), here.predict_log_proba(with_gaps(X))
    monkeypatch.setattr(scoring.IndependentClasses, "compiled_from", 0)
    monkeypatch.setattr(scoring.IndependentClasses, "observed_compiled_from", 0)
    same(there.predict_log_proba(far), want)
    same(there.predict_log_proba(with_gaps(far)), want_gaps)


def test_naive_bayes_takes_the_short_way_where_it_loses_nothing():
    X, far, y = near_and_far()
    assert sf.GaussianNB().fit(X + 100, y)._fitted.independent.is_plain
    assert not sf.GaussianNB().fit(far, y)._fitted.independent.is_plain


@pytest.mark.parametrize("model", [sf.LDA(), sf.DiagonalLDA()], ids=repr)
def test_two_close_classes_are_distinguished_far_from_a_third(model):
    X, y = table()
    apart = X + np.where(y == "a", 0.0, 2.0**27)[:, None]
    model = clone(model).fit(apart, y)
    joint = exact_joint(apart, y, apart[40:60], pooling=1, diagonal="Diagonal" in repr(model))
    want = [float(row[1] - row[2]) for row in joint]
    same(model.log_odds(apart[40:60], "b", "c"), want)
    far_out = model.predict_log_proba(np.full((1, 4), 1e250))
    assert np.isfinite(np.exp(far_out)).all()


# An independent oracle: rows as stored, in 60 digits.


def exact_moments(X):
    n, d = X.shape
    mean = [mp.fsum(map(mp.mpf, X[:, j].tolist())) / n for j in range(d)]
    steps = [[mp.mpf(x) - m for x, m in zip(row, mean, strict=True)] for row in X.tolist()]
    scatter = mp.matrix(d, d)
    for i in range(d):
        for j in range(d):
            scatter[i, j] = mp.fsum(step[i] * step[j] for step in steps)
    return n, mean, scatter


@mp.workdps(60)
def exact_joint(X, y, rows, pooling, diagonal):
    """ln p(x, y) of rows, a list for each."""
    parts = [exact_moments(X[y == label]) for label in np.unique(y)]
    n, d = len(X), X.shape[1]
    pooled = sum((scatter for _, _, scatter in parts[1:]), parts[0][2])
    classes = []
    for weight, mean, scatter in parts:
        total = (1 - pooling) * mp.mpf(weight) + pooling * n
        covariance = ((1 - pooling) * scatter + pooling * pooled) / total
        if diagonal:
            covariance = mp.diag([covariance[i, i] for i in range(d)])
        constant = mp.log(mp.mpf(weight) / n) - mp.log(mp.det(2 * mp.pi * covariance)) / 2
        classes.append((mean, covariance**-1, constant))
    found = []
    for row in rows.tolist():
        found.append([])
        for mean, precision, constant in classes:
            step = mp.matrix([mp.mpf(x) - m for x, m in zip(row, mean, strict=True)])
            found[-1].append(constant - (step.T * precision * step)[0] / 2)
    return found


@mp.workdps(60)
def exact_log_posterior(joint):
    out = []
    for row in joint:
        total = mp.log(mp.fsum(mp.exp(value) for value in row))
        out.append([float(value - total) for value in row])
    return out


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize(
    ("model", "pooling", "diagonal"),
    [
        (sf.QDA(), 0.0, False),
        (sf.LDA(), 1.0, False),
        (sf.GaussianNB(var_smoothing=0), 0.0, True),
        (sf.DiagonalLDA(), 1.0, True),
        (sf.GaussianDiscriminant(pooling=0.25), 0.25, False),
        (sf.MixedNB(categorical=[], var_smoothing=0), 0.0, True),
    ],
    ids=repr,
)
def test_log_posteriors_are_right_to_twelve_digits(model, pooling, diagonal, offset):
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(3, 3))[y]
    X = X + offset * np.array([1.0, 1.3, -0.7])
    rows = X[::7]
    joint = exact_joint(X, y, rows, mp.mpf(pooling), diagonal)
    model = clone(model).fit(X, y)
    same(model.predict_joint_log_proba(rows), np.array(joint, float))
    same(model.predict_log_proba(rows), exact_log_posterior(joint))
    same(model.log_odds(rows, 1, 2), [float(row[1] - row[2]) for row in joint])
