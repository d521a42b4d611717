"""Laws of contributions where classes are Student t, or mixtures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import integrate
from sklearn.base import clone
from sklearn.datasets import load_iris

import suffice as sf
from suffice.answers.contributions import contributions
from suffice.errors import InvalidParameter

X, Y = load_iris(return_X_y=True)
GAPS = np.where(np.random.default_rng(3).random(X.shape) < 0.2, np.nan, X)
MODELS = (
    sf.BayesianDiscriminant(),
    sf.BayesianDiscriminant(pooling=1),
    sf.MixtureDiscriminant(2, random_state=0),
    sf.MixtureDiscriminant(2, pooling=1.0, random_state=0),
    sf.MixtureDiscriminant(2, structure="diagonal", random_state=0),
    sf.UnskewedDiscriminant(pooling=0.5),
)
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


@each_model
@pytest.mark.parametrize("rows", [X, GAPS, 1e6 * X], ids=["complete", "gaps", "far"])
def test_contributions_add_up_to_the_log_odds(model, rows):
    fitted = clone(model).fit(X, Y)
    found = fitted.contributions(rows, 1, 2)
    odds = fitted.log_odds(rows, 1, 2)
    np.testing.assert_allclose(found.log_odds, odds, rtol=1e-9, atol=1e-8)
    assert (found.values[np.isnan(rows)] == 0).all()


@each_model
def test_the_names_and_the_order_of_classes_and_features_do_not_matter(model):
    fitted = clone(model).fit(X, Y)
    values = fitted.contributions(X, 1, 2).values
    np.testing.assert_allclose(fitted.contributions(X, 2, 1).values, -values)
    names = np.array(["z", "y", "x"])
    if isinstance(model, sf.MixtureDiscriminant):
        return  # EM starts at other places
    renamed = clone(model).fit(X[:, ::-1], names[Y])
    turned = renamed.contributions(X[:, ::-1], "y", "x").values[:, ::-1]
    np.testing.assert_allclose(turned, values, rtol=1e-6, atol=1e-6)


@each_model
def test_units_do_not_matter(model):
    if isinstance(model, sf.MixtureDiscriminant):
        model = clone(model).set_params(n_components=1)
    units = np.array([1.0, 1000.0, 0.01, 3.0])
    here, there = clone(model).fit(X, Y), clone(model).fit(X * units, Y)
    a, b = here.contributions(X, 1, 2), there.contributions(X * units, 1, 2)
    np.testing.assert_allclose(a.values, b.values, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("pooling", [0.0, 1.0])
def test_student_contributions_become_gaussian_with_many_degrees_of_freedom(pooling):
    model = sf.BayesianDiscriminant(pooling=pooling).fit(X, Y)._fitted
    wide = replace(model, freedom=np.full_like(model.freedom, 1e9), stretch=0 * model.stretch + 1)
    for rows in (X, GAPS):
        found, wanted = (contributions(m, rows, 1, 2) for m in (wide, model.gaussian))
        np.testing.assert_allclose(found.values, wanted.values, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.base, wanted.base, rtol=1e-5, atol=1e-5)


def test_student_contributions_are_the_slopes_along_the_way_from_the_mean():
    fitted = sf.BayesianDiscriminant().fit(X, Y)
    row, wanted = X[[70]] + 0.3, np.zeros(4)
    for c, sign in ((1, 1.0), (2, -1.0)):
        mean = fitted.means_[c]
        step = row[0] - mean

        def slope(t, j, c=c, mean=mean, step=step):
            places = np.array([mean + t * step, mean + t * step])
            places[:, j] += [-1e-5, 1e-5]
            low, high = fitted._fitted.log_densities(places)[:, c]
            return (high - low) / 2e-5 * step[j]

        wanted += sign * np.array([integrate.quad(slope, 0, 1, (j,))[0] for j in range(4)])
    np.testing.assert_allclose(fitted.contributions(row, 1, 2).values[0], wanted, rtol=1e-5)


@pytest.mark.parametrize("structure", ["full", "diagonal"])
def test_a_mixture_of_one_component_has_the_contributions_of_its_gaussian(structure):
    one = sf.MixtureDiscriminant(1, structure=structure).fit(X, Y)
    plain = sf.GaussianDiscriminant(structure).fit(X, Y)
    for rows in (X, GAPS):
        a, b = one.contributions(rows, 1, 2), plain.contributions(rows, 1, 2)
        np.testing.assert_allclose(a.values, b.values, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(a.base, b.base, rtol=1e-6, atol=1e-6)


def test_rows_of_a_single_component_have_the_contributions_of_this_component():
    """Far apart components: only the one that holds the row counts."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [60.0, 0.0], [0.0, 60.0], [60.0, 60.0]])
    rows = np.repeat(centres, 50, axis=0) + rng.normal(size=(200, 2))
    labels = np.repeat(["a", "a", "b", "b"], 50)
    model = sf.MixtureDiscriminant(2, random_state=0).fit(rows, labels)
    found = model.contributions(rows[:1], "a", "b").values[0]
    mixture = model._fitted
    near = [int(np.argmin(((model.means_ - at) ** 2).sum(axis=1))) for at in centres]
    terms = []
    for m in (near[0], near[2]):
        step = rows[0] - model.means_[m]
        terms.append(step * np.linalg.solve(model.covariances_[m], step))
    assert mixture.components.joint(rows[:1])[0, near[3]] < -500
    np.testing.assert_allclose(found, (terms[1] - terms[0]) / 2, rtol=1e-9)


def test_explanations_of_mixtures_and_student_classes_name_the_columns_of_a_table():
    table = pd.DataFrame({"petal": X[:, 2], "kind": np.where(X[:, 3] > 1, "wide", "thin")})
    for model in (sf.BayesianDiscriminant(), sf.MixtureDiscriminant(1)):
        text = model.fit(table, Y).explain(table, 70)
        assert "kind (wide)" in text
        assert "petal" in text


def test_classes_that_are_both_impossible_have_no_odds_to_explain():
    model = sf.LDA(priors=[1, 0, 0]).fit(X, Y)
    assert model.explain(X, 60).startswith("0 rather than 1: log-odds inf")
    with pytest.raises(InvalidParameter, match=r"neither 1 nor 2 is possible.*with_priors"):
        model.explain(X, 60, 1, 2)
