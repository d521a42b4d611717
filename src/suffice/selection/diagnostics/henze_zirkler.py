"""Henze and Zirkler: a test of Gaussian classes that notices every other distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from suffice.selection.diagnostics.cloud import Cloud, clouds, remarks, shapes
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.diagnostics.normality import normality_diagnostic


def henze_zirkler(
    X: Any, y: Any = None, sample_weight: Any = None, max_rows: int = 5_000
) -> Diagnostic:
    """Henze and Zirkler's test of multivariate normality (1990), class by class.

    The squared distance, with a Gaussian weight, between the characteristic function of the
    whitened rows and that of a Gaussian; compared with the log-normal distribution of the same
    mean and variance. The verdict takes all classes together (Holm).

    sample_weight : a weight counts as that many equal rows
    max_rows : of larger classes this many random rows, since all pairs of rows are compared

    >>> from sklearn.datasets import load_iris
    >>> found = henze_zirkler(*load_iris(return_X_y=True))
    >>> round(found.by_class[0]["statistic"], 5), round(found.by_class[0]["pvalue"], 5)
    (0.94885, 0.04995)
    >>> print(found.sentence)
    No evidence against Gaussian classes (Henze-Zirkler, p = 0.15 adjusted for 3 tests).
    """
    rows = CompleteRows.of(X, y, sample_weight).sample(max_rows)
    matrices = shapes(rows.statistics, spare=2)
    by_class = {cloud.shape.label: _numbers(cloud) for cloud in clouds(rows, matrices)}
    return normality_diagnostic(
        "Henze-Zirkler",
        max(numbers["statistic"] for numbers in by_class.values()),
        {label: [numbers["pvalue"]] for label, numbers in by_class.items()},
        by_class,
        matrices,
        remarks(rows, matrices),
    )


def _numbers(cloud: Cloud) -> dict[str, float]:
    n, d = cloud.shape.weight, cloud.shape.size
    b = ((2 * d + 1) * n / 4) ** (2 / (d + 4)) / 2  # beta squared
    value = _statistic(cloud, b)
    return {"rows": n, "statistic": value, "pvalue": _pvalue(value, d, b)}


def _statistic(cloud: Cloud, b: float) -> float:
    n, d, rows, weights = cloud.shape.weight, cloud.shape.size, cloud.whitened(), cloud.weights
    squares = np.einsum("ij,ij->i", rows, rows)
    pairs = 0.0
    step = max(1, cloud.rows.block_bytes // (8 * len(rows)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        distances = rows[part] @ rows.T
        distances *= -2.0
        distances += squares[part, None]
        distances += squares
        np.maximum(distances, 0.0, out=distances)
        distances *= -b / 2
        np.exp(distances, out=distances)
        pairs += float(weights[part] @ (distances @ weights))
    singles = float(weights @ np.exp(-b / (2 * (1 + b)) * squares))
    return float(pairs / n - 2 * (1 + b) ** (-d / 2) * singles + n * (1 + 2 * b) ** (-d / 2))


def _pvalue(value: float, d: int, b: float) -> float:
    """P(at least this value), by the log-normal with the mean and variance for many rows."""
    a, w = 1 + 2 * b, (1 + b) * (1 + 3 * b)
    pairs = d * (d + 2)
    mean = 1 - a ** (-d / 2) * (1 + d * b / a + pairs * b**2 / (2 * a**2))
    variance = (
        2 * (1 + 4 * b) ** (-d / 2)
        + 2 * a**-d * (1 + 2 * d * b**2 / a**2 + 3 * pairs * b**4 / (4 * a**4))
        - 4 * w ** (-d / 2) * (1 + 3 * d * b**2 / (2 * w) + pairs * b**4 / (2 * w**2))
    )
    spread = np.log1p(variance / mean**2)
    if value <= 0:
        return 1.0
    return float(special.ndtr(-(np.log(value / mean) + spread / 2) / np.sqrt(spread)))
