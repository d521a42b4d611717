"""Selection part: the results of cross-validation, stored with the model that was chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.estimators.choosing import GRID, STORED_METRICS
from suffice.selection.selection import Selection

_SCORES = "selection.scores."
_COMPLEXITY = "selection.complexity"


def to_arrays(selection: Selection) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays."""
    header = {
        "candidates": [dict(one) for one in selection.candidates],
        "metric": selection.metric,
        "notes": list(selection.notes),
    }
    arrays = {f"{_SCORES}{name}": np.asarray(values) for name, values in selection.scores.items()}
    return header, arrays | {_COMPLEXITY: np.asarray(selection.complexity, np.float64)}


def used(arrays: dict[str, Array]) -> set[str]:
    """The names of the arrays that belong to a selection."""
    return {name for name in arrays if name.startswith(_SCORES) or name == _COMPLEXITY}


def read(header: Any, arrays: dict[str, Array]) -> Selection:
    """The selection; an error says what is wrong."""
    if not isinstance(header, dict) or set(header) != {"candidates", "metric", "notes"}:
        raise ValueError("the selection has the wrong fields")
    candidates, notes = header["candidates"], header["notes"]
    if not isinstance(candidates, list) or not all(_is_candidate(one) for one in candidates):
        raise ValueError("the candidates of the selection are not parameters of the family")
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise ValueError("the notes of the selection are not strings")
    scores = {name: arrays[f"{_SCORES}{name}"] for name in STORED_METRICS}
    if used(arrays) != {f"{_SCORES}{name}" for name in STORED_METRICS} | {_COMPLEXITY}:
        raise ValueError("the selection has unexpected scores, or lacks some")
    complexity = arrays[_COMPLEXITY]
    n, folds = len(candidates), scores["log_loss"].shape[-1:]
    for values, shape in [(complexity, (n,)), *((s, (n, *folds)) for s in scores.values())]:
        # A candidate that failed in a fold has the score NaN there.
        if values.shape != shape or values.dtype != np.float64 or np.isneginf(values).any():
            raise ValueError("the selection does not have one score per candidate and fold")
    if not n or not folds[0]:
        raise ValueError("the selection has no candidates or no folds")
    ordered = tuple({name: one[name] for name in GRID} for one in candidates)
    selection = Selection(ordered, scores, complexity, header["metric"], tuple(notes))
    return replace(selection, chosen=selection.careful)


def _is_candidate(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and set(one) == set(GRID)
        and all(isinstance(value, float | int | str) for value in one.values())
    )
