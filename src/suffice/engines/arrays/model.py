"""Model: a Gaussian model on a device, ready to score rows there."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.engines.arrays.factors import Factors
from suffice.engines.arrays.held_model import HeldModel
from suffice.engines.arrays.measures import DeviceIndependent, Measure, Whitened, measure
from suffice.engines.arrays.space import Space
from suffice.models.gaussian import LOG_2PI, GaussianModel
from suffice.statistics.numbers import DoubleDouble

# Models that were moved to a device, by the id of the model and the device.
_moved: dict[tuple[int, str], ArrayModel] = {}


@dataclass(frozen=True, eq=False)
class DeviceLinear:
    """Scores (x - centre)'slopes + constants."""

    space: Space
    centre: Any  # (d,)
    slopes: Any  # (d, k)
    constants: Any  # (k,)

    def scores(self, X: Any) -> Any:
        """The scores of rows of any real type, (b, k)."""
        if self.space.library == "torch":
            return self._in_one(X)
        return (self.space.floats(X) - self.centre) @ self.slopes + self.constants

    @cached_property
    def _extended(self) -> Any:
        """The slopes with the constants below them, and zeros up to a multiple of 8 rows.

        Matrix products are fastest where their inner length is such a multiple.
        """
        import torch

        d, k = self.slopes.shape
        extended = torch.zeros((-(-(d + 1) // 8) * 8, k), **self._kind)
        extended[:d], extended[d] = self.slopes, self.constants
        return extended

    @property
    def _kind(self) -> dict[str, Any]:
        return {"dtype": self.slopes.dtype, "device": self.slopes.device}

    def _in_one(self, X: Any) -> Any:
        # Adding the constants afterwards would read and write all scores once more.
        import torch

        d = self.slopes.shape[0]
        steps = torch.empty((X.shape[0], self._extended.shape[0]), **self._kind)
        steps[:, d:] = 0.0
        steps[:, d] = 1.0
        torch.sub(X, self.centre, out=steps[:, :d])
        return steps @ self._extended


@dataclass(frozen=True, eq=False)
class ArrayModel:
    """p(x, y) on the device: the hooks of `GaussianModel`, for blocks of rows."""

    space: Space
    centre: Any  # (d,)
    steps: Any  # (k, d): class means about the centre
    constants: Any  # (k,): ln p - (ln|S| + r ln 2 pi) / 2; without ln p where S is shared
    measure: Measure  # distances to the class means; to the centre where S is shared
    linear: DeviceLinear | None  # where S is shared

    @classmethod
    def of(cls, model: GaussianModel, space: Space) -> ArrayModel:
        """A model of the host on a device; moved once."""
        key = (id(model), str(space))
        if key not in _moved:
            _moved[key] = cls._move(model, space)
            weakref.finalize(model, _moved.pop, key, None)
        return _moved[key]

    @classmethod
    def _move(cls, model: GaussianModel, space: Space) -> ArrayModel:
        factors = model.factors if isinstance(model, HeldModel) else None
        if factors is not None and factors.space == space:
            return _of_factors(model, factors)
        centre, steps = _about_centre(model, space)
        if model.shared:
            line = model.linear
            distances = measure(space, DoubleDouble(centre[None, :]), model.covariances)
            parts = (line.centre, line.slopes, line.constants)
            linear = DeviceLinear(space, *(space.put(part) for part in parts))
            return cls(space, centre, steps, space.put(-model.volumes), distances, linear)
        distances = measure(space, _points(model, space), model.covariances)
        return cls(space, centre, steps, space.put(model.constants), distances, None)

    @property
    def width(self) -> int:
        """Number of scores per row."""
        return int(self.steps.shape[0])

    def best(self, X: Any) -> tuple[Any, Any]:
        """The position of the most probable class of each row, and its score, (b,) each."""
        xp, scores = self.space.xp, self.scores(X)
        if self.space.library == "torch":
            top, place = scores.max(dim=1)
            return place, top
        return xp.argmax(scores, axis=1), xp.max(scores, axis=1)

    def scores(self, X: Any) -> Any:
        """ln p(x, y) up to a constant of the row, (b, k)."""
        if self.linear is not None:
            return self.linear.scores(X)
        return self.constants - self.squared_distances(X) / 2

    def joint(self, X: Any) -> Any:
        """ln p(x, y), (b, k)."""
        scores = self.scores(X)
        if self.linear is None:
            return scores
        return scores + (self.constants - self.measure.distances(self.space.floats(X)) / 2)

    def squared_distances(self, X: Any) -> Any:
        """Squared Mahalanobis distance to each class mean, (b, k)."""
        X = self.space.floats(X)
        if self.linear is None:
            return self.measure.distances(X)
        return self._white.distances(self.measure.white(X - self.centre))

    @cached_property
    def _white(self) -> Measure:
        """The class means in the space of the shared covariance, where distances are Euclidean."""
        points = self.measure.white(self.steps)
        xp = self.space.xp
        return DeviceIndependent(
            self.space, DoubleDouble(points), xp.ones_like(points), xp.mean(points, axis=0)
        )


def _of_factors(model: GaussianModel, factors: Factors) -> ArrayModel:
    """The model of covariances that were factored on the device."""
    space = factors.space
    centre, steps = _about_centre(model, space)
    volumes = (factors.log_determinants + factors.ranks * LOG_2PI) / 2
    if not model.shared:
        distances = Whitened(space, _points(model, space), factors.columns, factors.owner)
        constants = model.log_priors - volumes[factors.owner]
        return ArrayModel(space, centre, steps, space.put(constants), distances, None)
    white = steps @ factors.columns[0]
    slopes = (white @ factors.columns[0].T).T
    lengths = (white * white).sum(dim=1)
    constants = space.put(model.log_priors) - lengths / 2
    line = DeviceLinear(space, centre, slopes.contiguous(), constants)
    distances = Whitened(
        space, DoubleDouble(centre[None, :]), factors.columns, np.zeros(1, np.int64)
    )
    return ArrayModel(space, centre, steps, space.put(-volumes), distances, line)


def _about_centre(model: GaussianModel, space: Space) -> tuple[Any, Any]:
    """A point between the classes, (d,), and the means about it, (k, d)."""
    centre = model.means.mean(axis=0)
    return space.put(centre), space.put(model.means_about(centre))


def _points(model: GaussianModel, space: Space) -> DoubleDouble:
    low = None if model.means_low is None else space.put(model.means_low)
    return DoubleDouble(space.put(model.means), low)
