"""Number columns: those of data frames as NumPy arrays, and as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats


def to_rows(
    frames: Sequence[nw.DataFrame[Any]],
    room: Callable[[tuple[int, int]], Floats] = np.empty,
    compiled: bool = False,
) -> Floats:
    """Columns of numbers as rows, C-ordered, NaN where a value is missing.

    frames : below each other
    room : returns an array of a shape for the rows, new or used before
    compiled : whether there are enough rows to repay the compiled loop

    >>> import polars as pl
    >>> to_rows([nw.from_native(pl.DataFrame({"a": [1, None], "b": [True, False]}))])
    array([[ 1.,  1.], [nan,  0.]])
    """
    out, at = room((sum(map(len, frames)), frames[0].shape[1])), 0
    write = write_rows
    if compiled:
        from suffice.data.transposing import write_rows as write
    for frame in frames:
        pairs = enumerate(plain_arrays(frame))
        columns = [number_array(frame[:, j]) if own is None else own for j, own in pairs]
        write(columns, out[at : at + len(frame)])
        at += len(frame)
    return out


def number_array(series: nw.Series[Any]) -> Array:
    """A column of numbers, NaN where one is missing."""
    missing = series.null_count()
    if missing == len(series):
        return np.full(len(series), np.nan)
    if missing or series.dtype == nw.Decimal:
        series = series.cast(nw.Float64).fill_null(np.nan)
    return np.asarray(series.to_numpy())


def plain_arrays(frame: nw.DataFrame[Any]) -> list[Array | None]:
    """The columns of a frame that NumPy reads without a copy; None for others."""
    # There are many frames of a few thousand rows: narwhals would take as long as the sums.
    native = frame.to_native()
    if frame.implementation.is_pyarrow():
        return list(map(_plain_arrow, native.columns))
    if frame.implementation.is_polars():
        return list(map(_plain_polars, native.get_columns()))
    if frame.implementation.is_pandas():
        return [_plain_pandas(own) for _, own in native.items()]
    return [None] * frame.shape[1]


def _plain_arrow(column: Any) -> Array | None:
    if column.num_chunks != 1:
        return None
    array = column.chunk(0)
    plain = ("double", "float", "int64", "int32", "int16", "int8", "uint32", "uint16", "uint8")
    if array.null_count or str(array.type) not in plain:
        return None
    return np.asarray(array.to_numpy())


def _plain_polars(column: Any) -> Array | None:
    if column.null_count() or not (column.dtype.is_float() or column.dtype.is_integer()):
        return None
    return np.asarray(column.to_numpy())


def _plain_pandas(column: Any) -> Array | None:
    # Missing numbers are NaN there, too.
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub"
    return np.asarray(column.to_numpy()) if plain else None


def write_rows(columns: Sequence[Array], out: Floats) -> None:
    """Write columns of numbers to those of `out`, which has as many rows as they have."""
    block_bytes = 1 << 19  # transposed at a time, so that they stay in the cache
    step = max(64, block_bytes // (8 * len(columns)))
    for start in range(0, len(out), step):
        block = out[start : start + step]
        for j, column in enumerate(columns):
            block[:, j] = column[start : start + step]
