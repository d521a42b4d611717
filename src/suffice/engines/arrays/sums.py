"""Sums by class: first the means and squares, about origins close to the means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows
from suffice.statistics.first_pass import FAR
from suffice.statistics.numbers import two_sum
from suffice.statistics.reader import SMALLEST_SQUARE, vanished


class Work(Protocol):
    """How rows are added up: with what every library has, or by fused loops."""

    def first_guess(self, rows: DeviceRows, coded: Coded) -> Any:
        """An origin for each class, (k, d): the mean of a few rows of it."""

    def sums(self, rows: DeviceRows, coded: Coded, origin: Any) -> tuple[Any, Any, Any, Any]:
        """Sums, sums of squares about the origins, least and largest values, each (k, d)."""


@dataclass(frozen=True, slots=True, eq=False)
class DeviceSums:
    """What a first reading of the rows tells of each class, all (k, d) on the device."""

    mean: tuple[Any, Any]  # the mean, and the digits that one float cannot hold
    squares: Any  # sums of w (x - mean)²; exactly zero for a feature that is constant in a class


def class_sums(rows: DeviceRows, coded: Coded, work: Work, per_class: bool) -> DeviceSums:
    """Sums about origins that are close to the means.

    per_class : whether a class alone must not have squares so small that they vanish
    """
    space, xp = rows.space, rows.space.xp
    weight = coded.weight_here[:, None]
    origin = work.first_guess(rows, coded)
    while True:
        total, square, low, high = work.sums(rows, coded, origin)
        offset = total / weight
        beyond = offset * total
        squares = xp.where(low == high, 0.0, square - beyond)
        mean = two_sum(origin, offset)
        # Never E[xx'] - mm' about a distant point: the digits would be gone.
        far = (beyond > FAR**2 * squares) & (mean[0] != origin)
        lost = _lost(xp, low, high, squares / weight, per_class)
        # One answer for all questions: each would wait for the device.
        found = xp.stack([xp.isfinite(xp.max(square)), xp.any(far), xp.any(lost)])
        is_known, is_far, is_lost = space.fetch(found).tolist()
        if not is_known:
            raise rows.not_finite(coded.counted)
        if is_far:
            origin = mean[0]
        elif is_lost:
            raise vanished(int(np.nonzero(space.fetch(lost))[1][0]), None)
        else:
            return DeviceSums(mean, squares)


def _lost(xp: Any, low: Any, high: Any, mean_squares: Any, per_class: bool) -> Any:
    """Features that vary although their squares have lost digits."""
    small = mean_squares < SMALLEST_SQUARE
    if per_class:
        return (low < high) & small
    return xp.any(low < high, axis=0, keepdims=True) & xp.all(small, axis=0, keepdims=True)
