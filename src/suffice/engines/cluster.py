"""Cluster: the methods of estimators for rows in partitions, whatever cluster holds them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from suffice.data.sources.sample import joined
from suffice.data.tables.table_layout import TableLayout
from suffice.data.tables.table_rows import TableReader
from suffice.engines.parts import Sums, single_threaded
from suffice.engines.recipes import (
    ColumnsRecipe,
    LearnerRecipe,
    MomentsRecipe,
    SampleRecipe,
    TotalRecipe,
)
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter, NeedsAllRows
from suffice.estimators.choosing import cross_validated
from suffice.estimators.fitting import Fitting
from suffice.estimators.learning import Learner
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.new_rows import NewRows, Outline
from suffice.estimators.state import snapshot
from suffice.models.product import Product
from suffice.selection import criteria
from suffice.statistics.exact.grid import Grid

# Methods that answer each row by itself, and the name of the column that holds their answers.
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
    """A method of a fitted estimator, called with the rows of each partition."""

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
        """The name of the column of answers."""
        return ROW_BY_ROW[self.method]

    def __call__(self, rows: Any) -> Any:
        """The answers to some rows."""
        with single_threaded():
            return getattr(self.model, self.method)(rows, *self.args, **self.kwargs)


class ClusterRows(Protocol):
    """Rows in partitions, as a cluster holds them."""

    @property
    def untyped(self) -> bool:
        """Whether the type of a column is only known from its values."""

    @property
    def has_text(self) -> bool:
        """Whether some columns may hold more than numbers."""

    @property
    def sample(self) -> str:
        """The call that brings some rows of `{}` into memory."""

    def over(self, y: Any, weight: Any) -> Sums:
        """The function that applies a recipe to all partitions and adds the results."""

    def answers(self, question: Question) -> Any:
        """The answers to all rows, computed when they are needed."""


def summarize_rows(
    rows: ClusterRows,
    y: Any,
    sample_weight: Any,
    detail: str,
    target: str | None,
    columns: TableLayout | None = None,
    grid: Grid | None = None,
) -> Any:
    """What `suffice.summarize` returns for rows in partitions.

    columns : how they are read; None to decide by a sample of the rows
    """
    if target is not None and y is not None:
        raise InvalidInput("target names the label column of a data frame; pass no y beside it.")
    labels = y if target is None else target
    sums = rows.over(labels, sample_weight)
    like = None
    if columns is not None:
        others = [name for name in (labels, sample_weight) if isinstance(name, str)]
        like = Outline(reader=TableReader.of(None, columns.without(others)))
    elif rows.has_text:
        like = Outline(reader=TableReader.of(joined(sums(SampleRecipe()))))
    return sums(MomentsRecipe(detail, like, grid))


def dispatch(rows: ClusterRows, estimator: Any, method: str, args: Any, kwargs: Any) -> Any:
    """What a method of an estimator returns for rows in partitions."""
    if method in ROW_BY_ROW:
        return rows.answers(Question.to(estimator, method, args, kwargs))
    given = _arguments(estimator, method, args, kwargs)
    if method in ("fit", "partial_fit", "forget") and isinstance(estimator, Learner):
        return _learn(rows, estimator, method, given)
    if isinstance(estimator, GaussianMixture) and method in ("score", "aic", "bic"):
        return _judge_mixture(rows, estimator, method)
    if method in ("score", "log_likelihood"):
        return _add_up(rows, estimator, method, given)
    name = type(estimator).__name__
    if method in ("fit", "fit_predict") and isinstance(estimator, Fitting):
        raise NeedsAllRows(
            f"{name}.{method} reads the rows in every iteration of EM, so it takes them in memory; "
            f"fit a sample: {_sample_call(rows, method, given)}"
        )
    raise NeedsAllRows(
        f"{name}.{method} takes all rows in memory; pass a sample: {rows.sample.format('X')}"
    )


def _arguments(estimator: Any, method: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call beside X, by name."""
    signature = inspect.signature(getattr(type(estimator), method))
    bound = signature.bind(estimator, None, *args, **kwargs)
    bound.apply_defaults()
    return dict(list(bound.arguments.items())[2:])


def _sample_call(rows: ClusterRows, method: str, given: dict[str, Any]) -> str:
    """The call that does the same with a sample in memory."""
    given = {name: value for name, value in given.items() if value is not None}
    columns = {name: value for name, value in given.items() if isinstance(value, str)}
    if columns:
        features = f"part.drop(columns={list(columns.values())})"
        others = [f"{name}=part[{column!r}]" for name, column in columns.items()]
        return f"part = {rows.sample.format('X')}; model.{method}({', '.join([features, *others])})"
    arguments = [rows.sample.format("X")]
    for name, value in given.items():
        is_lazy = hasattr(value[0] if isinstance(value, list) else value, "compute")
        call = rows.sample.format(name)
        arguments.append(f"{name}={call if is_lazy else call.removesuffix('.compute()')}")
    return f"model.{method}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True)
class RowsInParts(NewRows):
    """Rows in partitions, and their labels."""

    rows: ClusterRows
    y: Any
    sample_weight: Any
    classes: Any = None  # the announced classes, if any

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """The form that all partitions must share and no single one can decide, if any."""
        reader = self._reader(learner)
        if reader is not None:
            return Outline(reader=reader)
        numbers = Outline() if hasattr(learner, "columns") else None
        if not isinstance(settings, Product) or not self.rows.untyped:
            return numbers
        if sum(claim.columns is None for claim in settings.claims.values()) < 2:
            return numbers
        return Outline((self.rows.over(self.y, None)(ColumnsRecipe(settings.claims)), {}))

    def _reader(self, learner: Any) -> TableReader | None:
        """How all partitions are read, if they hold more than numbers, by a sample of the rows."""
        columns = getattr(learner, "columns", None)
        if columns is not None:
            return TableReader.of(None, columns)
        named = getattr(learner, "categorical", None), getattr(learner, "parts", None)
        if not hasattr(learner, "columns") or named != (None, None) or not self.rows.has_text:
            return None
        sample = self.rows.over(self.y, self.sample_weight)(SampleRecipe())
        return TableReader.of(joined(sample))

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of all partitions, added."""
        recipe = LearnerRecipe.of_learner(learner, settings, like, self.classes)
        return self.rows.over(self.y, self.sample_weight)(recipe)


def _learn(rows: ClusterRows, learner: Any, method: str, given: dict[str, Any]) -> Any:
    if given["y"] is None:
        learner._labels(None)  # raises the error for missing labels
    some = RowsInParts(rows, given["y"], given["sample_weight"], given.get("classes"))
    if method == "partial_fit":
        return learner._change(some)
    if method == "forget":
        return learner._change(some, forgets=True)
    for name in cross_validated(learner):
        raise InvalidParameter(
            f"{name}='cv' tests on rows held out, which takes them in memory: choose on a sample "
            f"({rows.sample.format('X')}), and give {name} as a number."
        )
    return learner._fit_to(some, learner._settings())


def _add_up(rows: ClusterRows, estimator: Any, method: str, given: dict[str, Any]) -> float:
    if given["y"] is None:
        raise InvalidLabels(f"{method} takes the labels of the rows: y is missing.")
    recipe = TotalRecipe(Question.to(estimator, method).model, method)
    total, size = rows.over(given["y"], given.get("sample_weight"))(recipe)
    return float(total / size if method == "score" else total)


def _judge_mixture(rows: ClusterRows, mixture: Any, method: str) -> float:
    model = Question.to(mixture, "score_samples").model
    total, n = rows.over(None, None)(TotalRecipe(model, "score_samples"))
    if method == "score":
        return float(total / n)
    if method == "aic":
        return criteria.aic(float(total), mixture._free)
    return criteria.bic(float(total), mixture._free, int(n))
