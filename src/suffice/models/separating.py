"""Features that separate the classes exactly: constant within each class, but not overall.

The likelihood grows without bound as the variance within classes goes to zero. With a tiny share
of the overall variance instead, such a feature decides, as it should, and all numbers stay finite.
"""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import NotFinite, TooFewRows
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.reader import are_lost, vanished
from suffice.statistics.shift import difference


def check_denominator(statistics: AnyStatistics, settings: Settings) -> None:
    """Raise if ddof leaves nothing to divide by."""
    weight, k = float(statistics.weight.sum()), len(statistics.classes)
    if weight <= settings.ddof * k:
        raise TooFewRows(
            f"{k} classes with a total weight of {weight:g} leave nothing to divide by at "
            f"ddof={settings.ddof:g}. Use ddof=0 or more rows."
        )


def check_scale(statistics: AnyStatistics) -> None:
    """Raise if sums of squares are too small or too large to keep their digits."""
    if isinstance(statistics, IncompleteStatistics) and statistics.detail != "diagonal":
        return
    squares, count = statistics.squares, statistics.known_count
    if len(squares) < len(count):
        count = count.sum(axis=0)
    lost = (squares > 0) & are_lost(squares, count)
    if lost.any():
        raise vanished(int(np.nonzero(lost)[1][0]), statistics.feature_names)
    # Largest sum of squares: larger ones could overflow when summed over features.
    most_squares = 2.0**1015
    with np.errstate(over="ignore"):
        large = np.flatnonzero(~(squares.sum(axis=0) < most_squares))
    if len(large):
        raise _too_large(int(large[0]), statistics.feature_names)


def _too_large(column: int, names: tuple[str, ...] | None) -> NotFinite:
    return NotFinite(
        f"column {column if names is None else repr(names[column])} of X holds values too far "
        "apart for their squares to be added up; rescale it (for example, divide by 1e100)."
    )


def check_some_spread(statistics: AnyStatistics) -> None:
    """Raise if every class is a single row, so that the spread cannot be estimated."""
    if len(statistics.classes) > 1 and (statistics.count == 1).all():
        raise TooFewRows(
            "every class has 1 row (1 sample), so the spread within classes cannot be estimated. "
            "The number of samples must be more than the number of classes: give at least one "
            "class two rows."
        )


def floor(statistics: AnyStatistics, overall: Floats) -> Floats:
    """Variance to add to each feature, (d,): zero except for features that separate exactly."""
    least = 1e-9  # variance within classes, as a share of the overall variance
    still = pooled_squares(statistics) == 0
    separating = still & (overall > 0)
    if separating.any():
        check_some_spread(statistics)
    if still.any():
        apart = (statistics.mean != statistics.mean[0]).any(axis=0)
        lost = np.flatnonzero(still & apart & are_lost(least * overall, np.ones(1)))
        if len(lost):
            raise vanished(int(lost[0]), statistics.feature_names)
    return np.where(separating, least * overall, 0.0)


def pooled_squares(statistics: AnyStatistics) -> Floats:
    """Sum over classes of the centred sums of squares, (d,)."""
    return np.asarray(statistics.squares.sum(axis=0))


def mean_steps(statistics: AnyStatistics) -> Floats:
    """Class means about the overall mean, times the root of the class share, (k, d)."""
    weight = statistics.known_weight
    share = weight / weight.sum(axis=0)
    steps = difference(statistics.means, statistics.means[0])
    return np.asarray((steps - (share * steps).sum(axis=0)) * np.sqrt(share))


def overall_variances(statistics: AnyStatistics) -> Floats:
    """Variance of each feature over all rows, between classes included, (d,)."""
    within = pooled_squares(statistics) / statistics.known_weight.sum(axis=0)
    with np.errstate(over="ignore"):
        variances = np.asarray(within + (mean_steps(statistics) ** 2).sum(axis=0))
    large = np.flatnonzero(np.isinf(variances))
    if len(large):
        raise _too_large(int(large[0]), statistics.feature_names)
    return variances
