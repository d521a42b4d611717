"""Discriminant axes: the directions along which class means differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariances.linalg import principal_axes
from suffice.models.gaussian import GaussianModel
from suffice.statistics.numbers import two_sum


@dataclass(frozen=True, slots=True)
class Axes:
    """Directions with unit variance within classes, those that separate classes best first."""

    centre: Floats  # (d,): class means weighted by the priors
    directions: Floats  # (d, m)
    shares: Floats  # (m,): of the variance between classes
    start: Floats  # (m,): coordinates of the exact centre relative to its rounded value


def discriminant_axes(model: GaussianModel) -> Axes:
    """The axes of a model with a shared covariance."""
    base = model.means[0]
    centre, low = two_sum(base, model.priors @ model.means_about(base))
    steps = model.means_about(centre) - low
    covariance = model.covariances[0]
    white = covariance.whiten(steps) * np.sqrt(model.priors)[:, None]
    sizes, vectors = principal_axes(white)
    kept = min(len(model.classes) - 1, covariance.rank)
    squares = sizes[:kept] ** 2
    total = squares.sum()
    # An axis v of whitened rows is A'v of the original ones.
    directions = _fix_signs(covariance.unwhiten(vectors[:kept]))
    shares = squares / (total if total > 0 else 1.0)
    return Axes(centre, directions.T, shares, directions @ low)


def _fix_signs(vectors: Floats) -> Floats:
    """The same axes, with signs that make the largest entry of each positive."""
    largest = np.abs(vectors).argmax(axis=1)
    return np.asarray(vectors * np.sign(vectors[np.arange(len(vectors)), largest])[:, None])
