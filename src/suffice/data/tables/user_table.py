"""User table: the columns, the names and the rows of a table of any kind."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.features import as_frame, check_table, check_two_dimensional
from suffice.data.tables.table import plain_name
from suffice.errors import InvalidFeatures
from suffice.text import shown


def table_columns(X: Any) -> tuple[list[Any], tuple[Any, ...] | None]:
    """The columns of a table as narwhals series or arrays, and their names if it has any.

    >>> table_columns([["red", 1], ["blue", None]])[0][1]
    array([1, None], dtype=object)
    """
    frame = as_frame(X)
    if frame is not None:
        return list(frame.iter_columns()), tuple(frame.columns)
    check_table(X)
    values = X
    if isinstance(X, np.ma.MaskedArray):
        values = np.array(np.ma.getdata(X), object)
        values[np.ma.getmaskarray(X)] = None
    elif not isinstance(X, np.ndarray):
        values = np.asarray(X) if hasattr(X, "__array__") else _of_rows(X)
    check_two_dimensional(values.shape)
    return [values[:, j] for j in range(values.shape[1])], None


def _of_rows(X: Any) -> Array:
    try:
        rows = [list(row) for row in X if not isinstance(row, str | bytes)]
        if len(rows) < len(X):
            raise TypeError("a text is not a row")
    except TypeError:
        check_two_dimensional(np.array(X, object).shape)
        raise InvalidFeatures("X is not a table; pass a data frame, an array or rows.") from None
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise InvalidFeatures(
            f"X has rows of {min(widths)} and of {max(widths)} cells; all must be equally long."
        )
    out = np.empty((len(rows), max(widths, default=0)), object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            out[i, j] = cell
    return out


def take_rows(X: Any, at: Indices | slice) -> Any:
    """Some rows of an array or a frame, in the same form."""
    frame = as_frame(X)
    if frame is not None:
        return frame[at if isinstance(at, slice) else at.tolist()].to_native()
    return X[at] if hasattr(X, "shape") else np.asarray(X)[at]


def row_count(X: Any) -> int:
    """How many rows a table has."""
    if X is None:
        raise InvalidFeatures("X is missing: pass a table of rows.")
    shape = getattr(X, "shape", None)
    try:
        return int(shape[0]) if shape else len(X)
    except TypeError:
        raise InvalidFeatures(f"X is {shown(X)}; pass an array or a data frame.") from None


def column_names(X: Any) -> tuple[str, ...]:
    """The names of the columns of a table; x1, x2, ... if they have none."""
    columns, names = table_columns(X)
    return numbered(len(columns)) if names is None else tuple(map(plain_name, names))


def numbered(n_columns: int) -> tuple[str, ...]:
    """What columns without a name are called."""
    return tuple(f"x{j + 1}" for j in range(n_columns))


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
