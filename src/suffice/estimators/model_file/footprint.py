"""Footprint: how much memory a model takes that is larger than its statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.models.discrete import MOST_LEVELS, Smoothing
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics

# A model may have so many bytes, or so many times those of its file.
FREE = 16 << 20
TIMES = 16


def check_footprint(statistics: Any, settings: Any, size: int) -> None:
    """Raise ValueError where a model is out of all proportion to a file of that size.

    A single integer level of a million makes a table of a million levels, and a feature that no
    row knows a column of every matrix: then a few damaged bytes would fill the memory.
    """
    needed = footprint(statistics, settings)
    if needed > max(FREE, TIMES * size):
        raise ValueError(
            f"the model takes {needed >> 20} MB, out of proportion to a file of {size >> 10} KB; "
            "if the file is known to be right, load it with trusted=True"
        )


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
