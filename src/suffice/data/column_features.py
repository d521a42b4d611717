"""Column features: the columns of a large chunk, turned to rows only where rows are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Floats, Indices

if TYPE_CHECKING:  # compiled loops are loaded only where the data repays it
    from suffice.data.turning import Columns


def new_room(rows: int, columns: int) -> Floats:
    """A place for rows."""
    return np.empty((rows, columns))


@dataclass(slots=True)
class ColumnFeatures:
    """Rows that lie in memory as columns.

    room : makes, or has kept, a place for so many rows and columns
    """

    columns: Columns
    names: tuple[str, ...] | None
    room: Callable[[int, int], Floats] = new_room
    _rows: Floats | None = field(default=None, init=False, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.columns.shape

    @property
    def ready(self) -> bool:
        """Whether rows can be used where they lie: once they are turned."""
        return True

    def read(self, start: int, stop: int) -> Floats:
        """Rows start to stop, C-ordered."""
        return self._turned()[start:stop]

    def peek(self, start: int, stop: int) -> Floats:
        """The same rows, and no others are turned for it."""
        return self.columns.turned(start, np.empty((stop - start, self.shape[1])))

    def take(self, at: Indices) -> Floats:
        """Some rows by number, C-ordered."""
        return self._turned()[at]

    def _turned(self) -> Floats:
        if self._rows is None:
            self._rows = self.columns.turned(0, self.room(*self.shape))
            self.columns = self.columns.let_go()
        return self._rows
