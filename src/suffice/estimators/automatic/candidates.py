"""Candidates: what classifiers of any kind are asked when they are tried side by side."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from suffice.data.arrays import Floats
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import InvalidParameter
from suffice.estimators.choosing import cross_validated
from suffice.estimators.classifier import Classifier
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.indicators import Indicators
from suffice.estimators.learning import Learner
from suffice.models.settings import Settings
from suffice.text import shown


def named_classifiers(given: Any) -> dict[str, Any]:
    """Classifiers by name: from a mapping, a list, or a single one."""
    if isinstance(given, Mapping):
        named = {str(name): model for name, model in given.items()}
    else:
        models = list(given) if isinstance(given, list | tuple) else [given]
        named = {}
        for model in models:
            name = class_name(model) if hasattr(model, "get_params") else repr(model)
            again = sum(other.split(" (")[0] == name for other in named)
            named[f"{name} ({again + 1})" if again else name] = model
    if not named:
        raise InvalidParameter("models is empty; pass at least one classifier: [suffice.LDA()].")
    for model in named.values():
        if isinstance(model, type):
            raise InvalidParameter(f"{model.__name__} is a class; write {model.__name__}().")
        if not hasattr(model, "get_params") or not hasattr(model, "predict_proba"):
            raise InvalidParameter(
                f"models holds {shown(model)}; pass classifiers with predict_proba, such as "
                "suffice.LDA()."
            )
    return named


def log_probabilities(model: Any, X: Any) -> Floats:
    """Log posterior of each row, (n, k), by whatever method a classifier has for it."""
    if isinstance(last_step(model), Classifier):
        return np.asarray(model.predict_log_proba(X), np.float64)
    # Other libraries round tiny probabilities to zero, which would make the log-loss infinite.
    return np.asarray(np.log(np.maximum(model.predict_proba(X), np.finfo(np.float64).tiny)))


def describe(model: Any) -> dict[str, Any]:
    """A candidate as a row of a table: its class, and the parameters that are not default."""
    if is_pipeline(model):
        before = ", ".join(type(step).__name__ for _, step in model.steps[:-1])
        return {**describe(model[-1]), "after": before}
    row = {"model": class_name(model)}
    for name, default in default_parameters(model).items():
        value = getattr(model, name)
        if value is default or name == "columns" or isinstance(value, BaseEstimator):
            continue
        if repr(value) != repr(default):
            row[name] = value
    return row


def default_parameters(model: Any) -> dict[str, Any]:
    """The parameters of a model by name, as they are by default."""
    return _defaults(type(model))  # type: ignore[arg-type]


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    parameters: dict[str, Any] = kind().get_params(deep=False)
    return parameters


def fit(model: Any, X: Any, y: Any, weights: Floats | None) -> Any:
    """The fitted model; weights are passed on only if there are any."""
    if weights is None:
        return model.fit(X, y)
    name = "sample_weight"
    if is_pipeline(model):
        name = f"{model.steps[-1][0]}__{name}"
    return model.fit(X, y, **{name: weights})


def fit_quietly(model: Any, table: LabelledTable) -> tuple[Any, list[str]]:
    """The model, fitted, and the warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = fit(model, table.X, table.labels, table.weights)
    return fitted, [str(one.message) for one in caught]


def complexity_of(model: Any) -> float:
    """Effective number of parameters of a fitted model; infinite if unknown."""
    effective = getattr(model, "effective_parameters_", None)
    if effective is not None:
        return float(effective)
    try:
        return float(model.n_parameters())
    except (AttributeError, InvalidParameter):
        return np.inf


def is_family(model: Any) -> bool:
    """Whether a model is defined by settings of the Gaussian family."""
    gaussian = isinstance(model, GaussianClassifier) and has_statistics(model)
    return gaussian and isinstance(model._settings(), Settings)


def reads_indicators(model: Any) -> bool:
    """Whether a model is one of ours behind indicators of levels, and nothing else."""
    return (
        is_pipeline(model)
        and len(model) == 2
        and isinstance(model[0], Indicators)
        and isinstance(model[-1], Learner)
    )


def has_statistics(model: Any) -> bool:
    """Whether a model is a function of statistics that can be added and subtracted."""
    if not isinstance(model, Learner) or cross_validated(model):
        return False
    return getattr(model, "covariance_estimator", None) is None


def is_pipeline(model: Any) -> bool:
    """Whether a model comes after other steps."""
    return hasattr(model, "named_steps")


def last_step(model: Any) -> Any:
    """The model itself; of a pipeline, its last step."""
    return model[-1] if is_pipeline(model) else model


def class_name(model: Any) -> str:
    """The name of the class of a model, of a pipeline that of its last step."""
    return type(last_step(model)).__name__
