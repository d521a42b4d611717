"""Measures: squared Mahalanobis distances of rows on a device, one for each shape of covariance.

Rows are float64, (b, d), and distances (b, k); no array has b k d entries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

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


@dataclass(frozen=True, eq=False)
class Measure(ABC):
    """Distances to k points, each in units of its covariance."""

    space: Space
    points: DoubleDouble  # of arrays on the device, (k, d)

    def distances(self, X: Any) -> Any:
        """Squared distances of rows (b, d), (b, k)."""
        k, d = self.points.high.shape
        step = max(1, self.space.block_bytes // (8 * max(X.shape[0], d) * d))
        rows, parts = DoubleDouble(X[None, :, :]), []
        for low in range(0, k, step):
            at = slice(low, min(k, low + step))
            parts.append(self.lengths(difference(rows, self.points[at, None, :]), at))
        return self.space.xp.concat(parts).T

    @abstractmethod
    def lengths(self, steps: Any, at: slice) -> Any:
        """Squared lengths of rows about some of the points, (m, b, d), (m, b)."""

    @abstractmethod
    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance, (b, r)."""


@dataclass(frozen=True, eq=False)
class Whitened(Measure):
    """Full covariances by their whiteners: rows times `columns` have the lengths of rows."""

    columns: Any  # (g, d, r)
    owner: Indices  # (k,): which whitener each point has

    def lengths(self, steps: Any, at: slice) -> Any:
        """Squared lengths of rows about some of the points."""
        xp, owner = self.space.xp, self.owner[at]
        if (np.diff(owner) == 1).all():
            columns = self.columns[int(owner[0]) : int(owner[-1]) + 1, :, :]
        else:
            columns = self.space.take(self.columns, self.space.put(owner))
        white = xp.matmul(steps, columns)
        return xp.sum(white * white, axis=2)

    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance."""
        return X @ self.columns[0, :, :]


@dataclass(frozen=True, eq=False)
class DeviceSplit(Measure):
    """Covariances of a few directions and one variance for all others, one per point."""

    parts: tuple[LowRankCovariance, ...]  # with arrays on the device

    def lengths(self, steps: Any, at: slice) -> Any:
        """Squared lengths of rows about some of the points."""
        xp, parts = self.space.xp, self.parts[at]
        white = [covariance.whiten(steps[i, :, :]) for i, covariance in enumerate(parts)]
        return xp.stack([xp.sum(rows * rows, axis=1) for rows in white])

    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance."""
        return self.parts[0].whiten(X)


@dataclass(frozen=True, eq=False)
class DeviceIndependent(Measure):
    """Independent features: a precision for each point and feature."""

    near: ClassVar[float] = 2.0**14  # squared distances whose differences still have enough digits

    precisions: Any  # (k, d)
    centre: Any  # (d,)

    def distances(self, X: Any) -> Any:
        """Squared distances of rows."""
        xp = self.space.xp
        steps, p = X - self.centre, self.precisions
        mean = difference(self.points, DoubleDouble(self.centre))
        far, lengths = (steps * steps) @ p.T, xp.sum(p * mean * mean, axis=1)
        # x'x - 2 x'm + m'm takes two products, but loses digits where x'x is large.
        if bool(xp.max(far) < self.near) and bool(xp.max(lengths) < self.near):
            squares = far - 2 * (steps @ (p * mean).T) + lengths
            return xp.where(squares > 0, squares, 0.0)
        return super().distances(X)

    def lengths(self, steps: Any, at: slice) -> Any:
        """Squared lengths of rows about some of the points."""
        product = self.space.xp.matmul(steps * steps, self.precisions[at, :, None])
        return product[:, :, 0]

    def white(self, X: Any) -> Any:
        """Rows about a point in the space of the first covariance."""
        return X * self.space.xp.sqrt(self.precisions[0, :])


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
    most = max(matrix.shape[1] for matrix in columns)
    padded = [np.pad(matrix, ((0, 0), (0, most - matrix.shape[1]))) for matrix in columns]
    return Whitened(space, points, space.put(np.array(padded)), owner)


def _columns(covariance: Covariance, d: int) -> Floats:
    """Columns (d, r): rows times these have their Mahalanobis lengths."""
    if isinstance(covariance, FullCovariance):
        return covariance.whitener.matrix.T
    return covariance.whiten(np.eye(d))
