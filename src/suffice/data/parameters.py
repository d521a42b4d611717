"""Parameters: checks of what users pass by name; one sentence says what is wrong."""

from __future__ import annotations

import os
from collections.abc import Collection
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.text import did_you_mean, shown


def is_number(value: Any) -> bool:
    """Whether a value is a real number; booleans and time spans are not."""
    return isinstance(value, Real | Decimal) and not isinstance(
        value, bool | np.bool_ | np.timedelta64
    )


def as_floats(values: Any) -> Floats:
    """A new array of numbers; a TypeError, ValueError or OverflowError for anything else."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        others = [value for value in array.ravel().tolist() if not is_number(value)]
        if others:
            raise TypeError(f"{shown(others[0])} is not a number")
    elif array.dtype.kind not in "fiu":
        raise TypeError(f"{array.dtype} values are not numbers")
    return np.array(array, np.float64)


def choice(name: str, value: Any, allowed: Collection[str], otherwise: str = "") -> str:
    """The value, if it is one of those allowed.

    otherwise : what else a user could have given, for the message
    """
    if not isinstance(value, str) or value not in allowed:
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        raise InvalidParameter(
            f"{name} is {shown(value)}; it must be {otherwise}one of {', '.join(allowed)}.{hint}"
        )
    return value


def flag(name: str, value: Any) -> bool:
    """The value, if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{name} is {shown(value)}; it must be True or False.")
    return bool(value)


def share(name: str, value: Any) -> float:
    """The value, if it is a number from 0 to 1."""
    number = as_float(value)
    if not 0 <= number <= 1:
        raise InvalidParameter(f"{name} is {shown(value)}; it must be a number from 0 to 1.")
    return number


def not_negative(name: str, value: Any) -> float:
    """The value, if it is a finite number not below 0."""
    number = as_float(value)
    if not 0 <= number < np.inf:
        raise InvalidParameter(f"{name} is {shown(value)}; it must be a number not below 0.")
    return number


def positive(name: str, value: Any) -> float:
    """The value, if it is a finite number above 0."""
    number = as_float(value)
    if not 0 < number < np.inf:
        raise InvalidParameter(f"{name} is {shown(value)}; it must be a number above 0.")
    return number


def count(name: str, value: Any, most: int = 10**9) -> int:
    """The value, if it is a positive integer; a larger one than `most` is a mistake."""
    whole = isinstance(value, int | np.integer) and is_number(value)
    if not whole or value < 1:
        raise InvalidParameter(f"{name} is {shown(value)}; it must be a positive integer.")
    if value > most:
        raise InvalidParameter(f"{name} is {shown(value)}; it must be at most {most:,}.")
    return int(value)


def numbers(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Floats | None:
    """An array of finite numbers, of this shape if one is given; None stays None."""
    return None if values is None else finite(name, values, shape)


def finite(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Floats:
    """An array of finite numbers, of this shape if one is given; -1 in it stands for any size."""
    try:
        array = as_floats(values)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"{name} must hold numbers.") from None
    if shape is None:
        fits, expected = True, ""
    else:
        sizes = zip(shape, array.shape, strict=False)
        fits = array.ndim == len(shape) and all(size in (own, -1) for size, own in sizes)
        expected = " in the shape " + str(shape).replace("-1", "d")
    if not fits or not np.isfinite(array).all():
        raise InvalidParameter(f"{name} must hold finite numbers{expected}.")
    return array


def check_callable(name: str, value: Any) -> None:
    """Raise unless the value can be called, or is None."""
    if value is not None and not callable(value):
        raise InvalidParameter(f"{name} is {shown(value)}; it must be a function, or None.")


def check_path(path: Any) -> None:
    """Raise unless the value can name a file."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidParameter(f"path is {shown(path)}; it must be the name of a file.")


def check_room(name: str, value: int, size: int, advice: str) -> None:
    """Raise where an answer of `size` bytes would not fit into the memory of this machine."""
    room = memory_bytes()
    if size > room:
        raise InvalidParameter(
            f"{name} is {value:,}: the answer would take {_format_bytes(size)}, and this machine "
            f"has {_format_bytes(room)} of memory. {advice}"
        )


def as_float(value: Any) -> float:
    """The value as a float; NaN where it is not a number, infinity where it is too large."""
    try:
        return float(value) if is_number(value) else np.nan
    except OverflowError:
        return np.inf


def memory_bytes() -> int:
    """Bytes of memory; where the system does not say, as many as could be addressed."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 47


def _format_bytes(size: int) -> str:
    units = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")
    at = min(len(units) - 1, max(0, (size.bit_length() - 1) // 10))
    return f"{size / (1 << 10 * at):,.3g} {units[at]}"
