"""Complete file: statistics as the header and arrays of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.container import pack
from suffice.statistics.fourth import Fourth
from suffice.statistics.numbers import Pair
from suffice.statistics.scatter import Dense, Diagonal, Scatter
from suffice.statistics.statistics import DETAILS, Statistics
from suffice.statistics.thin import Thin

KIND = "statistics"

LABEL_KINDS = {"b": "bool", "i": "int", "f": "float", "U": "str"}


def check_names(names: Any) -> None:
    """Raise unless names are a list of texts, or None."""
    if not isinstance(names, list | None):
        raise ValueError("feature names are not a list")
    if names is not None and not all(isinstance(name, str) for name in names):
        raise ValueError("feature names are not text")


def packed(s: Statistics, running: bool = False) -> bytes:
    """The bytes of a file: equal for equal content.

    running : with all that adding more rows depends on to the last bit, as a pass that is
        resumed takes. Otherwise a file holds what the rows determine, however they came.
    """
    low = np.zeros_like(s.means.high) if s.means.low is None else s.means.low
    arrays: dict[str, Array | None] = {
        "count": s.count,
        "weight": s.weight,
        "mean": s.means.high,
        "mean.low": low,
    }
    fourth = s.fourth
    if isinstance(s.spread, Thin):
        thin = s.spread if running else s.spread.canonical()
        arrays |= {"factor": thin.factor, "factor.owner": thin.owner}
    else:
        arrays["scatter"] = s.spread.sums.high
        arrays["scatter.low"] = s.spread.sums.low if running else None
    if fourth is not None:
        fourth = fourth if running else fourth.canonical(s.known)
        arrays |= {
            "fourth.square": fourth.square,
            "fourth.cubic": fourth.cubic,
            "fourth.quartic": fourth.quartic,
            "fourth.anchor": fourth.anchor if running else None,
            "fourth.since": fourth.since if running else None,
        }
    header = {
        "kind": KIND,
        "detail": s.detail,
        "labels": LABEL_KINDS[s.classes.dtype.kind],
        "classes": s.classes.tolist(),
        "features": s.n_features,
        "feature_names": None if s.feature_names is None else list(s.feature_names),
        "fourth_unit": None if fourth is None else fourth.unit.hex(),
    }
    return pack(header, {name: array for name, array in arrays.items() if array is not None})


def unpacked(header: dict[str, Any], arrays: dict[str, Array]) -> Statistics:
    """The statistics in a file, checked throughout; an error says what is wrong."""
    statistics = _read(header, arrays)
    problem = _problem(statistics)
    if problem:
        raise ValueError(problem)
    return statistics


def _read(header: dict[str, Any], arrays: dict[str, Array]) -> Statistics:
    names = header["feature_names"]
    if header["features"] != arrays["mean"].shape[-1]:
        raise ValueError("the header does not describe the arrays")
    check_names(names)
    return Statistics(
        labels(header["labels"], header["classes"]),
        arrays["count"],
        arrays["weight"],
        Pair(arrays["mean"], arrays["mean.low"]),
        _spread(header, arrays),
        _fourth(header, arrays),
        None if names is None else tuple(names),
    )


def labels(kind: Any, values: Any) -> Array:
    """Labels or levels as they were, of one kind."""
    kinds: dict[str, tuple[type, Any]] = {
        "bool": (bool, np.bool_),
        "int": (int, np.int64),
        "float": (float, np.float64),
        "str": (str, np.str_),
    }
    type_, dtype = kinds[kind]
    if not isinstance(values, list) or not all(type(label) is type_ for label in values):
        raise ValueError(f"labels are not a list of {type_.__name__}")
    return np.array(values, dtype=dtype)


def _spread(header: dict[str, Any], arrays: dict[str, Array]) -> Scatter:
    detail = header["detail"]
    if detail not in DETAILS:
        raise ValueError(f"unknown detail {detail!r}")
    per_class = detail != "shared"
    if "factor" in arrays:
        groups = len(header["classes"]) if per_class else 1
        return Thin(arrays["factor"], arrays["factor.owner"], groups, per_class)
    sums = Pair(arrays["scatter"], arrays.get("scatter.low"))
    return Diagonal(sums) if detail == "diagonal" else Dense(sums, per_class)


def _fourth(header: dict[str, Any], arrays: dict[str, Array]) -> Fourth | None:
    if header["fourth_unit"] is None:
        return None
    return Fourth(
        float.fromhex(header["fourth_unit"]),
        arrays["fourth.square"],
        arrays["fourth.cubic"],
        arrays["fourth.quartic"],
        arrays.get("fourth.anchor", arrays["mean"]),
        arrays.get("fourth.since", arrays["weight"]),
    )


def _problem(s: Statistics) -> str | None:
    """What is wrong with statistics read from a file, if anything is."""
    k, d = len(s.classes), s.n_features
    shapes: list[tuple[str, Array | None, tuple[int, ...]]] = [
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
            return f"{name} has shape {array.shape} and type {array.dtype}, not {shape}"
        if not integer and not np.isfinite(array).all():
            return f"{name} holds values that are not finite"
    return _contradiction(s)


def _spread_shapes(
    s: Statistics, k: int, d: int
) -> list[tuple[str, Array | None, tuple[int, ...]]]:
    if isinstance(s.spread, Thin):
        rows = len(s.spread.owner)
        return [("factor", s.spread.factor, (rows, d)), ("owner", s.spread.owner, (rows,))]
    shape = (k, d) if isinstance(s.spread, Diagonal) else (k if s.spread.per_class else 1, d, d)
    return [("scatter", s.spread.sums.high, shape), ("scatter.low", s.spread.sums.low, shape)]


def _contradiction(s: Statistics) -> str | None:
    """What cannot be true of the numbers, though their shapes are right."""
    if len(s.classes) > 1 and not (s.classes[:-1] < s.classes[1:]).all():
        return "classes are not sorted or not unique"
    if s.feature_names is not None and len(set(s.feature_names)) != s.n_features:
        return "there are not as many feature names as features"
    if s.fourth is not None and not _possible(s.fourth):
        return "the fourth-order sums have no unit or weight"
    if (s.count <= 0).any() or (s.weight <= 0).any():
        return "a class has no rows or no weight"
    spread = s.spread
    if isinstance(spread, Thin):
        bad = (spread.owner < 0) | (spread.owner >= spread.groups)
        if bad.any() or (np.diff(spread.owner) < 0).any():
            return "the factor has rows of no class"
    elif (spread.diagonal() < 0).any():
        return "a sum of squares is negative"
    elif isinstance(spread, Dense) and not _symmetric(spread.sums):
        return "the scatter is not symmetric"
    return None


def _possible(fourth: Fourth) -> bool:
    return 0 < fourth.unit < float("inf") and bool((fourth.since > 0).all())


def _symmetric(sums: Pair) -> bool:
    parts = [sums.high] if sums.low is None else [sums.high, sums.low]
    return all(np.array_equal(matrix, matrix.T) for part in parts for matrix in part)
