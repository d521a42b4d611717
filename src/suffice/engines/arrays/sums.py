"""Sums by class: first the means and extremes, about origins close to the means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import Rows
from suffice.engines.arrays.space import Space
from suffice.statistics.first_pass import FAR

# Rows of each class that its first origin is the mean of.
FEW = 4

# rows, coded, origins (k, d) -> sums, sums of squares, least and largest values, each (k, d)
Work: TypeAlias = Callable[[Rows, Coded, Any], tuple[Any, Any, Any, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of w (x - origin) and w (x - origin)², and extremes, all (k, d) on the device."""

    space: Space
    origin: Any
    offset: Any  # mean - origin
    total: Any
    square: Any
    low: Any
    high: Any

    @property
    def squares(self) -> Any:
        """Centred sums of squares; exactly zero for a feature that is constant in a class."""
        found = self.square - self.offset * self.total
        return self.space.xp.where(self.low == self.high, 0.0, found)


def class_sums(rows: Rows, coded: Coded, work: Work) -> Sums:
    """Sums about origins that are close to the means."""
    xp = rows.space.xp
    weight = rows.space.put(coded.weight)[:, None]
    origin = _first_guess(rows, coded)
    while True:
        total, square, low, high = work(rows, coded, origin)
        offset = total / weight
        beyond = offset * total
        better = origin + offset
        # Never E[xx'] - mm' about a distant point: the digits would be gone.
        far = (beyond > FAR**2 * (square - beyond)) & (better != origin)
        known = xp.all(xp.isfinite(total + square))
        is_known, is_far = rows.space.fetch(xp.stack([known, xp.any(far)])).tolist()
        if not is_known:
            raise rows.not_finite(coded.counted)
        if not is_far:
            return Sums(rows.space, origin, offset, total, square, low, high)
        origin = better


def _first_guess(rows: Rows, coded: Coded) -> Any:
    space, k = rows.space, len(coded.classes)
    steps = coded.count[:, None] * np.arange(FEW) // FEW
    places = space.put((coded.edges[:-1, None] + steps).ravel())
    sample = rows.at(space.take(coded.order, places))
    sample = space.xp.reshape(sample, (k, FEW, rows.shape[1]))
    # About one row of each class, so that a constant feature stays exact.
    guess = sample[:, 0, :] + space.xp.mean(sample - sample[:, :1, :], axis=1)
    return space.xp.where(space.xp.isfinite(guess), guess, 0.0)
