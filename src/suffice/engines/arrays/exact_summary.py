"""Exact summary: rows on a device -> sums of integers on a grid, the same bits as on the host.

The digits of the integers are multiplied as float64, in which whole numbers below 2^53 are exact
on every device and in every order. Only the products leave it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.engines.arrays import integer_pass
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows
from suffice.statistics.exact.digits import WEIGHT_DIGIT_BITS
from suffice.statistics.exact.exact_pass import whole_weights
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.exact_sums import ExactSums, FloatSums, weight_digits
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
    for c, (first, last) in enumerate(pairwise(coded.edges.tolist())):
        _add_class(rows, coded.order[first:last], c, weights, total)
    sums = total.exact()
    sums = sums if weights is not None else sums.in_weight_units(own)
    return _statistics(coded, sums, detail, own)


def _statistics(coded: Coded, sums: ExactSums, detail: str, grid: Grid) -> ExactStatistics:
    return ExactStatistics(
        coded.classes, sums.count, sums.weight, sums.sums, sums.products, detail, grid
    )


def _add_class(
    rows: DeviceRows, order: Any, c: int, weights: Indices | None, total: FloatSums
) -> None:
    """Add the rows of a class, a block at a time."""
    space, digits = rows.space, total.digits
    scale, anchor = space.put(total.grid.scale), space.put(total.grid.anchor)
    step = min(rows.step(digits.n_factors * rows.shape[1]), digits.most_rows(total.weighted))
    group = 0 if total.detail == "shared" else c
    for low in range(0, int(order.shape[0]), step):
        at = order[low : low + step]
        q = space.xp.round(rows.at(at) * scale) - anchor
        _check(rows, q, at, total.grid)
        n = int(at.shape[0])
        own = None if weights is None else weights[space.fetch(at)]
        total.make_room(n, 0 if total.detail == "diagonal" else group)
        total.add_weights(np.full(n, c), own)
        _add_block(space, digits.factors(q, space.xp), own, c, group, total)


def _add_block(
    space: Any, factors: list[Any], weights: Indices | None, c: int, group: int, total: FloatSums
) -> None:
    number, xp = total.digits.number, space.xp
    for shift, part in _digits_of(weights):
        left = factors if part is None else [one * space.put(part)[:, None] for one in factors]
        if part is not None:
            total.flush()
            total.rows, total.group = len(part), 0 if total.detail == "diagonal" else group
        for t in range(number):
            total.sums[t, c] += space.fetch(xp.sum(left[t], axis=0))
        for f, (a, b) in enumerate(zip(left, factors, strict=True)):
            if total.detail == "diagonal":
                total.products[f, c] += space.fetch(xp.sum(a * b, axis=0))
            else:
                total.products[f] += space.fetch(a.T @ b)
        if part is not None:
            total.flush(shift)


def _digits_of(weights: Indices | None) -> list[tuple[int, Array | None]]:
    if weights is None:
        return [(0, None)]
    return [(WEIGHT_DIGIT_BITS * g, part) for g, part in enumerate(weight_digits(weights))]


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
