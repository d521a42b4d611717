"""Anderson acceleration: the next point of a fixed-point iteration, from its last steps."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from suffice.data.arrays import Floats


class Anderson:
    """Points, the steps from them, and a prediction of where the steps vanish (Anderson 1965).

    With x the points and f the steps, the prediction is the combination of the last points x + f
    for which the same combination of the f is shortest. If that lies backwards, as it does while
    steps grow, extrapolate along the last step instead, by as many steps as it takes for the
    steps to change (Varadhan and Roland 2008). The longest lead adapts to past successes.
    """

    # Factor by which the longest lead grows after a success and shrinks after a failure.
    lead_factor: ClassVar[float] = 4.0

    def __init__(self, size: int) -> None:
        depth = 10  # steps kept, unless they take more than most_entries
        most_entries = 1 << 24
        self._depth = max(2, min(depth, most_entries // max(size, 1)))
        self._longest = 64.0  # steps
        self._lead = 0.0  # number of steps that the last correction led ahead
        self._last: tuple[Floats, Floats] | None = None
        self._points: list[Floats] = []  # changes from point to point
        self._steps: list[Floats] = []  # changes from step to step

    def add(self, point: Floats, step: Floats) -> None:
        """Record that the iteration goes from this point by this step."""
        if self._last is not None:
            self._points = [*self._points, point - self._last[0]][-self._depth :]
            self._steps = [*self._steps, step - self._last[1]][-self._depth :]
        if self._lead:
            self._longest = max(self._longest, self.lead_factor * self._lead)
        self._last, self._lead = (point, step), 0.0

    def reject(self) -> None:
        """Drop all steps, because the point that they led to was rejected."""
        if self._lead:
            self._longest = max(self._lead / self.lead_factor, 1.0)
        self._last, self._points, self._steps, self._lead = None, [], [], 0.0

    def correction(self) -> Floats | None:
        """What to add to the last point and its step; None without enough steps."""
        if self._last is None or not self._steps:
            return None
        step, changes = self._last[1], np.array(self._steps)
        # Directions in which the last steps differ by less than this share hold only rounding.
        negligible = 1e-10
        shares, *_ = np.linalg.lstsq(changes.T, step, rcond=negligible)
        correction = -(np.array(self._points) + changes).T @ shares
        length, far, bend = (
            float(np.linalg.norm(part)) for part in (step, self._points[-1], self._steps[-1])
        )
        if correction @ step < 0:
            correction = step * (far / bend if bend else self._longest)
        steps = float(np.linalg.norm(correction)) / length if length else 0.0
        self._lead = min(steps, self._longest)
        return np.asarray(correction * (self._lead / steps)) if steps else None
