"""Pipeline: steps of this package one after the other, as the header and arrays of a file."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from suffice import __version__
from suffice.errors import InvalidParameter
from suffice.estimators.model_file import model as model_file
from suffice.estimators.model_file.model import check_fields, check_version
from suffice.statistics.nesting import Arrays, below, prefixed
from suffice.statistics.room import Room

KIND = "pipeline"
VERSION = 1

FIELDS = {"kind", "version", "library", "steps", "verbose", "dropped"}

# Largest number of steps.
MOST_STEPS = 100

_MEMORY = {"memory": "a place of this machine"}


def to_arrays(pipeline: Pipeline) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a pipeline."""
    if type(pipeline) is not Pipeline or getattr(pipeline, "transform_input", None) is not None:
        raise InvalidParameter("a file holds a plain Pipeline of steps of suffice.")
    steps = [(name, step) for name, step in pipeline.steps if step not in (None, "passthrough")]
    header: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "library": __version__,
        "steps": [],
        "verbose": bool(pipeline.verbose),
        "dropped": {} if pipeline.memory is None else _MEMORY,
    }
    arrays: Arrays = {}
    for i, (name, step) in enumerate(steps):
        about, own = model_file.to_arrays(step)
        header["steps"].append({"name": name, "model": about})
        arrays |= prefixed(_prefix(i), own)
    return header, arrays


def read(header: dict[str, Any], arrays: Arrays, name: str, room: Room) -> Pipeline:
    """The pipeline of a header and arrays, fully validated; an error says what is wrong."""
    check_version(header, name, VERSION)
    check_fields(header, FIELDS, name)
    steps = header["steps"]
    if not isinstance(steps, list) or not all(map(_is_step, steps)):
        raise ValueError("the steps have no names")
    names = [step["name"] for step in steps]
    if not 1 <= len(names) <= MOST_STEPS or len(set(names)) < len(names):
        raise ValueError("there are no steps, or two have the same name")
    if any(
        "__" in own or own in {"steps", "memory", "verbose", "transform_input"} for own in names
    ):
        raise ValueError("a step has a name that pipelines use for something else")
    if not isinstance(header["verbose"], bool) or header["dropped"] not in ({}, _MEMORY):
        raise ValueError("a parameter of the pipeline is invalid")
    if {key.partition(".")[0] for key in arrays} != {_prefix(i) for i in range(len(names))}:
        raise ValueError("some steps have no arrays, or there are unexpected ones")
    models = [
        model_file.read(step["model"], below(_prefix(i), arrays), name, room)
        for i, step in enumerate(steps)
    ]
    if not all(hasattr(model, "transform") for model in models[:-1]):
        raise ValueError("a step in the middle does not transform rows")
    return Pipeline(list(zip(names, models, strict=True)), verbose=header["verbose"])


def _prefix(number: int) -> str:
    return f"step{number:02d}"


def _is_step(step: Any) -> bool:
    return (
        isinstance(step, dict)
        and set(step) == {"name", "model"}
        and isinstance(step["name"], str)
        and isinstance(step["model"], dict)
        and step["model"].get("kind") == model_file.KIND
    )
