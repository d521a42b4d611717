"""Choosing: parameters of the Gaussian family by cross-validation at fit."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features, infinite
from suffice.data.labels import Labels, shown
from suffice.data.weights import Weights
from suffice.errors import InvalidFeatures, InvalidInput, InvalidLabels, TooFewRows
from suffice.estimators.splitting import folds_of
from suffice.models.settings import Settings
from suffice.selection.complexity import effective_parameters
from suffice.selection.cross_validation import Candidate, Numbers, cross_validated
from suffice.selection.folds import Fold
from suffice.selection.grid import INFLATIONS, POOLINGS, SHARES
from suffice.selection.selection import Selection
from suffice.selection.steps import Steps
from suffice.statistics.statistics import Statistics

GRID = {"pooling": POOLINGS, "shrinkage": SHARES, "inflation": INFLATIONS}

# Folds where the user does not say how many.
FOLDS = 5


def combinations(names: list[str]) -> list[dict[str, float]]:
    """Every combination of values of the parameters named."""
    values = product(*(GRID[name] for name in names))
    return [dict(zip(names, one, strict=True)) for one in values]


def labelled(X: Any, y: Any, sample_weight: Any) -> tuple[Array, Indices, Floats | None]:
    """Classes that have rows, the class of each row by position, and weights.

    Rows of weight zero, which are in no fold, count for no class.
    """
    if X is None:
        raise InvalidFeatures("X is missing: pass a table of rows.")
    given = Labels.of(y)
    if not len(given):
        raise InvalidLabels("y has no labels: there is no row to test on.")
    labels, codes = given.encode()
    try:
        n, rows = len(codes), _num_samples(X)
    except TypeError:
        raise InvalidFeatures(f"X is {shown(X)}; pass an array or a data frame.") from None
    if rows != n:
        raise InvalidInput(
            f"X has {rows} rows but y has {n} labels: inconsistent numbers of samples."
        )
    weights = None if sample_weight is None else Weights.of(sample_weight, n).read(0, n)
    present = np.unique(codes if weights is None else codes[weights > 0])
    if len(present) < 2:
        raise TooFewRows(f"y has one class, {shown(labels[present][0])}; a choice takes two.")
    return labels[present], np.searchsorted(present, codes).clip(0, len(present) - 1), weights


def compared(
    X: Any,
    at: tuple[Array, Indices, Floats | None],
    folds: list[Fold],
    asked: list[Candidate],
    steps: Steps | None = None,
) -> tuple[dict[str, Floats], Floats, Statistics | None]:
    """Scores of members of the family in each fold, how complex they are, and their statistics.

    The statistics are those of all rows, where no value is missing.
    """
    features = as_features(X)
    settings = [one.recipe for one in asked if isinstance(one.recipe, Settings)]
    rows = features.read(0, features.shape[0])
    error = infinite(rows, 0, features.names)
    if error is not None:
        raise error
    table = Numbers(rows, *at, detail=_enough(settings))
    found, whole = cross_validated(table, folds, asked, steps)
    shape = len(at[0]), features.shape[1]
    complexity = np.array([effective_parameters(one, *shape, whole) for one in settings])
    if not isinstance(whole, Statistics):
        return found, complexity, None
    named = replace(whole, classes=at[0][whole.classes], feature_names=features.names)
    return found, complexity, named


def chosen(
    X: Any, y: Any, sample_weight: Any, tried: list[tuple[Settings, Any]]
) -> tuple[Selection, Statistics | None]:
    """Members of the family by settings and priors, tried on stratified folds; statistics."""
    as_features(X)
    at = labelled(X, y, sample_weight)
    folds, notes = folds_of(FOLDS, X, *at)
    asked = [Candidate(settings, priors) for settings, priors in tried]
    scores, complexity, whole = compared(X, at, folds, asked)
    told = tuple({name: getattr(settings, name) for name in GRID} for settings, _ in tried)
    return Selection(told, scores, complexity, notes=tuple(notes)), whole


def _enough(settings: list[Settings]) -> str:
    """The least detail that serves all the settings."""
    needed = {one.detail for one in settings}
    estimated = any(isinstance(one.shrinkage, str) for one in settings)
    if needed == {"diagonal"}:
        return "diagonal"
    return "shared" if needed == {"shared"} and not estimated else "separate"
