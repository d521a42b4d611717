"""Odds: how much more one class is favoured than another."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats


def log_odds(scores: Floats, a: int, b: int) -> Floats:
    """ln p(a | x) - ln p(b | x), (n,), from joint log densities up to a constant of the row.

    NaN where neither class is possible: 0 to 0 are no odds.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(scores[:, a] - scores[:, b])
