"""Sample weights: anything a user calls sample_weight -> float64, or None."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidWeights


def as_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """Weights as float64, one a row and not all zero; None stays None.

    >>> as_weights([1, 2], 2)
    array([1., 2.])
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidWeights(f"sample_weight must hold numbers: {error}.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise InvalidWeights(
            f"sample_weight has shape {weights.shape} but X has {n_rows} rows; "
            "Sample weights must be 1D array or scalar, one weight a row."
        )
    bad = ~(weights >= 0) | np.isinf(weights)
    if bad.any():
        row = int(bad.argmax())
        raise InvalidWeights(
            f"sample_weight[{row}] is {weights[row]}; weights must be finite and not negative "
            f"({int(bad.sum())} such rows)."
        )
    if not weights.any():
        raise InvalidWeights("sample_weight is zero in every row, so nothing would be counted.")
    return np.ascontiguousarray(weights)
