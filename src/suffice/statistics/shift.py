"""Shift: how class means move when two parts are merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats
from suffice.statistics.alignment import Alignment
from suffice.statistics.numbers import DoubleDouble


@dataclass(slots=True, eq=False)
class Shift:
    """For the m classes that both parts have: weights, and how far apart the means are.

    The merged mean lies between the two: left mean + left_share gap, which is
    right mean - right_share gap.
    """

    alignment: Alignment
    left_weight: Floats  # (m,)
    right_weight: Floats  # (m,)
    gap: Floats  # (m, d): right mean - left mean
    left_share: Floats  # (m,): right weight / total weight
    right_share: Floats  # (m,): left weight / total weight

    @property
    def jump(self) -> Floats:
        """sqrt(ab / (a + b)) gap: merged scatter = left + right + its outer product."""
        return np.sqrt(self.right_weight * self.right_share)[:, None] * self.gap

    def merged_mean(self, left: DoubleDouble, right: DoubleDouble) -> DoubleDouble:
        """The merged means, as a step from the heavier part: a shorter step has less rounding."""
        if max(self.left_share.tolist(), default=0.0) <= 0.5:
            return left + DoubleDouble(self.gap * self.left_share[:, None])
        is_right = (self.left_share > 0.5)[:, None]
        share = np.where(is_right, -self.right_share[:, None], self.left_share[:, None])
        high, low = (
            np.where(is_right, *sides)
            for sides in ((right.high, left.high), (_rest(right), _rest(left)))
        )
        return DoubleDouble(high, low) + DoubleDouble(self.gap * share)


def shift_of_merge(
    alignment: Alignment,
    left: DoubleDouble,
    right: DoubleDouble,
    left_weight: Floats,
    right_weight: Floats,
) -> Shift:
    """The shift when the right part joins the left one."""
    total = left_weight + right_weight
    return Shift(
        alignment,
        left_weight,
        right_weight,
        difference(right, left),
        right_weight / total,
        left_weight / total,
    )


def _rest(values: DoubleDouble) -> Floats | float:
    return 0.0 if values.low is None else values.low


def difference(a: DoubleDouble, b: DoubleDouble) -> Floats:
    """a - b to full relative accuracy, however close the two are."""
    gap: Floats = a.high - b.high
    if a.low is not None:
        gap += a.low
    if b.low is not None:
        gap -= b.low
    return gap
