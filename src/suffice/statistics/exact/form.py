"""Form: how new rows must be summarized so that their exact statistics can be added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.errors import Mismatch
from suffice.statistics.exact.grid import Grid, check_grid, with_indicators


@dataclass(frozen=True, slots=True)
class ExactForm:
    """The detail of exact statistics, and their grid."""

    detail: str
    grid: Grid
    fourth: bool = False  # whether sums of fourth order are kept, for Ledoit-Wolf

    @classmethod
    def of(cls, detail: str, grid: Grid | None, shrinkage: Any = None) -> str | ExactForm:
        """The form of statistics in some detail: with a grid if there is one.

        shrinkage : the estimate that they must be sufficient for
        """
        if grid is None:
            return detail
        check_grid(grid)
        return cls(detail, grid, detail == "separate" and shrinkage == "ledoit-wolf")

    def for_table(self, names: tuple[str, ...], n_numbers: int) -> ExactForm:
        """The form of the features of a table: of numbers, then of indicators of levels."""
        return ExactForm(self.detail, with_indicators(self.grid, names, n_numbers))

    def is_on(self, grid: Grid) -> bool:
        """Whether a grid is this one, possibly for any number of features."""
        own = self.grid
        return own == grid.resolve(own.names, len(own.exponent))


def is_exact(statistics: Any) -> bool:
    """Whether statistics are integers on a grid, those of a table with levels included."""
    return isinstance(getattr(statistics, "form", None), ExactForm)


def check_same_grid(form: Any, grid: Grid | None) -> None:
    """Raise where a grid is set that is not the one of the rows before.

    form : an `ExactForm`, or the detail of rows that are on no grid
    """
    if grid is not None and not (isinstance(form, ExactForm) and form.is_on(grid)):
        raise Mismatch(
            "the rows learned before are not on the grid that is set now; call fit with all "
            "rows, or set the grid of the statistics: "
            "set_params(grid=getattr(model.statistics_, 'grid', None))."
        )
