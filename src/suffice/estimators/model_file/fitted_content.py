"""Fitted content: what estimators that keep no statistics have learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.answers.sampling import generator
from suffice.data.arrays import Array, Floats
from suffice.data.parameters import choice, count, not_negative
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.level_groups import LevelGroups
from suffice.data.tables.mixed import ColumnLayout
from suffice.errors import InvalidParameter
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.fitting import FittedMixture
from suffice.estimators.indicators import FittedLevels, Indicators
from suffice.estimators.learned import Learned
from suffice.estimators.learning import Learner
from suffice.estimators.mixture import STARTS, GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file.learner_content import check_current
from suffice.models.em.training import Given
from suffice.models.gaussian import GaussianModel
from suffice.models.known_levels import KnownDiscreteModel, KnownLevels
from suffice.models.mixture import MixtureModel
from suffice.models.priors import class_priors
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.soundness import check_labels

Mixture = GaussianMixture | MixtureDiscriminant

storable(LevelGroups)
storable(Encoding)


@storable
@dataclass(frozen=True, slots=True)
class IndicatorsContent:
    """Which columns are discrete, and their levels."""

    layout: ColumnLayout
    levels: list[Array]

    @classmethod
    def of(cls, model: Indicators) -> Self:
        """The content of a file."""
        return cls(model.layout_, model.levels_)

    def validated(self) -> Self:
        """This content, if each discrete column has levels; a ValueError otherwise."""
        if len(self.levels) != len(self.layout.discrete):
            raise ValueError("there is not one list of levels for each discrete feature")
        for levels in self.levels:
            check_labels("levels", levels)
        return self

    def restore(self, model: Indicators, room: Room) -> None:
        """Set the state of an estimator."""
        columns = LearnedColumns(self.layout.n_features)
        model._state = FittedLevels(columns=columns, layout=self.layout, levels=self.levels)


@storable
@dataclass(frozen=True, slots=True)
class MixtureContent:
    """The components estimated by EM, to the last bit, and how EM went."""

    mixture: MixtureModel
    component_weight: Floats
    log_likelihoods: Floats
    converged: bool
    lower_bound: float
    encoding: Encoding | None = None

    @classmethod
    def of(cls, model: Mixture) -> Self:
        """The content of a file; raises if parameters were changed after the model was fitted."""
        if isinstance(model, GaussianMixture) and model._settings() != model._built_with:
            raise InvalidParameter(
                "the parameters of this GaussianMixture were changed after it was fitted, so they "
                "do not describe it. Fit it again, or restore them."
            )
        return cls(
            model._fitted,
            model._component_weight,
            model.log_likelihoods_,
            bool(model.converged_),
            float(model.lower_bound_),
            model._learned.encoding,
        )

    def validated(self) -> Self:
        """This content, if the weights are those of the components; a ValueError otherwise."""
        weight = self.component_weight
        if weight.shape != self.mixture.shares.shape or (weight < 0).any():
            raise ValueError("there is not one weight per component")
        if self.log_likelihoods.ndim != 1 or not self.lower_bound < np.inf:
            raise ValueError("the log-likelihoods are not numbers")
        return self

    def restore(self, model: Mixture, room: Room) -> None:
        """Set the state of an estimator."""
        mixture = self.mixture
        K, d = mixture.components.means.shape
        _check_parameters(model, K, d)
        if isinstance(model, GaussianMixture) and mixture.classes.tolist() != [0]:
            raise ValueError("a mixture without labels has classes")
        mixture.check_computable()
        encoding = self.encoding
        if encoding is not None and len(encoding.names) != d:
            raise ValueError("the encoding does not give the features of the components")
        reader = None if encoding is None else encoding.reader
        model._state = FittedMixture(
            columns=LearnedColumns(d) if reader is None else LearnedColumns.of_reader(reader),
            reader=reader,
            encoding=encoding,
            kept={"model": mixture},
            classes=mixture.classes,
            settings=model._settings(),
            component_weight=self.component_weight,
            log_likelihoods=self.log_likelihoods,
            converged=self.converged,
            lower_bound=self.lower_bound,
        )


def _check_parameters(model: Mixture, K: int, d: int) -> None:
    """Raise if `fit` would refuse the parameters."""
    settings, requested, addition = model._settings(), model.n_components, 0.0
    generator(model.random_state)
    if isinstance(model, GaussianMixture):
        addition = not_negative("reg_covar", model.reg_covar)
        choice("init_params", model.init_params, STARTS)
        init = model.weights_init, model.means_init, model.precisions_init
        Given.checked(*init, settings, (K, d))
        if count("n_components", requested) != K:
            raise ValueError(f"n_components is {requested}, but there are {K} components")
    elif isinstance(requested, str):
        choice("n_components", requested, ("bic",))
    elif not isinstance(requested, Mapping):
        count("n_components", requested)
    model._effort(addition)


@storable
@dataclass(frozen=True, slots=True)
class KnownContent:
    """The parameters of a model that has no statistics."""

    parameters: GaussianModel | KnownLevels

    @classmethod
    def of(cls, model: Learner[Any]) -> Self:
        """The content of a file; raises if parameters were changed after the model was made."""
        check_current(model, built=True)
        fitted = model._fitted
        levels = isinstance(fitted, KnownDiscreteModel)
        return cls(KnownLevels.of_model(fitted) if levels else fitted)

    def restore(self, model: Learner[Any], room: Room) -> None:
        """Set the state of an estimator."""
        found, settings = self.parameters, model._settings()
        if not model._can_be_known:
            raise ValueError("a model of this kind is not made from known parameters")
        known = found.model if isinstance(found, KnownLevels) else found
        settings.check_known(known)
        requested = class_priors(model._priors(), known.classes, None)
        if not np.array_equal(requested, known.priors):
            raise ValueError("its priors are not those of its parameters")
        known.check_computable()
        columns = LearnedColumns(found.n_features)
        model._hold(Learned.known(known, columns, settings, model._priors()))
