"""Automatic discriminant: the model that `select_model` chooses, as an estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import wraps
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from suffice.data.arrays import Array, Floats
from suffice.data.tables.table_rows import TableReader
from suffice.estimators.anywhere import learns_afresh, on_rows
from suffice.estimators.automatic.selecting import select_model
from suffice.estimators.classifier import Classifier
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.learning import Learner
from suffice.estimators.linear import LinearDiscriminantAnalysis
from suffice.estimators.new_rows import facts_of_table
from suffice.estimators.output import framed
from suffice.estimators.pooled.pooled_members import checked_rows
from suffice.estimators.state import State, snapshot
from suffice.selection.selection import Selection
from suffice.selection.steps import ProgressCallback


def delegated(method: Any, always: bool = False) -> Any:
    """The method of the same name of `model_`: there is one only if the model has one.

    method : a function of a class, whose signature and documentation it has
    always : whether an estimator that is not fitted has it, too
    """
    inner: Callable[..., Any] = getattr(method, "fn", method)
    name = inner.__name__

    @wraps(inner)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.model_, name)(*args, **kwargs)

    def has(estimator: Any) -> bool:
        fitted = estimator._state is not None
        return hasattr(estimator.model_, name) if fitted else always

    return available_if(has)(answer)


def delegated_value(name: str, documentation: str) -> Any:
    """The fitted attribute of this name of `model_`, if it has one."""

    def value(self: Any) -> Any:
        return getattr(self.model_, name)

    value.__doc__ = documentation
    return property(value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Chosen(State):
    """The model that was chosen, and how."""

    classes: Array
    model: Any
    selection: Selection | None


@dataclass(eq=False, repr=False)
class AutoDiscriminant(Classifier[Any]):
    """The model that cross-validation prefers, chosen at `fit`: what `select_model` does.

    It has every method of the model that it chose, `model_`. It chooses with all rows at once, so
    rows are added to and removed from `model_`: `auto.model_.partial_fit(X, y)`.

    Parameters
    ----------
    metric, simple, rivals, cv, time_limit, random_state, columns, progress : see `select_model`
    priors : of the chosen model, see `GaussianDiscriminant`; candidates are compared under the
        class shares

    Attributes
    ----------
    model_ : the chosen model, fitted to all rows
    selection_ : how it was chosen
    classes_, priors_, n_features_in_, feature_names_in_, target_name_ : as for other classifiers

    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = sf.AutoDiscriminant(cv=3).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.95), model.selection_.model is model.model_
    (True, True)
    """

    metric: str = "log_loss"
    _: KW_ONLY
    simple: bool = False
    rivals: bool = False
    cv: Any = None
    time_limit: float | None = None
    random_state: Any = None
    priors: Any = None
    columns: Any = None
    progress: ProgressCallback | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    @learns_afresh
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Cross-validate the candidates and fit the one that is chosen to all rows."""
        X, y = checked_rows(X, self.columns), self._labels(y)
        selection = select_model(
            X,
            y,
            metric=self.metric,
            cv=self.cv,
            sample_weight=sample_weight,
            columns=self.columns,
            simple=self.simple,
            rivals=self.rivals,
            time_limit=self.time_limit,
            random_state=self.random_state,
            progress=self.progress,
        )
        model = selection.model
        if self.priors is not None:
            model = under_priors(model, self.priors)
            selection = replace(selection, model=model)
        self._state = Chosen(
            **facts_of_table(X, y, TableReader.of(X, self.columns)),
            classes=np.asarray(model.classes_),
            model=model,
            selection=selection,
        )
        return self

    @property
    def model_(self) -> Any:
        """The model that was chosen, fitted to all rows."""
        return self._learned.model

    @property
    def selection_(self) -> Selection:
        """How it was chosen: all candidates with their scores."""
        selection: Selection = self._learned.selection
        return selection

    @property
    def classes_(self) -> Array:
        """The classes, sorted."""
        return np.asarray(self._learned.classes)

    def with_priors(self, priors: Any) -> Self:
        """The same class densities under other priors, as a new classifier."""
        other, learned = snapshot(self), self._learned
        other.priors = priors
        other._state = replace(learned, model=under_priors(learned.model, priors))
        return other

    @on_rows
    def adapt_priors(self, X: Any) -> Self:
        """The same class densities under the priors that make unlabelled rows most likely."""
        return self.with_priors(self.model_.adapt_priors(X).priors_)

    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        return np.asarray(self.model_.predict(X))

    @framed
    def predict_proba(self, X: Any) -> Floats:
        """p(y | x): one column per class, in the order of `classes_`."""
        return np.asarray(self.model_.predict_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """ln p(y | x), accurate however small."""
        return np.asarray(self.model_.predict_log_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the weighted share of rows whose label is predicted."""
        return float(self.model_.score(X, y, sample_weight))

    predict_joint_log_proba = delegated(Classifier.predict_joint_log_proba, always=True)
    score_samples = delegated(Classifier.score_samples, always=True)
    decision_function = delegated(Classifier.__dict__["decision_function"], always=True)
    log_odds = delegated(Classifier.log_odds, always=True)
    log_likelihood_ratio = delegated(Classifier.log_likelihood_ratio, always=True)
    log_likelihood = delegated(Classifier.log_likelihood, always=True)
    decide = delegated(Classifier.decide, always=True)
    contributions = delegated(Classifier.contributions, always=True)
    explain = delegated(Classifier.explain, always=True)
    sample = delegated(Classifier.sample, always=True)
    impute = delegated(Classifier.impute, always=True)
    impute_draws = delegated(Classifier.impute_draws, always=True)
    outlier_pvalue = delegated(Classifier.outlier_pvalue, always=True)
    outlier_threshold = delegated(Classifier.outlier_threshold, always=True)
    discriminants = delegated(Classifier.discriminants, always=True)
    boundary = delegated(GaussianClassifier.boundary)
    squared_mahalanobis = delegated(GaussianClassifier.squared_mahalanobis)
    whiten = delegated(GaussianClassifier.whiten)
    ellipse = delegated(GaussianClassifier.ellipse)
    transform = delegated(LinearDiscriminantAnalysis.transform)
    leave_one_out = delegated(Learner.leave_one_out)
    n_parameters = delegated(Learner.n_parameters)
    aic = delegated(Learner.aic)
    bic = delegated(Learner.bic)
    priors_ = delegated_value("priors_", "Prior probability of each class.")
    means_ = delegated_value("means_", "Mean of each class, if the chosen model has them.")
    covariances_ = delegated_value(
        "covariances_", "Covariance of each class, if the chosen model has them."
    )
    statistics_ = delegated_value(
        "statistics_", "The statistics of all rows, if the chosen model has them."
    )

    @property
    def partial_fit(self) -> Any:
        """Not offered: an AttributeError, since the choice needs all rows at once."""
        raise AttributeError(
            "an AutoDiscriminant chooses with all rows at once; add rows to the model that it "
            "chose: model.model_.partial_fit(X, y)."
        )

    @property
    def _has_density(self) -> bool:  # type: ignore[override]
        return bool(getattr(self.model_, "_has_density", False))

    def _html_repr(self) -> str:
        """What notebooks show: the model that was chosen."""
        from suffice.estimators.summary import html_card

        return html_card(self if self._state is None else self.model_)

    def _class_weight(self) -> Floats:
        return np.asarray(self.model_._class_weight())


def under_priors(model: Any, priors: Any) -> Any:
    """A fitted model, or a pipeline that ends with one, under other priors."""
    if not hasattr(model, "steps"):
        return model.with_priors(priors)
    from sklearn.pipeline import Pipeline

    *before, (name, last) = model.steps
    return Pipeline([*before, (name, last.with_priors(priors))])
