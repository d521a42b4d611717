"""Model: a Gaussian model on a device, ready to score rows there."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
        middle = model.means.mean(axis=0)
        centre, steps = space.put(middle), space.put(model.means_about(middle))
        low = None if model.means_low is None else space.put(model.means_low)
        points = DoubleDouble(space.put(model.means), low)
        if model.shared:
            points = DoubleDouble(centre[None, :])
        factors = model.factors if isinstance(model, HeldModel) else None
        distances: Measure
        if factors is None or factors.space != space:
            volumes, distances = model.volumes, measure(space, points, model.covariances)
        else:
            volumes = ((factors.log_determinants + factors.ranks * LOG_2PI) / 2)[factors.owner]
            distances = Whitened(space, points, factors.columns, factors.owner)
        if not model.shared:
            constants = space.put(model.log_priors - volumes)
            return cls(space, centre, steps, constants, distances, None)
        if isinstance(distances, Whitened):
            white, columns = distances.white(steps), distances.columns[0, :, :]
            constants = space.put(model.log_priors) - space.xp.sum(white * white, axis=1) / 2
            line = DeviceLinear(space, centre, columns @ white.T, constants)
        else:
            own = model.linear
            parts = (own.centre, own.slopes, own.constants)
            line = DeviceLinear(space, *(space.put(part) for part in parts))
        return cls(space, centre, steps, space.put(-volumes), distances, line)

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
