"""Whitening: the space in which distances of a class are Euclidean."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.covariance import Full
from suffice.models.gaussian import GaussianModel
from suffice.models.linalg import symmetric_root


def whiten(model: GaussianModel, X: Array, c: int) -> Floats:
    """(x - centre) times the symmetric root of the inverse covariance of class c, (n, d).

    The centre is the mean of the class means, so that class means can be whitened too.
    """
    steps = X - model.linear.centre
    covariance = model.covariances[0 if model.shared else c]
    if isinstance(covariance, Full):
        return np.asarray(steps @ symmetric_root(covariance.whitener.matrix))
    return covariance.whiten(steps)
