"""Gaps: where values are missing, and what the model makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.report.choice_section import Choice, last_step
from suffice.report.markup import Html, joined, paragraphs, percent, plural, short, table
from suffice.report.material import Material

# Columns that are listed, and classes that have a column of their own.
MOST_COLUMNS, MOST_CLASSES = 25, 8


@dataclass(frozen=True, eq=False, slots=True)
class GapFacts:
    """Missing values.

    columns : names of the columns that have some, the emptiest first
    counts : (columns,) how many
    shares : (columns, k) of the rows of each class
    rows : how many rows the table has
    incomplete : how many of them miss a value
    classes : labels
    handling : what the model does about it, in words
    """

    columns: tuple[str, ...]
    counts: tuple[int, ...]
    shares: Floats
    rows: int
    incomplete: int
    classes: tuple[Any, ...]
    handling: str


def gap_facts(data: Material, choice: Choice | None) -> GapFacts:
    """Of the whole table."""
    counts = data.missing.sum(axis=0)
    at = [j for j in np.argsort(-counts, kind="stable").tolist() if counts[j]]
    sizes = np.bincount(data.codes, minlength=len(data.classes))
    by_class = np.stack([data.missing[data.codes == c].sum(axis=0) for c in range(len(sizes))])
    shares = np.asarray(by_class / np.maximum(sizes, 1)[:, None]).T[at]
    return GapFacts(
        tuple(data.names[j] for j in at),
        tuple(int(counts[j]) for j in at),
        shares,
        len(data.codes),
        int(data.missing.any(axis=1).sum()),
        tuple(data.classes.tolist()),
        _handling(choice),
    )


def _handling(choice: Choice | None) -> str:
    if choice is None:
        return ""
    model = last_step(choice.model)
    if not type(model).__module__.startswith("suffice."):
        return f"What is done about gaps is up to the {choice.name}."
    at_fit = (
        "At fit each class is estimated from all values that are known: of independent columns "
        "directly, of full covariances by EM, which finds the estimates that make the known values "
        "most likely."
    )
    at_predict = (
        "At prediction a missing value is integrated out exactly: no value is made up, and the "
        "answer is that of a model of the known columns alone."
    )
    levels = ""
    if hasattr(choice.model, "steps"):
        levels = "A level that is missing, or was never seen in training, counts as missing."
    return " ".join(part for part in (at_fit, at_predict, levels) if part)


def gaps_html(found: GapFacts) -> Html:
    """The section."""
    if not found.columns:
        return paragraphs(
            "No value is missing. The model would take gaps in new rows all the same: pass NaN or "
            "None where a value is not known."
        )
    said = (
        f"{plural(sum(found.counts), 'value')} in {plural(len(found.columns), 'column')} "
        f"{'is' if sum(found.counts) == 1 else 'are'} missing; "
        f"{plural(found.incomplete, 'row')} of {found.rows:,} "
        f"{'is' if found.incomplete == 1 else 'are'} incomplete."
    )
    by_class = len(found.classes) <= MOST_CLASSES
    head = ["Column", "Missing", "Share"]
    if by_class:
        head += [f"In {short(label, 24)}" for label in found.classes]
    rows = [
        [
            short(name),
            f"{count:,}",
            percent(count / found.rows),
            *([percent(float(share)) for share in found.shares[i]] if by_class else []),
        ]
        for i, (name, count) in enumerate(zip(found.columns, found.counts, strict=True))
    ][:MOST_COLUMNS]
    more = len(found.columns) - len(rows)
    note = f" The first {len(rows)}; {more} more." if more else ""
    caption = f"Columns with missing values, and their share in all rows and in each class.{note}"
    if not by_class:
        caption = f"Columns with missing values.{note}"
    advice = ""
    if by_class and len(found.classes) > 1 and float(np.ptp(found.shares, axis=1).max()) > 0.1:
        advice = (
            "Some values are missing in one class more often than in another by more than a tenth "
            "of the rows. The model takes gaps to tell nothing of the class; if they do, add a "
            "column that says whether the value is there."
        )
    return joined(
        [paragraphs(said, found.handling), table(caption, head, rows), paragraphs(advice)]
    )
