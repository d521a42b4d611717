"""Indicators part: the schema is all that they have learned."""

from __future__ import annotations

from typing import Any

from suffice.data.arrays import Array
from suffice.estimators.columns import Columns
from suffice.estimators.indicators import FittedLevels, Indicators
from suffice.estimators.model_file.schema import read_levels

# A damaged number must not make for a large allocation.
MOST_FEATURES = 1 << 18

FIELDS: set[str] = set()


def written(model: Indicators) -> tuple[dict[str, Any], dict[str, Array]]:
    """Nothing beyond the schema."""
    return {}, {}


def read(
    model: Indicators,
    header: dict[str, Any],
    arrays: dict[str, Array],
    name: str,
    size: int | None,
) -> None:
    """Give them the layout and the levels of the schema; an error says what is wrong."""
    if arrays:
        raise ValueError(f"it has the arrays {sorted(arrays)}, which are not those of indicators")
    features = header["schema"]["features"]
    if type(features) is not int or features > MOST_FEATURES:
        raise ValueError("the schema tells of more features than a table has")
    layout, levels = read_levels(header["schema"])
    model._state = FittedLevels(columns=Columns(features), layout=layout, levels=levels)
