"""Geometry: the ellipse of a class in two features, and the space whitened by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.elsewhere import project
from suffice.data.parameters import as_float, positive
from suffice.errors import InvalidParameter
from suffice.models.covariances.covariance import FullCovariance
from suffice.models.gaussian import GaussianModel
from suffice.text import shown


@dataclass(frozen=True, slots=True)
class Ellipse:
    """The points at a given Mahalanobis distance of a centre, in two features."""

    centre: Floats  # (2,)
    half_axes: Floats  # (2,), longer first
    directions: Floats  # (2, 2), one row per axis

    def points(self, n: int = 200) -> Floats:
        """The closed curve, (n, 2)."""
        angles = np.linspace(0.0, 2 * np.pi, n)
        circle = np.column_stack([np.cos(angles), np.sin(angles)])
        return np.asarray(self.centre + (circle * self.half_axes) @ self.directions)


def ellipse(
    model: GaussianModel,
    c: int,
    features: tuple[int, int] = (0, 1),
    probability: float | None = None,
    deviations: float | None = None,
) -> Ellipse:
    """The ellipse of class c with this probability, or at this number of standard deviations.

    In two features the squared distance is exponential: r² = -2 ln(1 - probability).
    """
    if (probability is None) == (deviations is None):
        raise InvalidParameter("give either probability or deviations: probability=0.95, say.")
    if probability is not None and not 0 < as_float(probability) < 1:
        raise InvalidParameter(f"probability is {shown(probability)}; it must lie between 0 and 1.")
    radius = (
        positive("deviations", deviations)
        if probability is None
        else np.sqrt(-2 * np.log1p(-as_float(probability)))
    )
    at = list(features)
    rows = model.covariance_of(c).colour(np.eye(model.means.shape[1]))
    variances, vectors = np.linalg.eigh(rows[:, at].T @ rows[:, at])
    sizes = np.sqrt(np.maximum(variances[::-1], 0.0)) * radius
    return Ellipse(model.means[c][at], sizes, vectors.T[::-1])


def whiten(model: GaussianModel, X: Any, c: int) -> Floats:
    """(x - centre) times the symmetric root of the inverse covariance of class c, (n, d).

    The centre is the mean of the class means, so that class means can be whitened too.
    """
    covariance, centre = model.covariance_of(c), model.means.mean(axis=0)
    if isinstance(covariance, FullCovariance):
        return project(X, centre, _symmetric_root(covariance.whitener.matrix))
    if isinstance(X, np.ndarray):
        return covariance.whiten(X - centre)
    return project(X, centre, covariance.whiten(np.eye(len(centre))))


def _symmetric_root(matrix: Floats) -> Floats:
    """The symmetric S, (d, d), with SS = A'A: the root of the precision that A factors."""
    _, sizes, vectors = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((vectors.T * sizes) @ vectors)
