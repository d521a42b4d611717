"""Cluster: what estimators are asked to do with rows in partitions, whatever cluster holds them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from suffice.engines.mixtures import learn
from suffice.engines.parts import Sums
from suffice.engines.recipes import ColumnsRecipe, Lesson, Total
from suffice.errors import InvalidLabels, InvalidParameter, NeedsAllRows
from suffice.estimators.choosing import GRID
from suffice.estimators.fitting import Fitting
from suffice.estimators.learning import Learner
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.new_rows import NewRows
from suffice.estimators.outline import Outline
from suffice.estimators.state import snapshot
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
        light = snapshot(estimator)
        light._fitted  # noqa: B018
        if method != "outlier_pvalue":
            light._state = light._learned.without_statistics()
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


class ClusterRows(Protocol):
    """Rows in partitions, as a cluster holds them."""

    @property
    def untyped(self) -> bool:
        """Whether only the values tell what a column holds."""

    def over(self, y: Any, weight: Any) -> Sums:
        """What makes recipes of all partitions: computed when it is called."""

    def answers(self, question: Question) -> Any:
        """The answers to all rows, to be computed when they are needed."""


def asked(rows: ClusterRows, estimator: Any, method: str, args: Any, kwargs: Any) -> Any:
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


@dataclass(frozen=True, slots=True)
class RowsInParts(NewRows):
    """Rows in partitions, and their labels."""

    rows: ClusterRows
    y: Any
    sample_weight: Any
    classes: Any = None  # those announced, if any

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """What all partitions must agree on and a single one cannot tell, if anything."""
        if not isinstance(learner, MixedNB) or learner.categorical is not None:
            return None
        if not self.rows.untyped:
            return None
        layout, detail = self.rows.over(self.y, None)(ColumnsRecipe()), settings[0].detail
        return Outline(detail, layout, Outline(detail))

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of all partitions, added."""
        lesson = Lesson.to(learner, settings, like, self.classes)
        return self.rows.over(self.y, self.sample_weight)(lesson)


def _taught(rows: ClusterRows, learner: Any, method: str, given: dict[str, Any]) -> Any:
    if given["y"] is None:
        learner._labels(None)  # which says what is missing
    some = RowsInParts(rows, given["y"], given["sample_weight"], given.get("classes"))
    if method == "fit":
        _refuse_choices(learner)
        return learner._fit_to(some, learner._settings())
    return learner._add(some) if method == "partial_fit" else learner._remove(some)


def _mixed(rows: ClusterRows, mixture: Any, method: str, given: dict[str, Any]) -> Any:
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


def _summed(rows: ClusterRows, estimator: Any, method: str, given: dict[str, Any]) -> float:
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
