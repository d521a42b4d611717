"""Parameters: those of an estimator as plain values that a file can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from suffice.data.columns.description import Description
from suffice.errors import InvalidParameter
from suffice.statistics.exact.points import GridPoints
from suffice.statistics.storage.registry import is_storable
from suffice.text import shown


def split_storable(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Parameters that a file can hold, and the reasons why others are left out.

    Functions and random generators only observe or drive a fit; they do not describe the model,
    and must not be executed when the file is read.

    >>> split_storable({"tol": 0.1, "callback": print})
    ({'tol': 0.1}, {'callback': 'a function'})
    """
    dropped = {name: why for name, value in parameters.items() if (why := _reason_to_drop(value))}
    kept = {name: plain(name, v) for name, v in parameters.items() if name not in dropped}
    return kept, dropped


def plain(name: str, value: Any) -> Any:
    """The value of a parameter made of numbers, strings, lists, tuples, mappings and arrays.

    >>> plain("categorical", {"b", "a"})
    ['a', 'b']
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Description):
        value = value.layout
    if (
        value is None
        or isinstance(value, bool | int | float | str | GridPoints)
        or is_storable(value)
    ):
        return value
    if isinstance(value, np.ndarray) or hasattr(value, "to_dict") or hasattr(value, "__array__"):
        return _plain_array(name, value)
    if isinstance(value, Mapping):
        return {plain(name, key): plain(name, one) for key, one in value.items()}
    if isinstance(value, Set):
        value = sorted(value)
    if isinstance(value, Iterable):
        parts = [plain(name, one) for one in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    raise InvalidParameter(
        f"{name} is {shown(value)}, a {type(value).__name__}, which a file cannot hold; give "
        "numbers, strings, lists, mappings or arrays."
    )


def _plain_array(name: str, value: Any) -> Any:
    if hasattr(value, "to_dict"):  # a pandas Series: by its index, unless that is only 0, 1, ...
        by_index = value.to_dict()
        if not isinstance(value, np.ndarray) and list(by_index) != list(range(len(by_index))):
            return plain(name, by_index)
    array = np.asarray(value)
    if array.ndim == 1 and array.dtype.kind == "O":
        return [plain(name, part) for part in array.tolist()]
    is_text = array.ndim == 1 and array.dtype.kind == "U"
    if not is_text and (array.dtype.kind not in "bif" or array.dtype.itemsize > 8):
        raise InvalidParameter(
            f"{name} is an array of {array.dtype}, which a file cannot hold; give numbers or "
            "strings."
        )
    return array


def _reason_to_drop(value: Any) -> str | None:
    """What a value is, if a file must leave it out; else None."""
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return "a random generator"
    if callable(value):
        return "a function"
    if isinstance(value, BaseEstimator):
        return "an estimator"  # the statistics hold its result
    if hasattr(value, "get_n_splits"):
        return "a splitter"
    some = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list | tuple) and any(
        isinstance(x, BaseEstimator) for x in some
    ):
        return "estimators"  # its members are kept
    return None
