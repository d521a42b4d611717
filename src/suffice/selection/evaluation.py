"""Evaluation: what a classifier makes of rows whose labels are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels
from suffice.errors import InvalidLabels
from suffice.selection.tally import Tally


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of the rows, and how often each class was taken for each.

    confusion : (k, k), a row for each true class and a column for each answer; weights of rows
    metrics : accuracy, log-loss, Brier score (halved for two classes) and calibration error
    """

    classes: Array
    confusion: Floats
    metrics: dict[str, float]

    @property
    def recall(self) -> Floats:
        """Of the rows of a class, the share that is found, (k,); NaN without such rows."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=1))

    @property
    def precision(self) -> Floats:
        """Of the rows taken for a class, the share that is of it, (k,); NaN without such rows."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=0))


def evaluate(
    log_probabilities: Floats, classes: Array, y: Any, weights: Floats | None = None
) -> Evaluation:
    """What ln p(y | x), a column a class, says of rows with labels y.

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
    metrics = Tally.of(scores, codes, w).metrics(k)
    return Evaluation(classes, confusion, {name: float(v[0]) for name, v in metrics.items()})


def label_codes(classes: Array, y: Any) -> Indices:
    """The position of each label among the classes of a model; an error names the others."""
    found, codes = Labels.of(y).encode()
    present = np.unique(codes)
    known = classes.tolist()
    unknown = [label for label in found[present].tolist() if label not in known]
    if unknown:
        told = ", ".join(repr(label) for label in unknown[:10])
        raise InvalidLabels(
            f"y holds labels that the model does not know: {told}; its classes are "
            f"{', '.join(repr(label) for label in known[:20])}."
        )
    places = np.full(len(found), -1, np.int64)
    places[present] = [known.index(label) for label in found[present].tolist()]
    return np.asarray(places[codes])


def _shares(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)
