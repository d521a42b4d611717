"""Pipeline: steps of this package one after the other, as a file holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from sklearn.pipeline import Pipeline

from suffice import __version__
from suffice.errors import InvalidParameter
from suffice.estimators.model_file.model import StoredModel, check_note
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.room import Room

_MEMORY = {"memory": "a folder of this machine"}


@storable
@dataclass(frozen=True, slots=True)
class StoredPipeline:
    """Estimators by name; see `StoredModel` for the other fields."""

    library: str
    steps: Mapping[str, StoredModel]
    dropped: Mapping[str, str]
    verbose: bool
    created: str | None = None

    @classmethod
    def of(cls, pipeline: Pipeline, created: str | None = None) -> Self:
        """The content of a file."""
        if type(pipeline) is not Pipeline or getattr(pipeline, "transform_input", None) is not None:
            raise InvalidParameter("a file holds a plain Pipeline of steps of suffice.")
        steps = {
            name: StoredModel.of(step)
            for name, step in pipeline.steps
            if step not in (None, "passthrough")
        }
        dropped = {} if pipeline.memory is None else _MEMORY
        return cls(__version__, steps, dropped, bool(pipeline.verbose), created)

    def validated(self) -> Self:
        """This content, if a pipeline can have such steps; a ValueError otherwise."""
        check_note("library", self.library)
        check_note("created", self.created)
        # Largest number of steps.
        most_steps = 100
        if not 1 <= len(self.steps) <= most_steps:
            raise ValueError("there are no steps, or too many")
        taken = {"steps", "memory", "verbose", "transform_input"}
        if any("__" in name or name in taken for name in self.steps):
            raise ValueError("a step has a name that pipelines use for something else")
        if self.dropped not in ({}, _MEMORY):
            raise ValueError("a parameter of the pipeline is invalid")
        return self

    def restore(self, room: Room) -> Any:
        """The pipeline, fully validated; an error says what is wrong."""
        models = [(name, step.restore(room)) for name, step in self.steps.items()]
        if not all(hasattr(model, "transform") for _, model in models[:-1]):
            raise ValueError("a step in the middle does not transform rows")
        return Pipeline(models, verbose=self.verbose)
