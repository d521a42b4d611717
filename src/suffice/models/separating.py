"""Features that separate the classes exactly: constant within each class, yet not overall."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import TooFewRows
from suffice.statistics.statistics import Statistics

# Variance within classes of such a feature, as a share of its overall variance.
FLOOR = 1e-9


def floor(statistics: Statistics) -> Floats:
    """Variance to add to each feature, (d,): zero but for features that separate exactly.

    Their likelihood grows without bound as the variance within classes goes to zero. With a
    tiny share of the overall variance instead, such a feature decides, as it should, and all
    numbers stay finite.
    """
    separating = (pooled_squares(statistics) == 0) & (statistics.mean != statistics.mean[0]).any(
        axis=0
    )
    if separating.any() and (statistics.count == 1).all():
        raise TooFewRows(
            "every class has 1 row (1 sample), so nothing is known of the spread within a class. "
            "Give at least one class two rows."
        )
    return np.where(separating, FLOOR * overall_variances(statistics), 0.0)


def pooled_squares(statistics: Statistics) -> Floats:
    """Sum over classes of the centred sums of squares, (d,)."""
    return np.asarray(statistics.spread.diagonal().sum(axis=0))


def overall_variances(statistics: Statistics) -> Floats:
    """Variance of each feature over all rows, between classes included, (d,)."""
    weight = statistics.weight[:, None]
    total = weight.sum()
    centre = statistics.mean[0]
    steps = statistics.mean - centre
    steps = steps - (weight * steps).sum(axis=0) / total
    between = (weight * steps * steps).sum(axis=0)
    return np.asarray((pooled_squares(statistics) + between) / total)
