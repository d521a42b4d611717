"""Known content: a classifier whose parameters are known, as the parameters themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.estimators.columns import LearnedColumns
from suffice.estimators.learned import Learned
from suffice.estimators.learning import Learner
from suffice.estimators.model_file.learner_content import check_current
from suffice.models.computable import check_computable
from suffice.models.covariance import DiagonalCovariance, FullCovariance
from suffice.models.gaussian import GaussianModel
from suffice.models.known_levels import KnownDiscreteModel, KnownLevels
from suffice.models.priors import class_priors
from suffice.models.settings import Settings
from suffice.statistics.registry import storable
from suffice.statistics.room import Room


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
        if isinstance(found, KnownLevels) != (not isinstance(settings, Settings)):
            raise ValueError("its parameters are those of another kind of model")
        known = found.model if isinstance(found, KnownLevels) else found
        if isinstance(known, GaussianModel):
            _check_form(known, settings)
        else:
            settings.check_levels(known)
        requested = class_priors(model._priors(), known.classes, None)
        if not np.array_equal(requested, known.priors):
            raise ValueError("its priors are not those of its parameters")
        check_computable(known)
        d = known.means.shape[1] if isinstance(known, GaussianModel) else len(known.features)
        model._hold(Learned.known(known, LearnedColumns(d), settings, model._priors()))


def _check_form(model: GaussianModel, settings: Settings) -> None:
    """Raise unless the covariances have the structure and pooling of the settings."""
    kind = FullCovariance if settings.structure.takes_matrices else DiagonalCovariance
    if not all(isinstance(one, kind) and one.rank == one.n_features for one in model.covariances):
        raise ValueError("its covariances have another structure than its parameters say")
    if len(model.covariances) != (1 if settings.pooling == 1 else len(model.classes)):
        raise ValueError("its covariances are not pooled as its parameters say")
