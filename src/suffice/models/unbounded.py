"""Features whose likelihood has no maximum: constant within each class, yet not overall."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import TooFewRows, Unbounded
from suffice.statistics.statistics import Statistics


def check_bounded(statistics: Statistics) -> None:
    """Raise where a feature alone separates classes exactly."""
    separating = (pooled_squares(statistics) == 0) & differs(statistics)
    if not separating.any():
        return
    if (statistics.count == 1).all():
        raise TooFewRows(
            "every class has 1 row (1 sample), so nothing is known of the spread within a class. "
            "Give at least one class two rows."
        )
    j = int(separating.argmax())
    names = statistics.feature_names
    name = f"feature {j}" if names is None else f"feature {names[j]!r}"
    raise Unbounded(
        f"{name} is constant within every class but differs between classes, so it alone "
        "separates them and its likelihood is unbounded. Is it a copy of the label? Drop it, "
        "or set shrinkage > 0."
    )


def pooled_squares(statistics: Statistics) -> Floats:
    """Sum over classes of the centred sums of squares, (d,)."""
    return np.asarray(statistics.spread.diagonal().sum(axis=0))


def differs(statistics: Statistics) -> Array:
    """Which features do not have the same mean in every class, (d,)."""
    return np.asarray((statistics.mean != statistics.mean[0]).any(axis=0))


def overall_variances(statistics: Statistics) -> Floats:
    """Variance of each feature over all rows, between classes included, (d,)."""
    weight = statistics.weight[:, None]
    total = weight.sum()
    centre = statistics.mean[0]
    steps = statistics.mean - centre
    steps = steps - (weight * steps).sum(axis=0) / total
    between = (weight * steps * steps).sum(axis=0)
    return np.asarray((pooled_squares(statistics) + between) / total)
