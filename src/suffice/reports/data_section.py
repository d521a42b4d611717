"""Data: the content of the table, in numbers and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Indices
from suffice.data.tables.levels import columns_of
from suffice.data.tables.mixed import DISCRETE
from suffice.html import Html, joined
from suffice.reports.markup import paragraphs, percent, short, short_labels, table
from suffice.reports.material import Material
from suffice.text import format_number, plural, quote_names


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column.

    kind : "numbers" or "levels" (categories)
    missing : number of missing values
    range : min, median and max; None for levels, or if all values are missing
    levels : the levels and their numbers of rows, the most frequent first
    decides : whether each of its values occurs in one class only
    """

    name: str
    kind: str
    missing: int
    range: tuple[float, float, float] | None = None
    levels: tuple[tuple[Any, int], ...] = ()
    decides: bool = False


@dataclass(frozen=True, slots=True)
class DataFacts:
    """The content of the table.

    rows : number of rows
    columns : one `ColumnFacts` per column
    classes : labels and their numbers of rows
    incomplete_rows : number of rows with a missing value
    judged : number of rows that models are judged on, fewer than all for a large table
    notes : which columns and cells are not used, one sentence each
    """

    rows: int
    columns: tuple[ColumnFacts, ...]
    classes: tuple[tuple[Any, int], ...]
    incomplete_rows: int
    judged: int
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        """Number of missing values."""
        return sum(column.missing for column in self.columns)

    @property
    def most_frequent(self) -> float:
        """The share of the largest class: the accuracy of always guessing it."""
        return max(count for _, count in self.classes) / self.rows


def data_facts(data: Material, judged: int) -> DataFacts:
    """The facts of the whole table."""
    n, _ = data.shape
    columns = {j: _number(data, i, j) for i, j in enumerate(data.layout.numeric)}
    discrete = data.layout.split(data.X).get(DISCRETE)
    if discrete is not None:
        for j, column in zip(data.layout.discrete, columns_of(discrete)[0], strict=True):
            columns[j] = _levels(data, column, j)
    counts = np.bincount(data.codes, minlength=len(data.classes)).tolist()
    classes = tuple(zip(data.classes.tolist(), counts, strict=True))
    incomplete = int(data.missing.any(axis=1).sum())
    described = tuple(columns[j] for j in sorted(columns))
    return DataFacts(n, described, classes, incomplete, judged, data.notes)


def _number(data: Material, i: int, j: int) -> ColumnFacts:
    values = data.numbers[:, i]
    observed = values[~np.isnan(values)]
    three = None
    if len(observed):
        three = (float(observed.min()), float(np.median(observed)), float(observed.max()))
    decides = _decides(np.unique(observed, return_inverse=True)[1], data.codes[~np.isnan(values)])
    missing = len(values) - len(observed)
    return ColumnFacts(data.names[j], "numbers", missing, three, decides=decides)


def _levels(data: Material, column: Any, j: int) -> ColumnFacts:
    levels, codes = column.encode()
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    order = np.argsort(-counts, kind="stable")
    counted = tuple((levels[c].item(), int(counts[c])) for c in order.tolist())
    missing, decides = (
        int(data.missing[:, j].sum()),
        _decides(codes[codes >= 0], data.codes[codes >= 0]),
    )
    return ColumnFacts(data.names[j], "levels", missing, None, counted, decides)


def _decides(values: Indices, classes: Indices, rows_per_value: int = 5) -> bool:
    """Whether each of a few values occurs in one class only, and not all in the same.

    rows_per_value : average number of rows from which this is unlikely to be chance
    """
    pairs = np.unique(np.stack([values, classes]), axis=1)
    alone = pairs.shape[1] == len(np.unique(values)) > 1
    return bool(alone and np.ptp(pairs[1]) and len(values) >= rows_per_value * pairs.shape[1])


def data_html(facts: DataFacts) -> Html:
    """The section."""
    numbers = sum(column.kind == "numbers" for column in facts.columns)
    kinds = " and ".join(
        f"{count:,} of {kind}"
        for count, kind in ((numbers, "numbers"), (len(facts.columns) - numbers, "categories"))
        if count
    )
    gaps = "No value is missing."
    if facts.missing:
        verb = "is" if facts.missing == 1 else "are"
        rows = plural(facts.incomplete_rows, "row")
        gaps = f"{plural(facts.missing, 'value')} {verb} missing, in {rows}."
    summary = (
        f"The table has {plural(facts.rows, 'row')} and {plural(len(facts.columns), 'column')} "
        f"({kinds}); each row belongs to one of {plural(len(facts.classes), 'class')}. {gaps}"
    )
    part = ""
    if facts.judged < facts.rows:
        part = (
            f"Models are compared, tested and diagnosed on {plural(facts.judged, 'row')} drawn at "
            "random, each class by its share; the chosen model is then fitted to all rows."
        )
    unused = ""
    if facts.notes:
        unused = f"Not all of the table is used: {'; '.join(map(short_labels, facts.notes))}."
    return joined(
        [paragraphs(summary, part, unused, _leaks(facts)), _classes(facts), _columns(facts)]
    )


def _leaks(facts: DataFacts) -> str:
    """Which columns decide the class alone; "" if none does."""
    names = [column.name for column in facts.columns if column.decides]
    if not names:
        return ""
    most = 5  # columns that are named
    named = short_labels(quote_names(names, most))
    if len(names) == 1:
        who, known = f"Column {named} alone gives the class: each of its values", "it is known"
    else:
        who, known = f"Columns {named} each give the class alone: their values", "they are known"
    occur, them = ("occurs", "it") if len(names) == 1 else ("occur", "them")
    return (
        f"{who} {occur} in one class only. If {known} only once the class is, leave {them} out: "
        "no score below would hold for new rows."
    )


def _classes(facts: DataFacts) -> Html:
    rows = [[short(c), f"{count:,}", percent(count / facts.rows)] for c, count in facts.classes]
    return table("Rows of each class.", ["Class", "Rows", "Share"], rows, most=30)


def _columns(facts: DataFacts) -> Html:
    rows = [
        [
            short(column.name),
            "numbers" if column.kind == "numbers" else "categories",
            f"{column.missing:,}",
            *(("-",) * 3 if column.range is None else map(format_number, column.range)),
            _name_levels(column),
        ]
        for column in facts.columns
    ]
    head = ["Column", "Kind", "Missing", "Min", "Median", "Max", "Categories (rows)"]
    words = [1, 6]
    most_columns = 40  # listed
    if not any(column.levels for column in facts.columns[:most_columns]):
        rows, head, words = [row[:-1] for row in rows], head[:-1], [1]
    return table("The columns.", head, rows, words=words, most=most_columns)


def _name_levels(column: ColumnFacts, most: int = 4) -> str:
    if not column.levels:
        return "-"
    some = ", ".join(f"{short(level, 24)} ({count:,})" for level, count in column.levels[:most])
    more = len(column.levels) - most
    return f"{some} and {more} more" if more > 0 else some
