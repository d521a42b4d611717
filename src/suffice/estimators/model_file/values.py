"""Values: parameters of an estimator as JSON and arrays, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from suffice.data.arrays import Array
from suffice.data.labels import shown
from suffice.errors import InvalidParameter
from suffice.models import likelihood, structures
from suffice.models.likelihood import Likelihood
from suffice.models.structures import Structure
from suffice.statistics.nesting import Arrays
from suffice.statistics.room import Room
from suffice.statistics.texts import STRING_BYTES, read_texts, write_texts

# Deepest nesting of lists in a parameter.
DEEPEST = 6

# Longest list that is stored as JSON, which is limited; longer ones become arrays.
SHORT = 64

LARGEST = 1 << 1000  # integers beyond this may not fit a float

_PREFIX = "parameter."
_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def split_storable(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Parameters that a file can hold, and the reasons why others are left out.

    Functions and random generators only observe or drive a fit; they do not describe the model,
    and must not be executed when the file is read.

    >>> split_storable({"tol": 0.1, "callback": print})
    ({'tol': 0.1}, {'callback': 'a function'})
    """
    dropped = {name: why for name, value in parameters.items() if (why := _reason_to_drop(value))}
    return {name: v for name, v in parameters.items() if name not in dropped}, dropped


def encode(name: str, value: Any, arrays: Arrays) -> Any:
    """A value as JSON; arrays and long lists in it are added to `arrays`.

    >>> encode("priors", {"a": 0.25, "b": 0.75}, {})
    {'mapping': [{'list': ['a', 'b']}, {'list': [0.25, 0.75]}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray) or hasattr(value, "to_dict") or hasattr(value, "__array__"):
        return _encode_array(name, value, arrays)
    if isinstance(value, Structure):
        return {"structure": encode(name, structures.to_dict(value), arrays)}
    if isinstance(value, Likelihood):
        return {"likelihood": encode(name, likelihood.to_dict(value), arrays)}
    if isinstance(value, Mapping):
        return {"mapping": [encode(name, [*part], arrays) for part in (value, value.values())]}
    if isinstance(value, Set):
        value = sorted(value)
    if isinstance(value, Iterable):
        kind, parts = "tuple" if isinstance(value, tuple) else "list", [*value]
        key = _columnar(parts, arrays)
        return {kind: [encode(name, part, arrays) for part in parts] if key is None else key}
    raise InvalidParameter(
        f"{name} is {shown(value)}, a {type(value).__name__}, which a file cannot hold; give "
        "numbers, strings, lists, mappings or arrays."
    )


def read(value: Any, arrays: Arrays, room: Room, depth: int = 0) -> Any:
    """The value that `encode` wrote; a ValueError says what is wrong."""
    if depth > DEEPEST:
        raise ValueError("a parameter is nested too deeply")
    if isinstance(value, int) and abs(value) >= LARGEST:
        raise ValueError("a parameter is a number that no float can hold")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("a parameter has no known form")
    ((form, content),) = value.items()
    readers: dict[str, Callable[[], Any]] = {
        "float": lambda: _FLOATS[content],
        "array": lambda: _array(content, arrays),
        "texts": lambda: _texts(content, arrays, room),
        "mapping": lambda: _mapping(content, arrays, room, depth),
        "list": lambda: _list(content, arrays, room, depth),
        "tuple": lambda: tuple(_list(content, arrays, room, depth)),
        "structure": lambda: structures.read(read(content, arrays, room, depth + 1)),
        "likelihood": lambda: likelihood.read(read(content, arrays, room, depth + 1)),
    }
    if form not in readers:
        raise ValueError(f"a parameter has the unknown form {form!r}")
    return readers[form]()


def used(arrays: Iterable[str]) -> set[str]:
    """The names of arrays that belong to parameters."""
    return {name for name in arrays if name.startswith(_PREFIX)}


def _reason_to_drop(value: Any) -> str | None:
    """What a value is, if a file must leave it out; else None."""
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return "a random generator"
    if callable(value):
        return "a function"
    if isinstance(value, BaseEstimator):
        return "an estimator"  # of which the statistics hold what it found
    return None


def _encode_array(name: str, value: Any, arrays: Arrays) -> Any:
    if hasattr(value, "to_dict"):  # a pandas Series: by its index, unless that is only 0, 1, ...
        by_index = value.to_dict()
        if not isinstance(value, np.ndarray) and list(by_index) != list(range(len(by_index))):
            return encode(name, by_index, arrays)
    array = np.asarray(value)
    if array.ndim == 1 and array.dtype.kind == "U":
        return {"texts": _put_texts(array.tolist(), arrays)}
    if array.ndim == 1 and array.dtype.kind == "O":
        return {"list": [encode(name, part, arrays) for part in array.tolist()]}
    if array.dtype.kind not in "bif" or array.dtype.itemsize > 8:
        raise InvalidParameter(
            f"{name} is an array of {array.dtype}, which a file cannot hold; give numbers or "
            "strings."
        )
    return {"array": _put(array, arrays)}


def _columnar(parts: Sequence[Any], arrays: Arrays) -> str | None:
    """The name of the array for a long list of one type; None for other lists."""
    kinds = {type(part) for part in parts} if len(parts) > SHORT else set()
    if kinds == {str}:
        return _put_texts(parts, arrays)
    if kinds == {int} and all(-(2**63) <= part < 2**63 for part in parts):
        return _put(np.array(parts, np.int64), arrays)
    return _put(np.array(parts), arrays) if kinds in ({bool}, {float}) else None


def _put(array: Array, arrays: Arrays) -> str:
    key = f"{_PREFIX}{len(used(arrays)):04d}"
    arrays[key] = array
    return key


def _put_texts(texts: Sequence[str], arrays: Arrays) -> str:
    key = f"{_PREFIX}{len(used(arrays)):04d}"
    arrays.update(write_texts(key, texts))
    return key


def _array(key: Any, arrays: Arrays) -> Array:
    if not isinstance(key, str) or key not in used(arrays):
        raise ValueError("a parameter has no array")
    return arrays[key]


def _texts(key: Any, arrays: Arrays, room: Room) -> Array:
    _array(key, arrays)
    texts = read_texts(key, arrays, room)
    room.take(4 * len(texts) * max(map(len, texts), default=0), "the texts of a parameter")
    return np.array(texts, dtype=np.str_)


def _mapping(content: Any, arrays: Arrays, room: Room, depth: int) -> dict[Any, Any]:
    if not isinstance(content, list) or len(content) != 2:
        raise ValueError("a parameter is not a mapping")
    keys, values = (read(part, arrays, room, depth + 1) for part in content)
    if not isinstance(keys, list) or not isinstance(values, list) or len(keys) != len(values):
        raise ValueError("a parameter does not have one value per key")
    if not all(isinstance(key, bool | int | float | str | Likelihood) for key in keys):
        raise ValueError("a parameter has a key that is not a label")
    mapping = dict(zip(keys, values, strict=True))
    if len(mapping) < len(keys):
        raise ValueError("a parameter has a key twice")
    return mapping


def _list(content: Any, arrays: Arrays, room: Room, depth: int) -> list[Any]:
    if isinstance(content, list):
        return [read(part, arrays, room, depth + 1) for part in content]
    array = _array(content, arrays)
    if array.ndim != 1:
        raise ValueError("a parameter is not a list")
    if f"{content}.ends" in arrays:
        return read_texts(content, arrays, room)
    room.take(STRING_BYTES * len(array), "the numbers of a parameter")
    return [*array.tolist()]
