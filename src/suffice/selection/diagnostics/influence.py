"""Influence: how much each row moves the Gaussian of its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from suffice.data.arrays import Floats, Indices
from suffice.selection.diagnostics.cloud import Cloud, clouds, remarks, shapes
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.diagnostic import (
    LEVEL,
    Diagnostic,
    format_pvalue,
    list_names,
    number,
)
from suffice.text import shown


@dataclass(frozen=True, eq=False, slots=True)
class Influence:
    """The effect of leaving out each row; one value per given row, NaN for rows not tested.

    distance : squared Mahalanobis distance to the mean of its own class (divisor n)
    leverage : w (1 + distance) / n, from 0 to 1: at 1 the class has no covariance without the row
    mean_shift : squared Mahalanobis distance by which the class mean moves, as Cook's
    volume_change : how much ln|covariance| changes
    divergence : Kullback-Leibler divergence, in nats, of the class's Gaussian from the one
        without the row
    pvalue : exact probability that a row of a Gaussian class lies as far out
    ranking : the rows that were tested, the most influential first
    """

    distance: Floats
    leverage: Floats
    mean_shift: Floats
    volume_change: Floats
    divergence: Floats
    pvalue: Floats
    ranking: Indices


def influential_rows(
    X: Any, y: Any = None, sample_weight: Any = None, n_top: int = 5
) -> Diagnostic:
    """The rows whose removal would change their class most, in closed form for every row.

    `details["influence"]` is an `Influence`; `details["top"]` holds the `n_top` most influential
    rows. `pvalue` is that of the farthest row of all (Wilks 1963): its exact Beta probability
    times the number of rows.

    sample_weight : a weight counts as that many equal rows, left out together

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> X[7] = 9.0
    >>> print(influential_rows(X, np.arange(60) % 3).sentence)
    Row 7 of class 1 lies farther out than Gaussian rows do (p = 3.1e-07 adjusted for 60 rows);
    without it the Gaussian of its class differs by 3.099 nats.
    """
    rows = CompleteRows.of(X, y, sample_weight)
    matrices = shapes(rows.statistics, spare=2)
    columns = np.full((6, rows.given), np.nan)
    by_class = {}
    for cloud in clouds(rows, matrices):
        values = _columns(cloud)
        columns[:, rows.numbers[cloud.at]] = values
        by_class[cloud.shape.label] = {
            "rows": cloud.shape.weight,
            "largest_leverage": float(values[1].max()),
            "largest_divergence": float(values[4].max()),
            "smallest_pvalue": float(values[5].min()),
        }
    distance, leverage, shift, volume, divergence, pvalues = columns
    tested = np.flatnonzero(~np.isnan(divergence))
    ranking = tested[np.argsort(-divergence[tested], kind="stable")]
    adjusted = np.minimum(1.0, pvalues * len(tested))
    outlying = [int(i) for i in ranking if adjusted[i] < LEVEL]
    influence = Influence(distance, leverage, shift, volume, divergence, pvalues, ranking)
    top, first = ranking[:n_top], int(ranking[0])
    at = np.flatnonzero(rows.numbers == (outlying[0] if outlying else first))[0]
    own = rows.table.labels[at]
    pvalue = float(np.nanmin(adjusted))
    return Diagnostic(
        "Influential rows",
        float(divergence[first]),
        pvalue,
        _sentence(first, outlying, own, influence, pvalue, len(tested)) + remarks(rows, matrices),
        _recommendation(outlying),
        bool(outlying),
        by_class,
        {
            "influence": influence,
            "top": tuple(top.tolist()),
            "outlying": tuple(outlying),
            **matrices.details,
        },
    )


def _columns(cloud: Cloud) -> Floats:
    """The six measures of each row of a class, by a rank-one change of its scatter."""
    n, d, w = cloud.shape.weight, cloud.shape.size, cloud.weights
    distance = cloud.squared_lengths()
    leverage = np.minimum(w * (1 + distance) / n, 1.0)
    rest = n - w
    share = w / rest
    # ln|S without x| - ln|S| = d ln(n / (n - w)) + ln q, by the matrix determinant lemma.
    reach = np.minimum(share * distance, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_q = np.log1p(-reach)
        volume = log_q - d * np.log1p(-w / n)
        excess = (1 + share) * reach / (1 - reach)
        # Sum small terms only: beside terms of size d one row in a million would round to zero.
        divergence = (rest / n * excess - d * w / n + volume) / 2
    # Without such a row the covariance is singular: no Gaussian is left.
    gone = leverage >= 1 - 1e-12
    divergence = np.where(gone, np.inf, np.maximum(divergence, 0.0))
    volume = np.where(gone, -np.inf, volume)
    beta = np.clip(distance / (n - 1), 0.0, 1.0)
    pvalue = special.betainc((n - d - 1) / 2, d / 2, 1 - beta)
    return np.stack([distance, leverage, share**2 * distance, volume, divergence, pvalue])


def _sentence(
    first: int, outlying: list[int], label: Any, found: Influence, pvalue: float, tested: int
) -> str:
    by = f"({format_pvalue(pvalue)} adjusted for {tested:,} rows)"
    if not outlying:
        loss = number(found.divergence[first])
        return (
            f"No row lies farther out than Gaussian rows do {by}; the most influential is row "
            f"{first} of class {shown(label)} ({loss} nats)."
        )
    if len(outlying) == 1:
        loss = number(found.divergence[outlying[0]])
        return (
            f"Row {outlying[0]} of class {shown(label)} lies farther out than Gaussian rows do "
            f"{by}; without it the Gaussian of its class differs by {loss} nats."
        )
    return f"Rows {list_names(outlying)} lie farther out than Gaussian rows do {by}."


def _recommendation(outlying: list[int]) -> str:
    if not outlying:
        return "No row needs a second look."
    if len(outlying) == 1:
        return f"Look at row {outlying[0]}; model.forget removes it from the model."
    return f"Look at rows {list_names(outlying)}; model.forget removes them from the model."
