"""Mixed file: statistics of mixed features as a file of files, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.mixed import Layout
from suffice.statistics import complete_file, counts_file, incomplete_file
from suffice.statistics.container import pack, unpack
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics

KIND = "mixed statistics"


def packed(s: MixedStatistics) -> bytes:
    """The bytes of a file: equal for equal content."""
    header = {
        "kind": KIND,
        "numeric": list(s.layout.numeric),
        "discrete": list(s.layout.discrete),
        "feature_names": None if s.feature_names is None else list(s.feature_names),
    }
    arrays = {}
    if s.numeric is not None:
        file = incomplete_file if isinstance(s.numeric, IncompleteStatistics) else complete_file
        arrays["numeric"] = np.frombuffer(file.packed(s.numeric), np.uint8)
    if s.discrete is not None:
        arrays["discrete"] = np.frombuffer(counts_file.packed(s.discrete), np.uint8)
    return pack(header, arrays)


def unpacked(header: dict[str, Any], arrays: dict[str, Array], name: str) -> MixedStatistics:
    """The statistics in a file, checked throughout; an error says what is wrong."""
    names = header["feature_names"]
    complete_file.check_names(names)
    at = [header["numeric"], header["discrete"]]
    if not all(isinstance(part, list) and all(type(j) is int for j in part) for part in at):
        raise ValueError("columns are not given by position")
    layout = Layout(tuple(at[0]), tuple(at[1]))
    d = len(at[0]) + len(at[1])
    if d == 0 or sorted([*at[0], *at[1]]) != list(range(d)) or at != [sorted(p) for p in at]:
        raise ValueError("columns are missing or twice there")
    if names is not None and not len(set(names)) == len(names) == d:
        raise ValueError("there are not as many feature names as features")
    parts: dict[str, Any] = {"numeric": None, "discrete": None}
    for part, kinds in (
        ("numeric", (complete_file.KIND, incomplete_file.KIND)),
        ("discrete", (counts_file.KIND,)),
    ):
        if bool(getattr(layout, part)) != (part in arrays):
            raise ValueError("a part is missing, or there is one too many")
        if part in arrays:
            parts[part] = _part(arrays[part].tobytes(), name, kinds)
            if parts[part].n_features != len(getattr(layout, part)):
                raise ValueError("a part has another number of features")
    numeric, discrete = parts["numeric"], parts["discrete"]
    if numeric is not None and discrete is not None:
        same = numeric.classes.dtype.kind == discrete.classes.dtype.kind
        if not same or not np.array_equal(numeric.classes, discrete.classes):
            raise ValueError("the parts have other classes")
        if not np.array_equal(numeric.count, discrete.count):
            raise ValueError("the parts have other rows")
    return MixedStatistics(numeric, discrete, layout, None if names is None else tuple(names))


def _part(data: bytes, name: str, kinds: tuple[str, ...]) -> Any:
    header, arrays = unpack(data, name)
    kind = header.get("kind")
    if kind not in kinds:
        raise ValueError("a part is of another kind")
    if kind == incomplete_file.KIND:
        return incomplete_file.unpacked(header, arrays, name)
    file = complete_file if kind == complete_file.KIND else counts_file
    return file.unpacked(header, arrays)
