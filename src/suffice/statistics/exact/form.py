"""Form: how new rows must be summarized so that their exact statistics can be added."""

from __future__ import annotations

from dataclasses import dataclass

from suffice.statistics.exact.checking import check_grid
from suffice.statistics.exact.grid import Grid


@dataclass(frozen=True, slots=True)
class ExactForm:
    """The detail of exact statistics, and their grid."""

    detail: str
    grid: Grid

    @classmethod
    def of(cls, detail: str, grid: Grid | None) -> str | ExactForm:
        """The form of statistics in some detail: with a grid if there is one."""
        if grid is None:
            return detail
        check_grid(grid)
        return cls(detail, grid)

    def is_on(self, grid: Grid) -> bool:
        """Whether a grid is this one, possibly for any number of features."""
        own = self.grid
        return own == grid.resolve(own.names, len(own.exponent))
