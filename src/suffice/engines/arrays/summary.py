"""Summary: rows on a device -> statistics; the sums are computed there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice.engines.arrays import class_pass, fused_pass
from suffice.engines.arrays.class_pass import DeviceCentres
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.held_statistics import DeviceMoments, HeldStatistics
from suffice.engines.arrays.rows import DeviceRows
from suffice.statistics.fourth import unit_of
from suffice.statistics.numbers import two_sum
from suffice.statistics.passes.first_pass import FAR
from suffice.statistics.passes.reader import SMALLEST_SQUARE, vanished
from suffice.statistics.statistics import Statistics

SMALL_BYTES = 1 << 20  # size of tables that are copied to the host at once


class Work(Protocol):
    """How rows are added up: class by class in any library, or by fused loops."""

    def first_guess(self, rows: DeviceRows, coded: Coded) -> Any:
        """An origin for each class, (k, d): the mean of a few rows of it."""

    def sums(self, rows: DeviceRows, coded: Coded, origin: Any) -> tuple[Any, Any, Any, Any]:
        """Sums, sums of squares about the origins, min and max, each (k, d)."""


@dataclass(frozen=True, slots=True, eq=False)
class DeviceSums:
    """The results of the first pass for each class, all (k, d) on the device."""

    mean: tuple[Any, Any]  # the mean, and the digits that one float cannot hold
    squares: Any  # sums of w (x - mean)²; exactly zero for a feature that is constant in a class


def _class_sums(rows: DeviceRows, coded: Coded, work: Work, per_class: bool) -> DeviceSums:
    """Means and squares of each class, about origins that are close to the means.

    per_class : whether squares must not vanish in any single class
    """
    space, xp = rows.space, rows.space.xp
    weight = coded.weight_on_device[:, None]
    origin = work.first_guess(rows, coded)
    while True:
        total, square, low, high = work.sums(rows, coded, origin)
        offset = total / weight
        beyond = offset * total
        squares = xp.where(low == high, 0.0, square - beyond)
        mean = two_sum(origin, offset)
        # Never E[xx'] - mm' about a distant point: the difference would lose every digit.
        far = (beyond > FAR**2 * squares) & (mean[0] != origin)
        lost = _lost(xp, low, high, squares / weight, per_class)
        # One copy for all three: each would wait for the device.
        flags = xp.stack([xp.isfinite(xp.max(square)), xp.any(far), xp.any(lost)])
        is_finite, is_far, is_lost = space.fetch(flags).tolist()
        if not is_finite:
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


def summarize_coded(rows: DeviceRows, coded: Coded, detail: str) -> Statistics:
    """Statistics of coded rows."""
    work: Any = fused_pass if fused_pass.serves(rows.space, rows.shape[1]) else class_pass
    per_class = detail != "shared"
    sums = _class_sums(rows, coded, work, per_class)
    spread, fourths, unit = sums.squares, None, 1.0
    if detail != "diagonal":
        weight = coded.weight_on_device[:, None]
        unit = unit_of(float(rows.space.xp.max(sums.squares / weight)))
        about = DeviceCentres(*sums.mean, unit)
        scatter = class_pass.factor if _takes_factor(rows, coded, per_class) else work.scatter
        spread, fourths = scatter(rows, coded, about, per_class)
    moments = DeviceMoments(rows.space, detail, sums.mean, spread, fourths, unit)
    if moments.bytes > SMALL_BYTES:
        return HeldStatistics.of(coded.classes, coded.count, coded.weight, moments)
    means = moments.means()
    return Statistics(
        coded.classes,
        coded.count,
        coded.weight,
        means,
        moments.scatter(hold=False),
        moments.fourth(means, coded.weight),
    )


def _takes_factor(rows: DeviceRows, coded: Coded, per_class: bool) -> bool:
    n, d = rows.shape
    factor_bytes = 1 << 30  # of centred rows that are kept instead of wider matrices
    return n <= (len(coded.classes) if per_class else 1) * d and 8 * n * d <= factor_bytes
