"""Schema: the columns that a model requires, and a summary of its training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array

LABEL_KINDS = {"b": "bool", "i": "int", "f": "float", "U": "str"}


def schema_of(model: Any) -> dict[str, Any]:
    """Features, their names, and the positions and levels of those that are discrete."""
    names = getattr(model, "feature_names_in_", None)
    discrete, levels = _levels(model)
    return {
        "features": int(model.n_features_in_),
        "names": None if names is None else [str(name) for name in names],
        "discrete": discrete,
        "levels": [{"kind": LABEL_KINDS[own.dtype.kind], "values": own.tolist()} for own in levels],
    }


def training_of(model: Any) -> dict[str, Any]:
    """Classes, with the rows of each (if counted) and their weight."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return {"labels": None, "classes": None, "rows": None, "weight": None}
    statistics = _statistics(model)
    weight = model._class_weight() if statistics is None else statistics.weight
    return {
        "labels": LABEL_KINDS[classes.dtype.kind],
        "classes": classes.tolist(),
        "rows": None if statistics is None else statistics.count.tolist(),
        "weight": None if weight is None else np.asarray(weight, np.float64).tolist(),
    }


def _statistics(model: Any) -> Any:
    """The statistics of a model, or of the first member of a pool that has some; else None."""
    members = getattr(model, "members_", {"": model}).values()
    candidates = (getattr(member, "statistics_", None) for member in members)
    return next((one for one in candidates if one is not None), None)


def _levels(model: Any) -> tuple[list[int], list[Array]]:
    """Positions of the discrete features, and the levels of each."""
    if hasattr(model, "layout_"):
        return list(model.layout_.discrete), model.levels_
    by_position = getattr(_statistics(model), "levels", {})
    discrete = sorted(by_position)
    return discrete, [by_position[j] for j in discrete]
