"""Written numbers: texts such as "$1,234", "12%", "1.234,5" or "(7)" -> numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.columns.cells import TextCells

# Texts that name something, such as a postcode: a number would lose their first zero.
LEADING_ZERO = "^0[0-9]+$"
# Share of such cells from which a column holds codes, not numbers.
CODE_SHARE = 0.01
# Product codes, if all cells are such: programs write numbers as 1e+05, with a sign.
BARE_EXPONENT = "^[0-9]+[eE][0-9]+$"


@cache
def _notation(decimal: str) -> tuple[re.Pattern[str], dict[int, str | None]]:
    """The pattern of numbers with a decimal mark, and what turns them into Python's notation."""
    thousands = "," if decimal == "." else "."
    units = "$€£¥₹₽₩₺฿%"  # before or after a number; percent signs do not divide by a hundred
    spaces, minus = " \u00a0\u2009\u202f'\u2019", "\u2212"
    point = re.escape(decimal)
    whole = f"[0-9]+|[1-9][0-9]{{0,2}}(?:[{re.escape(thousands)}{spaces}][0-9]{{3}})+"
    number = rf"(?:(?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    unit, sign = rf"(?:\s*[{units}]\s*)?", f"[-+{minus}]"
    signed = rf"(?:{sign}\s*{unit}|{unit}{sign}|{unit}){number}{unit}"
    removed = dict.fromkeys(f"{units}{spaces}{thousands}\t)")
    translation = str.maketrans({**removed, decimal: ".", minus: "-", "(": "-"})
    return re.compile(rf"{signed}|\({unit}{number}{unit}\)"), translation


def parse_number(text: str, decimal: str) -> float | None:
    """The number that a text writes, None if it writes none.

    >>> parse_number("$1,234.50", "."), parse_number("1.234,5", ","), parse_number("12%", ".")
    (1234.5, 1234.5, 12.0)
    >>> parse_number("(1,000)", "."), parse_number("12 rooms", ".")
    (-1000.0, None)
    >>> parse_number("0,499", "."), parse_number("0,499", ",")
    (None, 0.499)
    """
    pattern, translation = _notation(decimal)
    return None if pattern.fullmatch(text) is None else float(text.translate(translation))


def parse_numbers(texts: Sequence[str], decimal: str) -> Floats:
    """The numbers that texts write, NaN where one writes none."""
    numbers = (parse_number(text, decimal) for text in texts)
    return np.array([np.nan if one is None else one for one in numbers], np.float64)


def code_among(cells: TextCells) -> str | None:
    """A text that shows that a column holds codes, not numbers; None if there is none.

    >>> code_among(TextCells.of(["98765", "01234"])), code_among(TextCells.of(["1e5", "2e7"]))
    ('01234', '1e5')
    >>> code_among(TextCells.of(["0.5", "10"])) is None
    True
    """
    zeros = [re.match(LEADING_ZERO, text) is not None for text in cells.distinct]
    if cells.counts[zeros].sum() > CODE_SHARE * cells.counts.sum():
        return cells.distinct[zeros.index(True)]
    bare = all(re.match(BARE_EXPONENT, text) for text in cells.distinct)
    return cells.distinct[0] if cells.distinct and bare else None


def decimal_mark(cells: TextCells, share: float) -> tuple[str, list[str]] | None:
    """The decimal mark of a column of numbers, and the texts that are not numbers.

    None if fewer than this share of the cells are numbers. "1,234" alone is one thousand two
    hundred and thirty-four; beside "0,5" it has a fraction.

    >>> decimal_mark(TextCells.of(["1.234,5", "7", "x"]), 0.5)
    (',', ['x'])
    """
    total = int(cells.counts.sum())
    if not total or code_among(cells) is not None:
        return None
    return _best_mark(cells, total - share * total)


def likely_mark(cells: TextCells) -> tuple[str, list[str]] | None:
    """The same for the mark by which most cells are numbers; None if no cell is."""
    return _best_mark(cells, int(cells.counts.sum()) - 1)


def _best_mark(cells: TextCells, allowed: float) -> tuple[str, list[str]] | None:
    best = None
    for mark in (".", ","):
        failing = cells.failing(_notation(mark)[0].fullmatch, allowed)
        if failing is not None:
            best, allowed = (mark, failing), sum(cells.rows_of(failing).values()) - 1
        if allowed < 0:
            break
    return best
