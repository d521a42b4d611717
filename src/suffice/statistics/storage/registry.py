"""Registry: the classes of which a file may hold values, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from suffice.data.arrays import Array

Kind = TypeVar("Kind", bound=type)
Test = Callable[[Any], bool]

STORABLE: dict[str, Any] = {}


def storable(kind: Kind) -> Kind:
    """Let files hold the values of a dataclass; a decorator.

    Files hold the fields that `__init__` takes, under the name of the class. It may have

    stored(exact) -> Self : the form in which a value is written. Unless `exact`, it is one that
        the rows alone determine, whatever their order and whatever was removed since
    validated() -> Self : the value as it is used, after a file was read; a ValueError says what is
        wrong with it
    expansion() -> (bytes, what) : memory that the use of the value takes, where a small file could
        ask for much

    >>> from dataclasses import dataclass
    >>> @storable
    ... @dataclass(frozen=True)
    ... class Celsius:
    ...     degrees: float
    >>> STORABLE.pop("Celsius").__name__
    'Celsius'
    """
    known = STORABLE.setdefault(kind.__name__, kind)
    if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise TypeError(f"files already hold another {kind.__name__}: that of {known.__module__}")
    STORABLE[kind.__name__] = kind
    return kind


def is_storable(value: Any) -> bool:
    """Whether files hold values of exactly this class."""
    return STORABLE.get(type(value).__name__) is type(value)


@cache
def field_tests(kind: type) -> dict[str, Test]:
    """The fields of a dataclass, and the test whether a value conforms to the hint of each."""
    hints = get_type_hints(kind)
    return {field.name: conforms_to(hints[field.name]) for field in fields(kind) if field.init}


def conforms_to(hint: Any) -> Test:
    """The test whether a value is what a type hint says; arrays of floats have to be finite.

    >>> conforms_to(tuple[int, ...] | None)((1, 2.5))
    False
    """
    origin, args = get_origin(hint), get_args(hint)
    if hasattr(origin, "__value__"):  # an alias, as NDArray is since NumPy 2.5
        return conforms_to(origin.__value__[args])
    if hint is Any:
        return lambda value: True
    if origin in (Union, UnionType):
        tests = [conforms_to(one) for one in args]
        return lambda value: any(test(value) for test in tests)
    if origin is np.ndarray:
        return _array_test(get_args(args[1])[0])
    if origin in (tuple, list):
        each = conforms_to(args[0])
        return lambda value: type(value) is origin and all(map(each, value))
    if origin in (dict, Mapping):
        key, each = map(conforms_to, args)
        return lambda value: (
            type(value) is dict and all(key(name) and each(one) for name, one in value.items())
        )
    if hint is float:
        return lambda value: type(value) is float or (type(value) is int and abs(value) < 2**53)
    plain = (bool, int, str, bytes, NoneType)
    if hint in plain:
        return lambda value: type(value) is hint
    if getattr(hint, "_is_protocol", False):
        names = [name for name in vars(hint) if not name.startswith("_")]
        return lambda value: all(hasattr(type(value), name) for name in names)
    return lambda value: isinstance(value, hint)


def _array_test(dtype: Any) -> Test:
    def test(value: Any) -> bool:
        return isinstance(value, np.ndarray) and (dtype is Any or value.dtype == dtype)

    def is_finite(value: Array) -> bool:
        return test(value) and bool(np.isfinite(value).all())

    return is_finite if dtype is np.float64 else test
