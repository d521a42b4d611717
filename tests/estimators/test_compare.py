"""compare: the family beside mixtures and logistic regression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score

import suffice as sf
from suffice.data.outliers import with_outliers
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.refits import logistic_regression

IRIS = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def two_gaussians():
    """Two classes of equal covariance that overlap: no perfect separation."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    return rng.normal(size=(400, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


@pytest.fixture(scope="module")
def usual(two_gaussians):
    return sf.compare(*two_gaussians)


def test_lda_and_logistic_regression_share_a_model_class_and_differ_in_objective(usual):
    table = usual.table
    at = {name: i for i, name in enumerate(usual.names)}
    lda, free = at["LDA"], at["logistic, no penalty"]
    # Both are linear in x: logistic regression fits p(y | x) best, LDA p(x, y).
    assert table["training_log_loss"][free] < table["training_log_loss"][lda]
    assert table["training_log_loss"][lda] - table["training_log_loss"][free] < 0.01
    assert table["parameters"][free] == 4
    assert np.isnan(table["log_likelihood"][free])
    shared = [at[name] for name in ("LDA", "DiagonalLDA")]
    assert table["log_likelihood"][lda] == max(table["log_likelihood"][shared])
    slopes = usual.models[free][-1].coef_[0] / usual.models[free][-2].scale_
    cosine = slopes @ usual.models[lda].coef_[0]
    cosine /= np.linalg.norm(slopes) * np.linalg.norm(usual.models[lda].coef_[0])
    assert cosine > 0.99


def test_the_scores_are_those_of_cross_validation(usual, two_gaussians):
    X, y = two_gaussians
    for name, model in (("LDA", sf.LDA()), ("logistic regression", logistic_regression())):
        i = usual.names.index(name)
        scores = cross_val_score(
            model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0), scoring="neg_log_loss"
        )
        assert usual.table["log_loss"][i] == pytest.approx(-scores.mean(), rel=1e-9)


def test_cost_and_criteria_are_those_of_the_fitted_models(usual, two_gaussians):
    i = usual.names.index("QDA")
    model = sf.QDA().fit(*two_gaussians)
    assert usual.bic[i] == pytest.approx(model.bic())
    assert usual.parameters[i] == model.n_parameters() == 2 * 3 + 2 * 6 + 1
    assert usual.log_likelihood[i] == pytest.approx(model.log_likelihood())
    assert (usual.fit_seconds > 0).all()


def test_outliers_and_few_rows_cost_something(usual):
    curve, i = usual.curve, usual.names.index("LDA")
    assert curve.rows == (32, 80, 160, 320)
    assert curve.log_loss[i, 0] > curve.log_loss[i, -1]
    assert curve.log_loss[i, -1] == pytest.approx(usual.table["log_loss"][i], rel=1e-9)
    assert usual.spoilt["log_loss"][i] > usual.table["log_loss"][i]


def test_the_text_has_a_line_a_model_best_first(usual):
    lines = str(usual).splitlines()
    assert len(lines) == 2 + len(usual.names)  # a heading, and the baseline
    assert lines[1].startswith(usual.names[int(np.argmin(usual.table["log_loss"]))])
    assert pd.DataFrame(usual.table).shape[0] == len(usual.names)


def test_the_same_seed_gives_the_same_numbers(two_gaussians):
    models = {"LDA": sf.LDA(), "QDA": sf.QDA()}
    a, b = (sf.compare(*two_gaussians, models, random_state=3) for _ in range(2))
    assert np.array_equal(a.curve.log_loss, b.curve.log_loss)
    assert np.array_equal(a.spoilt["brier"], b.spoilt["brier"])


def test_mixed_frames_with_gaps_are_compared():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b"], 40)
    frame = pd.DataFrame({"x": rng.normal(size=80) + 2 * (y == "a"), "z": rng.normal(size=80)})
    frame["level"] = np.where(rng.random(80) < 0.3, "u", np.where(y == "a", "v", "w"))
    frame.loc[3, "x"] = None
    frame.loc[5, "level"] = None
    found = sf.compare(frame, y, cv=3)
    assert {"automatic", "naive Bayes", "logistic regression"} <= set(found.names)
    assert np.isfinite(found.table["log_loss"]).all()


@pytest.mark.exhaustive
def test_two_gaussians_a_class_win_where_classes_are_such():
    path = Path(__file__).parents[1] / "reference" / "notes3b.csv"
    frame = pd.read_csv(path)
    X, y = frame[["first", "second"]].to_numpy(), frame["target"].to_numpy()
    rows = np.random.default_rng(0).permutation(len(y))
    found = sf.compare(X[rows], y[rows])
    loss = dict(zip(found.names, found.table["log_loss"], strict=True))
    two = loss.pop("two Gaussians per class")
    # The automatic choice has found as much.
    automatic = found.models[found.names.index("automatic")]
    members = getattr(automatic, "members_", {"alone": automatic}).values()
    assert any(isinstance(one, sf.MixtureDiscriminant) for one in members)
    assert loss.pop("automatic") == pytest.approx(two, rel=0.02)
    assert two < min(loss.values())
    i = found.names.index("two Gaussians per class")
    model = found.models[i]
    assert found.parameters[i] == model.n_parameters() == 1 + 2 + 4 * 2 + 4 * 3
    expected = model.n_parameters() * np.log(len(y)) - 2 * found.log_likelihood[i]
    assert found.table["bic"][i] == pytest.approx(expected, rel=1e-12)
    assert found.log_likelihood[i] == pytest.approx(model.log_likelihood(X, y), rel=1e-12)


def test_no_models_is_an_error():
    with pytest.raises(InvalidParameter, match="models is empty"):
        sf.compare(*IRIS, {})


def test_outliers_are_moved_rows_and_no_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    moved = with_outliers(X, np.array([3, 7]), rng)
    changed = np.flatnonzero((moved != X).any(axis=1))
    assert changed.tolist() == [3, 7]
    np.testing.assert_allclose(np.abs(moved[3] - X[3]), 10.0 * X.std(axis=0), rtol=1e-12)
    frame = pd.DataFrame({"a": X[:, 0], "b": ["u"] * 50})
    changed = with_outliers(frame, np.array([3]), rng)
    assert changed["b"].tolist() == ["u"] * 50
    assert (changed["a"] != frame["a"]).sum() == 1
