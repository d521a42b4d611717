"""Checking: whether rows can be rounded to what a user gave as a grid."""

from __future__ import annotations

from typing import Any

from suffice.errors import InvalidParameter
from suffice.statistics.exact.grid import Grid
from suffice.text import shown


def check_grid(grid: Any, optional: bool = True) -> None:
    """Raise unless this is a grid, or None where it may be left out."""
    if not (isinstance(grid, Grid) or (optional and grid is None)):
        raise InvalidParameter(
            f"grid is {shown(grid)}; it must be a grid, such as sf.Grid(low, high), "
            "sf.Grid.decimal(2) or sf.Grid.of(X)."
        )
