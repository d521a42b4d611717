"""Grid: the points that values are rounded to before they are counted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.parameters import is_number
from suffice.errors import InvalidParameter
from suffice.statistics.exact.points import (
    MOST_BITS,
    MOST_DECIMALS,
    GridPoints,
)
from suffice.statistics.exact.ranges import (
    by_feature,
    checked_bits,
    fields_of_ranges,
    match_features,
    weight_exponent_of,
)
from suffice.statistics.shape import positions
from suffice.text import align_columns, format_number, plural, shown


class Grid(GridPoints):
    """Equally spaced points for each feature, to which values are rounded once.

    A value x becomes the integer q = rint((x - origin) / unit), of at most `bits` bits; the unit
    is a power of two (or of ten, see `Grid.decimal`). Sums of integers do not depend on the order
    of the rows, and `-` undoes `+` to the last bit: see `suffice.summarize(..., grid=grid)`.

    Parameters
    ----------
    low, high : the range of the values: numbers, one for each feature, or mappings by name
    bits : size of the integers, up to 48; each bit halves the unit
    weight_unit : the weights of rows are multiples of it, a power of two; 1 for repetitions

    Attributes
    ----------
    unit, origin, low, high : (d,), or (1,) for a grid that suits any number of features
    declared : whether the range was given, not measured from rows

    >>> import suffice as sf
    >>> grid = sf.Grid({"age": 0, "height": 100}, {"age": 120, "height": 220}, bits=16)
    >>> print(grid)
    grid of 16 bits
    feature  low  high  unit
    age      0    120   2^-9
    height   100  220   2^-9
    >>> grid.round([[71.3, 180.0]])
    array([[ 71.30078125, 180.        ]])
    """

    __slots__ = ()

    def __init__(self, low: Any, high: Any, bits: int = 32, *, weight_unit: float = 1.0) -> None:
        names, (lows, highs) = by_feature(low=low, high=high)
        made = fields_of_ranges(
            lows, highs, checked_bits(bits), names, weight_exponent_of(weight_unit), True
        )
        self._set(made)

    @classmethod
    def decimal(
        cls,
        digits: Any,
        low: Any = None,
        high: Any = None,
        *,
        bits: int = MOST_BITS,
        weight_unit: float = 1.0,
    ) -> Grid:
        """The grid of values with a fixed number of decimals: no value is rounded at all.

        A value with more decimals is an error. Without a range, values may have any size that
        `bits` hold.

        digits : number of decimals: one number, one for each feature, or a mapping by name

        >>> import suffice as sf
        >>> sf.Grid.decimal(2)
        <Grid of any number of features, 48 bits, unit 10^-2>
        """
        bits, largest = checked_bits(bits), (1 << (checked_bits(bits) - 1)) - 1
        names, (places,) = by_feature(digits=digits)
        whole = places.astype(np.int64)
        if (whole != places).any() or (whole < 0).any() or (whole > MOST_DECIMALS).any():
            raise InvalidParameter(
                f"digits must be whole numbers from 0 to {MOST_DECIMALS}, the decimals of the "
                f"values; got {shown(digits)}."
            )
        ends = [np.full(len(whole), -largest), np.full(len(whole), largest)]
        for i, (name, given) in enumerate((("low", low), ("high", high))):
            if given is not None:
                own, (values,) = by_feature(**{name: given})
                values, names, whole = match_features(values, own, names, whole, name)
                ends = [np.resize(end, len(values)) for end in ends]
                ends[i] = np.rint(values * 10.0**whole).astype(np.int64)
        if (np.abs(ends) > largest).any() or (ends[0] >= ends[1]).any():
            raise InvalidParameter(
                "low must be below high, and both must have at most "
                f"{bits} bits in units of the last decimal."
            )
        zeros = np.zeros(len(whole), np.int64)
        return cls.made(
            exponent=zeros,
            decimals=whole,
            origin=np.zeros(len(whole)),
            lowest=ends[0],
            highest=ends[1],
            bits=bits,
            weight_exponent=weight_exponent_of(weight_unit),
            declared=low is not None and high is not None,
            names=names,
            deviation=None,
        )

    @classmethod
    def of(
        cls,
        rows: Any,
        bits: int = 32,
        margin: float = 16.0,
        *,
        target: str | None = None,
        columns: Any = None,
        weight_unit: float = 1.0,
    ) -> Grid:
        """A grid for rows like these: `margin` standard deviations on either side of the mean.

        The range also covers twice the distance from the mean to any of the rows themselves. A
        range that was measured tells a little about the rows, so `private` refuses it.

        rows : an array or a data frame, statistics, or files
        target : the label column of files, or of a data frame that contains it
        columns : how to read a table that holds more than numbers, see `suffice.describe`; the grid
            is for its numeric features, by name

        >>> import suffice as sf
        >>> print(sf.Grid.of([[1.0, 180.0], [2.0, 160.0], [4.0, 171.0]]))
        grid of 32 bits
        feature  low    high  unit   rounding, in standard deviations
        0        -13.5  18.5  2^-26  2^-27
        1        44     300   2^-23  2^-27
        """
        from suffice.statistics.exact.measuring import measure

        if not is_number(margin) or not 1 <= margin < math.inf:
            raise InvalidParameter(f"margin is {shown(margin)}; it must be a number of at least 1.")
        found = measure(rows, target, columns)
        low, high = found.range(float(margin))
        made = fields_of_ranges(
            low, high, checked_bits(bits), found.names, weight_exponent_of(weight_unit), False
        )
        return cls.made(**made | {"deviation": found.deviation_exponent})

    def stored(self, exact: bool) -> GridPoints:  # type: ignore[override]
        """The form in which a file holds it, see `registry.storable`."""
        return GridPoints(**{one.name: getattr(self, one.name) for one in fields(GridPoints)})

    __hash__ = None

    def __repr__(self) -> str:
        d = self.n_features
        size = "any number of features" if d is None else plural(d, "feature")
        units = sorted(zip(self.exponent.tolist(), self.decimals.tolist(), strict=True))
        ends = units[:1] + units[-1:]
        shown_units = list(dict.fromkeys(_unit_text(*one) for one in ends))
        noun = "unit" if len(shown_units) == 1 else "units"
        text = f", {noun} {' to '.join(shown_units)}" if shown_units else ""
        return f"<Grid of {size}, {self.bits} bits{text}>"

    def __str__(self) -> str:
        names = self.names or tuple(map(str, range(len(self.exponent))))
        if self.n_features is None:
            names = ("every feature",)
        head = ["feature", "low", "high", "unit"]
        most_shown = 12  # features in the printed table
        columns = [
            [*names[:most_shown]],
            [format_number(one, 6) for one in self.low[:most_shown].tolist()],
            [format_number(one, 6) for one in self.high[:most_shown].tolist()],
            list(map(_unit_text, self.exponent.tolist(), self.decimals.tolist()))[:most_shown],
        ]
        if self.deviation is not None:
            head.append("rounding, in standard deviations")
            # Half a unit at most.
            power = (self.exponent - 1 - self.deviation)[:most_shown].tolist()
            columns.append([f"2^{e}" for e in power])
        texts = align_columns([head, *zip(*columns, strict=True)])
        more = len(self.exponent) - most_shown
        rest = [f"... and {plural(more, 'feature')} more"] if more > 0 else []
        return "\n".join([f"grid of {self.bits} bits", *texts, *rest])

    def cover(self, values: Mapping[Any, float] | float) -> Grid:
        """A wider grid: with room for these values, by feature, and for as much again.

        The unit of a feature grows where its bits would not suffice.

        >>> import suffice as sf
        >>> print(sf.Grid(0, 100, bits=16).cover(150.0))
        grid of 16 bits
        feature        low  high  unit
        every feature  0    200   2^-8
        """
        given = values if isinstance(values, Mapping) else {0: values}
        low, high = self.low.copy(), self.high.copy()
        for feature, value in given.items():
            j = 0
            if self.n_features is not None:
                j = int(positions([feature], self.names or (), len(low))[0])
            if not is_number(value) or not math.isfinite(value):
                raise InvalidParameter(f"cover takes finite numbers, not {shown(value)}.")
            low[j] = min(low[j], high[j] - 2 * (high[j] - value)) if value < low[j] else low[j]
            high[j] = (
                max(high[j], low[j] + (value - low[j]) * 4 / 3) if value > high[j] else high[j]
            )
        if self.is_decimal:
            wide = Grid.decimal(
                self.decimals, low, high, bits=self.bits, weight_unit=self.weight_unit
            )
            return wide.changed(names=self.names, declared=self.declared)
        made = fields_of_ranges(
            low, high, self.bits, self.names, self.weight_exponent, self.declared
        )
        return self.changed(**made)


def _unit_text(exponent: int, decimals: int) -> str:
    if decimals > 0:
        return f"10^-{decimals}"
    return "1" if exponent == 0 else f"2^{exponent}"


def check_grid(grid: Any, optional: bool = True) -> None:
    """Raise unless this is a grid, or None where it may be left out."""
    if not (isinstance(grid, Grid) or (optional and grid is None)):
        raise InvalidParameter(
            f"grid is {shown(grid)}; it must be a grid, such as sf.Grid(low, high), "
            "sf.Grid.decimal(2) or sf.Grid.of(X)."
        )


def with_indicators(grid: Grid, names: tuple[str, ...], n_numbers: int) -> Grid:
    """The grid of the features of a table: of numbers, as the user gave it, then of indicators.

    >>> wide = with_indicators(Grid(0, 100, bits=16), ("age", "colour=red"), 1)
    >>> print(wide)
    grid of 16 bits
    feature     low  high  unit
    age         0    100   2^-9
    colour=red  0    1     1
    """
    own = grid.resolve(names[:n_numbers], n_numbers)
    at = np.append(np.arange(n_numbers), np.full(len(names) - n_numbers, -1))
    return mapped_grid(own, at, names)


def mapped_grid(grid: Grid, at: Indices, names: tuple[str, ...] | None) -> Grid:
    """The grid of the features at some positions, and of an indicator where that is -1."""
    # The points of an indicator: 0 and 1.
    indicator = {"exponent": 0, "decimals": -1, "origin": 0.0, "lowest": 0, "highest": 1}
    arrays: dict[str, Any] = {
        name: _placed(getattr(grid, name), at, value) for name, value in indicator.items()
    }
    deviation = grid.deviation
    if deviation is not None:
        arrays["deviation"] = _placed(deviation, at, -1)
    return grid.changed(**arrays, names=names)


def _placed(values: Array, at: Indices, other: float) -> Array:
    out = np.full(len(at), other, values.dtype)
    out[at >= 0] = values[at[at >= 0]]
    return out
