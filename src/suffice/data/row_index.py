"""Row index: whether the rows of a frame of pandas and its labels stand in the same order."""

from __future__ import annotations

import warnings
from typing import Any

from suffice.errors import RowsInOtherOrder


def warn_of_other_order(X: Any, y: Any) -> None:
    """Warn where X and y have the same index in different orders: rows are paired by position."""
    rows: Any = getattr(X, "index", None)
    labels: Any = getattr(y, "index", None)
    # Lists have a method of that name.
    if not hasattr(rows, "equals") or not hasattr(labels, "equals") or len(rows) != len(labels):
        return
    if rows.equals(labels) or not (rows.is_unique and rows.isin(labels).all()):
        return
    warnings.warn(
        "X and y have the same index in different orders; their rows are paired by position, as "
        "in scikit-learn. Pass y.loc[X.index] to pair them by index, or y.to_numpy() if the "
        "order is right.",
        RowsInOtherOrder,
        stacklevel=4,
    )
