"""Counts file: counts as the header and arrays of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.complete_file import LABEL_KINDS, check_names, labels
from suffice.statistics.container import pack
from suffice.statistics.counts import Counts, Table

KIND = "counts"


def packed(s: Counts) -> bytes:
    """The bytes of a file: equal for equal content."""
    header = {
        "kind": KIND,
        "labels": LABEL_KINDS[s.classes.dtype.kind],
        "classes": s.classes.tolist(),
        "feature_names": None if s.feature_names is None else list(s.feature_names),
        "level_kinds": [LABEL_KINDS[t.levels.dtype.kind] for t in s.tables],
        "levels": [t.levels.tolist() for t in s.tables],
    }
    rows = np.concatenate([t.rows for t in s.tables], axis=1)
    level_weight = np.concatenate([t.weight for t in s.tables], axis=1)
    arrays = {"count": s.count, "weight": s.weight, "rows": rows, "level_weight": level_weight}
    declared = np.concatenate([t.declared for t in s.tables])
    if declared.any():
        arrays["declared"] = declared.astype(np.uint8)
    return pack(header, arrays)


def unpacked(header: dict[str, Any], arrays: dict[str, Array]) -> Counts:
    """The counts in a file, checked throughout; an error says what is wrong."""
    classes = labels(header["labels"], header["classes"])
    names = header["feature_names"]
    check_names(names)
    kinds, lists = header["level_kinds"], header["levels"]
    levels = [labels(kind, values) for kind, values in zip(kinds, lists, strict=True)]
    edges = np.concatenate([[0], np.cumsum([len(own) for own in levels])]).astype(int)
    shape = len(classes), int(edges[-1])
    count, weight, rows, level_weight = (
        arrays[name] for name in ("count", "weight", "rows", "level_weight")
    )
    _check(count, weight, rows, level_weight, shape)
    declared = _declared(arrays.get("declared"), shape[1])
    for own in (classes, *levels):
        if len(own) > 1 and not (own[:-1] < own[1:]).all():
            raise ValueError("labels are not sorted or not unique")
    if not levels or (names is not None and not len(set(names)) == len(names) == len(levels)):
        raise ValueError("there are not as many feature names as features")
    tables = tuple(
        Table(own, rows[:, low:high], level_weight[:, low:high], declared[low:high])
        for own, low, high in zip(levels, edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    )
    for table in tables:
        if (table.rows.sum(axis=1) > count).any():
            raise ValueError("there are more values than rows")
        if (table.weight.sum(axis=1) > weight * (1 + 1e-9)).any():
            raise ValueError("values have more weight than rows")
        if ((table.weight > 0) & (table.rows == 0)).any():
            raise ValueError("a level has weight but no rows")
        if not (table.rows.any(axis=0) | table.declared).all():
            raise ValueError("a level has no rows and was not declared")
    return Counts(classes, count, weight, tables, None if names is None else tuple(names))


def _declared(declared: Array | None, size: int) -> Array:
    """Which levels the types of the columns declare, (size,); none where the file has no list."""
    if declared is None:
        return np.zeros(size, bool)
    if declared.shape != (size,) or declared.dtype != np.uint8 or (declared > 1).any():
        raise ValueError("the header does not describe the arrays")
    return np.asarray(declared == 1)


def _check(count: Array, weight: Array, rows: Array, level_weight: Array, shape: Any) -> None:
    if (count.shape, weight.shape) != (shape[:1], shape[:1]):
        raise ValueError("the header does not describe the arrays")
    if (rows.shape, level_weight.shape) != (shape, shape):
        raise ValueError("the header does not describe the arrays")
    if count.dtype != np.int64 or rows.dtype != np.int64:
        raise ValueError("counts are not integers")
    for values in (weight, level_weight):
        if values.dtype != np.float64 or not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("a weight is not a number, or negative")
    if (count <= 0).any() or (rows < 0).any() or (weight <= 0).any():
        raise ValueError("a class has no rows or no weight")
