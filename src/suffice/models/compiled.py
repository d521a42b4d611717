"""Compiled loop for independent features: imported only when there are rows enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.statistics.jit import jit


@jit(fastmath={"contract", "reassoc", "nsz"})
def squared_distances(
    X: Any, means: Any, precisions: Any, out: Any
) -> None:  # pragma: no cover - compiled
    """Sum over features of precision (x - mean)², for each row and class."""
    for i in range(len(X)):
        x = X[i]
        for c in range(len(means)):
            m = means[c]
            p = precisions[c]
            total = 0.0
            for j in range(len(m)):
                step = np.float64(x[j]) - m[j]
                total += step * step * p[j]
            out[c, i] = total
