"""Conditioning: how close covariances are to singular, and which features cause it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariances.linalg import rank_tolerance, whitener
from suffice.selection.diagnostics.cloud import scatter_of
from suffice.selection.diagnostics.complete_rows import as_statistics
from suffice.selection.diagnostics.diagnostic import Diagnostic, format_count, name_features, number
from suffice.statistics.statistics import Statistics
from suffice.text import format_number, shown

# Condition number of correlations above which near dependencies do harm (Belsley, Kuh and Welsch
# 1980: a condition index, its root, of 30).
HARMFUL_CONDITION = 900.0


@dataclass(frozen=True, eq=False, slots=True)
class Condition:
    """How a covariance is conditioned.

    correlation : largest over smallest eigenvalue of the correlations, free of units
    covariance : the same of the covariance, in the units of the features
    rank : directions in which the rows vary
    features : those in the strongest near dependency
    direction : (d,) the weights of the standardised features in it
    constant : features that do not vary, left out of all this
    why : the reason in words where it is singular for lack of rows or variance, else empty
    """

    correlation: float
    covariance: float
    rank: int
    features: tuple[int, ...]
    direction: Floats
    constant: tuple[int, ...]
    why: str


def conditioning(X: Any, y: Any = None, sample_weight: Any = None) -> Diagnostic:
    """Condition numbers of the covariances of each class and of the pooled one.

    `details["conditions"]` holds one `Condition` per class, and `details["pooled"]` that of the
    pooled covariance. The statistic is the pooled condition number of correlations,
    largest over smallest eigenvalue; above 900 near dependencies are named.

    X : rows, or statistics of detail "separate"

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> X[:, 2] += 100 * X[:, 0]
    >>> print(conditioning(X, np.arange(50) % 2))
    The pooled covariance is ill-conditioned: feature 0 and feature 2 nearly depend on each
    other (condition number 76,000). Drop one of them, or use shrinkage='oas'.
    """
    statistics = as_statistics(X, y, sample_weight)
    pooled = _pooled(statistics)
    k, d = len(statistics.classes), statistics.n_features
    labels = statistics.classes.tolist()
    own = {label: _own(statistics, c) for c, label in enumerate(labels)}
    worst = [label for label in labels if own[label].correlation > HARMFUL_CONDITION]
    concern = pooled.correlation > HARMFUL_CONDITION or bool(worst)
    sentence, recommendation = _words(pooled, own, worst, statistics)
    return Diagnostic(
        "Conditioning",
        pooled.correlation,
        None,
        sentence,
        recommendation,
        concern,
        {
            label: {
                "correlation": found.correlation,
                "covariance": found.covariance,
                "rank": float(found.rank),
            }
            for label, found in own.items()
        },
        {"pooled": pooled, "conditions": own, "features": d, "classes": k},
    )


def _words(
    pooled: Condition, own: dict[Any, Condition], worst: list[Any], statistics: Statistics
) -> tuple[str, str]:
    names = statistics.feature_names
    size = f"(condition number {_size(pooled.correlation)})"
    constant = ""
    if pooled.constant:
        constant = f" Ignored, constant in every class: {name_features(pooled.constant, names)}."
    if pooled.correlation > HARMFUL_CONDITION:
        state = "singular" if np.isinf(pooled.correlation) else "ill-conditioned"
        text = f"The pooled covariance is {state}: {_why(pooled, names)}."
        if pooled.why:
            return text + constant, "Use shrinkage='oas', or select fewer features."
        return text + constant, "Drop one of them, or use shrinkage='oas'."
    if worst:
        first = own[worst[0]]
        others = len(worst) - 1
        more = f", nor are those of {format_count(others, 'other class')}" * (others > 1)
        more = ", nor is that of 1 other class" if others == 1 else more
        text = (
            f"The pooled covariance is well conditioned {size}, but that of class "
            f"{shown(worst[0])} is not{more}: {_why(first, names)}."
        )
        return text + constant, "Use LDA, or GaussianDiscriminant with pooling above 0."
    return f"The covariances are well conditioned {size}.{constant}", "No shrinkage is needed."


def _why(found: Condition, names: tuple[str, ...] | None) -> str:
    if found.why:
        return found.why
    involved = name_features(found.features, names)
    if np.isinf(found.correlation):
        return f"{involved} depend on each other"
    return f"{involved} nearly depend on each other (condition number {_size(found.correlation)})"


def _size(value: float) -> str:
    if np.isinf(value):
        return number(value)
    rounded = f"{value:.2g}"
    return rounded if value >= 1e6 else format_number(float(rounded))


def _own(statistics: Statistics, c: int) -> Condition:
    rows = float(min(statistics.count[c], statistics.weight[c]))
    return _condition(statistics, np.array([c]), rows - 1, statistics.weight[c])


def _pooled(statistics: Statistics) -> Condition:
    k = len(statistics.classes)
    rows = float(min(statistics.count.sum(), statistics.weight.sum()))
    return _condition(statistics, np.arange(k), rows - k, statistics.weight.sum())


def _condition(
    statistics: Statistics, classes: np.ndarray, freedom: float, weight: float
) -> Condition:
    """The condition of the sum of the scatters of some classes."""
    squares = statistics.squares[classes].sum(axis=0)
    varying, constant = np.flatnonzero(squares > 0), np.flatnonzero(squares <= 0)
    d, direction = len(varying), np.zeros(len(squares))
    fixed = tuple(constant.tolist())
    if d == 0:
        why = "no feature varies" if len(classes) > 1 else "no feature varies in it"
        return Condition(np.inf, np.inf, 0, (), direction, fixed, why)
    if freedom < d:
        # Singular whatever rounding says, so no matrix is formed.
        least = d + (len(classes) if len(classes) > 1 else 1)
        why = f"{format_count(d, 'feature')} need {least} rows or more"
        return Condition(np.inf, np.inf, max(0, int(freedom)), (), direction, fixed, why)
    scatter = np.zeros((len(squares), len(squares)))
    for c in classes:
        scatter += scatter_of(statistics, int(c))
    part = scatter[np.ix_(varying, varying)] / weight
    scale = np.sqrt(part.diagonal())
    values, vectors = np.linalg.eigh(part / scale / scale[:, None])
    direction[varying] = vectors[:, 0]
    size = np.abs(direction)
    # A feature is part of a dependency from this share of the largest weight in it.
    least_weight = 0.3
    involved = tuple(np.flatnonzero(size >= least_weight * size.max()).tolist())
    rank = int((values > rank_tolerance(d)).sum())
    correlation = _ratio(values, d)
    covariance = np.inf if np.isinf(correlation) else _covariance_ratio(part)
    return Condition(correlation, covariance, rank, involved, direction, fixed, "")


def _covariance_ratio(matrix: Floats) -> float:
    factor = whitener(matrix)
    if factor is None:
        return float(np.inf)
    # Singular values of a factor: small eigenvalues keep their digits in any units.
    sizes = np.linalg.svd(factor.colouring, compute_uv=False)
    with np.errstate(divide="ignore", over="ignore"):
        return float((sizes[0] / sizes[-1]) ** 2)


def _ratio(values: Floats, d: int) -> float:
    if values[0] <= rank_tolerance(d):
        return float(np.inf)
    return float(values[-1] / values[0])
