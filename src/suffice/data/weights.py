"""Sample weights: anything a user calls sample_weight -> one float64 per row."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import as_floats
from suffice.errors import InvalidWeights


def row_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """One weight per row, contiguous, after checking every one; None stays None.

    >>> row_weights([1, 2], 2)
    array([1., 2.])
    """
    values = checked_weights(sample_weight, n_rows)
    return None if values is None else np.ascontiguousarray(values, np.float64)


def checked_weights(sample_weight: Any, n_rows: int) -> Array | None:
    """The same of any type of numbers: all finite, not negative, and not all zero."""
    if sample_weight is None:
        return None
    try:
        values = np.asarray(sample_weight)
        if values.dtype.kind in "cmM":
            raise TypeError(f"they are {values.dtype}")
        if values.dtype.kind == "O":
            values = as_floats(values)
        if values.dtype.kind not in "fiub":
            values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidWeights(f"sample_weight must hold numbers: {error}.") from None
    if values.ndim == 0:
        values = np.broadcast_to(values, (n_rows,))
    if values.shape != (n_rows,):
        raise InvalidWeights(
            f"sample_weight has shape {values.shape} but X has {n_rows} rows; "
            "Sample weights must be 1D array or scalar, one weight per row."
        )
    _check(values)
    return values


def _check(values: Array) -> None:
    some = False
    # Weights checked at a time.
    checked_rows = 1 << 18
    for start in range(0, len(values), checked_rows):
        part = values[start : start + checked_rows]
        bad = ~(part >= 0) | np.isinf(part)
        if bad.any():
            row = int(bad.argmax())
            raise InvalidWeights(
                f"sample_weight[{start + row}] is {part[row]}; weights must be finite and not "
                "negative."
            )
        some = some or bool(part.any())
    if not some:
        raise InvalidWeights("sample_weight is zero in every row, so nothing would be counted.")
