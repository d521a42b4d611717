"""Strengths: how much prior knowledge counts for, where the evidence is largest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.evidence import Evidence

# A value and its derivatives, (2,), at logarithms of the strengths, (2,).
Hill: TypeAlias = Callable[[Floats], tuple[float, Floats]]

# Strengths are looked for on a grid of so many first, evenly spread in their logarithm.
GRID = 13

# Then the derivatives are brought to zero, to so many digits of the strengths.
MOST_STEPS = 60
MOST_CUTS = 30
TOLERANCE = 1e-11
NUDGE = 1e-4

# Evidence that differs by this share of its range is the same: on a plateau, where steps stay this
# long, the least strength will do.
SAME = 1e-10
LONG = 0.1


def strongest(evidence: Evidence, low: Floats, high: Floats) -> Floats:
    """The strengths (2,) of mean and covariance, within bounds, where the evidence is largest.

    A strength whose bounds are equal is that bound.
    """
    bounds = np.log([low, high])

    def hill(place: Floats) -> tuple[float, Floats]:
        return evidence(*np.exp(place).tolist())

    sizes = np.where(bounds[1] > bounds[0], GRID, 1).tolist()
    low_log, high_log = bounds.tolist()
    first, second = (np.linspace(low_log[i], high_log[i], sizes[i]) for i in range(2))
    places = [np.array([x, y]) for x in first for y in second]
    values = np.array([hill(place)[0] for place in places])
    if len(values) > 1 and values.min() == values.max():
        return np.asarray(np.clip(1.0, low, high))  # the rows say nothing of it: a row each
    slack = SAME * (1 + float(np.ptp(values)))
    best = places[int((values >= values.max() - slack).argmax())]
    found = np.exp(_top(hill, best, bounds, slack))
    return np.asarray(np.where(low == high, low, np.clip(found, low, high)))


def _top(hill: Hill, place: Floats, bounds: Floats, slack: float) -> Floats:
    """The top of the hill on which a place is, within bounds, by Newton's method."""
    value, slopes = hill(place)
    for _ in range(MOST_STEPS):
        step = _step(hill, place, slopes, bounds)
        if np.abs(step).max() > LONG and abs(slopes @ step) < slack:
            break
        for _ in range(MOST_CUTS):
            there = np.clip(place + step, *bounds)
            found = hill(there)
            # Near the top values are equal to rounding, and the derivatives decide.
            if found[0] >= value - slack / 100:
                break
            step = step / 4
        moved = float(np.abs(there - place).max())
        place, (value, slopes) = there, found
        if moved < TOLERANCE:
            break
    return place


def _step(hill: Hill, place: Floats, slopes: Floats, bounds: Floats) -> Floats:
    """Where to go: Newton's step, or uphill where the hill is not curved like one."""
    held = ((place <= bounds[0]) & (slopes <= 0)) | ((place >= bounds[1]) & (slopes >= 0))
    free = np.flatnonzero(~held & (bounds[1] > bounds[0]))
    step = np.zeros(2)
    if not len(free):
        return step
    reach = ((bounds[1] - bounds[0]) / (GRID - 1))[free]
    bends = np.array([_bend(hill, place, i) for i in free.tolist()])[:, free]
    values, vectors = np.linalg.eigh((bends + bends.T) / 2)
    if (values < 0).all():
        found = -vectors @ ((vectors.T @ slopes[free]) / values)
    else:
        found = np.sign(slopes[free]) * reach
    step[free] = found * min(1.0, float((reach / np.maximum(np.abs(found), 1e-300)).min()))
    return step


def _bend(hill: Hill, place: Floats, i: int) -> Floats:
    """Second derivatives by coordinate i, (2,)."""
    nudge = np.eye(2)[i] * NUDGE
    return np.asarray((hill(place + nudge)[1] - hill(place - nudge)[1]) / (2 * NUDGE))
