"""The automatic choice: candidates scored from the moments of folds, and what is taken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_classification

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.estimators.automatic import automatic_choice
from suffice.estimators.automatic.automatic import Automatic
from suffice.estimators.automatic.trial import Trial
from suffice.models.em.effort import limited_effort
from suffice.models.em.gap_em import GapEm
from suffice.selection.entrants import Contest
from suffice.selection.fold_completion import completed_moments
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.folds import Fold
from suffice.selection.pool import HeldOut, fit_pool, pool_weights
from suffice.selection.recalibration import recalibrations
from suffice.selection.steps import Steps

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
IRIS, KINDS = load_iris(return_X_y=True)


def scored(X, y, weights=None, cv=3):
    trial = Trial(X, y, weights, cv, 1, None)
    automatic = Automatic(trial, None, Contest.losses_and_surprises, Steps(24.0, None))
    automatic.run()
    return trial, automatic


def refitted(trial, model):
    """The log-loss of a model that is fitted to the training rows of each fold."""
    losses = []
    for fold in trial.folds:
        train, test = trial.table.take(fold.train), trial.table.take(fold.test)
        fitted = clone(model).fit(train.X, train.labels, train.weights)
        own = fitted.predict_log_proba(test.X)[np.arange(len(test)), test.codes]
        losses.append(-np.average(own, weights=test.weight))
    return np.array(losses)


def mixed_table(n=150, gaps=0.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n) + y,
            "skewed": np.exp(rng.normal(size=n) + 0.5 * y),
            "colour": np.array(["red", "green", "blue"])[(y + rng.integers(3, size=n)) // 2 % 3],
            "wet": rng.random(n) < 0.2 + 0.2 * y,
        }
    )
    for name in ("size", "colour"):
        X.loc[rng.random(n) < gaps, name] = None
    return X, np.array(["x", "y", "z"])[y]


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_from_moments_are_those_of_refits(offset, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(KINDS)) if weighted else None
    trial, automatic = scored(IRIS + offset, KINDS, weights)
    for entrants, losses in zip(automatic.entrants, automatic.losses, strict=True):
        if "Unskewed" in entrants.kind:
            continue  # its powers are those of all rows
        for j in range(0, len(entrants.candidates), 7):
            expected = refitted(trial, entrants.candidates[j])
            np.testing.assert_allclose(losses[j], expected, rtol=1e-6 if offset else 1e-9)


def test_levels_are_scored_as_refits_are():
    X, y = mixed_table()
    trial, automatic = scored(X, y)
    (levels,) = [at for at, one in enumerate(automatic.entrants) if one.kind == "MixedNB"][:1]
    entrants, losses = automatic.entrants[levels], automatic.losses[levels]
    for j, model in enumerate(entrants.candidates):
        np.testing.assert_allclose(losses[j], refitted(trial, model), rtol=1e-9)


def test_candidates_between_the_grid_are_scored_as_refits_are():
    trial, automatic = scored(IRIS, KINDS)
    for model in (
        sf.GaussianDiscriminant(pooling=0.37, shrinkage=0.21, target="diagonal", inflation=1.3),
        sf.GaussianDiscriminant(structure="diagonal", pooling=0.37, inflation=1.3),
    ):
        losses = automatic.contest.losses(automatic.entrant(model))[0]
        np.testing.assert_allclose(losses, refitted(trial, model), rtol=1e-9)
    assert automatic.entrant(sf.QDA()) is None


def test_missing_values_cost_the_choice_little_precision():
    rows = IRIS.copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.1] = np.nan
    trial, automatic = scored(rows, KINDS)
    for kind in ("linear GaussianDiscriminant", "quadratic GaussianDiscriminant"):
        at = next(i for i, one in enumerate(automatic.entrants) if one.kind == kind)
        expected = refitted(trial, automatic.entrants[at].candidates[5])
        np.testing.assert_allclose(automatic.losses[at][5].mean(), expected.mean(), atol=0.02)


def test_the_density_of_a_row_with_gaps_is_that_of_its_known_values():
    rows = IRIS.copy()
    rows[0, 1], rows[1, [0, 2]], rows[60, [0, 1, 3]] = np.nan, np.nan, np.nan
    # Trained on complete rows, so that the moments are exact.
    test = np.array([0, 1, 60])
    train = np.setdiff1d(np.arange(150), test)
    trial = Trial(rows, KINDS, None, [(train, test)], 1, None)
    automatic = Automatic(trial, None, Contest.losses_and_surprises, Steps(24.0, None))
    complete = FoldMoments.of(rows[train], KINDS[train], np.ones(147), [_all(147)], 3)
    automatic._moments = lambda _: complete
    automatic.run()
    for entrants in automatic.entrants:
        if "Unskewed" not in entrants.kind:
            model = entrants.candidates[6]
            fitted = clone(model).fit(rows[train], KINDS[train])
            (found,) = automatic.contest.log_posteriors(entrants.take([6]))
            np.testing.assert_allclose(found, fitted.predict_log_proba(rows[test]), atol=1e-9)


def _all(n):
    return Fold(np.arange(n), np.arange(1))


def test_completed_moments_of_complete_rows_are_the_moments():
    folds = [Fold(np.arange(50, 150), np.arange(50)), Fold(np.arange(100), np.arange(100, 150))]
    codes = np.arange(150) % 3
    plain, completed = (
        of(IRIS, codes, np.ones(150), folds, 3) for of in (FoldMoments.of, completed_moments)
    )
    for name in ("weight", "mean", "scatter"):
        np.testing.assert_allclose(getattr(completed, name), getattr(plain, name), rtol=1e-9)


def test_folds_that_share_rows_have_the_moments_of_their_own_rows():
    codes = np.arange(150) % 2
    folds = [Fold(np.arange(60), np.arange(60, 90)), Fold(np.arange(30, 150), np.arange(70))]
    found = FoldMoments.of(IRIS, codes, np.ones(150), folds, 2)
    for f, fold in enumerate(folds):
        for c in range(2):
            own = IRIS[fold.train[codes[fold.train] == c]]
            np.testing.assert_allclose(found.mean[f, c], own.mean(axis=0), rtol=1e-12)
            scatter = np.cov(own.T, bias=True) * len(own)
            np.testing.assert_allclose(found.scatter[f, c], scatter, rtol=1e-9)


def test_a_large_table_is_tested_on_a_sample_of_every_class():
    rng = np.random.default_rng(0)
    codes = np.r_[np.zeros(900, int), np.ones(95, int), np.full(5, 2)]
    test = rng.permutation(1000)
    contest = Contest([Fold(test, test)], codes, np.ones(1000), 3, max_tests=100)
    assert np.bincount(codes[contest.tests[0]]).tolist() == [90, 10, 1]


def test_recalibration_undoes_a_known_distortion():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([0.5, 0.5, 0.5], 20_000)
    codes = (rng.random(len(p))[:, None] > p.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    distorted = 2.0 * np.log(p) + np.array([0.4, -0.4, 0.0])
    distorted -= np.logaddexp.reduce(distorted, axis=1, keepdims=True)
    (found,) = recalibrations(distorted, codes, np.ones((1, len(p))))
    assert found.slope == pytest.approx(0.5, abs=0.02)
    assert found.offsets == pytest.approx([-0.2, 0.2, 0.0], abs=0.05)


def test_weights_of_a_pool_are_those_of_the_mixture():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1.0], (50_000, 2))  # two models, two classes
    from_first = rng.random(len(p)) < 0.7
    own = p[np.arange(len(p)), np.where(from_first, 0, 1)]
    codes = (rng.random(len(p)) > own[:, 0]).astype(int)
    found = pool_weights(p[np.arange(len(p)), :, codes], np.ones(len(p)))
    assert found[0] == pytest.approx(0.7, abs=0.02)


def held_out_rows(p, codes):
    """Rows of one fold, for models that give p, (m, n), to the true one of two classes."""
    own = np.log(np.stack([p, 1 - p], axis=2))
    own[:, codes == 1] = own[:, codes == 1][..., ::-1]
    return HeldOut(own, codes, np.ones(len(codes)), np.arange(len(codes)) % 5, np.full((5, 2), 0.5))


def test_a_pool_of_many_classes_is_judged_on_the_rows_it_is_found_by():
    k, n = 450, 1100
    rng = np.random.default_rng(0)
    own = special.log_softmax(rng.normal(size=(2, n, k)), axis=2)
    shares = np.full((2, k), 1 / k)
    codes, folds = rng.integers(0, k, n), np.arange(n) % 2
    rows = HeldOut(own, codes, np.ones(n), folds, shares).enough_for_a_pool()
    assert len(rows.codes) < n
    found = fit_pool(rows, shares[0], calibrate=False)
    assert len(found.log_posterior) == len(rows.codes)


def test_a_pool_of_certain_models_keeps_a_floor():
    codes = np.arange(60) % 2
    certain = fit_pool(held_out_rows(np.full((2, 60), 1 - 1e-12), codes), np.full(2, 0.5)).pool
    assert 0.1 / 60 < certain.share_weight < 1 / 60
    unsure = fit_pool(held_out_rows(np.full((2, 60), 0.7), codes), np.full(2, 0.5)).pool
    assert unsure.share_weight < 1e-3


def test_few_rows_do_not_single_out_a_member():
    weights = {}
    for n in (40, 4000):
        codes = np.arange(n) % 2
        p = np.tile([[0.9] * 9 + [0.1], [0.4] * 3 + [0.6] * 7], n // 10)  # the first knows more
        rows = held_out_rows(p, codes)
        weights[n] = fit_pool(rows, np.full(2, 0.5), min_weight=0.0).pool.weights[0]
    assert 0.5 < weights[40] < weights[4000] - 0.02


def test_a_single_model_is_not_certain_because_no_row_contradicted_it_yet():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 4)) + y[:, None]
    X[:, 0] = y  # separates the classes, so far
    model = sf.select_model(X, y, simple=True).model
    contradiction = np.array([[0.0, 2.0, 2.0, 2.0]])
    assert -model.predict_log_proba(contradiction).max(axis=1)[0] > 1e-6
    assert -model.predict_log_proba(contradiction).min() < 50


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_a_mixed_table_is_chosen_for_and_answers(gaps):
    X, y = mixed_table(gaps=gaps)
    found = sf.select_model(X, y)
    assert found.model.predict_proba(X).shape == (150, 3)
    single = sf.select_model(X, y, simple=True)
    assert isinstance(single.model, sf.GaussianDiscriminant | sf.MixedNB)
    assert not isinstance(single.model, sf.PooledDiscriminant)
    assert single.table["log_loss"][single.chosen] < single.baseline["log_loss"]


def test_a_pool_is_taken_unless_one_model_is_clearly_better():
    X, y = mixed_table(n=400, seed=1)
    found = sf.select_model(X, y)
    single = sf.select_model(X, y, simple=True)
    behind = found.scores["log_loss"][found.chosen] - single.scores["log_loss"][single.chosen]
    assert behind.mean() < 1.5 * behind.std()
    assert isinstance(found.model, sf.PooledDiscriminant)
    assert found.candidates[found.chosen]["model"] == "PooledDiscriminant"
    for name in ("accuracy", "brier", "roc_auc"):
        assert np.isfinite(found.table[name][found.chosen])


@pytest.mark.filterwarnings("error::suffice.errors.NotConverged")
@pytest.mark.parametrize("simple", [True, False])
def test_that_em_was_stopped_for_the_chosen_model_is_a_note(simple, monkeypatch):
    rows = IRIS.copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.1] = np.nan
    monkeypatch.setattr(GapEm, "most_steps", 3)
    found = sf.select_model(rows, KINDS, simple=simple)
    assert "Discriminant: many values are missing, so that EM stopped" in found.notes[0]


@pytest.mark.parametrize("narrow", [True, False])
def test_members_of_a_pool_converge_fully_unless_the_table_is_wide(narrow, monkeypatch):
    X, y = mixed_table(n=400, gaps=0.3, seed=1)
    if not narrow:
        monkeypatch.setattr(automatic_choice, "limited_effort", lambda: limited_effort(0))
    members = sf.select_model(X, y).model.members_.values()
    differences = []
    for member in members:
        own = clone(member).fit(X, y)
        differences.append(np.abs(member.predict_proba(X) - own.predict_proba(X)).max())
    assert max(differences) < 5e-3
    assert (max(differences) == 0) == narrow


def test_rivals_may_be_members():
    X, y = mixed_table(n=300, gaps=0.05)
    found = sf.select_model(X, y, rivals=True)
    assert any(one["model"] == "LogisticRegression" for one in found.candidates)
    assert found.model.predict_proba(X).shape == (300, 3)
    for given, cause in (
        ({"simple": True}, "simple=True"),
        ({"metric": "accuracy"}, "metric"),
        ({"rule": "best"}, "rule='best'"),
        ({"models": sf.LDA()}, "models"),
    ):
        message = f"rivals=True adds members to a pool, and {cause} asks for a single model"
        with pytest.raises(InvalidParameter, match=message):
            sf.select_model(X, y, rivals=True, **given)


def test_a_time_limit_keeps_the_best_so_far():
    X, y = load_wine(return_X_y=True)
    found = sf.select_model(X, y, time_limit=1e-9)
    assert "time_limit was reached" in " ".join(found.notes)
    assert found.model.score(X, y) > 0.9
    with pytest.raises(InvalidParameter, match="time_limit"):
        sf.select_model(X, y, time_limit=-1)


def test_an_interrupt_keeps_what_was_found():
    X, y = load_wine(return_X_y=True)
    shares = []

    def interrupt(share):
        shares.append(share)
        if len(shares) == 2:
            raise KeyboardInterrupt

    found = sf.select_model(X, y, progress=interrupt)
    assert "interrupted" in " ".join(found.notes)
    assert found.model.score(X, y) > 0.9


def test_as_many_gaussians_per_class_are_taken_as_there_are_clusters():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=900)
    centre = rng.integers(3, size=900) * 6.0 + 3.0 * y  # the clusters of the classes alternate
    X = centre[:, None] + rng.normal(size=(900, 2))
    found = sf.select_model(X, y, simple=True)
    assert isinstance(found.model, sf.MixtureDiscriminant)
    assert found.model.n_components == 3
    # Mixtures are given up by log-loss, whatever the score that decides.
    assert isinstance(sf.select_model(X, y, metric="accuracy").model, sf.MixtureDiscriminant)


def test_hopeless_mixtures_are_given_up_after_the_first_fold():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    X = rng.normal(size=(500, 10)) @ rng.normal(size=(10, 10)) + 0.5 * y[:, None]
    _, automatic = scored(X, y)
    at = [i for i, one in enumerate(automatic.entrants) if "Gaussians" in one.kind]
    (own,) = automatic.losses[at[0]]
    assert np.isfinite(own[0])
    assert np.isnan(own[1:]).all()


def test_a_mixture_that_is_only_too_certain_is_not_given_up():
    # Features that repeat others make its densities sharp, which a temperature undoes.
    X, y = make_classification(
        2000,
        20,
        n_informative=8,
        n_redundant=3,
        n_classes=3,
        class_sep=0.8,
        random_state=1,
    )
    model = sf.select_model(X[:1500], y[:1500]).model
    assert "MixtureDiscriminant" in model.members_
    assert -model.predict_log_proba(X[1500:])[np.arange(500), y[1500:]].mean() < 0.2


def test_the_chosen_mixture_continues_from_the_components_of_a_fold():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=600)
    X = rng.normal(size=(600, 3)) + 1.5 * rng.integers(2, size=600)[:, None]
    X[:, 0] *= np.where(y, 1.0, -1.0)
    trial, automatic = scored(X, y)
    candidate = next(one for one in automatic.entrants if "Gaussians" in one.kind).candidates[0]
    model, alone = trial.fit(candidate), clone(candidate).fit(X, y)
    assert len(model.log_likelihoods_) < len(alone.log_likelihoods_)
    assert model.log_likelihoods_[-1] > alone.log_likelihoods_[-1] - 2 * candidate.tol


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_powers_that_were_tried_are_those_of_a_fit(gaps, weighted):
    X, y = mixed_table(gaps=gaps)
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    trial, _ = scored(X, y, weights)
    model = sf.UnskewedDiscriminant(pooling=0.5, shrinkage=0.1)
    again = clone(model).fit(X, y, weights)
    assert np.array_equal(trial.fit(model).predict_log_proba(X), again.predict_log_proba(X))


def test_wide_tables_are_chosen_for_too():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 1200)) + 0.3 * y[:, None]
    found = sf.select_model(X, y, repeats=1)
    assert found.table["log_loss"][found.chosen] < 0.3


def test_other_seeds_shuffle_otherwise_and_the_same_seed_repeats():
    first, again, other = (sf.select_model(IRIS, KINDS, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.scores["log_loss"], again.scores["log_loss"])
    assert not np.array_equal(first.scores["log_loss"][:5], other.scores["log_loss"][:5])


@pytest.mark.parametrize("n", [30, 3000])
@pytest.mark.parametrize("sharpened", [0.2, 1.0, 6.0])
def test_a_recalibration_maximises_the_penalised_likelihood(n, sharpened):
    rng = np.random.default_rng(0)
    honest = special.log_softmax(1.5 * rng.normal(size=(n, 3)) + [0.5, 0, 0], axis=1)
    codes = (honest + rng.gumbel(size=honest.shape)).argmax(axis=1)
    given, weights = special.log_softmax(sharpened * honest, axis=1), rng.uniform(0.5, 2, n)

    def loss(theta):
        p = special.log_softmax(theta[0] * given + theta[1:], axis=1)[np.arange(n), codes]
        return -weights @ p + ((theta[0] - 1) ** 2 + theta[1:] @ theta[1:]) / (2 * 0.5**2)

    best = optimize.minimize(loss, [1.0, 0, 0, 0], options={"gtol": 1e-8}).x
    (found,) = recalibrations(given, codes, weights[None], lowest=-1e3)
    np.testing.assert_allclose([found.slope, *found.offsets], best, atol=2e-4)
