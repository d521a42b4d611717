"""The classifier: every answer of a generative model, as a method in scikit-learn's manner."""

from __future__ import annotations

from copy import copy, deepcopy
from functools import partial
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.answers.adaptation import adapt_priors
from suffice.answers.contributions import Contributions, log_odds
from suffice.answers.decision import DecisionRule, without_rejected
from suffice.answers.imputation import impute
from suffice.answers.level_atypicality import LevelAtypicality, level_atypicality
from suffice.answers.outliers import Atypicality
from suffice.answers.pair import class_codes, class_pair
from suffice.data.arrays import Array, Floats, Indices, namespace
from suffice.data.elsewhere import RowsElsewhere, beside, labels_of, on_host
from suffice.data.features import as_features
from suffice.data.labels import Labels, check_lengths, same_kind
from suffice.data.parameters import flag, is_number
from suffice.data.tables.frame_output import frame_kind
from suffice.data.tables.levels import UNSEEN
from suffice.data.weights import row_weights
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.estimators.anywhere import on_labelled_rows, on_rows
from suffice.estimators.base import Estimator
from suffice.estimators.drawing import draw_rows, draw_values
from suffice.estimators.explaining import by_feature, explained
from suffice.estimators.output import FrameOutput, framed
from suffice.estimators.sklearn_parameters import refuse_class_weight
from suffice.estimators.state import at_once
from suffice.models.model import Model, beyond_floats
from suffice.models.priors import class_priors
from suffice.models.scoring import Hook, joint, log_posterior, log_sum, posterior, scores
from suffice.text import quote_names, shown

AnyModel = TypeVar("AnyModel", bound=Model)


class Classifier(
    Estimator,
    FrameOutput,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    Generic[AnyModel],
):
    """Predict with a model of the joint density; subclasses define the model and its fit."""

    priors: Any
    _decides = True  # whether there is a decision_function, as in scikit-learn
    _has_density = True  # whether features can be integrated out

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """A new classifier; raises if scikit-learn's class_weight is among its parameters."""
        refuse_class_weight(cls, parameters)
        return object.__new__(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        refuse_class_weight(type(self), params)
        super().set_params(**params)
        return self

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

    def _new_atypicality(self) -> Any:
        """How atypical rows are under the model."""
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

    @on_rows
    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        rows = self._rows(X)
        if isinstance(rows, RowsElsewhere):
            return labels_of(X, self.classes_, rows.best(self._fitted))
        return labels_of(X, self.classes_, self._answer_rows(rows, scores).argmax(axis=1))

    @framed
    @on_rows
    def predict_proba(self, X: Any) -> Floats:
        """p(y | x): one column per class, in the order of `classes_`."""
        return self._answer(X, posterior)

    @on_rows
    def predict_log_proba(self, X: Any) -> Floats:
        """ln p(y | x), accurate however small."""
        return self._answer(X, log_posterior)

    @on_rows
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """ln p(x, y): one column per class, in the order of `classes_`."""
        return self._answer(X, joint)

    @on_rows
    def score_samples(self, X: Any) -> Floats:
        """ln p(x)."""
        return log_sum(self.predict_joint_log_proba(X))

    @available_if(lambda self: self._decides)  # type: ignore[untyped-decorator]
    @on_rows
    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second class for two classes; else one score per class.

        Scores are joint log densities up to a constant of the row.
        """
        answers = self._answer(X, scores)
        return log_odds(answers, 1, 0) if answers.shape[1] == 2 else answers

    @on_labelled_rows
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the weighted share of rows whose label is predicted."""
        predicted, labels = on_host(X, self.predict(X)), Labels.of(self._labels(y))
        n = len(predicted)
        check_lengths(n, len(labels))
        classes, codes = labels.encode()
        if "U" in (classes.dtype.kind, predicted.dtype.kind):
            same_kind(classes, predicted)
        weights = row_weights(sample_weight, n)
        return float(np.average(classes[codes] == predicted, weights=weights))

    @property
    def priors_(self) -> Floats:
        """Prior probability of each class."""
        return np.array(self._fitted.priors)

    @on_rows
    def log_odds(self, X: Any, a: Any = None, b: Any = None) -> Floats:
        """ln p(a | x) - ln p(b | x); with two classes, the second against the first by default."""
        pair = class_pair(self._fitted.classes, a, b)
        return log_odds(self._answer(X, scores), *pair)

    @on_rows
    def log_likelihood_ratio(self, X: Any, a: Any = None, b: Any = None) -> Floats:
        """ln p(x | a) - ln p(x | b): the log-odds without the priors."""
        model, k = self._fitted, len(self._fitted.classes)
        pair = class_pair(model.classes, a, b)
        equal = model.with_priors(np.full(k, 1 / k))
        return log_odds(self._answer(X, scores, equal), *pair)

    @on_labelled_rows
    def log_likelihood(self, X: Any, y: Any) -> float:
        """Sum over the rows of ln p(x, y)."""
        log_densities = self.predict_joint_log_proba(X)
        at = beside(X, class_codes(self.classes_, y, log_densities.shape[0])[:, None])
        xp = namespace(log_densities)
        return float(xp.sum(xp.take_along_axis(log_densities, at, axis=1)))

    @on_rows
    def decide(
        self, X: Any, costs: Any = None, reject: float | None = None, *, threshold: Any = None
    ) -> Array:
        """The class with the smallest expected cost, or None if that is above `reject`.

        costs : {(true, predicted): cost} or {true: {predicted: cost}}, where pairs that are not
            named cost 1 and correct answers 0; or an array (k, k), one row per true class and one
            column per answer, in the order of `classes_`; 0 and 1 if None
        reject : the cost of not answering
        threshold : instead of costs, the smallest probability at which a class is the answer: a
            number for the second of two classes, or {class: number}; below it, the most probable
            of the others. `suffice.thresholds` finds one by cost or by recall
        """
        rule = DecisionRule.of(self.classes_, costs, reject, threshold)
        table = self.predict_proba(X)
        posterior = table if isinstance(X, RowsElsewhere) else np.asarray(table)
        codes, is_rejected = rule.apply(posterior, partial(beside, X))
        if is_rejected is None:
            return labels_of(X, self.classes_, codes)
        return without_rejected(self.classes_[on_host(X, codes)], on_host(X, is_rejected))

    @on_rows
    def adapt_priors(self, X: Any) -> Self:
        """The same class densities under the priors that make unlabelled rows most likely."""
        return self.with_priors(adapt_priors(self.predict_log_proba(X), self._fitted.priors))

    @on_rows
    def contributions(self, X: Any, a: Any = None, b: Any = None) -> Contributions:
        """Contribution of each feature to the log-odds of a against b; they add up exactly."""
        return by_feature(self, X, a, b)

    @on_rows
    def explain(self, X: Any, row: int = 0, a: Any = None, b: Any = None) -> str:
        """One row explained in words; by default its most probable class against the next."""
        return explained(self, X, row, a, b)

    @at_once
    def sample(
        self, n_samples: int = 1, y: Any = None, random_state: Any = None, *, given: Any = None
    ) -> tuple[Floats, Array]:
        """Rows and labels drawn from the model.

        y : draw rows of this class, or of these classes (one per row)
        given : fixed values of every row: a mapping by feature name or position, or a row with
            NaN for values to be drawn; classes are then drawn from their posterior
        """
        rows, codes = draw_rows(self, n_samples, y, random_state, given)
        return self._restore(rows), np.asarray(self.classes_[codes])

    @on_rows
    def impute(self, X: Any, y: Any = None) -> Any:
        """X with each missing value at its mean given the observed values of its row.

        y : the class of each row; without it, classes are weighted by their posterior
        """
        rows, codes = self._with_codes(X, y)
        return self._restore(impute(self._fitted, rows, codes), X)

    @on_rows
    def impute_draws(
        self, X: Any, n_draws: int = 1, y: Any = None, random_state: Any = None
    ) -> Any:
        """X with missing values drawn given the observed values of each row, (n_draws, n, d).

        A list of data frames if X is one.

        y : the class of each row; without it, each draw takes a class from its posterior
        """
        rows, codes = self._with_codes(X, y)
        drawn = draw_values(self, rows, n_draws, codes, random_state)
        tables = [self._restore(one, X) for one in drawn]
        return tables if frame_kind(X) else np.stack(tables)

    def _with_codes(self, X: Any, y: Any) -> tuple[Any, Indices | None]:
        """The rows in the model's form, and the positions of their classes if they are given."""
        rows = self._rows(X)
        self._check_finite(rows)
        return rows, None if y is None else class_codes(self.classes_, y, len(rows))

    @on_rows
    def outlier_pvalue(self, X: Any, *, by_class: bool = False) -> Floats:
        """Probability under the model of a row at least as atypical as this one, (n,).

        Small for rows unlike any class. Takes into account that means and covariances are
        estimates; missing values are left out of the comparison. In a table, levels count by
        their probabilities in each class, and numbers by their density given the levels.

        by_class : instead, the probability that a row of each class is as far from its mean, (n, k)
        """
        each, rows = flag("by_class", by_class), self._rows(X)
        self._check_finite(rows)
        atypicality = self._atypicality
        return atypicality.of_classes(rows) if each else atypicality.of_model(rows)

    @at_once
    def outlier_threshold(self, quantile: float = 0.01) -> float:
        """The value of `score_samples` below which this share of rows of the model lies."""
        if not is_number(quantile) or not 0 < quantile < 1:
            raise InvalidParameter(f"quantile is {shown(quantile)}; it must be between 0 and 1.")
        return self._atypicality.threshold(float(quantile))

    @property
    def _atypicality(self) -> Atypicality:
        """How atypical rows are; created once per model, because simulations are cached."""

        def atypicality() -> Any:
            base, weight = self._new_atypicality(), self._class_weight()
            encoding = self._learned.encoding
            if encoding is None or weight is None:
                return base
            sizes = [groups.size for groups in encoding.groups]
            return level_atypicality(base, self._fitted, sizes, weight)

        return self._learned.once("atypicality", atypicality)  # type: ignore[no-any-return]

    def _mixed_log_density(self, X: Any) -> Floats:
        """ln p(x), in which levels have their probabilities in place of Gaussian densities."""
        atypicality = self._atypicality
        if isinstance(atypicality, LevelAtypicality):
            return atypicality.log_density(self._rows(X))
        return log_sum(self.predict_joint_log_proba(X))

    @on_rows
    def discriminants(self, X: Any) -> Floats:
        """The discriminant functions delta_k: ln p(x, y) up to a constant of the row, (n, k)."""
        return self._answer(X, scores)

    @property
    def _fitted(self) -> AnyModel:
        """The model, built on first use after rows were added."""
        learned = self._learned
        model: AnyModel = learned.once("model", lambda: self._build(learned))
        return model

    def _answer(self, X: Any, ask: Hook[Any], model: AnyModel | None = None) -> Floats:
        return self._answer_rows(self._rows(X), ask, model)

    def _answer_rows(self, rows: Any, ask: Hook[Any], model: AnyModel | None = None) -> Floats:
        model = self._fitted if model is None else model
        if isinstance(rows, RowsElsewhere):
            return rows.answer(model, ask)
        with np.errstate(all="ignore"):
            answers = ask(model, rows)
        # An infinite value makes the answer non-finite; checking that saves a pass over X.
        if not np.isfinite(answers).all():
            self._check_finite(rows)
            if np.isnan(answers).any():
                raise beyond_floats()
        return answers

    def _parse_row(self, row: Array) -> Any:
        """A row of objects, None where a value is missing, in the model's form."""
        encoding = self._learned.encoding
        if encoding is None:
            return as_features(row).read(0, 1)
        features = encoding.features(encoding.reader.prepare_row(row[0]))
        for own, codes in zip(encoding.groups, features.codes, strict=True):
            if codes[0] == UNSEEN:
                raise InvalidFeatures(
                    f"column {own.name!r} never held such a level; its levels are "
                    f"{quote_names(own.levels.tolist())}."
                )
        return features.read(0, 1)
