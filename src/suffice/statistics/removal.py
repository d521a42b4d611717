"""Removal: the statistics of what remains when some rows are taken out again.

Nothing of the rows that were taken out stays behind: what remains is, up to rounding, what
summarizing the remaining rows would give. Not even how much rounding there is stays, so each
removal is judged by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics import fourth, scatter
from suffice.statistics.alignment import Alignment, align
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter, Scatter
from suffice.statistics.semidefinite import is_semidefinite
from suffice.statistics.shift import Shift, difference
from suffice.statistics.statistics import Statistics, check_same_shape
from suffice.statistics.thin import FactoredScatter, from_matrices

EPSILON = float(np.finfo(np.float64).eps)

# Units of rounding in a difference of weights.
WEIGHT_ROUNDINGS = 8

# A removal that leaves a weight with fewer than eight digits is refused.
WEIGHT_DIGITS = 1e-8

# Units of rounding in a sum over rows; the largest measured, at ten to a million rows, is 320.
ROUNDINGS = 512

# Units of rounding of the values themselves in means that earlier removals left.
VALUE_ROUNDINGS = 64

# Numbers that agree to this share are those of the same rows.
ALIKE = 1e-6

# A spread hidden by rounding does no harm below this share of the other classes' spread.
HARMLESS = 1e-4

# A removal that leaves a spread with fewer than five digits is refused.
DIGITS = 1e-5


@np.errstate(over="ignore", invalid="ignore")
def remove(whole: Statistics, gone: Statistics, cells: CellPlaces | None = None) -> Statistics:
    """The statistics of the rows of `whole` that are not in `gone`.

    cells : where classes of one feature stand, if they are cells of a table
    """
    check_same_shape(whole, gone)
    if not len(gone.classes):
        return whole
    if not len(whole.classes):
        raise NeverIncluded("there is nothing to remove rows from.")
    at = align(whole.classes, gone.classes)
    _check_included(whole, gone, at)
    _check_emptied(whole, gone, at)
    count = whole.count.copy()
    count[at.both] -= gone.count
    if not count.any():
        return Statistics.empty(like=whole)
    shift = _shift(whole, gone, at)
    error = Rounding.of(whole, gone, shift)
    emptied = (count == 0)[:, None]
    slack = np.where(emptied, np.inf, error.squares) if whole.spread.per_class else error.squares
    weight = whole.weight.copy()
    weight[at.both] = shift.left_weight
    left = Statistics(
        whole.classes,
        count,
        np.where(count == 0, 0.0, weight),
        whole.means.with_rows(at.both, _left_means(whole, shift)),
        scatter.reduce(whole.spread, gone.spread, at, shift.jump, slack),
        None,
        whole.feature_names,
    )
    left = _without_rounding(left, whole, error, cells)
    _check_directions(left, gone)
    left = replace(left, spread=_of_few_rows(left, error)).without_empty_classes()
    left = replace(left, fourth=_left_fourth(left, whole, gone, at))
    if isinstance(left.spread, FactoredScatter):
        # In a form that the rows removed have no part in.
        left = replace(left, spread=left.spread.canonical())
    return left


def _check_included(whole: Statistics, gone: Statistics, at: Alignment) -> None:
    if at.news:
        unknown = [label for label in gone.classes if label not in whole.classes]
        raise NeverIncluded(
            f"class {shown(unknown[0])} has rows to remove, but none were ever added."
        )
    excess = gone.count > whole.count[at.both]
    heavier = gone.weight > whole.weight[at.both] * (1 + 1e-9)
    emptied = gone.count == whole.count[at.both]
    uneven = emptied & ~np.isclose(gone.weight, whole.weight[at.both], rtol=1e-9)
    used_up = ~emptied & ~(gone.weight < whole.weight[at.both])
    for bad, what in (
        (excess, "rows"),
        (heavier | uneven | used_up, "weight"),
    ):
        if bad.any():
            c = int(bad.argmax())
            have = (whole.count if what == "rows" else whole.weight)[at.both][c]
            take = (gone.count if what == "rows" else gone.weight)[c]
            label = shown(gone.classes[c])
            raise NeverIncluded(
                f"class {label} has {have} {what}; {take} cannot be removed from it."
            )
    left, rows = whole.weight[at.both] - gone.weight, whole.count[at.both]
    lost = worn(rows, whole.weight[at.both], rows - gone.count, left)
    if lost.any():
        raise LostPrecision(
            f"what remains of class {shown(gone.classes[int(lost.argmax())])} weighs too little "
            "beside what was removed to keep eight digits; summarize the remaining rows afresh."
        )


def _check_emptied(whole: Statistics, gone: Statistics, at: Alignment) -> None:
    """Raise where a class would go whose mean is not that of the rows to remove."""
    emptied = whole.count[at.both] == gone.count
    if not emptied.any():
        return
    deviation = np.sqrt(whole.squares.sum(axis=0) / whole.weight.sum())
    mean = whole.mean[at.both]
    far = np.abs(gone.mean - mean) > ALIKE * (deviation + np.abs(gone.mean) + np.abs(mean))
    far &= emptied[:, None]
    if far.any():
        c, j = (int(i[0]) for i in np.nonzero(far))
        raise NeverIncluded(
            f"the rows to remove are as many as class {shown(gone.classes[c])} has, but not the "
            f"same: their mean of {_feature(whole, j)} differs."
        )


def worn(rows: Indices, weight: Floats, rows_left: Indices, left: Floats) -> Array:
    """Where a difference of weights has lost its digits; that of unweighted rows is exact."""
    exact = (weight == rows) & (left == rows_left)
    least = WEIGHT_ROUNDINGS * EPSILON / WEIGHT_DIGITS * weight
    return np.asarray((rows_left > 0) & (left < least) & ~exact)


def _shift(whole: Statistics, gone: Statistics, at: Alignment) -> Shift:
    """The merge to undo: what remains on the left, what goes on the right."""
    total, right = whole.weight[at.both], gone.weight
    emptied = whole.count[at.both] == gone.count
    left = np.where(emptied, 0.0, total - right)
    # right mean - left mean, from right mean - whole mean
    stretch = np.where(emptied, 0.0, total / np.where(emptied, 1.0, left))
    gap = difference(gone.means, whole.means[at.both]) * stretch[:, None]
    return Shift(at, left, right, gap, right / total, left / total)


def _left_means(whole: Statistics, shift: Shift) -> DoubleDouble:
    return whole.means[shift.alignment.both] - DoubleDouble(shift.gap * shift.left_share[:, None])


@dataclass(frozen=True, slots=True)
class Rounding:
    """Bounds on the rounding error in what remains."""

    squares: Floats  # (groups, d): of sums of squares
    means: Floats  # (k, d)

    @classmethod
    def of(cls, whole: Statistics, gone: Statistics, shift: Shift) -> Rounding:
        """The bounds of a removal; zero for classes that lose no row.

        A mean is off by about a unit of rounding of the standard deviation s, a sum of squares
        by one of itself. Of the squares, n |gap|² goes, and the error of the gap counts twice.
        """
        per_class, at = whole.spread.per_class, shift.alignment
        unit, total, right = ROUNDINGS * EPSILON, whole.weight[at.both], gone.weight
        before, taken = (s.spread.diagonal() for s in (whole, gone))
        own = before[at.both] if per_class else before
        deviation = np.sqrt(own / total[:, None]) + np.sqrt(taken / right[:, None])
        cross = 2 * right[:, None] * np.abs(shift.gap) * deviation
        means = np.zeros_like(whole.mean)
        left = np.where(shift.left_weight > 0, shift.left_weight, np.inf)
        # Means that earlier removals left are off by rounding of the values themselves.
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
    """Where each class of one feature stands in a table of classes by features."""

    class_of: Indices  # (cells,)
    feature_of: Indices  # (cells,)
    n_features: int

    def table(self, values: Array) -> Array:
        """Values of cells as a table; zero where there is no cell."""
        shape = (int(self.class_of.max(initial=-1)) + 1, self.n_features)
        out = np.zeros(shape, values.dtype)
        out[self.class_of, self.feature_of] = values[:, 0]
        return out

    def listed(self, table: Array) -> Array:
        """The entries of a table that are cells, (cells, 1)."""
        return np.asarray(table[self.class_of, self.feature_of][:, None])


@dataclass(frozen=True, slots=True)
class Remainder:
    """What a removal leaves, as tables of classes by features."""

    squares: Floats  # (k, d), or (1, d) if pooled
    before: Floats  # the same of all rows
    error: Floats  # bounds on the rounding in the squares
    means: Floats  # (k, d)
    mean_error: Floats  # (k, d): of this removal and, by the size of the values, of earlier ones
    count: Indices  # (k, d) or (k, 1)
    weight: Floats  # likewise

    @classmethod
    def of(
        cls, left: Statistics, whole: Statistics, error: Rounding, cells: CellPlaces | None
    ) -> Remainder:
        """The tables of a removal; of cells, a class of one feature each, in their places."""
        mean_error = error.means + VALUE_ROUNDINGS * EPSILON * np.abs(left.mean)
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
        """Whether squares are of all classes together."""
        return len(self.squares) < len(self.means)

    @property
    def present(self) -> Array:
        """Where rows remain, (k, d)."""
        return np.asarray(np.broadcast_to(self.count > 0, self.means.shape))

    def are_at_most(self, rows: int) -> Array:
        """Where no class of a group has more rows than these, in the shape of the squares."""
        few = np.broadcast_to(self.count <= rows, self.means.shape)
        return np.asarray(few.all(axis=0, keepdims=True) if self.is_pooled else few)

    @property
    def bound(self) -> Floats:
        """Sums of squares up to this may be rounding."""
        # Rows that go one by one leave the rounding of all that there were: the spread of the
        # other classes says about how much.
        usual = ROUNDINGS * EPSILON * np.maximum(self.squares, 0.0).sum(axis=0)
        fell = (self.before > usual) & (self.error > 0)
        return np.where(fell, np.maximum(self.error, usual), self.error)

    def hides_nothing(self, squares: Floats, bound: Floats) -> Array:
        """Where rounding, which hides whether rows still vary, hides nothing that would matter.

        It is small beside the spread of the other classes and the distances of their means;
        where there are none of these, beside the mean, unless that is zero up to what is usual
        (the bound is for the worst).
        """
        low, high = (np.where(self.present, self.means, -end) for end in (-np.inf, np.inf))
        apart = high.max(axis=0) - low.min(axis=0)
        apart[apart <= 2 * self.mean_error.max(axis=0)] = 0.0
        size = np.abs(self.means)
        values = VALUE_ROUNDINGS * EPSILON * size
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
        return np.asarray(
            (hidden <= HARMLESS * np.where(scale > 0, scale, size)) | is_zero & (scale == 0)
        )

    def constants(self, zero: Array) -> tuple[Array, Indices]:
        """Where a feature has the mean of another class, and which class that is, (d,).

        A feature that no remaining row varies in must have one mean in all classes: else what
        rounding left of a difference would tell the classes apart without a doubt.
        """
        still = np.broadcast_to(zero | (self.squares == 0), self.means.shape)
        least = np.where(self.present, self.mean_error, np.inf).argmin(axis=0)
        at = np.arange(self.means.shape[1])
        same = (still | ~self.present).all(axis=0) & self.present
        blur = self.mean_error + self.mean_error[least, at]
        return same & (np.abs(self.means - self.means[least, at]) <= blur), least


def _without_rounding(
    left: Statistics, whole: Statistics, error: Rounding, cells: CellPlaces | None
) -> Statistics:
    """Refuse what is mostly rounding; sums of squares that rounding explains become zero."""
    found = Remainder.of(left, whole, error, cells)
    squares, bound = found.squares, found.bound
    none, single = found.are_at_most(0), found.are_at_most(1)
    # A row alone has no variance; what is far from none was never that of the others and it.
    bound = np.where(single, bound * (ALIKE / (ROUNDINGS * EPSILON)), bound)
    bound = np.where(none, np.inf, bound)
    impossible = np.asarray((squares < -bound) | (single & (squares > bound)))
    if impossible.any():
        raise NeverIncluded(
            f"removing these rows would leave an impossible variance of "
            f"{_place(left, impossible, cells)}. Were they added, with the same weights? If they "
            "were, earlier removals have used up the digits: summarize the remaining rows afresh."
        )
    zero = squares <= bound
    noisy = np.asarray((found.error > DIGITS * squares) & ~zero)
    doubtful = zero & (found.before > 0) & (found.error > 0) & ~single
    noisy |= doubtful & ~found.hides_nothing(np.where(zero, 0.0, squares), bound)
    if noisy.any():
        raise LostPrecision(
            f"what remains of {_place(left, noisy, cells)} is too small beside what was removed "
            "to keep five digits; summarize the remaining rows afresh."
        )
    return _constant(left, found, zero, error.means, cells)


def _constant(
    left: Statistics, found: Remainder, zero: Array, error: Floats, cells: CellPlaces | None
) -> Statistics:
    """The same with sums of squares set to zero, and means where constant features must lie."""
    same, least = found.constants(zero)
    high, low = left.means.high, left.means.low
    low = np.zeros_like(high) if low is None else low
    means = []
    for part in (high, low):
        table = part if cells is None else cells.table(part)
        table = np.where(same, table[least, np.arange(table.shape[1])], table)
        means.append(table if cells is None else cells.listed(table))
    spread = left.spread
    if zero.any():
        spread = spread.cleared(zero if cells is None else cells.listed(zero))
    still = np.broadcast_to(spread.diagonal() == 0, high.shape)
    nought = still & (np.abs(means[0]) <= error)
    high, low = (np.where(nought, 0.0, part) for part in means)
    return replace(left, means=DoubleDouble(high, low), spread=spread)


def _check_directions(left: Statistics, gone: Statistics) -> None:
    """Raise where some direction has a negative sum of squares, as no rows leave it."""
    if not isinstance(left.spread, DenseScatter):
        return
    touched = np.isin(left.classes, gone.classes) & (left.count > 0)
    groups = np.flatnonzero(touched) if left.spread.per_class else np.zeros(1, np.int64)
    for group in groups.tolist():
        if not is_semidefinite(left.spread.sums.high[group]):
            raise NeverIncluded(
                f"removing these rows would leave an impossible covariance"
                f"{_of_class(left, group)}. Were they added, with the same weights?"
            )


def _of_few_rows(left: Statistics, error: Rounding) -> Scatter:
    """A factor where matrices of the remaining rows would be larger, as of rows never removed.

    It has no more directions than rows can vary in, so it holds no rounding in all others.
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
    left: Statistics, whole: Statistics, gone: Statistics, at: Alignment
) -> Fourth | None:
    """The fourth-order sums of what remains, unless rounding has used up their digits."""
    if whole.fourth is None or gone.fourth is None:
        return None
    kept = np.flatnonzero(np.isin(whole.classes, left.classes))
    sums = fourth.reduce(whole.fourth, gone.fourth, gone.known, at).keep(kept)
    found = sums.canonical(left.known)
    if not found.quartic.any():
        return found
    before = whole.fourth.in_unit(found.unit).keep(kept).quartic
    touched = np.isin(left.classes, gone.classes) & (found.quartic != 0)
    lost = ROUNDINGS * EPSILON * before > DIGITS * found.quartic
    # The squares are known from the scatter, too, which has more digits.
    squares = (left.spread.diagonal() / found.unit / found.unit).sum(axis=1)
    lost |= np.abs(found.square - squares) > DIGITS * squares
    return None if (touched & lost).any() else found


def _place(left: Statistics, at: Array, cells: CellPlaces | None) -> str:
    """The first feature, and its class if there is one, where something is true."""
    c, j = (int(i[0]) for i in np.nonzero(at))
    if cells is not None:
        # The caller knows what class and feature a cell is of.
        here = (cells.class_of == c) & (cells.feature_of == j)
        return f"feature 0 in class {left.classes[int(here.argmax())]}"
    return f"{_feature(left, j)}{_of_class(left, c)}"


def _feature(statistics: Statistics, j: int) -> str:
    names = statistics.feature_names
    return f"feature {j}" if names is None else f"feature {names[j]!r}"


def _of_class(statistics: Statistics, group: int) -> str:
    return f" in class {shown(statistics.classes[group])}" if statistics.spread.per_class else ""
