"""Evaluating: a fitted classifier on labelled rows, and thresholds for its decisions."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.batches import split_named
from suffice.data.labels import Labels, check_lengths
from suffice.data.weights import row_weights
from suffice.errors import InvalidLabels, InvalidParameter
from suffice.estimators.automatic.candidates import log_probabilities
from suffice.selection.evaluation import Evaluation, evaluate_predictions
from suffice.selection.thresholds import Thresholds, tabulate_thresholds
from suffice.text import shown


def evaluate(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Evaluation:
    """Metrics of a fitted classifier with standard errors, each beside its baseline.

    Log-loss, accuracy, balanced accuracy, F1, ROC AUC, average precision, Brier score,
    calibration error and the recall of each class. The baseline ignores the features: it
    predicts the class shares of these rows, and so always the most frequent class.

    model : fitted; any classifier with `predict_proba`, or a pipeline that ends in one
    X, y, sample_weight : rows that the model has not seen, so that it does not look better than
        it is; without y, the column of the labels that the model was fitted to

    >>> import suffice as sf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scores = sf.evaluate(sf.LDA().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> names = ("roc_auc", "balanced_accuracy", "recall_0")
    >>> [f"{scores.metrics[name]:.3f} ± {scores.errors[name]:.3f}" for name in names]
    ['0.992 ± 0.003', '0.931 ± 0.016', '0.873 ± 0.032']
    """
    X, y = labelled(model, X, y)
    log_p, weights = _predictions(model, X, y, sample_weight)
    return evaluate_predictions(log_p, model.classes_, y, weights)


def thresholds(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    costs: Any = None,
    sample_weight: Any = None,
) -> Thresholds:
    """The cost, recall and precision of each threshold on the probability of one class.

    model, X, y, sample_weight : as for `evaluate`; rows that the model has not seen
    positive : the class that is predicted at or above the threshold; the second of two by default
    costs : as for `decide`

    >>> import suffice as sf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = sf.LDA().fit(X[::2], y[::2])
    >>> table = sf.thresholds(model, X[1::2], y[1::2], positive=0, costs={(0, 1): 10})
    >>> table.for_cost(), table.for_recall(0.95)
    ({0: 0.0141...}, {0: 0.0554...})
    >>> labels = model.decide(X[1::2], threshold=table.for_recall(0.95))
    """
    X, y = labelled(model, X, y)
    log_p, weights = _predictions(model, X, y, sample_weight)
    return tabulate_thresholds(np.exp(log_p), model.classes_, y, weights, positive, costs)


def labelled(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """The features and the labels; without y, those of the column that the model was fitted to."""
    name = getattr(model, "target_name_", None)
    if y is None and name is None:
        raise InvalidLabels(
            f"y is missing, and the {type(model).__name__} was fitted without the name of a column "
            "of labels; pass y, one label per row or the name of a column of X."
        )
    return split_named(X, name if y is None else y)


def _predictions(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Floats, Floats | None]:
    """Log posteriors of the rows and their weights."""
    if not hasattr(model, "predict_proba"):
        raise InvalidParameter(
            f"model is {shown(model)}; pass a fitted classifier with predict_proba, such as "
            "suffice.LDA().fit(X, y)."
        )
    log_p = log_probabilities(model, X)
    if not hasattr(model, "classes_"):
        raise InvalidParameter(
            f"a {type(model).__name__} has no classes to compare with y; pass a fitted classifier, "
            "such as suffice.MixtureDiscriminant().fit(X, y)."
        )
    labels, n = Labels.of(y), len(log_p)
    check_lengths(n, len(labels))
    weights = row_weights(sample_weight, n)
    return log_p, weights
