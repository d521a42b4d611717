"""Outside: the errors for values that a grid does not hold."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import OutsideGrid
from suffice.statistics.exact.grid import Grid


def check_inside(
    grid: Grid,
    rows: Array,
    q: Floats,
    first_row: int,
    order: Indices,
    names: tuple[str, ...] | None,
) -> None:
    """Raise if a value lies outside the range, or has more decimals than the grid.

    order : the number of each row, counted from `first_row`
    """
    bad = (q < grid.lowest) | (q > grid.highest)
    if not bad.any() and grid.is_decimal:
        exact = grid.values(q)
        # A float32 is the decimal that it is nearest to.
        exact = exact.astype(rows.dtype) if rows.dtype.kind == "f" else exact
        bad = (grid.decimals >= 0) & (exact != rows)
        if bad.any():
            i, j = _first(bad, order)
            raise OutsideGrid(
                f"{_place(first_row + int(order[i]), j, names)} holds {rows[i, j].item()!r}, which "
                f"has more than {grid.decimals[j]} decimals; nothing was counted. Use "
                f"sf.Grid.decimal with more digits, or sf.Grid(low, high), which rounds."
            )
    if bad.any():
        i, j = _first(bad, order)
        value = rows[i, j].item()
        more = int(bad.sum()) - 1
        others = f" (and {more} more values of these rows)" if more else ""
        key = j if names is None else names[j]
        key = 0 if grid.n_features is None else key
        raise OutsideGrid(
            f"{_place(first_row + int(order[i]), j, names)} holds {value!r}{others}, outside the "
            f"grid's range from {grid.low[j]:.6g} to {grid.high[j]:.6g}; nothing was counted. Use "
            f"a wider grid: grid.cover({{{key!r}: {value!r}}})."
        )


def _first(bad: Array, order: Indices) -> tuple[int, int]:
    """The first bad entry in the order of the table."""
    rows = np.flatnonzero(bad.any(axis=1))
    i = int(rows[order[rows].argmin()])
    return i, int(bad[i].argmax())


def _place(row: int, j: int, names: tuple[str, ...] | None) -> str:
    return f"row {row}, column {j if names is None else repr(names[j])}"
