"""Footprint: how much memory a model takes that is larger than its statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.models.discrete import MOST_LEVELS, Smoothing
from suffice.models.groups import WIDE
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.room import Room, disproportion
from suffice.statistics.statistics import Statistics
from suffice.statistics.thin import FactoredScatter

# A model may have this many bytes, and this many times those of its file.
FREE_BYTES = 16 << 20
TIMES = 16

# Of few rows of many features only the rows are kept, and the matrices made of them are larger by
# nature: they may have this many bytes.
MATRICES_BYTES = 256 << 20


def check_footprint(statistics: Any, settings: Any, room: Room) -> None:
    """Raise ValueError where a model would be out of all proportion to its file.

    Nothing of it is allocated while the file is read, but would be at the first `predict`. A
    single integer level of a million makes a table of a million levels, and a feature that no row
    has a column of every matrix: then a few bytes would fill the memory.
    """
    needed = footprint(statistics, settings)
    free = MATRICES_BYTES if isinstance(statistics, Statistics) else FREE_BYTES
    if room.size is not None and needed > max(free, TIMES * room.size):
        raise ValueError(disproportion(needed, "the parts of the model", room.size))


def footprint(statistics: Any, settings: Any) -> int:
    """Bytes of what a model spreads out that its statistics keep together."""
    s = statistics
    if isinstance(s, MixedStatistics):
        return footprint(s.numeric, settings[0]) + footprint(s.discrete, settings[1])
    if isinstance(s, Counts):
        least = np.broadcast_to(settings.least, (s.n_features,)).tolist()
        return 8 * len(s.classes) * sum(_width(s, j, settings, least[j]) for j in range(len(least)))
    if isinstance(s, IncompleteStatistics):
        d = s.n_features
        return 8 * len(s.classes) * (d if s.detail == "diagonal" else d * d)
    if isinstance(s, Statistics) and isinstance(s.spread, FactoredScatter) and s.n_features <= WIDE:
        return 8 * s.spread.groups * s.n_features**2
    return 0


def _width(counts: Counts, j: int, smoothing: Smoothing, least: int) -> int:
    levels = counts.tables[j].levels
    declared = None if smoothing.levels is None else smoothing.levels[j]
    if declared is not None:
        return len(declared)
    if levels.dtype.kind != "i":
        return len(levels)
    most = max(int(levels[-1]) + 1 if len(levels) else 0, least)
    return most if most <= MOST_LEVELS else len(levels)
