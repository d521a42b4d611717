"""Odds: how much more one class is favoured than another."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats


def log_odds(scores: Floats, a: int, b: int) -> Floats:
    """ln p(a | x) - ln p(b | x), (n,), from joint log densities up to a constant of the row."""
    return np.asarray(scores[:, a] - scores[:, b])
