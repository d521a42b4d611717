"""Automatic: the candidates to try where the user names none."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from suffice.data.features import as_features
from suffice.data.labels import Labels
from suffice.data.mixed import Layout
from suffice.estimators.bayesian import BayesianDiscriminant
from suffice.estimators.gaussian import GaussianDiscriminant, GaussianNB
from suffice.estimators.indicators import Indicators
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.unskewed import UnskewedDiscriminant
from suffice.selection.grid import INFLATIONS, POOLINGS

# Of many candidates one is the best by chance: so no more are tried than tell apart.
SHARES = {"diagonal": (0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0), "identity": (0.1, 0.3)}
SMOOTHINGS = (1e-9, 0.01, 0.03, 0.1, 0.3, 1.0)

# With missing values every full covariance takes an EM of its own: so fewer are tried.
FEW_POOLINGS, FEW_SHARES = (0.0, 0.25, 0.5, 1.0), {"diagonal": (0.0, 0.1, 0.3)}

# Classes are taken apart only if each has so many rows, and so many for each feature; and not
# where EM, which reads the rows again and again, would take longer than all the others: of rows
# times squares of features.
ROWS_OF_CLASS, ROWS_A_FEATURE, MOST_WORK = 100, 10, 1 << 21


def automatic_candidates(X: Any, y: Any) -> list[Any]:
    """From naive Bayes to QDA, pooled and shrunk by steps, of features as they are or unskewed.

    Where there are many rows but not too many, classes of two Gaussians each. With discrete
    columns: naive Bayes of both kinds, and the family on indicators of the levels.
    """
    layout = Layout.of(X)
    if not layout.discrete:
        gaps = _has_gaps(X)
        return [*_family(gaps), *(_mixtures() if not gaps and _room_for_two(X, y) else [])]
    numeric = layout.split(X)[0]
    gaps = numeric is not None and _has_gaps(numeric)
    return [*_mixed(gaps or numeric is None), *(_on_indicators(m) for m in _family(gaps))]


def _family(few: bool) -> list[Any]:
    poolings, shares = (FEW_POOLINGS, FEW_SHARES) if few else (POOLINGS, SHARES)
    full: list[dict[str, Any]] = [
        {"pooling": pooling, "shrinkage": share, "target": target, "inflation": factor}
        for target, some in shares.items()
        for pooling in poolings
        for share in some
        for factor in INFLATIONS
    ]
    diagonal: list[dict[str, Any]] = [
        {"structure": "diagonal", "pooling": pooling, "shrinkage": share, "inflation": factor}
        for pooling in POOLINGS
        for share in (0.0, 0.1, 0.3)
        for factor in INFLATIONS
    ]
    plain = [GaussianDiscriminant(**one) for one in (*full, *diagonal)]
    unskewed = [
        UnskewedDiscriminant(**one) for one in (*full, *diagonal) if one.get("target") != "identity"
    ]
    smoothed = [GaussianNB(var_smoothing=share) for share in SMOOTHINGS]
    believed = [BayesianDiscriminant(pooling=pooling) for pooling in (0.0, 1.0)]
    return [*plain, *unskewed, *smoothed, *believed]


def _mixed(few: bool) -> list[Any]:
    shapes = [("diagonal", "identity")] if few else [("diagonal", "identity"), ("full", "diagonal")]
    return [
        MixedNB(structure=structure, pooling=pooling, shrinkage=share, target=target, alpha=alpha)
        for alpha in (0.1, 1.0, 3.0)
        for structure, target in shapes
        for pooling in (0.0, 0.5, 1.0)
        for share in (0.0, 0.1, 0.5)
    ]


def _mixtures() -> list[Any]:
    shapes = [("full", "diagonal"), ("diagonal", "identity")]
    return [
        # Where -1 is a label, it is one like any other.
        MixtureDiscriminant(2, structure, pooling, target=target, random_state=0, unlabelled=None)
        for structure, target in shapes
        for pooling in (0.0, 0.5, 1.0)
    ]


def _room_for_two(X: Any, y: Any) -> bool:
    """Whether the rows of each class can tell one Gaussian from two."""
    n, d = as_features(X).shape
    fewest = np.bincount(Labels.of(y).encode()[1], minlength=1).min()
    return bool(fewest >= max(ROWS_OF_CLASS, ROWS_A_FEATURE * d)) and n * d * d <= MOST_WORK


def _on_indicators(model: Any) -> Pipeline:
    return Pipeline([("indicators", Indicators()), ("model", model)])


def _has_gaps(X: Any) -> bool:
    features = as_features(X)
    return bool(np.isnan(features.read(0, features.shape[0])).any())
