"""EM with missing values: against a plain one, who borrows what, and how many steps it takes."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from lawful import EXHAUSTIVE, few
from suffice.errors import NotConverged, TooFewRows
from suffice.models.em import gap_em
from suffice.models.em.completion import complete, least_informative
from suffice.models.settings import Settings

SETTINGS = {
    "QDA": Settings(),
    "LDA": Settings(pooling=1.0),
    "half": Settings(pooling=0.5),
    "OAS": Settings(shrinkage="oas", target="diagonal"),
    "ddof": Settings(ddof=1.0),
}


def table(n, share, seed, d=4, k=3):
    """Correlated rows of k classes, a share of the values missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    mixing = np.eye(d) + 0.7 * rng.normal(size=(k, d, d))
    X = np.einsum("ni,nij->nj", rng.normal(size=(n, d)), mixing[y]) + rng.normal(size=(k, d))[y]
    X[rng.random((n, d)) < share] = np.nan
    return X, y


def two_files(seed, n=240):
    """Rows that know the first feature and two more: no row knows the second and the fourth."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5)) @ (np.eye(5) + 0.5 * rng.normal(size=(5, 5))) + y[:, None]
    first = rng.random(n) < 0.5
    X[first, 3:] = np.nan
    X[~first, 1:3] = np.nan
    return X, y


def plain_em(rows, codes, steps=20_000):
    """Class means and the covariance that they share, by EM row by row, without any shortcut."""
    classes = np.unique(codes)
    means = np.array([np.nanmean(rows[codes == c], axis=0) for c in classes])
    S = np.diag(np.nanvar(rows - means[codes], axis=0))
    for _ in range(steps):
        filled, extra = rows.copy(), np.zeros_like(S)
        for pattern in np.unique(np.isnan(rows), axis=0):
            at = (np.isnan(rows) == pattern).all(axis=1)
            u, o = np.flatnonzero(pattern), np.flatnonzero(~pattern)
            slopes = np.linalg.solve(S[np.ix_(o, o)], S[np.ix_(o, u)])
            steps_away = rows[np.ix_(at, o)] - means[codes[at]][:, o]
            filled[np.ix_(at, u)] = means[codes[at]][:, u] + steps_away @ slopes
            extra[np.ix_(u, u)] += at.sum() * (S[np.ix_(u, u)] - S[np.ix_(u, o)] @ slopes)
        last = S
        means = np.array([filled[codes == c].mean(axis=0) for c in classes])
        S = ((filled - means[codes]).T @ (filled - means[codes]) + extra) / len(rows)
        if np.abs(S - last).max() < 1e-13:
            return means, S
    raise AssertionError("EM has not converged")


@few("share", [0.1, 0.25, 0.4], [0.1, 0.25])
def test_own_covariances_are_those_of_a_plain_em(share):
    for seed in range(3):
        X, y = table(400, share, seed)
        model = sf.QDA().fit(X, y)
        assert not len(model.borrowed_classes_)
        for c in range(3):
            means, S = plain_em(X[y == c], np.zeros((y == c).sum(), int))
            np.testing.assert_allclose(model.means_[c], means[0], rtol=0, atol=1e-7)
            np.testing.assert_allclose(model.covariances_[c], S, rtol=0, atol=1e-7)


@few("share", [0.1, 0.4, 0.6], [0.1, 0.4])
def test_a_shared_covariance_is_that_of_a_plain_em(share):
    for seed in range(2):
        X, y = table(300, share, seed)
        model = sf.LDA().fit(X, y)
        means, S = plain_em(X, y)
        np.testing.assert_allclose(model.means_, means, rtol=0, atol=1e-7)
        np.testing.assert_allclose(model.covariance_, S, rtol=0, atol=1e-7)


@pytest.mark.parametrize(("n", "share"), [(120, 0.6), (400, 0.8)])
def test_where_all_classes_borrow_qda_is_lda(n, share):
    all_borrow = 0
    for seed in range(10):
        X, y = table(n, share, seed)
        qda, lda = sf.QDA().fit(X, y), sf.LDA().fit(X, y)
        if len(qda.borrowed_classes_) == 3:
            all_borrow += 1
            np.testing.assert_allclose(qda.covariances_, lda.covariances_, rtol=1e-7, atol=1e-7)
            np.testing.assert_allclose(qda.predict_proba(X), lda.predict_proba(X), atol=1e-7)
    assert all_borrow >= 5


def test_a_class_that_borrows_has_the_mean_and_covariance_that_lda_finds():
    some_borrow = 0
    for seed in range(12):
        X, y = table(400, 0.6, seed)
        qda, lda = sf.QDA().fit(X, y), sf.LDA().fit(X, y)
        some_borrow += 0 < len(qda.borrowed_classes_) < 3
        for c in qda.borrowed_classes_:
            near = {"rtol": 1e-7, "atol": 1e-7}
            np.testing.assert_allclose(qda.covariances_[c], lda.covariance_, **near)
            np.testing.assert_allclose(qda.means_[c], lda.means_[c], **near)
    assert some_borrow >= 5


def test_a_class_of_its_own_does_not_depend_on_other_classes():
    X, y = table(400, 0.6, 0)
    model = sf.QDA().fit(X, y)
    own = np.setdiff1d(model.classes_, model.borrowed_classes_)
    assert 0 < len(own) < 3
    for c in own:
        alone = sf.QDA().fit(X[y == c], y[y == c])
        np.testing.assert_allclose(model.covariances_[c], alone.covariances_[0], atol=1e-8)
        np.testing.assert_allclose(model.means_[c], alone.means_[0], atol=1e-8)


@pytest.mark.parametrize("together", [0, 1, 4])
def test_a_class_borrows_where_two_features_are_seldom_known_together(together):
    X, y = table(400, 0.0, 3)
    at = np.flatnonzero(y == 1)[together:]
    X[at[::2], 0] = X[at[1::2], 1] = np.nan
    assert sf.QDA().fit(X, y).borrowed_classes_.tolist() == [1]


def test_a_class_borrows_where_its_likelihood_has_no_maximum():
    # Two complete rows of the class lie in a hyperplane, and no other row speaks against it.
    for seed in range(6):
        X, y = table(400, 0.0, seed)
        rows = np.flatnonzero(y == 1)[2:]
        gaps = np.random.default_rng(seed).permuted(np.tile(np.arange(4), (len(rows), 1)), axis=1)
        X[rows[:, None], gaps[:, :2]] = np.nan
        model = sf.QDA().fit(X, y)
        S = model.covariances_[1]
        scale = np.sqrt(S.diagonal())
        assert np.linalg.eigvalsh(S / scale / scale[:, None])[0] > 1e-3
        assert set(model.borrowed_classes_) <= {1}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@few("n", [120, 400], [400])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
def test_steps_are_few_however_many_values_are_missing(settings, n, share):
    for seed in range(3 if EXHAUSTIVE else 2):
        assert complete(sf.summarize(*table(n, share, seed)), settings).steps < 500


def test_steps_are_few_where_most_values_are_known():
    for seed in range(6):
        statistics = sf.summarize(*table(400, 0.2, seed))
        for settings in SETTINGS.values():
            assert complete(statistics, settings).steps < 40


def half_unknown(n=300, d=30, share=0.95):
    """Rows of which the second half of the features is mostly missing: EM is slow."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d))) + y[:, None]
    X[rng.random(n) < share, d // 2 :] = np.nan
    return X, y


@pytest.mark.parametrize("pooling", [1.0, 0.9])
def test_shrunk_covariances_of_many_features_take_few_steps(pooling, monkeypatch):
    statistics = sf.summarize(*half_unknown())
    settings = Settings(pooling=pooling, shrinkage=0.01, target="diagonal")
    found = complete(statistics, settings)
    assert found.steps < 150
    monkeypatch.setattr(gap_em.GapEm, "short_step", 0.0)  # no leaps
    monkeypatch.setattr(gap_em.GapEm, "most_steps", 10_000)
    plain = complete(statistics, settings)
    assert plain.steps > 1000
    expected = plain.statistics.scatter
    scale = np.sqrt(expected.diagonal(axis1=-2, axis2=-1))
    differences = (found.statistics.scatter - expected) / scale[..., None] / scale[..., None, :]
    assert np.abs(differences).max() < 1e-6


@pytest.mark.parametrize("name", ["QDA", "LDA", "half"])
def test_an_unfinished_em_says_so(name, monkeypatch):
    monkeypatch.setattr(gap_em.GapEm, "most_steps", 3)
    X, y = table(400, 0.3, 0)
    with pytest.warns(NotConverged, match="EM stopped after 3 steps before"):
        complete(sf.summarize(X, y), SETTINGS[name])


@pytest.mark.parametrize("ddof", [0, 1])
def test_features_never_known_together_are_independent_given_all_others(ddof):
    for seed in range(3):
        X, y = two_files(seed)
        model = sf.LDA(ddof=ddof).fit(X, y)
        precision = np.linalg.inv(model.covariance_)
        scale = np.sqrt(precision.diagonal())
        assert np.abs((precision / scale / scale[:, None])[1:3, 3:]).max() < 1e-7
        assert sf.QDA(ddof=ddof).fit(X, y).borrowed_classes_.tolist() == [0, 1]


def test_completing_a_covariance_maximises_its_determinant():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6))
    S = rows.T @ rows
    together = np.ones((6, 6), bool)
    for i, j in [(0, 1), (0, 4), (2, 5), (3, 4)]:
        together[i, j] = together[j, i] = False
    found = least_informative(S, together)
    np.testing.assert_allclose(found[together], S[together], rtol=1e-12)
    best = np.linalg.slogdet(found)[1]
    for i, j in zip(*np.nonzero(~together), strict=True):
        for step in (-1e-3, 1e-3):
            other = found.copy()
            other[i, j] = other[j, i] = found[i, j] + step * np.sqrt(S[i, i] * S[j, j])
            assert np.linalg.slogdet(other)[1] < best


def test_a_feature_known_once_in_every_class_is_named():
    X, y = table(60, 0.0, 0)
    X[:, 2] = np.nan
    for c in range(3):
        X[np.flatnonzero(y == c)[0], 2] = c
    with pytest.raises(TooFewRows, match="column 2 of X is observed in no more than 1 row"):
        sf.QDA().fit(X, y)


def test_a_feature_with_fewer_values_than_degrees_of_freedom_is_named():
    X, y = table(60, 0.0, 0)
    X[3:, 2] = np.nan
    with pytest.raises(TooFewRows, match="column 2 of X is observed with a total weight of 3"):
        sf.LDA(ddof=1).fit(X, y)


def test_a_class_of_one_row_borrows_where_covariances_are_shrunk():
    X, y = table(200, 0.2, 0)
    X, y = np.r_[X, [[0.5, 1.0, -1.0, 0.2]]], np.r_[y, 3]
    model = sf.QDA(shrinkage=0.2, ddof=1).fit(X, y)
    assert model.borrowed_classes_.tolist() == [3]
    lda = sf.LDA(shrinkage=0.2, ddof=1).fit(X, y)
    np.testing.assert_allclose(model.covariances_[3], lda.covariance_, atol=1e-8)
