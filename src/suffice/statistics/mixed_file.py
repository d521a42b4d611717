"""Mixed file: statistics of features in parts to the header and arrays of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.mixed import ColumnLayout
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.nesting import Arrays, below, check_names, prefixed
from suffice.statistics.room import Room
from suffice.statistics.texts import names_of, write_names

KIND = "mixed statistics"
FIELDS = {"kind", "parts"}

# Relative difference between weights of the same rows that were summed in two ways.
ROUNDING = 1e-6

# Most characters of the name of a part.
LONGEST_NAME = 100

_NAMES = {"part", "names", "names.ends"}


def to_arrays(s: MixedStatistics) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of statistics of features in parts."""
    from suffice.statistics import storage

    part = np.empty(s.n_features, np.int64)
    arrays = {"part": part, **write_names(s.feature_names)}
    headers = []
    for i, (key, own) in enumerate(s.parts.items()):
        part[list(s.layout.parts[key])] = i
        header, content = storage.to_arrays(own)
        headers.append([key, header])
        arrays |= prefixed(str(i), content)
    return {"kind": KIND, "parts": headers}, arrays


def read(header: dict[str, Any], arrays: Arrays, room: Room) -> MixedStatistics:
    """The statistics in a file, fully validated; a ValueError says what is wrong."""
    from suffice.statistics import storage

    keys = _keys(header["parts"])
    check_names(arrays, _NAMES, [str(i) for i in range(len(keys))])
    layout = _layout(keys, arrays["part"], room)
    names = names_of(arrays, layout.n_features, room)
    parts = {}
    for i, (key, about) in enumerate(header["parts"]):
        if not isinstance(about, dict) or about.get("kind") == KIND:
            raise ValueError("a part has the wrong kind")
        own: Any = storage.read(about, below(str(i), arrays), room)
        if own.n_features != len(layout.parts[key]):
            raise ValueError("a part has the wrong number of features")
        parts[key] = own
    first, *others = parts.values()
    for other in others:
        _check_same_rows(first, other)
    return MixedStatistics(parts, layout, names)


def _keys(parts: Any) -> list[str]:
    pairs = parts if isinstance(parts, list) else []
    if not pairs or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError("it has no parts")
    keys = [pair[0] for pair in pairs]
    if not all(isinstance(key, str) and len(key) <= LONGEST_NAME for key in keys):
        raise ValueError("a part has no name")
    if len(set(keys)) < len(keys):
        raise ValueError("two parts have the same name")
    return keys


def _layout(keys: list[str], part: Any, room: Room) -> ColumnLayout:
    if part.dtype != np.int64 or part.ndim != 1 or set(part.tolist()) != set(range(len(keys))):
        raise ValueError("it does not say which features each part has")
    room.take(40 * len(part), "the positions of the features")
    return ColumnLayout(
        {key: tuple(np.flatnonzero(part == i).tolist()) for i, key in enumerate(keys)}
    )


def _check_same_rows(a: Any, b: Any) -> None:
    same = a.classes.dtype.kind == b.classes.dtype.kind
    if not same or not np.array_equal(a.classes, b.classes):
        raise ValueError("the parts have different classes")
    if not np.array_equal(a.count, b.count):
        raise ValueError("the parts have different numbers of rows")
    if not np.allclose(a.weight, b.weight, ROUNDING, 0):
        raise ValueError("the parts have different weights")
