"""Value rounding: features whose values differ by no more than rounding are constant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.statistics.numbers import EPSILON, DoubleDouble
from suffice.statistics.statistics import Statistics


def without_value_rounding(s: Statistics, roundings: float = 2.0) -> Statistics:
    """The same, with exactly one value for every feature that varies by rounding alone.

    For example, shares that add up to one may differ in the last bit. A model must not learn from
    such accidents of arithmetic.

    roundings : the smallest deviation that counts, in units of rounding of the values

    >>> import suffice as sf
    >>> a = without_value_rounding(sf.summarize([[0.1 + 0.2], [0.3], [0.3]], [0, 0, 1]))
    >>> a.scatter.ravel(), bool(a.mean[0] == a.mean[1])
    (array([0., 0.]), True)
    """
    if not len(s.classes):
        return s
    mean, squares = s.means.high, s.spread.diagonal()
    weight = s.weight if s.spread.per_class else s.weight.sum(keepdims=True)
    rounding = roundings * EPSILON * np.abs(mean).max(axis=0)
    with np.errstate(over="ignore"):
        still = (squares <= weight[:, None] * rounding**2).all(axis=0)
        if not still.any():
            return s
        range_of_means = np.ptp(mean, axis=0)
        still &= range_of_means <= rounding
    still &= squares.any(axis=0) | (range_of_means > 0)
    if not still.any():
        return s
    low = np.zeros_like(mean) if s.means.low is None else s.means.low
    high, low = (np.where(still, part[0], part) for part in (mean, low))
    cleared = s.spread.cleared(np.broadcast_to(still, squares.shape))
    return replace(s, means=DoubleDouble(high, low), spread=cleared)
