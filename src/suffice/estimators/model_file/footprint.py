"""Footprint: how much memory a model takes beyond its statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.models.categorical import MOST_LEVELS, Categorical
from suffice.models.groups import WIDE
from suffice.statistics.counts import Counts
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.room import Room, disproportion
from suffice.statistics.statistics import Statistics


def check_footprint(statistics: Any, settings: Any, room: Room) -> None:
    """Raise ValueError if a model would be out of proportion to its file.

    The model is not allocated while the file is read, but at the first `predict`. A single
    integer level of a million makes a table of a million levels, and a feature that no row has
    makes a column of every matrix: a few bytes could fill the memory.
    """
    needed = footprint(statistics, settings)
    # Matrices may take this much: for few rows of many features only the rows are kept, and
    # the matrices made from them are naturally larger.
    matrices_bytes = 256 << 20
    free = matrices_bytes if isinstance(statistics, Statistics) else 16 << 20
    times = 16  # the size of its file that any model may take
    if room.size is not None and needed > max(free, times * room.size):
        raise ValueError(disproportion(needed, "the parts of the model", room.size))


def footprint(statistics: Any, settings: Any) -> int:
    """Bytes that a model takes in addition to its statistics."""
    s = statistics
    if isinstance(s, MixedStatistics):
        return sum(footprint(own, settings.parts[k].likelihood) for k, own in s.parts.items())
    if isinstance(s, Counts):
        least = np.broadcast_to(settings.least, (s.n_features,)).tolist()
        return 8 * len(s.classes) * sum(_width(s, j, settings, least[j]) for j in range(len(least)))
    if isinstance(s, IncompleteStatistics):
        d = s.n_features
        return 8 * len(s.classes) * (d if s.detail == "diagonal" else d * d)
    if isinstance(s, Statistics) and isinstance(s.spread, FactoredScatter) and s.n_features <= WIDE:
        return 8 * s.spread.groups * s.n_features**2
    return 0


def _width(counts: Counts, j: int, smoothing: Categorical, least: int) -> int:
    levels = counts.tables[j].levels
    declared = None if smoothing.levels is None else smoothing.levels[j]
    if declared is not None:
        return len(declared)
    if levels.dtype.kind != "i":
        return len(levels)
    most = max(int(levels[-1]) + 1 if len(levels) else 0, least)
    return most if most <= MOST_LEVELS else len(levels)
