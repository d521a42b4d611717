"""Measures: squared Mahalanobis distances of rows on a device, one for each shape of covariance.

Rows are float64, (b, d), and distances (b, k); no array has b k d entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.engines.arrays.space import Space
from suffice.models.covariances.covariance import (
    Covariance,
    DiagonalCovariance,
    FullCovariance,
)
from suffice.models.covariances.low_rank import LowRankCovariance
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.shift import difference


class Measure(Protocol):
    """Distances to k points, each in units of its covariance."""

    def distances(self, X: Any) -> Any:
        """Squared distances of rows (b, d), (b, k)."""

    def white(self, X: Any) -> Any:
        """Rows about a point, with squares that add up to their distances from it, (b, r)."""


@dataclass(frozen=True, slots=True, eq=False)
class Whitened:
    """Full covariances by their whiteners: rows times `columns` have the lengths of rows."""

    space: Space
    points: DoubleDouble  # of arrays on the device, (k, d)
    columns: Any  # (g, d, r)
    owner: Indices  # (k,): which whitener each point has

    def distances(self, X: Any) -> Any:
        """Squared distances of rows."""
        xp, (k, d) = self.space.xp, self.points.high.shape
        step = max(1, self.space.block_bytes // (8 * max(X.shape[0], d) * d))
        parts = []
        for low in range(0, k, step):
            high = min(k, low + step)
            steps = _steps(X, self.points, low, high)
            white = xp.matmul(steps, self._some(self.owner[low:high]))
            parts.append(xp.sum(white * white, axis=2))
        return xp.concat(parts).T

    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance."""
        return X @ self.columns[0, :, :]

    def _some(self, owner: Indices) -> Any:
        if (np.diff(owner) == 1).all():
            return self.columns[int(owner[0]) : int(owner[-1]) + 1, :, :]
        return self.space.take(self.columns, self.space.put(owner))


@dataclass(frozen=True, slots=True, eq=False)
class DeviceSplit:
    """Covariances of a few directions and one variance for all others, one per point."""

    space: Space
    points: DoubleDouble  # of arrays on the device, (k, d)
    parts: tuple[LowRankCovariance, ...]  # with arrays on the device

    def distances(self, X: Any) -> Any:
        """Squared distances of rows."""
        columns = []
        for c, covariance in enumerate(self.parts):
            white = covariance.whiten(_steps(X, self.points, c, c + 1)[0, :, :])
            columns.append(self.space.xp.sum(white * white, axis=1))
        return self.space.xp.stack(columns, axis=1)

    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance."""
        return self.parts[0].whiten(X)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceIndependent:
    """Independent features: a precision for each point and feature."""

    near: ClassVar[float] = 2.0**14  # squared distances whose differences still have enough digits

    space: Space
    points: DoubleDouble  # of arrays on the device, (k, d)
    precisions: Any  # (k, d)
    centre: Any  # (d,)

    def distances(self, X: Any) -> Any:
        """Squared distances of rows."""
        xp = self.space.xp
        steps, p = X - self.centre, self.precisions
        mean = difference(self.points, DoubleDouble(self.centre))
        far = (steps * steps) @ p.T
        # x'x - 2 x'm + m'm takes two products, but loses digits where x'x is large.
        if bool(xp.max(far) < self.near) and bool(
            xp.max(xp.sum(p * mean * mean, axis=1)) < self.near
        ):
            squares = far - 2 * (steps @ (p * mean).T) + xp.sum(p * mean * mean, axis=1)
            return xp.where(squares > 0, squares, 0.0)
        return self._one_by_one(X)

    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance."""
        return X * self.space.xp.sqrt(self.precisions[0, :])

    def _one_by_one(self, X: Any) -> Any:
        xp, (k, d) = self.space.xp, self.points.high.shape
        step = max(1, self.space.block_bytes // (8 * X.shape[0] * d))
        parts = []
        for low in range(0, k, step):
            high = min(k, low + step)
            steps = _steps(X, self.points, low, high)
            product = xp.matmul(steps * steps, self.precisions[low:high, :, None])
            parts.append(product[:, :, 0])
        return xp.concat(parts).T


def measure(space: Space, points: DoubleDouble, covariances: tuple[Covariance, ...]) -> Measure:
    """The measure of covariances on the host: one per point, or one for all."""
    distinct = list({id(covariance): covariance for covariance in covariances}.values())
    place = {id(covariance): g for g, covariance in enumerate(distinct)}
    owner = np.array([place[id(covariance)] for covariance in covariances])
    owner = np.resize(owner, points.high.shape[0])
    diagonal = [c.precisions for c in distinct if isinstance(c, DiagonalCovariance)]
    if len(diagonal) == len(distinct):
        centre = space.xp.mean(points.high, axis=0)
        return DeviceIndependent(space, points, space.put(np.array(diagonal)[owner]), centre)
    split = [
        LowRankCovariance(
            space.put(c.inverse_scale), space.put(c.basis), space.put(c.variances), c.floor
        )
        for c in distinct
        if isinstance(c, LowRankCovariance)
    ]
    if len(split) == len(distinct):
        return DeviceSplit(space, points, tuple(split[g] for g in owner.tolist()))
    columns = [_columns(covariance, points.high.shape[1]) for covariance in distinct]
    return Whitened(space, points, space.put(_padded(columns)), owner)


def _steps(X: Any, points: DoubleDouble, low: int, high: int) -> Any:
    """Rows (b, d) about some of the points, (points, b, d)."""
    return difference(DoubleDouble(X[None, :, :]), points[low:high, None, :])


def _columns(covariance: Covariance, d: int) -> Floats:
    """Columns (d, r): rows times these have their Mahalanobis lengths."""
    if isinstance(covariance, FullCovariance):
        return covariance.whitener.matrix.T
    return covariance.whiten(np.eye(d))


def _padded(matrices: list[Floats]) -> Floats:
    """Matrices (d, r) side by side, (g, d, r), with columns of zeros where one has fewer."""
    most = max(matrix.shape[1] for matrix in matrices)
    padded = np.zeros((len(matrices), len(matrices[0]), most))
    for g, matrix in enumerate(matrices):
        padded[g, :, : matrix.shape[1]] = matrix
    return padded
