"""Given row: the values at which a user fixes some features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.text import shown


def given_row(estimator: Any, given: Any) -> Any:
    """The given values as a single row in the model's form; all others are missing."""
    row = np.full((1, estimator.n_features_in_), None, object)
    if isinstance(given, Mapping):
        for feature, value in given.items():
            if _shape(value) != ():
                raise InvalidParameter(
                    f"given has {shown(value)} for {shown(feature)}; give one value."
                )
            row[0, estimator._feature(feature)] = value
    elif isinstance(given, str | bytes) or _shape(given) != row.shape[1:]:
        raise InvalidParameter(
            f"given is {shown(given)}; it must be a row of {row.shape[1]} values with NaN for "
            "those to draw, or a mapping from features to values."
        )
    else:
        row[0] = list(given)
    try:
        parsed = estimator._parse_row(row)
    except InvalidFeatures as error:
        raise InvalidParameter(f"given: {error}") from None
    estimator._check_finite(parsed)
    return parsed


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a value; None if nested lists have different lengths."""
    try:
        return tuple(np.shape(value))
    except ValueError:
        return None
