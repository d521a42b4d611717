"""Outliers: some rows of a table moved far away, to test how robust an answer is."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_frame


def with_outliers(X: Any, rows: Indices, rng: np.random.Generator, deviations: float = 10.0) -> Any:
    """The same table with the numbers of some rows moved up or down, each feature at random.

    deviations : how far, in standard deviations of each feature
    """
    frame = as_frame(X)
    if frame is None:
        return _move(np.array(X, np.float64), rows, rng, deviations)
    numeric = [name for name in frame.columns if frame[name].dtype.is_numeric()]
    columns = [
        nw.new_series(
            name,
            _move(frame[name].to_numpy().astype(np.float64)[:, None], rows, rng, deviations)[:, 0],
            backend=frame.implementation,
        )
        for name in numeric
    ]
    return frame.with_columns(*columns).to_native() if columns else X


def _move(values: Floats, rows: Indices, rng: np.random.Generator, deviations: float) -> Array:
    with np.errstate(invalid="ignore"):
        spread = np.nan_to_num(np.nanstd(values, axis=0))
    signs = rng.choice([-1.0, 1.0], (len(rows), values.shape[1]))
    values[rows] += deviations * spread * signs
    return values
