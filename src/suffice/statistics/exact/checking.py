"""Checking: whether rows can be rounded to what a user gave as a grid."""

from __future__ import annotations

from typing import Any

from suffice.data.column_kinds import Number
from suffice.data.table_rows import TableReader
from suffice.errors import InvalidParameter, NotNumbers
from suffice.statistics.exact.grid import Grid
from suffice.text import quote_names, shown


def check_grid(grid: Any, optional: bool = True) -> None:
    """Raise unless this is a grid, or None where it may be left out."""
    if not (isinstance(grid, Grid) or (optional and grid is None)):
        raise InvalidParameter(
            f"grid is {shown(grid)}; it must be a grid, such as sf.Grid(low, high), "
            "sf.Grid.decimal(2) or sf.Grid.of(X)."
        )


def no_levels(reader: TableReader | None) -> None:
    """Raise unless a table that is to be rounded to a grid holds numbers alone.

    reader : how the table is read; None if it holds numbers alone
    """
    if reader is None or reader.layout.is_plain:
        return
    if reader.level_names:
        raise NotNumbers(
            f"column {quote_names(reader.level_names)} holds levels (categories); a grid takes "
            "numbers. Use MixedNB(grid=grid), which counts levels exactly, or encode them first: "
            "sf.Indicators().fit_transform(X)."
        )
    pairs = reader.layout.by_name.items()
    others = [name for name, kind in pairs if not isinstance(kind, Number)]
    numbers = [name for name, kind in pairs if isinstance(kind, Number)]
    raise NotNumbers(
        f"column {quote_names(others)} does not hold plain numbers; a grid takes numbers. "
        f"Select them: X[{numbers}], or columns={numbers} in suffice.summarize."
    )
