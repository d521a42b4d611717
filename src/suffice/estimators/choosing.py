"""Choosing: parameters of the Gaussian family by cross-validation at fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.features import as_features, infinite
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import TooFewRows
from suffice.estimators.automatic.splitting import make_folds
from suffice.models.settings import Settings
from suffice.selection.criteria import effective_parameters
from suffice.selection.cross_validation import Candidate, cross_validate
from suffice.selection.folds import Fold
from suffice.selection.metrics import METRICS, Metric
from suffice.selection.selection import Selection
from suffice.selection.steps import Steps
from suffice.statistics.exact.exact_incomplete import ExactIncomplete
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.grid import Grid
from suffice.statistics.statistics import Statistics
from suffice.text import shown

# Values that are tried for each parameter set to "cv".
GRID = {
    "pooling": (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0),
    "shrinkage": (
        *(0.0, 0.001, 0.003, 0.01, 0.03),
        *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    ),
    "inflation": (1.0, 1.5, 2.0, 3.0),
}

# Number of folds if the user gives none.
DEFAULT_FOLDS = 5


def cross_validated(estimator: Any) -> list[str]:
    """The parameters of an estimator that are set to "cv"."""
    names = []
    for name in GRID:
        value = getattr(estimator, name, None)
        if isinstance(value, str) and value == "cv":
            names.append(name)
    return names


def combinations(names: list[str]) -> list[dict[str, float]]:
    """Every combination of values of the named parameters."""
    values = product(*(GRID[name] for name in names))
    return [dict(zip(names, one, strict=True)) for one in values]


def table_of_classes(X: Any, y: Any, sample_weight: Any) -> LabelledTable:
    """The rows of at least two classes; raises if there is only one."""
    table = LabelledTable.of(X, y, sample_weight)
    if len(table.classes) < 2:
        raise TooFewRows(
            f"y has one class, {shown(table.classes[0])}; choosing a model needs two classes."
        )
    return table


def score_settings(
    table: LabelledTable,
    folds: list[Fold],
    candidates: list[Candidate],
    metrics: Mapping[str, Metric],
    steps: Steps | None = None,
    grid: Grid | None = None,
) -> tuple[dict[str, Floats], Floats, Statistics | None]:
    """Scores of members of the family in each fold, their complexity, and their statistics.

    The statistics are those of all rows; None where values are missing, or exact.
    """
    features = as_features(table.X)
    settings = [one.settings for one in candidates]
    rows = features.read(0, features.shape[0])
    error = infinite(rows, 0, features.names)
    if error is not None:
        raise error
    numbers = replace(table, X=rows)
    scores, whole = cross_validate(
        numbers, folds, candidates, metrics, _common_detail(settings), steps, grid
    )
    shape = len(table.classes), features.shape[1]
    known = whole.numbers if isinstance(whole, ExactStatistics | ExactIncomplete) else whole
    complexity = np.array([effective_parameters(one, *shape, known) for one in settings])
    if not isinstance(whole, Statistics):
        return scores, complexity, None
    labels = table.classes[whole.classes]
    return scores, complexity, replace(whole, classes=labels, feature_names=features.names)


def choose_settings(
    X: Any,
    y: Any,
    sample_weight: Any,
    tried: list[tuple[Settings, Any]],
    grid: Grid | None = None,
) -> tuple[Selection, Statistics | None]:
    """The scores of settings and priors on stratified folds, and the statistics of all rows."""
    as_features(X)
    table = table_of_classes(X, y, sample_weight)
    folds, notes = make_folds(table, DEFAULT_FOLDS)
    candidates = [Candidate(settings, priors) for settings, priors in tried]
    # Scores that are kept with a model that chose its parameters at fit.
    stored_metrics = {
        name: METRICS[name] for name in ("accuracy", "log_loss", "brier", "calibration_error")
    }
    scores, complexity, whole = score_settings(table, folds, candidates, stored_metrics, grid=grid)
    names = tuple({name: getattr(settings, name) for name in GRID} for settings, _ in tried)
    return Selection(names, scores, complexity, notes=tuple(notes)), whole


def _common_detail(settings: list[Settings]) -> str:
    """The coarsest detail of statistics that serves all the settings."""
    needed = {one.detail for one in settings}
    estimated = any(isinstance(one.shrinkage, str) for one in settings)
    if needed == {"diagonal"}:
        return "diagonal"
    return "shared" if needed == {"shared"} and not estimated else "separate"
