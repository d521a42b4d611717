"""What the tests of clusters share: tables, learners, and how close is equal."""

from __future__ import annotations

import numpy as np
import pandas as pd

import suffice as sf

NUMERIC = {
    "LDA": sf.LDA(),
    "QDA": sf.QDA(),
    "GaussianNB": sf.GaussianNB(),
    "DiagonalLDA": sf.DiagonalLDA(),
    "Ledoit-Wolf": sf.LDA(shrinkage="ledoit-wolf"),
    "family": sf.GaussianDiscriminant(pooling=0.5, shrinkage="oas"),
    "Bayesian": sf.BayesianDiscriminant(),
    "Bernoulli": sf.BernoulliNB(binarize=1.0),
}
LEVELS = {"categorical": sf.CategoricalNB(), "mixed": sf.MixedNB(structure="full", shrinkage=0.1)}


# Run where a worker starts: it cannot import the package then.
BLOCKER = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "suffice":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def numbers(n=400, d=4, k=3, seed=0, offset=1e3):
    """Rows of correlated classes, whose last class is rare, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.array([10.0] * (k - 1) + [1.0]) / (10 * (k - 1) + 1))
    X = (
        rng.standard_normal((n, d)) @ rng.standard_normal((d, d))
        + 2 * rng.standard_normal((k, d))[y]
    )
    return X + offset, y, rng.uniform(0.5, 2.0, n)


def table(n=400, seed=0):
    """Numbers beside levels, with gaps in both, labels and weights."""
    X, y, weight = numbers(n, 2, 3, seed)
    rng = np.random.default_rng(seed + 1)
    frame = pd.DataFrame({"size": X[:, 0], "weight.kg": X[:, 1]})
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["ripe"] = (X[:, 0] > X[:, 0].mean()).astype(bool)
    frame.loc[rng.random(n) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    return frame, pd.Series(np.array(["plum", "cherry", "fig"])[y], name="fruit"), weight


def assert_equal_statistics(found, expected, rounding=1e-13):
    """Counts are the same; moments agree in units of the spread of each feature."""
    if hasattr(found, "numeric"):
        assert found.layout == expected.layout
        assert_equal_statistics(found.discrete, expected.discrete)
        assert_equal_statistics(found.numeric, expected.numeric)
        return
    np.testing.assert_array_equal(found.classes, expected.classes)
    np.testing.assert_array_equal(found.count, expected.count)
    np.testing.assert_allclose(found.weight, expected.weight, rtol=rounding)
    assert found.feature_names == expected.feature_names
    assert found.detail == expected.detail
    if found.detail == "counts" or type(found).__name__ != "Statistics":
        assert found == expected
        return
    variance = expected.coarsen("diagonal").scatter if found.detail == "separate" else None
    if found.detail == "diagonal":
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=rounding)
        variance = expected.scatter
    elif found.detail == "shared":
        variance = np.diag(expected.scatter)[None]
        assert_close_scatter(found.scatter[None], expected.scatter[None], variance, rounding)
    else:
        assert_close_scatter(found.scatter, expected.scatter, variance, rounding)
    total = expected.weight[:, None] if len(variance) > 1 else expected.weight.sum()
    scale = np.sqrt(variance / total)
    # The mean itself is a float: it cannot be closer than its own rounding.
    slack = rounding * scale + 2 * np.spacing(np.abs(expected.mean))
    assert (np.abs(found.mean - expected.mean) <= slack).all()


def assert_close_scatter(found, expected, variance, rounding):
    """Scatter matrices agree in units of the spread of both features."""
    scale = np.sqrt(variance[:, :, None] * variance[:, None, :])
    assert (np.abs(found - expected) <= rounding * scale).all()


def assert_equal_models(found, expected, X, rounding=1e-13):
    """Two fitted estimators say the same of rows in memory."""
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    assert found.n_features_in_ == expected.n_features_in_
    np.testing.assert_allclose(
        found.predict_proba(X), expected.predict_proba(X), rtol=0, atol=100 * rounding
    )
    assert (found.predict(X) == expected.predict(X)).all()
