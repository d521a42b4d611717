"""Exact summary: rows on a device -> sums of integers on a grid, the same bits as on the host.

The digits of the integers are multiplied as float64, in which whole numbers below 2^53 are exact
on every device and in every order. Only the products leave it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.engines.arrays import integer_pass
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.space import Space
from suffice.statistics.exact.blocks import ExactBlocks
from suffice.statistics.exact.exact_pass import whole_weights
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.exact_sums import ExactSums, FloatSums
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.outside import check_inside


def summarize_exactly(rows: DeviceRows, coded: Coded, detail: str, grid: Grid) -> ExactStatistics:
    """Exact statistics of coded rows."""
    own = grid.resolve(None, rows.shape[1])
    weights = (
        None if coded.weights is None else whole_weights(coded.space.fetch(coded.weights), 0, own)
    )
    k, d = len(coded.classes), rows.shape[1]
    if integer_pass.serves(rows, coded, own):
        integers = integer_pass.integer_sums(rows, coded, own, detail)
        if integers is not None:
            sums = ExactSums(coded.count, coded.count, *integers).in_weight_units(own)
            return _statistics(coded, sums, detail, own)
        # A value is not on the grid: the pass below says which one.
    total = FloatSums.empty(k, d, own, detail, weights is not None)
    blocks = DeviceBlocks(total, rows.space)
    step = min(rows.step(total.digits.n_factors * d), total.digits.most_rows(total.weighted))
    for c, (first, last) in enumerate(pairwise(coded.edges.tolist())):
        for low in range(first, last, step):
            at = coded.order[low : min(low + step, last)]
            own_weights = None if weights is None else weights[rows.space.fetch(at)]
            group = c if detail == "separate" else 0
            blocks.add_rows(rows, at, np.full(int(at.shape[0]), c), own_weights, group)
    sums = total.exact()
    sums = sums if weights is not None else sums.in_weight_units(own)
    return _statistics(coded, sums, detail, own)


def _statistics(coded: Coded, sums: ExactSums, detail: str, grid: Grid) -> ExactStatistics:
    return ExactStatistics(
        coded.classes, sums.count, sums.weight, sums.sums, sums.products, detail, grid
    )


class DeviceBlocks(ExactBlocks):
    """Adds rows on a device to sums on the host; each time, rows of one class."""

    def __init__(self, total: FloatSums, space: Space) -> None:
        self.total, self.space, self.xp = total, space, space.xp
        self.scale, self.anchor = space.put(total.grid.scale), space.put(total.grid.anchor)

    def put(self, values: Floats) -> Any:
        """An array where the rows are."""
        return self.space.put(values)

    def integers(self, X: DeviceRows, at: Any) -> Any:
        """Rows in units of the grid; raises if a value is not on it."""
        q = self.xp.round(X.at(at) * self.scale) - self.anchor
        _check(X, q, at, self.total.grid)
        return q

    def add_by_class(self, values: Any, codes: Indices, out: Floats) -> None:
        """Add the sum of rows to that of their class."""
        out[codes[0]] += self.space.fetch(self.xp.sum(values, axis=0))

    def add_pairs(self, left: Any, right: Any, out: Floats) -> None:
        """Add the products of all pairs of columns, (d, d)."""
        out += self.space.fetch(left.T @ right)


def _check(rows: DeviceRows, q: Any, at: Any, grid: Grid) -> None:
    """Raise if a value is not on the grid."""
    space, xp = rows.space, rows.space.xp
    inside = (q >= space.put(grid.lowest)) & (q <= space.put(grid.highest))
    if bool(xp.all(inside)) and not grid.is_decimal:
        return
    error = rows.first_invalid()
    if error is not None:
        raise error
    own = space.fetch(space.take(rows.values, at))
    for i in range(len(own)) if grid.is_decimal else np.flatnonzero(~space.fetch(inside).all(1)):
        check_inside(grid, own[i : i + 1], space.fetch(q[i : i + 1]), int(at[i]), None)
