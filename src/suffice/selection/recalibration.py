"""Recalibration: a temperature and one offset per class that make probabilities honest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.scoring import normalised
from suffice.statistics.storage.registry import storable


@storable
@dataclass(frozen=True, slots=True)
class Recalibration:
    """Posteriors as p(y | x)^slope exp(offset of y), normalised.

    A slope below 1 is a temperature above 1: it makes over-confident probabilities milder. Offsets
    shift the classes, as other priors would.

    >>> mild = Recalibration(0.5, np.zeros(2))
    >>> np.exp(mild.apply(np.log([[0.9, 0.1]]))).round(3)
    array([[0.75, 0.25]])
    """

    slope: float
    offsets: Array  # (k,): their mean is zero

    @classmethod
    def none(cls, k: int) -> Recalibration:
        """The one that changes nothing."""
        return cls(1.0, np.zeros(k))

    def apply(self, log_posterior: Floats) -> Floats:
        """The recalibrated ln p(y | x), (n, k)."""
        return normalised(self.slope * log_posterior.T + self.offsets[:, None]).T

    def validated(self) -> Self:
        """This recalibration, if its numbers are finite; a ValueError otherwise."""
        if self.offsets.ndim != 1 or not np.isfinite([self.slope, *self.offsets]).all():
            raise ValueError("a recalibration has one finite offset per class")
        if self.slope <= 0:
            raise ValueError("the slope of a recalibration is positive")
        return self


def recalibrations(
    log_posterior: Floats,
    codes: Indices,
    weights: Floats,
    *,
    start: Recalibration | None = None,
    deviation: float = 0.5,
    lowest: float = -15.0,
    max_steps: int = 25,
) -> list[Recalibration]:
    """The most probable recalibration for each of several weightings of rows, or several models.

    Maximises sum of w ln p(y | x) - ((slope - 1)² + |offsets|²) / (2 deviation²) by Newton's
    method; the function is concave.

    log_posterior : (n, k) of rows that the model was not trained on, or (b, n, k) of several models
    codes : (n,) the class of each row
    weights : (b, n)
    start : of Newton's method; the one that changes nothing by default
    deviation : how far slope and offsets are expected to be from 1 and 0
    lowest : log-probabilities below it count as this, so that a single row does not decide
    """
    (n, k), b = log_posterior.shape[-2:], len(weights)
    levels = np.maximum(log_posterior, lowest)
    levels = levels - levels.mean(axis=-1, keepdims=True)
    # Rows come last: sums over a few classes are slow where these do.
    levels = np.ascontiguousarray(levels.swapaxes(-1, -2))
    own = np.zeros((k, n))
    own[codes, np.arange(n)] = 1.0
    own_level = (levels * own).sum(axis=-2)
    target = np.column_stack([(weights * own_level).sum(axis=1), weights @ own.T])
    expected = np.concatenate([[1.0], np.zeros(k)])
    first = expected if start is None else np.concatenate([[start.slope], start.offsets])
    theta = np.tile(first, (b, 1))
    for _ in range(max_steps):
        mean, curvature = _moments(theta, levels, weights)
        gradient = mean - target + (theta - expected) / deviation**2
        curvature += np.eye(k + 1) / deviation**2
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        # Long steps overshoot where probabilities are nearly 0 or 1.
        step *= np.minimum(1.0, 1.0 / np.abs(step).max(axis=1, keepdims=True).clip(1e-300))
        theta = theta - step
        theta[:, 0] = theta[:, 0].clip(0.05, 20.0)
        # Newton's steps are squared from one to the next, so the error is far below the last one.
        if np.abs(step).max() < 1e-3:
            break
    offsets = theta[:, 1:] - theta[:, 1:].mean(axis=1, keepdims=True)
    return [Recalibration(float(t), o) for t, o in zip(theta[:, 0], offsets, strict=True)]


def _moments(theta: Floats, levels: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Sums of w E[t] (b, k + 1) and w cov[t] (b, k + 1, k + 1), for t the level and the class.

    levels : (k, n), or (b, k, n); between -15 and 15 times a slope, so that exp cannot overflow
    """
    p = np.exp(theta[:, :1, None] * levels + theta[:, 1:, None])
    p /= p.sum(axis=1, keepdims=True)
    weighted = weights[:, None] * p
    mean = (p * levels).sum(axis=1, keepdims=True)
    from_mean = weighted * (levels - mean)
    of_classes = weighted.sum(axis=2)
    b, k = of_classes.shape
    curvature = np.empty((b, k + 1, k + 1))
    curvature[:, 0, 0] = (from_mean * levels).sum(axis=(1, 2))
    curvature[:, 0, 1:] = curvature[:, 1:, 0] = from_mean.sum(axis=2)
    curvature[:, 1:, 1:] = -weighted @ p.transpose(0, 2, 1)
    curvature[:, np.arange(1, k + 1), np.arange(1, k + 1)] += of_classes
    of_level = (weights * mean[:, 0]).sum(axis=1)
    return np.column_stack([of_level, of_classes]), curvature
