"""Metrics: each one a class with its value, its direction and its names for people."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import choice
from suffice.selection.metric_sums import MetricSums, RowScores


class Metric:
    """A score of predictions, from sums over rows.

    title : for people, as in a table with room
    heading : for people, as in a narrow column
    reading : what it is, in words
    higher_is_better : its direction
    ranks : whether it needs the scores of all rows together
    """

    name: str
    title: str
    heading: str
    reading: str
    higher_is_better: ClassVar[bool] = True
    ranks: ClassVar[bool] = False

    def values(self, sums: MetricSums) -> Floats:
        """The metric of each model, (m,)."""
        raise NotImplementedError

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """Derivative of the value for the first model by the weight of each row, (n,)."""
        raise NotImplementedError

    def loss(self, values: Floats) -> Floats:
        """Values with the sign that makes smaller better."""
        return -values if self.higher_is_better else values

    def standard_error(self, rows: RowScores, sums: MetricSums) -> float:
        """Standard error of the value for the first model: root of the sum of (w gradient)².

        The infinitesimal jackknife; of a mean it is the usual standard error, of the area under
        the ROC curve that of DeLong.
        """
        with np.errstate(invalid="ignore"):
            return float(np.sqrt(np.square(rows.weights * self.gradient(rows, sums)).sum()))


class _Mean(Metric):
    """The weighted mean of a value of each row."""

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """(value of the row - mean) / weight, (n,)."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self._of_rows(rows)[0] - self.values(sums)[0]) / sums.weight)

    def _of_rows(self, rows: RowScores) -> Floats:
        raise NotImplementedError


class Accuracy(_Mean):
    """The share of rows whose predicted label is their own."""

    name, title, heading = "accuracy", "accuracy", "accuracy"
    reading = "share of the rows that get their true label; 1 is best"

    def values(self, sums: MetricSums) -> Floats:
        """Weight of the rows with their own label / weight of all, (m,)."""
        return np.asarray(sums.correct.sum(axis=1) / sums.weight)

    def _of_rows(self, rows: RowScores) -> Floats:
        return rows.correct


class LogLoss(_Mean):
    """The mean of -ln p(true class | x)."""

    name, title, heading = "log_loss", "log-loss", "log-loss"
    reading = "mean of -ln of the probability given to the true class; 0 is best"
    higher_is_better = False

    def values(self, sums: MetricSums) -> Floats:
        """Sum of -ln p(own class) / weight, (m,)."""
        return sums.losses[:, 0] / sums.weight

    def _of_rows(self, rows: RowScores) -> Floats:
        return rows.log_loss


class Brier(_Mean):
    """The mean squared distance of the probabilities from 0 and 1; halved for two classes."""

    name, title, heading = "brier", "Brier score", "Brier"
    reading = "mean squared error of the probabilities; 0 is best"
    higher_is_better = False

    def values(self, sums: MetricSums) -> Floats:
        """Sum of squared distances / weight, (m,)."""
        return sums.losses[:, 1] / sums.weight / (2 if len(sums.actual) == 2 else 1)

    def _of_rows(self, rows: RowScores) -> Floats:
        return rows.brier / (2 if rows.predicted.shape[1] == 2 else 1)


class CalibrationError(Metric):
    """The mean distance between the confidence and the correct share, over bins of confidence."""

    name, title, heading = "calibration_error", "calibration error", "calib."
    reading = (
        "mean difference between the probability of the predicted class and how often it is "
        "right; 0 is best"
    )
    higher_is_better = False

    def values(self, sums: MetricSums) -> Floats:
        """Sum over bins of |sum of (confidence - correct)| / weight, (m,)."""
        return np.asarray(np.abs(sums.bins).sum(axis=1) / sums.weight)

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """(sign of its bin x excess of the row - value) / weight, (n,)."""
        signs = np.sign(sums.bins[0])[rows.bin[0]]
        return np.asarray((signs * rows.excess[0] - self.values(sums)[0]) / sums.weight)


class RocAuc(Metric):
    """The area under the ROC curve; of three and more classes the mean of one against the rest."""

    name, title, heading = "roc_auc", "ROC AUC", "AUC"
    reading = (
        "probability that a row of a class is ranked above a row of another; 0.5 is guessing, 1 is "
        "best"
    )
    ranks = True

    def values(self, sums: MetricSums) -> Floats:
        """Area of each model, (m,)."""
        return sums.ranked.roc_auc()

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """(share of others that the row is rightly above or below - area) / weight of its kind."""
        return sums.ranked.roc_auc_gradient()


class AveragePrecision(Metric):
    """The mean precision at the scores of a class's rows: of the second of two, or of each."""

    name, title, heading = "average_precision", "average precision", "avg. prec."
    reading = (
        "area under the curve of precision by recall, for the second of two classes, or the mean "
        "over the classes; 1 is best"
    )
    ranks = True

    def values(self, sums: MetricSums) -> Floats:
        """Average precision of each model, (m,)."""
        return sums.ranked.average_precision()

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """Change of the precision at the row and at lower scores, (n,)."""
        return sums.ranked.average_precision_gradient()


class BalancedAccuracy(Metric):
    """The mean of the recall of the classes."""

    name, title, heading = "balanced_accuracy", "balanced accuracy", "balanced"
    reading = "mean over the classes of the share of their rows that get their label; 1 is best"

    def values(self, sums: MetricSums) -> Floats:
        """Mean of the recall of the classes that rows are of, (m,)."""
        return _defined_mean(sums.recall)

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """(correct - recall of its class) / (weight of the class x number of classes), (n,)."""
        present = np.count_nonzero(sums.actual)
        own = sums.actual[rows.codes] * present
        return np.asarray((rows.correct[0] - sums.recall[0, rows.codes]) / own)


class MacroF1(Metric):
    """The mean over classes of the harmonic mean of precision and recall."""

    name, title, heading = "f1_macro", "F1 (macro)", "F1"
    reading = "mean over the classes of the harmonic mean of precision and recall; 1 is best"

    def values(self, sums: MetricSums) -> Floats:
        """Mean of 2 correct / (actual + predicted) of the classes that occur in either, (m,)."""
        return _defined_mean(sums.f1)

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """Mean of (2 correct - F1 (actual + predicted)) / (their weight), (n,)."""
        f1, k = np.nan_to_num(sums.f1[0]), len(sums.actual)
        whole = sums.actual + sums.predicted[0]
        counted = whole > 0
        scale = np.where(counted, 1 / np.where(counted, whole, 1.0), 0.0) / counted.sum()
        true = np.eye(k)[rows.codes].T
        predicted = rows.predicted[0].astype(np.float64)
        return np.asarray(scale @ (2 * true * predicted - f1[:, None] * (true + predicted)))


class Recall(Metric):
    """The share of the rows of one class that is predicted as it."""

    prefix = "recall_"
    heading = "recall"
    reading = "share of the rows of this class that get their label; 1 is best"

    def __init__(self, code: int, label: str) -> None:
        self.code, self.name, self.title = code, f"{self.prefix}{label}", f"recall of {label}"

    def values(self, sums: MetricSums) -> Floats:
        """Weight of the rows predicted as the class / weight of its rows, (m,)."""
        return sums.recall[:, self.code]

    def gradient(self, rows: RowScores, sums: MetricSums) -> Floats:
        """(correct - recall) / weight of the class, for its rows, (n,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            change = (rows.correct[0] - sums.recall[0, self.code]) / sums.actual[self.code]
        return np.where(rows.codes == self.code, change, 0.0)


# By name, in the order of tables.
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        LogLoss(),
        Accuracy(),
        BalancedAccuracy(),
        MacroF1(),
        RocAuc(),
        AveragePrecision(),
        Brier(),
        CalibrationError(),
    )
}


def metrics_of(classes: Array) -> dict[str, Metric]:
    """The metrics by name, and the recall of each class.

    >>> list(metrics_of(np.array(["a", "b"])))[-3:]
    ['calibration_error', 'recall_a', 'recall_b']
    """
    recalls = [Recall(c, str(label)) for c, label in enumerate(classes.tolist())]
    return METRICS | {metric.name: metric for metric in recalls}


def metric_named(name: str) -> Metric:
    """What a metric is called and its direction; its values are those of `metrics_of`.

    >>> metric_named("recall_yes").title, metric_named("log_loss").higher_is_better
    ('recall of yes', False)
    """
    return METRICS[name] if name in METRICS else Recall(-1, name.removeprefix(Recall.prefix))


def check_metric(name: Any, classes: Array | None = None) -> str:
    """The name of a metric, if there is one for these classes, or for some if none are given."""
    recalls = ["recall_<class>"]
    if classes is not None:
        recalls = list(metrics_of(classes))[len(METRICS) :]
    elif isinstance(name, str) and name.startswith(Recall.prefix):
        return name
    if isinstance(name, str) and name in recalls:
        return name
    return choice("metric", name, (*METRICS, *recalls[:10]))


def _defined_mean(by_class: Floats) -> Floats:
    """The mean over the classes that have a value, (m,)."""
    return np.asarray(np.nanmean(by_class, axis=1))
