"""ONNX compounds: scores of models made of others: products of parts, mixtures and pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.tables.mixed import DISCRETE, NUMERIC
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidParameter
from suffice.estimators.onnx.onnx_graph import Graph
from suffice.estimators.onnx.onnx_scores import gaussian_scores, slot_scores
from suffice.estimators.onnx.onnx_tables import level_codes
from suffice.estimators.pooled.pooled_model import PooledModel
from suffice.models.discrete import DiscreteModel
from suffice.models.mixture import MixtureModel
from suffice.models.product import ProductModel


def check_parts(model: ProductModel) -> None:
    """Raise unless all parts are numbers or levels."""
    for key in model.parts:
        if key not in (NUMERIC, DISCRETE):
            raise InvalidParameter(
                f"the part {key!r} of this MixedNB cannot be exported to ONNX; numbers and "
                "categories can."
            )


def product_scores(graph: Graph, model: ProductModel, reader: TableReader | None) -> str:
    """The sum of the scores of the parts, of one input per column, or of one array X."""
    total = graph.constant(model.log_priors[None])
    for key, part in model.parts.items():
        columns = model.layout.parts[key]
        if key == NUMERIC:
            scores = gaussian_scores(graph, _numbers(graph, columns, reader), part)  # type: ignore[arg-type]
        else:
            assert isinstance(part, DiscreteModel)
            scores = slot_scores(graph, _slots(graph, part, columns, reader), part)
        total = _sum_unless_impossible(graph, total, scores)
    return total


def _sum_unless_impossible(graph: Graph, total: str, scores: str) -> str:
    """Both together, without a part that is possible only in classes that others exclude."""
    never = graph.constant(-np.inf)
    both = graph.add("Add", total, scores)
    lost = graph.add("Equal", graph.reduce("ReduceMax", both, 1), never)
    there = graph.add("Greater", graph.reduce("ReduceMax", scores, 1), never)
    return graph.add("Where", graph.add("And", lost, there), total, both)


def _numbers(graph: Graph, columns: tuple[int, ...], reader: TableReader | None) -> str:
    if reader is None:
        return graph.cast(_columns(graph, columns), "float64")
    parts = [graph.cast(reader.feature_names[j], "float64") for j in columns]
    return graph.add("Concat", *parts, axis=1)


def _slots(
    graph: Graph, part: DiscreteModel, columns: tuple[int, ...], reader: TableReader | None
) -> str:
    """Rows of the table of log probabilities, (n, discrete features) int64."""
    slots = []
    for feature, offset, j in zip(part.features, part.offsets, columns, strict=True):
        m = len(feature.levels)
        if reader is None:
            codes = _codes_of_numbers(graph, _columns(graph, (j,)), feature.levels)
        else:
            at = reader.level_names.index(reader.feature_names[j])
            codes = level_codes(graph, reader, at, feature.levels, m, m + 1)
        slots.append(graph.add("Add", codes, graph.constant([[offset]], np.int64)))
    return graph.add("Concat", *slots, axis=1)


def _codes_of_numbers(graph: Graph, values: str, levels: Array) -> str:
    """Positions of levels that are numbers, then of an unseen and of a missing one, (n, 1)."""
    number = graph.cast(values, "float64")
    equal = graph.add("Equal", number, graph.constant(levels.astype(np.float64)[None]))
    matches = graph.cast(equal, "int64")
    at = graph.add("ArgMax", matches, axis=1, keepdims=1)
    seen = graph.add(
        "Greater", graph.reduce("ReduceSum", matches, 1), graph.constant([[0]], np.int64)
    )
    unseen = graph.constant([[len(levels)]], np.int64)
    codes = graph.add("Where", seen, at, unseen)
    gap = graph.constant([[len(levels) + 1]], np.int64)
    return graph.add("Where", graph.add("IsNaN", number), gap, codes)


def _columns(graph: Graph, columns: Any) -> str:
    return graph.add("Gather", "X", graph.constant(list(columns), np.int64), axis=1)


def mixture_scores(graph: Graph, rows: str, model: MixtureModel) -> str:
    """Log of the sum over the components of each class, of rows of float64."""
    scores = gaussian_scores(graph, rows, model.components)
    top = graph.reduce("ReduceMax", scores, 1)
    densities = graph.add("Exp", graph.add("Sub", scores, top))
    of_class = np.equal.outer(model.owner, np.arange(len(model.classes)))
    total = graph.add("MatMul", densities, graph.constant(of_class))
    return graph.add("Add", graph.add("Log", total), top)


def pooled_scores(graph: Graph, members: Sequence[str], model: PooledModel) -> str:
    """ln p(y | x) up to a constant of the row, from the scores of the members."""
    pool = model.pool
    total = graph.constant(pool.share_weight * pool.shares[None])
    for weight, own, scores in zip(pool.weights, pool.recalibrations, members, strict=True):
        tempered = graph.add("Mul", scores, graph.constant(own.slope))
        moved = graph.add("Add", tempered, graph.constant(own.offsets[None]))
        posterior = graph.add("Softmax", moved, axis=1)
        total = graph.add("Add", total, graph.add("Mul", posterior, graph.constant(weight)))
    ratio = graph.constant((model.priors / pool.shares)[None])
    return graph.add("Log", graph.add("Mul", total, ratio))
