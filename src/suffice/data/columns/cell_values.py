"""Cell values: the cells of a column as numbers, texts or booleans, one per row."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.columns.cells import (
    BooleanCells,
    Cells,
    NumberCells,
    OtherCells,
    TextCells,
    TimeCells,
)
from suffice.data.columns.written_numbers import parse_numbers
from suffice.errors import InvalidFeatures, NotNumbers
from suffice.text import shown


def as_numbers(name: str, cells: Cells, decimal: str, strict: bool) -> Floats:
    """Numbers, NaN where missing; texts are read as numbers with a decimal mark.

    strict : whether a text that is not a number is an error, not a missing value
    """
    if isinstance(cells, NumberCells):
        return cells.values.astype(np.float64)
    if isinstance(cells, BooleanCells):
        return np.where(cells.missing, np.nan, cells.values)
    if cells.missing.all():
        return np.full(len(cells), np.nan)
    if not isinstance(cells, TextCells):
        raise unfit(name, cells, "numbers")
    numbers = parse_numbers(cells.distinct, decimal)
    if strict and np.isnan(numbers).any():
        raise unreadable(name, cells, cells.distinct[int(np.isnan(numbers).argmax())], "numbers")
    return cells.spread(numbers, np.nan)


def as_texts(name: str, cells: Cells) -> tuple[Array, Array | None]:
    """Texts, "" where missing, and the levels that the type of the column lists, if it does."""
    texts = cells.texts()
    declared = texts.declared if isinstance(cells, TextCells) else None
    return texts.spread(np.array(texts.distinct, np.str_), ""), declared


def as_whole_numbers(name: str, cells: Cells) -> tuple[Array, Array | None]:
    """Integers where all are whole, floats otherwise, 0 where missing; and the listed levels."""
    numbers = cells.values if isinstance(cells, NumberCells) else None
    if numbers is None or numbers.dtype.kind == "f":
        numbers = np.nan_to_num(as_numbers(name, cells, ".", strict=True), nan=0.0)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < np.iinfo(np.int64).max):
        bad = numbers[int(np.argmax((numbers < 0) | ~np.isfinite(numbers)))]
        raise InvalidFeatures(
            f"column {name!r} holds {shown(bad)}, where levels are numbers from 0. Convert the "
            f"column to text first, in all tables."
        )
    if numbers.dtype.kind == "f" and (numbers == np.floor(numbers)).all():
        numbers = numbers.astype(np.int64)
    declared = cells.declared if isinstance(cells, NumberCells) else None
    return numbers.astype(np.int64, copy=False) if numbers.dtype.kind in "iu" else numbers, declared


def as_booleans(name: str, cells: Cells) -> tuple[Array, Array | None]:
    """Booleans, False where missing, and the listed levels."""
    if isinstance(cells, BooleanCells):
        return cells.values, cells.declared
    texts = cells.texts()
    known = {"true": True, "false": False, "1": True, "0": False}
    for text in texts.distinct:
        if text.lower() not in known:
            raise unreadable(name, texts, text, "true and false")
    values = np.array([known[text.lower()] for text in texts.distinct], bool)
    return texts.spread(values, False), None


def unreadable(name: str, cells: TextCells, text: str, wanted: str) -> NotNumbers:
    """The error for a text that cannot be read as what the column holds."""
    return NotNumbers(
        f"column {name!r} holds {shown(text)} in row {cells.first_row(text)}, where {wanted} are "
        f"expected. If it means a missing value, leave the cell empty, or name it by "
        f"missing=[{shown(text)}]."
    )


def unfit(name: str, cells: Cells, wanted: str) -> NotNumbers:
    """The error for cells of another type than the column holds."""
    what = {TimeCells: "dates", NumberCells: "numbers", BooleanCells: "booleans"}.get(type(cells))
    holds = cells.what if isinstance(cells, OtherCells) else what
    return NotNumbers(
        f"column {name!r} holds {holds}, where {wanted} are expected; convert it first, or leave "
        f"it out of all tables with drop=[{name!r}]."
    )
