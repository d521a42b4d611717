"""ONNX mixtures: scores of several Gaussians per class, and of pools of models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice.estimators.onnx_graph import Graph
from suffice.estimators.onnx_scores import gaussian_scores
from suffice.estimators.pooled_model import PooledModel
from suffice.models.mixture import MixtureModel


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
