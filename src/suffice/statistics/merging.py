"""Merging: the statistics of two sets of rows together."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics import fourth, scatter
from suffice.statistics.alignment import ALL, Alignment, align
from suffice.statistics.numbers import Pair
from suffice.statistics.scatter import Diagonal
from suffice.statistics.shift import Shift, shift_of_merge
from suffice.statistics.statistics import Statistics, check_same_shape


def merge(a: Statistics, b: Statistics) -> Statistics:
    """The statistics of the rows of both."""
    check_same_shape(a, b)
    if not len(a.classes) or not len(b.classes):
        return a if len(a.classes) else b
    a, b = _ordered(a, b)
    at = align(a.classes, b.classes)
    shift = shift_of_merge(
        at,
        a.means[at.both_left],
        b.means[at.both_right],
        a.weight[at.both_left],
        b.weight[at.both_right],
    )
    return Statistics(
        at.classes,
        _added(a.count, b.count, at),
        _added(a.weight, b.weight, at),
        _means(a.means, b.means, shift),
        scatter.merge(a.spread, b.spread, at, shift.jump),
        _fourth(a, b, shift),
        a.extremes.merged(b.extremes, at),
        a.feature_names,
        _residue(a, b, at),
    )


def _ordered(a: Statistics, b: Statistics) -> tuple[Statistics, Statistics]:
    """The heavier first, whichever was written first: then a + b is b + a to the last bit."""
    weight_a, weight_b = a.weight.sum(), b.weight.sum()
    if weight_a == weight_b:
        return (a, b) if a.mean.tobytes() >= b.mean.tobytes() else (b, a)
    return (a, b) if weight_a > weight_b else (b, a)


def _added(a: Array, b: Array, at: Alignment) -> Array:
    if at.both is ALL:
        return a + b
    out = np.zeros(at.size, a.dtype)
    out[at.left] = a
    out[at.right] += b
    return out


def _means(a: Pair, b: Pair, shift: Shift) -> Pair:
    at = shift.alignment
    if at.both is ALL:
        return shift.mean
    total = a.spread(at.left, at.size)
    if at.news:
        total = total.with_rows(at.right, b)
    return total.with_rows(at.both, shift.mean)


def _fourth(a: Statistics, b: Statistics, shift: Shift) -> fourth.Fourth | None:
    if a.fourth is None or b.fourth is None:
        return None
    assert not isinstance(a.spread, Diagonal)
    assert not isinstance(b.spread, Diagonal)
    return fourth.merge(a.fourth, b.fourth, a.spread, b.spread, shift)


def _residue(a: Statistics, b: Statistics, at: Alignment) -> Array | None:
    if a.residue is None and b.residue is None:
        return None
    per_class = a.spread.per_class
    out = np.zeros((at.size if per_class else 1, a.n_features))
    for side, where in ((a, at.left), (b, at.right)):
        if side.residue is not None:
            out[where if per_class else ALL] += side.residue
    return out
