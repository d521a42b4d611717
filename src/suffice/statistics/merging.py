"""Merging: the statistics of two sets of rows together."""

from __future__ import annotations

import math

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import NotFinite
from suffice.statistics import fourth, scatter
from suffice.statistics.alignment import Alignment, align
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import ClassMoments
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DiagonalScatter, Scatter
from suffice.statistics.shape import check_same_shape
from suffice.statistics.shift import Shift, shift_of_merge
from suffice.statistics.statistics import Statistics


def merge(a: Statistics, b: Statistics) -> Statistics:
    """The statistics of the rows of both."""
    check_same_shape(a, b)
    if not len(a.classes) or not len(b.classes):
        return a if len(a.classes) else b
    a, b = _in_fixed_order(a, b)
    at = align(a.classes, b.classes)
    with np.errstate(over="ignore", invalid="ignore"):
        both = _merge_aligned(a, b, at)
        total = _total(both)
    if not math.isfinite(total):
        raise NotFinite(
            "these statistics are too large to add: weights or squares exceed what a "
            "float can hold; rescale the features (for example, divide by 1e100) or the weights."
        )
    return both


def _total(s: Statistics) -> float:
    """A sum that is finite only if all weights and scatter entries are."""
    if isinstance(s.spread, FactoredScatter):
        total = np.vdot(s.spread.factor, s.spread.factor)
    else:
        total = np.add.reduce(s.spread.sums.high, axis=None)
    return float(total) + float(sum(s.weight.tolist()))


def _merge_aligned(a: Statistics, b: Statistics, at: Alignment) -> Statistics:
    left, right = a.means[at.both_left], b.means[at.both_right]
    shift = shift_of_merge(at, left, right, a.weight[at.both_left], b.weight[at.both_right])
    weight = at.added(a.weight, b.weight)
    means = at.joined(a.means, b.means, shift.merged_mean(left, right))
    spread = scatter.merge(a.spread, b.spread, at, shift.jump)
    return Statistics(
        at.classes,
        at.added(a.count, b.count),
        weight,
        means,
        spread,
        _fourth(a, b, shift, means, weight, spread),
        a.feature_names,
    )


def _in_fixed_order(a: Statistics, b: Statistics) -> tuple[Statistics, Statistics]:
    """Both in an order that does not depend on which came first: a + b is b + a to the last bit."""
    if len(a.classes) != len(b.classes):
        return (a, b) if len(a.classes) > len(b.classes) else (b, a)
    weight_a, weight_b = a.weight.sum(), b.weight.sum()
    if weight_a == weight_b:
        # Compare the means first: partitions of equal size are common, and a digest reads every
        # matrix.
        means_a, means_b = a.means.high.tobytes(), b.means.high.tobytes()
        if means_a != means_b:
            return (a, b) if means_a > means_b else (b, a)
        return (a, b) if a.digest() >= b.digest() else (b, a)
    return (a, b) if weight_a > weight_b else (b, a)


def _fourth(
    a: Statistics, b: Statistics, shift: Shift, means: DoubleDouble, weight: Floats, spread: Scatter
) -> fourth.Fourth | None:
    if a.fourth is None or b.fourth is None or isinstance(spread, DiagonalScatter):
        return None
    sums = fourth.merge(a.fourth, b.fourth, b.known, shift.alignment)
    return fourth.reset_anchors(sums, ClassMoments(means, weight, spread))
