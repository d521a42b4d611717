"""Walker: values of registered dataclasses to the header and arrays of a file.

A value is written field by field: dataclasses, sequences and mappings as JSON that names them, and
arrays under the names of the fields that lead to them. `rebuilding` makes nothing but registered
classes of that, from fields that conform to their type hints, and has each value checked by its
class.

Many values in a sequence share few descriptions, and their arrays are stacked: the header, which
takes much memory once it is parsed, does not grow with their number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, ClassVar

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.storage.registry import STORABLE, field_tests, is_storable
from suffice.statistics.storage.stacking import Arrays, stack
from suffice.statistics.storage.texts import write_bytes, write_texts

SCALARS = (bool, int, float, str)
COLUMNS: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64}


def to_arrays(value: Any, exact: bool = False) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a value.

    exact : keep everything that the last bit of later sums depends on, so that a resumed pass
        gives the same bits. Otherwise statistics are written as the rows alone determine them.

    >>> from suffice.statistics.numbers import DoubleDouble
    >>> to_arrays(DoubleDouble(np.array([1.0, 2.0])))
    ({'kind': 'DoubleDouble', 'high': {'array': 'C'}}, {'high': array([1., 2.])})
    """
    writer = _Writer(exact)
    node = writer.node(value, "")
    return node, {name[1:]: array for name, array in writer.arrays.items()}


@dataclass(frozen=True, slots=True)
class _Writer:
    """The way to write one value; its arrays are collected under paths such as ".means.high"."""

    # Longest sequence of numbers or strings, and longest mapping, that are written as JSON.
    short: ClassVar[int] = 64

    exact: bool
    is_part: bool = False  # one of many: what differs from one to the next becomes an array
    keeps_order: bool = True  # Fortran order, on which the last bits of products may depend
    arrays: Arrays = field(default_factory=dict)

    def node(self, value: Any, path: str) -> Any:
        """The value as JSON; its arrays are put under the path."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, SCALARS):
            return self._scalar(value, path)
        if isinstance(value, np.ndarray):
            return {"array": self._array(value, path)}
        if isinstance(value, Mapping):
            return self._mapping(value, path)
        if isinstance(value, list | tuple):
            return {type(value).__name__: self._sequence(value, path)}
        return self._dataclass(value, path)

    def _scalar(self, value: Any, path: str) -> Any:
        if self.is_part and type(value) is str:
            self.arrays[path] = np.frombuffer(value.encode("utf-8", "surrogatepass"), np.uint8)
            return {"array": "text"}
        if self.is_part and isinstance(value, float | int) and not _is_long(value):
            self.arrays[path] = np.array(value)
            return {"array": "number"}
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": str(value)}
        return value

    def _array(self, array: Array, path: str) -> str:
        if array.dtype.kind == "U":
            self.arrays.update(write_texts(path, array.tolist()))
            return "texts"
        if array.dtype.kind not in "bifu" or array.dtype.itemsize > 8:
            raise TypeError(f"a file cannot hold an array of {array.dtype}")
        transposed = self.keeps_order and np.isfortran(array)
        self.arrays[path] = array.T if transposed else array
        return "F" if transposed else "C"

    def _mapping(self, mapping: Mapping[Any, Any], path: str) -> Any:
        if len(mapping) <= self.short and all(type(key) is str for key in mapping):
            own = zip(places(mapping), mapping.items(), strict=True)
            return {"names": {key: self.node(one, f"{path}.{at}") for at, (key, one) in own}}
        parts = {"keys": [*mapping], "values": [*mapping.values()]}
        return {"mapping": [self.node(one, f"{path}.{at}") for at, one in parts.items()]}

    def _sequence(self, values: Sequence[Any], path: str) -> Any:
        """Numbers and strings as JSON, or as an array if they are many; other values stacked."""
        kinds = {*map(type, values)}
        if kinds == {bytes}:
            self.arrays.update(write_bytes(path, values))
            return "bytes"
        # Most characters of such strings.
        short_characters = 4096
        if kinds == {str} and (
            len(values) > self.short or sum(map(len, values)) > short_characters
        ):
            self.arrays.update(write_texts(path, values))
            return "texts"
        if len(values) > self.short and len(kinds) == 1 and not any(map(_is_long, values)):
            (kind,) = kinds
            if kind in COLUMNS:
                self.arrays[path] = np.array(values, COLUMNS[kind])
                return "numbers"
        if all(one is None or type(one) in SCALARS for one in values):
            return [replace(self, is_part=False)._scalar(one, path) for one in values]
        return self._stack(values, path)

    def _stack(self, values: Sequence[Any], path: str) -> Any:
        forms: list[Any] = []
        keys: dict[str, int] = {}
        which: list[int] = []
        parts: list[Arrays] = []
        for value in values:
            writer = _Writer(self.exact, is_part=True, keeps_order=self.keeps_order)
            form = writer.node(value, "" if is_dataclass(value) else ".each")
            key = json.dumps(form)  # in which 1 and True differ
            if key not in keys:
                forms.append(form)
            which.append(keys.setdefault(key, len(keys)))
            parts.append(writer.arrays)
        flat, shapes = stack(parts)
        self.arrays[f"{path}#form"] = np.array(which, np.int64)
        self.arrays.update({f"{path}{name}": array for name, array in flat.items()})
        self.arrays.update({f"{path}#shapes{name}": array for name, array in shapes.items()})
        return {"forms": forms}

    def _dataclass(self, value: Any, path: str) -> dict[str, Any]:
        writer = self
        if hasattr(type(value), "stored"):
            value, writer = value.stored(self.exact), replace(self, keeps_order=self.exact)
        name = type(value).__name__
        if not is_storable(value):
            raise TypeError(f"a file cannot hold a {name}, which is not registered")
        node: dict[str, Any] = {"kind": name}
        for own in field_tests(STORABLE[name]):
            one = getattr(value, own)
            if one is not None:
                node[own] = writer.node(one, f"{path}.{own}")
        return node


def places(mapping: Iterable[str]) -> Iterable[str]:
    """Where the values of a mapping are put: at their keys, if these can be names."""
    return (key if key.isidentifier() else str(i) for i, key in enumerate(mapping))


def _is_long(value: Any) -> bool:
    return type(value) is int and not -(2**63) <= value < 2**63
