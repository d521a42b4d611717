"""Values: parameters of an estimator as JSON and arrays, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.labels import shown
from suffice.errors import InvalidParameter
from suffice.statistics.complete_file import labels

# Lists in lists in lists: no parameter goes deeper.
DEEPEST = 6

_PREFIX = "parameter."
_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def kept(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Parameters that a file can hold, and of the others why they are left out.

    What only watches or drives a fit says nothing of the model, and is not to be executed when
    the file is read.

    >>> kept({"tol": 0.1, "callback": print})
    ({'tol': 0.1}, {'callback': 'a function'})
    """
    dropped = {name: why for name, value in parameters.items() if (why := _alive(value))}
    return {name: v for name, v in parameters.items() if name not in dropped}, dropped


def written(name: str, value: Any, arrays: dict[str, Array]) -> Any:
    """A value as JSON; arrays in it are put beside.

    >>> written("priors", {"a": 0.25, "b": 0.75}, {})
    {'mapping': [['a', 0.25], ['b', 0.75]]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray) or hasattr(value, "to_dict") or hasattr(value, "__array__"):
        return _written_array(name, value, arrays)
    if isinstance(value, Mapping):
        pairs = [[written(name, part, arrays) for part in pair] for pair in value.items()]
        return {"mapping": pairs}
    if isinstance(value, Set):
        value = sorted(value)
    if isinstance(value, Iterable):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [written(name, part, arrays) for part in value]}
    raise InvalidParameter(
        f"{name} is {shown(value)}, a {type(value).__name__}, which a file cannot hold; give "
        "numbers, texts, lists, mappings or arrays."
    )


def read(value: Any, arrays: Mapping[str, Array], depth: int = 0) -> Any:
    """The value that was written."""
    if depth > DEEPEST:
        raise ValueError("a parameter is nested too deeply")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("a parameter is of no known form")
    ((form, content),) = value.items()
    readers: dict[str, Callable[[], Any]] = {
        "float": lambda: _FLOATS[content],
        "array": lambda: _array(content, arrays),
        "texts": lambda: labels("str", content),
        "mapping": lambda: _mapping(content, arrays, depth),
        "list": lambda: [read(part, arrays, depth + 1) for part in _list(content)],
        "tuple": lambda: tuple(read(part, arrays, depth + 1) for part in _list(content)),
    }
    if form not in readers:
        raise ValueError(f"a parameter is of the unknown form {form!r}")
    return readers[form]()


def used(arrays: Iterable[str]) -> set[str]:
    """The names of arrays that belong to parameters."""
    return {name for name in arrays if name.startswith(_PREFIX)}


def _alive(value: Any) -> str | None:
    """What a value is that acts rather than says something, if it does."""
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return "a random generator"
    if callable(value):
        return "a function"
    return None


def _written_array(name: str, value: Any, arrays: dict[str, Array]) -> Any:
    if hasattr(value, "to_dict"):  # a pandas Series: by its index, unless that only counts
        by_index = value.to_dict()
        if not isinstance(value, np.ndarray) and list(by_index) != list(range(len(by_index))):
            return written(name, by_index, arrays)
    array = np.asarray(value)
    if array.ndim == 1 and array.dtype.kind == "U":
        return {"texts": array.tolist()}
    if array.ndim == 1 and array.dtype.kind == "O":
        return {"list": [written(name, part, arrays) for part in array.tolist()]}
    if array.dtype.kind not in "bif" or array.dtype.itemsize > 8:
        raise InvalidParameter(
            f"{name} is an array of {array.dtype}, which a file cannot hold; give numbers or texts."
        )
    key = f"{_PREFIX}{len(used(arrays)):04d}"
    arrays[key] = array
    return {"array": key}


def _array(key: Any, arrays: Mapping[str, Array]) -> Array:
    if not isinstance(key, str) or key not in used(arrays):
        raise ValueError("a parameter has no array")
    return arrays[key]


def _mapping(content: Any, arrays: Mapping[str, Array], depth: int) -> dict[Any, Any]:
    found = {}
    for pair in _list(content):
        key, value = (read(part, arrays, depth + 1) for part in _list(pair))
        if not isinstance(key, bool | int | float | str) or key in found:
            raise ValueError("a parameter has a key twice, or one that is no label")
        found[key] = value
    return found


def _list(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise ValueError("a parameter is not a list")
    return content
