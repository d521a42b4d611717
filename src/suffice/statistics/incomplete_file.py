"""Incomplete file: statistics of rows with gaps as a file of files, and back.

Each part is packed by itself, with a checksum of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics import complete_file
from suffice.statistics.by_feature import ByFeature
from suffice.statistics.by_pattern import ByPattern, features_of, key_of
from suffice.statistics.container import pack, unpack
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.statistics import DETAILS, Statistics

KIND = "incomplete statistics"

# A damaged header must not make for a large allocation.
MOST_FEATURES = 1 << 24


def packed(s: IncompleteStatistics, running: bool = False) -> bytes:
    """The bytes of a file: equal for equal content; see `complete_file`."""
    header: dict[str, Any] = {
        "kind": KIND,
        "detail": s.detail,
        "features": s.n_features,
        "feature_names": None if s.feature_names is None else list(s.feature_names),
    }
    parts = [s.rows]
    if isinstance(s.parts, ByFeature):
        parts.append(s.parts.cells)
    else:
        header["known"] = [key.hex() for key in s.parts.parts]
        parts.extend(s.parts.parts.values())
    files = [np.frombuffer(complete_file.packed(part, running), np.uint8) for part in parts]
    return pack(header, {f"{i:08d}": file for i, file in enumerate(files)})


def unpacked(header: dict[str, Any], arrays: dict[str, Array], name: str) -> IncompleteStatistics:
    """The statistics in a file, checked throughout; an error says what is wrong."""
    rows, *found = (_part(arrays[key].tobytes(), name) for key in sorted(arrays))
    names, d, detail = header["feature_names"], header["features"], header["detail"]
    complete_file.check_names(names)
    if type(d) is not int or d < 1 or detail not in DETAILS:
        raise ValueError("the header does not describe the parts")
    if d > MOST_FEATURES:
        raise ValueError("the header tells of more features than any table has")
    if names is not None and len(set(names)) != d:
        raise ValueError("there are not as many feature names as features")
    if rows.n_features != 1 or rows.detail != "diagonal":
        raise ValueError("the rows are not counted")
    parts: ByPattern | ByFeature
    if detail == "diagonal":
        (cells,) = found
        parts = ByFeature(cells, rows.classes, d)
        problem = _problem_by_feature(rows, parts)
    else:
        keys = [bytes.fromhex(key) for key in header["known"]]
        parts = ByPattern(dict(zip(keys, found, strict=True)), d, detail)
        problem = _problem_by_pattern(rows, parts, keys)
    if problem:
        raise ValueError(problem)
    return IncompleteStatistics(rows, parts, None if names is None else tuple(names))


def _part(data: bytes, name: str) -> Statistics:
    header, arrays = unpack(data, name)
    if header.get("kind") != complete_file.KIND:
        raise ValueError("a part is not a statistic")
    return complete_file.unpacked(header, arrays)


def _problem_by_feature(rows: Statistics, parts: ByFeature) -> str | None:
    """What cannot be true of the parts together, each being right by itself."""
    cells, d = parts.cells, parts.n_features
    if cells.n_features != 1 or cells.detail != "diagonal" or cells.classes.dtype.kind != "i":
        return "values are not kept by class and feature"
    if ((cells.classes < 0) | (cells.classes >= len(rows.classes) * d)).any():
        return "values belong to no class or feature"
    if (cells.count > rows.count[cells.classes // d]).any():
        return "there are more values than rows"
    return None


def _problem_by_pattern(rows: Statistics, parts: ByPattern, keys: list[bytes]) -> str | None:
    """The same for parts by pattern."""
    d = parts.n_features
    if len(set(keys)) < len(keys) or keys != sorted(keys):
        return "the patterns are not sorted or not unique"
    count = np.zeros(len(rows.classes), np.int64)
    for key, part in parts.parts.items():
        if len(key) != -(-d // 8) or key_of(_bits(key, d)) != key:
            return "a pattern has another number of features"
        if part.detail != parts.detail or part.n_features != len(features_of(key, d)):
            return "a part does not have the features of its pattern"
        if part.classes.dtype.kind != rows.classes.dtype.kind:
            return "a part has other classes"
        if not np.isin(part.classes, rows.classes).all():
            return "a part has other classes"
        count[np.searchsorted(rows.classes, part.classes)] += part.count
    return "there are more rows in the parts than in all" if (count > rows.count).any() else None


def _bits(key: bytes, d: int) -> Array:
    return np.unpackbits(np.frombuffer(key, np.uint8), count=d).astype(bool)
