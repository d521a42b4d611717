"""Steps: the share of a long computation that is done, reported to a callback."""

from __future__ import annotations

from collections.abc import Callable

ProgressCallback = Callable[[float], None]


class Steps:
    """Work of a given number of steps; the callback receives the share done, from 0 to 1.

    >>> steps = Steps(4, lambda share: print(f"{share:.0%}"))
    >>> steps.add()
    25%
    >>> steps.part(2)(0.5)
    50%
    """

    def __init__(self, total: float, callback: ProgressCallback | None) -> None:
        self.total, self.callback = total, callback
        self.done = 0.0

    def add(self, steps: float = 1.0) -> None:
        """Count more steps as done, up to the total."""
        self.done = min(self.done + steps, self.total)
        if self.callback is not None:
            self.callback(self.done / self.total)

    def finish(self) -> None:
        """Count everything as done, including steps that were skipped."""
        self.add(self.total)

    def part(self, steps: float) -> ProgressCallback:
        """The callback for a part of the work that counts as this many steps."""
        reported = 0.0

        def report(share: float) -> None:
            nonlocal reported
            self.add((share - reported) * steps)
            reported = share

        return report
