"""The scikit-learn face that every classifier shares: rows in, answers of a model out."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features, gap, infinite
from suffice.data.frame_output import by_name, fill_table, new_frame
from suffice.data.labels import Labels, same_kind
from suffice.data.weights import Weights
from suffice.errors import InvalidFeatures, InvalidInput, InvalidLabels
from suffice.estimators.answers import Answers
from suffice.estimators.anywhere import anywhere
from suffice.estimators.columns import check_columns
from suffice.estimators.files import Storable
from suffice.estimators.state import Stateful, at_once
from suffice.models.computable import beyond_floats
from suffice.models.model import Model
from suffice.models.priors import class_priors
from suffice.models.scoring import Hook, joint, log_posterior, log_sum, posterior, scores

AnyModel = TypeVar("AnyModel", bound=Model)


class Classifier(
    Answers[AnyModel],
    Stateful,
    Storable,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    Generic[AnyModel],
):
    """Predict with a model of the joint density; subclasses define the model and its fit."""

    priors: Any
    _decides = True  # whether there is a decision_function, as in scikit-learn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def classes_(self) -> Array:
        """The classes, sorted."""
        return np.asarray(self._learned.classes)

    def _build(self, learned: Any) -> AnyModel:
        """The model of what has been learned."""
        raise NotImplementedError

    def _priors(self) -> Any:
        """The priors that the parameters ask for."""
        return self.priors

    def _class_weight(self) -> Floats | None:
        """Total weight of each class, (k,); None if there are no rows."""
        raise NotImplementedError

    @at_once
    def with_priors(self, priors: Any) -> Self:
        """The same class densities under other priors, as a new classifier."""
        check_is_fitted(self)
        probabilities = class_priors(priors, self.classes_, self._class_weight())
        other = copy(self)
        other.priors = priors
        other._state = self._learned.under(
            deepcopy(priors), self._fitted.with_priors(probabilities)
        )
        return other

    @anywhere
    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        best = self._answer(X, scores).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @anywhere
    def predict_proba(self, X: Any) -> Floats:
        """p(y | x): one column per class, in the order of `classes_`."""
        return self._answer(X, posterior)

    @anywhere
    def predict_log_proba(self, X: Any) -> Floats:
        """ln p(y | x), accurate however small."""
        return self._answer(X, log_posterior)

    @anywhere
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """ln p(x, y): one column per class, in the order of `classes_`."""
        return self._answer(X, joint)

    @anywhere
    def score_samples(self, X: Any) -> Floats:
        """ln p(x)."""
        return log_sum(self.predict_joint_log_proba(X))

    @available_if(lambda self: self._decides)  # type: ignore[untyped-decorator]
    @anywhere
    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second class for two classes; else one score per class.

        Scores are joint log densities up to a constant of the row.
        """
        answers = self._answer(X, scores)
        return np.asarray(answers[:, 1] - answers[:, 0]) if answers.shape[1] == 2 else answers

    @anywhere
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the weighted share of rows whose label is predicted."""
        predicted, labels = self.predict(X), Labels.of(self._labels(y))
        n = len(predicted)
        if len(labels) != n:
            raise InvalidInput(
                f"X has {n} rows but y has {len(labels)} labels: inconsistent numbers of samples."
            )
        classes, codes = labels.encode()
        if "U" in (classes.dtype.kind, predicted.dtype.kind):
            same_kind(classes, predicted)
        weights = None if sample_weight is None else Weights.of(sample_weight, n).read(0, n)
        return float(np.average(classes[codes] == predicted, weights=weights))

    @property
    def priors_(self) -> Floats:
        """Prior probability of each class."""
        return np.array(self._fitted.priors)

    @property
    def _fitted(self) -> AnyModel:
        """The model, built on first use after rows were added."""
        learned = self._learned
        model: AnyModel = learned.once("model", lambda: self._build(learned))
        return model

    @property
    def _model(self) -> AnyModel | None:
        """The model, or None if it is not built yet."""
        model: AnyModel | None = self._learned.kept.get("model")
        return model

    def _answer(self, X: Any, ask: Hook[Any], model: AnyModel | None = None) -> Floats:
        return self._answer_rows(self._rows(X), ask, model)

    def _answer_rows(self, rows: Any, ask: Hook[Any], model: AnyModel | None = None) -> Floats:
        with np.errstate(all="ignore"):
            answers = ask(self._fitted if model is None else model, rows)
        # An infinite value makes the answer non-finite; checking that saves a pass over X.
        if not np.isfinite(answers).all():
            self._check_finite(rows)
            if np.isnan(answers).any():
                raise beyond_floats()
        return answers

    def _check_table(self, X: Any) -> None:
        """Raise unless X is a table that this model accepts."""
        as_features(X)

    def _check_finite(self, rows: Any) -> None:
        self._check_infinite(rows)

    def _check_infinite(self, rows: Array) -> None:
        error = infinite(rows, 0, self._model_names())
        if error is not None:
            raise error

    def _check_complete(self, rows: Array) -> None:
        self._check_finite(rows)
        error = gap(rows, 0, self._model_names())
        if error is not None:
            raise error

    def _labels(self, y: Any) -> Any:
        """One label per row, in any form that scikit-learn accepts."""
        if y is None:
            raise InvalidLabels(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        if getattr(y, "ndim", 1) == 2:
            try:
                return column_or_1d(y, warn=True)
            except ValueError as error:
                raise InvalidLabels(str(error)) from None
        return y

    def _check_width(self, columns: int) -> None:
        if columns != self.n_features_in_:
            raise InvalidFeatures(
                f"X has {columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )

    def _restore(self, rows: Any, like: Any = None) -> Any:
        """Rows of the model in the user's form; `like` is the table they come from."""
        learned = self._learned
        if learned.encoding is not None:
            return learned.encoding.decode(rows, like, learned.frame)
        return self._as_table(rows, like)

    def _as_table(self, rows: Array, like: Any) -> Any:
        """Rows of all columns as a data frame, if that is what the user works with."""
        if like is not None:
            return fill_table(like, rows)
        frame, names = self._learned.frame, self._learned.columns.names
        return rows if frame is None else new_frame(by_name(rows, names), frame)

    def _check_columns(self, X: Any) -> None:
        """Raise unless X has the features of the rows seen so far, in their order."""
        if self._learned.reader is None:
            self._check_table(X)
            check_columns(self, X)

    def _rows(self, X: Any) -> Any:
        columns, encoding = self._learned.columns, self._learned.encoding
        if encoding is not None:
            return encoding.encode(X)
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.kind == "f"
            and X.shape[1] == columns.number
            and len(X)
            and columns.names is None
        ):
            return X
        features = as_features(X)
        self._check_columns(X)
        return features.read(0, features.shape[0])
