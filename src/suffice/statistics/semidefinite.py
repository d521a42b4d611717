"""Semidefinite: whether a matrix can be a scatter matrix."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats

# Error allowed in correlations: removals leave them five digits.
SLACK = 1e-4


def is_semidefinite(matrix: Floats) -> bool:
    """Whether no direction has a negative sum of squares, up to rounding.

    >>> is_semidefinite(np.array([[1.0, 1.0], [1.0, 1.0]]))
    True
    >>> is_semidefinite(np.array([[1.0, 1.1], [1.1, 1.0]]))
    False
    """
    scale = np.sqrt(matrix.diagonal())
    constant = scale == 0
    if np.any(matrix[constant]):
        return False
    scale[constant] = 1.0
    correlation = matrix / scale
    correlation /= scale[:, None]
    correlation[np.diag_indices_from(correlation)] += SLACK * len(scale)
    try:
        return bool(np.isfinite(np.linalg.cholesky(correlation)).all())
    except np.linalg.LinAlgError:
        return False
