"""Contents that hold other models: the members of a pool, and the model that was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.pipeline import Pipeline

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.auto import AutoDiscriminant, Chosen
from suffice.estimators.automatic.candidates import last_step
from suffice.estimators.pooled.pooled import PooledDiscriminant, PooledState
from suffice.models.priors import class_priors
from suffice.selection.pool import Pool
from suffice.selection.selection import Selection
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.room import Room

if TYPE_CHECKING:
    from suffice.estimators.model_file.model import StoredModel
    from suffice.estimators.model_file.pipeline import StoredPipeline


@storable
@dataclass(frozen=True, slots=True)
class PooledContent:
    """The members, each as a file holds a model, and how they are pooled."""

    members: Mapping[str, Any]
    pool: Pool
    class_weight: Floats

    @classmethod
    def of(cls, model: PooledDiscriminant) -> Self:
        """The content of a file; raises if a member is not one of this package."""
        members = {}
        for name, member in model.members_.items():
            try:
                members[name] = stored(member)
            except InvalidParameter as error:
                raise InvalidParameter(
                    f"member {name!r} cannot be saved: {error} Leave it out of the pool, or use "
                    "joblib.dump(model, path)."
                ) from None
        return cls(members, model._learned.pool, model._class_weight())

    def validated(self) -> Self:
        """This content, if it can be that of a pool; a ValueError otherwise."""
        # Largest number of members.
        most_members = 100
        if not 1 <= len(self.members) <= most_members or len(self.members) != len(
            self.pool.weights
        ):
            raise ValueError("there is not one weight per member")
        for member in self.members.values():
            check_classifier(member)
        weight = self.class_weight
        if weight.shape != self.pool.shares.shape or not weight.min() > 0:
            raise ValueError("there is not one positive weight per class")
        if not np.allclose(weight / weight.sum(), self.pool.shares, rtol=1e-9, atol=0):
            raise ValueError("the shares of a pool are not those of its classes")
        return self

    def restore(self, model: PooledDiscriminant, room: Room) -> None:
        """Set the state of an estimator."""
        members = {name: own.restore(room) for name, own in self.members.items()}
        first = last_step(next(iter(members.values())))._learned
        classes = first.classes
        for member in members.values():
            own = np.asarray(member.classes_)
            if own.dtype.kind != classes.dtype.kind or own.tolist() != classes.tolist():
                raise ValueError("the members of a pool have different classes")
            if member.n_features_in_ != first.columns.number:
                raise ValueError("the members of a pool have different features")
        if len(classes) != len(self.class_weight):
            raise ValueError("there is not one weight per class")
        class_priors(model.priors, classes, self.class_weight)
        model._state = PooledState(
            columns=first.columns,
            reader=first.reader,
            classes=classes,
            members=members,
            pool=self.pool,
            class_weight=self.class_weight,
            priors=model.priors,
        )


def stored(model: Any) -> StoredModel | StoredPipeline:
    """A fitted model or pipeline as a file holds it."""
    from suffice.estimators.model_file.model import StoredModel
    from suffice.estimators.model_file.pipeline import StoredPipeline

    return StoredPipeline.of(model) if isinstance(model, Pipeline) else StoredModel.of(model)


def check_classifier(member: Any) -> None:
    """Raise ValueError unless what a file holds is a classifier, or a pipeline."""
    from suffice.estimators.model_file.model import StoredModel
    from suffice.estimators.model_file.pipeline import StoredPipeline

    not_classifiers = ("GaussianMixture", "Indicators")
    if isinstance(member, StoredPipeline):
        check_classifier(list(member.steps.values())[-1])
    elif not isinstance(member, StoredModel) or member.estimator in not_classifiers:
        raise ValueError("a model within another is not a classifier")


@storable
@dataclass(frozen=True, slots=True)
class AutoContent:
    """The chosen model, and the scores of all candidates."""

    model: Any
    selection: Selection

    @classmethod
    def of(cls, model: AutoDiscriminant) -> Self:
        """The content of a file; raises if the chosen model is not one of this package."""
        return cls(stored(model.model_), model.selection_)

    def validated(self) -> Self:
        """This content, if it holds a classifier; a ValueError otherwise."""
        check_classifier(self.model)
        return self

    def restore(self, model: AutoDiscriminant, room: Room) -> None:
        """Set the state of an estimator."""
        chosen = self.model.restore(room)
        learned = last_step(chosen)._learned
        model._state = Chosen(
            columns=learned.columns,
            reader=learned.reader,
            classes=np.asarray(chosen.classes_),
            model=chosen,
            selection=replace(self.selection, model=chosen),
        )
