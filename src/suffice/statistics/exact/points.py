"""Grid points: a grid by its numbers, and the arithmetic between values and integers."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from operator import attrgetter
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import InvalidFeatures, Mismatch
from suffice.statistics.shape import names_at, positions
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import check_names
from suffice.text import quote_names

MOST_BITS = 48
FEWEST_BITS = 2

# Units lie between 2^-400 and 2^400: squares of smaller or larger ones leave the range of floats.
LARGEST_EXPONENT = 400

MOST_DECIMALS = 15
LARGEST_WEIGHT_EXPONENT = 24

_ARRAYS = ("exponent", "decimals", "origin", "lowest", "highest")


@storable
@dataclass(frozen=True, eq=False, slots=True)
class GridPoints(Savable):
    """Equally spaced points for each feature; see `Grid`, which is made of them."""

    exponent: Indices  # (d,): the unit is 2^exponent / 10^decimals
    decimals: Indices  # (d,): -1 where the unit is a power of two
    origin: Floats  # (d,): an even multiple of the unit
    lowest: Indices  # (d,): the least and the largest integer of the range
    highest: Indices
    bits: int
    weight_exponent: int
    declared: bool
    names: tuple[str, ...] | None = None
    deviation: Indices | None = None  # (d,): of the standard deviations, if rows were measured

    @property
    def is_decimal(self) -> bool:
        """Whether units are powers of ten, so that no value may be rounded."""
        return bool((self.decimals >= 0).any())

    @property
    def power_of_ten(self) -> Floats:
        """The points in one, where the unit is a power of ten; else 1, (d,)."""
        return np.asarray(10.0 ** np.maximum(self.decimals, 0))

    @property
    def n_features(self) -> int | None:
        """Number of features; None for a grid that suits any number."""
        return None if self.names is None and len(self.exponent) == 1 else len(self.exponent)

    @property
    def unit(self) -> Floats:
        """The distance between points, (d,)."""
        return np.asarray(np.ldexp(1.0, self.exponent) / self.power_of_ten)

    @property
    def low(self) -> Floats:
        """The least value that the grid takes, (d,)."""
        return self.values(self.lowest)

    @property
    def high(self) -> Floats:
        """The largest value that the grid takes, (d,)."""
        return self.values(self.highest)

    @property
    def weight_unit(self) -> float:
        """The weights of rows are multiples of it."""
        return math.ldexp(1.0, self.weight_exponent)

    @property
    def scale(self) -> Floats:
        """What values are multiplied by before they are rounded, (d,)."""
        return np.asarray(np.ldexp(self.power_of_ten, -self.exponent))

    @property
    def anchor(self) -> Floats:
        """The origin in units, (d,): whole numbers, and exact."""
        return np.asarray(np.ldexp(self.origin, -self.exponent))

    @property
    def reach(self) -> Indices:
        """The largest size of an integer of the range, (d,)."""
        return np.maximum(-self.lowest, self.highest)

    def unit_fractions(self) -> list[Fraction]:
        """The units as exact fractions."""
        pairs = zip(self.exponent.tolist(), self.decimals.tolist(), strict=True)
        return [Fraction(2) ** e / 10 ** max(p, 0) for e, p in pairs]

    def values(self, q: Array) -> Floats:
        """The values of integers: origin + q unit, rounded once if the grid is decimal."""
        return np.asarray(np.ldexp(q + self.anchor, self.exponent) / self.power_of_ten)

    def round(self, X: Any) -> Floats:
        """Rows rounded to the grid; missing values stay so."""
        values = np.asarray(X, np.float64)
        return self.values(np.rint(values * self.scale) - self.anchor)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, GridPoints):
            return NotImplemented
        # Bytes, since this is done with every row that is added.
        return all(
            a.tobytes() == b.tobytes() if isinstance(a, np.ndarray) and b is not None else a == b
            for a, b in zip(_values(self), _values(other), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def resolve(self, names: tuple[str, ...] | None, d: int) -> Self:
        """The same grid for d features of these names, one entry for each."""
        if self.names is not None and names is not None and self.names != names:
            absent = [name for name in names if name not in self.names]
            if absent:
                raise InvalidFeatures(
                    f"the grid has no range for feature {quote_names(absent)}; it has them for "
                    f"{quote_names(self.names)}."
                )
            return self.take(np.array([self.names.index(name) for name in names], np.int64))
        if self.n_features is None:
            return self.take(np.zeros(d, np.int64)).changed(names=names)
        if len(self.exponent) != d:
            listed = f": {quote_names(names)}" if names else ""
            raise Mismatch(
                f"the grid has {len(self.exponent)} features and the rows have {d}{listed}."
            )
        return self if self.names == names else self.changed(names=names)

    def select(self, features: Any) -> Self:
        """The grid of some features, by name or position, in the order given."""
        at = positions(features, self.names or (), len(self.exponent))
        return self.take(at)

    def take(self, at: Indices) -> Self:
        """The grid of the features at some positions."""
        deviation = self.deviation
        return self.changed(
            **{name: getattr(self, name)[at] for name in _ARRAYS},
            names=names_at(self.names, at.tolist()),
            deviation=None if deviation is None else deviation[at],
        )

    def validated(self) -> GridPoints:
        """A `Grid` of these points, if values can be rounded to it; a ValueError otherwise."""
        from suffice.statistics.exact.grid import Grid

        d, largest = len(self.exponent), (1 << (self.bits - 1)) - 1
        arrays = [getattr(self, name) for name in _ARRAYS]
        if any(array.shape != (d,) for array in arrays):
            raise ValueError("the grid does not have one entry for each feature")
        if self.deviation is not None and self.deviation.shape != (d,):
            raise ValueError("the grid does not have one deviation for each feature")
        check_names(self.names, d)
        if (
            not FEWEST_BITS <= self.bits <= MOST_BITS
            or abs(self.weight_exponent) > LARGEST_WEIGHT_EXPONENT
        ):
            raise ValueError("the grid has an impossible number of bits")
        if (np.abs(self.exponent) > LARGEST_EXPONENT).any():
            raise ValueError("a unit of the grid is too small or too large")
        if (self.decimals < -1).any() or (self.decimals > MOST_DECIMALS).any():
            raise ValueError("the grid has an impossible number of decimals")
        if (self.lowest < -largest).any() or (self.highest > largest).any():
            raise ValueError("the range of the grid does not fit its bits")
        if (self.lowest > self.highest).any():
            raise ValueError("the range of the grid is empty")
        anchor = self.anchor
        if (np.rint(anchor / 2) * 2 != anchor).any() or (anchor.any() and self.is_decimal):
            raise ValueError("an origin of the grid is not one of its points")
        return Grid.made(**dict(zip(_FIELDS, _values(self), strict=True)))

    def changed(self, **changes: Any) -> Self:
        """The same with some fields replaced."""
        return type(self).made(**dict(zip(_FIELDS, _values(self), strict=True)) | changes)

    @classmethod
    def made(cls, **values: Any) -> Self:
        """A grid of these numbers."""
        made = cls.__new__(cls)
        made._set(values)
        return made

    def _set(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through `made`, so that copies are locked too.
        return _remade, (type(self), dict(zip(_FIELDS, _values(self), strict=True)))


_FIELDS = tuple(one.name for one in fields(GridPoints))
_values = attrgetter(*_FIELDS)


def _remade(kind: type[GridPoints], values: dict[str, Any]) -> GridPoints:
    return kind.made(**values)
