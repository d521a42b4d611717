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
    """Raise ValueError where a mean is far from all rows, or a scatter not positive semidefinite.

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
    low, high = statistics.extremes.low, statistics.extremes.high
    with np.errstate(over="ignore"):
        # What removals leave of a mean may be off by rounding, but not by the range of the rows.
        slack = (high - low) + SLACK * np.maximum(np.abs(low), np.abs(high))
        far = (statistics.mean < low - slack) | (statistics.mean > high + slack)
    if far.any():
        raise ValueError("a mean is far from all rows of its class")
    if isinstance(statistics.spread, Dense):
        matrices = statistics.spread.sums.high
        errors = np.zeros(matrices.shape[:2]) if statistics.residue is None else statistics.residue
        with blas_threads(1):
            sound = all(map(_semidefinite, matrices, errors))
        if not sound:
            raise ValueError("a scatter matrix is not positive semidefinite")


def _semidefinite(matrix: Floats, error: Floats) -> bool:
    """Whether no direction has a negative sum of squares, up to rounding left by removals."""
    scale = np.sqrt(np.maximum(matrix.diagonal(), 0.0) + error)
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
