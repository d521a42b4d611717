"""Counts file: counts to the header and arrays of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.counts import Counts, LevelTable
from suffice.statistics.nesting import Arrays, check_names
from suffice.statistics.room import Room
from suffice.statistics.soundness import check_counts, check_total
from suffice.statistics.texts import (
    names_of,
    read_labels,
    read_levels,
    write_labels,
    write_levels,
    write_names,
)

KIND = "counts"
FIELDS = {"kind"}

# Relative rounding by which weights of levels may exceed those of rows.
ROUNDING = 1e-9

_NAMES = {"classes", "classes.ends", "names", "names.ends"}
_NAMES |= {"count", "weight", "rows", "level_weight", "declared"}


def to_arrays(s: Counts) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of counts."""
    arrays = {
        **write_labels("classes", s.classes),
        **write_names(s.feature_names),
        **write_levels("levels", [table.levels for table in s.tables]),
        "count": s.count,
        "weight": s.weight,
        "rows": np.concatenate([table.rows for table in s.tables], axis=1),
        "level_weight": np.concatenate([table.weight for table in s.tables], axis=1),
    }
    declared = np.concatenate([table.declared for table in s.tables])
    if declared.any():
        arrays["declared"] = declared
    return {"kind": KIND}, arrays


def read(header: dict[str, Any], arrays: Arrays, room: Room) -> Counts:
    """The counts in a file, fully validated; a ValueError says what is wrong."""
    check_names(arrays, _NAMES, ["levels"])
    classes = read_labels("classes", arrays, room)
    levels = read_levels("levels", arrays, room)
    if not levels:
        raise ValueError("there are no features")
    names = names_of(arrays, len(levels), room)
    edges = np.concatenate([[0], np.cumsum([len(own) for own in levels])]).astype(int)
    count, weight, rows, level_weight = (
        arrays[name] for name in ("count", "weight", "rows", "level_weight")
    )
    size = int(edges[-1])
    _check(count, weight, rows, level_weight, (len(classes), size))
    declared = arrays.get("declared", np.zeros(size, np.bool_))
    if declared.shape != (size,) or declared.dtype != np.bool_:
        raise ValueError("it does not say for each level whether it was declared")
    tables = tuple(
        LevelTable(own, rows[:, low:high], level_weight[:, low:high], declared[low:high])
        for own, low, high in zip(levels, edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    )
    for table in tables:
        if (table.rows.sum(axis=1) > count).any():
            raise ValueError("there are more values than rows")
        if (table.weight.sum(axis=1) > weight * (1 + ROUNDING)).any():
            raise ValueError("values have more weight than rows")
        if ((table.weight > 0) & (table.rows == 0)).any():
            raise ValueError("a level has weight but no rows")
        if not (table.rows.any(axis=0) | table.declared).all():
            raise ValueError("a level has no rows and was not declared")
    return Counts(classes, count, weight, tables, names)


def _check(
    count: Array, weight: Array, rows: Array, level_weight: Array, shape: tuple[int, int]
) -> None:
    if (count.shape, weight.shape) != (shape[:1], shape[:1]):
        raise ValueError("there are not as many counts as classes")
    if (rows.shape, level_weight.shape) != (shape, shape):
        raise ValueError("there are not as many counts as levels")
    check_counts(count, weight)
    check_total(count, weight)
    if rows.dtype != np.int64 or (rows < 0).any() or (rows > count[:, None]).any():
        raise ValueError("there are more values than rows, or a negative number of them")
    if level_weight.dtype != np.float64 or not np.isfinite(level_weight).all():
        raise ValueError("a weight is not a number")
    if (level_weight < 0).any():
        raise ValueError("a weight is negative")
