"""Incomplete file: statistics of rows with missing values to header and arrays, and back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics import complete_file
from suffice.statistics.by_feature import ByFeature, presence
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.nesting import Arrays, below, check_names, prefixed, stack, unstack
from suffice.statistics.room import Room
from suffice.statistics.soundness import check_counts, check_total
from suffice.statistics.statistics import DETAILS, Statistics
from suffice.statistics.texts import ascending, names_of, read_labels, write_labels, write_names

KIND = "incomplete statistics"
FIELDS = {"kind", "detail", "features"}

# Number of tables by class and feature made from the file: counts, weights, means, squares.
TABLES = 4

_NAMES = {"classes", "classes.ends", "names", "names.ends", "count", "weight", "known"}


def to_arrays(s: IncompleteStatistics, resumable: bool = False) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of statistics of rows with missing values; see `complete_file`."""
    arrays = {
        **write_labels("classes", s.classes),
        **write_names(s.feature_names),
        "count": s.count,
        "weight": s.weight,
    }
    if isinstance(s.parts, ByFeature):
        cells = s.parts.cells
        arrays |= prefixed(
            "cells", {"at": cells.classes, **complete_file.sums_of(cells, resumable)}
        )
    else:
        keys, parts = [*s.parts.parts], [*s.parts.parts.values()]
        observed = np.frombuffer(b"".join(keys), np.uint8).reshape(
            len(keys), _key_bytes(s.n_features)
        )
        at = [np.searchsorted(s.classes, part.classes) for part in parts]
        sums = [
            {"at": own, **complete_file.sums_of(part, resumable)}
            for own, part in zip(at, parts, strict=True)
        ]
        arrays |= {"known": observed, **prefixed("parts", stack(sums))}
    return {"kind": KIND, "detail": s.detail, "features": s.n_features}, arrays


def read(header: dict[str, Any], arrays: Arrays, room: Room) -> IncompleteStatistics:
    """The statistics in a file, fully validated; a ValueError says what is wrong."""
    d, detail = header["features"], header["detail"]
    if type(d) is not int or d < 1 or detail not in DETAILS:
        raise ValueError("the header does not describe the parts")
    check_names(arrays, _NAMES, ["cells" if detail == "diagonal" else "parts"])
    classes = read_labels("classes", arrays, room)
    count, weight = arrays["count"], arrays["weight"]
    if (count.shape, weight.shape) != (classes.shape, classes.shape):
        raise ValueError("there are not as many counts as classes")
    check_counts(count, weight)
    check_total(count, weight)
    room.take(8 * TABLES * len(classes) * d, f"the tables of {d} features")
    names = names_of(arrays, d, room)
    rows = presence(classes, count, weight)
    if detail == "diagonal":
        return IncompleteStatistics(rows, _by_feature(rows, arrays, d), names)
    return IncompleteStatistics(
        rows, _by_pattern(rows, arrays, d, detail, room).named(names), names
    )


def _by_feature(rows: Statistics, arrays: Arrays, d: int) -> ByFeature:
    sums = below("cells", arrays)
    at = _positions(sums.pop("at"), len(rows.classes) * d)
    cells = complete_file.of_sums(at, None, "diagonal", sums)
    if cells.n_features != 1:
        raise ValueError("values are not kept by class and feature")
    if (cells.count > rows.count[at // d]).any():
        raise ValueError("there are more values than rows")
    return ByFeature(cells, rows.classes, d)


def _by_pattern(rows: Statistics, arrays: Arrays, d: int, detail: str, room: Room) -> ByPattern:
    observed = arrays["known"]
    if observed.dtype != np.uint8 or observed.ndim != 2 or observed.shape[1] != _key_bytes(d):
        raise ValueError("a pattern has the wrong number of features")
    keys = [row.tobytes() for row in observed]
    if any(a >= b for a, b in pairwise(keys)):
        raise ValueError("the patterns are not sorted or not unique")
    k, parts, count = len(rows.classes), {}, np.zeros(len(rows.classes), np.int64)
    for key, sums in zip(keys, unstack(below("parts", arrays), len(keys)), strict=True):
        at = _positions(sums.pop("at"), k)
        room.take(len(at) * rows.classes.itemsize, "the labels of the parts")
        part = complete_file.of_sums(rows.classes[at], None, detail, sums)
        _check_pattern(key, d, part)
        count[at] += part.count
        parts[key] = part
    if (count > rows.count).any():
        raise ValueError("the parts have more rows than the total")
    return ByPattern(parts, d, detail)


def _check_pattern(key: bytes, d: int, part: Statistics) -> None:
    # Counted, not listed: a crafted pattern may claim millions of features for an empty part.
    observed = int(np.bitwise_count(np.frombuffer(key, np.uint8)).sum())
    if key[-1] & ((1 << (8 * len(key) - d)) - 1):
        raise ValueError("a pattern has more features than there are")
    if not len(part.classes) or not observed or part.n_features != observed:
        raise ValueError("a part does not have the features of its pattern, or no rows")


def _positions(at: Array, count: int) -> Array:
    """Ascending positions below `count`; a ValueError if they are anything else."""
    if at.dtype != np.int64 or at.ndim != 1:
        raise ValueError("parts do not say which classes they belong to")
    if ((at < 0) | (at >= count)).any():
        raise ValueError("a part belongs to no class")
    return ascending("the classes of a part", at)


def _key_bytes(features: int) -> int:
    return -(-features // 8)
