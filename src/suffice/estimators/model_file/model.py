"""Model: a fitted estimator of this package as a file holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import suffice
from suffice.errors import InvalidParameter
from suffice.estimators.indicators import Indicators
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file.fitted_content import IndicatorsContent, MixtureContent
from suffice.estimators.model_file.known_content import KnownContent
from suffice.estimators.model_file.learner_content import LearnerContent
from suffice.estimators.model_file.parameters import split_storable
from suffice.estimators.state import snapshot
from suffice.statistics.container import brief
from suffice.statistics.registry import storable
from suffice.statistics.room import Room
from suffice.statistics.soundness import check_names

ESTIMATORS = (
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
    "QuadraticDiscriminantAnalysis",
    "UnskewedDiscriminant",
)

OUTPUTS = (None, "default", "pandas", "polars")
FRAMES = (None, "pandas", "polars", "pyarrow")

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
    frame : the library of the data frames that `sample` returns
    """

    estimator: str
    library: str
    parameters: Mapping[str, Any]
    dropped: Mapping[str, str]
    content: LearnerContent | KnownContent | MixtureContent | IndicatorsContent
    names: tuple[str, ...] | None = None
    output: str | None = None
    created: str | None = None
    target: str | None = None
    frame: str | None = None

    @classmethod
    def of(cls, model: Any, created: str | None = None) -> Self:
        """The content of a file."""
        name = type(model).__name__
        if name not in ESTIMATORS or type(model) is not getattr(suffice, name):
            raise InvalidParameter(
                "a file holds estimators of suffice and pipelines of them, not a "
                f"{type(model).__module__}.{name}."
            )
        check_is_fitted(model)
        model = snapshot(model)
        names = getattr(model, "feature_names_in_", None)
        parameters, dropped = split_storable(model.get_params(deep=False))
        return cls(
            name,
            suffice.__version__,
            parameters,
            dropped,
            _content_of(model),
            None if names is None else tuple(map(str, names)),
            getattr(model, "_sklearn_output_config", {}).get("transform"),
            created,
            model._learned.target,
            model._learned.frame,
        )

    def validated(self) -> Self:
        """This content, if the estimator is known; a ValueError otherwise."""
        check_note("library", self.library)
        check_note("created", self.created)
        if self.frame not in FRAMES:
            raise ValueError("frame is not a known kind of data frame")
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
        self._set_names(model)
        if self.output not in OUTPUTS or not (self.output is None or hasattr(model, "set_output")):
            raise ValueError("output is not a known kind of table")
        if self.output is not None:
            model.set_output(transform=self.output)
        return model

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
    return LearnerContent, KnownContent
