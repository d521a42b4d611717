"""Features that separate the classes exactly: constant within each class, but not overall.

The likelihood grows without bound as the variance within classes goes to zero. With a tiny share
of the overall variance instead, such a feature decides, as it should, and all numbers stay finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import NotFinite, TooFewRows
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.passes.reader import are_lost, vanished
from suffice.statistics.shift import difference


@dataclass(frozen=True)
class Separation:
    """Features without variance within classes."""

    statistics: AnyStatistics
    floor: Floats  # (d,): variances to add: those of features that separate the classes exactly
    constant: Array  # (d,): whether a feature never varies, within classes or between them

    @classmethod
    def of(
        cls, statistics: AnyStatistics, share: float = 1e-9, most_apart: float = 1e150
    ) -> Separation:
        """The features of these statistics.

        share : variance within classes of a feature that separates them, as a share of the overall
        most_apart : distance of class means up to which the overall variances are finite
        """
        still = np.asarray(statistics.squares.sum(axis=0) == 0)
        if not still.any() and np.abs(statistics.mean).max() < most_apart / 2:
            return cls(statistics, np.zeros(len(still)), still)
        overall = overall_variances(statistics)
        constant = np.asarray(overall == 0)
        separating = still & ~constant
        if separating.any() and len(statistics.classes) > 1 and (statistics.count == 1).all():
            raise no_spread()
        if still.any():
            apart = (statistics.mean != statistics.mean[0]).any(axis=0)
            lost = np.flatnonzero(still & apart & are_lost(share * overall, np.ones(1)))
            if len(lost):
                raise vanished(int(lost[0]), statistics.feature_names)
        return cls(statistics, np.where(separating, share * overall, 0.0), constant)

    @cached_property
    def overall(self) -> Floats:
        """Variances over all rows, between classes included, (d,)."""
        return overall_variances(self.statistics)


def check_denominator(statistics: AnyStatistics, settings: Settings) -> None:
    """Raise if ddof leaves nothing to divide by."""
    weight, k = float(statistics.weight.sum()), len(statistics.classes)
    if weight <= settings.ddof * k:
        raise TooFewRows(
            f"{k} classes with a total weight of {weight:g} leave nothing to divide by at "
            f"ddof={settings.ddof:g}. Use ddof=0 or more rows."
        )


def check_scale(statistics: AnyStatistics, most_squares: float = 2.0**1015) -> None:
    """Raise if sums of squares are too small or too large to keep their digits.

    most_squares : the largest sum of squares; larger ones could overflow when summed over features
    """
    if isinstance(statistics, IncompleteStatistics) and statistics.detail != "diagonal":
        return
    squares, count = statistics.squares, statistics.known_count
    usual = 1e200  # sums between this and its inverse are far from either end
    if squares.size and squares.min() > 1 / usual and squares.max() < usual:
        return
    if len(squares) < len(count):
        count = count.sum(axis=0)
    lost = (squares > 0) & are_lost(squares, count)
    if lost.any():
        raise vanished(int(np.nonzero(lost)[1][0]), statistics.feature_names)
    with np.errstate(over="ignore"):
        fine = squares.sum(axis=0) < most_squares
    if not fine.all():
        raise _too_large(int(fine.argmin()), statistics.feature_names)


def _too_large(column: int, names: tuple[str, ...] | None) -> NotFinite:
    return NotFinite(
        f"column {column if names is None else repr(names[column])} of X holds values too far "
        "apart for their squares to be added up; rescale it (for example, divide by 1e100)."
    )


def no_spread() -> TooFewRows:
    """The error for classes of a single row each."""
    return TooFewRows(
        "every class has 1 row (1 sample), so the spread within classes cannot be estimated. "
        "The number of samples must be more than the number of classes: give at least one "
        "class two rows."
    )


def mean_steps(statistics: AnyStatistics) -> Floats:
    """Class means about the overall mean, times the root of the class share, (k, d)."""
    weight = statistics.known_weight
    share = weight / weight.sum(axis=0)
    steps = difference(statistics.means, statistics.means[0])
    return np.asarray((steps - (share * steps).sum(axis=0)) * np.sqrt(share))


def overall_variances(statistics: AnyStatistics) -> Floats:
    """Variance of each feature over all rows, between classes included, (d,)."""
    within = statistics.squares.sum(axis=0) / statistics.known_weight.sum(axis=0)
    with np.errstate(over="ignore"):
        variances = np.asarray(within + (mean_steps(statistics) ** 2).sum(axis=0))
    large = np.flatnonzero(np.isinf(variances))
    if len(large):
        raise _too_large(int(large[0]), statistics.feature_names)
    return variances
