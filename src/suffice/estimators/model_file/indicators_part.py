"""Indicators part: which columns are discrete, and their levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.mixed import ColumnLayout
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.indicators import FittedLevels, Indicators
from suffice.statistics.nesting import Arrays, check_names
from suffice.statistics.room import Room
from suffice.statistics.texts import STRING_BYTES, read_levels, write_levels

FIELDS: set[str] = set()


def to_arrays(model: Indicators) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of what was learned."""
    discrete = np.zeros(model.n_features_in_, np.bool_)
    discrete[list(model.layout_.discrete)] = True
    return {}, {"is_discrete": discrete, **write_levels("levels", model.levels_)}


def read(model: Indicators, header: dict[str, Any], arrays: Arrays, room: Room) -> None:
    """Set the layout and the levels; a ValueError says what is wrong."""
    discrete = arrays["is_discrete"]
    if discrete.dtype != np.bool_ or discrete.ndim != 1 or not len(discrete):
        raise ValueError("it does not say which features are discrete")
    room.take(STRING_BYTES * len(discrete), "the features")
    levels = read_levels("levels", arrays, room)
    layout = ColumnLayout.of_mask(discrete)
    if len(levels) != len(layout.discrete):
        raise ValueError("there is not one list of levels for each discrete feature")
    check_names(arrays, {"is_discrete"}, ["levels"])
    model._state = FittedLevels(columns=LearnedColumns(len(discrete)), layout=layout, levels=levels)
