"""Complete file: statistics to the header and arrays of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import ClassMoments, Fourth
from suffice.statistics.nesting import Arrays
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.room import Room
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, Scatter, canonical
from suffice.statistics.soundness import check_sound, check_total
from suffice.statistics.statistics import DETAILS, Statistics
from suffice.statistics.texts import names_of, read_labels, write_labels, write_names

KIND = "statistics"
FIELDS = {"kind", "detail"}

Shapes = list[tuple[str, Array | None, tuple[int, ...]]]


def to_arrays(s: Statistics, resumable: bool = False) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of statistics.

    resumable : keep everything that the last bit of later sums depends on, so that a resumed
        pass gives the same bits. Otherwise a file holds only what the rows determine,
        whatever their order.
    """
    labelled = {**write_labels("classes", s.classes), **write_names(s.feature_names)}
    return {"kind": KIND, "detail": s.detail}, {**labelled, **sums_of(s, resumable)}


def read(header: dict[str, Any], arrays: Arrays, room: Room) -> Statistics:
    """The statistics in a file, fully validated; a ValueError says what is wrong."""
    label_names = {"classes", "classes.ends", "names", "names.ends"}
    sums = {name: array for name, array in arrays.items() if name not in label_names}
    if sums["mean"].ndim != 2:
        raise ValueError("mean is not a table")
    names = names_of(arrays, sums["mean"].shape[1], room)
    statistics = of_sums(read_labels("classes", arrays, room), names, header["detail"], sums)
    check_total(statistics.count, statistics.weight)
    return statistics


def sums_of(s: Statistics, resumable: bool = False) -> Arrays:
    """The arrays of statistics other than labels and names."""
    low = np.zeros_like(s.means.high) if s.means.low is None else s.means.low
    arrays: dict[str, Array | None] = {
        "count": s.count,
        "weight": s.weight,
        "mean": s.means.high,
        "mean.low": low,
    }
    fourth, spread = s.fourth, s.spread if resumable else canonical(s.spread)
    if isinstance(spread, FactoredScatter):
        arrays |= {"factor": spread.factor, "factor.owner": spread.owner}
    else:
        arrays |= {"scatter": spread.sums.high, "scatter.low": spread.sums.low}
    if fourth is not None:
        assert not isinstance(spread, DiagonalScatter)
        fourth = fourth if resumable else fourth.canonical(ClassMoments(s.means, s.weight, spread))
        arrays |= {
            "fourth.unit": np.array(fourth.unit),
            "fourth.square": fourth.square,
            "fourth.cubic": fourth.cubic,
            "fourth.quartic": fourth.quartic,
            "fourth.anchor": fourth.anchor if resumable else None,
            "fourth.since": fourth.since if resumable else None,
        }
    return {name: array for name, array in arrays.items() if array is not None}


def of_sums(classes: Array, names: tuple[str, ...] | None, detail: Any, sums: Arrays) -> Statistics:
    """Statistics of these classes and features; a ValueError says what is wrong with the sums."""
    if detail not in DETAILS:
        raise ValueError(f"unknown detail {detail!r}")
    sums = dict(sums)
    fourth, spread = _fourth(sums), _spread(sums, len(classes), detail)
    s = Statistics(
        classes,
        sums.pop("count"),
        sums.pop("weight"),
        DoubleDouble(sums.pop("mean"), sums.pop("mean.low")),
        spread,
        fourth,
        names,
    )
    if sums:
        raise ValueError(f"it has the array {min(sums)!r}, which statistics do not have")
    _check_shapes(s)
    check_sound(s)
    return s


def _spread(sums: Arrays, classes: int, detail: str) -> Scatter:
    per_class = detail != "shared"
    if "factor" in sums:
        groups = classes if per_class else 1
        return FactoredScatter(sums.pop("factor"), sums.pop("factor.owner"), groups, per_class)
    total = DoubleDouble(sums.pop("scatter"), sums.pop("scatter.low", None))
    return DiagonalScatter(total) if detail == "diagonal" else DenseScatter(total, per_class)


def _fourth(sums: Arrays) -> Fourth | None:
    if "fourth.unit" not in sums:
        return None
    unit = sums.pop("fourth.unit")
    if unit.shape or unit.dtype != np.float64:
        raise ValueError("the unit of the fourth-order sums is not a number")
    return Fourth(
        float(unit),
        sums.pop("fourth.square"),
        sums.pop("fourth.cubic"),
        sums.pop("fourth.quartic"),
        sums.pop("fourth.anchor", sums["mean"]),
        sums.pop("fourth.since", sums["weight"]),
    )


def _check_shapes(s: Statistics) -> None:
    """Raise ValueError if an array has the wrong shape or type, or is not finite."""
    k, d = len(s.classes), s.n_features
    shapes: Shapes = [
        ("count", s.count, (k,)),
        ("weight", s.weight, (k,)),
        ("mean", s.means.high, (k, d)),
        ("mean.low", s.means.low, (k, d)),
        *_spread_shapes(s, k, d),
    ]
    if s.fourth is not None:
        f = s.fourth
        shapes += [(name, a, (k,)) for name, a in (("square", f.square), ("quartic", f.quartic))]
        shapes += [(name, a, (k, d)) for name, a in (("cubic", f.cubic), ("anchor", f.anchor))]
        shapes += [("since", f.since, (k,))]
    for name, array, shape in shapes:
        if array is None:
            continue
        integer = name in ("count", "owner")
        if array.shape != shape or array.dtype != (np.int64 if integer else np.float64):
            raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}, not {shape}")
        if not integer and not np.isfinite(array).all():
            raise ValueError(f"{name} holds values that are not finite")


def _spread_shapes(s: Statistics, k: int, d: int) -> Shapes:
    if isinstance(s.spread, FactoredScatter):
        rows = len(s.spread.owner)
        return [("factor", s.spread.factor, (rows, d)), ("owner", s.spread.owner, (rows,))]
    shape = (
        (k, d) if isinstance(s.spread, DiagonalScatter) else (k if s.spread.per_class else 1, d, d)
    )
    return [("scatter", s.spread.sums.high, shape), ("scatter.low", s.spread.sums.low, shape)]
