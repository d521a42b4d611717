"""ONNX tables: the columns of a table as inputs of a graph, and the numbers that a model takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.column_kinds import ColumnKind, Dates, Levels, WrittenNumber
from suffice.data.columns.missing_kinds import WithIndicator
from suffice.data.columns.time_parts import TimePart
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.level_groups import LevelGroups
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidParameter
from suffice.estimators.onnx.onnx_graph import Graph

# The numbers that a date is read as.
_PARTS = {
    TimePart.YEAR: "year",
    TimePart.MONTH: "month, 1 to 12,",
    TimePart.WEEKDAY: "weekday, from Monday, 0, to Sunday, 6,",
    TimePart.HOUR: "hour, with its fraction,",
    TimePart.DAYS: "whole days since 1970-01-01",
}

# The names of the outputs of a graph.
OUTPUTS = "label", "probabilities"

# The types of inputs by the values of levels.
_TYPES = {"text": np.dtype(np.str_), "numbers": np.dtype(np.int64), "booleans": np.dtype(np.bool_)}


def input_types(reader: TableReader, dtype: Any) -> dict[str, Any]:
    """The type of each input of a graph, (n, 1): a column, or a part of a column of dates."""
    types: dict[str, Any] = {}
    for name in reader.names:
        kind = _values(reader.layout.by_name[name])
        own = _TYPES[kind.values] if isinstance(kind, Levels) else dtype
        types |= dict.fromkeys(kind.features(name), own)
    return types


def check_input_names(names: Iterable[str]) -> None:
    """Raise if the name of a column cannot be that of an input."""
    for name in names:
        if not name or name in OUTPUTS:
            why = "is that of an output of the graph" if name else "is empty"
            raise InvalidParameter(
                f"the column name {name!r} {why}. Rename the column before fit: "
                f"table = table.rename(columns={{{name!r}: {'x_' + name!r}}})."
            )


def unlike(names: Iterable[str], prefix: str) -> str:
    """A prefix with which none of some names begins.

    >>> unlike(["v1", "age"], "v"), unlike(["age"], "v")
    ('v_', 'v')
    """
    taken = tuple(names)
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    return prefix


def input_notes(reader: TableReader) -> dict[str, str]:
    """What the inputs are that are not the cells of a column themselves."""
    notes: dict[str, str] = {}
    for name in reader.names:
        kind = _values(reader.layout.by_name[name])
        if isinstance(kind, WrittenNumber):
            notes[name] = f"the number that a text of {name} writes"
        elif isinstance(kind, Dates):
            clock = f", on the clock of {kind.zone}" if kind.zone else ""
            for feature, part in zip(kind.features(name), kind.parts, strict=True):
                notes[feature] = f"{_PARTS[TimePart(part)]} of {name}{clock}"
    return notes


def encoded_rows(graph: Graph, encoding: Encoding) -> str:
    """The numbers that the model takes, (n, d) float64, NaN where a level is new or missing."""
    reader = encoding.reader
    parts = [graph.cast(name, "float64") for name in reader.numeric_names]
    for j, own in enumerate(encoding.groups):
        if own.size > 1:
            parts.append(_indicators(graph, reader, j, own))
    return graph.add("Concat", *parts, axis=1)


def _indicators(graph: Graph, reader: TableReader, j: int, own: LevelGroups) -> str:
    """The indicators of one column, (n, groups - 1)."""
    unknown = len(own.levels)
    codes = level_codes(graph, reader, j, own.levels, unknown, unknown)
    table = np.vstack([np.eye(own.size)[own.group, 1:], np.full((1, own.size - 1), np.nan)])
    rows = graph.add("Gather", graph.constant(table), codes, axis=0)  # (n, 1, groups - 1)
    return graph.add("Squeeze", rows, graph.constant([1], np.int64))


def level_codes(
    graph: Graph, reader: TableReader, j: int, levels: Array, unseen: int, missing: int
) -> str:
    """The position of each row's level among the levels of feature j of levels, (n, 1) int64."""
    name = reader.names[reader.level_owners[j]]
    kind = reader.layout.by_name[name]
    values = _values(kind)
    gaps = _gap_texts(reader, values)
    if reader.indicators[j]:
        positions = _is_missing(graph, name, values, gaps)
    elif levels.dtype.kind == "b":
        positions = graph.cast(name, "int64")
    else:
        texts = name if levels.dtype.kind == "U" else graph.cast(name, "str")
        keys = dict.fromkeys(gaps, missing) if levels.dtype.kind == "U" else {}
        keys |= {str(level): i for i, level in enumerate(levels.tolist())}
        return _lookup(graph, texts, keys, unseen)
    by_value = np.full(2, unseen)
    by_value[levels.astype(int)] = np.arange(len(levels))
    return graph.add("Gather", graph.constant(by_value, np.int64), positions, axis=0)


def _values(kind: ColumnKind) -> ColumnKind:
    return kind.values if isinstance(kind, WithIndicator) else kind


def _gap_texts(reader: TableReader, kind: ColumnKind) -> list[str]:
    """The texts that mean a missing value in a column."""
    keeps = kind.keeps if isinstance(kind, Levels) else ()
    return ["", *(text for text in reader.layout.missing if text not in keeps)]


def _is_missing(graph: Graph, name: str, kind: ColumnKind, gaps: list[str]) -> str:
    """1 where a column is missing, else 0, (n, 1) int64; integers and booleans never are."""
    if not isinstance(kind, Levels):
        return graph.cast(graph.add("IsNaN", kind.features(name)[0]), "int64")
    if kind.values == "text":
        return _lookup(graph, name, dict.fromkeys(gaps, 1), 0)
    return graph.add("Mul", graph.cast(name, "int64"), graph.constant([[0]], np.int64))


def _lookup(graph: Graph, texts: str, keys: dict[str, int], default: int) -> str:
    return graph.add(
        "LabelEncoder",
        texts,
        domain="ai.onnx.ml",
        keys_strings=list(keys),
        values_int64s=list(keys.values()),
        default_int64=default,
    )
