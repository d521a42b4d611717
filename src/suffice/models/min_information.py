"""Minimum information: covariances of features that are never observed together."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats


def least_informative(covariance: Floats, together: Array) -> Floats:
    """The covariance (d, d) with undetermined entries at their maximum-entropy values.

    together : (d, d) bool, which pairs of features are observed together

    The likelihood does not depend on the other entries. They are chosen so that the determinant
    is largest: two features never observed together are independent given all others (Dempster
    1972). Each sweep regresses every feature on those it is observed with (Hastie, Tibshirani and
    Friedman 2009, algorithm 17.1).
    """
    scale = np.sqrt(covariance.diagonal())
    matrix = covariance / scale / scale[:, None]
    partly = np.flatnonzero(~together.all(axis=1))
    tolerance = 1e-13  # change of a correlation that ends the sweeps
    for _ in range(500):
        before = matrix.copy()
        for j in partly.tolist():
            near = np.flatnonzero(together[j] & (np.arange(len(matrix)) != j))
            far = np.flatnonzero(~together[j])
            slopes = np.linalg.solve(matrix[np.ix_(near, near)], matrix[near, j])
            matrix[far, j] = matrix[j, far] = matrix[np.ix_(far, near)] @ slopes
        if np.abs(matrix - before).max() < tolerance:
            break
    return np.asarray(matrix * scale * scale[:, None])
