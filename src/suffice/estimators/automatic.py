"""Automatic: the candidates to try where the user names none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.data.features import as_features
from suffice.data.labels import Labels
from suffice.data.table_rows import TableReader
from suffice.estimators.bayesian import BayesianDiscriminant
from suffice.estimators.choosing import GRID
from suffice.estimators.gaussian import GaussianDiscriminant, GaussianNB
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.unskewed import UnskewedDiscriminant

# Shares of each target. Few values: of many candidates the best one wins by chance.
SHRINKAGES: Mapping[str, tuple[float, ...]] = {
    "diagonal": (0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0),
    "identity": (0.1, 0.3),
}

# Fewer with missing values, where every full covariance needs its own EM.
POOLINGS_WITH_GAPS = (0.0, 0.25, 0.5, 1.0)
SHRINKAGES_WITH_GAPS: Mapping[str, tuple[float, ...]] = {"diagonal": (0.0, 0.1, 0.3)}


def automatic_candidates(
    X: Any, y: Any, columns: Any = None, max_em_work: float = 1 << 21
) -> list[Any]:
    """From naive Bayes to QDA, pooled and shrunk in steps, with features as they are or unskewed.

    Two Gaussians per class where there are enough rows. With discrete columns: naive Bayes of
    both kinds, and the family on indicators of the levels.

    columns : how to read the columns of a table, if the user says it
    max_em_work : rows x features² above which mixtures, whose EM reads the rows again and again,
        would take longer than all other candidates
    """
    reader = TableReader.of(X, columns)
    if reader is None:
        gaps = _has_gaps(X)
        mixtures = _mixtures() if not gaps and _supports_mixtures(X, y, max_em_work) else []
        return [*_family(gaps), *mixtures]
    rows = reader.read(X)
    numeric = bool(np.isnan(rows.numbers).any())
    gaps = numeric or any(column.missing is not None for column in rows.levels)
    return [*_mixed(numeric or not rows.numbers.shape[1]), *_family(gaps)]


def _family(few: bool) -> list[Any]:
    poolings, shrinkages = GRID["pooling"], SHRINKAGES
    if few:
        poolings, shrinkages = POOLINGS_WITH_GAPS, SHRINKAGES_WITH_GAPS
    full: list[dict[str, Any]] = [
        {"pooling": pooling, "shrinkage": share, "target": target, "inflation": factor}
        for target, some in shrinkages.items()
        for pooling in poolings
        for share in some
        for factor in GRID["inflation"]
    ]
    diagonal: list[dict[str, Any]] = [
        {"structure": "diagonal", "pooling": pooling, "shrinkage": share, "inflation": factor}
        for pooling in GRID["pooling"]
        for share in (0.0, 0.1, 0.3)
        for factor in GRID["inflation"]
    ]
    plain = [GaussianDiscriminant(**one) for one in (*full, *diagonal)]
    unskewed = [
        UnskewedDiscriminant(**one) for one in (*full, *diagonal) if one.get("target") != "identity"
    ]
    smoothed = [GaussianNB(var_smoothing=share) for share in (1e-9, 0.01, 0.03, 0.1, 0.3, 1.0)]
    bayesian = [BayesianDiscriminant(pooling=pooling) for pooling in (0.0, 1.0)]
    return [*plain, *unskewed, *smoothed, *bayesian]


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
        # unlabelled=None: a label of -1 is a class like any other.
        MixtureDiscriminant(2, structure, pooling, target=target, random_state=0, unlabelled=None)
        for structure, target in shapes
        for pooling in (0.0, 0.5, 1.0)
    ]


def _supports_mixtures(X: Any, y: Any, max_em_work: float) -> bool:
    """Whether each class has 100 rows and 10 per feature, and EM takes no longer than the rest."""
    n, d = as_features(X).shape
    smallest = np.bincount(Labels.of(y).encode()[1], minlength=1).min()
    return bool(smallest >= max(100, 10 * d)) and n * d * d <= max_em_work


def _has_gaps(X: Any) -> bool:
    features = as_features(X)
    return bool(np.isnan(features.read(0, features.shape[0])).any())
