"""ONNX scores: joint log densities up to a constant of the row, (n, k), as operators on rows.

Everything is computed in float64, because differences of large squares matter.
"""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.powers import Powers
from suffice.errors import InvalidParameter
from suffice.estimators.onnx.onnx_graph import Graph
from suffice.models.conjugate_priors.gammas import log_ratio
from suffice.models.conjugate_priors.student import IndependentStudent, StudentModel
from suffice.models.covariances.covariance import (
    Covariance,
    DiagonalCovariance,
    FullCovariance,
)
from suffice.models.covariances.linalg import reciprocal
from suffice.models.covariances.low_rank import LowRankCovariance
from suffice.models.discrete import DiscreteModel
from suffice.models.em.filling import peaks
from suffice.models.gaussian import GaussianModel


def gaussian_scores(graph: Graph, rows: str, model: GaussianModel) -> str:
    """Scores of rows of float64; linear ones only where they lose no digits, as in `predict`."""
    if model.independent is not None:
        observed = graph.add("Not", graph.add("IsNaN", rows))
        if model.is_linear:
            return _shared_independent(graph, rows, observed, model)
        return _independent(graph, rows, observed, model)
    return _linear(graph, rows, model) if model.is_linear else _quadratic(graph, rows, model)


def student_scores(graph: Graph, rows: str, model: StudentModel) -> str:
    """Scores of Student t classes, of rows of float64."""
    if isinstance(model, IndependentStudent):
        return _independent_student(graph, rows, model)
    gaussian, rank = model.gaussian, int(model.varies.sum())
    size, scaled = _scaled(graph, rows)
    tails, heights = [], []
    for c, (freedom, stretch) in enumerate(
        zip(model.freedom[:, 0], model.stretch[:, 0], strict=True)
    ):
        steps = _about_mean(graph, scaled, size, gaussian, c)
        squares = _squared_lengths(graph, steps, gaussian.covariance_of(c))
        relative = graph.add("Mul", squares, graph.constant(1 / (stretch * freedom)))
        tail = _log_of_one_and(graph, relative, size)
        tails.append(graph.add("Mul", tail, graph.constant(-(freedom + rank) / 2)))
        volume = gaussian.volumes[0 if gaussian.shared else c]
        heights.append(
            float(log_ratio(freedom / 2, rank / 2)) - rank / 2 * np.log(stretch) - volume
        )
    constants = _row(graph, np.array(heights) + model.log_priors)
    return graph.add("Add", graph.add("Concat", *tails, axis=1), constants)


def powers_of(graph: Graph, rows: str, powers: Powers, d: int) -> str:
    """Rows of float64 with each feature to its power; the last of d features may have none."""
    others = d - len(powers.origin)

    def padded(values: Floats, neutral: float) -> Floats:
        return np.concatenate([values, np.full(others, neutral)])

    exponent = padded(powers.exponent, 1.0)
    steps = graph.add("Sub", rows, _row(graph, padded(powers.origin, 0.0)))
    z = graph.add("Div", steps, _row(graph, padded(powers.unit, 1.0)))
    above = graph.add("Greater", z, graph.constant(0.0))
    inside = graph.add("Where", above, z, graph.constant(0.0))
    log = graph.add("Log", graph.add("Add", inside, graph.constant(1.0)))
    power = graph.add("Exp", graph.add("Mul", log, _row(graph, exponent)))
    power = graph.add("Sub", power, graph.constant(1.0))
    power = graph.add("Div", power, _row(graph, np.where(exponent == 0, 1.0, exponent)))
    power = graph.add("Where", graph.constant(exponent[None] == 0, np.bool_), log, power)
    linear = graph.add("Or", graph.add("Not", above), graph.constant(exponent[None] == 1, np.bool_))
    value = graph.add("Where", linear, z, power)
    centred = graph.add("Sub", value, _row(graph, padded(powers.centre, 0.0)))
    return graph.add("Div", centred, _row(graph, padded(powers.spread, 1.0)))


def binary_scores(graph: Graph, rows: str, model: DiscreteModel, threshold: float) -> str:
    """Scores of rows of numbers, where values above the threshold count as one."""
    ones = _as_number(graph, graph.add("Greater", rows, graph.constant(threshold)))
    observed = _as_number(graph, graph.add("Not", graph.add("IsNaN", rows)))
    zeros = graph.add("Sub", observed, ones)
    scores, never = [], []
    for level, there in enumerate((zeros, ones)):
        logs = np.array([feature.log_probabilities[:, level] for feature in model.features])
        # Zero times minus infinity is NaN, so impossible levels are counted separately.
        impossible = np.isneginf(logs)
        finite = np.where(impossible, 0.0, logs)
        scores.append(graph.add("MatMul", there, graph.constant(finite)))
        never.append(graph.add("MatMul", there, graph.constant(impossible)))
    refuted = graph.add("Greater", graph.add("Add", *never), graph.constant(0.5))
    total = graph.add("Add", graph.add("Add", *scores), _row(graph, model.log_priors))
    total = graph.add("Where", refuted, graph.constant(-np.inf), total)
    return _possible(graph, total, model)


def level_scores(graph: Graph, codes: str, model: DiscreteModel) -> str:
    """Scores of rows of int64: positions of levels; any other number is a level never seen."""
    sizes = graph.constant(model.sizes, np.int64)
    below = graph.add("Less", codes, graph.constant(0, np.int64))
    unseen = graph.add("Or", below, graph.add("Not", graph.add("Less", codes, sizes)))
    slots = graph.add("Where", unseen, sizes, codes)
    slots = graph.add("Add", slots, graph.constant(model.offsets, np.int64))
    return slot_scores(graph, slots, model)


def slot_scores(graph: Graph, slots: str, model: DiscreteModel) -> str:
    """Scores of rows of int64: rows of the table of log probabilities."""
    logs = graph.add("Gather", graph.constant(model.table), slots, axis=0)
    total = graph.reduce("ReduceSum", logs, 1, keep=False)
    return _possible(graph, graph.add("Add", total, _row(graph, model.log_priors)), model)


def positions_of_texts(graph: Graph, rows: str, model: DiscreteModel) -> str:
    """Rows of texts as positions of their levels, (n, d) int64."""
    columns = []
    for j, feature in enumerate(model.features):
        column = graph.add("Gather", rows, graph.constant([j], np.int64), axis=1)
        position = graph.add(
            "LabelEncoder",
            column,
            domain="ai.onnx.ml",
            keys_strings=feature.levels.tolist(),
            values_int64s=list(range(len(feature.levels))),
            default_int64=-1,
        )
        columns.append(position)
    return graph.add("Concat", *columns, axis=1)


def _linear(graph: Graph, rows: str, model: GaussianModel) -> str:
    """(x - centre)'w + b."""
    linear = model.linear
    steps = graph.add("Sub", rows, _row(graph, linear.centre))
    products = graph.add("MatMul", steps, graph.constant(linear.slopes))
    return graph.add("Add", products, _row(graph, linear.constants))


def _shared_independent(graph: Graph, rows: str, observed: str, model: GaussianModel) -> str:
    """The same, feature by feature, so that missing ones are ignored."""
    linear = model.linear
    steps = graph.add("Sub", rows, _row(graph, linear.centre))
    steps = graph.add("Where", observed, steps, graph.constant(0.0))
    lengths = linear.coefficients * model.means_about(linear.centre) / -2
    products = graph.add("MatMul", steps, graph.constant(linear.slopes))
    peaks = graph.add("MatMul", _as_number(graph, observed), graph.constant(lengths.T))
    return graph.add("Add", graph.add("Add", products, peaks), _row(graph, model.log_priors))


def _independent(graph: Graph, rows: str, observed: str, model: GaussianModel) -> str:
    """ln p - sum of ((x - m)² / v + ln 2 pi v) / 2 over the observed features."""
    assert model.variances is not None
    heights = peaks(model.variances)
    size, scaled = _scaled(graph, graph.add("Where", observed, rows, graph.constant(0.0)))
    distances = []
    for c in range(len(model.means)):
        steps = _about_mean(graph, scaled, size, model, c)
        steps = graph.add("Where", observed, steps, graph.constant(0.0))
        distances.append(_squared_lengths(graph, steps, model.covariance_of(c)))
    above = graph.add("MatMul", _as_number(graph, observed), graph.constant(heights.T))
    constants = graph.add("Add", above, _row(graph, model.log_priors))
    return _from_distances(graph, distances, constants, size, model)


def _quadratic(graph: Graph, rows: str, model: GaussianModel) -> str:
    """ln p - (ln|S| + |A(x - m)|²) / 2, about the mean of each class."""
    size, scaled = _scaled(graph, rows)
    distances = []
    for c in range(len(model.means)):
        steps = _about_mean(graph, scaled, size, model, c)
        distances.append(_squared_lengths(graph, steps, model.covariance_of(c)))
    return _from_distances(graph, distances, _row(graph, model.constants), size, model)


def _independent_student(graph: Graph, rows: str, model: IndependentStudent) -> str:
    """ln p + sum of height - (f + 1) / 2 ln(1 + z²) over the observed features."""
    observed = graph.add("Not", graph.add("IsNaN", rows))
    size, scaled = _scaled(graph, graph.add("Where", observed, rows, graph.constant(0.0)))
    scores = []
    for c, freedom in enumerate(model.freedom):
        variances = model.variances(c)
        steps = _about_mean(graph, scaled, size, model.gaussian, c)
        roots = np.sqrt(reciprocal(variances * freedom))
        z = graph.add("Mul", steps, _row(graph, roots))
        tail = _log_of_one_and(graph, graph.add("Mul", z, z), size)
        tail = graph.add("Mul", tail, _row(graph, np.broadcast_to((freedom + 1) / 2, roots.shape)))
        height = np.where(variances > 0, log_ratio(freedom / 2, 0.5), 0.0) + peaks(variances)
        terms = graph.add("Sub", _row(graph, height), tail)
        terms = graph.add("Where", observed, terms, graph.constant(0.0))
        scores.append(graph.reduce("ReduceSum", terms, 1))
    return graph.add("Add", graph.add("Concat", *scores, axis=1), _row(graph, model.log_priors))


def _log_of_one_and(graph: Graph, squares: str, size: str) -> str:
    """ln(1 + squares size²), where size is 1 unless squares alone would overflow."""
    far = graph.add("Log", graph.add("Max", squares, graph.constant(np.finfo(np.float64).tiny)))
    log = graph.add("Log", size)
    far = graph.add("Add", far, graph.add("Add", log, log))
    near = graph.add("Log", graph.add("Add", squares, graph.constant(1.0)))
    return graph.add("Where", graph.add("Greater", size, graph.constant(1.0)), far, near)


def _about_mean(graph: Graph, scaled: str, size: str, model: GaussianModel, c: int) -> str:
    """Rows about the mean of a class in its two parts, all divided by their size."""
    steps = graph.add("Sub", scaled, graph.add("Div", _row(graph, model.means[c]), size))
    if model.means_low is None:
        return steps
    return graph.add("Sub", steps, graph.add("Div", _row(graph, model.means_low[c]), size))


def _scaled(graph: Graph, rows: str) -> tuple[str, str]:
    """Divisors (n, 1) of rows, 1 unless squares would overflow, and the divided rows."""
    largest = graph.reduce("ReduceMax", graph.add("Abs", rows), 1)
    # Largest entry whose square does not overflow.
    far = 1e150
    size = graph.add("Div", largest, graph.constant(far))
    size = graph.add("Max", size, graph.constant(1.0))
    return size, graph.add("Div", rows, size)


def _from_distances(
    graph: Graph, distances: list[str], constants: str, size: str, model: GaussianModel
) -> str:
    """Constants minus half the excess over the smallest distance, so extreme rows get a class."""
    all_distances = graph.add("Concat", *distances, axis=1)
    excluded = np.where(model.priors > 0, 0.0, np.inf)
    smallest = graph.reduce("ReduceMin", graph.add("Add", all_distances, _row(graph, excluded)), 1)
    beyond = graph.add("Sub", all_distances, smallest)
    beyond = graph.add("Max", beyond, graph.constant(0.0))
    for _ in range(2):
        beyond = graph.add("Mul", beyond, size)
    return graph.add("Sub", constants, graph.add("Mul", beyond, graph.constant(0.5)))


def _squared_lengths(graph: Graph, steps: str, covariance: Covariance) -> str:
    """Squared Mahalanobis length of each row, (n, 1)."""
    if isinstance(covariance, DiagonalCovariance):
        roots = np.sqrt(covariance.precisions)
        return graph.sum_of_squares(graph.add("Mul", steps, _row(graph, roots)))
    if isinstance(covariance, FullCovariance):
        columns = graph.constant(covariance.whitener.columns)
        return graph.sum_of_squares(graph.add("MatMul", steps, columns))
    if not isinstance(covariance, LowRankCovariance):
        raise InvalidParameter(
            f"a {type(covariance).__name__} covariance cannot be exported to ONNX."
        )
    units = graph.add("Mul", steps, _row(graph, covariance.inverse_scale))
    inside = graph.add("MatMul", units, graph.constant(covariance.basis.T))
    outside = graph.add("Sub", units, graph.add("MatMul", inside, graph.constant(covariance.basis)))
    inside = graph.add("Div", inside, _row(graph, np.sqrt(covariance.variances)))
    outside = graph.add("Div", outside, graph.constant(np.sqrt(covariance.floor)))
    return graph.add("Add", graph.sum_of_squares(inside), graph.sum_of_squares(outside))


def _possible(graph: Graph, scores: str, model: DiscreteModel) -> str:
    """Scores, or the log-priors for rows that are impossible in every class."""
    most = graph.reduce("ReduceMax", scores, 1)
    there = graph.add("Greater", most, graph.constant(-np.inf))
    return graph.add("Where", there, scores, _row(graph, model.log_priors))


def _as_number(graph: Graph, flags: str) -> str:
    return graph.add("Where", flags, graph.constant(1.0), graph.constant(0.0))


def _row(graph: Graph, values: Floats) -> str:
    return graph.constant(np.asarray(values)[None])
