"""Outlier p-values: uniform on rows of the model, small for rows unlike it."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_iris

import suffice as sf
from lawful import few
from suffice.answers.nulls import EstimatedNulls, Null, match_null
from suffice.errors import InvalidParameter, NotFinite


def uniform(p, level=1e-3):
    """Whether Kolmogorov and Smirnov have nothing against a uniform distribution."""
    return stats.kstest(p, "uniform").pvalue > level


def classes_of(rng, k, d, apart=1.0, same=False, diagonal=False):
    """Means and factors of k classes."""
    factors = rng.normal(size=(k, d, d))
    if diagonal:
        factors = np.eye(d) * rng.uniform(0.5, 2, (k, 1, d))
    if same:
        factors[:] = factors[0]
    return apart * rng.normal(size=(k, d)), factors


def rows_of(rng, truth, y):
    means, factors = truth
    noise = rng.normal(size=(len(y), means.shape[1]))
    return means[y] + np.einsum("nd,nde->ne", noise, factors[y])


MODELS = {
    "QDA": (sf.QDA, {}),
    "LDA": (sf.LDA, {"same": True}),
    "GaussianNB": (sf.GaussianNB, {"diagonal": True}),
    "DiagonalLDA": (sf.DiagonalLDA, {"diagonal": True, "same": True}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("d", [1, 3, 10])
def test_p_values_of_rows_of_the_model_are_uniform(name, d):
    make, truth = MODELS[name]
    rng = np.random.default_rng(d)
    truth = classes_of(rng, 3, d, **truth)
    y, fresh = np.arange(30_000) % 3, rng.integers(0, 3, 3000)
    model = make().fit(rows_of(rng, truth, y), y)
    X = rows_of(rng, truth, fresh)
    assert uniform(model.outlier_pvalue(X))
    own = model.outlier_pvalue(X, by_class=True)[np.arange(len(X)), fresh]
    assert uniform(own)


@pytest.mark.parametrize("name", MODELS)
def test_rows_with_gaps_are_judged_on_what_they_have(name):
    make, truth = MODELS[name]
    rng = np.random.default_rng(5)
    truth = classes_of(rng, 2, 4, **truth)
    y, fresh = np.arange(20_000) % 2, rng.integers(0, 2, 3000)
    model = make().fit(rows_of(rng, truth, y), y)
    X = rows_of(rng, truth, fresh)
    X[::2, 1] = np.nan
    X[::3, [0, 3]] = np.nan
    assert uniform(model.outlier_pvalue(X))
    assert uniform(model.outlier_pvalue(X, by_class=True)[np.arange(len(X)), fresh])
    X[:] = np.nan
    X[:, 2] = rows_of(rng, truth, fresh)[:, 2]
    assert uniform(model.outlier_pvalue(X))


@pytest.mark.parametrize(
    ("make", "n", "d", "truth"),
    [
        (sf.QDA, 8, 2, {}),
        (sf.QDA, 24, 10, {}),
        (sf.LDA, 12, 4, {"same": True}),
        (lambda: sf.GaussianDiscriminant(structure="full", ddof=1), 10, 3, {}),
    ],
)
def test_small_training_sets_are_taken_into_account(make, n, d, truth):
    rng = np.random.default_rng(n)
    k = 2
    found, plugged = [], []
    for _ in range(500):
        spread = classes_of(rng, k, d, **truth)
        y = np.arange(k * n) % k
        model = make().fit(rows_of(rng, spread, y), y)
        X = rows_of(rng, spread, np.array([0]))
        found.append(model.outlier_pvalue(X, by_class=True)[0, 0])
        plugged.append(stats.chi2.sf(model.squared_mahalanobis(X)[0, 0], d))
    assert uniform(found)
    assert (np.array(plugged) < 0.05).mean() > 0.1
    assert abs((np.array(found) < 0.05).mean() - 0.05) < 0.02


@few(
    "structure, known",
    product(["diagonal", "spherical"], [1, 2, 4]),
    [("diagonal", 2), ("spherical", 1), ("spherical", 4)],
)
def test_independent_features_of_few_rows_too(structure, known):
    rng = np.random.default_rng(known)
    n, d = 8, 4
    found = []
    for _ in range(75):
        X = rng.normal(size=(2 * n, d))
        y = np.arange(2 * n) % 2
        model = sf.GaussianDiscriminant(structure=structure).fit(X, y)
        fresh = rng.normal(size=(4, d))  # of either class, which are alike
        fresh[:, known:] = np.nan
        found.append(model.outlier_pvalue(fresh, by_class=True).ravel())
    p = np.concatenate(found)
    assert stats.kstest(p, "uniform").statistic < 0.08


def test_the_mixture_is_calibrated_for_small_training_sets():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(160):
        spread = classes_of(rng, 3, 2, apart=2.0)
        y = np.arange(36) % 3
        model = sf.QDA().fit(rows_of(rng, spread, y), y)
        found.append(model.outlier_pvalue(rows_of(rng, spread, rng.integers(0, 3, 5))))
    p = np.concatenate(found)
    assert stats.kstest(p, "uniform").statistic < 0.05
    assert 0.02 < (p < 0.05).mean() < 0.07


@pytest.mark.parametrize(
    "settings",
    [
        {"pooling": 1.0, "shrinkage": "oas"},
        {"shrinkage": 0.2, "target": "diagonal"},
        pytest.param({"shrinkage": 0.3}, marks=pytest.mark.exhaustive),
        pytest.param({"pooling": 0.5}, marks=pytest.mark.exhaustive),
        pytest.param({"pooling": 0.5, "shrinkage": "ledoit-wolf"}, marks=pytest.mark.exhaustive),
    ],
)
def test_regularised_models_are_calibrated_on_their_own_rows(settings):
    rng = np.random.default_rng(7)
    spread = classes_of(rng, 2, 4, same=True)
    y = np.arange(60) % 2
    truth = sf.GaussianDiscriminant(**settings).fit(rows_of(rng, spread, y), y)
    found = []
    for seed in range(30):
        X, _ = truth.sample(60, y=truth.classes_[y], random_state=seed)
        model = sf.GaussianDiscriminant(**settings).fit(X, y)
        fresh, own = truth.sample(15, random_state=10_000 + seed)
        found.append(model.outlier_pvalue(fresh, by_class=True)[np.arange(15), own])
    assert stats.kstest(np.concatenate(found), "uniform").statistic < 0.09


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_the_p_value_of_one_class_is_hotellings():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(15, 3)) @ rng.normal(size=(3, 3))
    model = sf.QDA().fit(X, np.zeros(15, int))
    x = X[:1] + 2.0
    steps = x[0] - X.mean(axis=0)
    squared = steps @ np.linalg.solve(np.cov(X.T), steps) * 15 / 16
    wanted = stats.f.sf(squared * (15 - 3) / (14 * 3), 3, 12)
    assert model.outlier_pvalue(x, by_class=True)[0, 0] == pytest.approx(wanted, rel=1e-10)
    assert model.outlier_pvalue(x)[0] == pytest.approx(wanted, rel=0.1)


@pytest.mark.parametrize("ddof", [0, 1])
def test_the_p_value_of_a_shared_covariance_is_hotellings(ddof):
    rng = np.random.default_rng(3)
    k, n, d = 3, 7, 4
    y = np.repeat(np.arange(k), n)
    X = rng.normal(size=(k * n, d)) @ rng.normal(size=(d, d)) + y[:, None]
    x, freedom = X[:1] + 2.0, k * n - k
    means = np.array([X[y == c].mean(axis=0) for c in range(k)])
    pooled = (X - means[y]).T @ (X - means[y]) / freedom
    squared = np.array([s @ np.linalg.solve(pooled, s) for s in x - means]) * n / (n + 1)
    wanted = stats.f.sf(squared * (freedom - d + 1) / (freedom * d), d, freedom - d + 1)
    found = sf.LDA(ddof=ddof).fit(X, y).outlier_pvalue(x, by_class=True)[0]
    assert found == pytest.approx(wanted, rel=1e-10)


def test_rows_unlike_any_class_have_tiny_p_values_that_still_differ():
    rng = np.random.default_rng(2)
    y = np.arange(600) % 3
    model = sf.QDA().fit(rng.normal(size=(600, 3)) + 5 * y[:, None], y)
    p = model.outlier_pvalue(np.array([[30.0], [60.0], [100.0]]) * np.ones(3))
    assert (p < 1e-20).all()
    assert (np.diff(p) < 0).all()
    assert (p > 0).all()


def test_a_row_with_nothing_known_is_not_unusual():
    model = sf.LDA().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [4.0, 3.0]], [0, 0, 1, 1])
    nothing = np.full((1, 2), np.nan)
    assert model.outlier_pvalue(nothing) == pytest.approx(1.0)
    assert model.outlier_pvalue(nothing, by_class=True) == pytest.approx(np.ones((1, 2)))


@pytest.mark.parametrize("quantile", [0.001, 0.05, 0.5])
def test_that_share_of_the_rows_lies_below_the_threshold(quantile):
    rng = np.random.default_rng(0)
    y = np.arange(20_000) % 2
    model = sf.QDA().fit(rng.normal(size=(20_000, 3)) * (1 + y[:, None]), y)
    X, _ = model.sample(100_000, random_state=0)
    share = (model.score_samples(X) < model.outlier_threshold(quantile)).mean()
    assert share == pytest.approx(quantile, abs=5 * np.sqrt(quantile / 100_000) + 0.02 * quantile)


@pytest.mark.parametrize("make", [sf.QDA, sf.LDA, sf.GaussianNB])
def test_units_offsets_and_the_order_of_columns_do_not_matter(make):
    rng = np.random.default_rng(9)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    p = make().fit(X, y).outlier_pvalue(X, by_class=True)
    other = X * [1e-6, 1.0, 1e6] + [0.0, 1e8, -5.0]
    assert make().fit(other, y).outlier_pvalue(other, by_class=True) == pytest.approx(p, abs=1e-6)
    turned = X[:, ::-1]
    assert make().fit(turned, y).outlier_pvalue(turned, by_class=True) == pytest.approx(p, abs=0.05)


def test_weights_equal_repetition():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    w = rng.integers(1, 4, 30)
    weighted = sf.QDA().fit(X, y, sample_weight=w)
    repeated = sf.QDA().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.outlier_pvalue(X) == pytest.approx(repeated.outlier_pvalue(X), rel=1e-9)


def test_many_patterns_of_gaps_are_judged_all_the_same():
    rng = np.random.default_rng(6)
    y = np.arange(2000) % 2
    X = rng.normal(size=(2000, 8)) + 4 * y[:, None]
    model = sf.QDA().fit(X, y)
    fresh = rng.normal(size=(1500, 8)) + 4 * rng.integers(0, 2, 1500)[:, None]
    fresh[rng.random(fresh.shape) < 0.3] = np.nan
    p = model.outlier_pvalue(fresh)
    assert stats.kstest(p[~np.isnan(fresh).all(axis=1)], "uniform").statistic < 0.05


@pytest.mark.parametrize("make", [sf.MixtureDiscriminant, sf.MixedNB], ids=lambda one: one.__name__)
def test_the_gaps_of_other_rows_do_not_matter_where_rows_are_drawn(make):
    X, y = load_iris(return_X_y=True)
    model, rows = make().fit(X, y), X[::50].copy()
    rows[1, 0], rows[2, 1:3] = np.nan, np.nan
    for by_class in (False, True):
        together = model.outlier_pvalue(rows, by_class=by_class)
        alone = [model.outlier_pvalue(row[None], by_class=by_class)[0] for row in rows]
        np.testing.assert_array_equal(together, alone)


def test_other_priors_other_p_values():
    rng = np.random.default_rng(8)
    y = np.arange(400) % 2
    model = sf.QDA().fit(rng.normal(size=(400, 2)) + 8 * y[:, None], y)
    at_one = np.full((1, 2), 8.0)
    rare = model.with_priors([1 - 1e-6, 1e-6]).outlier_pvalue(at_one)
    assert rare < 1e-4 < model.outlier_pvalue(at_one)


@pytest.mark.parametrize("freedom", [1.5, 7.0, 400.0, np.inf])
@pytest.mark.parametrize("known", [1, 6])
def test_quantiles_and_probabilities_are_inverse(freedom, known):
    null = Null(2.5, known, freedom)
    chances = np.array([0.999, 0.5, 1e-3, 1e-12, 1e-30])
    assert null.pvalue(null.quantile(chances)) == pytest.approx(chances, rel=1e-8)


def test_a_scaled_f_is_recovered_from_its_rows():
    rng = np.random.default_rng(0)
    found = match_null(3.0 * rng.f(4, 9, 400_000), 4)
    assert found.scale == pytest.approx(3.0, rel=0.02)
    assert found.freedom == pytest.approx(9.0, rel=0.1)
    normal = match_null(rng.chisquare(4, 400_000), 4)
    points = np.array([2.0, 8.0, 15.0])
    assert normal.pvalue(points) == pytest.approx(stats.chi2.sf(points, 4), rel=0.05)


@pytest.mark.parametrize("quantile", [0, 1, -0.1, 2.0, "a", None, np.nan])
def test_a_quantile_outside_its_range_is_refused(quantile):
    model = sf.QDA().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        model.outlier_threshold(quantile)


def test_infinite_values_are_refused():
    model = sf.LDA().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
    with pytest.raises(NotFinite, match="row 1, column 0"):
        model.outlier_pvalue([[0.0], [np.inf]])


@pytest.mark.parametrize(
    ("settings", "n", "d"),
    [
        ({"pooling": 0}, 7, 2),
        ({"pooling": 0}, 9, 3),
        ({"pooling": 1}, 5, 3),
        ({"structure": "diagonal", "pooling": 0}, 6, 1),
    ],
)
def test_simulated_p_values_are_those_of_the_formula(settings, n, d):
    rng = np.random.default_rng(5)
    y = np.arange(3 * n) % 3
    X, asked = rng.normal(size=(3 * n, d)), 1.5 * rng.normal(size=(40, d))
    # No formula holds for any shrinkage, however small.
    exact, simulated = (
        sf.GaussianDiscriminant(shrinkage=shrinkage, **settings)
        .fit(X, y)
        .outlier_pvalue(asked, by_class=True)
        for shrinkage in (0.0, 1e-9)
    )
    off = stats.norm.ppf(simulated) - stats.norm.ppf(exact)
    assert 0 < np.abs(off).max() < 0.3
    assert np.abs(off.mean(axis=0)).max() < 0.12


@pytest.mark.parametrize("apart", [0.0, 0.3, 1.0])
def test_rows_are_as_near_to_the_centres_they_are_drawn_around_as_is_said(apart):
    rng = np.random.default_rng(0)
    truth, y = np.outer([apart, -apart], np.ones(30)), np.repeat([0, 1], 5)
    to_centre = to_mean = said = 0.0
    for _ in range(60):
        model = sf.DiagonalLDA(ddof=1).fit(rng.normal(size=(10, 30)) + truth[y], y)
        nulls = EstimatedNulls(model._fitted, model.statistics_.weight, model._built_with)
        fresh = truth[0] + rng.normal(size=(50, 30))
        to_centre += ((fresh - nulls.centres[0]) ** 2).sum()
        to_mean += ((fresh - model.means_[0]) ** 2).sum()
        said += nulls.nearer[0] / 60
    assert said == pytest.approx(to_centre / to_mean, abs=0.015)


@pytest.mark.parametrize(
    "model",
    [
        sf.QDA(),
        sf.LDA(),
        sf.GaussianNB(),
        sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1, target="diagonal"),
    ],
    ids=repr,
)
def test_constant_columns_change_no_answer_about_rows_with_gaps(model):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 3
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5)) + y[:, None]
    wide = np.insert(X, [2, 5], [3.0, -1.0], axis=1)
    gaps = np.where(rng.random(wide.shape) < 0.3, np.nan, wide)
    kept = [0, 1, 3, 4, 5]
    alone, beside = clone(model).fit(X, y), clone(model).fit(wide, y)
    for answer in ("predict_log_proba", "score_samples", "squared_mahalanobis"):
        wanted = getattr(alone, answer)(gaps[:, kept])
        np.testing.assert_allclose(getattr(beside, answer)(gaps), wanted, rtol=1e-9, atol=1e-9)
    filled = beside.impute(gaps)
    np.testing.assert_allclose(filled[:, kept], alone.impute(gaps[:, kept]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(filled[:, [2, 6]], np.tile([3.0, -1.0], (200, 1)), rtol=1e-12)
    wanted = alone.outlier_pvalue(gaps[:, kept], by_class=True)
    # Where the null distribution is simulated, other random numbers are drawn.
    tolerance = 1e-9 if isinstance(model, sf.QDA | sf.LDA) else 0.03
    found = beside.outlier_pvalue(gaps, by_class=True)
    np.testing.assert_allclose(found, wanted, atol=tolerance)
