"""Soundness: whether means and sums of products can be those of any rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.scatter import Dense
from suffice.statistics.statistics import Statistics
from suffice.statistics.threads import blas_threads

# Correlations may be off by this much without being called impossible.
SLACK = 1e-6


def check_sound(statistics: Any) -> None:
    """Raise ValueError where a scatter is not positive semidefinite.

    >>> import suffice as sf
    >>> check_sound(sf.summarize([[1.0, 2.0], [3.0, 1.0]], ["a", "a"]))
    """
    if isinstance(statistics, MixedStatistics):
        check_sound(statistics.numeric)
    elif isinstance(statistics, IncompleteStatistics):
        parts = getattr(statistics.parts, "parts", {})
        for part in parts.values():
            check_sound(part)
    elif isinstance(statistics, Statistics):
        _check_complete(statistics)


def _check_complete(statistics: Statistics) -> None:
    if isinstance(statistics.spread, Dense):
        matrices = statistics.spread.sums.high
        with blas_threads(1):
            sound = all(map(_semidefinite, matrices))
        if not sound:
            raise ValueError("a scatter matrix is not positive semidefinite")


def _semidefinite(matrix: Floats) -> bool:
    """Whether no direction has a negative sum of squares, up to rounding."""
    scale = np.sqrt(matrix.diagonal())
    unknown = scale == 0
    if np.any(matrix[unknown]):
        return False
    scale[unknown] = 1.0
    correlation = matrix / scale / scale[:, None]
    correlation[np.diag_indices_from(correlation)] += SLACK * len(scale)
    try:
        return bool(np.isfinite(np.linalg.cholesky(correlation)).all())
    except np.linalg.LinAlgError:
        return False
