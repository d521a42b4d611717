"""Limits: the numbers that models can compute with; ValueErrors refuse others in files."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats

# Largest number whose square does not overflow; the inverse of the smallest scale.
FAR = 1e150

# Largest error of products of factors and their inverses in a valid file.
CLOSE = 1e-6

# Largest error of a sum of probabilities.
SUM_ROUNDING = 1e-8


def check_sizes(*arrays: Floats) -> None:
    """Raise unless squares of these numbers can be computed."""
    if not all((np.abs(array) <= FAR).all() for array in arrays):
        raise ValueError("a covariance holds numbers too large to compute with")


def check_scales(scales: Floats, far: float = FAR) -> None:
    """Raise unless these are positive, or zero, and neither too large nor too small."""
    if (scales < 0).any():
        raise ValueError("a variance is negative")
    if ((scales > far) | ((scales > 0) & (scales < 1 / far))).any():
        raise ValueError("a covariance holds numbers too large or too small to compute with")


def check_variances(variances: Floats) -> None:
    """Raise unless these are squares of scales."""
    check_scales(variances, FAR**2)


def is_identity(matrix: Floats) -> bool:
    """Whether a matrix is the identity up to rounding."""
    return not len(matrix) or bool(np.abs(matrix - np.eye(len(matrix))).max() < CLOSE)
