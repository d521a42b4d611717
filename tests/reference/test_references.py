"""Agreement with R's MASS and with 50-digit arithmetic, from stored values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import suffice as sf

HERE = Path(__file__).parent
IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)
NOTES = np.loadtxt(HERE / "notes3b.csv", delimiter=",", skiprows=1)
TABLES = {
    "iris": (*IRIS, None),
    "iris_two": (IRIS[0][:, :2], IRIS[1], None),
    "iris_priors": (*IRIS, [0.2, 0.3, 0.5]),
    "wine": (*WINE, None),
    "notes3b": (NOTES[:, :2], NOTES[:, 2], None),
}
EXACT = json.loads((HERE / "mpmath.json").read_text())
MODELS = {
    "QDA": sf.QDA,
    "LDA": sf.LDA,
    "GaussianNB": lambda **given: sf.GaussianNB(var_smoothing=0, **given),
    "DiagonalLDA": sf.DiagonalLDA,
    "Friedman": lambda **given: sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.25, **given),
}


def test_the_wine_that_mass_saw_is_the_wine_of_sklearn():
    stored = np.loadtxt(HERE / "wine.csv", delimiter=",", skiprows=1)
    assert np.array_equal(stored, np.c_[WINE])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("method", "kind"), [("lda", sf.LDA), ("qda", sf.QDA)])
def test_posteriors_equal_those_of_mass(table, method, kind):
    X, y, priors = TABLES[table]
    stored = np.loadtxt(HERE / f"mass_{method}_{table}.csv", delimiter=",")
    ours = kind(ddof=1, priors=priors).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, stored, rtol=0, atol=1e-10)
    seen = stored > 1e-200
    np.testing.assert_allclose(np.log(ours[seen]), np.log(stored[seen]), rtol=1e-10, atol=1e-10)


def doubles(rows):
    return np.array([[float.fromhex(v) for v in row] for row in rows])


def reference(case, model, what):
    """Stored values of a case and its fitted model."""
    stored = EXACT[case]
    fitted = MODELS[model](priors=stored["priors"])
    fitted.fit(doubles(stored["X"]), stored["y"], sample_weight=stored["weights"])
    wanted = np.array([[float(v) for v in row] for row in stored[model][what]])
    return fitted, doubles(stored["Q"]), wanted


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", EXACT)
def test_joint_log_densities_have_twelve_digits(case, model):
    fitted, Q, wanted = reference(case, model, "joint")
    np.testing.assert_allclose(fitted.predict_joint_log_proba(Q), wanted, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", EXACT)
def test_log_posteriors_have_twelve_digits_however_far_out(case, model):
    fitted, Q, wanted = reference(case, model, "posterior")
    assert wanted.min() < -1e6
    np.testing.assert_allclose(fitted.predict_log_proba(Q), wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fitted.predict_proba(Q), np.exp(wanted), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", EXACT)
def test_densities_of_rows_have_twelve_digits(case, model):
    fitted, Q, wanted = reference(case, model, "joint")
    top = wanted.max(axis=1)
    density = top + np.log(np.exp(wanted - top[:, None]).sum(axis=1))
    np.testing.assert_allclose(fitted.score_samples(Q), density, rtol=1e-12)
