"""Features that separate the classes exactly: constant within each class, yet not overall.

The likelihood grows without bound as the variance within classes goes to zero there. With a
tiny share of the overall variance instead, such a feature decides, as it should, and all
numbers stay finite.
"""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import TooFewRows
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.shift import difference

# Variance within classes of such a feature, as a share of its overall variance.
FLOOR = 1e-9


def check_denominator(statistics: AnyStatistics, settings: Settings) -> None:
    """Raise where the degrees of freedom leave nothing to divide by."""
    weight, k = float(statistics.weight.sum()), len(statistics.classes)
    if weight <= settings.ddof * k:
        raise TooFewRows(
            f"{k} classes with a total weight of {weight:g} leave nothing to divide by at "
            f"ddof={settings.ddof:g}. Use ddof=0 or more rows."
        )


def check_some_spread(statistics: AnyStatistics) -> None:
    """Raise where every class is a single row: nothing is known of the spread within classes."""
    if len(statistics.classes) > 1 and (statistics.count == 1).all():
        raise TooFewRows(
            "every class has 1 row (1 sample), so nothing is known of the spread within a class. "
            "Give at least one class two rows."
        )


def floor(statistics: AnyStatistics, overall: Floats) -> Floats:
    """Variance to add to each feature, (d,): zero but for features that separate exactly."""
    separating = (pooled_squares(statistics) == 0) & (overall > 0)
    if separating.any():
        check_some_spread(statistics)
    return np.where(separating, FLOOR * overall, 0.0)


def pooled_squares(statistics: AnyStatistics) -> Floats:
    """Sum over classes of the centred sums of squares, (d,)."""
    return np.asarray(statistics.squares.sum(axis=0))


def mean_steps(statistics: AnyStatistics) -> Floats:
    """Class means about the overall mean, times the root of the class share, (k, d)."""
    known = statistics.known_weight
    share = known / known.sum(axis=0)
    steps = difference(statistics.means, statistics.means[0])
    return np.asarray((steps - (share * steps).sum(axis=0)) * np.sqrt(share))


def overall_variances(statistics: AnyStatistics) -> Floats:
    """Variance of each feature over all rows, between classes included, (d,)."""
    within = pooled_squares(statistics) / statistics.known_weight.sum(axis=0)
    return np.asarray(within + (mean_steps(statistics) ** 2).sum(axis=0))
