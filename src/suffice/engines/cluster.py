"""Cluster: what estimators are asked to do with rows in partitions, whatever cluster holds them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.engines.mixtures import learn
from suffice.engines.parts import Sums
from suffice.engines.recipes import Columns, Lesson, Outline, Total
from suffice.errors import InvalidLabels, InvalidParameter, NeedsAllRows
from suffice.estimators.choosing import GRID
from suffice.estimators.fitting import Fitting
from suffice.estimators.learning import Learner
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.statistics.threads import usual_threads

# Methods that answer each row by itself, and what a column of their answers is called.
ROW_BY_ROW = {
    "predict": "prediction",
    "predict_proba": "probability",
    "predict_log_proba": "log_probability",
    "predict_joint_log_proba": "joint_log_density",
    "score_samples": "log_density",
    "decision_function": "decision",
    "discriminants": "discriminants",
    "log_odds": "log_odds",
    "log_likelihood_ratio": "log_likelihood_ratio",
    "decide": "decided",
    "squared_mahalanobis": "squared_mahalanobis",
    "outlier_pvalue": "outlier_pvalue",
    "transform": "transformed",
    "whiten": "whitened",
    "impute": "imputed",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A method of a fitted estimator, to be asked of the rows of each partition."""

    model: Any
    method: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def to(cls, estimator: Any, method: str, args: Any = (), kwargs: Any = None) -> Question:
        """The question, with a model that is built once, here, and travels without statistics."""
        check_is_fitted(estimator)
        estimator._fitted  # noqa: B018
        light = copy(estimator)
        if method != "outlier_pvalue":
            light.__dict__.pop("statistics_", None)
        return cls(light, method, tuple(args), dict(kwargs or {}))

    @property
    def column(self) -> str:
        """What a column of answers is called."""
        return ROW_BY_ROW[self.method]

    def __call__(self, rows: Any) -> Any:
        """The answers to some rows."""
        # One task a core is what clusters are set up for.
        with usual_threads(1):
            return getattr(self.model, self.method)(rows, *self.args, **self.kwargs)


class Rows(Protocol):
    """Rows in partitions, as a cluster holds them."""

    @property
    def untyped(self) -> bool:
        """Whether only the values tell what a column holds."""

    def over(self, y: Any, weight: Any) -> Sums:
        """What makes recipes of all partitions: computed when it is called."""

    def answers(self, question: Question) -> Any:
        """The answers to all rows, to be computed when they are needed."""


def asked(rows: Rows, estimator: Any, method: str, args: Any, kwargs: Any) -> Any:
    """What a method of an estimator returns for rows in partitions."""
    if method in ("fit", "partial_fit", "forget") and isinstance(estimator, Learner):
        return _taught(rows, estimator, method, _arguments(estimator, method, args, kwargs))
    if method in ("fit", "fit_predict") and isinstance(estimator, Fitting):
        return _mixed(rows, estimator, method, _arguments(estimator, method, args, kwargs))
    if method in ROW_BY_ROW:
        return rows.answers(Question.to(estimator, method, args, kwargs))
    if method in ("score", "log_likelihood"):
        given = _arguments(estimator, method, args, kwargs)
        return _summed(rows, estimator, method, given)
    if method in ("aic", "bic") and isinstance(estimator, GaussianMixture):
        total, n = rows.over(None, None)(_of_samples(estimator))
        rate = np.log(n) if method == "bic" else 2.0
        return float(estimator._free * rate - 2 * total)
    raise NeedsAllRows(
        f"{method} of a {type(estimator).__name__} takes all rows in memory; pass a sample, or one "
        "partition, as an array or a data frame."
    )


def _arguments(estimator: Any, method: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """What a method was given beside X, by name."""
    signature = inspect.signature(getattr(type(estimator), method))
    bound = signature.bind(estimator, None, *args, **kwargs)
    bound.apply_defaults()
    return dict(list(bound.arguments.items())[2:])


def _taught(rows: Rows, learner: Any, method: str, given: dict[str, Any]) -> Any:
    y, weight = given["y"], given["sample_weight"]
    if y is None:
        learner._labels(y)  # which says what is missing
    if method == "fit":
        _refuse_choices(learner)
        settings = learner._settings()
        like = _first_outline(rows, learner, settings, y)
        lesson = Lesson.to(learner, settings, like, more=False)
        learner._take(rows.over(y, weight)(lesson), settings)
        learner.__dict__.pop("selection_", None)
        return learner
    seen, settings = getattr(learner, "statistics_", None), learner._settings()
    if method == "forget":
        check_is_fitted(learner)
        learner._check_forgets()
    like = _first_outline(rows, learner, settings, y) if seen is None else Outline.of(seen)
    lesson = Lesson.to(learner, settings, like, seen is not None, given.get("classes"))
    part = rows.over(y, weight)(lesson)
    if method == "partial_fit":
        return learner._take(part if seen is None else seen + part, settings, later=True)
    return learner._without(part, settings)


def _mixed(rows: Rows, mixture: Any, method: str, given: dict[str, Any]) -> Any:
    y, weight = given["y"], given["sample_weight"]
    labelled, plan = isinstance(mixture, MixtureDiscriminant), mixture._plan()
    if labelled and y is None:
        mixture._labels(y)  # which says what is missing
    named = isinstance(y, str) or isinstance(weight, str)
    if method == "fit_predict" and named:
        raise InvalidParameter(
            "fit_predict would be given columns that are no features: call fit, which takes their "
            "names, and then predict with the features alone."
        )
    if not labelled and not isinstance(y, str):
        y = None
    learn(rows.over(y, weight), mixture, plan, labelled, weight is not None)
    if method == "fit":
        return mixture
    return rows.answers(Question.to(mixture, "predict"))


def _refuse_choices(learner: Any) -> None:
    for name in GRID:
        value = getattr(learner, name, None)
        if isinstance(value, str) and value == "cv":
            raise InvalidParameter(
                f"{name}='cv' tests on rows held out, which takes them in memory: choose on a "
                f"sample that fits there (select_model), and give {name} as a number."
            )


def _first_outline(rows: Rows, learner: Any, settings: Any, y: Any) -> Outline | None:
    """What all partitions must agree on and a single one cannot tell, if anything."""
    if not isinstance(learner, MixedNB) or learner.categorical is not None or not rows.untyped:
        return None
    layout, detail = rows.over(y, None)(Columns()), settings[0].detail
    return Outline(detail, layout, Outline(detail))


def _summed(rows: Rows, estimator: Any, method: str, given: dict[str, Any]) -> float:
    if isinstance(estimator, GaussianMixture):
        total, n = rows.over(None, None)(_of_samples(estimator))
        return float(total / n)
    if given["y"] is None:
        raise InvalidLabels(f"{method} takes the labels of the rows: y is missing.")
    recipe = Total(Question.to(estimator, method).model, method)
    total, size = rows.over(given["y"], given.get("sample_weight"))(recipe)
    return float(total / size if method == "score" else total)


def _of_samples(mixture: Any) -> Total:
    return Total(Question.to(mixture, "score_samples").model, "score_samples")
