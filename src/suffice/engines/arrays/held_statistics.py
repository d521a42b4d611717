"""Held statistics: their tables are brought to the host when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suffice.data.arrays import Array, Floats, Indices
from suffice.engines.arrays.moments import DeviceMoments
from suffice.statistics.statistics import Statistics


class HeldStatistics(Statistics):
    """Statistics of rows on a device; what is large stays there until it is asked for."""

    __slots__ = ("moments",)
    moments: DeviceMoments

    @classmethod
    def of(
        cls, classes: Array, count: Indices, weight: Floats, moments: DeviceMoments
    ) -> HeldStatistics:
        """Statistics of classes, with what the pass found."""
        found = cls.__new__(cls)
        values = {
            "classes": classes,
            "count": count,
            "weight": weight,
            "feature_names": None,
            "moments": moments,
        }
        for name, value in values.items():
            object.__setattr__(found, name, value)
        found.__post_init__()
        return found

    def __getattr__(self, name: str) -> Any:
        fetched: dict[str, Callable[[], Any]] = {
            "means": lambda: self.moments.means(),
            "spread": lambda: self.moments.scatter(hold=True),
            "fourth": lambda: self.moments.fourth(self.means, self.weight),
        }
        if name not in fetched:
            raise AttributeError(name)
        object.__setattr__(self, name, fetched[name]())
        return object.__getattribute__(self, name)

    @property
    def detail(self) -> str:
        """How much is kept: "separate", "shared" or "diagonal"."""
        held = getattr(self, "moments", None)
        return Statistics.detail.fget(self) if held is None else held.detail  # type: ignore[attr-defined,no-any-return]

    @property
    def n_features(self) -> int:
        """How many features a row has."""
        held = getattr(self, "moments", None)
        return int(self.means.high.shape[1]) if held is None else held.n_features
