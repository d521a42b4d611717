"""The figures of the teaching texts, to the printed digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import suffice as sf
from suffice.models import scoring
from suffice.models.covariances.covariance import FullCovariance
from suffice.models.covariances.linalg import whitener
from suffice.models.gaussian import GaussianModel

IRIS, SPECIES = load_iris(return_X_y=True)
NOTES = np.loadtxt(
    Path(__file__).parents[1] / "reference" / "notes3b.csv", delimiter=",", skiprows=1
)
TABLES = {
    "notes3b": (NOTES[:, :2], NOTES[:, 2].astype(int)),
    "iris, two columns": (IRIS[:, :2], SPECIES),
    "iris": (IRIS, SPECIES),
}
MODELS = {
    "QDA": sf.QDA(),
    "LDA": sf.LDA(),
    "GaussianNB": sf.GaussianNB(var_smoothing=0),
    "shared-diagonal LDA": sf.DiagonalLDA(),
}
FIGURES = [
    ("notes3b", "QDA", 108, -1670.814585),
    ("notes3b", "LDA", 114, -1770.718764),
    ("notes3b", "GaussianNB", 113, -1766.945977),
    ("notes3b", "shared-diagonal LDA", 112, -1772.299973),
    ("iris, two columns", "QDA", 30, -282.570646),
    ("iris, two columns", "LDA", 30, -301.126430),
    ("iris, two columns", "GaussianNB", 33, -316.567325),
    ("iris, two columns", "shared-diagonal LDA", 29, -325.884121),
    ("iris", "QDA", 3, -188.375555),
    ("iris", "LDA", 3, -263.203743),
    ("iris", "GaussianNB", 6, -326.050081),
    ("iris", "shared-diagonal LDA", 6, -384.088301),
]


@pytest.mark.parametrize(("table", "model", "errors", "log_likelihood"), FIGURES)
def test_errors_and_joint_log_likelihoods_are_as_printed(table, model, errors, log_likelihood):
    X, y = TABLES[table]
    fitted = MODELS[model].fit(X, y)
    assert int((fitted.predict(X) != y).sum()) == errors
    total = fitted.predict_joint_log_proba(X)[np.arange(len(y)), y].sum()
    assert abs(total - log_likelihood) <= 5.001e-7


def test_default_smoothing_of_naive_bayes_keeps_the_figures_to_four_digits():
    X, y = TABLES["iris"]
    fitted = sf.GaussianNB().fit(X, y)
    total = fitted.predict_joint_log_proba(X)[np.arange(len(y)), y].sum()
    assert abs(total + 326.050081) < 1e-4


def test_class_means_of_the_first_two_columns_of_iris_are_as_printed():
    fitted = sf.QDA().fit(*TABLES["iris, two columns"])
    np.testing.assert_allclose(
        fitted.means_, [[5.006, 3.428], [5.936, 2.770], [6.588, 2.974]], atol=1e-12
    )


@pytest.fixture
def exercise():
    """Means (4, 3) and (0, 1), covariance [[1, .5], [.5, 1]], equal priors; + first."""
    found = whitener(np.array([[1.0, 0.5], [0.5, 1.0]]))
    assert found is not None
    means = np.array([[4.0, 3.0], [0.0, 1.0]])
    return GaussianModel(
        np.array(["+", "-"]), np.array([0.5, 0.5]), means, (FullCovariance(found),), ()
    )


def test_the_boundary_of_the_exercise_is_where_the_first_feature_is_two(exercise):
    linear = exercise.linear
    slope = linear.coefficients[0] - linear.coefficients[1]
    np.testing.assert_allclose(slope, [4, 0], atol=1e-14)
    constants = linear.constants - linear.coefficients @ linear.centre
    np.testing.assert_allclose(constants[0] - constants[1], -8, atol=1e-13)


def test_the_point_of_the_exercise_lies_on_the_boundary(exercise):
    points = np.array([[2.0, 0.0], [2.0, -50.0], [3.0, 7.0]])
    scores = exercise.scores(points)
    np.testing.assert_allclose(scores[:, 0] - scores[:, 1], [0, 0, 4], atol=1e-12)
    np.testing.assert_allclose(scoring.posterior(exercise, points[:1]), [[0.5, 0.5]], atol=1e-14)


@pytest.mark.parametrize("ddof", [0, 1])
def test_lda_divides_the_scatter_within_classes_not_that_of_all_rows(ddof):
    X, y = TABLES["notes3b"]
    within = sum(
        (X[y == c] - X[y == c].mean(0)).T @ (X[y == c] - X[y == c].mean(0)) for c in (0, 1)
    )
    shared = sf.LDA(ddof=ddof).fit(X, y).covariance_
    np.testing.assert_allclose(shared, within / (500 - 2 * ddof), rtol=1e-13)
    assert not np.allclose(shared, np.cov(X.T), rtol=1e-3)
