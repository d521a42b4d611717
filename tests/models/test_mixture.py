"""Mixtures: EM against independent arithmetic, its laws, and what it does where it must fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits

import suffice as sf
from closeness import near
from lawful import examples, few
from suffice.models import scoring
from suffice.models.covariances.covariance import DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import whitener
from suffice.models.covariances.side_by_side import SideBySide
from suffice.models.em.densities import Densities
from suffice.models.em.em import bic, fit_mixture, sizes_by_bic
from suffice.models.em.em_run import EMPTY
from suffice.models.em.training import Effort, Given, Training
from suffice.models.gaussian import GaussianModel, LinearScores
from suffice.models.mixture import MixtureModel, n_parameters
from suffice.models.settings import Settings
from suffice.models.structures import DIAGONAL, SPHERICAL
from suffice.statistics.passes import soft_rows
from suffice.statistics.passes.soft_pass import soft_pass
from suffice.statistics.passes.soft_rows import SoftRows

KINDS = {
    "full": Settings(),
    "tied": Settings(pooling=1.0),
    "diag": Settings(structure=DIAGONAL),
    "spherical": Settings(structure=SPHERICAL),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def blobs(n=300, d=3, K=3, seed=0, apart=4.0):
    rng = np.random.default_rng(seed)
    centres = apart * rng.normal(size=(K, d))
    mix = rng.normal(size=(K, d, d)) / np.sqrt(d)
    codes = rng.integers(0, K, n)
    noise = rng.normal(size=(n, d))
    return centres[codes] + np.einsum("nij,nj->ni", mix[codes], noise) + 0.3 * noise


def with_gaps(X, share=0.2, seed=1):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def alone(X, weights=None):
    """Rows of a single class."""
    return Training.of(X, np.zeros(len(X), np.int64), weights, np.zeros(1, np.int64))


def start_of(X, K, kind, seed=3):
    """A start away from any optimum."""
    rng, d = np.random.default_rng(seed), X.shape[1]
    means = np.nan_to_num(X[rng.choice(len(X), K, replace=False)])
    covariances = {
        "full": lambda: tuple(FullCovariance(whitener((i + 1.0) * np.eye(d))) for i in range(K)),
        "tied": lambda: (FullCovariance(whitener(2.0 * np.eye(d))),),
    }.get(kind, lambda: tuple(DiagonalCovariance(np.full(d, i + 1.0)) for i in range(K)))()
    return Given(np.full(K, 1 / K), means, covariances)


def fitted(X, K, kind="full", weights=None, seed=0, given=None, **effort):
    chosen = KINDS[kind] if isinstance(kind, str) else kind
    rng = np.random.default_rng(seed)
    return fit_mixture(alone(X, weights), np.array([K]), chosen, None, Effort(**effort), rng, given)


def matrices(fit):
    model = fit.model.components
    found = [covariance.matrix for covariance in model.covariances]
    return np.array(found * (len(model.means) // len(found)))


def row_by_row(X, weights, given, kind, iterations):
    """EM as it is written down: one row and one component at a time, missing values and all."""
    shares, means = given.weights.copy(), given.means.copy()
    K, d = means.shape
    found = [covariance.matrix for covariance in given.covariances]
    covariances = np.array(found * (K // len(found)))
    levels = []
    for _ in range(iterations):
        first, second = np.zeros((K, d)), np.zeros((K, d, d))
        total, level = np.zeros(K), 0.0
        for x, w in zip(X, weights, strict=True):
            o, m = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
            joint, filled, rest = np.log(shares), np.empty((K, d)), np.zeros((K, d, d))
            for k in range(K):
                S, filled[k] = covariances[k], x
                inner = S[np.ix_(o, o)]
                if len(o):
                    joint[k] += multivariate_normal(means[k][o], inner).logpdf(x[o])
                slope = S[np.ix_(m, o)] @ np.linalg.inv(inner)
                filled[k, m] = means[k][m] + slope @ (x[o] - means[k][o])
                rest[k][np.ix_(m, m)] = S[np.ix_(m, m)] - slope @ S[np.ix_(o, m)]
            level += w * logsumexp(joint)
            r = w * np.exp(joint - logsumexp(joint))
            total += r
            first += r[:, None] * filled
            outer = filled[:, :, None] * filled[:, None, :] + rest
            second += r[:, None, None] * outer
        levels.append(level / weights.sum())
        shares, means = total / total.sum(), first / total[:, None]
        scatter = second - total[:, None, None] * means[:, :, None] * means[:, None, :]
        covariances = scatter / total[:, None, None]
        if kind == "tied":
            covariances = np.repeat(scatter.sum(axis=0, keepdims=True) / total.sum(), K, axis=0)
        if kind in ("diag", "spherical"):
            covariances = covariances * np.eye(d)
        if kind == "spherical":
            sizes = np.trace(covariances, axis1=1, axis2=2) / d
            covariances = sizes[:, None, None] * np.eye(d)
    return shares, means, covariances, levels


@each_kind
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
@few("weighted", [False, True], [True], ids=["plain", "weighted"])
def test_em_equals_em_row_by_row(kind, gaps, weighted):
    X = blobs(60, 3, 2)
    X = with_gaps(X) if gaps else X
    if gaps:
        X[7] = np.nan
    weights = np.random.default_rng(5).uniform(0.2, 3.0, len(X)) if weighted else None
    start = start_of(X, 2, kind)
    found = fitted(X, 2, kind, weights, given=start, tol=0.0, max_iter=8)
    wanted = row_by_row(X, np.ones(len(X)) if weights is None else weights, start, kind, 8)
    near(found.model.components.priors, wanted[0])
    near(found.model.components.means, wanted[1])
    near(matrices(found), wanted[2])
    near(found.log_likelihoods, wanted[3])


@each_kind
def test_small_blocks_and_many_threads_change_nothing(kind, monkeypatch):
    X = with_gaps(blobs(700, 4), 0.05)
    start = start_of(X, 3, kind)
    whole = fitted(X, 3, kind, given=start, tol=0.0, max_iter=5)
    for name, value in {"parallel_from": 0, "fewest_rows": 7, "most_rows": 7}.items():
        monkeypatch.setattr(soft_rows.SoftRows, name, value)
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    parts = fitted(X, 3, kind, given=start, tol=0.0, max_iter=5)
    near(parts.model.components.means, whole.model.components.means, 1e-12)
    near(matrices(parts), matrices(whole), 1e-12)
    near(parts.log_likelihoods, whole.log_likelihoods, 1e-12)


@each_kind
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_short_cuts_change_nothing(kind, gaps, monkeypatch):
    """Sums about one point, and scores that are linear in x, against the long way round."""
    X = blobs(300, 4)
    X = with_gaps(X, 0.02) if gaps else X
    start = start_of(X, 3, kind)
    short = fitted(X, 3, kind, given=start, tol=0.0, max_iter=6)
    monkeypatch.setattr(SideBySide, "few_deviations", 0.0)
    monkeypatch.setattr(LinearScores, "far", 0.0)
    long = fitted(X, 3, kind, given=start, tol=0.0, max_iter=6)
    near(short.model.components.means, long.model.components.means, 1e-12)
    near(matrices(short), matrices(long), 1e-12)
    near(short.log_likelihoods, long.log_likelihoods, 1e-12)


@each_kind
def test_clusters_very_far_apart_keep_their_digits(kind):
    X = blobs(150, 2, 1)
    away = np.array([0.0, 2.0**30])[np.arange(150) % 2, None]
    found = fitted(X + away, 2, kind, tol=1e-9)
    order = np.argsort(found.model.components.means[:, 0])
    for i, c in enumerate(order):
        own = (X + away)[np.arange(150) % 2 == i]
        near(found.model.components.means[c], own.mean(axis=0), 1e-14)
        if kind == "full":
            near(matrices(found)[c], np.cov((own - own[0]).T, ddof=0), 1e-7)
    assert found.converged


@each_kind
@pytest.mark.parametrize("d", [3, 70])
def test_rows_wholly_of_one_component_have_the_statistics_of_its_class(kind, d):
    """With responsibilities of 0 and 1 the soft pass is the ordinary one."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 500)
    X = rng.normal(size=(500, d)) + 1e6 * codes[:, None]
    weights = rng.uniform(0.5, 2.0, 500)
    detail = KINDS[kind].detail
    wanted = sf.summarize(X, codes, weights, detail)
    means = np.array([X[codes == c].mean(axis=0) for c in range(3)]) + 0.5
    covariances = tuple(DiagonalCovariance(np.ones(d)) for _ in range(3))
    model = GaussianModel(np.arange(3), np.full(3, 1 / 3), means, covariances, ())
    rows = SoftRows.of(X, weights, np.zeros(500, np.int64), np.zeros(3, np.int64), gaps=False)
    found = soft_pass(rows, Densities(model), detail).statistics
    assert found.detail == wanted.detail
    assert np.array_equal(found.count, wanted.count)
    near(found.weight, wanted.weight)
    near(found.mean, wanted.mean, 1e-14)
    near(found.scatter, wanted.scatter)


shapes = st.tuples(st.integers(40, 90), st.integers(1, 4), st.integers(2, 4), st.integers(0, 999))


@settings(max_examples=examples(60), deadline=None)
@given(shapes, st.sampled_from(sorted(KINDS)), st.booleans())
def test_the_likelihood_never_falls_where_nothing_was_repaired(shape, kind, gaps):
    n, d, K, seed = shape
    X = blobs(n, d, K, seed, apart=2.0)
    X = with_gaps(X, 0.15, seed) if gaps else X
    found = fitted(X, K, kind, seed=seed, tol=1e-6, max_iter=40)
    levels = np.array(found.log_likelihoods)
    assert np.isfinite(levels).all()
    model = found.model.components
    assert np.isfinite(model.means).all()
    assert np.isfinite(matrices(found)).all()
    if not found.repaired:
        assert (np.diff(levels) > -1e-10 * np.abs(levels).max()).all()


@each_kind
def test_a_weight_of_two_is_the_row_twice(kind):
    X = with_gaps(blobs(80, 2), 0.1)
    weights = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
    a = fitted(X, 3, kind, weights, tol=1e-9)
    b = fitted(np.repeat(X, weights.astype(int), axis=0), 3, kind, tol=1e-9)
    near(a.model.components.means, b.model.components.means, 1e-8)
    near(matrices(a), matrices(b), 1e-8)
    near(a.log_likelihoods, b.log_likelihoods, 1e-9)


@each_kind
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_the_order_of_the_rows_does_not_matter(kind, gaps):
    X = blobs(150, 3)
    X = with_gaps(X) if gaps else X
    order = np.random.default_rng(9).permutation(len(X))
    a, b = fitted(X, 3, kind, tol=1e-8), fitted(X[order], 3, kind, tol=1e-8)
    near(a.model.components.means, b.model.components.means, 1e-8)
    near(a.model.joint(X), b.model.joint(X), 1e-8)


@pytest.mark.parametrize("kind", ["full", "tied", "diag"])
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_units_and_offsets_change_no_posterior(kind, gaps):
    X = blobs(200, 3)
    X = with_gaps(X, 0.1) if gaps else X
    scale, offset = np.array([1e-6, 1.0, 1e5]), np.array([1.0, -1e5, 1e9])
    a, b = fitted(X, 3, kind, tol=1e-6), fitted(X * scale + offset, 3, kind, tol=1e-6)
    assert len(a.log_likelihoods) == len(b.log_likelihoods)
    moved = scoring.posterior(a.model.components, X)
    near(scoring.posterior(b.model.components, X * scale + offset), moved, 1e-5)
    if not gaps:
        near(np.array(a.log_likelihoods) - np.log(scale).sum(), b.log_likelihoods, 1e-6)


CHANGES = {
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: X.astype(np.int32),
    "every other": lambda X: np.repeat(X, 2, axis=0)[::2],
}


@pytest.mark.parametrize("change", CHANGES)
def test_rows_of_any_type_and_order_teach_the_same(change):
    X = np.round(10 * blobs(200))
    a, b = fitted(X, 3), fitted(CHANGES[change](X), 3)
    near(a.model.components.means, b.model.components.means, 1e-12)


COLLAPSES = {
    "the same row fifty times": lambda rng: np.r_[
        rng.normal(size=(60, 2)), np.repeat([[5.0, 5.0]], 50, axis=0)
    ],
    "three different rows": lambda rng: np.repeat(rng.normal(size=(3, 2)), 10, axis=0),
    "as many rows as components": lambda rng: rng.normal(size=(5, 2)),
    "more features than rows": lambda rng: rng.normal(size=(12, 30)),
    "a constant feature": lambda rng: np.c_[rng.normal(size=(60, 2)), np.ones(60)],
    "a feature twice": lambda rng: rng.normal(size=(60, 2))[:, [0, 1, 1]],
    "clusters on points": lambda rng: 1e3 * rng.integers(0, 3, (90, 2)).astype(float),
    "far from zero": lambda rng: 1e9 + np.repeat(rng.normal(size=(6, 2)), 10, axis=0),
    "one outlier": lambda rng: np.r_[rng.normal(size=(60, 2)), [[1e7, 1e7]]],
}


@each_kind
@pytest.mark.parametrize("case", COLLAPSES)
@pytest.mark.parametrize("seed", range(3))
def test_components_that_collapse_leave_finite_numbers(kind, case, seed):
    X = COLLAPSES[case](np.random.default_rng(seed))
    found = fitted(X, 5, kind, seed=seed, max_iter=300)
    model = found.model.components
    assert np.isfinite(found.log_likelihoods).all()
    assert np.isfinite(model.means).all()
    assert np.isfinite(matrices(found)).all()
    near(model.priors.sum(), 1.0)
    assert np.isfinite(found.model.joint(X)).all()
    assert found.converged or found.notes


def test_traces_of_rows_of_other_components_are_no_variance():
    """Some pixels of digits vary in one component by 1e-300 of a row alone."""
    X, y = load_digits(return_X_y=True)
    model = sf.MixtureDiscriminant(2, structure="diagonal", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_an_empty_component_is_started_again_where_a_row_is_least_expected():
    X = blobs(100, 2, 1)
    start = start_of(X, 2, "full")
    start = replace(start, means=np.array([X.mean(axis=0), [1e6, 1e6]]))
    found = fitted(X, 2, given=start)
    assert found.repaired
    assert not found.notes
    assert found.model.components.priors.min() > EMPTY
    assert np.abs(found.model.components.means).max() < 1e3


def test_a_component_that_borrows_is_reported():
    X = np.r_[blobs(100, 2, 1), np.repeat([[50.0, 50.0]], 50, axis=0)]
    found = fitted(X, 2, max_iter=300)
    assert found.converged
    assert len(found.model.components.borrowed) == 1


def test_the_best_of_several_starts_is_kept():
    X = blobs(200, 2, 6, seed=4, apart=2.0)
    single = max(fitted(X, 6, seed=s).log_likelihood for s in range(3))
    assert fitted(X, 6, n_init=12).log_likelihood >= single - 0.02
    seen = []
    fitted(X, 6, n_init=3, progress=lambda p: seen.append(p.start))
    assert set(seen) == {1, 2, 3}


def test_several_starts_leave_an_optimum_that_k_means_always_leads_to():
    # A long cloud beside a round one: k-means cuts the round one, which EM does not undo.
    rng = np.random.RandomState(0)
    stretched = rng.randn(500, 2) @ np.array([[0.0, -0.1], [1.7, 0.4]])
    X = np.concatenate([stretched, rng.randn(500, 2) * 0.7 + [-4, 1]])
    once, often = (fitted(X, 4, kind="diag", n_init=n).log_likelihood for n in (1, 8))
    assert often > once + 0.1


def test_progress_reports_every_iteration():
    seen = []
    found = fitted(blobs(), 3, progress=seen.append)
    assert [p.iteration for p in seen] == list(range(1, len(found.log_likelihoods) + 1))
    assert [p.log_likelihood for p in seen] == list(found.log_likelihoods)
    assert np.allclose([p.gain for p in seen[1:]], np.diff(found.log_likelihoods))


def test_an_interrupted_search_keeps_the_best_so_far():
    X = blobs(300, 2, 5, apart=1.0)

    def stop(progress):
        if (progress.start, progress.iteration) == (2, 2):
            raise KeyboardInterrupt

    found = fitted(X, 5, n_init=5, tol=1e-9, progress=stop)
    assert found.interrupted
    assert not found.converged
    assert np.isfinite(found.model.joint(X)).all()
    assert found.log_likelihood >= fitted(X, 5, tol=1e-9).log_likelihood - 1e-12


def classes_of(X, seed=0, K=(2, 3)):
    """A model of two classes with some components each."""
    rng, d = np.random.default_rng(seed), X.shape[1]
    n = sum(K)
    factors = rng.normal(size=(n, d, d))
    covariances = tuple(FullCovariance(whitener(f @ f.T + 0.1 * np.eye(d))) for f in factors)
    shares = rng.dirichlet(np.ones(n))
    components = GaussianModel(np.arange(n), shares, 3 * rng.normal(size=(n, d)), covariances, ())
    return MixtureModel.of(components, np.repeat([0, 1], K), np.array(["a", "b"]), None)


def joint_of(model, X):
    """ln p(x, y), one column per class, computed another way."""
    parts = np.column_stack(
        [
            np.log(share) + multivariate_normal(mean, covariance.matrix).logpdf(X)
            for share, mean, covariance in zip(
                model.components.priors,
                model.components.means,
                model.components.covariances,
                strict=True,
            )
        ]
    )
    own = [model.owner == c for c in range(len(model.classes))]
    return np.column_stack([logsumexp(parts[:, at], axis=1) for at in own])


def test_answers_are_sums_over_the_components_of_a_class():
    X = blobs(50)
    model = classes_of(X)
    wanted = joint_of(model, X)
    near(model.joint(X), wanted)
    log_posterior = wanted - logsumexp(wanted, axis=1, keepdims=True)
    near(scoring.log_posterior(model, X), log_posterior)
    near(scoring.posterior(model, X), np.exp(log_posterior))
    scores = model.scores(X)
    near(scores[:, 0] - scores[:, 1], wanted[:, 0] - wanted[:, 1])


def test_log_posteriors_are_exact_far_out():
    model = classes_of(blobs(10))
    for size in (1e4, 1e100, 1e200):
        with np.errstate(all="ignore"):
            found = scoring.log_posterior(model, size * np.eye(3))
        assert np.isfinite(found.max(axis=1)).all()
        near(np.exp(found).sum(axis=1), 1.0)
    near(scoring.log_posterior(model, 1e3 * np.eye(3))[:, 0], joint_gap(model, 1e3 * np.eye(3)))


def joint_gap(model, X):
    wanted = joint_of(model, X)
    return wanted[:, 0] - logsumexp(wanted, axis=1)


def test_other_priors_leave_the_shares_within_a_class():
    X = blobs(40)
    model = classes_of(X)
    other = model.with_priors(np.array([0.9, 0.1]))
    assert np.array_equal(other.shares, model.shares)
    near(other.components.priors.sum(), 1.0)
    moved = np.log([0.9, 0.1]) - model.log_priors
    near(other.joint(X), model.joint(X) + moved)
    none = model.with_priors(np.array([0.0, 1.0]))
    with np.errstate(all="ignore"):
        found = scoring.posterior(none, X)
    near(found, np.repeat([[0.0, 1.0]], len(X), axis=0))
    back = none.with_priors(model.priors)
    near(back.joint(X), model.joint(X))


def test_missing_values_are_integrated_out_of_answers():
    model = classes_of(blobs(10))
    x = np.array([[0.5, np.nan, -1.0], [np.nan, 2.0, 0.1], [np.nan, np.nan, np.nan]])
    known = [[0, 2], [1, 2]]
    components = model.components
    for i, o in enumerate(known):
        parts = [
            np.log(p) + multivariate_normal(m[o], S.matrix[np.ix_(o, o)]).logpdf(x[i, o])
            for p, m, S in zip(
                components.priors, components.means, components.covariances, strict=True
            )
        ]
        wanted = [logsumexp(np.array(parts)[model.owner == c]) for c in (0, 1)]
        near(model.joint(x)[i], wanted)
    near(model.joint(x)[2], model.log_priors)
    near(scoring.posterior(model, x).sum(axis=1), 1.0)


@each_kind
def test_labelled_rows_of_one_component_per_class_need_no_iteration(kind):
    X, codes = blobs(120), np.arange(120) % 3
    training = Training.of(X, codes, None, np.array(["a", "b", "c"]))
    found = fit_mixture(
        training, np.ones(3, int), KINDS[kind], None, Effort(), np.random.default_rng(0)
    )
    assert found.converged
    assert len(found.log_likelihoods) == 1
    same = sf.GaussianDiscriminant(
        structure=KINDS[kind].structure, pooling=KINDS[kind].pooling
    ).fit(X, codes)
    assert np.array_equal(found.model.components.means, same.means_)
    assert np.array_equal(matrices(found), same.covariances_)
    near(found.log_likelihoods[0] * 120, same.log_likelihood(X, codes))


@each_kind
def test_an_iteration_moves_nothing_where_every_label_is_known(kind):
    """EM itself, not only its short cut, stays at the closed form."""
    X, codes = blobs(120), np.arange(120) % 3
    training = Training.of(X, codes, None, np.arange(3))
    rng = np.random.default_rng(0)
    one, effort = np.ones(3, int), Effort(addition=1e-300, max_iter=3)
    closed = fit_mixture(training, one, KINDS[kind], None, Effort(), rng)
    iterated = fit_mixture(training, one, KINDS[kind], None, effort, rng)
    near(iterated.model.components.means, closed.model.components.means, 1e-13)
    near(matrices(iterated), matrices(closed), 1e-12)
    near(iterated.log_likelihoods[0], closed.log_likelihoods[0], 1e-12)


def test_given_priors_stay_while_shares_are_learned():
    X, codes = blobs(200, 2, 4), np.arange(200) % 2
    codes = np.where(np.arange(200) % 5 == 0, -1, codes)
    training = Training.of(X, codes, None, np.array(["a", "b"]))
    rng, sizes = np.random.default_rng(0), np.array([2, 2])
    priors = {"a": 0.9, "b": 0.1}
    found = fit_mixture(training, sizes, Settings(), priors, Effort(tol=1e-8), rng)
    near(found.model.priors, [0.9, 0.1])
    near(np.bincount(found.model.owner, found.model.shares), 1.0)
    levels = np.array(found.log_likelihoods)
    assert (np.diff(levels) > -1e-12).all()
    none = fit_mixture(training, sizes, Settings(), [0.0, 1.0], Effort(), rng)
    assert np.isfinite(none.model.components.means).all()
    assert np.array_equal(none.model.priors, [0.0, 1.0])


def test_bic_finds_how_many_components_a_class_has():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [8, 0], [0, 8], [8, 8]])
    parts = [rng.normal(size=(80, 2)) + c for c in centres]
    X = np.concatenate([parts[0], *parts[1:]])
    codes = np.repeat([0, 1], [80, 240])
    training = Training.of(X, codes, None, np.array(["one", "three"]))
    found = sizes_by_bic(training, Settings(), Effort(n_init=3), rng, 6)
    assert found.tolist() == [1, 3]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_bic_is_that_of_the_rows_and_of_the_parameters_counted_by_hand(m):
    X, n, d = blobs(), len(blobs()), blobs().shape[1]
    training = Training.of(X, np.zeros(n, np.int64), None, np.array(["all"]))
    fit = fit_mixture(
        training, np.array([m]), Settings(), None, Effort(n_init=1), np.random.default_rng(0)
    )
    free = m - 1 + m * d + m * d * (d + 1) / 2
    total = logsumexp(fit.model.joint(X), axis=1).sum()
    assert bic(fit, Settings(), n) == pytest.approx(free * np.log(n) - 2 * total, rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "count"), [("full", 2 + 9 + 18), ("tied", 2 + 9 + 6), ("diag", 2 + 9 + 9)]
)
def test_parameters_are_counted(kind, count):
    found = fitted(blobs(), 3, kind)
    assert n_parameters(found.model, KINDS[kind]) == count
    assert n_parameters(found.model, Settings(structure=SPHERICAL)) == 2 + 9 + 3


@pytest.mark.parametrize(
    "chosen",
    [
        Settings(shrinkage=0.2),
        Settings(shrinkage="oas"),
        Settings(shrinkage="ledoit-wolf"),
        Settings(pooling=0.5, shrinkage=0.1, target="diagonal"),
        Settings(structure=DIAGONAL, shrinkage="oas"),
        Settings(structure=DIAGONAL, pooling=1.0),
        Settings(structure=SPHERICAL, pooling=1.0),
        Settings(pooling=1.0, shrinkage="oas"),
    ],
    ids=str,
)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_every_member_of_the_family_can_be_mixed(chosen, gaps):
    X = blobs(200)
    X = with_gaps(X, 0.1) if gaps else X
    found = fitted(X, 3, chosen, max_iter=200)
    assert found.converged
    assert np.isfinite(found.model.joint(X)).all()
    assert found.model.components.priors.min() > 0.05


@pytest.mark.parametrize("structure", ["full", "diagonal"])
def test_clusters_side_by_side_are_found_from_any_start(structure):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    side = rng.integers(2, size=300)
    X = np.c_[4.0 * side + 2.0 * y, np.zeros(300)] + 0.3 * rng.normal(size=(300, 2))
    for seed in range(30):
        model = sf.MixtureDiscriminant(2, structure, 0.5, random_state=seed).fit(X, y)
        np.testing.assert_allclose(np.sort(model.means_[:, 0]), [0, 2, 4, 6], atol=0.15)
