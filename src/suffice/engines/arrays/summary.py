"""Summary: rows on a device -> statistics; the sums are taken where the rows lie."""

from __future__ import annotations

from typing import Any

from suffice.engines.arrays import class_pass, fused_pass
from suffice.engines.arrays.class_pass import DeviceCentres
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.held_statistics import HeldStatistics
from suffice.engines.arrays.moments import DeviceMoments
from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.sums import class_sums
from suffice.statistics.fourth import unit_of
from suffice.statistics.statistics import Statistics

# Tables that take no more than this are brought to the host at once.
SMALL_BYTES = 1 << 20

# Few rows of many features are kept as they are, centred, as long as they take no more than this.
FACTOR_BYTES = 1 << 30


def summed(rows: DeviceRows, coded: Coded, detail: str) -> Statistics:
    """Statistics of coded rows."""
    work: Any = fused_pass if fused_pass.serves(rows.space, rows.shape[1]) else class_pass
    per_class = detail != "shared"
    sums = class_sums(rows, coded, work, per_class)
    spread, fourths, unit = sums.squares, None, 1.0
    if detail != "diagonal":
        weight = coded.weight_here[:, None]
        unit = unit_of(float(rows.space.xp.max(sums.squares / weight)))
        about = DeviceCentres(*sums.mean, unit)
        made = class_pass.factor if _is_thin(rows, coded, per_class) else work.scatter
        spread, fourths = made(rows, coded, about, per_class)
    found = DeviceMoments(rows.space, detail, sums.mean, spread, fourths, unit)
    if found.bytes > SMALL_BYTES:
        return HeldStatistics.of(coded.classes, coded.count, coded.weight, found)
    means = found.means()
    return Statistics(
        coded.classes,
        coded.count,
        coded.weight,
        means,
        found.scatter(hold=False),
        found.fourth(means, coded.weight),
    )


def _is_thin(rows: DeviceRows, coded: Coded, per_class: bool) -> bool:
    n, d = rows.shape
    return n <= (len(coded.classes) if per_class else 1) * d and 8 * n * d <= FACTOR_BYTES
