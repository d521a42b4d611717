"""ONNX tables: the columns of a table as inputs of a graph, and the numbers that a model takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.column_kinds import Levels, Number
from suffice.data.encoding import Encoding
from suffice.data.level_groups import LevelGroups
from suffice.errors import InvalidParameter
from suffice.estimators.onnx_graph import Graph


# The types of inputs by the values of levels.
def input_types(encoding: Encoding, dtype: Any) -> dict[str, Any]:
    """The type of each column that a graph takes, (n, 1)."""
    layout, types = encoding.reader.layout, {}
    of_levels = {"text": np.str_, "numbers": np.int64, "booleans": np.bool_}
    for name, kind in zip(layout.names, layout.kinds, strict=True):
        if isinstance(kind, Levels):
            types[name] = np.dtype(of_levels[kind.values])
        elif isinstance(kind, Number):
            types[name] = dtype
        elif kind.features(name):
            raise InvalidParameter(
                f"column {name!r} is read from {kind.label}, which ONNX cannot; convert it to "
                "numbers first, and fit again."
            )
    return types


def encoded_rows(graph: Graph, encoding: Encoding, double: int, text: int) -> str:
    """The numbers that the model takes, (n, d) float64, NaN where a level is new or missing.

    double, text : the element types of float64 and of strings
    """
    reader = encoding.reader
    parts = [graph.add("Cast", name, to=double) for name in reader.numeric_names]
    parts += [_indicators(graph, own, text) for own in encoding.groups]
    return graph.add("Concat", *parts, axis=1)


def _indicators(graph: Graph, own: LevelGroups, text: int) -> str:
    """The indicators of one column, (n, groups - 1)."""
    unknown = own.size
    if own.levels.dtype.kind == "b":
        positions = graph.add("Cast", own.name, to=7)
        by_value = np.full(2, unknown)
        by_value[own.levels.astype(int)] = own.group
        codes = graph.add("Gather", graph.constant(by_value, np.int64), positions, axis=0)
    else:
        texts = own.name if own.levels.dtype.kind == "U" else graph.add("Cast", own.name, to=text)
        codes = graph.add(
            "LabelEncoder",
            texts,
            domain="ai.onnx.ml",
            keys_strings=[str(level) for level in own.levels.tolist()],
            values_int64s=own.group.tolist(),
            default_int64=unknown,
        )
    table = np.vstack([np.eye(own.size)[:, 1:], np.full((1, own.size - 1), np.nan)])
    rows = graph.add("Gather", graph.constant(table), codes, axis=0)  # (n, 1, groups - 1)
    return graph.add("Squeeze", rows, graph.constant([1], np.int64))
