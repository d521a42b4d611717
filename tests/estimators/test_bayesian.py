"""BayesianDiscriminant: scikit-learn's checks, learning, answers, and what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from lawful import one_per_class
from suffice.errors import InvalidParameter, TooFewRows
from suffice.estimators.bayesian import BayesianDiscriminant

KINDS = [
    BayesianDiscriminant(),
    BayesianDiscriminant(pooling=1),
    BayesianDiscriminant("diagonal"),
    BayesianDiscriminant("diagonal", pooling=1),
    BayesianDiscriminant(density="map"),
    BayesianDiscriminant("diagonal", density="map"),
    BayesianDiscriminant(mean_strength=0.5, covariance_strength=4.0, class_strength=1.0),
]
every = pytest.mark.parametrize("model", KINDS, ids=repr)
predictive = pytest.mark.parametrize("model", KINDS[:4], ids=repr)
WINE = load_wine(return_X_y=True)


def table(seed=0, sizes=(12, 7, 1), d=3):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    mixing = np.eye(d) + rng.normal(size=(d, d)) / 2
    return rng.normal(size=(len(y), d)) @ mixing + 2 * rng.normal(size=(len(sizes), d))[y], y


def gapped(X, share=0.3, seed=0):
    gaps = X.copy()
    gaps[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return gaps


@parametrize_with_checks(
    one_per_class(
        [
            *KINDS,
            BayesianDiscriminant(density="map", pooling=1, priors="uniform"),
            BayesianDiscriminant("diagonal", pooling=1, density="map"),
            BayesianDiscriminant(prior_mean=0.0, prior_covariance=1.0),
        ]
    )
)
def test_every_check_of_sklearn_passes(estimator, check):
    check(estimator)


# Learning


@every
def test_rows_may_come_one_at_a_time(model):
    X, y = table()
    stream = clone(model)
    for i in np.random.default_rng(1).permutation(len(X)):
        stream.partial_fit(X[i : i + 1], y[i : i + 1])
    whole = clone(model).fit(X, y)
    np.testing.assert_allclose(stream.predict_log_proba(X), whole.predict_log_proba(X), rtol=1e-9)
    assert stream.covariance_strength_ == pytest.approx(whole.covariance_strength_, rel=1e-8)
    assert stream.log_evidence_ == pytest.approx(whole.log_evidence_, rel=1e-10)


@every
def test_merging_forgetting_and_statistics_are_fitting(model):
    X, y = table()
    whole = clone(model).fit(X, y).predict_log_proba(X)
    merged = clone(model).fit(X[::2], y[::2]).merge(clone(model).fit(X[1::2], y[1::2]))
    more = clone(model).fit(np.r_[X, X[:3] + 1], np.r_[y, y[:3]]).forget(X[:3] + 1, y[:3])
    alone = clone(model).fit_statistics(sf.summarize(X, y))
    for other in (merged, more, alone):
        np.testing.assert_allclose(other.predict_log_proba(X), whole, rtol=1e-8)


@every
def test_statistics_can_be_saved_and_models_pickled(model, tmp_path):
    X, y = table()
    fitted = clone(model).fit(X, y)
    fitted.statistics_.save(tmp_path / "some.stats")
    again = clone(model).fit_statistics(sf.load(tmp_path / "some.stats"))
    assert np.array_equal(again.predict_log_proba(X), fitted.predict_log_proba(X))
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.predict_log_proba(X), fitted.predict_log_proba(X))


@every
def test_weights_count_as_repetitions(model):
    X, y = table()
    w = np.random.default_rng(2).integers(1, 4, len(X))
    weighted = clone(model).fit(X, y, sample_weight=w)
    repeated = clone(model).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(
        weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-8
    )
    assert weighted.log_evidence_ == pytest.approx(repeated.log_evidence_, rel=1e-10)


@every
def test_units_origins_and_order_of_features_do_not_matter(model):
    X, y = table()
    wanted = clone(model).fit(X, y).predict_log_proba(X)
    units = X * [2.0**-40, 1.0, 2.0**40]
    np.testing.assert_allclose(clone(model).fit(units, y).predict_log_proba(units), wanted, 1e-9)
    order = [2, 0, 1]
    turned = clone(model).fit(X[:, order], y)
    np.testing.assert_allclose(turned.predict_log_proba(X[:, order]), wanted, rtol=1e-9)
    far = X + 1e8 * X.std(axis=0)
    moved = clone(model).fit(far, y).predict_log_proba(far)
    assert np.array_equal(moved.argmax(axis=1), wanted.argmax(axis=1))
    np.testing.assert_allclose(moved, wanted, rtol=1e-5, atol=1e-6)


@every
def test_priors_can_be_exchanged(model):
    X, y = table()
    fitted = clone(model).fit(X, y)
    other = fitted.with_priors({0: 0.2, 1: 0.3, 2: 0.5})
    shift = np.log([0.2, 0.3, 0.5]) - np.log(fitted.priors_)
    found = other.predict_joint_log_proba(X) - fitted.predict_joint_log_proba(X)
    np.testing.assert_allclose(found, np.broadcast_to(shift, found.shape), atol=1e-10)
    assert other.covariance_strength_ == fitted.covariance_strength_


def test_rows_can_be_added_to_every_class_for_the_priors():
    X, y = table()
    model = BayesianDiscriminant(class_strength=2.0).fit(X, y)
    np.testing.assert_allclose(model.priors_, [14 / 26, 9 / 26, 3 / 26])
    np.testing.assert_allclose(model.with_priors(None).priors_, model.priors_)


def test_frames_keep_their_names():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BayesianDiscriminant("diagonal").fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert "before any feature" in model.explain(frame)


# Few rows, many features


def test_probabilities_are_shares_of_being_right_when_a_class_has_one_row():
    rng = np.random.default_rng(0)
    prior = {"prior_mean": 0.0, "prior_covariance": 1.0, "priors": "uniform"}
    right, told, plugged = 0, 0.0, 0.0
    y, z = np.repeat(np.arange(3), (9, 3, 1)), np.repeat(np.arange(3), 20)
    for _ in range(300):
        matrices = stats.invwishart(7, 6 * np.eye(2)).rvs(3, random_state=rng)
        means = [rng.multivariate_normal(np.zeros(2), S / 0.5) for S in matrices]

        def drawn(labels, means=means, matrices=matrices):
            return np.array([rng.multivariate_normal(means[c], matrices[c]) for c in labels])

        X, Q = drawn(y), drawn(z)
        model = BayesianDiscriminant("full", 0, 0.5, 6.0, **prior).fit(X, y)
        chances = model.predict_proba(Q)
        right += int((chances.argmax(axis=1) == z).sum())
        told += float(chances.max(axis=1).sum())
        plug_in = BayesianDiscriminant("full", 0, 0.5, 6.0, density="map", **prior).fit(X, y)
        plugged += float(plug_in.predict_proba(Q).max(axis=1).sum())
    assert told / right == pytest.approx(1.0, abs=0.015)
    assert plugged / right > 1.03


@pytest.mark.parametrize("model", KINDS[:6], ids=repr)
def test_more_features_than_rows_constant_ones_and_single_rows(model):
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [12, 7, 1])
    X = rng.normal(size=(20, 60)) + y[:, None]
    X[:, 0], X[:, 1] = 5.0, y
    fitted = clone(model).fit(X, y)
    assert fitted.score(X, y) == 1.0
    assert np.isfinite(fitted.predict_joint_log_proba(X)).all()
    assert np.isfinite(fitted.log_evidence_)
    without = clone(model).fit(X[:, 1:], y)
    np.testing.assert_allclose(
        fitted.predict_log_proba(X), without.predict_log_proba(X[:, 1:]), rtol=1e-6, atol=1e-12
    )


def test_the_thin_form_of_statistics_gives_the_same():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 40)) + y[:, None]
    for pooling in (0, 1):
        model = BayesianDiscriminant(pooling=pooling)
        thin = sf.summarize(X, y, detail="shared" if pooling else "separate")
        assert thin.factor is not None
        many = np.repeat(X, 5, axis=0), np.repeat(y, 5)
        dense = sf.summarize(*many, sample_weight=np.full(100, 0.2), detail=thin.detail)
        assert dense.factor is None
        first, second = clone(model).fit_statistics(thin), clone(model).fit_statistics(dense)
        assert first.covariance_strength_ == pytest.approx(second.covariance_strength_, rel=1e-6)
        assert first.log_evidence_ == pytest.approx(second.log_evidence_, rel=1e-9)
        np.testing.assert_allclose(
            first.predict_log_proba(X), second.predict_log_proba(X), rtol=1e-5, atol=1e-9
        )


def test_very_many_independent_features_take_no_matrix():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 20_000)), np.arange(12) % 2
    model = BayesianDiscriminant("diagonal").fit(X + 0.2 * y[:, None], y)
    assert model.score(X + 0.2 * y[:, None], y) == 1.0
    with pytest.raises(InvalidParameter, match=r"20000 features.*structure='diagonal'"):
        BayesianDiscriminant().fit(X, y)


def test_a_few_rows_of_many_classes_are_classified_better_than_by_plug_in():
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    at = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:12] for c in range(10)])
    rest = np.setdiff1d(np.arange(len(y)), at)
    ours = BayesianDiscriminant().fit(X[at], y[at]).score(X[rest], y[rest])
    assert ours > sf.QDA(shrinkage="oas").fit(X[at], y[at]).score(X[rest], y[rest])
    assert ours > 0.9


def test_rows_too_far_out_to_be_squared_have_finite_log_probabilities():
    X, y = table()
    for model in KINDS[:4]:
        fitted = clone(model).fit(X, y)
        near = fitted.predict_log_proba(X * 1e150)
        far = fitted.predict_log_proba(X * 1e200)
        assert np.isfinite(far).all()
        # So far out, the tails are powers of the distance.
        freedom = fitted.degrees_of_freedom_
        fitted_slope = (fitted.score_samples(X * 1e200) - fitted.score_samples(X * 1e150)) / (
            50 * np.log(10)
        )
        known = 3 if fitted.structure == "full" else 1
        heaviest = (freedom + known).min() * (1 if fitted.structure == "full" else 3)
        np.testing.assert_allclose(fitted_slope, -heaviest, rtol=0.02)
        assert near.shape == far.shape


# Missing values


@predictive
def test_missing_values_at_predict_are_integrated_out(model):
    """A density with one feature missing is the integral of the density over that feature."""
    X, y = table(sizes=(12, 7, 4))
    fitted = clone(model).fit(X, y)
    places, weights = np.polynomial.legendre.leggauss(400)
    angles = places * np.pi / 2
    jacobian = weights * np.pi / 2 / np.cos(angles) ** 2
    for row in X[:3]:
        rows = np.repeat(row[None], 400, axis=0)
        rows[:, 1] = row[1] + 2 * np.tan(angles)
        whole = (np.exp(fitted.predict_joint_log_proba(rows)) * 2 * jacobian[:, None]).sum(axis=0)
        row = np.where([False, True, False], np.nan, row)
        np.testing.assert_allclose(
            fitted.predict_joint_log_proba(row[None])[0], np.log(whole), rtol=1e-7
        )


@every
def test_a_row_of_which_nothing_is_known_has_the_priors(model):
    X, y = table()
    fitted = clone(model).fit(X, y)
    np.testing.assert_allclose(
        fitted.predict_proba(np.full((2, 3), np.nan)), np.repeat(fitted.priors_[None], 2, 0), 1e-12
    )


def test_independent_features_learn_from_all_that_is_known():
    X, y = table(sizes=(12, 9, 5))
    gaps = gapped(X)
    model = BayesianDiscriminant("diagonal", 0, 0.5, 2.0, 0.0, 1.0, priors="uniform").fit(gaps, y)
    parts = [
        BayesianDiscriminant("diagonal", 0, 0.5, 2.0, 0.0, 1.0, priors="uniform").fit(
            gaps[~np.isnan(gaps[:, j])][:, [j]], y[~np.isnan(gaps[:, j])]
        )
        for j in range(3)
    ]
    wanted = sum(part.predict_joint_log_proba(X[:, [j]]) for j, part in enumerate(parts))
    np.testing.assert_allclose(model.predict_joint_log_proba(X), wanted + 2 * np.log(3), rtol=1e-10)
    evidence = sum(part.log_evidence_ for part in parts)
    assert model.log_evidence_ == pytest.approx(evidence, rel=1e-11)
    assert model.degrees_of_freedom_.shape == (3, 3)


@pytest.mark.parametrize("pooling", [0, 1])
def test_full_covariances_learn_from_rows_with_gaps_as_far_as_they_are_known(pooling):
    X, y = WINE
    gaps = gapped(X, 0.2)
    model = BayesianDiscriminant(pooling=pooling, covariance_strength=5.0).fit(gaps, y)
    assert model.score(X, y) > 0.97
    known = model.statistics_.known_weight.mean(axis=1)
    rows = known.sum() if pooling else known
    np.testing.assert_allclose(model.degrees_of_freedom_, np.broadcast_to(5 + rows, 3))
    np.testing.assert_allclose(model.priors_, np.bincount(y) / len(y))
    whole = BayesianDiscriminant(pooling=pooling, covariance_strength=5.0).fit(X, y)
    assert (whole.degrees_of_freedom_ > model.degrees_of_freedom_).all()


@every
def test_streams_with_gaps_are_fits_with_gaps(model):
    X, y = table(sizes=(12, 9, 5))
    gaps = gapped(X, 0.15)
    stream = clone(model)
    for part in np.array_split(np.arange(len(X)), 4):
        stream.partial_fit(gaps[part], y[part])
    whole = clone(model).fit(gaps, y)
    np.testing.assert_allclose(
        stream.predict_log_proba(gaps), whole.predict_log_proba(gaps), rtol=1e-5, atol=1e-6
    )


def test_imputation_is_the_conditional_mean_of_a_t():
    X, y = table(sizes=(12, 9, 5))
    model = BayesianDiscriminant().fit(X, y)
    gaps = X[:4].copy()
    gaps[:, 1] = np.nan
    found = model.impute(gaps, [0, 1, 2, 0])
    for i, c in enumerate([0, 1, 2, 0]):
        S, m = model.covariances_[c], model.means_[c]
        at = [0, 2]
        wanted = m[1] + S[1, at] @ np.linalg.solve(S[np.ix_(at, at)], X[i, at] - m[at])
        assert found[i, 1] == pytest.approx(wanted, rel=1e-10)
    shares = model.predict_proba(gaps)
    mixed = sum(shares[:, c] * model.impute(gaps, c)[:, 1] for c in range(3))
    np.testing.assert_allclose(model.impute(gaps)[:, 1], mixed, rtol=1e-10)


@pytest.mark.parametrize("structure", ["full", "diagonal"])
def test_draws_of_missing_values_have_the_conditional_distribution(structure):
    X, y = table(sizes=(12, 9, 5))
    model = BayesianDiscriminant(structure, 0, 1.0, 3.0).fit(X, y)
    row = np.array([[X[0, 0] + 3.0, np.nan, X[0, 2]]])
    rows = np.repeat(row, 1000, axis=0)
    drawn = model.impute_draws(rows, n_draws=4, y=0, random_state=0)[:, :, 1].ravel()
    centre = model.impute(row, 0)[0, 1]
    S, m, f = model.covariances_[0], model.means_[0], float(model.degrees_of_freedom_[0])
    S = S * (1 + 1 / (1.0 + 12))
    if structure == "full":
        at, step = [0, 2], (row[0] - m)[[0, 2]]
        inner = np.linalg.solve(S[np.ix_(at, at)], np.column_stack([S[at, 1], step]))
        scale = (S[1, 1] - S[1, at] @ inner[:, 0]) * (f + step @ inner[:, 1]) / (f + 2)
        f = f + 2
    else:
        scale = S[1, 1]
    chance = stats.kstest(drawn, stats.t(f, centre, np.sqrt(scale)).cdf).pvalue
    assert chance > 0.01


# Answers


@predictive
def test_samples_have_the_distribution_of_the_classes(model):
    X, y = table(sizes=(12, 9, 5))
    fitted = clone(model).set_params(covariance_strength=4.0, mean_strength=1.0).fit(X, y)
    rows, labels = fitted.sample(3000, y=1, random_state=0)
    assert set(labels.tolist()) == {1}
    f = float(fitted.degrees_of_freedom_[1])
    scale = np.sqrt(fitted.covariances_[1].diagonal() * (1 + 1 / (1 + 9)))
    for j in range(3):
        assert stats.kstest(rows[:, j], stats.t(f, fitted.means_[1, j], scale[j]).cdf).pvalue > 0.01
    if fitted.structure == "full":
        distances = fitted.squared_mahalanobis(rows)[:, 1] / (1 + 1 / 10) / 3
        assert stats.kstest(distances, stats.f(3, f).cdf).pvalue > 0.01
    else:
        # Tails of independent features are independent too.
        steps = np.abs(rows - fitted.means_[1])
        assert abs(stats.spearmanr(steps[:, 0], steps[:, 1]).statistic) < 0.06


@pytest.mark.parametrize("density", ["predictive", "map"])
@pytest.mark.parametrize("pooling", [0, 1])
def test_outliers_of_a_class_are_judged_by_the_exact_f(density, pooling):
    X, y = table(sizes=(12, 9, 1))
    model = BayesianDiscriminant("full", pooling, 1.0, 4.0, density=density).fit(X, y)
    rows = np.array([X[0], X[0] + 4, np.where([True, False, False], np.nan, X[0] + 4)])
    known = np.array([3, 3, 2])[:, None]
    n = np.array([12.0, 9.0, 1.0])
    stretch = 1 + 1 / (1 + n)
    freedom = 4 + (22 if pooling else n)
    ratio = model.squared_mahalanobis(rows) / stretch / known
    wanted = special.fdtrc(known, freedom, ratio)
    np.testing.assert_allclose(model.outlier_pvalue(rows, by_class=True), wanted, rtol=1e-12)


@every
def test_outlier_p_values_are_uniform_on_rows_to_come(model):
    X, y = table(sizes=(12, 9, 5))
    fitted = clone(model).fit(X, y)
    source = clone(model).set_params(density="predictive").fit(X, y)
    rows, _ = source.sample(2000, random_state=1)
    chances = fitted.outlier_pvalue(rows)
    assert stats.kstest(chances, "uniform").pvalue > 1e-3
    assert np.mean(fitted.score_samples(rows) < fitted.outlier_threshold(0.1)) == pytest.approx(
        0.1, abs=0.025
    )
    odd = fitted.outlier_pvalue(X[:1] + 1e4)[0]
    assert odd < 1e-3


def test_log_odds_are_differences_of_log_densities():
    X, y = table()
    for model in KINDS:
        fitted = clone(model).fit(X, y)
        joint = fitted.predict_joint_log_proba(X)
        np.testing.assert_allclose(fitted.log_odds(X, 0, 2), joint[:, 0] - joint[:, 2], atol=1e-9)
        priors = np.log(fitted.priors_[0] / fitted.priors_[2])
        ratio = fitted.log_likelihood_ratio(X, 0, 2)
        np.testing.assert_allclose(ratio, joint[:, 0] - joint[:, 2] - priors, atol=1e-9)


def test_contributions_of_independent_features_add_up():
    X, y = table()
    gaps = gapped(X)
    for density in ("predictive", "map"):
        model = BayesianDiscriminant("diagonal", density=density).fit(X, y)
        found = model.contributions(gaps, 0, 1)
        np.testing.assert_allclose(found.log_odds, model.log_odds(gaps, 0, 1), atol=1e-10)
        assert (found.values[np.isnan(gaps)] == 0).all()


def test_gaussian_classes_have_boundaries_and_ellipses():
    X, y = table(sizes=(12, 9, 5))
    model = BayesianDiscriminant(density="map").fit(X, y)
    np.testing.assert_allclose(model.boundary(0, 1)(X), model.log_odds(X, 0, 1), atol=1e-8)
    assert model.ellipse(0, probability=0.9).half_axes.shape == (2,)
    assert model.whiten(X, 0).shape == X.shape
    assert "before any feature" in model.explain(X)
    shared = BayesianDiscriminant(density="map", pooling=1).fit(X, y)
    scores = X @ shared.discriminant_coef_.T + shared.discriminant_intercept_
    odds = shared.log_odds(X, 0, 1)
    np.testing.assert_allclose(scores[:, 0] - scores[:, 1], odds, atol=1e-9)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, X: m.boundary(0, 1),
        lambda m, X: m.ellipse(0, probability=0.5),
        lambda m, X: m.whiten(X, 0),
    ],
)
def test_what_is_not_quadratic_is_refused_with_a_way_out(ask):
    X, y = table()
    model = BayesianDiscriminant().fit(X, y)
    with pytest.raises(InvalidParameter, match="density='map'"):
        ask(model, X)
    assert not hasattr(model, "discriminant_coef_")


# Refusals


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"structure": "spherical"}, "structure"),
        ({"density": "mean"}, "density"),
        ({"pooling": 0.5}, "no conjugate prior"),
        ({"pooling": "cv"}, "pooling"),
        ({"mean_strength": 0}, "positive number of rows"),
        ({"covariance_strength": -1.0}, "a positive number of rows"),
        ({"covariance_strength": None}, "or 'auto'"),
        ({"covariance_strength": "oas"}, "or 'auto'"),
        ({"mean_strength": float("nan")}, "mean_strength"),
        ({"class_strength": -1}, "class_strength"),
        ({"prior_mean": [1.0, 2.0]}, "3 features"),
        ({"prior_mean": "zero"}, "must hold numbers"),
        ({"prior_covariance": np.ones((3, 3))}, "positive definite"),
        ({"prior_covariance": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric"),
        ({"prior_covariance": [1.0, 0.0, 1.0]}, "positive variances"),
        ({"prior_covariance": np.eye(2)}, r"\(2, 2\)"),
        ({"prior_covariance": np.inf}, "finite"),
    ],
)
def test_a_prior_that_makes_no_sense_is_refused(given, message):
    X, y = table()
    with pytest.raises(InvalidParameter, match=message):
        BayesianDiscriminant(**given).fit(X, y)


@pytest.mark.parametrize("given", [{"prior_mean": [1.0, 2.0]}, {"prior_covariance": np.eye(2)}])
def test_a_first_batch_under_a_prior_of_another_shape_is_refused(given):
    X, y = table()
    model = BayesianDiscriminant(**given)
    with pytest.raises(InvalidParameter):
        model.partial_fit(X, y)
    assert not hasattr(model, "statistics_")


def test_a_strength_too_small_for_the_rows_names_the_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 8)), np.repeat(["a", "b"], [9, 3])
    with pytest.raises(InvalidParameter, match=r"class 'a' \(9 rows, 8 features\).*'auto'|'b'"):
        BayesianDiscriminant(covariance_strength=1e-15).fit(X, y)


def test_classes_of_single_rows_take_a_prior_covariance():
    X, y = table(sizes=(1, 1, 1))
    with pytest.raises(TooFewRows, match="two rows"):
        BayesianDiscriminant().fit(X, y)
    model = BayesianDiscriminant(prior_covariance=np.eye(3)).fit(X, y)
    assert np.array_equal(model.predict(X), y)
    assert (model.predict_proba(X) < 1).all()
