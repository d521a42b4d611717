"""Soundness: whether any rows can have these statistics."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.reader import SMALLEST_WEIGHT
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.semidefinite import SLACK, is_semidefinite
from suffice.statistics.statistics import Statistics
from suffice.statistics.threads import blas_threads

# Fourth-order sums may lose digits when rows are removed, but are right up to this factor.
FOURTH_ORDER_FACTOR = 4.0

# Largest number of rows: floats count no further, and sums of such counts would overflow.
MOST_ROWS = 1 << 53

# Largest weight or sum of squares: sums of larger ones would overflow.
LARGEST = 1e300


def check_sound(s: Statistics) -> None:
    """Raise ValueError if numbers contradict each other; shapes were checked before.

    >>> import suffice as sf
    >>> check_sound(sf.summarize([[1.0, 2.0], [3.0, 1.0]], ["a", "a"]))
    """
    check_counts(s.count, s.weight)
    _check_rounded("mean", s.means)
    spread = s.spread
    with np.errstate(over="ignore"):
        squares = spread.diagonal()
    if not (squares <= LARGEST).all() or not (np.abs(s.mean) <= np.sqrt(LARGEST)).all():
        raise ValueError("a sum of squares or a mean is too large")
    if isinstance(spread, FactoredScatter):
        bad = (spread.owner < 0) | (spread.owner >= spread.groups)
        if bad.any() or (np.diff(spread.owner) < 0).any():
            raise ValueError("the factor has rows that belong to no class")
    else:
        _check_rounded("scatter", spread.sums)
        if (squares < 0).any():
            raise ValueError("a sum of squares is negative")
    if isinstance(spread, DenseScatter):
        _check_matrices(spread)
    if s.fourth is not None:
        _check_fourth(s, s.fourth, squares)


def check_counts(count: Array, weight: Array) -> None:
    """Raise ValueError unless every class has a possible number of rows and weight."""
    if count.dtype != np.int64 or weight.dtype != np.float64 or not np.isfinite(weight).all():
        raise ValueError("a count or a weight is not a number")
    if (count <= 0).any() or (weight < SMALLEST_WEIGHT).any():
        raise ValueError("a class has no rows or no weight")
    if (count > MOST_ROWS).any() or (weight > LARGEST).any():
        raise ValueError("there are more rows than can be counted")


def check_total(count: Array, weight: Array) -> None:
    """Raise ValueError if the rows of all classes are too many to be added up."""
    if count.sum(dtype=np.float64) > MOST_ROWS or weight.sum() > LARGEST:
        raise ValueError("there are more rows than can be counted")


def _check_rounded(name: str, values: DoubleDouble) -> None:
    """Raise unless the low part is below the rounding of the high part.

    A larger low part would go unnoticed in results computed from the high part alone, until rows
    are added and both parts count.
    """
    if values.low is not None and not np.array_equal(values.high + values.low, values.high):
        raise ValueError(f"the low part of {name} is not what rounding leaves")


def _check_matrices(spread: DenseScatter) -> None:
    sums = spread.sums
    parts = [sums.high] if sums.low is None else [sums.high, sums.low]
    if not all(np.array_equal(matrix, matrix.T) for part in parts for matrix in part):
        raise ValueError("the scatter is not symmetric")
    with blas_threads(1):
        sound = all(map(is_semidefinite, sums.high))
    if not sound:
        raise ValueError("a scatter matrix is not positive semidefinite")


def _check_fourth(s: Statistics, fourth: Fourth, squares: Floats) -> None:
    """Raise if no rows with these squares can have these sums of |u|², |u|²u and |u|⁴."""
    if not 0 < fourth.unit < np.inf or not (fourth.since > 0).all():
        raise ValueError("the fourth-order sums have no unit or weight")
    with np.errstate(all="ignore"):
        smallest = (squares / fourth.unit / fourth.unit).sum(axis=1)
        apart = np.abs(s.mean - fourth.anchor) + SLACK * np.abs(s.mean)
        largest = smallest + s.weight * ((apart / fourth.unit) ** 2).sum(axis=1)
        cubic = np.linalg.norm(fourth.cubic, axis=1)
        possible = (
            (smallest <= FOURTH_ORDER_FACTOR * fourth.square)
            & (fourth.square <= FOURTH_ORDER_FACTOR * largest)
            & (fourth.square**2 <= FOURTH_ORDER_FACTOR * s.weight * fourth.quartic)
            & (cubic**2 <= FOURTH_ORDER_FACTOR * fourth.square * fourth.quartic)
        )
    if s.spread.per_class and not possible.all():
        raise ValueError("the fourth-order sums are not those of rows with this scatter")
