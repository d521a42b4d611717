"""Columns: which features of a table are drawn, and what the others are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features, as_frame, infinite
from suffice.data.labels import shown
from suffice.errors import InvalidFeatures, InvalidParameter, NotNumbers
from suffice.statistics.statistics import listed


def width(X: Any) -> tuple[int, tuple[str, ...]]:
    """How many columns a table has, and their names: x1, x2, ... where it has none."""
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    if frame is not None:
        return len(frame.columns), tuple(map(str, frame.columns))
    table = plain(X)
    return table.shape[1], tuple(f"x{j + 1}" for j in range(table.shape[1]))


def plain(X: Any) -> Array:
    """A table that is no frame as an array, of objects where it does not hold numbers."""
    table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if table.ndim != 2 or not table.size:
        raise InvalidFeatures(
            f"X has shape {table.shape}; a picture takes rows and columns, (n, d)."
        )
    return table


def chosen(X: Any, at: Sequence[int]) -> Any:
    """Some columns of a table, in their order, in the form that it has."""
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    return plain(X)[:, list(at)] if frame is None else frame[:, list(at)].to_native()


def numbers(X: Any, at: Sequence[int]) -> Floats:
    """Some columns of a table, (n, len(at)); NaN where a value is missing."""
    try:
        features = as_features(chosen(X, at))
    except NotNumbers as error:
        raise NotNumbers(f"{error} Only features that are numbers can be drawn.") from None
    rows = np.asarray(features.read(0, features.shape[0]), np.float64)
    names = width(X)[1]
    bad = infinite(rows, 0, tuple(names[j] for j in at))
    if bad is not None:
        raise bad
    return rows


def two_features(names: Sequence[str], features: Any) -> tuple[int, int]:
    """Positions of the two features to draw; None is enough where there are but two."""
    d = len(names)
    if d < 2:
        raise InvalidParameter(
            f"the picture takes two features, and there is one, {names[0]!r}; add another."
        )
    if features is None:
        if d > 2:
            raise InvalidParameter(
                f"there are {d} features; name the two to draw, such as "
                f"features=({names[0]!r}, {names[1]!r}), or see all of them at once along the "
                "discriminant axes of an LDA: ProjectionDisplay."
            )
        return 0, 1
    if isinstance(features, str) or np.ndim(features) != 1 or len(features) != 2:
        raise InvalidParameter(f"features={shown(features)}: name two, by name or position.")
    first, second = (position(names, feature) for feature in features)
    if first == second:
        raise InvalidParameter(f"features={shown(tuple(features))}: both are {names[first]!r}.")
    return first, second


def position(names: Sequence[str], feature: Any) -> int:
    """Where a feature is, by name or position."""
    if isinstance(feature, str) and feature in names:
        return list(names).index(feature)
    whole = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
    if not whole or not 0 <= feature < len(names):
        raise InvalidParameter(f"there is no feature {shown(feature)}; they are {listed(names)}.")
    return int(feature)
