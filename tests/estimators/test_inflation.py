"""Inflated covariances: the same classes, less certain."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.selection.selection import Selection

X, Y = load_iris(return_X_y=True)
SHAPES = [
    {"structure": "full", "pooling": 0.0},
    {"structure": "full", "pooling": 1.0},
    {"structure": "full", "pooling": 0.3, "shrinkage": 0.1},
    {"structure": "diagonal", "pooling": 0.3},
    {"structure": "spherical", "pooling": 1.0},
]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)


@shapes
def test_covariances_are_multiplied_and_nothing_else_changes(shape):
    plain = sf.GaussianDiscriminant(**shape).fit(X, Y)
    wide = sf.GaussianDiscriminant(**shape, inflation=3.0).fit(X, Y)
    np.testing.assert_allclose(wide.covariances_, 3 * plain.covariances_, rtol=1e-12)
    np.testing.assert_array_equal(wide.means_, plain.means_)
    distances = wide.squared_mahalanobis(X)
    np.testing.assert_allclose(distances, plain.squared_mahalanobis(X) / 3, rtol=1e-10)


@shapes
def test_log_odds_of_equal_priors_shrink(shape):
    plain = sf.GaussianDiscriminant(**shape, priors="uniform").fit(X, Y)
    wide = sf.GaussianDiscriminant(**shape, priors="uniform", inflation=2.0).fit(X, Y)
    determinants = np.linalg.slogdet(plain.covariances_)[1]
    between = (determinants[1] - determinants[0]) / 2
    odds = (plain.log_odds(X, 0, 1) - between) / 2 + between
    np.testing.assert_allclose(wide.log_odds(X, 0, 1), odds, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_wide_and_singular_covariances_are_inflated_too():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    wide = rng.normal(size=(20, 600)) + y[:, None]
    copied = np.column_stack([wide[:, :3], wide[:, 0]])
    for rows, more, rank in ((wide, {"shrinkage": 0.5}, 600), (copied, {}, 3)):
        plain = sf.LDA(**more).fit(rows, y)
        inflated = sf.GaussianDiscriminant(pooling=1.0, inflation=4.0, **more).fit(rows, y)
        np.testing.assert_allclose(
            inflated.log_odds(rows, 0, 1), plain.log_odds(rows, 0, 1) / 4, rtol=1e-8
        )
        np.testing.assert_allclose(inflated.covariance_, 4 * plain.covariance_, rtol=1e-10)
        top, lower = (m.predict_joint_log_proba(plain.means_)[0, 0] for m in (plain, inflated))
        assert top - lower == pytest.approx(rank / 2 * np.log(4))


def test_cross_validation_chooses_it():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    rows = rng.standard_t(3, size=(300, 1)) @ np.ones((1, 6)) + rng.normal(size=(300, 6))
    rows[y == 1, :2] += 1.0
    model = sf.GaussianDiscriminant("diagonal", inflation="cv").fit(rows, y)
    assert model.inflation_ > 1
    plain = sf.GaussianDiscriminant("diagonal")
    loss = -cross_val_score(
        plain, rows, y, cv=StratifiedKFold(5, shuffle=True, random_state=0), scoring="neg_log_loss"
    ).mean()
    assert model.selection_.table["log_loss"][0] == pytest.approx(loss, rel=1e-9)
    assert model.selection_.table["log_loss"].min() < loss


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_cross_validated_scores_are_those_of_inflated_estimators():
    rows, y = load_digits(return_X_y=True)
    rows, y = rows[:300], y[:300]
    grid = {"pooling": [0.0, 0.5, 1.0], "shrinkage": [0.0, 0.2], "inflation": [1.0, 2.0]}
    found = sf.select_model(rows, y, sf.GaussianDiscriminant(), grid, cv=3)
    for i, one in enumerate(found.candidates):
        values = {name: value for name, value in one.items() if name != "model"}
        model = sf.GaussianDiscriminant(**values)
        for f, (train, test) in enumerate(
            StratifiedKFold(3, shuffle=True, random_state=0).split(rows, y)
        ):
            logs = model.fit(rows[train], y[train]).predict_log_proba(rows[test])
            loss = -logs[np.arange(len(test)), y[test]].mean()
            assert found.scores["log_loss"][i, f] == pytest.approx(loss, rel=1e-10), one


def test_leave_one_out_and_likelihood_are_those_of_the_inflated_model():
    for shape in SHAPES:
        model = sf.GaussianDiscriminant(**shape, inflation=2.5).fit(X, Y)
        found = model.leave_one_out(X, Y).log_proba
        for i in (0, 60, 106, 149):
            rest = np.delete(np.arange(len(Y)), i)
            other = sf.GaussianDiscriminant(**shape, inflation=2.5).fit(X[rest], Y[rest])
            np.testing.assert_allclose(
                found[i], other.predict_log_proba(X[[i]])[0], rtol=1e-9, atol=1e-9
            )
        joint = model.predict_joint_log_proba(X)[np.arange(len(Y)), Y].sum()
        assert model.log_likelihood() == pytest.approx(joint, rel=1e-10)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, "wide", None, True])
def test_a_factor_that_is_none_is_named(value):
    with pytest.raises(InvalidParameter, match="inflation is"):
        sf.GaussianDiscriminant(inflation=value).fit(X, Y)


# The careful rule


def chosen(told, losses, complexity):
    return Selection(told, {"log_loss": np.array(losses)}, np.array(complexity)).careful


def test_inflation_must_win_by_half_a_standard_error_of_the_difference():
    base, told = np.array([0.5, 0.4, 0.6, 0.5, 0.5]), ({"inflation": 1.0}, {"inflation": 2.0})
    by_little_but_always = [base, base - 0.01]
    now_and_then = [base, base - np.array([0.2, -0.1, 0.05, -0.1, -0.04])]
    never = [base, base + 0.1]
    cases = (by_little_but_always, now_and_then, never)
    assert [chosen(told, case, [1, 1]) for case in cases] == [1, 0, 0]


def test_the_simpler_of_two_that_are_not_clearly_apart_is_taken():
    base, told = np.array([0.5, 0.4, 0.6, 0.5, 0.5]), ({"pooling": 0.0}, {"pooling": 1.0})
    worse_by_chance = base + np.array([0.2, -0.1, 0.05, -0.1, -0.04])
    assert chosen(told, [base, worse_by_chance], [9, 5]) == 1
    assert chosen(told, [base, worse_by_chance], [5, 9]) == 0
    assert chosen(told, [base, base + 0.01], [9, 5]) == 0
    assert chosen(told, [base, np.full(5, np.nan)], [9, 5]) == 0
