"""Distances: squared Mahalanobis distances of rows against those of Gaussian rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from suffice.data.arrays import Floats, Indices
from suffice.selection.diagnostics.cloud import Cloud, clouds, remarks, shapes
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.diagnostics.normality import normality_diagnostic


@dataclass(frozen=True, eq=False, slots=True)
class Quantiles:
    """The squared distances of the rows of a class to its mean, sorted, and their quantiles.

    observed : (n,) by the unbiased covariance
    expected : (n,) quantiles of the exact distribution (n-1)²/n Beta(d/2, (n-d-1)/2)
    chi2 : (n,) quantiles of the chi-square, its limit for many rows
    rows : (n,) row numbers
    """

    observed: Floats
    expected: Floats
    chi2: Floats
    rows: Indices


def distance_quantiles(X: Any, y: Any = None, sample_weight: Any = None) -> Diagnostic:
    """Squared Mahalanobis distances of each class against their distribution for Gaussian rows.

    `details["quantiles"]` holds the points of the plot, one `Quantiles` per class. The distance
    of a row to a mean and covariance that it has helped to estimate has a Beta distribution; the
    statistic is Anderson and Darling's of all rows against it. Since the distances of a class
    depend on each other, its p-value comes from a simulation, with a fixed seed, of 1,999
    Gaussian classes of as many features and rows (at most 400): it is not below 1/2000.

    sample_weight : a weight counts as that many equal rows

    >>> from sklearn.datasets import load_iris
    >>> found = distance_quantiles(*load_iris(return_X_y=True))
    >>> print(found.sentence)
    No evidence against Gaussian classes (distances, p = 0.086 adjusted for 3 tests).
    >>> plot = found.details["quantiles"][0]
    >>> print(plot.rows[-1], plot.observed[-1].round(2), plot.expected[-1].round(2))
    41 12.33 11.98
    """
    rows = CompleteRows.of(X, y, sample_weight)
    matrices = shapes(rows.statistics, spare=2)
    by_class, plots = {}, {}
    for cloud in clouds(rows, matrices):
        label = cloud.shape.label
        by_class[label], plots[label] = _test_class(cloud)
    return normality_diagnostic(
        "Distance quantiles",
        max(numbers["anderson_darling"] for numbers in by_class.values()),
        {label: [numbers["pvalue"]] for label, numbers in by_class.items()},
        by_class,
        matrices,
        remarks(rows, matrices),
        "distances",
        quantiles=plots,
    )


def _test_class(cloud: Cloud) -> tuple[dict[str, float], Quantiles]:
    n, d = cloud.shape.weight, cloud.shape.size
    lengths = cloud.squared_lengths()
    order = np.argsort(lengths, kind="stable")
    weights = cloud.weights[order]
    share = lengths[order] / (n - 1)  # Beta(d/2, (n-d-1)/2)
    before = np.cumsum(weights) - weights
    statistic = float(anderson_darling(share, before, weights, d))
    a, b = d / 2, (n - d - 1) / 2
    # The middle of the places of equal rows; offsets after Small (1978).
    low, high = (a - 1) / (2 * a), (b - 1) / (2 * b)
    place = (before + (weights + 1) / 2 - low) / (n - low - high + 1)
    scale = (n - 1) ** 2 / n
    plot = Quantiles(
        share * scale,
        special.betaincinv(a, b, place) * scale,
        special.chdtri(d, 1 - place),
        cloud.rows.numbers[cloud.at[order]],
    )
    # With more rows than this, the null distribution of the statistic no longer changes.
    many_rows = 400
    null = simulated_null(int(min(max(round(n), d + 2), max(many_rows, 4 * d))), d)
    beyond = len(null) - int(np.searchsorted(null, statistic, side="left"))
    pvalue = (beyond + 1) / (len(null) + 1)
    return {"rows": n, "anderson_darling": statistic, "pvalue": pvalue}, plot


def anderson_darling(share: Floats, before: Floats, weights: Floats, d: int) -> Floats:
    """Anderson and Darling's A² of sorted shares (..., m) against Beta(d/2, (n-d-1)/2).

    A row of weight w counts as w equal rows; `before` is the weight of the smaller ones.
    """
    n = float(before[-1] + weights[-1])
    a, b = d / 2, (n - d - 1) / 2
    share = np.clip(share, 0.0, 1.0)
    tiny = np.finfo(np.float64).tiny
    below = np.log(np.maximum(special.betainc(a, b, share), tiny))
    above = np.log(np.maximum(special.betainc(b, a, 1 - share), tiny))
    after = n - before - weights
    from_below = (before + weights) ** 2 - before**2
    from_above = (after + weights) ** 2 - after**2
    return np.asarray(-n - (below @ from_below + above @ from_above) / n)


@lru_cache(maxsize=64)
def simulated_null(n: int, d: int) -> Floats:
    """Sorted values of A² for classes of n Gaussian rows of d features."""
    rng = np.random.default_rng([n, d])
    # Fewer where 1,999 classes would take more than 4e9 multiplications.
    times = int(np.clip(4e9 / (n * d * d), 199, 1999))
    step = max(1, (1 << 21) // (n * d))
    before, ones = np.arange(n, dtype=np.float64), np.ones(n)
    out = np.empty(times)
    for start in range(0, times, step):
        rows = rng.standard_normal((min(step, times - start), n, d))
        rows -= rows.mean(axis=1, keepdims=True)
        factor = np.linalg.cholesky(np.matmul(rows.transpose(0, 2, 1), rows))
        white = np.linalg.solve(factor, rows.transpose(0, 2, 1))
        share = np.sort(np.einsum("bij,bij->bj", white, white) * n / (n - 1), axis=1)
        out[start : start + step] = anderson_darling(share, before, ones, d)
    out.sort()
    out.setflags(write=False)
    return out
