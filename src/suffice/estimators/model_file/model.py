"""Model: a fitted estimator of this package as a file holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

import suffice
from suffice.data.tables.frame_output import FrameForm
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.auto import AutoDiscriminant
from suffice.estimators.indicators import Indicators
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file.fitted_content import (
    IndicatorsContent,
    KnownContent,
    MixtureContent,
)
from suffice.estimators.model_file.learner_content import LearnerContent
from suffice.estimators.model_file.parameters import split_storable
from suffice.estimators.model_file.pooled_content import AutoContent, PooledContent
from suffice.estimators.output import OUTPUTS, keep_output
from suffice.estimators.pooled.pooled import PooledDiscriminant
from suffice.estimators.state import snapshot
from suffice.statistics.storage.container import brief
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.soundness import check_names

ESTIMATORS = (
    "AutoDiscriminant",
    "BayesianDiscriminant",
    "BernoulliNB",
    "CategoricalNB",
    "DiagonalLDA",
    "GaussianDiscriminant",
    "GaussianMixture",
    "GaussianNB",
    "Indicators",
    "LinearDiscriminantAnalysis",
    "MixedNB",
    "MixtureDiscriminant",
    "PooledDiscriminant",
    "QuadraticDiscriminantAnalysis",
    "UnskewedDiscriminant",
)

# Longest version and date, in characters.
LONGEST_NOTE = 100


@storable
@dataclass(frozen=True, slots=True)
class StoredModel:
    """A fitted estimator: its class, its parameters, and what it has learned.

    library : the version of suffice that wrote it
    dropped : why parameters were left out, by name
    names : of the features
    output : the kind of table that `transform` returns
    created : a date or a text
    target : the name of the column of the labels
    frame : the form of the data frames that `sample` returns
    probabilities : the kind of table that `predict_proba` returns
    """

    estimator: str
    library: str
    parameters: Mapping[str, Any]
    dropped: Mapping[str, str]
    content: (
        LearnerContent
        | KnownContent
        | MixtureContent
        | IndicatorsContent
        | PooledContent
        | AutoContent
    )
    names: tuple[str, ...] | None = None
    output: str | None = None
    created: str | None = None
    target: str | None = None
    frame: FrameForm | None = None
    probabilities: str | None = None

    @classmethod
    def of(cls, model: Any, created: str | None = None) -> Self:
        """The content of a file."""
        check_ours(model)
        model = snapshot(model)
        names = getattr(model, "feature_names_in_", None)
        parameters, dropped = split_storable(model.get_params(deep=False))
        output = getattr(model, "_sklearn_output_config", {})
        return cls(
            type(model).__name__,
            suffice.__version__,
            parameters,
            dropped,
            _content_of(model),
            None if names is None else tuple(map(str, names)),
            output.get("transform"),
            created,
            model._learned.target,
            model._learned.frame,
            output.get("predict_proba"),
        )

    def validated(self) -> Self:
        """This content, if the estimator is known; a ValueError otherwise."""
        check_note("library", self.library)
        check_note("created", self.created)
        if self.estimator not in ESTIMATORS:
            raise ValueError(
                f"it holds a {brief(self.estimator)}, which this version of suffice "
                f"({suffice.__version__}) does not know; it was written by version "
                f"{self.library}. Upgrade suffice"
            )
        return self

    def restore(self, room: Room) -> Any:
        """The estimator, fully validated; an error says what is wrong."""
        model = getattr(suffice, self.estimator)()
        self._set_parameters(model)
        if type(self.content) not in _content_classes(model):
            raise ValueError(f"it does not hold what a {self.estimator} learns")
        with np.errstate(all="ignore"):  # overflow is detected by the checks
            self.content.restore(model, room)
        if "models" in self.dropped:
            model.models = {name: clone(member) for name, member in model.members_.items()}
        self._set_names(model)
        self._set_output(model)
        return model

    def _set_output(self, model: Any) -> None:
        known = self.output in (None, "default", "pandas", "polars")
        known &= self.probabilities in (None, *OUTPUTS)
        if not known or (self.output is not None and not hasattr(model, "transform")):
            raise ValueError("output is not a known kind of table")
        if self.output is not None:
            model.set_output(transform=self.output)
        if self.probabilities is not None and not hasattr(model, "predict_proba"):
            raise ValueError("there are no probabilities to put into a table")
        keep_output(model, self.probabilities)

    def _set_parameters(self, model: Any) -> None:
        given, dropped = self.parameters, self.dropped
        names = set(model.get_params(deep=False))
        if {*given, *dropped} != names or set(given) & set(dropped):
            raise ValueError(f"the parameters are not those of a {self.estimator}")
        if not isinstance(given.get("fit_prior", True), bool):
            raise ValueError("fit_prior is not true or false")
        model.set_params(**given)

    def _set_names(self, model: Any) -> None:
        """Set the feature names of a model; a ValueError if its statistics have other names."""
        check_names(self.names, model.n_features_in_)
        learned = model._learned
        if learned.columns.names is not None and tuple(learned.columns.names) != self.names:
            raise ValueError("its statistics have different feature names")
        own = None if self.names is None else np.array([*self.names, None], object)[:-1]
        frame = None if own is None and learned.reader is None else self.frame
        model._state = replace(learned.renamed(own), target=self.target, frame=frame)


def check_ours(model: Any) -> None:
    """Raise unless a model is a fitted estimator of this package."""
    name = type(model).__name__
    if name not in ESTIMATORS or type(model) is not getattr(suffice, name):
        raise InvalidParameter(
            "a file holds estimators of suffice and pipelines of them, not a "
            f"{type(model).__module__}.{name}."
        )
    check_is_fitted(model)


def check_note(name: str, text: str | None) -> None:
    """Raise ValueError unless a text is short."""
    if text is not None and len(text) > LONGEST_NOTE:
        raise ValueError(f"{name} is not a short text")


def _content_of(model: Any) -> Any:
    """What a fitted estimator has learned; without statistics, its parameters."""
    classes = _content_classes(model)
    known = KnownContent in classes and model._learned.statistics is None
    return (KnownContent if known else classes[0]).of(model)


def _content_classes(model: Any) -> tuple[Any, ...]:
    if isinstance(model, Indicators):
        return (IndicatorsContent,)
    if isinstance(model, GaussianMixture | MixtureDiscriminant):
        return (MixtureContent,)
    if isinstance(model, AutoDiscriminant):
        return (AutoContent,)
    if isinstance(model, PooledDiscriminant):
        return (PooledContent,)
    return LearnerContent, KnownContent
