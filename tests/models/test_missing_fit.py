"""Fitting rows with missing values: against direct maxima, closed forms and laws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from sklearn.base import clone

import suffice as sf
from closeness import near
from suffice.errors import InvalidFeatures, InvalidInput, InvalidParameter, NotFinite
from suffice.models.em import expectation, gap_em
from suffice.models.structures import SPHERICAL
from suffice.statistics.incomplete import IncompleteStatistics, as_incomplete

# Repairs are what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

FAMILY = [
    sf.QDA(),
    sf.LDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage=0.2),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.4, ddof=1),
    sf.GaussianDiscriminant(structure="spherical"),
]
FULL = [
    sf.QDA(),
    sf.QDA(ddof=1),
    sf.LDA(),
    sf.LDA(ddof=1),
    sf.GaussianDiscriminant(pooling=0.3),
    sf.GaussianDiscriminant(pooling=0.3, ddof=1),
    sf.GaussianDiscriminant(shrinkage=0.2),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage=0.2, ddof=1),
    sf.GaussianDiscriminant(shrinkage=0.2, target="diagonal"),
    sf.LDA(shrinkage=0.2, target="diagonal"),
    sf.QDA(shrinkage="oas"),
    sf.LDA(shrinkage="oas", ddof=1),
    sf.QDA(shrinkage="oas", target="diagonal"),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage="oas", target="diagonal", ddof=1),
    sf.QDA(reg_param=0.2),
]
every_model = pytest.mark.parametrize("model", FAMILY, ids=repr)
every_full_model = pytest.mark.parametrize("model", FULL, ids=repr)
shapes = pytest.mark.parametrize(("d", "share"), [(2, 0.3), (3, 0.2), (4, 0.35)])
weighted = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
corners = pytest.mark.parametrize("kind", [sf.QDA, sf.LDA])


def rows(d=3, share=0.3, n=150, seed=0, k=3, empty=4):
    """Correlated rows of k classes, a share of the values missing, and `empty` rows of nothing."""
    rng = np.random.default_rng(seed + 10 * d)
    y = np.minimum(rng.permutation(n) % (k + 1), k - 1)
    mixing = np.eye(d) + 0.7 * rng.normal(size=(k, d, d))
    X = np.einsum("ni,nij->nj", rng.normal(size=(n, d)), mixing[y]) + rng.normal(size=(k, d))[y]
    X[rng.random((n, d)) < share] = np.nan
    X[:empty] = np.nan
    return X, y


def weights(n, seed=0):
    return np.random.default_rng(seed).uniform(0.3, 3, n)


def in_deviations(a, b):
    """The largest differences of means and of covariances, in standard deviations of b."""
    sd = np.sqrt(b.covariances_.diagonal(axis1=1, axis2=2))
    means = np.abs(a.means_ - b.means_) / sd
    covariances = np.abs(a.covariances_ - b.covariances_) / sd[:, :, None] / sd[:, None, :]
    return means.max(), covariances.max()


def fit(model, X, y, w=None):
    return clone(model).fit(X, y, sample_weight=w)


class Likelihood:
    """The log-likelihood of the known values, per unit of weight, and its gradient."""

    def __init__(self, X, y, w=None):
        self.k, self.d = len(np.unique(y)), X.shape[1]
        w = np.ones(len(X)) if w is None else w
        self.total = w.sum()
        self.cells = []
        for pattern in np.unique(~np.isnan(X), axis=0):
            at = (np.isnan(X) != pattern).all(axis=1)
            known = np.flatnonzero(pattern)
            if len(known):
                self.cells.append((known, X[np.ix_(at, known)], y[at], w[at]))

    def __call__(self, means, S):
        value, by_mean, by_matrix = 0.0, np.zeros((self.k, self.d)), np.zeros((self.d, self.d))
        for known, x, y, w in self.cells:
            inner = np.ix_(known, known)
            P = np.linalg.inv(S[inner])
            steps = x - means[y][:, known]
            pulls = steps @ P
            log_volume = np.linalg.slogdet(2 * np.pi * S[inner])[1]
            value -= (w * (log_volume + (steps * pulls).sum(axis=1))).sum() / 2
            for c in range(self.k):
                by_mean[c, known] += w[y == c] @ pulls[y == c]
            by_matrix[inner] += ((w[:, None] * pulls).T @ pulls - w.sum() * P) / 2
        return value / self.total, by_mean / self.total, by_matrix / self.total

    def maximum(self, starts=3):
        """The best of several climbs: means (k, d) and a covariance (d, d)."""
        k, d = self.k, self.d
        lower, diagonal = np.tril_indices(d), np.arange(d)

        def unpacked(p):
            L = np.zeros((d, d))
            L[lower] = p[k * d :]
            L[diagonal, diagonal] = np.exp(L[diagonal, diagonal])
            return p[: k * d].reshape(k, d), L

        def descent(p):
            means, L = unpacked(p)
            value, by_mean, by_matrix = self(means, L @ L.T)
            by_factor = 2 * by_matrix @ L
            by_factor[diagonal, diagonal] *= L.diagonal()
            return -value, -np.r_[by_mean.ravel(), by_factor[lower]]

        rng = np.random.default_rng(0)
        climbs = []
        for _ in range(starts):
            start = 0.3 * rng.normal(size=k * d + len(lower[0]))
            climb = optimize.minimize(
                descent, start, jac=True, method="BFGS", options={"gtol": 1e-6}
            )
            top = optimize.root(lambda p: descent(p)[1], climb.x, tol=1e-13)
            assert np.abs(top.fun).max() < 1e-10
            climbs.append((descent(top.x)[0], top.x))
        means, L = unpacked(min(climbs, key=lambda climb: climb[0])[1])
        return means, L @ L.T


def by_class(X, y, w):
    for c in np.unique(y):
        at = y == c
        yield c, X[at], np.zeros(at.sum(), int), None if w is None else w[at]


def log_likelihood(means, covariances, X, y, w=None):
    """Of the known values given the classes."""
    total = 0.0
    for c, part, codes, v in by_class(X, y, w):
        found = Likelihood(part, codes, v)
        total += found(means[c : c + 1], covariances[c])[0] * found.total
    return total


def completed(X, y, w, model):
    """Class weights, means and scatters that the rows are expected to have under the model."""
    out = []
    for c in range(len(model.classes_)):
        at = y == model.classes_[c]
        m, S = model.means_[c], model.covariances_[c]
        filled, spread = [], np.zeros_like(S)
        for x, v in zip(X[at], w[at], strict=True):
            o, u = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
            slopes = np.linalg.solve(S[np.ix_(o, o)], S[np.ix_(o, u)])
            z = x.copy()
            z[u] = m[u] + (x[o] - m[o]) @ slopes
            filled.append(z)
            spread[np.ix_(u, u)] += v * (S[np.ix_(u, u)] - S[np.ix_(u, o)] @ slopes)
        mean = np.average(filled, axis=0, weights=w[at])
        steps = np.array(filled) - mean
        out.append((w[at].sum(), mean, (w[at, None] * steps).T @ steps + spread))
    return (np.array(part) for part in zip(*out, strict=True))


def oas_share(S, n):
    """Chen, Wiesel, Eldar and Hero (2010), equation 23."""
    d = len(S)
    alpha, mu = (S**2).mean(), S.trace() / d
    return min((alpha + mu**2) / ((n + 1) * (alpha - mu**2 / d)), 1.0)


def regularised(weight, scatter, settings):
    """Friedman (1989), equations 16 to 18, and the two other targets."""
    own = weight - settings.ddof
    share = settings.pooling
    covariances = []
    for c in range(len(weight)):
        blend = (1 - share) * scatter[c] + share * scatter.sum(axis=0)
        S = blend / ((1 - share) * own[c] + share * own.sum())
        gamma, diagonal = settings.shrinkage, S.diagonal()
        if gamma == "oas":
            n = (1 - share) * weight[c] + share * weight.sum()
            scale = np.sqrt(
                blend.diagonal() if settings.target == "diagonal" else np.full(len(S), n)
            )
            gamma = oas_share(blend / scale / scale[:, None], n)
        target = {
            "identity": np.eye(len(S)) * diagonal.mean(),
            "diagonal": np.diag(diagonal),
            "unit": np.eye(len(S)),
        }
        covariances.append((1 - gamma) * S + gamma * target[settings.target])
    return np.array(covariances)


@shapes
@weighted
def test_separate_covariances_maximise_the_likelihood_of_the_known_values(d, share, weighted):
    X, y = rows(d, share)
    w = weights(len(X)) if weighted else None
    m = fit(sf.QDA(), X, y, w)
    for c, part, codes, v in by_class(X, y, w):
        means, S = Likelihood(part, codes, v).maximum()
        near(m.means_[c], means[0], 1e-6)
        near(m.covariances_[c], S, 1e-6)


@shapes
@weighted
def test_a_shared_covariance_maximises_the_likelihood_of_the_known_values(d, share, weighted):
    X, y = rows(d, share)
    w = weights(len(X)) if weighted else None
    m = fit(sf.LDA(), X, y, w)
    means, S = Likelihood(X, y, w).maximum()
    near(m.means_, means, 1e-6)
    near(m.covariance_, S, 1e-6)


def anderson(X):
    """The maximum for features of which each is known wherever the next one is."""
    d = X.shape[1]
    mean, S = np.zeros(d), np.zeros((d, d))
    for j in range(d):
        x = X[~np.isnan(X[:, j])]
        before = np.c_[np.ones(len(x)), x[:, :j]]
        slopes = np.linalg.lstsq(before, x[:, j])[0]
        rest = x[:, j] - before @ slopes
        mean[j] = slopes[0] + slopes[1:] @ mean[:j]
        S[j, :j] = S[:j, j] = slopes[1:] @ S[:j, :j]
        S[j, j] = rest @ rest / len(x) + slopes[1:] @ S[:j, j]
    return mean, S


def off_anderson(d, share, seed):
    """How far the estimates are from the closed form, in standard deviations."""
    X, y = rows(d, 0.0, n=240, empty=0, seed=seed)
    X[np.arange(240) > 240 * (1 - share), 1:] = np.nan
    X[np.arange(240) > 200, -1] = np.nan
    m = fit(sf.QDA(), X, y)
    off = []
    for c in range(3):
        mean, S = anderson(X[y == c])
        sd = np.sqrt(S.diagonal())
        off.append(np.abs((m.means_[c] - mean) / sd).max())
        off.append(np.abs((m.covariances_[c] - S) / sd / sd[:, None]).max())
    return max(off)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_monotone_gaps_give_the_factored_likelihood_of_anderson_1957(d, share):
    assert max(off_anderson(d, share, seed) for seed in range(8)) < 1e-6


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_estimates_are_final_to_a_billionth_of_a_deviation(share):
    assert max(off_anderson(2, share, seed) for seed in (8, 11, 15, 21)) < 1e-9


@weighted
@corners
def test_no_estimate_nearby_is_more_likely(weighted, kind):
    X, y = rows(3, 0.3, n=90, seed=2)
    w = weights(len(X)) if weighted else None
    m = fit(kind(), X, y, w)
    best = log_likelihood(m.means_, m.covariances_, X, y, w)
    rng = np.random.default_rng(0)
    for i in range(200):
        size = 10.0 ** -(1 + i % 4)
        bend = np.eye(3) + size * rng.normal(size=(1 if kind is sf.LDA else 3, 3, 3))
        means = m.means_ + size * rng.normal(size=m.means_.shape)
        covariances = bend @ m.covariances_ @ bend.transpose(0, 2, 1)
        assert log_likelihood(means, covariances, X, y, w) < best


@every_full_model
@weighted
def test_estimates_are_those_of_the_statistics_expected_under_them(model, weighted):
    X, y = rows(4, 0.3, seed=3)
    w = weights(len(X)) if weighted else np.ones(len(X))
    m = fit(model, X, y, w)
    weight, means, scatter = completed(X, y, w, m)
    wanted = regularised(weight, scatter, m._settings())
    near(m.means_, means, 1e-7)
    near(m.covariances_, wanted, 1e-7)


def test_ledoit_wolf_gives_way_to_oas_where_values_are_missing():
    X, y = rows(4, 0.3)
    for kind in (sf.QDA, sf.LDA):
        a, b = (fit(kind(shrinkage=name), X, y) for name in ("ledoit-wolf", "oas"))
        near(a.covariances_, b.covariances_, 1e-12)
        assert np.array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize("structure", ["diagonal", "spherical"])
@pytest.mark.parametrize("pooling", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("ddof", [0, 1])
@weighted
def test_independent_features_take_all_known_values(structure, pooling, ddof, weighted):
    X, y = rows(3, 0.3)
    w = weights(len(X)) if weighted else np.ones(len(X))
    m = sf.GaussianDiscriminant(structure=structure, pooling=pooling, ddof=ddof)
    m = fit(m, X, y, w)
    known = np.where(np.isnan(X), 0.0, w[:, None])
    weight = np.array([known[y == c].sum(axis=0) for c in range(3)])
    means = np.array([np.nansum(w[y == c, None] * X[y == c], axis=0) for c in range(3)]) / weight
    squares = w[:, None] * (X - means[y]) ** 2
    squares = np.array([np.nansum(squares[y == c], axis=0) for c in range(3)])
    top = (1 - pooling) * squares + pooling * squares.sum(axis=0)
    bottom = (1 - pooling) * (weight - ddof) + pooling * (weight - ddof).sum(axis=0)
    variances = top / bottom
    if structure == "spherical":
        share = weight.sum(axis=0) * np.ones((3, 1)) if pooling == 1 else weight
        variances = np.average(variances, axis=1, weights=share)[:, None] * np.ones(3)
    near(m.means_, means, 1e-13)
    near(m.covariances_, np.array([np.diag(v) for v in variances]), 1e-13)


@pytest.mark.parametrize("kind", [sf.GaussianNB, sf.DiagonalLDA])
def test_naive_bayes_with_gaps_is_most_likely_among_independent_features(kind):
    X, y = rows(1, 0.3, k=2, n=80)
    X2, _ = rows(1, 0.2, k=2, n=80, seed=5)
    both = kind().fit(np.c_[X, X2], y)
    for j, part in enumerate((X, X2)):
        if kind is sf.DiagonalLDA:
            means, S = Likelihood(part, y).maximum()
            near(both.means_[:, j], means[:, 0], 1e-6)
            near(both.covariance_[j, j], S[0, 0], 1e-6)
        else:
            for c, own, codes, _ in by_class(part, y, None):
                means, S = Likelihood(own, codes).maximum()
                near(both.means_[c, j], means[0, 0], 1e-6)
                near(both.var_[c, j], S[0, 0], 1e-6)


def test_smoothing_of_naive_bayes_takes_the_variance_of_the_known_values():
    X, y = rows(3, 0.3)
    a, b = (sf.GaussianNB(var_smoothing=s).fit(X, y) for s in (0.0, 0.1))
    near(b.var_ - a.var_, np.tile(0.1 * np.nanvar(X, axis=0), (3, 1)), 1e-12)


@every_full_model
def test_gaps_that_were_taken_out_again_leave_no_trace(model):
    X, y = rows(3, 0.0, empty=0)
    more, labels = rows(3, 0.5, n=30, seed=8)
    wanted = fit(model, X, y)
    m = fit(model, np.r_[X, more], np.r_[y, labels]).forget(more, labels)
    assert isinstance(m.statistics_, sf.Statistics)
    near(m.means_, wanted.means_, 1e-12)
    near(m.covariances_, wanted.covariances_, 1e-12)


@pytest.mark.parametrize("model", [*FAMILY, *FULL], ids=repr)
@weighted
def test_without_gaps_the_fit_is_the_ordinary_one(model, weighted):
    X, y = rows(3, 0.0, empty=0)
    w = weights(len(X)) if weighted else None
    wanted = fit(model, X, y, w)
    unmasked = fit(model, np.ma.array(X, mask=np.zeros(X.shape, bool)), y, w)
    assert np.array_equal(unmasked.covariances_, wanted.covariances_)
    assert np.array_equal(unmasked.means_, wanted.means_)
    m = clone(model).fit_statistics(as_incomplete(wanted.statistics_))
    assert isinstance(m.statistics_, IncompleteStatistics)
    near(m.means_, wanted.means_, 1e-12)
    near(m.covariances_, wanted.covariances_, 1e-12)


@pytest.mark.parametrize("model", [*FAMILY[:4], sf.QDA(ddof=1), sf.LDA(ddof=1)], ids=repr)
def test_rows_of_nothing_count_for_the_priors_alone(model):
    X, y = rows(3, 0.0, empty=0)
    nothing, labels = np.full((9, 3), np.nan), np.full(9, 1)
    wanted, m = fit(model, X, y), fit(model, np.r_[X, nothing], np.r_[y, labels])
    assert max(in_deviations(m, wanted)) < 1e-8
    np.testing.assert_allclose(m.priors_, np.bincount(np.r_[y, labels]) / 159, rtol=1e-14)


@every_model
@pytest.mark.parametrize("cuts", [(0, 75, 150), (0, 5, 6, 7, 40, 149, 150), range(0, 151, 10)])
def test_batches_give_the_model_of_all_rows(model, cuts):
    X, y = rows(3, 0.3)
    whole, m = fit(model, X, y), clone(model)
    for low, high in pairwise(cuts):
        m.partial_fit(X[low:high], y[low:high])
    assert max(in_deviations(m, whole)) < 1e-8
    assert np.array_equal(m.predict(X), whole.predict(X))


@every_model
def test_merged_and_reduced_models_are_those_of_their_rows(model):
    X, y = rows(3, 0.3)
    a, b = np.arange(150) < 90, np.arange(150) >= 90
    whole = fit(model, X, y)
    merged = fit(model, X[a], y[a]).merge(fit(model, X[b], y[b]))
    assert max(in_deviations(merged, whole)) < 1e-8
    left, wanted = fit(model, X, y).forget(X[b], y[b]), fit(model, X[a], y[a])
    assert max(in_deviations(left, wanted)) < 1e-8
    assert np.array_equal(left.predict(X), wanted.predict(X))


@every_model
def test_complete_batches_and_batches_with_gaps_go_together(model):
    X, y = rows(3, 0.3)
    X[:40] = rows(3, 0.0, empty=0, seed=4)[0][:40]
    whole = fit(model, X, y)
    for first, second in ((slice(0, 40), slice(40, 150)), (slice(40, 150), slice(0, 40))):
        m = clone(model).partial_fit(X[first], y[first]).partial_fit(X[second], y[second])
        assert max(in_deviations(m, whole)) < 1e-8
        m = fit(model, X[first], y[first]).merge(fit(model, X[second], y[second]))
        assert max(in_deviations(m, whole)) < 1e-8


@every_model
def test_statistics_alone_give_the_same_model(model, tmp_path):
    X, y = rows(3, 0.3)
    w = weights(len(X))
    whole = fit(model, X, y, w)
    statistics = sf.summarize(X, y, w)
    m = clone(model).fit_statistics(statistics)
    assert max(in_deviations(m, whole)) < 1e-8
    assert np.array_equal(m.predict(X), whole.predict(X))
    statistics.save(tmp_path / "s")
    stored = clone(model).fit_statistics(sf.load(tmp_path / "s"))
    assert np.array_equal(stored.covariances_, m.covariances_)


@every_model
def test_weights_equal_repetition(model):
    X, y = rows(3, 0.3)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    times[-6:] = 3
    a = fit(model, X, y, times.astype(float))
    b = fit(model, np.repeat(X, times, axis=0), np.repeat(y, times))
    assert max(in_deviations(a, b)) < 1e-8
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-7)


@every_model
def test_the_order_of_rows_and_columns_does_not_matter(model):
    X, y = rows(3, 0.3)
    order = np.random.default_rng(1).permutation(len(X))
    a, b = fit(model, X, y), fit(model, X[order][:, ::-1], y[order])
    near(b.means_[:, ::-1], a.means_, 1e-8)
    near(b.covariances_[:, ::-1, ::-1], a.covariances_, 1e-8)


@corners
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_units_and_offsets_do_not_matter(kind, offset):
    X, y = rows(4, 0.3)
    units = np.array([1e-6, 1e6, 1.0, 1e3])
    moved = (X + offset * np.nanstd(X, axis=0)) * units
    a, b = kind().fit(X, y), kind().fit(moved, y)
    assert np.array_equal(a.predict(X), b.predict(moved))
    np.testing.assert_allclose(b.predict_proba(moved), a.predict_proba(X), rtol=0, atol=1e-5)


@every_model
def test_a_common_unit_changes_no_label(model):
    X, y = rows(4, 0.3)
    wanted = fit(model, X, y).predict_proba(X)
    for unit in (1e-6, 1e-3, 1e3, 1e6):
        proba = fit(model, X * unit, y).predict_proba(X * unit)
        np.testing.assert_allclose(proba, wanted, rtol=0, atol=1e-5)
        assert np.array_equal(proba.argmax(axis=1), wanted.argmax(axis=1))


@every_model
@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_an_offset_changes_no_label(model, offset):
    X, y = rows(4, 0.3)
    moved = X + offset * np.nanstd(X, axis=0)
    assert np.array_equal(fit(model, moved, y).predict(moved), fit(model, X, y).predict(X))


def with_column(X, column, share=0.2):
    """X and another column with gaps of its own."""
    gaps = np.random.default_rng(9).random(len(X)) < share
    return np.c_[X, np.where(gaps, np.nan, column)]


def off_by_a_copy(kind, a, b, seed):
    """How much a copy of a column moves posteriors that it should not."""
    X, y = rows(3, 0.0, empty=0, seed=seed)
    gaps = np.random.default_rng(seed).random(len(X)) < 0.3
    both = np.c_[X, a * X[:, 0] + b]
    both[gaps, 0] = np.nan
    m, wanted = kind().fit(both, y), kind().fit(X, y)
    return np.abs(m.predict_proba(both) - wanted.predict_proba(X)).max()


copies = pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (-1e3, 7.0), (1e-4, 1e3)])


@copies
def test_a_copy_of_a_column_fills_its_gaps_under_a_shared_covariance(a, b):
    assert max(off_by_a_copy(sf.LDA, a, b, seed) for seed in range(5)) < 1e-6


@copies
def test_a_copy_of_a_column_fills_its_gaps_under_separate_covariances(a, b):
    assert max(off_by_a_copy(sf.QDA, a, b, seed) for seed in range(5)) < 1e-6


@corners
def test_a_sum_of_other_columns_leaves_the_posterior_as_it_is(kind):
    off = []
    for seed in range(5):
        X, y = rows(3, 0.3, seed=seed)
        summed = np.c_[X, X @ [1.0, -2.0, 0.5]]
        m, wanted = kind().fit(summed, y), kind().fit(X, y)
        off.append(np.abs(m.predict_proba(summed) - wanted.predict_proba(X)).max())
    assert max(off) < 1e-6


@every_model
def test_collinear_columns_with_gaps_give_finite_answers(model):
    X, y = rows(3, 0.3)
    summed = np.c_[X, X @ [1.0, -2.0, 0.5], 3 * X[:, 0]]
    m = fit(model, summed, y)
    assert np.isfinite(m.predict_joint_log_proba(summed)).all()
    assert m.score(summed, y) > 0.55


@pytest.mark.parametrize("model", [*FAMILY[:4], FAMILY[5]], ids=repr)
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8 / 3])
@pytest.mark.parametrize("batches", [1, 7])
def test_a_constant_column_with_gaps_changes_nothing(model, value, batches):
    X, y = rows(3, 0.3)
    more = with_column(X, np.full(len(X), value))
    m = clone(model)
    for part in np.array_split(np.arange(len(X)), batches):
        m.partial_fit(more[part], y[part])
    near(m.predict_proba(more), fit(model, X, y).predict_proba(X), 1e-7)
    np.testing.assert_allclose(m.means_[:, 3], value, rtol=1e-15)


@every_full_model
def test_gaps_in_a_constant_column_are_filled_by_its_value(model):
    X, y = rows(3, 0.3)
    still = np.full(len(X), 0.1)
    m, wanted = fit(model, with_column(X, still), y), fit(model, np.c_[X, still], y)
    near(m.covariances_, wanted.covariances_, 1e-10)
    near(m.means_, wanted.means_, 1e-10)


@pytest.mark.parametrize("model", [*FAMILY[:4], FAMILY[5]], ids=repr)
@pytest.mark.parametrize("offset", [0.0, 1e6 / 3])
@pytest.mark.parametrize("batches", [1, 7])
def test_a_separating_column_decides_where_it_is_known(model, offset, batches):
    X, y = rows(3, 0.3)
    more = with_column(X, offset + y / 10)
    m = clone(model)
    for part in np.array_split(np.arange(len(X)), batches):
        m.partial_fit(more[part], y[part])
    proba = m.predict_proba(more)
    known = ~np.isnan(more[:, 3])
    assert np.isfinite(proba).all()
    assert np.array_equal(m.predict(more)[known], y[known])
    near(proba[~known], fit(model, X, y).predict_proba(X[~known]), 1e-6)


def test_a_class_with_fewer_known_values_than_features_borrows():
    X, y = rows(3, 0.2, n=120)
    few = np.flatnonzero(y == 1)[3:]
    X[few, 2] = np.nan
    m = sf.QDA().fit(X, y)
    assert m.borrowed_classes_.tolist() == [1]
    weight, means, scatter = completed(X, y, np.ones(len(X)), m)
    near(m.means_, means, 1e-7)
    near(m.covariances_[1], sf.LDA().fit(X, y).covariance_, 1e-7)
    near(m.covariances_[0], scatter[0] / weight[0], 1e-7)
    assert np.isfinite(m.predict_proba(X)).all()


def few_complete(d, seed):
    """Forty rows of one class, and of another d complete ones and two that miss a value each."""
    X = np.random.default_rng(seed).normal(size=(42 + d, d))
    X[-1, 0] = X[-2, 1] = np.nan
    return X, np.repeat([0, 1], [40, d + 2])


@pytest.mark.parametrize("d", [2, 3, 4])
def test_a_class_with_no_more_complete_rows_than_features_is_not_flattened(d):
    for seed in range(5):
        m = sf.QDA().fit(*few_complete(d, seed))
        sd = np.sqrt(m.covariances_[1].diagonal())
        assert np.linalg.eigvalsh(m.covariances_[1] / sd / sd[:, None])[0] > 1e-6


@pytest.fixture
def steps(monkeypatch):
    """The steps of a fit so far, of which no more than 600 are taken."""
    taken = []
    monkeypatch.setattr(gap_em.GapEm, "most_steps", 300)
    monkeypatch.setattr(
        gap_em, "expected_sums", lambda *args: taken.append(1) or expectation.expected_sums(*args)
    )
    return taken


def test_steps_come_to_an_end_where_a_class_is_nearly_singular(steps):
    sf.QDA().fit(*few_complete(3, 5))
    assert len(steps) < 600


@pytest.mark.parametrize(
    "model", [sf.LDA(), sf.QDA(), sf.GaussianDiscriminant(pooling=0.4)], ids=repr
)
def test_steps_come_to_an_end_where_rows_are_as_few_as_features(model, steps):
    for seed in range(6):
        fit(model, *rows(12, 0.05, n=14, seed=seed, empty=0))
        assert len(steps) < 600
        steps.clear()


@pytest.mark.parametrize(
    "model", [sf.LDA(shrinkage=0.2), sf.QDA(shrinkage="oas", target="diagonal")], ids=repr
)
def test_shrunk_covariances_take_more_features_than_rows_with_gaps(model, steps):
    X, y = rows(12, 0.05, n=14, empty=0)
    m = fit(model, X, y)
    assert len(steps) < 100
    weight, means, scatter = completed(X, y, np.ones(len(X)), m)
    near(m.means_, means, 1e-7)
    near(m.covariances_, regularised(weight, scatter, m._settings()), 1e-7)


@every_model
def test_a_class_without_a_value_of_a_feature_takes_the_overall_mean(model):
    X, y = rows(3, 0.0, n=120, empty=0)
    X[y == 2, 1] = np.nan
    m = fit(model, X, y)
    assert m.means_[2, 1] == pytest.approx(np.nanmean(X[:, 1]), rel=1e-12)
    near(m.means_[:2], np.array([X[y == c].mean(axis=0) for c in range(2)]), 1e-8)
    assert np.isfinite(m.predict_joint_log_proba(X)).all()
    if model._settings().pooling == 0 and model._settings().structure != SPHERICAL:
        assert m.borrowed_classes_.tolist() == ([2] if model._settings().shrinkage == 0 else [])


@corners
def test_a_class_without_a_value_takes_the_overall_mean_beside_other_gaps(kind):
    X, y = rows(3, 0.25, n=120)
    X[y == 2, 1] = np.nan
    m = kind().fit(X, y)
    assert m.means_[2, 1] == pytest.approx(np.nanmean(X[:, 1]), rel=1e-8)


@pytest.mark.parametrize(("pooling", "ddof"), [(0.0, 0), (0.0, 1), (0.4, 0), (0.4, 1)])
def test_a_class_without_a_value_takes_the_pooled_variance(pooling, ddof):
    X, y = rows(2, 0.2, n=90)
    X[y == 2, 1] = np.nan
    m = sf.GaussianDiscriminant(structure="diagonal", pooling=pooling, ddof=ddof).fit(X, y)
    squares = sum(np.nansum((X[y == c, 1] - m.means_[c, 1]) ** 2) for c in range(2))
    pooled = squares / ((~np.isnan(X[:, 1])).sum() - 2 * ddof)
    assert m.covariances_[2, 1, 1] == pytest.approx(pooled, rel=1e-12)


@every_model
def test_a_class_of_which_nothing_is_known_is_carried_by_its_prior(model):
    X, y = rows(3, 0.2, n=120)
    X[y == 1] = np.nan
    m = fit(model, X, y)
    assert m.classes_.tolist() == [0, 1, 2]
    assert m.priors_[1] == pytest.approx(0.25)
    near(m.means_[1], np.nanmean(X, axis=0), 1e-8)
    assert np.isfinite(m.predict_joint_log_proba(X)).all()


@every_model
def test_a_column_missing_in_every_row_is_named(model):
    X, y = rows(3, 0.2)
    X[:, 1] = np.nan
    with pytest.raises(InvalidFeatures, match="column 1 of X is missing in every row"):
        fit(model, X, y)
    frame = pd.DataFrame(X, columns=["length", "width", "height"])
    with pytest.raises(InvalidFeatures, match="column 'width' of X is missing in every row"):
        fit(model, frame, y)
    with pytest.raises(InvalidFeatures, match="column 'width' of X is missing in every row"):
        clone(model).fit_statistics(sf.summarize(frame, y))


@every_model
def test_rows_of_nothing_alone_are_refused(model):
    with pytest.raises(InvalidInput, match="column 0 of X is missing in every row"):
        fit(model, np.full((6, 2), np.nan), np.arange(6) % 2)


@every_model
def test_a_column_may_come_with_later_rows(model):
    X, y = rows(3, 0.2)
    late = X.copy()
    late[:75, 1] = np.nan
    m = clone(model).partial_fit(late[:75], y[:75])
    with pytest.raises(InvalidFeatures, match="column 1"):
        m.predict(late)
    m.partial_fit(late[75:], y[75:])
    assert max(in_deviations(m, fit(model, late, y))) < 1e-8


@every_model
def test_a_failed_fit_leaves_the_model_as_it_was(model):
    X, y = rows(3, 0.2)
    m = fit(model, X, y)
    before, statistics = m.predict_log_proba(X), m.statistics_
    gone, bad = X.copy(), X.copy()
    gone[:, 1] = np.nan
    bad[7, 2] = np.inf
    for call in (
        lambda: m.fit(gone, y),
        lambda: m.fit_statistics(sf.summarize(gone, y)),
        lambda: m.fit(bad, y),
        lambda: m.partial_fit(bad, y),
        lambda: m.partial_fit(X[:, :2], y),
        lambda: m.forget(10 + X, y),
    ):
        with pytest.raises(InvalidInput):
            call()
        assert m.statistics_ is statistics
        assert np.array_equal(m.predict_log_proba(X), before)
    with pytest.raises(NotFinite, match="row 7, column 2"):
        m.partial_fit(bad, y)


@every_model
def test_frames_with_nulls_fit_like_arrays_with_nan(model):
    X, y = rows(3, 0.3)
    wanted = fit(model, X, y)
    frame = pd.DataFrame(X, columns=list("abc"))
    for table in (frame, frame.convert_dtypes(), frame.astype("Float64")):
        m = fit(model, table, y)
        near(m.covariances_, wanted.covariances_, 1e-12)
        assert np.array_equal(m.predict(table), wanted.predict(X))


def test_a_class_of_gaps_and_one_of_a_single_row_are_fitted_without_a_warning():
    X = np.array([[0.0], [1.0], [0.25], [-0.25], [-0.25], [np.nan]])
    model = sf.QDA().fit(X, ["a", "a", "a", "one", "a", "none"])
    assert np.isfinite(model.predict_proba(X)).all()
    assert set(model.borrowed_classes_) == {"one", "none"}


@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA(), sf.BayesianDiscriminant()])
def test_rows_of_which_no_two_miss_the_same_values_are_fitted(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 20))
    X[rng.random(X.shape) < 0.4] = np.nan
    y = np.repeat([0, 1], 20)
    assert len(np.unique(np.isnan(X), axis=0)) == len(X)
    assert np.isfinite(clone(model).fit(X, y).predict_log_proba(X)).all()


def test_matrices_beyond_any_memory_are_refused_with_a_way_out():
    X = np.arange(6.0)[:, None] + np.ones(4097)
    X[::2, ::7] = np.nan
    y = [0, 0, 0, 1, 1, 1]
    with pytest.raises(InvalidParameter, match=r"4097 features .* use structure='diagonal'"):
        sf.LDA().fit(X, y)
    assert np.isfinite(sf.DiagonalLDA().fit(X, y).predict_log_proba(X)).all()
