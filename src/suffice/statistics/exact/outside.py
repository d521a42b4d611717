"""Outside: the errors for values that a grid does not hold."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import HasGaps, OutsideGrid
from suffice.statistics.exact.grid import Grid
from suffice.statistics.passes.reader import Reader


def is_inside(grid: Grid, rows: Array, q: Floats) -> bool:
    """Whether all values are points of the range, or are rounded to one; False for NaN."""
    # NaN is passed on by min and max, and compares as False.
    low, high = q.min(axis=0), q.max(axis=0)
    if not ((low >= grid.lowest) & (high <= grid.highest)).all():
        return False
    return not grid.is_decimal or not _between(grid, rows, q).any()


def raise_outside(reader: Reader, grid: Grid, allow_gaps: bool = False) -> NoReturn:
    """Raise the error for the first value, in the order of the table, that is not on the grid."""
    batch = reader.batch
    error = reader.infinite()
    if error is not None:
        raise error
    if reader.has_gaps and not allow_gaps:
        raise HasGaps("Input X contains NaN.")
    for block in reader.blocks(0, reader.shape[0], 1 << 14):
        rows = block.rows
        if batch.ignores_rows:
            counted = block.codes < len(batch.classes)
            rows = np.where(counted[:, None], rows, grid.values(grid.lowest))
        if allow_gaps:
            rows = np.where(np.isnan(rows), grid.values(grid.lowest), rows)
        q = np.rint(rows.astype(np.float64) * grid.scale) - grid.anchor
        check_inside(grid, rows, q, batch.first_row + block.first, batch.features.names)
    raise AssertionError("a loop reported a value outside the grid, but there is none")


def _between(grid: Grid, rows: Array, q: Floats) -> Array:
    """Values between the points of a decimal grid."""
    exact = grid.values(q)
    # A float32 is the decimal that it is nearest to.
    exact = exact.astype(rows.dtype) if rows.dtype.kind == "f" else exact
    return np.asarray((grid.decimals >= 0) & (exact != rows))


def check_inside(
    grid: Grid, rows: Array, q: Floats, first_row: int, names: tuple[str, ...] | None
) -> None:
    """Raise if a value lies outside the range, or has more decimals than the grid."""
    bad = (q < grid.lowest) | (q > grid.highest)
    if not bad.any() and grid.is_decimal:
        bad = _between(grid, rows, q)
        if bad.any():
            i, j = _first(bad)
            raise OutsideGrid(
                f"{_place(first_row + i, j, names)} holds {rows[i, j].item()!r}, which "
                f"has more than {grid.decimals[j]} decimals; nothing was counted. Use "
                f"sf.Grid.decimal with more digits, or sf.Grid(low, high), which rounds."
            )
    if bad.any():
        i, j = _first(bad)
        value = rows[i, j].item()
        more = int(bad.sum()) - 1
        others = f" (and {more} more values of these rows)" if more else ""
        key = j if names is None else names[j]
        key = 0 if grid.n_features is None else key
        raise OutsideGrid(
            f"{_place(first_row + i, j, names)} holds {value!r}{others}, outside the "
            f"grid's range from {grid.low[j]:.6g} to {grid.high[j]:.6g}; nothing was counted. Use "
            f"a wider grid: grid.cover({{{key!r}: {value!r}}})."
        )


def _first(bad: Array) -> tuple[int, int]:
    i, j = (int(at[0]) for at in np.nonzero(bad))
    return i, j


def _place(row: int, j: int, names: tuple[str, ...] | None) -> str:
    return f"row {row}, column {j if names is None else repr(names[j])}"
