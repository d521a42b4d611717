"""Blanking: a table with one of its columns missing in every row."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array
from suffice.data.features import as_frame


def column_names(X: Any) -> tuple[str, ...]:
    """The names of the columns of a table; x1, x2, ... if they have none."""
    frame = as_frame(X)
    if frame is None:
        return tuple(f"x{j + 1}" for j in range(np.shape(X)[1]))
    return tuple(map(str, frame.columns))


def blank_column(X: Any, j: int) -> Any:
    """The same table, in the same form, with column j missing in every row.

    >>> blank_column(np.array([[1, 2], [3, 4]]), 0)
    array([[nan,  2.],
           [nan,  4.]])
    """
    frame = as_frame(X)
    if frame is None:
        return _blank_array(np.asarray(X), j)
    name = frame.columns[j]
    kind: Any = frame[:, j].dtype
    gap: Any = None
    if kind.is_numeric():
        # Whole numbers of pandas have no null.
        gap, kind = np.nan, nw.Float64()
    elif kind in (nw.Object, nw.Boolean, nw.Categorical, nw.Enum, nw.Unknown):
        kind = nw.String()
    column = nw.new_series(name, [gap] * len(frame), kind, backend=frame.implementation)
    return frame.with_columns(column).to_native()


def _blank_array(values: Array, j: int) -> Array:
    text = values.dtype.kind in "OUS"
    kind = values.dtype if values.dtype.kind == "f" else np.float64
    out = values.astype(object if text else kind)
    out[:, j] = None if text else np.nan
    return out
