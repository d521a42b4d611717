"""Removal: the statistics of the remaining rows when some rows are removed.

No trace of the removed rows is kept: up to rounding, the result is what summarizing the remaining
rows would give. Not even the size of the rounding error is recorded, so each removal is checked on
its own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics import fourth, scatter
from suffice.statistics.alignment import Alignment, align
from suffice.statistics.factored_scatter import FactoredScatter, from_matrices
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import EPSILON, DoubleDouble
from suffice.statistics.remainder import (
    CellPlaces,
    Rounding,
    feature_name,
    of_class,
    without_rounding,
)
from suffice.statistics.scatter import DenseScatter, Scatter, is_semidefinite
from suffice.statistics.shape import check_same_shape
from suffice.statistics.shift import Shift, difference
from suffice.statistics.statistics import Statistics
from suffice.text import shown


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
    means = whole.means[at.both] - DoubleDouble(shift.gap * shift.left_share[:, None])
    left = Statistics(
        whole.classes,
        count,
        np.where(count == 0, 0.0, weight),
        whole.means.with_rows(at.both, means),
        scatter.reduce(whole.spread, removed.spread, at, shift.jump, slack),
        None,
        whole.feature_names,
    )
    left = without_rounding(left, whole, error, cells)
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
    emptied = removed.count == whole.count[at.both]
    uneven = emptied & ~np.isclose(removed.weight, whole.weight[at.both], rtol=1e-9, atol=0)
    used_up = ~emptied & ~(removed.weight < whole.weight[at.both])
    for bad, what in (
        (excess, "rows"),
        (uneven | used_up, "weight"),
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
    far = np.abs(removed.mean - mean) > Rounding.in_means * (
        deviation + np.abs(removed.mean) + np.abs(mean)
    )
    far &= emptied[:, None]
    if far.any():
        c, j = (int(i[0]) for i in np.nonzero(far))
        raise NeverIncluded(
            f"there are as many rows to remove as class {shown(removed.classes[c])} has, but "
            f"they are not the same rows: their mean of {feature_name(whole, j)} differs."
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
                f"{of_class(left, group)}. Were they added, with the same weights?"
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
    sizes = np.maximum(error.squares / Rounding.in_sums, spread.diagonal())
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
    lost = Rounding.in_sums * before > Rounding.least_precision * fourth_left.quartic
    # The squares also follow from the scatter, which has more digits.
    squares = (left.spread.diagonal() / fourth_left.unit / fourth_left.unit).sum(axis=1)
    lost |= np.abs(fourth_left.square - squares) > Rounding.least_precision * squares
    return None if (touched & lost).any() else fourth_left
