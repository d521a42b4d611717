"""Auto content: the model that was chosen, as a file holds it, and how it was chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.estimators.auto import AutoDiscriminant, Chosen
from suffice.estimators.candidates import last_step
from suffice.estimators.model_file.pooled_content import check_classifier, stored
from suffice.selection.selection import Selection
from suffice.statistics.registry import storable
from suffice.statistics.room import Room


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
