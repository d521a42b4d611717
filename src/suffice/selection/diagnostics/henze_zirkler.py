"""Henze and Zirkler: a test of Gaussian classes that notices every other distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from suffice.data.arrays import Floats
from suffice.selection.diagnostics.cloud import Cloud, clouds, remarks, shapes
from suffice.selection.diagnostics.diagnostic import LEVEL, Diagnostic
from suffice.selection.diagnostics.normality import FINE, REMEDY, verdict
from suffice.selection.diagnostics.table import Table

# Of larger classes so many rows are drawn at random: the test compares all pairs of rows.
MOST_ROWS = 5_000

# Pairs are compared in blocks of about this many bytes.
BLOCK_BYTES = 1 << 24


def henze_zirkler(X: Any, y: Any, sample_weight: Any = None) -> Diagnostic:
    """Henze and Zirkler's test of multivariate normality (1990), class by class.

    The squared distance, with a Gaussian weight, between the characteristic function of the
    whitened rows and that of a Gaussian; compared with the log-normal distribution of the same
    mean and variance. The verdict takes all classes together (Holm). Of classes of more than
    5,000 rows, 5,000 are drawn at random.

    sample_weight : counts as so many equal rows

    >>> from sklearn.datasets import load_iris
    >>> found = henze_zirkler(*load_iris(return_X_y=True))
    >>> round(found.by_class[0]["statistic"], 5), round(found.by_class[0]["pvalue"], 5)
    (0.94885, 0.04995)
    >>> print(found.sentence)
    Nothing speaks against Gaussian classes (Henze-Zirkler, p = 0.15 adjusted for 3 tests).
    """
    table = Table.of(X, y, sample_weight).sampled(MOST_ROWS)
    found = shapes(table.statistics, spare=2)
    by_class = {cloud.shape.label: _numbers(cloud) for cloud in clouds(table, found)}
    pvalues = [numbers["pvalue"] for numbers in by_class.values()]
    pvalue, sentence = verdict(list(by_class), pvalues, "Henze-Zirkler")
    concern = pvalue < LEVEL
    return Diagnostic(
        "Henze-Zirkler",
        max(numbers["statistic"] for numbers in by_class.values()),
        pvalue,
        sentence + remarks(table, found),
        REMEDY if concern else FINE,
        concern,
        by_class,
        {"left_out": dict(found.left_out), "ignored_features": found.ignored},
    )


def _numbers(cloud: Cloud) -> dict[str, float]:
    n, d = cloud.shape.weight, cloud.shape.size
    b = ((2 * d + 1) * n / 4) ** (2 / (d + 4)) / 2  # beta squared
    value = _statistic(cloud.whitened(), cloud.weights, n, b)
    return {"rows": n, "statistic": value, "pvalue": _chance_beyond(value, d, b)}


def _statistic(rows: Floats, weights: Floats, n: float, b: float) -> float:
    d = rows.shape[1]
    squares = np.einsum("ij,ij->i", rows, rows)
    pairs = 0.0
    step = max(1, BLOCK_BYTES // (8 * len(rows)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        apart = rows[part] @ rows.T
        apart *= -2.0
        apart += squares[part, None]
        apart += squares
        np.maximum(apart, 0.0, out=apart)
        apart *= -b / 2
        np.exp(apart, out=apart)
        pairs += float(weights[part] @ (apart @ weights))
    singles = float(weights @ np.exp(-b / (2 * (1 + b)) * squares))
    return float(pairs / n - 2 * (1 + b) ** (-d / 2) * singles + n * (1 + 2 * b) ** (-d / 2))


def _chance_beyond(value: float, d: int, b: float) -> float:
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
