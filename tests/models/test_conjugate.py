"""Conjugate priors: densities and evidence against integration, 50 digits, MASS, and their laws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats
from sklearn.datasets import load_iris

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.estimators.bayesian import BayesianDiscriminant
from suffice.models import scoring
from suffice.models.categorical import likeliest_alpha
from suffice.models.conjugate_priors.beliefs import Beliefs, Prior
from suffice.models.conjugate_priors.conjugate import infer, log_evidence
from suffice.models.conjugate_priors.gammas import log_ratio, log_ratio_slope
from suffice.models.conjugate_priors.marginal import evidence_of
from suffice.models.conjugate_priors.strengths import best_strengths
from suffice.models.conjugate_priors.student import MultivariateStudent
from suffice.models.covariances.covariance import FullCovariance
from suffice.models.covariances.linalg import whitener
from suffice.models.gaussian import GaussianModel
from suffice.models.structures import structure_of

HERE = Path(__file__).parent.parent / "reference"
EXACT = json.loads((HERE / "conjugate.json").read_text())
EVERY = [(structure, pooling) for structure in ("full", "diagonal") for pooling in (0, 1)]
every = pytest.mark.parametrize(("structure", "pooling"), EVERY)


def log_density(model, X):
    """ln p(x | class), (n, k)."""
    k = len(model.classes_)
    return model.with_priors("uniform").predict_joint_log_proba(X) + np.log(k)


def table(seed=0, k=3, d=3, n=8):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), rng.integers(2, n, k))
    mixing = np.eye(d) + rng.normal(size=(d, d)) / 2
    return rng.normal(size=(len(y), d)) @ mixing + 2 * rng.normal(size=(k, d))[y], y


def given_prior(d, seed=0):
    """A prior mean and covariance that have nothing to do with the rows."""
    rng = np.random.default_rng(seed)
    root = np.eye(d) + rng.normal(size=(d, d)) / 3
    return {"prior_mean": rng.normal(size=d), "prior_covariance": root @ root.T}


# Against numbers from elsewhere


@pytest.mark.parametrize("case", EXACT["one feature"]["classes"], ids=["three rows", "one row"])
@every
def test_one_feature_agrees_with_integration_over_mean_and_variance(case, structure, pooling):
    mean, variance, kappa, lam = EXACT["one feature"]["prior"]
    model = BayesianDiscriminant(structure, pooling, kappa, lam, [mean], [[variance]])
    model.fit(np.array(case["rows"])[:, None], ["a"] * len(case["rows"]))
    wanted = [float(v) for v in case["density"]]
    found = model.score_samples(np.array(case["queries"])[:, None])
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert model.log_evidence_ == pytest.approx(float(case["evidence"]), rel=1e-13)


@every
def test_several_features_agree_with_fifty_digits(structure, pooling):
    stored = EXACT["several features"]
    wanted = stored[f"{structure} {pooling}"]
    prior = {name: stored[name] for name in ("prior_mean", "prior_covariance")}
    model = BayesianDiscriminant(structure, pooling, *stored["strengths"], **prior)
    model.fit(stored["X"], stored["y"], sample_weight=stored["weights"])
    density = np.array([[float(v) for v in row] for row in wanted["density"]])
    np.testing.assert_allclose(log_density(model, stored["Q"]), density, rtol=1e-13)
    assert model.log_evidence_ == pytest.approx(float(wanted["evidence"]), rel=1e-13)


def vague(X, y):
    """The predictive density of each class under Jeffreys' prior: a t of n - d degrees."""
    s = sf.summarize(X, y)
    d, n = X.shape[1], s.weight
    scales = tuple(FullCovariance(whitener(S / (m - d))) for S, m in zip(s.scatter, n, strict=True))
    gaussian = GaussianModel(s.classes, np.full(len(n), 1 / len(n)), s.mean, scales, ())
    n = n[:, None]
    return MultivariateStudent(gaussian, n - d, 1 + 1 / n, np.ones(d, bool))


def mass(name, method):
    return np.log(np.loadtxt(HERE / f"conjugate_mass_{name}_{method}.csv", delimiter=","))


SIZES = {
    "unequal": np.r_[0:50, 50:60, 100:104],
    "equal": np.r_[0:10, 50:60, 100:110],
}


def test_classes_of_equal_size_have_the_predictive_posteriors_of_mass():
    X, y = load_iris(return_X_y=True)
    at = SIZES["equal"]
    ours = scoring.log_posterior(vague(X[at, :2], y[at]), X[:, :2])
    np.testing.assert_allclose(ours, mass("equal", "mle"), rtol=1e-10, atol=1e-10)


def test_mass_leaves_out_what_differs_between_classes_of_unequal_size():
    """`predict(qda(...), method = "predictive")` of MASS 7.3 is wrong for unequal class sizes.

    Its class densities lack the factor Γ(n/2) / Γ((n - d)/2), so they do not integrate to the
    same number; with its default estimate (method = "moment") also the distances are off by
    n / (n - 1). Ours integrate to one, each class alone.
    """
    X, y = load_iris(return_X_y=True)
    at = SIZES["unequal"]
    model = vague(X[at, :2], y[at])
    n = np.array([50.0, 10.0, 4.0])
    lacking = special.gammaln(n / 2) - special.gammaln((n - 2) / 2)
    assert np.ptp(lacking) > 3
    ours = scoring.log_posterior(model, X[:, :2])
    apart = (ours - ours[:, :1]) - (mass("unequal", "mle") - mass("unequal", "mle")[:, :1])
    np.testing.assert_allclose(apart, np.broadcast_to(lacking - lacking[0], apart.shape), atol=1e-9)
    apart = (ours - ours[:, :1]) - (mass("unequal", "moment") - mass("unequal", "moment")[:, :1])
    assert np.ptp(apart[:, 1]) > 0.1
    np.testing.assert_allclose(plane_integral(model), 1.0, rtol=1e-6)


def plane_integral(model, n=300):
    """The integral of each class density over two features."""
    places, weights = np.polynomial.legendre.leggauss(n)
    angles, weights = places * np.pi / 2, weights * np.pi / 2
    total = []
    for c, mean in enumerate(model.means):
        width = np.sqrt(model.gaussian.matrices[c].diagonal())
        steps = np.tan(angles)[:, None] * width
        grid = np.stack(np.meshgrid(steps[:, 0], steps[:, 1], indexing="ij"), axis=-1)
        density = np.exp(model.log_densities(grid.reshape(-1, 2) + mean)[:, c]).reshape(n, n)
        jacobian = weights / np.cos(angles) ** 2
        total.append(jacobian @ density @ jacobian * width.prod())
    return np.array(total)


def test_ratios_of_gamma_functions_keep_their_digits():
    mp = pytest.importorskip("mpmath")
    with mp.workdps(40):
        for x in (1e-3, 0.5, 3.0, 9.99, 10.0, 47.5, 1e4, 1e9, 1e15):
            for a in (0.0, 0.5, 2.0, 33.3, 1e5):
                X, A = mp.mpf(x), mp.mpf(a)
                wanted = mp.loggamma(X + A) - mp.loggamma(X) - A * mp.log(X)
                size = max(1.0, a, abs(float(wanted)))
                assert abs(float(log_ratio(x, a) - wanted)) < 1e-14 * size
                slope = X * (mp.digamma(X + A) - mp.digamma(X)) - A
                size = max(1.0, a, abs(float(slope)))
                assert abs(float(log_ratio_slope(x, a) - slope)) < 1e-14 * size


# Laws of probability


@every
@pytest.mark.parametrize("seed", range(4))
def test_the_evidence_of_one_row_more_is_its_predictive_density(structure, pooling, seed):
    X, y = table(seed, d=1 + seed)
    model = BayesianDiscriminant(structure, pooling, 0.7, 3.2, **given_prior(1 + seed))
    before = model.fit(X, y)
    density, evidence = log_density(before, X[:5] + 1.0), before.log_evidence_
    for i in range(5):
        for c in range(3):
            more = np.concatenate([X, X[i : i + 1] + 1.0]), np.append(y, c)
            gain = model.fit(*more).log_evidence_ - evidence
            assert gain == pytest.approx(density[i, c], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("pooling", [0, 1])
def test_densities_integrate_to_one(pooling):
    X, y = table(d=2)
    model = BayesianDiscriminant(pooling=pooling, covariance_strength=4.0).fit(X, y)._fitted
    if pooling:
        matrices = np.repeat(model.matrices[None], 3, axis=0)
        gaussian = GaussianModel(
            model.classes,
            model.priors,
            model.means,
            tuple(FullCovariance(whitener(m)) for m in matrices),
            (),
        )
        model = MultivariateStudent(gaussian, model.freedom, model.stretch, model.varies)
    np.testing.assert_allclose(plane_integral(model), 1.0, rtol=1e-8)


@every
def test_a_choice_of_features_has_the_densities_of_a_model_of_them_alone(structure, pooling):
    X, y = table(5, d=4)
    prior = given_prior(4)
    whole = BayesianDiscriminant(structure, pooling, 0.5, 2.0, **prior).fit(X, y)
    at = [2, 0]
    some = BayesianDiscriminant(
        structure, pooling, 0.5, 2.0, prior["prior_mean"][at], prior["prior_covariance"][at][:, at]
    ).fit(X[:, at], y)
    gaps = np.full(X.shape, np.nan)
    gaps[:, at] = X[:, at]
    np.testing.assert_allclose(log_density(whole, gaps), log_density(some, X[:, at]), rtol=1e-11)


def test_independent_features_are_student_t_of_scipy():
    X, y = table(2, d=2)
    model = BayesianDiscriminant("diagonal", 0, 0.5, 3.0, [0.0, 1.0], [1.0, 2.0]).fit(X, y)
    s = sf.summarize(X, y, detail="diagonal")
    for c in range(3):
        n, shift = s.weight[c], s.mean[c] - [0.0, 1.0]
        spread = 3.0 * np.array([1.0, 2.0]) + s.scatter[c] + 0.5 * n / (0.5 + n) * shift**2
        scale = np.sqrt(spread / (3 + n) * (1 + 1 / (0.5 + n)))
        centre = (0.5 * np.array([0.0, 1.0]) + n * s.mean[c]) / (0.5 + n)
        wanted = stats.t(3 + n, centre, scale).logpdf(X).sum(axis=1)
        np.testing.assert_allclose(log_density(model, X)[:, c], wanted, rtol=1e-12)


# Limits


@every
def test_a_prior_of_endless_strength_is_the_gaussian_given(structure, pooling):
    X, y = table(1)
    prior = given_prior(3)
    model = BayesianDiscriminant(structure, pooling, 1e14, 1e14, **prior).fit(X, y)
    covariance = prior["prior_covariance"]
    covariance = covariance if structure == "full" else np.diag(covariance.diagonal())
    wanted = stats.multivariate_normal(prior["prior_mean"], covariance).logpdf(X)
    np.testing.assert_allclose(log_density(model, X), np.repeat(wanted[:, None], 3, 1), rtol=1e-9)
    everything = stats.multivariate_normal(prior["prior_mean"], covariance).logpdf(X).sum()
    assert model.log_evidence_ == pytest.approx(everything, rel=1e-9)


@pytest.mark.parametrize(
    ("structure", "pooling", "limit"),
    [
        ("full", 0, sf.QDA()),
        ("full", 1, sf.LDA()),
        ("diagonal", 0, sf.GaussianNB(var_smoothing=0)),
        ("diagonal", 1, sf.DiagonalLDA()),
    ],
)
def test_without_strength_and_with_many_rows_it_is_the_plug_in_classifier(
    structure, pooling, limit
):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200_000)
    X = rng.normal(size=(len(y), 2)) * (1 + y[:, None]) + y[:, None]
    limit = limit.fit(X, y)
    Q = X[::20_000]
    for density, tolerance in (("map", 1e-7), ("predictive", 1e-3)):
        model = BayesianDiscriminant(structure, pooling, 1e-6, 1e-3, density=density).fit(X, y)
        found, wanted = model.predict_log_proba(Q), limit.predict_log_proba(Q)
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def test_estimates_weigh_prior_and_rows():
    X, y = table(3)
    prior = given_prior(3)
    model = BayesianDiscriminant("full", 0, 2.0, 5.0, **prior, density="map").fit(X, y)
    s = sf.summarize(X, y)
    for c in range(3):
        n, shift = s.weight[c], s.mean[c] - prior["prior_mean"]
        mean = (2 * prior["prior_mean"] + n * s.mean[c]) / (2 + n)
        total = 5 * prior["prior_covariance"] + s.scatter[c]
        total = total + 2 * n / (2 + n) * np.outer(shift, shift)
        np.testing.assert_allclose(model.means_[c], mean, rtol=1e-13)
        np.testing.assert_allclose(model.covariances_[c], total / (5 + n), rtol=1e-12, atol=1e-13)


# Strengths by evidence


@every
@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_the_evidence_are_those_of_its_values(structure, pooling, seed):
    X, y = table(seed, k=2 + 4 * seed, d=1 + 2 * seed)
    s = sf.summarize(X, y, detail=Beliefs(structure_of(structure), pooling).detail)
    prior = Prior(X.mean(axis=0), np.diag(X.var(axis=0)), 1.0, 1.0)
    found = evidence_of(s, Beliefs(structure_of(structure), pooling), prior)
    for kappa, lam in [(0.01, 0.1), (1.0, 5.0), (100.0, 1e4)]:
        _, slopes = found(kappa, lam)
        step = 1e-4
        by_mean = found(kappa * np.exp(step), lam)[0] - found(kappa * np.exp(-step), lam)[0]
        by_covariance = found(kappa, lam * np.exp(step))[0] - found(kappa, lam * np.exp(-step))[0]
        numeric = np.array([by_mean, by_covariance]) / (2 * step)
        np.testing.assert_allclose(slopes, numeric, rtol=1e-6, atol=1e-6)


@every
def test_strengths_found_have_the_largest_evidence(structure, pooling):
    X, y = table(7, k=6, d=2, n=12)
    prior = given_prior(2)
    model = BayesianDiscriminant(structure, pooling, **prior).fit(X, y)
    best = model.log_evidence_
    for a in np.geomspace(1e-3, 1e3, 13):
        for b in np.geomspace(1e-3, 1e3, 13):
            strengths = min(model.mean_strength_ * a, 1e8), min(model.covariance_strength_ * b, 1e8)
            other = BayesianDiscriminant(structure, pooling, *strengths, **prior).fit(X, y)
            assert other.log_evidence_ <= best + 1e-8


def test_a_strength_that_is_given_stays_while_the_other_is_found():
    X, y = table(7, k=6, d=2, n=12)
    prior = given_prior(2)
    model = BayesianDiscriminant(mean_strength=0.3, **prior).fit(X, y)
    assert model.mean_strength_ == 0.3
    for b in (0.5, 0.9, 1.1, 2.0):
        strength = model.covariance_strength_ * b
        other = BayesianDiscriminant("full", 0, 0.3, strength, **prior).fit(X, y)
        assert other.log_evidence_ < model.log_evidence_


def test_on_a_plateau_the_weakest_of_equal_strengths_is_taken():
    def level(a, b):
        return -np.exp(-b), np.array([0.0, b * np.exp(-b)])

    low, high = np.array([1.0, 1e-3]), np.array([1.0, 1e12])
    assert best_strengths(level, low, high)[1] < 1e3


def test_where_the_rows_say_nothing_a_strength_is_one_row():
    found = best_strengths(
        lambda a, b: (0.0, np.zeros(2)), np.array([0.1, 2.0]), np.array([10.0, 8.0])
    )
    assert found.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("strength", [10.0, 40.0])
@pytest.mark.parametrize("structure", ["full", "diagonal"])
def test_the_strength_that_classes_were_drawn_with_is_found(structure, strength):
    rng = np.random.default_rng(1)
    k, d = 300, 2
    X, y = [], []
    for c in range(k):
        if structure == "full":
            S = stats.invwishart(strength + d - 1, strength * np.eye(d)).rvs(random_state=rng)
        else:
            S = np.diag(strength / rng.chisquare(strength, d))
        mean = rng.multivariate_normal(np.zeros(d), S / 0.4)
        X.append(rng.multivariate_normal(mean, S, 12))
        y += [c] * 12
    X = np.concatenate(X)
    known = BayesianDiscriminant(structure, prior_covariance=1.0, prior_mean=0.0).fit(X, y)
    assert known.covariance_strength_ == pytest.approx(strength, rel=0.3)
    assert known.mean_strength_ == pytest.approx(0.4, rel=0.2)
    alone = BayesianDiscriminant(structure).fit(X, y)
    assert alone.covariance_strength_ == pytest.approx(strength, rel=0.5)


def test_a_large_class_does_not_speak_for_the_others():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(2000, 3)), 8 * rng.normal(size=(12, 3)) + 3])
    model = BayesianDiscriminant().fit(X, np.repeat([0, 1], [2000, 12]))
    assert model.covariance_strength_ < 4
    assert np.linalg.det(model.covariances_[1]) > 1e4


def test_constant_and_repeated_features_do_not_decide_the_strength():
    X, y = table(4, k=4, d=3, n=20)
    plain = BayesianDiscriminant("diagonal").fit(X, y).covariance_strength_
    flat = np.column_stack([X, np.ones(len(X)), np.where(y == 0, 0.0, X[:, 0])])
    found = BayesianDiscriminant("diagonal").fit(flat, y).covariance_strength_
    assert found == pytest.approx(plain, rel=0.3)
    twice = np.column_stack([X, X[:, 0]])
    assert BayesianDiscriminant().fit(twice, y).covariance_strength_ > 0.5


def test_evidence_computed_later_is_that_of_the_fit():
    X, y = table(6)
    model = BayesianDiscriminant().fit(X, y)
    beliefs = Beliefs.checked(mean_strength="auto", covariance_strength="auto")
    again = infer(model.statistics_, beliefs, None)
    prior = again.gaussian.posterior.prior
    assert log_evidence(model.statistics_, beliefs, prior) == model.log_evidence_


# Levels


def dirichlet_evidence(weight, alpha):
    """The log marginal likelihood of counts (k, m), by gamma functions alone."""
    m, n = weight.shape[1], weight.sum(axis=1)
    found = special.gammaln(m * alpha) - special.gammaln(m * alpha + n)
    return float(found.sum() + (special.gammaln(weight + alpha) - special.gammaln(alpha)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_where_counts_are_most_probable(seed):
    rng = np.random.default_rng(seed)
    k, m = rng.integers(1, 9), rng.integers(2, 6)
    chances = rng.dirichlet(np.full(m, 0.8), k)
    weight = np.array([rng.multinomial(30, p) for p in chances]) / 2
    found = likeliest_alpha(weight)
    best = dirichlet_evidence(weight, found)
    assert 1e-3 < found < weight.sum()
    for factor in np.geomspace(0.01, 100, 41):
        assert dirichlet_evidence(weight, found * factor) <= best + 1e-9
    near = [dirichlet_evidence(weight, found * (1 + step)) for step in (-1e-3, 1e-3)]
    assert near[0] == pytest.approx(near[1], abs=1e-5)


def test_alpha_of_two_levels_agrees_with_integration():
    weight = np.array([[9.0, 0.0], [0.0, 8.0], [7.0, 1.0]])

    def evidence(alpha):
        parts = [
            integrate.quad(lambda p: p ** (alpha - 1 + a) * (1 - p) ** (alpha - 1 + b), 0, 1)[0]  # noqa: B023
            for a, b in weight
        ]
        return -np.log(np.array(parts) / special.beta(alpha, alpha)).sum()

    found = optimize.minimize_scalar(evidence, bounds=(0.05, 1.0), method="bounded").x
    assert likeliest_alpha(weight) == pytest.approx(found, rel=1e-2)


def test_alpha_is_found_for_each_feature_by_every_discrete_classifier():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = np.column_stack([rng.integers(0, 2, 120), (y == 1) ^ (rng.random(120) < 0.02)]).astype(int)
    bernoulli = sf.BernoulliNB(alpha="auto").fit(X, y)
    assert bernoulli.alpha_[0] > 5 > 1 > bernoulli.alpha_[1]
    levels = sf.CategoricalNB(alpha="auto").fit(X, y)
    np.testing.assert_allclose(levels.alpha_, bernoulli.alpha_)
    given = sf.CategoricalNB(alpha=levels.alpha_).fit(X, y)
    np.testing.assert_allclose(given.predict_log_proba(X), levels.predict_log_proba(X))
    mixed = sf.MixedNB(categorical=[0, 1], alpha="auto").fit(
        np.column_stack([X, rng.normal(size=120)]), y
    )
    np.testing.assert_allclose(mixed.alpha_, levels.alpha_)
    stream = sf.CategoricalNB(alpha="auto")
    for part in np.array_split(rng.permutation(120), 5):
        stream.partial_fit(X[part], y[part])
    np.testing.assert_allclose(stream.alpha_, levels.alpha_, rtol=1e-8)
    assert sf.CategoricalNB(alpha=0.5).fit(X, y).alpha_.tolist() == [0.5, 0.5]
    with pytest.raises(InvalidParameter, match="or 'auto'"):
        sf.BernoulliNB(alpha="best").fit(X, y)
