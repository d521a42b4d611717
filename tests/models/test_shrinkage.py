"""Shrinkage: estimates against scikit-learn's, and Friedman's formulas written out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn import covariance
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import suffice as sf
from closeness import near
from suffice.models.covariances.groups import Groups
from suffice.models.settings import Settings, coarsen_for
from suffice.models.structures import DIAGONAL, SPHERICAL

SHAPES = {"dense": (90, 6), "thin": (18, 40), "wide": (30, 600)}
PEERS = {"ledoit-wolf": covariance.ledoit_wolf, "oas": covariance.oas}

shapes = pytest.mark.parametrize("shape", SHAPES)
methods = pytest.mark.parametrize("method", PEERS)
scales = pytest.mark.parametrize("scale", [1.0, 1e100, 1e-100])


def rows(shape, offset=0.0):
    """Correlated rows of three classes of different size, spread and place."""
    n, d = SHAPES[shape]
    rng = np.random.default_rng(n)
    y = np.sort(rng.permutation(np.arange(n) % 6) // 2 * (np.arange(n) % 5 > 0))
    y[:3] = [0, 1, 2]
    mixing = np.eye(d) + rng.normal(size=(d, d)) / np.sqrt(d)
    X = rng.standard_t(5, size=(n, d)) @ mixing * (1 + y[:, None]) + 3 * y[:, None]
    order = rng.permutation(n)
    return X[order] + offset, y[order]


def about_class_means(X, y):
    """Every row less the mean of its class."""
    means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    return X - means[y]


@cache
def by_sklearn(shape, method):
    """Covariance and share of each class."""
    X, y = rows(shape)
    centred = about_class_means(X, y)
    return [PEERS[method](centred[y == c], assume_centered=True) for c in range(3)]


def share(model, statistics, class_=None):
    """The share that the model's target gets, in a class or pooled."""
    settings = model._settings()
    groups = Groups(coarsen_for(statistics, settings), settings)
    return groups.share(groups.pooled if class_ is None else groups.group(class_))


@methods
@pytest.mark.parametrize("target", ["identity", "diagonal"])
@pytest.mark.parametrize("pooling", [0.0, 0.4])
def test_shares_of_several_groups_at_once_are_those_of_each(method, target, pooling):
    settings = Settings(shrinkage=method, target=target, pooling=pooling)
    groups = Groups(sf.summarize(*rows("dense")), settings)
    each = [groups.share(groups.group(g)) for g in range(3)]
    near(groups.estimated_shares(groups.group(slice(0, 3))), each)
    assert 0 < min(each) < max(each) < 1


def in_batches(model, X, y):
    """The model after one fit, two updates and a merge."""
    a, b, c, d = np.array_split(np.arange(len(X)), 4)
    other = type(model)(**model.get_params()).fit(X[d], y[d])
    for part in (a, b, c):
        model.partial_fit(X[part], y[part])
    return model.merge(other)


@shapes
@methods
@scales
def test_the_pooled_share_equals_that_of_sklearn_on_rows_about_their_class_means(
    shape, method, scale
):
    X, y = rows(shape)
    centred = about_class_means(X, y)
    wanted_covariance, wanted = PEERS[method](centred, assume_centered=True)
    model = sf.LDA(shrinkage=method).fit(X * scale, y)
    assert 0 < wanted < 1
    np.testing.assert_allclose(share(model, model.statistics_), wanted, rtol=1e-10)
    near(model.covariance_ / scale / scale, wanted_covariance)


@shapes
@methods
@scales
def test_the_share_of_each_class_equals_that_of_sklearn_on_its_rows(shape, method, scale):
    X, y = rows(shape)
    model = sf.QDA(shrinkage=method).fit(X * scale, y)
    for c, (wanted_covariance, wanted) in enumerate(by_sklearn(shape, method)):
        np.testing.assert_allclose(share(model, model.statistics_, c), wanted, rtol=1e-10)
        near(model.covariances_[c] / scale / scale, wanted_covariance)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_function_of_sklearn_gives_the_same_share(d):
    X, y = rows("dense")
    X = X[:, :d]
    model = sf.LDA(shrinkage="ledoit-wolf").fit(X, y)
    wanted = covariance.ledoit_wolf_shrinkage(about_class_means(X, y), assume_centered=True)
    np.testing.assert_allclose(share(model, model.statistics_), wanted, rtol=1e-10, atol=1e-15)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@shapes
@methods
@pytest.mark.parametrize("kind", [sf.LDA, sf.QDA, sf.DiagonalLDA])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_shares_and_covariances_are_the_same_after_batches_and_merges(shape, method, kind, offset):
    X, y = rows(shape, offset)
    whole = kind(shrinkage=method).fit(X, y)
    parts = in_batches(kind(shrinkage=method), X, y)
    classes = range(3) if kind is sf.QDA else [None]
    for c in classes:
        a, b = (share(m, m.statistics_, c) for m in (parts, whole))
        np.testing.assert_allclose(a, b, rtol=1e-10)
    near(parts.covariance_, whole.covariance_, 1e-12)


def test_auto_is_oas_of_the_standardised_rows():
    """By scikit-learn's own oas, of rows about their class means in pooled standard deviations."""
    X, y = rows("thin")
    model = sf.LDA(shrinkage="auto").fit(X, y)
    steps = (
        X
        - np.array([X[y == label].mean(axis=0) for label in model.classes_])[
            np.searchsorted(model.classes_, y)
        ]
    )
    width = np.sqrt((steps**2).mean(axis=0))
    correlations, share = covariance.oas(steps / width, assume_centered=True)
    assert model.shrinkage_ == pytest.approx(share, rel=1e-9)
    near(model.covariance_, correlations * width * width[:, None], 1e-9)


def test_auto_leaves_variances_without_correlations_alone():
    X, y = rows("thin")
    pairs = [(sf.DiagonalLDA, {}), (sf.GaussianDiscriminant, {"structure": "spherical"})]
    for kind, given in pairs:
        shrunk, plain = kind(shrinkage="auto", **given).fit(X, y), kind(**given).fit(X, y)
        assert np.array_equal(shrunk.predict_log_proba(X), plain.predict_log_proba(X))
        assert shrunk.shrinkage_ == 0


def test_auto_does_as_well_as_that_of_sklearn_on_features_of_all_scales():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    flags = rng.random((400, 10)) < 0.2 + 0.3 * y[:, None] * rng.random(10)
    X = np.c_[rng.lognormal(10, 1, 400), rng.normal(size=(400, 5)) + 0.5 * y[:, None], flags]
    models = sf.LDA(shrinkage="auto"), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    mine, theirs = (m.fit(X[:200], y[:200]).predict_proba(X[200:])[:, 1] for m in models)
    assert np.abs(mine - theirs).max() < 0.02


@methods
def test_integer_weights_give_the_share_of_repeated_rows(method):
    X, y = rows("dense")
    w = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = sf.QDA(shrinkage=method).fit(X, y, sample_weight=w.astype(float))
    repeated = sf.QDA(shrinkage=method).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    near(weighted.covariances_, repeated.covariances_)


def friedman(X, y, w, pooling, shrinkage, ddof=0):
    """Regularised covariances as in Friedman (1989), equations 16 to 18, with weights."""
    d = X.shape[1]
    scatters, weights = [], []
    for c in np.unique(y):
        rows, v = X[y == c], w[y == c]
        mean = sum(a * x for a, x in zip(v, rows, strict=True)) / v.sum()
        scatters.append(sum(a * np.outer(x - mean, x - mean) for a, x in zip(v, rows, strict=True)))
        weights.append(v.sum() - ddof)
    pooled, total = sum(scatters), sum(weights)
    out = []
    for scatter, weight in zip(scatters, weights, strict=True):
        blended = (1 - pooling) * scatter + pooling * pooled
        sigma = blended / ((1 - pooling) * weight + pooling * total)
        out.append((1 - shrinkage) * sigma + shrinkage * np.trace(sigma) / d * np.eye(d))
    return np.array(out)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("shape", ["dense", "thin"])
@pytest.mark.parametrize("pooling", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shrinkage", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("scale", [1.0, 1e100])
def test_pooling_and_shrinkage_are_those_of_friedman_1989(shape, pooling, shrinkage, ddof, scale):
    X, y = rows(shape)
    w = np.random.default_rng(2).uniform(0.5, 3, len(y))
    wanted = friedman(X, y, w, pooling, shrinkage, ddof)
    model = sf.GaussianDiscriminant(pooling=pooling, shrinkage=shrinkage, ddof=ddof)
    model.fit(X * scale, y, sample_weight=w)
    if shape == "thin" and shrinkage == 0:
        # Singular: the model takes other covariances, and shows those.
        assert list(model.borrowed_classes_) == ([0, 1, 2] if pooling == 0 else [])
        assert np.linalg.eigvalsh(model.covariances_ / scale / scale).min() > 0
        return
    near(model.covariances_ / scale / scale, wanted, 1e-12)
    if shrinkage:
        for c, mean in enumerate(model.means_ / scale):
            steps = X - mean
            lengths = np.einsum("ij,ij->i", steps, np.linalg.solve(wanted[c], steps.T).T)
            near(model.squared_mahalanobis(X * scale)[:, c], lengths, 1e-9)


@pytest.mark.parametrize("pooling", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shrinkage", [0.25, 1.0])
def test_the_diagonal_target_shrinks_correlations_and_leaves_variances(pooling, shrinkage):
    X, y = rows("dense")
    plain = sf.GaussianDiscriminant(pooling=pooling).fit(X, y).covariances_
    shrunk = sf.GaussianDiscriminant(pooling=pooling, shrinkage=shrinkage, target="diagonal")
    wanted = (1 - shrinkage) * plain
    for c in range(3):
        np.fill_diagonal(wanted[c], plain[c].diagonal())
    near(shrunk.fit(X, y).covariances_, wanted, 1e-13)


def test_oas_toward_the_diagonal_does_not_see_units():
    X, y = rows("dense")
    units = 10.0 ** np.arange(-6, 6, 2)
    a, b = (sf.QDA(shrinkage="oas", target="diagonal").fit(Z, y) for Z in (X, X * units))
    near(b.predict_log_proba(X * units), a.predict_log_proba(X))


def test_shrinkage_of_one_toward_the_diagonal_is_naive_bayes():
    X, y = rows("dense")
    full = sf.GaussianDiscriminant(shrinkage=1, target="diagonal").fit(X, y)
    naive = sf.GaussianDiscriminant(structure="diagonal").fit(X, y)
    near(full.predict_joint_log_proba(X), naive.predict_joint_log_proba(X), 1e-12)


def test_shrinkage_of_one_toward_the_identity_is_spherical():
    X, y = rows("dense")
    full = sf.GaussianDiscriminant(shrinkage=1).fit(X, y)
    spherical = sf.GaussianDiscriminant(structure="spherical").fit(X, y)
    near(full.predict_joint_log_proba(X), spherical.predict_joint_log_proba(X), 1e-12)


@pytest.mark.parametrize("structure", ["diagonal", "spherical"])
@methods
def test_diagonal_structures_shrink_by_the_share_of_the_full_covariance(structure, method):
    X, y = rows("dense")
    model = sf.GaussianDiscriminant(structure=structure, shrinkage=method).fit(X, y)
    full = sf.GaussianDiscriminant(shrinkage=method).fit(X, y).covariances_
    for c in range(3):
        diagonal = full[c].diagonal()
        wanted = diagonal if structure == "diagonal" else np.full(6, diagonal.mean())
        near(model.covariances_[c], np.diag(wanted), 1e-12)


def test_settings_know_the_least_detail_they_take():
    assert Settings().detail == "separate"
    assert Settings(pooling=1.0).detail == "shared"
    assert Settings(structure=DIAGONAL).detail == "diagonal"
    assert Settings(structure=SPHERICAL, shrinkage="oas").detail == "separate"


@pytest.mark.parametrize("pooling", [0.3, 0.5, 1.0])
def test_ledoit_wolf_of_classes_alike_falls_as_their_rows_are_pooled(pooling):
    own = np.random.default_rng(0).standard_t(4, size=(30, 4)) * [1, 2, 3, 4]
    X, y = np.concatenate([own, own + 5]), np.repeat([0, 1], 30)
    # Each class has its own rows, and that share of as many others; noise is by their number.
    apart, pooled = (
        np.ravel(
            sf.GaussianDiscriminant(pooling=share, shrinkage="ledoit-wolf").fit(X, y).shrinkage_
        )
        for share in (0.0, pooling)
    )
    assert 0.1 < apart[0] < 0.5
    near(pooled, apart[0] / (1 + pooling), 1e-10)
