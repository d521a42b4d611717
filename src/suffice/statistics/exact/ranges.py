"""Ranges: what users say of a grid, checked: ranges by feature, bits and the unit of weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.parameters import as_floats, count, is_number
from suffice.errors import InvalidParameter
from suffice.statistics.exact.points import (
    FEWEST_BITS,
    LARGEST_EXPONENT,
    LARGEST_WEIGHT_EXPONENT,
    MOST_BITS,
)
from suffice.text import shown


def fields_of_ranges(
    low: Floats,
    high: Floats,
    bits: int,
    names: tuple[str, ...] | None,
    weight_exponent: int,
    declared: bool,
) -> dict[str, Any]:
    """The fields of a grid over ranges: the smallest units for which the bits suffice."""
    low, high = np.broadcast_arrays(low, high)
    if not (np.isfinite(low) & np.isfinite(high)).all() or (low >= high).any():
        raise InvalidParameter(
            "low must be below high, and both finite: the range of each feature."
        )
    largest = (1 << (bits - 1)) - 1
    with np.errstate(over="ignore"):
        half = high / 2 - low / 2
    exponent = np.frexp(half / largest)[1].astype(np.int64) - 1
    while True:
        if (np.abs(exponent) > LARGEST_EXPONENT).any():
            raise InvalidParameter(
                f"a range is too narrow or too wide for {bits} bits; rescale the feature."
            )
        anchor = 2 * np.rint(np.ldexp(low / 2 + high / 2, -exponent - 1))
        lowest, highest = (np.rint(np.ldexp(end, -exponent)) - anchor for end in (low, high))
        narrow = np.maximum(np.abs(lowest), np.abs(highest)) > largest
        if not narrow.any():
            break
        exponent = exponent + narrow
    return {
        "exponent": exponent,
        "decimals": np.full(len(exponent), -1),
        "origin": np.ldexp(anchor, exponent),
        "lowest": lowest.astype(np.int64),
        "highest": highest.astype(np.int64),
        "bits": bits,
        "weight_exponent": weight_exponent,
        "declared": declared,
        "names": names,
        "deviation": None,
    }


def by_feature(**given: Any) -> tuple[tuple[str, ...] | None, list[Floats]]:
    """The names of the features, if there are mappings, and one array for each argument."""
    maps = [value for value in given.values() if isinstance(value, Mapping)]
    names = tuple(maps[0]) if maps else None
    out = []
    for name, value in given.items():
        if isinstance(value, Mapping):
            if set(value) != set(names or ()) or not all(isinstance(key, str) for key in value):
                raise InvalidParameter(f"{name} must be a mapping of the same feature names.")
            value = [value[key] for key in names or ()]
        try:
            array = np.atleast_1d(as_floats(value))
        except (TypeError, ValueError, OverflowError):
            array = np.empty(0)
        if array.ndim != 1 or not array.size:
            raise InvalidParameter(
                f"{name} is {shown(value)}; it must be a number, one number for each feature, or "
                "a mapping by feature name."
            )
        out.append(array)
    d = max(map(len, out))
    if names is not None:
        d = len(names)
    if any(len(array) not in (1, d) for array in out):
        raise InvalidParameter("low and high must have the same number of features.")
    return names, [np.array(np.broadcast_to(array, d)) for array in out]


def match_features(
    values: Floats,
    own: tuple[str, ...] | None,
    names: tuple[str, ...] | None,
    whole: Indices,
    what: str,
) -> tuple[Floats, tuple[str, ...] | None, Indices]:
    """One end of a range beside the decimals: by name where both have names."""
    if own is not None and names is not None:
        if set(own) != set(names):
            raise InvalidParameter(f"{what} and digits must have the same feature names.")
        values = np.array([values[own.index(name)] for name in names])
    d = max(len(values), len(whole))
    if len(values) not in (1, d) or len(whole) not in (1, d):
        raise InvalidParameter(f"{what} and digits must have the same number of features.")
    return np.resize(values, d), names or own, np.resize(whole, d)


def checked_bits(bits: Any) -> int:
    """The bits of a grid; an error for a number that it cannot have."""
    if (
        not isinstance(bits, int | np.integer)
        or not FEWEST_BITS <= count("bits", bits) <= MOST_BITS
    ):
        raise InvalidParameter(
            f"bits is {shown(bits)}; it must be a whole number from {FEWEST_BITS} to {MOST_BITS}."
        )
    return int(bits)


def weight_exponent_of(unit: Any) -> int:
    """The power of two that the unit of weights is; an error for other units."""
    mantissa, exponent = math.frexp(unit) if is_number(unit) and 0 < unit < math.inf else (0, 0)
    if mantissa != 0.5 or abs(exponent - 1) > LARGEST_WEIGHT_EXPONENT:
        raise InvalidParameter(
            f"weight_unit is {shown(unit)}; it must be a power of two, such as 1 or 2**-10."
        )
    return exponent - 1
