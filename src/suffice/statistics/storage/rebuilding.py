"""Rebuilding: values of registered dataclasses from the header and arrays that `walker` wrote."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.storage.container import brief
from suffice.statistics.storage.registry import STORABLE, field_tests
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.stacking import Arrays, unstack
from suffice.statistics.storage.texts import read_bytes, read_labels, read_texts
from suffice.statistics.storage.walker import COLUMNS, SCALARS, places


def read(header: Any, arrays: Arrays, room: Room) -> Any:
    """The value of a header and arrays, fully validated; a ValueError says what is wrong."""
    reader = _Reader({f".{name}": array for name, array in arrays.items()}, room)
    with np.errstate(all="ignore"):  # what overflows is refused by the checks
        return reader.whole(header, "")


@dataclass(frozen=True, slots=True)
class _Reader:
    """The arrays of one value; each is taken out when it is used, so that none is used twice."""

    arrays: Arrays
    room: Room

    def whole(self, node: Any, path: str, depth: int = 0) -> Any:
        """The value that all the arrays belong to."""
        value = self.value(node, path, depth)
        if self.arrays:
            raise ValueError(f"it has the unexpected array {min(self.arrays)[1:]!r}")
        return value

    def value(self, node: Any, path: str, depth: int) -> Any:
        """The value that a node describes, with its arrays at the path."""
        # Integers beyond this may not fit a float.
        largest_integer = 1 << 1000
        if isinstance(node, int) and abs(node) >= largest_integer:
            raise ValueError(f"{_name(path)} is a number that no float can hold")
        if node is None or isinstance(node, SCALARS):
            return node
        # Deepest nesting of values.
        deepest = 24
        if depth > deepest:
            raise ValueError(f"{_name(path)} is nested too deeply")
        if isinstance(node, dict) and "kind" in node:
            return self._dataclass(node, path, depth)
        if not isinstance(node, dict) or len(node) != 1:
            raise ValueError(f"{_name(path)} has no known form")
        ((form, content),) = node.items()
        if form == "array":
            return self._array(content, path)
        if form in ("list", "tuple"):
            values = self._sequence(content, path, depth)
            return tuple(values) if form == "tuple" else values
        if form in ("names", "mapping"):
            return self._mapping(form, content, path, depth)
        floats = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
        if form == "float" and isinstance(content, str) and content in floats:
            return floats[content]
        raise ValueError(f"{_name(path)} has the unknown form {form!r}")

    def _take(self, path: str) -> Array:
        if path not in self.arrays:
            raise ValueError(f"it lacks the array {_name(path)!r}")
        return self.arrays.pop(path)

    def _texts(self, path: str) -> tuple[str, Array, Array]:
        return _name(path), self._take(path), self._take(f"{path}.ends")

    def _array(self, form: Any, path: str) -> Any:
        if form == "texts":
            return read_labels(*self._texts(path), self.room)
        array = self._take(path)
        if form in ("C", "F"):
            return array if form == "C" else array.T
        if form == "text":
            (text,) = read_texts(_name(path), array, np.array([array.size]), self.room)
            return text
        if form != "number" or array.shape != () or array.dtype not in COLUMNS.values():
            raise ValueError(f"{_name(path)} is not an array of a known form")
        return array.item()

    def _sequence(self, content: Any, path: str, depth: int) -> list[Any]:
        if isinstance(content, list):
            return [self.value(one, f"{path}.{i}", depth + 1) for i, one in enumerate(content)]
        if isinstance(content, dict) and set(content) == {"forms"}:
            return self._stack(content["forms"], path, depth)
        if content == "texts":
            return read_texts(*self._texts(path), self.room)
        if content == "bytes":
            return read_bytes(*self._texts(path), self.room)
        numbers = self._take(path)
        if content != "numbers" or numbers.ndim != 1 or numbers.dtype not in COLUMNS.values():
            raise ValueError(f"{_name(path)} is not a sequence")
        # Memory of a number in a list.
        number_bytes = 40
        self.room.take(number_bytes * len(numbers), f"the numbers of {_name(path)}")
        return [*numbers.tolist()]

    def _stack(self, forms: Any, path: str, depth: int) -> list[Any]:
        which = self._take(f"{path}#form")
        if not isinstance(forms, list) or which.dtype != np.int64 or which.ndim != 1:
            raise ValueError(f"the parts of {_name(path)} have no forms")
        if ((which < 0) | (which >= len(forms))).any():
            raise ValueError(f"the parts of {_name(path)} have unknown forms")
        entries = np.array([*map(_count, forms)], np.float64)[which].sum()
        # Memory of an object for each entry of the JSON that describes it.
        entry_bytes = 64
        self.room.take(int(entry_bytes * entries), f"the parts of {_name(path)}")
        shapes = self._below(f"{path}#shapes")
        parts = zip(which.tolist(), unstack(self._below(path), shapes, len(which)), strict=True)
        values = []
        for form, own in parts:
            node = forms[form]
            is_object = isinstance(node, dict) and "kind" in node
            values.append(
                _Reader(own, self.room).whole(node, "" if is_object else ".each", depth + 1)
            )
        return values

    def _below(self, path: str) -> Arrays:
        """The arrays whose paths start with this one, by the rest of their paths."""
        names = [name for name in self.arrays if name.startswith(f"{path}.")]
        return {name[len(path) :]: self.arrays.pop(name) for name in names}

    def _mapping(self, form: str, content: Any, path: str, depth: int) -> dict[Any, Any]:
        if form == "names":
            if not isinstance(content, dict):
                raise ValueError(f"{_name(path)} is not given by name")
            own = zip(places(content), content.items(), strict=True)
            return {key: self.value(one, f"{path}.{at}", depth + 1) for at, (key, one) in own}
        if not isinstance(content, list) or len(content) != 2:
            raise ValueError(f"{_name(path)} is not a mapping")
        sides = zip(("keys", "values"), content, strict=True)
        keys, values = (self.value(one, f"{path}.{at}", depth + 1) for at, one in sides)
        if not isinstance(keys, list) or not isinstance(values, list) or len(keys) != len(values):
            raise ValueError(f"{_name(path)} does not have one value per key")
        try:
            mapping = dict(zip(keys, values, strict=True))
        except TypeError:
            raise ValueError(f"{_name(path)} has a key that cannot be one") from None
        if len(mapping) < len(keys):
            raise ValueError(f"{_name(path)} has a key twice")
        return mapping

    def _dataclass(self, node: dict[str, Any], path: str, depth: int) -> Any:
        name = node["kind"]
        kind = STORABLE.get(name) if isinstance(name, str) else None
        if kind is None:
            raise ValueError(
                f"it holds a {brief(name)}, which this version of suffice does not know. Upgrade "
                "suffice"
            )
        tests, values = field_tests(kind), {}
        for own, test in tests.items():
            at = f"{path}.{own}"
            value = self.value(node.get(own), at, depth + 1)
            if not test(value):
                raise ValueError(_mismatch(_name(at), own in node, value))
            values[own] = value
        unknown = sorted(set(node) - set(tests) - {"kind"})
        if unknown:
            raise ValueError(
                f"a {name} has the field {brief(unknown[0])}, which this version of suffice does "
                "not know. Upgrade suffice"
            )
        value = kind(**values)
        if hasattr(kind, "expansion"):
            self.room.take(*value.expansion())
        return value.validated() if hasattr(kind, "validated") else value


def _mismatch(name: str, given: bool, value: Any) -> str:
    if not given:
        return f"it lacks the field {name!r}"
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return f"{name} holds values that are not finite, or should be something else"
    return f"{name} has the wrong type"


def _name(path: str) -> str:
    return path[1:] or "it"


def _count(node: Any) -> int:
    """Number of entries of a node."""
    if isinstance(node, dict | list):
        return 1 + sum(map(_count, node.values() if isinstance(node, dict) else node))
    return 1
