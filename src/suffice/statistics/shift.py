"""Shift: how class means move when two parts are merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats
from suffice.statistics.alignment import Alignment
from suffice.statistics.numbers import Pair, two_sum


@dataclass(frozen=True, slots=True)
class Shift:
    """For the m classes that both parts have: weights, and the way from each mean to theirs."""

    alignment: Alignment
    left_weight: Floats  # (m,)
    right_weight: Floats  # (m,)
    mean: Pair  # (m, d): the merged means
    to_left: Floats  # (m, d): merged mean - left mean
    to_right: Floats  # (m, d): merged mean - right mean

    @property
    def jump(self) -> Floats:
        """sqrt(ab / (a + b)) (right mean - left mean): its outer product joins two scatters."""
        a, b = self.left_weight, self.right_weight
        return np.sqrt(a * (b / (a + b)))[:, None] * (self.to_left - self.to_right)

    @property
    def largest(self) -> float:
        """The largest coordinate of any step."""
        steps = (self.to_left, self.to_right)
        return max((float(np.abs(step).max()) for step in steps if step.size), default=0.0)


def shift_of_merge(
    alignment: Alignment, left: Pair, right: Pair, left_weight: Floats, right_weight: Floats
) -> Shift:
    """The shift when the right part joins the left one."""
    gap = difference(right, left)
    share = (right_weight / (left_weight + right_weight))[:, None]
    to_left = gap * share
    return Shift(
        alignment, left_weight, right_weight, moved(left, to_left), to_left, to_left - gap
    )


def difference(a: Pair, b: Pair) -> Floats:
    """a - b rounded once, however close the two are."""
    high, error = two_sum(a.high, -b.high)
    if a.low is not None:
        error += a.low
    if b.low is not None:
        error -= b.low
    return high + error


def moved(point: Pair, step: Floats) -> Pair:
    """point + step with the digits that one float cannot hold."""
    return point + Pair(step)
