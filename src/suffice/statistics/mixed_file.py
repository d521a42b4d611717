"""Mixed file: statistics of mixed features to the header and arrays of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.mixed import ColumnLayout
from suffice.statistics import complete_file, counts_file, incomplete_file
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.nesting import Arrays, below, check_names, prefixed
from suffice.statistics.room import Room
from suffice.statistics.texts import names_of, write_names

KIND = "mixed statistics"
FIELDS = {"kind", "numeric", "discrete"}

# Relative difference between weights of the same rows that were summed in two ways.
ROUNDING = 1e-6

_NAMES = {"is_discrete", "names", "names.ends"}
_PARTS = ("numeric", "discrete")
_NUMERIC = {complete_file.KIND: complete_file, incomplete_file.KIND: incomplete_file}


def to_arrays(s: MixedStatistics) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of statistics of mixed features."""
    header: dict[str, Any] = {"kind": KIND, "numeric": None, "discrete": None}
    discrete = np.zeros(s.n_features, np.bool_)
    discrete[list(s.layout.discrete)] = True
    arrays = {"is_discrete": discrete, **write_names(s.feature_names)}
    if s.numeric is not None:
        incomplete = isinstance(s.numeric, IncompleteStatistics)
        file: Any = incomplete_file if incomplete else complete_file
        header["numeric"], own = file.to_arrays(s.numeric)
        arrays |= prefixed("numeric", own)
    if s.discrete is not None:
        header["discrete"], own = counts_file.to_arrays(s.discrete)
        arrays |= prefixed("discrete", own)
    return header, arrays


def read(header: dict[str, Any], arrays: Arrays, room: Room) -> MixedStatistics:
    """The statistics in a file, fully validated; a ValueError says what is wrong."""
    check_names(arrays, _NAMES, [part for part in _PARTS if header[part] is not None])
    layout = _layout(arrays, room)
    d = len(layout.numeric) + len(layout.discrete)
    names = names_of(arrays, d, room)
    numeric, discrete = _parts(header, arrays, room)
    for part, at in ((numeric, layout.numeric), (discrete, layout.discrete)):
        if (0 if part is None else part.n_features) != len(at):
            raise ValueError("a part has the wrong number of features")
    if numeric is not None and discrete is not None:
        same = numeric.classes.dtype.kind == discrete.classes.dtype.kind
        if not same or not np.array_equal(numeric.classes, discrete.classes):
            raise ValueError("the parts have different classes")
        if not np.array_equal(numeric.count, discrete.count):
            raise ValueError("the parts have different numbers of rows")
        if not np.allclose(numeric.weight, discrete.weight, ROUNDING, 0):
            raise ValueError("the parts have different weights")
    return MixedStatistics(numeric, discrete, layout, names)


def _layout(arrays: Arrays, room: Room) -> ColumnLayout:
    discrete = arrays["is_discrete"]
    if discrete.dtype != np.bool_ or discrete.ndim != 1 or not len(discrete):
        raise ValueError("it does not say which features are discrete")
    room.take(40 * len(discrete), "the positions of the features")
    numeric, others = (tuple(np.flatnonzero(at).tolist()) for at in (~discrete, discrete))
    return ColumnLayout(numeric, others)


def _parts(
    header: dict[str, Any], arrays: Arrays, room: Room
) -> tuple[AnyStatistics | None, Counts | None]:
    files = {**_NUMERIC, counts_file.KIND: counts_file}
    parts: list[Any] = [None, None]
    for i, (part, kinds) in enumerate(zip(_PARTS, (_NUMERIC, [counts_file.KIND]), strict=True)):
        about = header[part]
        if about is None:
            continue
        if not isinstance(about, dict) or about.get("kind") not in [*kinds]:
            raise ValueError("a part has the wrong kind")
        file: Any = files[about["kind"]]
        if set(about) != file.FIELDS:
            raise ValueError("the header of a part has the wrong fields")
        parts[i] = file.read(about, below(part, arrays), room)
    return parts[0], parts[1]
