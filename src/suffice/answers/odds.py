"""Odds: how much more one class is favoured than another."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.gaussian import GaussianModel


def log_odds(model: GaussianModel, X: Array, a: int, b: int) -> Floats:
    """ln p(a | x) - ln p(b | x), (n,)."""
    scores = model.scores(X)
    return np.asarray(scores[:, a] - scores[:, b])


def log_likelihood_ratio(model: GaussianModel, X: Array, a: int, b: int) -> Floats:
    """ln p(x | a) - ln p(x | b), (n,): the log-odds where priors are equal."""
    k = len(model.classes)
    return log_odds(model.with_priors(np.full(k, 1 / k)), X, a, b)
