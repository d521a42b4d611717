"""Pipeline: steps of this package one after the other, as a file of files, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from suffice import __version__
from suffice.data.arrays import Array
from suffice.errors import InvalidFile, InvalidParameter
from suffice.estimators.model_file import model as model_file
from suffice.estimators.model_file.model import check_fields, check_version
from suffice.statistics.container import pack, unpack

KIND = "pipeline"
VERSION = 1

FIELDS = {"format", "kind", "version", "library", "created", "steps", "verbose", "dropped"}

# No pipeline has more steps.
MOST_STEPS = 100


def packed(pipeline: Pipeline, created: str | None = None) -> bytes:
    """The bytes of a file: equal for equal pipelines."""
    if type(pipeline) is not Pipeline or getattr(pipeline, "transform_input", None) is not None:
        raise InvalidParameter("a file holds a plain Pipeline of steps of suffice.")
    steps = [(name, step) for name, step in pipeline.steps if step not in (None, "passthrough")]
    files = [np.frombuffer(model_file.packed(step), np.uint8) for _, step in steps]
    header = {
        "kind": KIND,
        "version": VERSION,
        "library": __version__,
        "created": created,
        "steps": [name for name, _ in steps],
        "verbose": bool(pipeline.verbose),
        "dropped": {} if pipeline.memory is None else {"memory": "a place of this machine"},
    }
    return pack(header, {f"step.{i:02d}": file for i, file in enumerate(files)})


def unpacked(
    header: dict[str, Any], arrays: dict[str, Array], name: str, size: int | None
) -> Pipeline:
    """The pipeline in a file, checked throughout; an error says what is wrong."""
    check_version(header, name, VERSION)
    check_fields(header, FIELDS, name)
    names = header["steps"]
    if not isinstance(names, list) or not all(isinstance(own, str) for own in names):
        raise ValueError("the steps have no names")
    if not 1 <= len(names) <= MOST_STEPS or len(set(names)) < len(names):
        raise ValueError("there are no steps, or two of a name")
    if any("__" in own or own in FIELDS | {"memory", "transform_input"} for own in names):
        raise ValueError("a step has a name that pipelines use for something else")
    if not isinstance(header["verbose"], bool) or header["dropped"] not in (
        {},
        {"memory": "a place of this machine"},
    ):
        raise ValueError("a parameter of the pipeline is not what it was")
    if sorted(arrays) != [f"step.{i:02d}" for i in range(len(names))]:
        raise ValueError("there is not a file for each step")
    steps = [_step(arrays[key], name, size) for key in sorted(arrays)]
    if not all(hasattr(step, "transform") for step in steps[:-1]):
        raise ValueError("a step in the middle does not transform rows")
    return Pipeline(list(zip(names, steps, strict=True)), verbose=header["verbose"])


def _step(array: Array, name: str, size: int | None) -> Any:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError("a step is not a file")
    header, arrays = unpack(array.tobytes(), name)
    if header.get("kind") != model_file.KIND:
        raise InvalidFile(f"{name} has a step that is not a model.")
    return model_file.unpacked(header, arrays, name, size)
