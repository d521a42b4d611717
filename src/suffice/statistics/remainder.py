"""Remainder: what a removal leaves, and how much of it may be nothing but rounding.

No record is kept of the rounding that earlier removals left, so each removal is judged on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics.numbers import EPSILON, DoubleDouble
from suffice.statistics.shift import Shift
from suffice.statistics.statistics import Statistics
from suffice.text import shown


@dataclass(frozen=True, slots=True)
class Rounding:
    """Bounds on the rounding error in the remaining statistics."""

    # Bound on the rounding in a sum over rows, relative to it; the largest measured, for ten to a
    # million rows, is 320 units of rounding.
    in_sums: ClassVar[float] = 512 * EPSILON

    # Means of the same rows agree to this relative difference.
    in_means: ClassVar[float] = 1e-6

    # A removal that leaves a spread with fewer than five digits is refused.
    least_precision: ClassVar[float] = 1e-5

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
        unit, total, right = cls.in_sums, whole.weight[at.both], removed.weight
        before, removed_squares = (s.spread.diagonal() for s in (whole, removed))
        own = before[at.both] if per_class else before
        deviation = np.sqrt(own / total[:, None]) + np.sqrt(removed_squares / right[:, None])
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
            return cls(unit * (before + removed_squares) + joined, means)
        squares = np.zeros_like(before)
        squares[at.both] = unit * (own + removed_squares + shift.jump**2 + cross) + off
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
    mean_error: Floats  # (k, d): of this removal and, by the size of the values, of earlier ones
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
        usual = Rounding.in_sums * np.maximum(self.squares, 0.0).sum(axis=0)
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


def without_rounding(
    left: Statistics, whole: Statistics, error: Rounding, cells: CellPlaces | None
) -> Statistics:
    """Raise if what remains is mostly rounding; set sums of squares within rounding to zero."""
    remainder = Remainder.of(left, whole, error, cells)
    squares, bound = remainder.squares, remainder.bound
    none, single = remainder.are_at_most(0), remainder.are_at_most(1)
    # A single row has no variance; a variance far from zero means that the removed rows were
    # never part of the whole.
    bound = np.where(single, bound * (Rounding.in_means / Rounding.in_sums), bound)
    bound = np.where(none, np.inf, bound)
    impossible = np.asarray((squares < -bound) | (single & (squares > bound)))
    if impossible.any():
        raise NeverIncluded(
            f"removing these rows would leave an impossible variance of "
            f"{_place(left, impossible, cells)}. Were they added, with the same weights? If they "
            "were, earlier removals have used up the digits: summarize the remaining rows again."
        )
    zero = squares <= bound
    noisy = np.asarray((remainder.error > Rounding.least_precision * squares) & ~zero)
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


def _place(left: Statistics, at: Array, cells: CellPlaces | None) -> str:
    """The first feature for which `at` is true, with its class unless classes are pooled."""
    c, j = (int(i[0]) for i in np.nonzero(at))
    if cells is not None:
        # The caller replaces the cell by its class and feature.
        here = (cells.class_of == c) & (cells.feature_of == j)
        return f"feature 0 in class {left.classes[int(here.argmax())]}"
    return f"{feature_name(left, j)}{of_class(left, c)}"


def feature_name(statistics: Statistics, j: int) -> str:
    """The name of a feature in messages."""
    names = statistics.feature_names
    return f"feature {j}" if names is None else f"feature {names[j]!r}"


def of_class(statistics: Statistics, group: int) -> str:
    """The class of a group in messages; nothing if classes are pooled."""
    return f" in class {shown(statistics.classes[group])}" if statistics.spread.per_class else ""
