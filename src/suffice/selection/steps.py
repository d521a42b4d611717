"""Steps: how far long work has come."""

from __future__ import annotations

from collections.abc import Callable

Tell = Callable[[float], None]


class Steps:
    """Work of so many steps; whoever asked is told the share done, from 0 to 1.

    >>> steps = Steps(4, lambda share: print(f"{share:.0%}"))
    >>> steps.add()
    25%
    >>> steps.part(2)(0.5)
    50%
    """

    def __init__(self, total: float, tell: Tell | None) -> None:
        self.total, self.tell = total, tell
        self.done = 0.0

    def add(self, steps: float = 1.0) -> None:
        """So many steps more are done; what was done twice counts once."""
        self.done = min(self.done + steps, self.total)
        if self.tell is not None:
            self.tell(self.done / self.total)

    def finish(self) -> None:
        """All is done, whatever was left out."""
        self.add(self.total)

    def part(self, steps: float) -> Tell:
        """What to tell of a part of the work that is worth so many steps."""
        told = 0.0

        def tell(share: float) -> None:
            nonlocal told
            self.add((share - told) * steps)
            told = share

        return tell
