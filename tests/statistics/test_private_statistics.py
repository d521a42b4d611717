"""Private releases: the noise, the accounting, and what models make of them."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.errors import InvalidParameter, Mismatch
from suffice.statistics.exact.budget import COUNT_SHARE, SUM_SHARE, delta_of, largest_rho
from suffice.statistics.exact.releasing import discrete_gaussian


@pytest.fixture
def exact():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    X = np.clip(rng.normal(size=(5000, 3)) + y[:, None], -5, 5)
    return sf.summarize(X, y, grid=sf.Grid(-5, 5, bits=16))


@pytest.mark.parametrize("variance", [1, 9, 400])
def test_the_noise_has_the_discrete_gaussian_distribution(variance):
    random = Random(variance)
    draws = np.array([discrete_gaussian(variance, random) for _ in range(8000)])
    reach = int(5 * math.sqrt(variance)) + 2
    values = np.arange(-reach, reach + 1)
    density = np.exp(-(values**2) / (2 * variance))
    density /= density.sum()
    # Bins with enough expected draws for the test of fit.
    bins = np.unique(np.searchsorted(np.cumsum(density), np.linspace(0.02, 0.98, 20)))
    edges = np.concatenate([[-np.inf], values[bins] + 0.5, [np.inf]])
    seen = np.histogram(draws, edges)[0]
    expected = [density[(values > a) & (values < b)].sum() for a, b in pairwise(edges)]
    fit = stats.chisquare(seen, np.array(expected) / sum(expected) * len(draws))
    assert fit.pvalue > 1e-4


def test_large_noise_is_sampled_exactly_too():
    random = Random(1)
    draws = [discrete_gaussian(2**120, random) / 2**60 for _ in range(3000)]
    assert stats.kstest(draws, "norm").pvalue > 1e-4


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5])
def test_rho_is_the_largest_that_implies_the_guarantee(epsilon, delta):
    rho = largest_rho(epsilon, delta)
    assert delta_of(rho, epsilon) <= delta
    assert delta_of(1.001 * rho, epsilon) > delta
    # Better than the simple bound rho + 2 sqrt(rho ln(1 / delta)) = epsilon, never worse.
    log = math.log(1 / delta)
    assert rho >= (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
    # And never better than the Gaussian mechanism's own exact curve.
    sigma = 1 / math.sqrt(2 * rho)
    below = stats.norm.cdf(0.5 / sigma - epsilon * sigma)
    own = below - math.exp(epsilon) * stats.norm.cdf(-0.5 / sigma - epsilon * sigma)
    assert own <= delta


def test_the_noise_of_each_part_is_that_of_its_share_of_the_budget(exact):
    releases = [exact.private(1.0, 1e-6, random_state=seed) for seed in range(120)]
    rho = releases[0].budgets[0].rho
    counts = np.array([r.counts - exact.count for r in releases], float)
    sums = np.array([(r.sums.floats() - exact.sums.floats()) for r in releases])
    reach = float(exact.grid.highest[0])
    for noise, sd in (
        (counts, math.sqrt(1 / (2 * rho * COUNT_SHARE))),
        (sums, reach * math.sqrt(3 / (2 * rho * SUM_SHARE))),
    ):
        n = noise.size
        assert stats.chi2.cdf((noise**2).sum() / sd**2, n) == pytest.approx(0.5, abs=0.4995)
        assert abs(noise.mean()) < 5 * sd / math.sqrt(n)


def test_more_rows_per_person_take_more_noise(exact):
    few, many = (
        np.std([exact.private(1.0, 1e-6, m, seed).counts[0] for seed in range(60)]) for m in (1, 10)
    )
    assert 5 < many / few < 20


def test_every_model_takes_a_release_and_releases_add_up(exact, tmp_path):
    a, b = (exact.private(2.0, 1e-6, random_state=seed) for seed in (1, 2))
    both = a + b
    assert both.epsilon == 2.0
    assert len(both.budgets) == 2
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA(), sf.BayesianDiscriminant()):
        fitted = model.fit_statistics(both)
        assert np.isfinite(fitted.predict_proba(np.zeros((1, 3)))).all()
        assert np.abs(fitted.means_ - exact.mean).max() < 0.3
    both.save(tmp_path / "release")
    assert sf.load(tmp_path / "release") == both
    with pytest.raises(Mismatch, match="other releases only"):
        a + exact
    with pytest.raises(InvalidParameter, match="cannot be removed"):
        a - b


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_scatter_is_positive_semidefinite_however_large_the_noise(exact, detail):
    release = exact.coarsen(detail).private(0.01, 1e-9, random_state=3)
    scatter = release.numbers.scatter
    if detail == "diagonal":
        assert (scatter >= 0).all()
    else:
        values = np.linalg.eigvalsh(scatter)
        assert values.min() >= -1e-9 * values.max()
    assert (np.abs(release.mean) <= 5).all()


def test_the_error_of_the_mean_shrinks_as_epsilon_grows(exact):
    errors = [
        np.mean(
            [np.abs(exact.private(e, 1e-6, random_state=s).mean - exact.mean) for s in range(9)]
        )
        for e in (0.1, 1.0, 10.0)
    ]
    assert errors[0] > 3 * errors[1] > 9 * errors[2] / 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1e-6), "epsilon is 0"),
        ((1, 0), "delta is 0"),
        ((1, 1.5), "delta is 1.5"),
        ((1, 1e-6, 0), "max_rows_per_person"),
        ((1, 1e-6, 1, "seed"), "random_state"),
    ],
)
def test_impossible_budgets_say_what_is_wrong(exact, arguments, message):
    with pytest.raises(InvalidParameter, match=message):
        exact.private(*arguments)


def test_ranges_measured_from_rows_and_weights_are_refused():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    measured = sf.summarize(X, y, grid=sf.Grid.of(X))
    with pytest.raises(InvalidParameter, match="range_is_public=True"):
        measured.private(1, 1e-6)
    assert measured.private(1, 1e-6, range_is_public=True).n_features == 2
    with pytest.raises(InvalidParameter, match="measured from rows, or is that of its bits"):
        sf.summarize(X.round(2), y, grid=sf.Grid.decimal(2)).private(1, 1e-6)
    with pytest.raises(InvalidParameter, match="without weights"):
        sf.summarize(X, y, y + 1, grid=sf.Grid(-9, 9)).private(1, 1e-6)
