"""Column rules: the cells of a column -> what it is, and the sentence that says why."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.cells import (
    BooleanCells,
    Cells,
    NumberCells,
    OtherCells,
    TextCells,
    TimeCells,
)
from suffice.data.columns.column_kinds import Dates, Levels, Number, SetAside, Target
from suffice.data.columns.column_options import ColumnOptions, Role
from suffice.data.columns.described_column import (
    CONSTANT,
    DROPPED,
    DescribedColumn,
    describe_dates,
    describe_levels,
    number_levels,
)
from suffice.data.columns.text_rules import (
    describe_texts,
    describe_words,
    describe_written,
    looks_like_id,
    same_but_for_case,
)
from suffice.data.columns.time_parts import TimePart
from suffice.data.columns.written_dates import CLEAR
from suffice.data.tables.levels import are_too_many
from suffice.errors import InvalidParameter
from suffice.text import plural


def describe_column(
    name: str, cells: Cells, role: Role | None, options: ColumnOptions
) -> DescribedColumn:
    """What the cells of a column are, given what the user says about it."""
    if role is Role.TARGET:
        return _describe_target(name, cells)
    missing = int(cells.without(options.markers).missing.sum())
    if role is Role.DROP:
        return DescribedColumn(name, DROPPED, "named by drop=", missing)
    if isinstance(cells, OtherCells):
        return _describe_others(name, cells, role)
    if len(cells) and missing == len(cells):
        return DescribedColumn(name, SetAside("empty"), "every cell is missing", missing)
    if role is Role.CATEGORICAL:
        return _describe_categorical(name, cells.without(options.markers))
    if role is Role.NUMERIC:
        return _describe_numeric(name, cells, options)
    return _describe_freely(name, cells, role, options)


def _describe_freely(
    name: str, cells: Cells, role: Role | None, options: ColumnOptions
) -> DescribedColumn:
    """What the cells appear to be."""
    if isinstance(cells, BooleanCells):
        return describe_levels(name, cells, Levels("booleans"), "true or false")
    if role is Role.TEXT:
        return describe_words(name, cells.texts(), options)
    if isinstance(cells, NumberCells) and cells.is_category:
        kind = number_levels(name, cells)
        return describe_levels(name, cells, kind, "numbers of a category type")
    if isinstance(cells, NumberCells):
        return _describe_numbers(name, cells)
    if isinstance(cells, TimeCells):
        return describe_dates(name, cells, Dates((), CLEAR, cells.zone), options, "dates")
    return describe_texts(name, cells.texts(), options)


def _describe_target(name: str, cells: Cells) -> DescribedColumn:
    texts = cells.texts()
    missing, classes = int(texts.missing.sum()), len(texts.distinct)
    why = "the classes"
    if isinstance(cells, NumberCells) and are_too_many(classes, len(cells)):
        why = "looks continuous: put the numbers into bins to make classes of them"
    elif missing:
        why = f"the classes; {plural(missing, 'row')} without one"
    why += same_but_for_case(texts)
    return DescribedColumn(name, Target(), why, missing, classes)


def _describe_others(name: str, cells: OtherCells, role: Role | None) -> DescribedColumn:
    if role in (Role.CATEGORICAL, Role.NUMERIC):
        raise InvalidParameter(
            f"{role}= names column {name!r}, which holds {cells.what}: these are neither numbers "
            f"nor levels. Convert it first, or leave it out with drop=[{name!r}]."
        )
    why = f"holds {cells.what}, which are neither numbers nor levels"
    return DescribedColumn(name, SetAside(cells.what), why, int(cells.missing.sum()))


def _describe_categorical(name: str, cells: Cells) -> DescribedColumn:
    kind = Levels("text")
    if isinstance(cells, NumberCells):
        kind = number_levels(name, cells)
    elif isinstance(cells, BooleanCells):
        kind = Levels("booleans")
    return describe_levels(name, cells, kind, "named by categorical=")


def _describe_numeric(name: str, cells: Cells, options: ColumnOptions) -> DescribedColumn:
    if isinstance(cells, TextCells):
        return describe_written(name, cells, options)
    missing, why = int(cells.missing.sum()), "named by numeric="
    if isinstance(cells, TimeCells):
        kind = Dates((TimePart.DAYS.value,), CLEAR, cells.zone)
        return DescribedColumn(name, kind, f"{why}: days since 1970-01-01", missing)
    return DescribedColumn(name, Number(), why, missing)


def _describe_numbers(name: str, cells: NumberCells, first: int = 1000) -> DescribedColumn:
    """Numbers, durations or an id.

    first : numbers looked at first, since most columns hold too many different ones to be codes
    """
    missing = cells.missing
    known = cells.values[~missing] if missing.any() else cells.values
    gaps = int(missing.sum())
    if not len(known):
        return DescribedColumn(name, Number(), "numbers", gaps)
    if cells.unit:
        return DescribedColumn(name, Number(), f"durations, in {cells.unit}", gaps)
    whole = _are_whole(known[:first]) and _are_whole(known)
    if whole and looks_like_id(name) and 1 < len(known) == len(np.unique(known)):
        why = f"whole numbers, all different, under the name of an id (say numeric=[{name!r}] to "
        return DescribedColumn(name, SetAside("id"), f"{why}use them)", gaps)
    return DescribedColumn(name, Number(), _number_remark(name, known, whole, first), gaps)


def _are_whole(numbers: Array) -> bool:
    return numbers.dtype.kind in "iu" or bool((numbers == np.floor(numbers)).all())


def _number_remark(name: str, known: Array, whole: bool, first: int) -> str:
    if len(known) > 1 and known.min() == known.max():
        return f"numbers{CONSTANT}"
    # Whole numbers with at most this many different values may be codes.
    most_codes = 20
    if not whole or len(np.unique(known[:first])) > most_codes:
        return "numbers"
    different = len(np.unique(known))
    if not 2 < different <= most_codes or 2 * different > len(known):
        return "numbers"
    return f"{different} different whole numbers: if they are codes, say categorical=[{name!r}]"
