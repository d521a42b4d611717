"""Parsing: the compiled loop from the bytes of a plain text to columns of numbers and of texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.decimals import nearest
from suffice.data.jit import jit

_LINE, _RETURN, _SPACE, _QUOTE, _COMMA, _POINT = b'\n\r ",.'
_PLUS, _MINUS, _LOWER, _UPPER = b"+-eE"
_TEN, _ZERO = np.uint64(10), np.uint64(ord("0"))

# So many digits are a whole number of 64 bits, whichever they are.
MOST_DIGITS = 19

# An exponent beyond this is left to others, however many zeros may bring the number back in range.
_FAR = 10_000

# What a column is read as.
SKIPPED, NUMBER, TEXT = 0, 1, 2


@jit()
def lines(data: Any) -> int:  # pragma: no cover - compiled
    """How many lines end in a text."""
    count = 0
    for i in range(len(data)):
        count += data[i] == _LINE
    return count


@jit()
def parse(
    data: Any,
    separator: int,
    roles: Any,
    nothing: Any,
    ends: Any,
    values: Any,
    letters: Any,
    edges: Any,
) -> int:  # pragma: no cover - compiled
    """How many rows there are in a text that ends with a line; -1 where something is not plain.

    roles : what each column is read as, and the number of the column to write it to
    nothing : texts that mean nothing, one after the other
    ends : where the first of them starts, and each ends
    values, letters, edges : numbers, texts one after the other, and where the first of these
        starts, and each ends, by column
    """
    n, width, at, row = len(data), len(roles), 0, 0
    comma = separator != _COMMA
    while at < n:
        if _is_line_end(data, at):
            at += 1 + (data[at] == _RETURN)
            continue
        for j in range(width):
            kind, place = roles[j]
            if kind == NUMBER:
                value, stop = _number(data, at, comma)
                if not _is_end(_byte(data, stop), separator):
                    value, stop = _odd(data, at, separator, comma, nothing, ends)
                values[place, row] = value
            else:
                start, stop = _text(data, at, separator)
                if kind == TEXT:
                    to = edges[place, row]
                    for i in range(start, stop - (start - at)):
                        letters[place, to] = data[i]
                        to += 1
                    edges[place, row + 1] = to
            if stop < 0:
                return -1
            if j + 1 == width:
                if not _is_line_end(data, stop):
                    return -1
                stop += _byte(data, stop) == _RETURN
            elif _byte(data, stop) != separator:
                return -1
            at = stop + 1
        row += 1
    return row


@jit()
def _byte(data: Any, at: int) -> Any:  # pragma: no cover - compiled
    # A place without a sign need not be looked at for whether it counts from the end.
    return data[np.uintp(at)]


@jit()
def _is_end(letter: int, separator: int) -> bool:  # pragma: no cover - compiled
    return (letter == separator) | (letter == _LINE) | (letter == _RETURN)


@jit()
def _is_line_end(data: Any, at: int) -> Any:  # pragma: no cover - compiled
    if _byte(data, at) == _RETURN:
        at += 1
    return _byte(data, at) == _LINE


@jit(inline="always")
def _number(data: Any, at: int, comma: bool) -> tuple[float, int]:  # pragma: no cover - compiled
    """The number at a place, and where it ends; NaN, and the place, where there is none."""
    start = at
    negative = _byte(data, at) == _MINUS
    if negative or _byte(data, at) == _PLUS:
        at += 1
    first, power = at, 0
    digits, at = _digits(data, at, np.uint64(0))
    count = at - first
    if _byte(data, at) == _POINT or (comma and _byte(data, at) == _COMMA):
        point = at + 1
        digits, at = _digits(data, point, digits)
        power = point - at
        count -= power
    if count == 0 or (count > MOST_DIGITS and count - _zeros(data, first, at) > MOST_DIGITS):
        return np.nan, start
    if _byte(data, at) == _LOWER or _byte(data, at) == _UPPER:
        exponent, at = _exponent(data, at + 1)
        if at < 0:
            return np.nan, start
        power += exponent
    value = nearest(digits, power)
    if np.isnan(value):
        return np.nan, start
    return -value if negative else value, at


@jit(inline="always")
def _digits(data: Any, at: int, digits: Any) -> tuple[Any, int]:  # pragma: no cover - compiled
    """A whole number followed by the digits at a place, and where these end."""
    digit = np.uint64(_byte(data, at)) - _ZERO
    while digit < _TEN:
        digits = digits * _TEN + digit
        at += 1
        digit = np.uint64(_byte(data, at)) - _ZERO
    return digits, at


@jit()
def _zeros(data: Any, first: int, stop: int) -> int:  # pragma: no cover - compiled
    """How many zeros a number starts with."""
    count = 0
    for i in range(first, stop):
        if data[i] > _ZERO:
            break
        count += data[i] == _ZERO
    return count


@jit()
def _exponent(data: Any, at: int) -> tuple[int, int]:  # pragma: no cover - compiled
    """The exponent at a place, and where it ends; -1 where there is none."""
    negative = data[at] == _MINUS
    if negative or data[at] == _PLUS:
        at += 1
    first, exponent = at, 0
    digit = np.uint64(data[at]) - _ZERO
    while digit < _TEN and exponent < _FAR:
        exponent = 10 * exponent + int(digit)
        at += 1
        digit = np.uint64(data[at]) - _ZERO
    known = first < at and exponent < _FAR
    return (-exponent if negative else exponent), (at if known else -1)


@jit()
def _odd(
    data: Any, at: int, separator: int, comma: bool, nothing: Any, ends: Any
) -> tuple[float, int]:  # pragma: no cover - compiled
    """A number with spaces about it, or a text for nothing, and where its field ends; or -1."""
    stop = at
    while not _is_end(_byte(data, stop), separator):
        stop += 1
    first, last = at, stop
    while first < last and data[first] == _SPACE:
        first += 1
    while first < last and data[last - 1] == _SPACE:
        last -= 1
    value, end = _number(data, first, comma)
    if end == last:
        return value, stop
    for j in range(len(ends) - 1):
        if _same(data[first:last], nothing[ends[j] : ends[j + 1]]):
            return np.nan, stop
    return np.nan, -1


@jit()
def _same(one: Any, other: Any) -> bool:  # pragma: no cover - compiled
    same = len(one) == len(other)
    i = 0
    while same and i < len(one):
        same = one[i] == other[i]
        i += 1
    return same


@jit()
def _text(data: Any, at: int, separator: int) -> tuple[int, int]:  # pragma: no cover - compiled
    """Where the text of a field starts, and where the field ends; or -1.

    A text in quotes starts and ends one letter within its field.
    """
    stop = at
    if data[at] != _QUOTE:
        while not _is_end(_byte(data, stop), separator):
            if _byte(data, stop) == _QUOTE:
                return at, -1
            stop += 1
        return at, stop
    stop += 1
    while stop < len(data) and data[stop] != _QUOTE:
        stop += 1
    return (at + 1, stop + 1) if at + 1 < stop < len(data) else (at, -1)
