"""Evaluation: the scores of a classifier on rows whose labels are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels
from suffice.errors import InvalidLabels
from suffice.html import html_table
from suffice.selection.metric_sums import RowScores
from suffice.selection.metrics import metrics_of
from suffice.selection.selection import BASELINE, format_score
from suffice.text import align_columns, quote_names

HEAD = ("metric", "value", "standard error", BASELINE)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics, and how often each class was predicted for each true class.

    Attributes
    ----------
    classes : (k,)
    confusion : (k, k), the weight of rows of each true class (row) predicted as each class (column)
    metrics : by name: accuracy, log-loss, ROC AUC, F1, ... and the recall of each class
    errors : their standard errors, over rows
    baseline : the same metrics for a prediction that ignores the features: the class shares of
        these rows, and so always the most frequent class

    >>> found = evaluate_predictions(
    ...     np.log([[0.9, 0.1], [0.6, 0.4]]), np.array(["a", "b"]), ["a", "b"]
    ... )
    >>> found.confusion, found.metrics["accuracy"], round(found.metrics["log_loss"], 4)
    (array([[1., 0.], [1., 0.]]), 0.5, 0.5108)
    >>> found.metrics["roc_auc"], found.baseline["roc_auc"], found.metrics["recall_b"]
    (1.0, 0.5, 0.0)
    """

    classes: Array
    confusion: Floats
    metrics: Mapping[str, float]
    errors: Mapping[str, float]
    baseline: Mapping[str, float]

    @property
    def recall(self) -> Floats:
        """Share of the rows of each class that is predicted as it, (k,); NaN without such rows."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=1))

    @property
    def recall_se(self) -> Floats:
        """Standard error of the recall of each class, (k,)."""
        return np.array([self.errors[f"recall_{label}"] for label in self.classes.tolist()])

    @property
    def precision(self) -> Floats:
        """Share of the rows predicted as each class that is of it, (k,); NaN without such rows."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=0))

    @property
    def table(self) -> dict[str, Array]:
        """One row per metric: value, standard error, baseline; `pandas.DataFrame` takes it."""
        names = list(self.metrics)
        columns = zip(("value", "se", "baseline"), self._sources, strict=True)
        return {"metric": np.array(names)} | {
            head: np.array([source[name] for name in names]) for head, source in columns
        }

    @property
    def _sources(self) -> tuple[Mapping[str, float], ...]:
        return self.metrics, self.errors, self.baseline

    @property
    def _lines(self) -> list[list[str]]:
        return [
            [metric.title, *(format_score(source[name]) for source in self._sources)]
            for name, metric in metrics_of(self.classes).items()
        ]

    def __repr__(self) -> str:
        return "\n".join(align_columns([list(HEAD), *self._lines]))

    def _repr_html_(self) -> str:
        return html_table(HEAD, self._lines)


def evaluate_predictions(
    log_probabilities: Floats, classes: Array, y: Any, weights: Floats | None = None
) -> Evaluation:
    """The evaluation of ln p(y | x), one column per class, on rows with labels y."""
    codes = label_codes(classes, y)
    w = np.ones(len(codes)) if weights is None else np.asarray(weights, float)
    counted = w > 0
    codes, w = codes[counted], w[counted]
    scores = np.array(log_probabilities[counted].T[None], np.float64)
    rows = RowScores.of(scores, codes, w, ranked=True)
    sums = rows.sums()
    every = metrics_of(classes)
    confusion = np.zeros((len(classes), len(classes)))
    np.add.at(confusion, (codes, rows.predicted[0].argmax(axis=0)), w)
    return Evaluation(
        classes,
        confusion,
        {name: float(metric.values(sums)[0]) for name, metric in every.items()},
        {name: metric.standard_error(rows, sums) for name, metric in every.items()},
        baseline(codes, w, classes),
    )


def baseline(codes: Indices, weights: Floats, classes: Array) -> dict[str, float]:
    """The metrics of predicting the class shares of these rows for each of them."""
    shares = np.bincount(codes, weights, len(classes)) / weights.sum()
    with np.errstate(divide="ignore"):
        scores = np.repeat(np.log(shares)[None, :, None], len(codes), axis=2)
    sums = RowScores.of(scores, codes, weights, ranked=True).sums()
    return {name: float(one.values(sums)[0]) for name, one in metrics_of(classes).items()}


def label_codes(classes: Array, y: Any) -> Indices:
    """The position of each label among the classes of a model; raises for unknown labels."""
    labels, codes = Labels.of(y).encode()
    present = np.unique(codes)
    known = classes.tolist()
    unknown = [label for label in labels[present].tolist() if label not in known]
    if unknown:
        raise InvalidLabels(
            f"y has labels that the model was not trained on: {quote_names(unknown)}; its classes "
            f"are {quote_names(known)}."
        )
    places = np.full(len(labels), -1, np.int64)
    places[present] = [known.index(label) for label in labels[present].tolist()]
    return np.asarray(places[codes])


def _shares(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)
