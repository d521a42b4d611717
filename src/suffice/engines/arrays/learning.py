"""Learning from rows on a device: fit, update and forget."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any

from suffice.data.labels import shown
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.held_model import HeldModel
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.engines.arrays.held_statistics import HeldStatistics
from suffice.engines.arrays.rows import Rows, host
from suffice.engines.arrays.summary import summed
from suffice.errors import (
    InvalidFeatures,
    InvalidLabels,
    MissingClasses,
    NotOnDevice,
)
from suffice.estimators.choosing import GRID
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.models.separating import check_denominator
from suffice.models.settings import Settings
from suffice.statistics.statistics import Statistics


def fit(estimator: GaussianClassifier, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Summarize the rows and build the model."""
    rows = Rows.of(X)
    for name in GRID:
        if isinstance(value := getattr(estimator, name, None), str) and value == "cv":
            raise NotOnDevice(
                f"{name}='cv' is chosen on the host: fit {host(rows.space)} once, and give the "
                "number it finds here."
            )
    settings = estimator._settings()
    coded = Coded.of(y, sample_weight, rows.shape[0], rows.space)
    found = summed(rows, coded, settings.detail)
    _take(estimator, found, settings)
    estimator.__dict__.pop("selection_", None)
    return estimator


def partial_fit(
    estimator: GaussianClassifier, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
) -> Any:
    """Add rows; classes never seen before are welcome."""
    rows, settings = Rows.of(X), estimator._settings()
    seen = getattr(estimator, "statistics_", None)
    coded = Coded.of(y, sample_weight, rows.shape[0], rows.space)
    if seen is not None:
        check_columns(estimator, rows)
    if classes is not None:
        known = set(getattr(classes, "tolist", lambda: list(classes))())
        unknown = [label for label in coded.classes.tolist() if label not in known]
        if unknown:
            raise InvalidLabels(f"y holds class {shown(unknown[0])}, which is not among `classes`.")
    detail = settings.detail if seen is None else seen.detail
    more = summed(rows, coded, detail)
    _take(estimator, more if seen is None else seen + more, settings, later=True)
    return estimator


def forget(estimator: GaussianClassifier, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Take rows out again: afterwards, as if they had never been seen."""
    rows, seen = Rows.of(X), estimator._fitted_statistics
    estimator._check_forgets()
    check_columns(estimator, rows)
    coded = Coded.of(y, sample_weight, rows.shape[0], rows.space)
    return estimator._without(summed(rows, coded, seen.detail), estimator._settings())


def check_columns(estimator: GaussianClassifier, rows: Rows) -> None:
    """Raise unless the rows have the features of those seen so far."""
    if rows.shape[1] != estimator.n_features_in_:
        raise InvalidFeatures(
            f"X has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    if hasattr(estimator, "feature_names_in_"):
        raise InvalidFeatures(
            f"{type(estimator).__name__} was fitted with feature names, which arrays do not have; "
            "pass a data frame, or fit it with an array."
        )


def _take(
    estimator: GaussianClassifier, statistics: Any, settings: Settings, later: bool = False
) -> None:
    """Hold statistics, and their model: made at once where it is small, else when asked for."""
    model = None
    if isinstance(statistics, HeldStatistics) or _is_held(statistics):
        if not later:
            check_denominator(statistics, settings)
        # Rows of other classes that the priors name may still be to come.
        with suppress(MissingClasses) if later else nullcontext():
            model = HeldModel.of(statistics, settings, estimator.priors)
        later = True
    estimator._take(statistics, settings, later=later)
    if model is not None:
        estimator._model = model


def _is_held(statistics: Any) -> bool:
    return isinstance(statistics, Statistics) and isinstance(statistics.spread, HeldDense)
