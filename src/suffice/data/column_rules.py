"""Column rules: the cells of a column -> what it is, and the sentence that says why."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array
from suffice.data.cells import BooleanCells, Cells, NumberCells, OtherCells, TextCells, TimeCells
from suffice.data.column_kinds import (
    ColumnKind,
    Dates,
    Levels,
    Number,
    SetAside,
    Target,
    WrittenNumber,
)
from suffice.data.column_options import ColumnOptions, Role
from suffice.data.labels import shown
from suffice.data.levels import MOST_FRACTIONS
from suffice.data.time_parts import TimePart, varying_parts
from suffice.data.written_dates import CLEAR, date_orders, parse_dates
from suffice.data.written_numbers import decimal_mark, likely_mark, parse_numbers
from suffice.errors import InvalidParameter
from suffice.text import plural, shorten

# Share of the cells that must be numbers, or dates, for a column of text to be of numbers.
NEARLY_ALL = 0.9

# Text with more levels than this, and more than half as many as values, is free text.
MOST_LEVELS = 20
# So is text that is different in each of more rows than this.
MOST_NAMES = 10
# Text with more levels than this is set aside unless it is named categorical.
TOO_MANY_LEVELS = 200

# Whole numbers with at most this many different values may be codes.
MOST_CODES = 20
# Whole numbers kept as text are levels if they are at most this many, each in several rows.
MOST_TEXT_CODES = 10
ROWS_OF_A_CODE = 5

# Share of the cells from which on "None" and the like are levels of their own.
FREQUENT = 0.05

# Numbers looked at first: most columns have too many different ones to be codes.
FIRST_NUMBERS = 1000

CONSTANT = "; the same in every row, which tells nothing"

SHOWN_LENGTH = 30  # characters of an example
SHOWN_TEXTS = 3  # different texts named in a sentence

_ID_NAME = re.compile(
    r"|(?i:id|uuid|guid|key|index|unnamed: ?\d+|row|row[_. ]?(names?|num|number|no|id)"
    r"|.*[_. -](id|uuid|guid|key))|.*[a-z0-9]I[Dd]"
)


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of a table: what it is, and why.

    why : one sentence
    missing : number of cells without a value
    levels : number of different values, where they count as levels or as texts
    """

    name: str
    kind: ColumnKind
    why: str
    missing: int
    levels: int | None = None


def describe_column(
    name: str, cells: Cells, role: Role | None, options: ColumnOptions
) -> DescribedColumn:
    """What the cells of a column are, given what the user says of it."""
    known = cells.without(options.markers)
    missing = int(known.missing.sum())
    if role is Role.TARGET:
        return _describe_target(name, cells)
    if role is Role.DROP:
        return DescribedColumn(name, SetAside("dropped"), "named by drop=", missing)
    if len(cells) and missing == len(cells) and role is not Role.CATEGORICAL:
        return DescribedColumn(name, SetAside("empty"), "every cell is missing", missing)
    if isinstance(cells, OtherCells):
        return _describe_others(name, cells, role)
    if role is Role.CATEGORICAL:
        return _describe_categorical(name, known)
    if role is Role.NUMERIC:
        return _describe_numeric(name, cells, options)
    if isinstance(known, BooleanCells):
        return _describe_levels(name, known, Levels("booleans"), "true or false")
    if role is Role.TEXT:
        return _describe_words(name, cells.texts(), options)
    if isinstance(known, NumberCells) and not known.is_category:
        return _describe_numbers(name, known)
    if isinstance(known, NumberCells):
        return _describe_levels(
            name, known, _number_levels(name, known), "numbers of a category type"
        )
    if isinstance(known, TimeCells):
        return _describe_times(name, known, options)
    return _describe_texts(name, cells.texts(), options)


def _describe_target(name: str, cells: Cells) -> DescribedColumn:
    texts = cells.texts()
    missing, classes = int(texts.missing.sum()), len(texts.distinct)
    why = "the classes"
    if isinstance(cells, NumberCells) and classes > MOST_LEVELS and 2 * classes > len(cells):
        why = "looks continuous: put the numbers into bins to make classes of them"
    elif missing:
        why = f"the classes; {plural(missing, 'row')} without one"
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
        kind = _number_levels(name, cells)
    elif isinstance(cells, BooleanCells):
        kind = Levels("booleans")
    return _describe_levels(name, cells, kind, "named by categorical=")


def _describe_levels(name: str, cells: Cells, kind: Levels, why: str) -> DescribedColumn:
    """Levels, with a remark where all rows have the same."""
    (prepared,) = kind.read(name, cells)
    levels = len(prepared.column.encode()[0])  # type: ignore[union-attr]
    if levels == 1 and len(cells) > 1:
        why += CONSTANT
    return DescribedColumn(name, kind, why, int(cells.missing.sum()), levels)


def _number_levels(name: str, cells: NumberCells) -> Levels:
    known = cells.values[~cells.missing]
    if not len(known) or (known.min() >= 0 and known.max() < np.iinfo(np.int64).max):
        fractions = len(np.unique(known[known != np.floor(known)]))
        if fractions > MOST_FRACTIONS:
            raise InvalidParameter(
                f"column {name!r} looks like a measurement: {fractions:,} different fractions, "
                f"which are not levels. Cut it into bins, or say numeric=[{name!r}]."
            )
        return Levels("numbers")
    return Levels("text")


def _describe_numeric(name: str, cells: Cells, options: ColumnOptions) -> DescribedColumn:
    """Numbers, because the user says so."""
    missing = int(cells.without(options.markers).missing.sum())
    if isinstance(cells, TimeCells):
        kind = Dates((TimePart.DAYS,), CLEAR, cells.zone)
        return DescribedColumn(name, kind, "named by numeric=: days since 1970-01-01", missing)
    if not isinstance(cells, TextCells):
        return DescribedColumn(name, Number(), "named by numeric=", missing)
    known = cells.without(options.markers)
    mark = likely_mark(known)
    if mark is None:
        raise InvalidParameter(
            f"numeric= names column {name!r}, in which no cell is a number, such as "
            f"{_example(known)}. Say categorical=[{name!r}] or drop=[{name!r}]."
        )
    return _describe_written(name, cells, known, mark)


def _describe_numbers(name: str, cells: NumberCells) -> DescribedColumn:
    known, missing = cells.values, cells.missing
    if missing.any():
        known = known[~missing]
    gaps = len(cells) - len(known)
    if not len(known):
        return DescribedColumn(name, Number(), "numbers", gaps)
    whole = known.dtype.kind in "iu" or bool((known == np.floor(known)).all())
    if whole and _ID_NAME.fullmatch(name) and _all_different(known):
        why = (
            "whole numbers, all different, under the name of an id (say "
            f"numeric=[{name!r}] to use them)"
        )
        return DescribedColumn(name, SetAside("id"), why, gaps)
    return DescribedColumn(name, Number(), _number_remark(name, known, whole), gaps)


def _all_different(known: Array) -> bool:
    return len(known) > 1 and len(np.unique(known)) == len(known)


def _number_remark(name: str, known: Array, whole: bool) -> str:
    if known.min() == known.max():
        return (
            "numbers; the same in every row, which tells nothing" if len(known) > 1 else "numbers"
        )
    if not whole or len(np.unique(known[:FIRST_NUMBERS])) > MOST_CODES:
        return "numbers"
    different = len(np.unique(known))
    if not 2 < different <= MOST_CODES or 2 * different > len(known):
        return "numbers"
    return f"{different} different whole numbers: if they are codes, say categorical=[{name!r}]"


def _describe_times(name: str, cells: TimeCells, options: ColumnOptions) -> DescribedColumn:
    kind = Dates((), CLEAR, cells.zone)
    return _describe_dates(name, cells, kind, options, "dates")


def _describe_dates(
    name: str, cells: Cells, kind: Dates, options: ColumnOptions, what: str
) -> DescribedColumn:
    times = kind.times(name, cells)
    missing = int(np.isnat(times).sum())
    if options.dates == "drop":
        return DescribedColumn(
            name, SetAside("dates"), f"{what}; dates='drop'", missing
        )
    kind = Dates(varying_parts(times), kind.order, kind.zone, kind.strict)
    parts = ", ".join(part.label for part in kind.parts)
    return DescribedColumn(name, kind, f"{what}: read as {parts}", missing)


def _describe_texts(name: str, cells: TextCells, options: ColumnOptions) -> DescribedColumn:
    """Numbers or dates if nearly all cells write one; otherwise words."""
    known = cells.without(options.markers)
    if cells.is_category:
        return _describe_words(name, cells, options)
    share = 1.0 if options.missing is not None and not options.markers else NEARLY_ALL
    mark = decimal_mark(known, share)
    if mark is not None and not _are_text_codes(cells):
        return _describe_written(name, cells, known, mark)
    orders = () if mark is not None else date_orders(known, share)
    if len(orders) > 1:
        why = (
            f"dates such as {_example(known)}, in which day and month cannot be distinguished "
            "(convert them to a date type to use them)"
        )
        return DescribedColumn(name, SetAside("unclear dates"), why, int(known.missing.sum()))
    if orders:
        strict = not np.isnat(parse_dates(known.distinct, orders[0])).any()
        what = f"dates such as {_example(known)}{_others(cells, known, strict)}"
        return _describe_dates(name, known, Dates((), orders[0], None, strict), options, what)
    return _describe_words(name, cells, options)


def _are_text_codes(cells: TextCells) -> bool:
    """Whether few whole numbers are text for no other reason than that someone wanted it."""
    few = 0 < len(cells.distinct) <= MOST_TEXT_CODES
    many_rows = cells.counts.sum() >= ROWS_OF_A_CODE * len(cells.distinct)
    return bool(few and many_rows and all(re.fullmatch("[0-9]+", one) for one in cells.distinct))


def _describe_written(name: str, cells: TextCells, known: TextCells, mark: str) -> DescribedColumn:
    unread = np.isnan(parse_numbers(known.distinct, mark))
    kind = WrittenNumber(mark, strict=not unread.any())
    numbers = int(known.counts[~unread].sum())
    written = int(cells.counts.sum())
    missing = len(cells) - numbers
    if numbers == written:
        return DescribedColumn(
            name, kind, f"numbers written as text, such as {_example(known)}", missing
        )
    not_numbers = {*cells.distinct} - {
        text for text, bad in zip(known.distinct, unread, strict=True) if not bad
    }
    why = (
        f"{numbers} of {written} cells of {name} are numbers, the others are "
        f"{_some(cells, not_numbers)}: treated as missing (say missing=[] to keep them as levels)"
    )
    return DescribedColumn(name, kind, why, missing)


def _describe_words(name: str, cells: TextCells, options: ColumnOptions) -> DescribedColumn:
    """Levels, or free text."""
    keeps = _kept(cells, options)
    known = cells.without([one for one in options.markers if one not in keeps])
    rows, levels = int(known.counts.sum()), len(known.distinct)
    missing = len(cells) - rows
    names = levels == rows and rows > (1 if _ID_NAME.fullmatch(name) else MOST_NAMES)
    free = levels > MOST_LEVELS and 2 * levels > rows
    way_out = f"(say categorical=[{name!r}] to use them as levels)"
    if names or free:
        why = f"names or free text: {levels:,} different ones in {plural(rows, 'row')}, such as "
        why += f"{_example(known)} {way_out}"
        return DescribedColumn(name, SetAside("names or free text"), why, missing, levels)
    if levels > TOO_MANY_LEVELS:
        why = f"{levels:,} different texts, more than {TOO_MANY_LEVELS} {way_out}"
        return DescribedColumn(name, SetAside("too many levels"), why, missing, levels)
    why = "category type" if cells.is_category else "text"
    if _are_text_codes(known):
        why = f"whole numbers kept as text (say numeric=[{name!r}] to use them as numbers)"
    marked = {*cells.distinct} - {*known.distinct}
    if marked:
        why += f"; {_some(cells, marked)} means missing (say missing=[] to keep it as a level)"
    why += f"; {_some(cells, {*keeps})} counts as a level" if keeps else ""
    return _describe_levels(name, known, Levels("text", keeps), why)


def _kept(cells: TextCells, options: ColumnOptions) -> tuple[str, ...]:
    """Texts that usually mean a missing value but are frequent beside a few other levels."""
    if len(cells.distinct) > MOST_LEVELS + 1:
        return ()
    rows = dict(zip(cells.distinct, cells.counts.tolist(), strict=True))
    enough = FREQUENT * sum(rows.values())
    return tuple(text for text in options.ambiguous if rows.get(text, 0) > enough)


def _others(cells: TextCells, known: TextCells, strict: bool) -> str:
    others = len(cells.distinct) > len(known.distinct) or not strict
    return "; what is none is treated as missing" if others else ""


def _some(cells: TextCells, texts: set[str]) -> str:
    """The most frequent of some texts, quoted."""
    rows = dict(zip(cells.distinct, cells.counts.tolist(), strict=True))
    first = sorted(texts, key=lambda text: (-rows[text], text))
    quoted = [shown(shorten(text, SHOWN_LENGTH)) for text in first[:SHOWN_TEXTS]]
    more = len(first) - SHOWN_TEXTS
    return ", ".join(quoted) + (f" and {more} more" if more > 0 else "")


def _example(cells: TextCells) -> str:
    """The most frequent text, quoted."""
    return _some(cells, {cells.distinct[int(np.argmax(cells.counts))]})
