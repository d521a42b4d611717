"""Removal: the statistics of what remains when some rows are taken out again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics import fourth, scatter
from suffice.statistics.alignment import Alignment, align
from suffice.statistics.numbers import ALL, Pair
from suffice.statistics.shift import Shift, difference
from suffice.statistics.statistics import Statistics, check_same_shape

EPSILON = float(np.finfo(np.float64).eps)

# A sum of squares carries at most about this many units of rounding.
ROUNDINGS = 8

# A removal that leaves fewer than eight digits is refused.
DIGITS = 1e-8


@np.errstate(over="ignore", invalid="ignore")
def remove(whole: Statistics, gone: Statistics) -> Statistics:
    """The statistics of the rows of `whole` that are not in `gone`."""
    check_same_shape(whole, gone)
    if not len(gone.classes):
        return whole
    if not len(whole.classes):
        raise NeverIncluded("there is nothing to remove rows from.")
    at = align(whole.classes, gone.classes)
    _check_included(whole, gone, at)
    count = whole.count.copy()
    count[at.both] -= gone.count
    if not count.any():
        return Statistics.empty(like=whole)
    shift = _shift(whole, gone, at)
    residue = _residue(whole, gone, shift)
    slack = np.where((count == 0)[:, None], np.inf, residue) if whole.spread.per_class else residue
    spread = scatter.reduce(whole.spread, gone.spread, at, shift.jump, slack)
    weight = whole.weight.copy()
    weight[at.both] = shift.left_weight
    left = Statistics(
        whole.classes,
        count,
        np.where(count == 0, 0.0, weight),
        whole.means.with_rows(at.both, _left_means(whole, shift)),
        spread,
        None,
        replace(whole.extremes, exact=False),
        whole.feature_names,
        residue,
    )
    return _with_fourth(_checked(left), whole, gone, shift).without_empty_classes()


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
    outside = (gone.lowest < whole.lowest[at.both]) | (gone.highest > whole.highest[at.both])
    if outside.any():
        c, j = (int(i[0]) for i in np.nonzero(outside))
        raise NeverIncluded(
            f"the rows to remove from class {shown(gone.classes[c])} reach further in "
            f"{_feature(whole, j)} than the rows ever added; were they in it?"
        )


def worn(rows: Indices, weight: Floats, rows_left: Indices, left: Floats) -> Array:
    """Where a difference of weights has lost its digits; that of unweighted rows is exact."""
    exact = (weight == rows) & (left == rows_left)
    return np.asarray((rows_left > 0) & (left < ROUNDINGS * EPSILON / DIGITS * weight) & ~exact)


def _shift(whole: Statistics, gone: Statistics, at: Alignment) -> Shift:
    """The merge to undo: what remains on the left, what goes on the right."""
    total, right = whole.weight[at.both], gone.weight
    emptied = whole.count[at.both] == gone.count
    left = np.where(emptied, 0.0, total - right)
    # right mean - left mean, from right mean - whole mean
    stretch = np.where(emptied, 0.0, total / np.where(emptied, 1.0, left))
    gap = difference(gone.means, whole.means[at.both]) * stretch[:, None]
    return Shift(at, left, right, gap, right / total, left / total)


def _left_means(whole: Statistics, shift: Shift) -> Pair:
    return whole.means[shift.alignment.both] - Pair(shift.gap * shift.left_share[:, None])


def _residue(whole: Statistics, gone: Statistics, shift: Shift) -> Floats:
    """A bound on the rounding error in the remaining sums of squares."""
    per_class, at = whole.spread.per_class, shift.alignment
    where = at.both if per_class else ALL
    before, taken = whole.spread.diagonal(), gone.spread.diagonal()
    jump = shift.jump**2
    left = np.where(shift.left_weight > 0, shift.left_weight, np.inf)
    ratio = (shift.right_weight / left)[:, None]
    if not per_class:
        jump, ratio = jump.sum(axis=0, keepdims=True), ratio.max(axis=0, keepdims=True)
    out = np.zeros_like(before) if whole.residue is None else whole.residue.copy()
    part = taken + jump + before[where] * (1 + ratio)
    out[where] += ROUNDINGS * EPSILON * part
    if gone.residue is not None:
        out[where] += gone.residue
    return out


def _checked(left: Statistics) -> Statistics:
    """Refuse noise; sums of squares that must be zero become so."""
    assert left.residue is not None
    diagonal, residue = left.spread.diagonal(), left.residue
    if (diagonal < -residue).any():
        c, j = (int(i[0]) for i in np.nonzero(diagonal < -residue))
        raise NeverIncluded(
            f"removing these rows would leave a negative variance of {_feature(left, j)}"
            f"{_of_class(left, c)}; were they ever added, with the same weights?"
        )
    zero = _certainly_constant(left)
    noisy = (residue > DIGITS * diagonal) & ~zero & (residue > 0)
    if noisy.any():
        c, j = (int(i[0]) for i in np.nonzero(noisy))
        raise LostPrecision(
            f"what remains of {_feature(left, j)}{_of_class(left, c)} is too small beside what "
            "was removed to keep eight digits; summarize the remaining rows afresh."
        )
    return _settled(left, zero) if zero.any() else left


def _certainly_constant(left: Statistics) -> Array:
    """Where the remaining rows cannot differ: one row, none, or all of them at an extreme.

    A sum of squares is at most weight (high - mean)(mean - low) (Bhatia and Davis).
    """
    assert left.residue is not None
    room = _room(left.highest - left.mean) * _room(left.mean - left.lowest) * left.weight[:, None]
    room[left.count <= 1] = 0.0
    if not left.spread.per_class:
        room = room.sum(axis=0, keepdims=True)
    return np.asarray(room <= left.residue)


def _room(steps: Floats) -> Floats:
    return np.maximum(steps, 0.0)


def _settled(left: Statistics, zero: Array) -> Statistics:
    """The statistics with sums of squares set to zero, and means where all rows must lie."""
    assert left.residue is not None
    low, high, mean = left.lowest, left.highest, left.mean
    nearest = np.where(high - mean < mean - low, high, low)
    # Rows that agree lie at an extreme; a single row may lie anywhere.
    spot = zero & (left.count > 1)[:, None]
    rest = np.zeros_like(mean) if left.means.low is None else left.means.low
    return replace(
        left,
        means=Pair(np.where(spot, nearest, mean), np.where(spot, 0.0, rest)),
        extremes=replace(
            left.extremes,
            low=np.where(spot, nearest, low),
            high=np.where(spot, nearest, high),
        ),
        spread=left.spread.cleared(zero),
        residue=np.where(zero, 0.0, left.residue),
    )


def _with_fourth(left: Statistics, whole: Statistics, gone: Statistics, shift: Shift) -> Statistics:
    if whole.fourth is None or gone.fourth is None:
        return left
    sums = fourth.reduce(whole.fourth, gone.fourth, gone.known, shift.alignment)
    return replace(left, fourth=fourth.settled(sums, left.known))


def _feature(statistics: Statistics, j: int) -> str:
    names = statistics.feature_names
    return f"feature {j}" if names is None else f"feature {names[j]!r}"


def _of_class(statistics: Statistics, group: int) -> str:
    return f" in class {shown(statistics.classes[group])}" if statistics.spread.per_class else ""
