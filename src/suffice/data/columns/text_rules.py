"""Text rules: whether the texts of a column are numbers, dates, levels or free text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from suffice.data.columns.cells import TextCells
from suffice.data.columns.column_kinds import Dates, Levels, SetAside, WrittenNumber
from suffice.data.columns.column_options import ColumnOptions
from suffice.data.columns.described_column import DescribedColumn, describe_dates, describe_levels
from suffice.data.columns.written_dates import date_orders
from suffice.data.columns.written_numbers import code_among, decimal_mark, likely_mark
from suffice.data.tables.levels import are_too_many
from suffice.errors import InvalidParameter
from suffice.text import plural, shorten, shown

# Names of columns that hold row numbers, row names or ids.
ID_NAME = re.compile(
    r"|(?i:id|uuid|guid|key|index|unnamed: ?\d+|row|row[_. ]?(names?|num|number|no|id)"
    r"|.*[_. -](id|uuid|guid|key|no|nr|num|number)\.?|.*(nr|nummer)\.?)|.*[a-z0-9]I[Dd]"
)


def looks_like_id(name: str) -> bool:
    """Whether the name of a column is that of row numbers, row names or ids.

    >>> [looks_like_id(name) for name in ("CustomerID", "row names", "Kundennr", "paid", "idle")]
    [True, True, True, False, False]
    """
    return ID_NAME.fullmatch(name) is not None


def describe_texts(name: str, cells: TextCells, options: ColumnOptions) -> DescribedColumn:
    """Numbers or dates if nearly all cells write one; otherwise words."""
    if cells.is_category:
        return describe_words(name, cells, options)
    known = cells.without(options.markers)
    # Share of its cells that must be numbers, or dates, for a column of text to count as such.
    nearly_all = 0.9
    share = nearly_all if options.markers else 1.0
    numbers = decimal_mark(known, share)
    if numbers is not None and not _are_codes(cells):
        return _describe_written(name, cells, known, *numbers)
    orders = {} if numbers is not None else date_orders(known, share)
    if len(orders) > 1:
        why = (
            f"dates such as {example(known)}, in which day and month cannot be distinguished "
            "(convert them to a date type to use them)"
        )
        return DescribedColumn(name, SetAside("unclear dates"), why, int(known.missing.sum()))
    for order, failing in orders.items():
        dates = known.without(failing)
        what = _remark(name, cells, dates, "dates")
        kind = Dates((), order, None, strict=not failing)
        return describe_dates(name, known, kind, options, what, _lost(cells, dates))
    return describe_words(name, cells, options)


def describe_written(name: str, cells: TextCells, options: ColumnOptions) -> DescribedColumn:
    """Numbers written as text, because the user says so."""
    known = cells.without(options.markers)
    numbers = likely_mark(known)
    if numbers is None:
        raise InvalidParameter(
            f"numeric= names column {name!r}, in which no cell is a number, such as "
            f"{example(known)}. Say categorical=[{name!r}] or drop=[{name!r}]."
        )
    return _describe_written(name, cells, known, *numbers)


def _describe_written(
    name: str, cells: TextCells, known: TextCells, mark: str, failing: list[str]
) -> DescribedColumn:
    numbers = known.without(failing)
    why = _remark(name, cells, numbers, "numbers")
    kind = WrittenNumber(mark, strict=not failing)
    missing = int(numbers.missing.sum())
    return DescribedColumn(name, kind, why, missing, None, _lost(cells, numbers))


def _lost(cells: TextCells, read: TextCells) -> int:
    """Number of cells whose text is not read."""
    return int(cells.counts.sum() - read.counts.sum())


def _remark(name: str, cells: TextCells, read: TextCells, what: str) -> str:
    """A sentence on the cells that could be read, and on the texts of the others."""
    others = {*cells.distinct} - {*read.distinct}
    if not others:
        return f"{what} written as text, such as {example(read)}"
    return (
        f"{read.counts.sum()} of {cells.counts.sum()} cells of {name} are {what}, the others are "
        f"{_some(cells, others)}: treated as missing (say missing=[] to keep them as levels)"
    )


def _are_codes(cells: TextCells) -> bool:
    """Whether a column of few whole numbers is text on purpose, so that they are levels."""
    # Whole numbers kept as text are levels if they are at most this many, each in several rows.
    most_codes = 10
    few = 0 < len(cells.distinct) <= most_codes
    rows_per_code = 5
    many_rows = cells.counts.sum() >= rows_per_code * len(cells.distinct)
    return bool(few and many_rows and all(re.fullmatch("[0-9]+", one) for one in cells.distinct))


def describe_words(name: str, cells: TextCells, options: ColumnOptions) -> DescribedColumn:
    """Levels, or names and free text."""
    keeps = _kept(cells, options)
    known = cells.without([one for one in options.markers if one not in keeps])
    rows, levels = int(known.counts.sum()), len(known.distinct)
    # A column in which every text is different holds names, if it has more rows than this.
    most_names = 10
    names = levels == rows and rows > (1 if looks_like_id(name) else most_names)
    way_out = f"(say categorical=[{name!r}] to use them as levels)"
    if names or are_too_many(levels, rows):
        code = code_among(known)
        what = "names or free text" if code is None else "codes"
        why = f"{what}: {levels:,} different ones in {plural(rows, 'row')}, such as "
        why += f"{example(known) if code is None else _quoted(code)} {way_out}"
        kind = SetAside("names or free text")
        return DescribedColumn(name, kind, why, len(cells) - rows, levels)
    # Text with more levels than this is set aside unless it is named categorical.
    too_many_levels = 200
    if levels > too_many_levels:
        why = f"{levels:,} different texts, more than {too_many_levels} {way_out}"
        return DescribedColumn(name, SetAside("too many levels"), why, len(cells) - rows, levels)
    why = "category type" if cells.is_category else _why_levels(name, known)
    marked = {*cells.distinct} - {*known.distinct}
    if marked:
        mean, them = ("means", "it as a level") if len(marked) == 1 else ("mean", "them as levels")
        why += f"; {_some(cells, marked)} {mean} missing (say missing=[] to keep {them})"
    why += f"; {_some(cells, keeps)} counts as a level" if keeps else ""
    why += same_but_for_case(known)
    return describe_levels(name, known, Levels("text", keeps), why)


def _why_levels(name: str, cells: TextCells) -> str:
    """Why texts are levels, also where they look like numbers."""
    code = code_among(cells)
    if code is not None:
        return f"codes such as {_quoted(code)} (say numeric=[{name!r}] to use them as numbers)"
    if _are_codes(cells):
        return f"whole numbers kept as text (say numeric=[{name!r}] to use them as numbers)"
    return "text"


def same_but_for_case(cells: TextCells) -> str:
    """A remark on two texts that differ only in upper and lower case; "" if there are none."""
    seen: dict[str, str] = {}
    for text in sorted(cells.distinct):
        other = seen.setdefault(text.casefold(), text)
        if other != text:
            pair = f"{_quoted(other)} and {_quoted(text)}"
            return f"; {pair} differ only in case: two different levels"
    return ""


def _kept(cells: TextCells, options: ColumnOptions, few: int = 20) -> tuple[str, ...]:
    """Texts that usually mean a missing value but are frequent beside a few other levels."""
    if len(cells.distinct) > few:
        return ()
    # From this share of the cells on, "None" and similar texts are levels of their own.
    frequent = 0.05
    enough = frequent * cells.counts.sum()
    rows = cells.rows_of(options.ambiguous)
    return tuple(text for text in options.ambiguous if rows.get(text, 0) > enough)


def _some(cells: TextCells, texts: Iterable[str]) -> str:
    """The most frequent of some texts, quoted."""
    first = list(cells.rows_of(texts))
    shown_texts = 3  # different texts named in a sentence
    quoted = [_quoted(text) for text in first[:shown_texts]]
    more = len(first) - shown_texts
    return ", ".join(quoted) + (f" and {more:,} more" if more > 0 else "")


def example(cells: TextCells) -> str:
    """The most frequent text, quoted."""
    counts = cells.counts
    most = (counts == counts.max()).nonzero()[0]
    return _quoted(min(cells.distinct[j] for j in most))


def _quoted(text: str, longest: int = 30) -> str:
    return shown(shorten(text, longest))
