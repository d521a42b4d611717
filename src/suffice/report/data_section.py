"""Data: what the table holds, in numbers and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.levels import columns_of
from suffice.report.markup import Html, joined, paragraphs, percent, plural, short, table
from suffice.report.material import Material

# Columns and classes beyond these are counted, not listed.
MOST_COLUMNS, MOST_CLASSES = 40, 30

# Levels of a column that are named.
MOST_LEVELS = 4


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column.

    kind : "numbers" or "levels"
    missing : how many values are missing
    range : least, median and largest number; None for levels, or where no value is known
    levels : the levels by number of rows, the most frequent first, each with that number
    """

    name: str
    kind: str
    missing: int
    range: tuple[float, float, float] | None = None
    levels: tuple[tuple[Any, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What the table holds.

    rows : how many
    columns : a `ColumnFacts` each
    classes : labels and how many rows have them
    incomplete_rows : rows that miss a value
    judged : rows that the report is about, fewer than all for a large table
    """

    rows: int
    columns: tuple[ColumnFacts, ...]
    classes: tuple[tuple[Any, int], ...]
    incomplete_rows: int
    judged: int

    @property
    def missing(self) -> int:
        """How many values are missing."""
        return sum(column.missing for column in self.columns)

    @property
    def most_frequent(self) -> float:
        """The share of the largest class: what guessing it always would get right."""
        return max(count for _, count in self.classes) / self.rows


def data_facts(data: Material, judged: int) -> DataFacts:
    """Of the whole table."""
    n, _ = data.shape
    found = {j: _number(data, i, j) for i, j in enumerate(data.layout.numeric)}
    discrete = data.layout.split(data.X)[1]
    if discrete is not None:
        for j, column in zip(data.layout.discrete, columns_of(discrete)[0], strict=True):
            found[j] = _levels(data, column, j)
    counts = np.bincount(data.codes, minlength=len(data.classes)).tolist()
    classes = tuple(zip(data.classes.tolist(), counts, strict=True))
    incomplete = int(data.missing.any(axis=1).sum())
    return DataFacts(n, tuple(found[j] for j in sorted(found)), classes, incomplete, judged)


def _number(data: Material, i: int, j: int) -> ColumnFacts:
    values = data.numbers[:, i]
    known = values[~np.isnan(values)]
    three = None
    if len(known):
        three = (float(known.min()), float(np.median(known)), float(known.max()))
    return ColumnFacts(data.names[j], "numbers", len(values) - len(known), three)


def _levels(data: Material, column: Any, j: int) -> ColumnFacts:
    levels, codes = column.encode()
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    order = np.argsort(-counts, kind="stable")
    told = tuple((levels[c].item(), int(counts[c])) for c in order.tolist())
    return ColumnFacts(data.names[j], "levels", int(data.missing[:, j].sum()), None, told)


def data_html(facts: DataFacts) -> Html:
    """The section."""
    numbers = sum(column.kind == "numbers" for column in facts.columns)
    levels = len(facts.columns) - numbers
    kinds = " and ".join(
        f"{count:,} of {kind}"
        for count, kind in ((numbers, "numbers"), (levels, "levels"))
        if count
    )
    said = (
        f"The table has {plural(facts.rows, 'row')} and {plural(len(facts.columns), 'column')} "
        f"({kinds}); each row belongs to one of {plural(len(facts.classes), 'class')}. "
        + (
            f"{plural(facts.missing, 'value')} {'is' if facts.missing == 1 else 'are'} missing, in "
            f"{plural(facts.incomplete_rows, 'row')}."
            if facts.missing
            else "No value is missing."
        )
    )
    part = ""
    if facts.judged < facts.rows:
        part = (
            f"Models are compared, tested and diagnosed on {plural(facts.judged, 'row')} drawn at "
            "random, each class by its share; the chosen model is then fitted to all rows."
        )
    return joined([paragraphs(said, part), _classes(facts), _columns(facts)])


def _classes(facts: DataFacts) -> Html:
    shown = facts.classes[:MOST_CLASSES]
    rows = [[short(label), f"{count:,}", percent(count / facts.rows)] for label, count in shown]
    more = len(facts.classes) - len(shown)
    note = f" The first {len(shown)}; {more} more." if more else ""
    return table(f"Rows of each class.{note}", ["Class", "Rows", "Share"], rows)


def _columns(facts: DataFacts) -> Html:
    shown = facts.columns[:MOST_COLUMNS]
    rows = [
        [
            short(column.name),
            column.kind,
            f"{column.missing:,}",
            *(("-",) * 3 if column.range is None else (f"{v:.4g}" for v in column.range)),
            _told(column),
        ]
        for column in shown
    ]
    head = ["Column", "Kind", "Missing", "Least", "Median", "Largest", "Levels (rows)"]
    words = [1, 6]
    if not any(column.levels for column in shown):
        rows, head, words = [row[:-1] for row in rows], head[:-1], [1]
    more = len(facts.columns) - len(shown)
    note = f" The first {len(shown)}; {more:,} more." if more else ""
    return table(f"The columns.{note}", head, rows, words=words)


def _told(column: ColumnFacts) -> str:
    if not column.levels:
        return "-"
    some = ", ".join(
        f"{short(level, 24)} ({count:,})" for level, count in column.levels[:MOST_LEVELS]
    )
    more = len(column.levels) - MOST_LEVELS
    return f"{some} and {more} more" if more > 0 else some
