"""Parameters of scikit-learn: algorithms, covariance estimators, priors, and class_weight."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from suffice.data.caller import stacklevel
from suffice.data.features import as_features
from suffice.data.parameters import as_floats, choice, flag, not_negative
from suffice.errors import InvalidFeatures, InvalidParameter, RepairedModel
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.statistics import Statistics
from suffice.text import shown


def check_algorithm(estimator: Any) -> None:
    """Raise where parameters that change nothing, or a covariance estimator, are not valid."""
    solvers = ("svd", "lsqr", "eigen")
    choice("solver", estimator.solver, solvers)
    flag("store_covariance", estimator.store_covariance)
    not_negative("tol", estimator.tol)
    if estimator.covariance_estimator is not None and estimator.shrinkage is not None:
        raise InvalidParameter(
            "covariance_estimator and shrinkage parameters are not None. Only one of the two can "
            "be set."
        )


def smallest_alpha(alpha: Any, force: bool) -> Any:
    """The smoothing as given, or no less than 1e-10 unless it is forced."""
    if flag("force_alpha", force):
        return alpha
    try:
        values = as_floats(alpha)
    except (TypeError, ValueError, OverflowError):
        return alpha  # checked later, where the error says what is wrong
    least_alpha = 1e-10
    if not (values < least_alpha).any() or (values < 0).any():
        return alpha
    warnings.warn(
        f"alpha too small will result in numeric errors, setting alpha = {least_alpha:.1e}. Use "
        "force_alpha=True to keep alpha unchanged.",
        UserWarning,
        stacklevel=stacklevel(),
    )
    return np.maximum(values, least_alpha)


def normalised_priors(priors: Any) -> Any:
    """Priors in the order of the classes that add up to one; others are divided by their sum.

    Any other form of priors is returned unchanged.
    """
    if priors is None or isinstance(priors, str | Mapping) or hasattr(priors, "to_dict"):
        return priors
    try:
        values = as_floats(priors)
    except (TypeError, ValueError, OverflowError):
        return priors
    total = float(values.sum())
    if values.ndim != 1 or not np.isfinite(total) or (values < 0).any() or total == 0:
        return priors
    if not np.isclose(total, 1.0, rtol=0, atol=1e-5):
        warnings.warn(
            f"The priors do not sum to 1. Renormalizing: they add up to {total:g}.",
            RepairedModel,
            stacklevel=stacklevel(),
        )
    return values / total


def check_all_at_once(grid: Any, reader: Any, in_parts: bool) -> None:
    """Raise unless rows can be given to a `covariance_estimator`.

    reader : how the table is read, if it holds more than numbers
    in_parts : whether there are rows before these, or weights
    """
    if grid is not None:
        raise InvalidParameter("give either grid or covariance_estimator, not both.")
    if reader is not None:
        raise InvalidParameter(
            "covariance_estimator takes numbers; encode the levels first, with "
            "Indicators().fit_transform(X)."
        )
    if in_parts:
        raise InvalidParameter(
            "covariance_estimator takes all rows at once and without weights: call fit(X, y)."
        )


def with_estimated_scatter(statistics: AnyStatistics, estimator: Any, X: Any, y: Any) -> Statistics:
    """The same statistics, with the estimator's covariance in place of each class's own.

    statistics : of the rows X without weights, with the scatter of each class
    """
    if not hasattr(estimator, "fit"):
        raise InvalidParameter(
            f"covariance_estimator is {shown(estimator)}; it must be an estimator such as "
            "sklearn.covariance.LedoitWolf()."
        )
    if not isinstance(statistics, Statistics):
        raise InvalidFeatures("covariance_estimator takes rows without missing values.")
    features = as_features(X)
    rows, labels = features.read(0, features.shape[0]), np.asarray(y)
    scatters = []
    for label, weight in zip(statistics.classes, statistics.weight.tolist(), strict=True):
        fitted = deepcopy(estimator)
        fitted.fit(rows[labels == label])
        if not hasattr(fitted, "covariance_"):
            raise InvalidParameter(
                f"{type(estimator).__name__} does not have a covariance_ attribute."
            )
        scatters.append(weight * np.asarray(fitted.covariance_, np.float64))
    scatter = DenseScatter(DoubleDouble(np.array(scatters)), per_class=True)
    return replace(statistics, spread=scatter, fourth=None)


def refuse_class_weight(kind: type, parameters: Collection[str]) -> None:
    """Raise if class_weight is among the parameters of a classifier."""
    if "class_weight" in parameters:
        raise InvalidParameter(
            f"{kind.__name__} takes no class_weight, since priors move the odds alone: "
            "class_weight='balanced' is priors='uniform'. For other weights pass the probability "
            "of each class, priors={label: probability}, or the weight of each row, "
            "fit(X, y, sample_weight)."
        )
