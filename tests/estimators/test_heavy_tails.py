"""Heavy tails: Student t classes of powers of the features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer

import suffice as sf
from suffice.data.powers import Powers
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.automatic import Automatic
from suffice.estimators.automatic.trial import Trial
from suffice.selection.entrants import Contest
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.folds import Fold
from suffice.selection.steps import Steps

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :5]
GAPPED = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)


def heavy(**given):
    return sf.UnskewedDiscriminant(**{"pooling": 0.5, "degrees_of_freedom": 5.0} | given)


def t_scale(covariance, freedom):
    return covariance * (freedom - 2) / freedom


@pytest.mark.parametrize("pooling", [0.0, 0.5, 1.0])
def test_classes_are_student_t_with_the_means_and_covariances_of_the_family(pooling):
    model = heavy(pooling=pooling).fit(X, Y)
    powers = model._powers
    z, slope = powers.apply(X), powers.log_slope(X)
    plain = sf.GaussianDiscriminant(pooling=pooling).fit(z, Y)
    for c in range(2):
        shape = t_scale(plain.covariances_[c], 5.0)
        density = stats.multivariate_t(plain.means_[c], shape, df=5.0).logpdf(z)
        expected = density + np.log(model.priors_[c]) + slope
        found = model.predict_joint_log_proba(X)[:, c]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(model.covariances_, plain.covariances_, rtol=1e-12)


def test_independent_features_have_tails_of_their_own():
    model = heavy(structure="diagonal", pooling=0.0).fit(X, Y)
    z, slope = model._powers.apply(X), model._powers.log_slope(X)
    for c in range(2):
        own = z[c == Y]
        scale = np.sqrt(t_scale(own.var(axis=0), 5.0))
        density = stats.t(5.0, own.mean(axis=0), scale).logpdf(z).sum(axis=1)
        expected = density + np.log(model.priors_[c]) + slope
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, c], expected, rtol=1e-9)


@pytest.mark.parametrize("structure", ["full", "diagonal"])
@pytest.mark.parametrize("rows", [X, GAPPED], ids=["complete", "gaps"])
def test_many_degrees_of_freedom_are_gaussian_classes(structure, rows):
    student = heavy(structure=structure, degrees_of_freedom=1e10).fit(rows, Y)
    gaussian = sf.UnskewedDiscriminant(structure, pooling=0.5).fit(rows, Y)
    found, expected = (one.predict_joint_log_proba(rows) for one in (student, gaussian))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_row_far_from_every_class_is_less_certain():
    model, gaussian = heavy().fit(X, Y), sf.UnskewedDiscriminant(pooling=0.5).fit(X, Y)
    far = X[:1] * 3
    odds = [np.abs(one.log_odds(far)[0]) for one in (model, gaussian)]
    assert odds[0] < 0.5 * odds[1]


@pytest.mark.parametrize("structure", ["full", "diagonal"])
def test_outliers_are_as_rare_as_their_p_values(structure):
    model = heavy(structure=structure).fit(X, Y)
    rows, _ = model.sample(4000, random_state=0)
    pvalues = model.outlier_pvalue(rows)
    for level in (0.01, 0.1, 0.5):
        assert np.mean(pvalues < level) == pytest.approx(level, rel=0.3)


def test_files_keep_the_degrees_of_freedom(tmp_path):
    for rows in (X, GAPPED):
        model = heavy().fit(rows, Y)
        model.save(tmp_path / "m.suffice")
        back = sf.load(tmp_path / "m.suffice")
        assert back.degrees_of_freedom == 5.0
        np.testing.assert_array_equal(back.predict_proba(rows), model.predict_proba(rows))


def test_gaps_are_filled_and_features_explained():
    model = heavy().fit(GAPPED, Y)
    assert np.isfinite(model.impute(GAPPED)).all()
    assert np.isfinite(model.impute_draws(GAPPED, 2, random_state=0)).all()
    found = model.contributions(X)
    total = found.base + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.log_odds(X), rtol=1e-9)


def test_what_has_no_form_is_refused_in_words():
    model = heavy().fit(X, Y)
    for ask in (model.boundary, lambda: model.ellipse(0), lambda: model.whiten(X, 0), model.bic):
        with pytest.raises(InvalidParameter):
            ask()
    with pytest.raises(InvalidParameter, match="cannot leave out single rows"):
        model.leave_one_out(X, Y)
    with pytest.raises(InvalidParameter, match="degrees_of_freedom is 2; it must be above 2"):
        heavy(degrees_of_freedom=2).fit(X, Y)
    gaussian = sf.UnskewedDiscriminant(pooling=0.5).fit(X, Y)
    assert model.n_parameters() == gaussian.n_parameters()


def test_candidates_are_compared_from_statistics_but_for_the_powers():
    train, test = np.arange(0, 569, 2), np.arange(1, 569, 2)
    several = [heavy(inflation=2.0), heavy(structure="diagonal"), heavy(degrees_of_freedom=1e10)]
    several.append(heavy(degrees_of_freedom=None))
    found = sf.select_model(X, Y, several, cv=[(train, test)]).scores["log_loss"][:, 0]
    powered = Powers.of(X).apply(X)
    for model, loss in zip(several, found, strict=True):
        statistics = sf.summarize(powered[train], Y[train])
        joint = model._settings().build(statistics, None).joint(powered[test])
        own = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
        assert loss == pytest.approx(-own[np.arange(len(test)), Y[test]].mean(), rel=1e-9)
    assert found[2] == pytest.approx(found[3], rel=1e-6)


def test_pooling_is_chosen_by_cross_validation():
    model = heavy(pooling="cv").fit(X, Y)
    assert 0 <= model.pooling_ <= 1
    assert model.selection_.table["log_loss"].std() > 0


@pytest.mark.parametrize("rows", [X, GAPPED], ids=["complete", "gaps"])
def test_scores_of_the_automatic_choice_are_those_of_refits(rows):
    # Trained on complete rows, so that the moments are exact.
    whole = np.flatnonzero(~np.isnan(rows).any(axis=1))
    train = whole[::2]
    test = np.setdiff1d(np.arange(len(rows)), train)
    trial = Trial(rows, Y, None, [(train, test)], 1, None)
    automatic = Automatic(trial, None, Contest.losses_and_surprises, Steps(24.0, None))
    every = [Fold(np.arange(len(train)), np.arange(1))]
    automatic._moments = lambda z: FoldMoments.of(z[train], Y[train], np.ones(len(train)), every, 2)
    automatic.run()
    powered = Powers.of(rows).apply(rows)
    some = [one for one in automatic.entrants if one.kind.startswith("heavy-tailed")]
    for entrants in some:
        model = entrants.candidates[4]
        statistics = sf.summarize(powered[train], Y[train])
        joint = model._settings().build(statistics, None).joint(powered[test])
        expected = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
        for found in (entrants.take([4]), automatic.entrant(model)):
            (own,) = automatic.contest.log_posteriors(found)
            np.testing.assert_allclose(own, expected, atol=1e-9)


def test_the_automatic_choice_pools_heavy_tails():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    rows = rng.standard_t(2.5, size=(400, 1)) * rng.normal(size=(400, 4)) + 2.0 * y[:, None]
    found = sf.select_model(rows, y)
    members = found.model.members_.values()
    freedoms = [getattr(one, "degrees_of_freedom", None) for one in members]
    assert any(freedoms)
    sample, _ = found.model.sample(5, random_state=0)
    assert np.isfinite(found.model.score_samples(sample)).all()
