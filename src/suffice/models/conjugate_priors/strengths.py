"""Strengths: the weights of priors, in rows, at which the evidence is largest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.conjugate_priors.evidence import Evidence

# A value and its derivatives, (2,), at logarithms of the strengths, (2,).
Hill: TypeAlias = Callable[[Floats], tuple[float, Floats]]

# Number of strengths on the initial grid, evenly spaced in their logarithm.
GRID_POINTS = 13


def best_strengths(evidence: Evidence, low: Floats, high: Floats) -> Floats:
    """The strengths (2,) of mean and covariance, within bounds, where the evidence is largest.

    A strength with equal bounds is fixed.
    """
    bounds = np.log([low, high])

    def hill(place: Floats) -> tuple[float, Floats]:
        return evidence(*np.exp(place).tolist())

    sizes = np.where(bounds[1] > bounds[0], GRID_POINTS, 1).tolist()
    low_log, high_log = bounds.tolist()
    first, second = (np.linspace(low_log[i], high_log[i], sizes[i]) for i in range(2))
    places = [np.array([x, y]) for x in first for y in second]
    values = np.array([hill(place)[0] for place in places])
    if len(values) > 1 and values.min() == values.max():
        # The rows do not determine the strengths: one row each.
        return np.asarray(np.clip(1.0, low, high))
    # Evidence that differs by less than this share of its range counts as equal. The smallest
    # strength is used on such a plateau, where steps stay longer than long_step.
    equal_share = 1e-10
    slack = equal_share * (1 + float(np.ptp(values)))
    best = places[int((values >= values.max() - slack).argmax())]
    strengths = np.exp(_top(hill, best, bounds, slack))
    return np.asarray(np.where(low == high, low, np.clip(strengths, low, high)))


def _top(hill: Hill, place: Floats, bounds: Floats, slack: float) -> Floats:
    """The local maximum near a place, within bounds, by Newton's method."""
    value, slopes = hill(place)
    most_cuts = 30
    tolerance = 1e-11  # length of the last step, in the logarithm
    long_step = 0.1
    # Then Newton's method, with steps that are shortened if they go downhill.
    most_steps = 60
    for _ in range(most_steps):
        step = _step(hill, place, slopes, bounds)
        if np.abs(step).max() > long_step and abs(slopes @ step) < slack:
            break
        for _ in range(most_cuts):
            there = np.clip(place + step, *bounds)
            result = hill(there)
            # Near the maximum, values are equal up to rounding, and the derivatives decide.
            if result[0] >= value - slack / 100:
                break
            step = step / 4
        moved = float(np.abs(there - place).max())
        place, (value, slopes) = there, result
        if moved < tolerance:
            break
    return place


def _step(hill: Hill, place: Floats, slopes: Floats, bounds: Floats) -> Floats:
    """The next step: Newton's, or uphill if the function is not concave there."""
    held = ((place <= bounds[0]) & (slopes <= 0)) | ((place >= bounds[1]) & (slopes >= 0))
    free = np.flatnonzero(~held & (bounds[1] > bounds[0]))
    step = np.zeros(2)
    if not len(free):
        return step
    reach = ((bounds[1] - bounds[0]) / (GRID_POINTS - 1))[free]
    bends = np.array([_bend(hill, place, i) for i in free.tolist()])[:, free]
    values, vectors = np.linalg.eigh((bends + bends.T) / 2)
    if (values < 0).all():
        move = -vectors @ ((vectors.T @ slopes[free]) / values)
    else:
        move = np.sign(slopes[free]) * reach
    step[free] = move * min(1.0, float((reach / np.maximum(np.abs(move), 1e-300)).min()))
    return step


def _bend(hill: Hill, place: Floats, i: int) -> Floats:
    """Second derivatives by coordinate i, (2,)."""
    length = 1e-4  # of a difference for second derivatives, in the logarithm
    nudge = np.eye(2)[i] * length
    return np.asarray((hill(place + nudge)[1] - hill(place - nudge)[1]) / (2 * length))
