"""Shift: how class means move when two parts are merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats
from suffice.statistics.alignment import Alignment
from suffice.statistics.numbers import Pair


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
        """sqrt(ab / (a + b)) gap: its outer product is what joins two scatters."""
        return np.sqrt(self.right_weight * self.right_share)[:, None] * self.gap

    def merged_mean(self, left: Pair) -> Pair:
        """The merged means, given the left ones."""
        return left + Pair(self.gap * self.left_share[:, None])


def shift_of_merge(
    alignment: Alignment, left: Pair, right: Pair, left_weight: Floats, right_weight: Floats
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


def difference(a: Pair, b: Pair) -> Floats:
    """a - b to full relative accuracy, however close the two are."""
    gap: Floats = a.high - b.high
    if a.low is not None:
        gap += a.low
    if b.low is not None:
        gap -= b.low
    return gap
