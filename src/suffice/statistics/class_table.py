"""Class table: rows and means of the classes, as notebooks show statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.html import Html, html_table
from suffice.text import format_number, plural, shorten, visible


def class_table(statistics: Any, caption: str) -> Html:
    """One row per class: its rows, their weight if it differs, and the means of the features."""
    count, weight = statistics.count, statistics.weight
    most_features = 10
    mean = np.asarray(statistics.mean)[:, :most_features]
    names = statistics.feature_names or tuple(f"x{j + 1}" for j in range(statistics.n_features))
    weighted = not np.array_equal(count, weight)
    longest_name = 32  # characters
    shown = [shorten(visible(name), longest_name) for name in names[:most_features]]
    rows = []
    most_classes = 30
    for c, label in enumerate(statistics.classes[:most_classes].tolist()):
        total = [format_number(weight[c], 6)] if weighted else []
        means = [format_number(value) for value in mean[c]]
        rows.append([shorten(str(label), longest_name), f"{count[c]:,}", *total, *means])
    more = [
        f"{plural(left, noun)} more."
        for left, noun in (
            (len(statistics.classes) - len(rows), "class"),
            (statistics.n_features - len(shown), "feature"),
        )
        if left > 0
    ]
    head = ["class", "rows", *(["weight"] if weighted else []), *(f"mean {n}" for n in shown)]
    return html_table(head, rows, caption=caption.strip("<>"), notes=more)
