"""Removal: the statistics of the remaining rows when some rows are removed.

No trace of the removed rows is kept: up to rounding, the result is what summarizing the remaining
rows would give. Not even the size of the rounding error is recorded, so each removal is checked on
its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics import fourth, scatter
from suffice.statistics.alignment import Alignment, align
from suffice.statistics.factored_scatter import FactoredScatter, from_matrices
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import EPSILON, DoubleDouble
from suffice.statistics.scatter import DenseScatter, Scatter
from suffice.statistics.semidefinite import is_semidefinite
from suffice.statistics.shift import Shift, difference
from suffice.statistics.statistics import Statistics, check_same_shape

# Bound on the rounding in a sum over rows, in units of rounding; the largest measured, for ten to
# a million rows, is 320.
ROUNDINGS = 512


# Means of the same rows agree to this relative difference.
SAME_MEAN = 1e-6


# A removal that leaves a spread with fewer than five digits is refused.
LEAST_PRECISION = 1e-5


@np.errstate(over="ignore", invalid="ignore")
def remove(whole: Statistics, removed: Statistics, cells: CellPlaces | None = None) -> Statistics:
    """The statistics of the rows of `whole` that are not in `removed`.

    cells : the places of the classes, if they are cells of a table of classes by features
    """
    check_same_shape(whole, removed)
    if not len(removed.classes):
        return whole
    if not len(whole.classes):
        raise NeverIncluded("there is nothing to remove rows from.")
    at = align(whole.classes, removed.classes)
    _check_included(whole, removed, at)
    _check_emptied(whole, removed, at)
    count = whole.count.copy()
    count[at.both] -= removed.count
    if not count.any():
        return Statistics.empty(like=whole)
    shift = _shift(whole, removed, at)
    error = Rounding.of(whole, removed, shift)
    emptied = (count == 0)[:, None]
    slack = np.where(emptied, np.inf, error.squares) if whole.spread.per_class else error.squares
    weight = whole.weight.copy()
    weight[at.both] = shift.left_weight
    left = Statistics(
        whole.classes,
        count,
        np.where(count == 0, 0.0, weight),
        whole.means.with_rows(at.both, _left_means(whole, shift)),
        scatter.reduce(whole.spread, removed.spread, at, shift.jump, slack),
        None,
        whole.feature_names,
    )
    left = _without_rounding(left, whole, error, cells)
    _check_directions(left, removed)
    left = replace(left, spread=_of_few_rows(left, error)).without_empty_classes()
    left = replace(left, fourth=_left_fourth(left, whole, removed, at))
    if isinstance(left.spread, FactoredScatter):
        # In a form that does not depend on the removed rows.
        left = replace(left, spread=left.spread.canonical())
    return left


def _check_included(whole: Statistics, removed: Statistics, at: Alignment) -> None:
    if at.has_new:
        unknown = [label for label in removed.classes if label not in whole.classes]
        raise NeverIncluded(
            f"class {shown(unknown[0])} has rows to remove, but none were ever added."
        )
    excess = removed.count > whole.count[at.both]
    heavier = removed.weight > whole.weight[at.both] * (1 + 1e-9)
    emptied = removed.count == whole.count[at.both]
    uneven = emptied & ~np.isclose(removed.weight, whole.weight[at.both], rtol=1e-9)
    used_up = ~emptied & ~(removed.weight < whole.weight[at.both])
    for bad, what in (
        (excess, "rows"),
        (heavier | uneven | used_up, "weight"),
    ):
        if bad.any():
            c = int(bad.argmax())
            have = (whole.count if what == "rows" else whole.weight)[at.both][c]
            take = (removed.count if what == "rows" else removed.weight)[c]
            label = shown(removed.classes[c])
            raise NeverIncluded(
                f"class {label} has {have} {what}; {take} cannot be removed from it."
            )
    left, rows = whole.weight[at.both] - removed.weight, whole.count[at.both]
    lost = lost_precision(rows, whole.weight[at.both], rows - removed.count, left)
    if lost.any():
        raise LostPrecision(
            f"what remains of class {shown(removed.classes[int(lost.argmax())])} weighs too little "
            "beside what was removed to keep eight digits; summarize the remaining rows again."
        )


def _check_emptied(whole: Statistics, removed: Statistics, at: Alignment) -> None:
    """Raise if a class would be emptied whose mean differs from that of the rows to remove."""
    emptied = whole.count[at.both] == removed.count
    if not emptied.any():
        return
    deviation = np.sqrt(whole.squares.sum(axis=0) / whole.weight.sum())
    mean = whole.mean[at.both]
    far = np.abs(removed.mean - mean) > SAME_MEAN * (
        deviation + np.abs(removed.mean) + np.abs(mean)
    )
    far &= emptied[:, None]
    if far.any():
        c, j = (int(i[0]) for i in np.nonzero(far))
        raise NeverIncluded(
            f"there are as many rows to remove as class {shown(removed.classes[c])} has, but "
            f"they are not the same rows: their mean of {_feature(whole, j)} differs."
        )


def lost_precision(rows: Indices, weight: Floats, rows_left: Indices, left: Floats) -> Array:
    """Where a difference of weights has lost its digits; without weights it is exact."""
    exact = (weight == rows) & (left == rows_left)
    # Bound on the rounding in a difference of weights, in units of rounding.
    weight_roundings = 8
    # A removal that leaves a weight with fewer than eight digits is refused.
    weight_precision = 1e-8
    smallest = weight_roundings * EPSILON / weight_precision * weight
    return np.asarray((rows_left > 0) & (left < smallest) & ~exact)


def _shift(whole: Statistics, removed: Statistics, at: Alignment) -> Shift:
    """The merge to undo, of the remaining rows (left) and the removed rows (right)."""
    total, right = whole.weight[at.both], removed.weight
    emptied = whole.count[at.both] == removed.count
    left = np.where(emptied, 0.0, total - right)
    # right mean - left mean, from right mean - whole mean
    stretch = np.where(emptied, 0.0, total / np.where(emptied, 1.0, left))
    gap = difference(removed.means, whole.means[at.both]) * stretch[:, None]
    return Shift(at, left, right, gap, right / total, left / total)


def _left_means(whole: Statistics, shift: Shift) -> DoubleDouble:
    return whole.means[shift.alignment.both] - DoubleDouble(shift.gap * shift.left_share[:, None])


@dataclass(frozen=True, slots=True)
class Rounding:
    """Bounds on the rounding error in the remaining statistics."""

    squares: Floats  # (groups, d): of sums of squares
    means: Floats  # (k, d)

    @classmethod
    def of(cls, whole: Statistics, removed: Statistics, shift: Shift) -> Rounding:
        """The bounds for a removal; zero for classes that lose no row.

        The error of a mean is about one unit of rounding of the standard deviation, that of a sum
        of squares one unit of itself. The squares lose n |gap|², in which the error of the gap
        counts twice.
        """
        per_class, at = whole.spread.per_class, shift.alignment
        unit, total, right = ROUNDINGS * EPSILON, whole.weight[at.both], removed.weight
        before, taken = (s.spread.diagonal() for s in (whole, removed))
        own = before[at.both] if per_class else before
        deviation = np.sqrt(own / total[:, None]) + np.sqrt(taken / right[:, None])
        cross = 2 * right[:, None] * np.abs(shift.gap) * deviation
        means = np.zeros_like(whole.mean)
        left = np.where(shift.left_weight > 0, shift.left_weight, np.inf)
        # Means left by earlier removals have errors of the size of the rounding of the values.
        off = (total**2 / left)[:, None] * (4 * EPSILON * whole.mean[at.both]) ** 2
        step = np.abs(shift.gap) * shift.left_share[:, None]
        means[at.both] = unit * (deviation * (total / left)[:, None] + step)
        if not per_class:
            joined = shift.jump**2 + cross
            joined = (unit * joined + off).sum(axis=0, keepdims=True)
            return cls(unit * (before + taken) + joined, means)
        squares = np.zeros_like(before)
        squares[at.both] = unit * (own + taken + shift.jump**2 + cross) + off
        return cls(squares, means)


@dataclass(frozen=True, slots=True)
class CellPlaces:
    """The place of each one-feature class in a table of classes by features."""

    class_of: Indices  # (cells,)
    feature_of: Indices  # (cells,)
    n_features: int

    def table(self, values: Array) -> Array:
        """Values of cells as a table; zero where no cell exists."""
        shape = (int(self.class_of.max(initial=-1)) + 1, self.n_features)
        out = np.zeros(shape, values.dtype)
        out[self.class_of, self.feature_of] = values[:, 0]
        return out

    def listed(self, table: Array) -> Array:
        """The entries of a table that are cells, (cells, 1)."""
        return np.asarray(table[self.class_of, self.feature_of][:, None])


@dataclass(frozen=True, slots=True)
class Remainder:
    """The result of a removal, as tables of classes by features."""

    # Bound on the rounding that earlier removals left in means, in units of rounding of the values.
    value_roundings: ClassVar[int] = 64

    squares: Floats  # (k, d), or (1, d) if pooled
    before: Floats  # likewise, of all rows before the removal
    error: Floats  # bounds on the rounding in the squares
    means: Floats  # (k, d)
    mean_error: (
        Floats  # (k, d): error of this removal and, from the size of the values, of earlier ones
    )
    count: Indices  # (k, d) or (k, 1)
    weight: Floats  # likewise

    @classmethod
    def of(
        cls, left: Statistics, whole: Statistics, error: Rounding, cells: CellPlaces | None
    ) -> Remainder:
        """The tables of a removal; cells are put in their places first."""
        mean_error = error.means + cls.value_roundings * EPSILON * np.abs(left.mean)
        tables = (
            left.spread.diagonal(),
            whole.spread.diagonal(),
            error.squares,
            left.mean,
            mean_error,
            left.count[:, None],
            left.weight[:, None],
        )
        return cls(*tables if cells is None else map(cells.table, tables))

    @property
    def is_pooled(self) -> bool:
        """Whether the squares are pooled over classes."""
        return len(self.squares) < len(self.means)

    @property
    def present(self) -> Array:
        """Where rows remain, (k, d)."""
        return np.asarray(np.broadcast_to(self.count > 0, self.means.shape))

    def are_at_most(self, rows: int) -> Array:
        """Where no class of a group has more than `rows` rows, in the shape of the squares."""
        few = np.broadcast_to(self.count <= rows, self.means.shape)
        return np.asarray(few.all(axis=0, keepdims=True) if self.is_pooled else few)

    @property
    def bound(self) -> Floats:
        """Sums of squares up to this bound may be nothing but rounding."""
        # Rows removed one by one leave the rounding error of all the rows there once were; the
        # spread of the other classes indicates its size.
        usual = ROUNDINGS * EPSILON * np.maximum(self.squares, 0.0).sum(axis=0)
        has_fallen = (self.before > usual) & (self.error > 0)
        return np.where(has_fallen, np.maximum(self.error, usual), self.error)

    def hides_nothing(self, squares: Floats, bound: Floats) -> Array:
        """Where the spread that rounding may hide is too small to matter.

        It must be small compared to the spread of the other classes and the distances between
        their means; if there are none, compared to the mean, unless that is zero up to typical
        rounding (the bound is for the worst case).
        """
        low, high = (np.where(self.present, self.means, -end) for end in (-np.inf, np.inf))
        apart = high.max(axis=0) - low.min(axis=0)
        apart[apart <= 2 * self.mean_error.max(axis=0)] = 0.0
        size = np.abs(self.means)
        values = self.value_roundings * EPSILON * size
        is_zero = np.array(size <= (self.mean_error - values) / 16)
        if self.is_pooled:
            weight, scale = self.weight.sum(axis=0, keepdims=True), apart[None]
            size, is_zero = size.max(axis=0)[None], np.logical_and.reduce(is_zero)[None]
        else:
            weight = self.weight
            others = np.maximum(weight.sum(axis=0) - weight, np.finfo(float).tiny)
            squares = np.where(squares > weight * values**2, squares, 0.0)
            scale = np.maximum(np.sqrt((squares.sum(axis=0) - squares) / others), apart)
        hidden = np.sqrt(bound / np.where(weight > 0, weight, np.inf))
        # A standard deviation hidden by rounding is harmless below this share of the others.
        harmless_share = 1e-4
        return np.asarray(
            (hidden <= harmless_share * np.where(scale > 0, scale, size)) | is_zero & (scale == 0)
        )

    def constant_features(self, zero: Array) -> tuple[Array, Indices]:
        """Where a feature is constant over all classes, and the class to take its mean from, (d,).

        A feature that is constant over all remaining rows must have the same mean in all classes:
        otherwise a difference made by rounding would separate the classes with certainty.
        """
        still = np.broadcast_to(zero | (self.squares == 0), self.means.shape)
        reference = np.where(self.present, self.mean_error, np.inf).argmin(axis=0)
        at = np.arange(self.means.shape[1])
        same = (still | ~self.present).all(axis=0) & self.present
        blur = self.mean_error + self.mean_error[reference, at]
        return same & (np.abs(self.means - self.means[reference, at]) <= blur), reference


def _without_rounding(
    left: Statistics, whole: Statistics, error: Rounding, cells: CellPlaces | None
) -> Statistics:
    """Raise if what remains is mostly rounding; set sums of squares within rounding to zero."""
    remainder = Remainder.of(left, whole, error, cells)
    squares, bound = remainder.squares, remainder.bound
    none, single = remainder.are_at_most(0), remainder.are_at_most(1)
    # A single row has no variance; a variance far from zero means that the removed rows were
    # never part of the whole.
    bound = np.where(single, bound * (SAME_MEAN / (ROUNDINGS * EPSILON)), bound)
    bound = np.where(none, np.inf, bound)
    impossible = np.asarray((squares < -bound) | (single & (squares > bound)))
    if impossible.any():
        raise NeverIncluded(
            f"removing these rows would leave an impossible variance of "
            f"{_place(left, impossible, cells)}. Were they added, with the same weights? If they "
            "were, earlier removals have used up the digits: summarize the remaining rows again."
        )
    zero = squares <= bound
    noisy = np.asarray((remainder.error > LEAST_PRECISION * squares) & ~zero)
    doubtful = zero & (remainder.before > 0) & (remainder.error > 0) & ~single
    noisy |= doubtful & ~remainder.hides_nothing(np.where(zero, 0.0, squares), bound)
    if noisy.any():
        raise LostPrecision(
            f"what remains of {_place(left, noisy, cells)} is too small beside what was removed "
            "to keep five digits; summarize the remaining rows again."
        )
    return _set_constant_features(left, remainder, zero, error.means, cells)


def _set_constant_features(
    left: Statistics, remainder: Remainder, zero: Array, error: Floats, cells: CellPlaces | None
) -> Statistics:
    """The same with the marked sums of squares zero and one mean for each constant feature."""
    same, reference = remainder.constant_features(zero)
    high, low = left.means.high, left.means.low
    low = np.zeros_like(high) if low is None else low
    means = []
    for part in (high, low):
        table = part if cells is None else cells.table(part)
        table = np.where(same, table[reference, np.arange(table.shape[1])], table)
        means.append(table if cells is None else cells.listed(table))
    spread = left.spread
    if zero.any():
        spread = spread.cleared(zero if cells is None else cells.listed(zero))
    still = np.broadcast_to(spread.diagonal() == 0, high.shape)
    is_zero = still & (np.abs(means[0]) <= error)
    high, low = (np.where(is_zero, 0.0, part) for part in means)
    return replace(left, means=DoubleDouble(high, low), spread=spread)


def _check_directions(left: Statistics, removed: Statistics) -> None:
    """Raise if some direction has a negative sum of squares, which no rows can have."""
    if not isinstance(left.spread, DenseScatter):
        return
    touched = np.isin(left.classes, removed.classes) & (left.count > 0)
    groups = np.flatnonzero(touched) if left.spread.per_class else np.zeros(1, np.int64)
    for group in groups.tolist():
        if not is_semidefinite(left.spread.sums.high[group]):
            raise NeverIncluded(
                f"removing these rows would leave an impossible covariance"
                f"{_of_class(left, group)}. Were they added, with the same weights?"
            )


def _of_few_rows(left: Statistics, error: Rounding) -> Scatter:
    """The scatter as a factor where that is smaller than matrices, as if rows were never removed.

    Its rank is limited by the number of rows, so other directions hold no rounding.
    """
    spread, present = left.spread, left.count > 0
    if not isinstance(spread, DenseScatter):
        return spread
    groups = int(present.sum()) if spread.per_class else 1
    if left.count.sum() > groups * left.n_features:
        return spread
    rank = np.maximum(left.count - 1, 0)
    if not spread.per_class:
        rank = rank.sum(keepdims=True)
    sizes = np.maximum(error.squares / (ROUNDINGS * EPSILON), spread.diagonal())
    return from_matrices(spread.sums.high, rank, sizes, spread.per_class)


def _left_fourth(
    left: Statistics, whole: Statistics, removed: Statistics, at: Alignment
) -> Fourth | None:
    """The fourth-order sums of what remains, unless rounding has used up their digits."""
    if whole.fourth is None or removed.fourth is None:
        return None
    kept = np.flatnonzero(np.isin(whole.classes, left.classes))
    sums = fourth.reduce(whole.fourth, removed.fourth, removed.known, at).keep(kept)
    fourth_left = sums.canonical(left.known)
    if not fourth_left.quartic.any():
        return fourth_left
    before = whole.fourth.in_unit(fourth_left.unit).keep(kept).quartic
    touched = np.isin(left.classes, removed.classes) & (fourth_left.quartic != 0)
    lost = ROUNDINGS * EPSILON * before > LEAST_PRECISION * fourth_left.quartic
    # The squares also follow from the scatter, which has more digits.
    squares = (left.spread.diagonal() / fourth_left.unit / fourth_left.unit).sum(axis=1)
    lost |= np.abs(fourth_left.square - squares) > LEAST_PRECISION * squares
    return None if (touched & lost).any() else fourth_left


def _place(left: Statistics, at: Array, cells: CellPlaces | None) -> str:
    """The first feature for which `at` is true, with its class unless classes are pooled."""
    c, j = (int(i[0]) for i in np.nonzero(at))
    if cells is not None:
        # The caller replaces the cell by its class and feature.
        here = (cells.class_of == c) & (cells.feature_of == j)
        return f"feature 0 in class {left.classes[int(here.argmax())]}"
    return f"{_feature(left, j)}{_of_class(left, c)}"


def _feature(statistics: Statistics, j: int) -> str:
    names = statistics.feature_names
    return f"feature {j}" if names is None else f"feature {names[j]!r}"


def _of_class(statistics: Statistics, group: int) -> str:
    return f" in class {shown(statistics.classes[group])}" if statistics.spread.per_class else ""
