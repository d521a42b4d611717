"""Written numbers: texts such as "$1,234", "12%", "1.234,5" or "(7)" -> numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.cells import TextCells

# Written before or after a number; percent signs do not divide by a hundred.
_UNITS = r"[$€£¥₹₽₩₺฿%]"
_MINUS = "\u2212"
_SPACES = "[ \u00a0\u2009\u202f'\u2019]"


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    marks = f"(?:{re.escape(thousands)}|{_SPACES})"
    whole = f"[0-9]{{1,3}}(?:{marks}[0-9]{{3}})+|[0-9]+"
    number = rf"(?:(?:{whole})(?:{re.escape(decimal)}[0-9]*)?|{re.escape(decimal)}[0-9]+)"
    amount = rf"{number}(?:[eE][+-]?[0-9]+)?"
    sign = f"[-+{_MINUS}]?"
    return re.compile(
        rf"(?P<open>\()?\s*(?P<sign>{sign})\s*{_UNITS}?\s*(?P<inner>{sign})(?P<amount>{amount})"
        rf"\s*{_UNITS}?\s*(?(open)\))"
    )


# By the decimal mark; the other of the two marks separates thousands.
_PATTERNS = {".": _pattern(".", ","), ",": _pattern(",", ".")}
_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_LEADING_ZERO = re.compile(r"0[0-9]+")

# Share of codes such as "0123" from which on a column holds codes, not numbers.
LEADING_ZEROS = 0.01


def parse_number(text: str, decimal: str) -> float | None:
    """The number that a text writes, None if it writes none.

    >>> parse_number("$1,234.50", "."), parse_number("1.234,5", ","), parse_number("12%", ".")
    (1234.5, 1234.5, 12.0)
    >>> parse_number("(1,000)", "."), parse_number("12 rooms", ".")
    (-1000.0, None)
    """
    if decimal == "." and _PLAIN.fullmatch(text):
        return float(text)
    match = _PATTERNS[decimal].fullmatch(text)
    if match is None:
        return None
    other = "," if decimal == "." else "."
    digits = re.sub(_SPACES, "", match["amount"]).replace(other, "").replace(decimal, ".")
    signs = [match["sign"], match["inner"]]
    negative = bool(match["open"]) != any(one in ("-", _MINUS) for one in signs)
    return -float(digits) if negative else float(digits)


def parse_numbers(texts: Sequence[str], decimal: str) -> Floats:
    """The numbers that texts write, NaN where one writes none."""
    found = (parse_number(text, decimal) for text in texts)
    return np.array([np.nan if one is None else one for one in found], np.float64)


def decimal_mark(cells: TextCells, share: float) -> str | None:
    """The decimal mark by which at least this share of the cells are numbers; None if by neither.

    "1,234" alone is one thousand two hundred and thirty-four; beside "0,5" it has a fraction.

    >>> decimal_mark(TextCells.of(["1.234,5", "7"]), 0.9)
    ','
    """
    total = int(cells.counts.sum())
    zeros = [_LEADING_ZERO.fullmatch(text) is not None for text in cells.distinct]
    if not total or cells.counts[zeros].sum() > LEADING_ZEROS * total:
        return None
    return _best_mark(cells, total - share * total)


def likely_mark(cells: TextCells) -> str | None:
    """The decimal mark by which most cells are numbers; None if no cell is."""
    return _best_mark(cells, int(cells.counts.sum()) - 1)


def _best_mark(cells: TextCells, allowed: float) -> str | None:
    """The decimal mark by which the fewest cells fail, if they are no more than allowed."""
    failures = {
        mark: cells.failures(partial(parse_number, decimal=mark), allowed) for mark in _PATTERNS
    }
    best = min(failures, key=lambda mark: failures[mark])
    return best if failures[best] <= allowed else None
