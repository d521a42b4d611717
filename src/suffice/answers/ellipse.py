"""Ellipse: where a class lies in two features, at a given probability or distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.labels import shown
from suffice.data.parameters import as_float, positive
from suffice.errors import InvalidParameter
from suffice.models.gaussian import GaussianModel


@dataclass(frozen=True, slots=True)
class Ellipse:
    """centre + points whose Mahalanobis distance in the two features is the radius."""

    centre: Floats  # (2,)
    half_axes: Floats  # (2,), longer first
    directions: Floats  # (2, 2), a row an axis

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
    """The ellipse of class c that holds `probability` of it, or lies `deviations` off its mean.

    In two features the squared distance is exponential: r² = -2 ln(1 - probability).
    """
    if (probability is None) == (deviations is None):
        raise InvalidParameter("give either probability or deviations.")
    if probability is not None and not 0 < as_float(probability) < 1:
        raise InvalidParameter(f"probability is {shown(probability)}; it must lie between 0 and 1.")
    radius = (
        positive("deviations", deviations)
        if probability is None
        else np.sqrt(-2 * np.log1p(-as_float(probability)))
    )
    at = list(features)
    rows = model.covariances[0 if model.shared else c].colour(np.eye(model.means.shape[1]))
    variances, vectors = np.linalg.eigh(rows[:, at].T @ rows[:, at])
    sizes = np.sqrt(np.maximum(variances[::-1], 0.0)) * radius
    return Ellipse(model.means[c][at], sizes, vectors.T[::-1])
