"""Row index: whether the rows of a frame of pandas and its labels stand in the same order."""

from __future__ import annotations

import warnings
from typing import Any

from suffice.data.caller import stacklevel
from suffice.errors import RowsInOtherOrder


def paired_by_position(X: Any, y: Any) -> Any:
    """The labels; a warning, and the index of X, where they have the same index in another order.

    With the index of X, no function called later repeats the warning.
    """
    rows: Any = getattr(X, "index", None)
    labels: Any = getattr(y, "index", None)
    # Lists have a method of that name.
    if not hasattr(rows, "equals") or not hasattr(labels, "equals") or len(rows) != len(labels):
        return y
    if rows.equals(labels) or not (rows.is_unique and rows.isin(labels).all()):
        return y
    warnings.warn(
        "X and y have the same index in different orders; their rows are paired by position, as "
        "in scikit-learn. Pass y.loc[X.index] to pair them by index, or y.to_numpy() if the "
        "order is right.",
        RowsInOtherOrder,
        stacklevel=stacklevel(),
    )
    return y.set_axis(rows)
