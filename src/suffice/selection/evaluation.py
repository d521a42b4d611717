"""Evaluation: the scores of a classifier on rows whose labels are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels
from suffice.errors import InvalidLabels
from suffice.selection.metrics import MetricSums
from suffice.statistics.statistics import listed


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics, and how often each class was predicted for each true class.

    confusion : (k, k), the weight of rows of each true class (row) predicted as each class (column)
    metrics : accuracy, log-loss, Brier score (halved for two classes) and calibration error
    """

    classes: Array
    confusion: Floats
    metrics: dict[str, float]

    @property
    def recall(self) -> Floats:
        """Share of the rows of each class that is predicted as it, (k,); NaN without such rows."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=1))

    @property
    def precision(self) -> Floats:
        """Share of the rows predicted as each class that is of it, (k,); NaN without such rows."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=0))


def evaluate(
    log_probabilities: Floats, classes: Array, y: Any, weights: Floats | None = None
) -> Evaluation:
    """The evaluation of ln p(y | x), one column per class, on rows with labels y.

    >>> found = evaluate(np.log([[0.9, 0.1], [0.6, 0.4]]), np.array(["a", "b"]), ["a", "b"])
    >>> found.confusion, found.metrics["accuracy"], round(found.metrics["log_loss"], 4)
    (array([[1., 0.], [1., 0.]]), 0.5, 0.5108)
    """
    codes = label_codes(classes, y)
    k, w = len(classes), np.ones(len(codes)) if weights is None else np.asarray(weights, float)
    best = log_probabilities.argmax(axis=1)
    confusion = np.zeros((k, k))
    np.add.at(confusion, (codes, best), w)
    scores = np.array(log_probabilities.T[None], np.float64)
    metrics = MetricSums.of(scores, codes, w).metrics(k)
    return Evaluation(classes, confusion, {name: float(v[0]) for name, v in metrics.items()})


def label_codes(classes: Array, y: Any) -> Indices:
    """The position of each label among the classes of a model; raises for unknown labels."""
    labels, codes = Labels.of(y).encode()
    present = np.unique(codes)
    known = classes.tolist()
    unknown = [label for label in labels[present].tolist() if label not in known]
    if unknown:
        raise InvalidLabels(
            f"y has labels that the model was not trained on: {listed(unknown)}; its classes are "
            f"{listed(known)}."
        )
    places = np.full(len(labels), -1, np.int64)
    places[present] = [known.index(label) for label in labels[present].tolist()]
    return np.asarray(places[codes])


def _shares(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)
