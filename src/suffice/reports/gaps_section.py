"""Gaps: where values are missing, and how the model handles them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.html import Html, joined
from suffice.reports.choice_section import Choice, last_step
from suffice.reports.markup import paragraphs, percent, short, table
from suffice.reports.material import Material
from suffice.text import plural


@dataclass(frozen=True, eq=False, slots=True)
class GapFacts:
    """Missing values.

    columns : names of the columns with missing values, most missing first
    counts : (columns,) number of missing values
    shares : (columns, k) of the rows of each class
    rows : number of rows of the table
    incomplete : number of rows with a missing value
    classes : labels
    handling : how the model handles them, in words
    """

    columns: tuple[str, ...]
    counts: tuple[int, ...]
    shares: Floats
    rows: int
    incomplete: int
    classes: tuple[Any, ...]
    handling: str


def gap_facts(data: Material, choice: Choice | None) -> GapFacts:
    """The facts of the whole table."""
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
        return f"The {choice.name} decides how missing values are handled."
    handling = (
        "When the model is fitted, each class is estimated from all observed values: independent "
        "columns directly, full covariances by EM, which maximises the likelihood of the observed "
        "values. At prediction a missing value is integrated out exactly: no value is filled in, "
        "and the answer is that of a model of the observed columns alone."
    )
    if hasattr(choice.model, "steps"):
        handling += " A category that was never seen in training counts as missing."
    return handling


def gaps_html(found: GapFacts) -> Html:
    """The section."""
    if not found.columns:
        return paragraphs(
            "No value is missing. The model accepts missing values in new rows all the same: pass "
            "NaN or None."
        )
    total = sum(found.counts)
    summary = (
        f"{plural(total, 'value')} in {plural(len(found.columns), 'column')} "
        f"{'is' if total == 1 else 'are'} missing; {plural(found.incomplete, 'row')} of "
        f"{found.rows:,} {'is' if found.incomplete == 1 else 'are'} incomplete."
    )
    most_classes = 8  # with their own column
    by_class = len(found.classes) <= most_classes
    head = ["Column", "Missing", "Share"]
    caption = "Columns with missing values."
    if by_class:
        head += [f"In {short(label, 24)}" for label in found.classes]
        caption = "Columns with missing values, and their share in all rows and in each class."
    rows = [
        [
            short(name),
            f"{count:,}",
            percent(count / found.rows),
            *([percent(float(share)) for share in shares] if by_class else []),
        ]
        for name, count, shares in zip(found.columns, found.counts, found.shares, strict=True)
    ]
    advice = ""
    if by_class and len(found.classes) > 1 and np.ptp(found.shares, axis=1).max() > 0.1:
        advice = (
            "Some values are missing in one class more often than in another by more than a tenth "
            "of the rows. The model assumes that missing values say nothing about the class; if "
            "they do, give it features that say what is missing: "
            "columns=sf.describe(X, missing='indicator')."
        )
    listing = table(caption, head, rows, most=25)
    return joined([paragraphs(summary, found.handling), listing, paragraphs(advice)])
