"""Indicator grid: the grid of a table with levels, whose indicators are in units of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.statistics.exact.grid import Grid

# The points of an indicator: 0 and 1.
_INDICATOR = {"exponent": 0, "decimals": -1, "origin": 0.0, "lowest": 0, "highest": 1}


def with_indicators(grid: Grid, names: tuple[str, ...], n_numbers: int) -> Grid:
    """The grid of the features of a table: of numbers, as the user gave it, then of indicators.

    >>> wide = with_indicators(Grid(0, 100, bits=16), ("age", "colour=red"), 1)
    >>> print(wide)
    grid of 16 bits
    feature     low  high  unit
    age         0    100   2^-9
    colour=red  0    1     1
    """
    own = grid.resolve(names[:n_numbers], n_numbers)
    at = np.append(np.arange(n_numbers), np.full(len(names) - n_numbers, -1))
    return mapped_grid(own, at, names)


def mapped_grid(grid: Grid, at: Indices, names: tuple[str, ...] | None) -> Grid:
    """The grid of the features at some positions, and of an indicator where that is -1."""
    arrays: dict[str, Any] = {
        name: _placed(getattr(grid, name), at, value) for name, value in _INDICATOR.items()
    }
    deviation = grid.deviation
    if deviation is not None:
        arrays["deviation"] = _placed(deviation, at, -1)
    return grid.changed(**arrays, names=names)


def _placed(values: Array, at: Indices, other: float) -> Array:
    out = np.full(len(at), other, values.dtype)
    out[at >= 0] = values[at[at >= 0]]
    return out
