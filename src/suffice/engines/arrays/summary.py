"""Summary: rows on a device -> statistics; the sums are taken where the rows lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.engines.arrays import class_pass, fused_pass
from suffice.engines.arrays.class_pass import About
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.held_statistics import HeldStatistics
from suffice.engines.arrays.moments import Moments
from suffice.engines.arrays.rows import Rows
from suffice.engines.arrays.sums import Sums, class_sums
from suffice.statistics.fourth import power_of_two
from suffice.statistics.numbers import two_sum
from suffice.statistics.reader import vanished
from suffice.statistics.statistics import Statistics

# Tables that take no more than this are brought to the host at once.
SMALL_BYTES = 1 << 20

# Few rows of many features are kept as they are, centred, as long as they take no more than this.
FACTOR_BYTES = 1 << 30


def summary(rows: Rows, coded: Coded, detail: str) -> Statistics:
    """Statistics of coded rows."""
    work: Any = fused_pass if fused_pass.serves(rows.space, rows.shape[1]) else class_pass
    sums = class_sums(rows, coded, work.sums)
    mean = two_sum(sums.origin, sums.offset)
    space = rows.space
    if detail == "diagonal":
        spread, fourths, unit = sums.squares, None, 1.0
        _check_vanished(rows, sums, spread)
    else:
        unit = power_of_two(float(space.xp.max(sums.high - sums.low)))
        about = About(*mean, unit)
        per_class = detail == "separate"
        made = class_pass.factor if _is_thin(rows, coded, per_class) else work.scatter
        spread, fourths = made(rows, coded, about, per_class)
        _check_made(rows, coded, sums, spread)
    found = Moments(space, detail, mean, spread, (sums.low, sums.high), fourths, unit)
    if found.bytes > SMALL_BYTES:
        return HeldStatistics.of(coded.classes, coded.count, coded.weight, found)
    fields = found.fields(coded.weight, hold=False)
    return Statistics(coded.classes, coded.count, coded.weight, **fields)


def _is_thin(rows: Rows, coded: Coded, per_class: bool) -> bool:
    n, d = rows.shape
    return n <= (len(coded.classes) if per_class else 1) * d and 8 * n * d <= FACTOR_BYTES


def _check_made(rows: Rows, coded: Coded, sums: Sums, spread: Any) -> None:
    space = rows.space
    on_host = hasattr(spread, "owner")
    squares = space.put(spread.diagonal()) if on_host else space.xp.linalg.diagonal(spread)
    if not bool(space.xp.all(space.xp.isfinite(squares))):
        raise rows.not_finite(coded.counted)
    _check_vanished(rows, sums, squares)


def _check_vanished(rows: Rows, sums: Sums, squares: Any) -> None:
    xp = rows.space.xp
    varies = sums.low < sums.high
    if squares.shape[0] != varies.shape[0]:
        varies = xp.any(varies, axis=0, keepdims=True)
    lost = varies & (squares == 0)
    if bool(xp.any(lost)):
        raise vanished(int(np.nonzero(rows.space.fetch(lost))[1][0]), None)
