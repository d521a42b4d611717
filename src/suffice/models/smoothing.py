"""Smoothing of level counts, chosen by their marginal likelihood."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.gammas import log_ratio, log_ratio_slope
from suffice.models.strengths import best_strengths


def likeliest_alpha(weight: Floats) -> float:
    """The alpha under which counts of levels by class (k, m) are most probable.

    Each class draws its level probabilities from a Dirichlet distribution (alpha, ..., alpha);
    with them integrated out, ln p = sum over classes of ln Γ(m alpha) - ln Γ(m alpha + n)
    + sum over levels of ln Γ(alpha + n_l) - ln Γ(alpha).

    >>> round(likeliest_alpha(np.array([[9.0, 0.0], [0.0, 8.0], [7.0, 1.0]])), 3)
    0.157
    """
    m, total = weight.shape[1], weight.sum(axis=1)
    if m < 2 or not total.any():
        return 1.0

    def evidence(alpha: float, _: float) -> tuple[float, Floats]:
        # The remaining logarithms of alpha add up to the constant n ln m.
        value = log_ratio(alpha, weight).sum() - log_ratio(m * alpha, total).sum()
        slope = log_ratio_slope(alpha, weight).sum() - log_ratio_slope(m * alpha, total).sum()
        return float(value), np.array([float(slope), 0.0])

    high = max(float(total.sum()), 1.0)
    # Smallest number of rows added to a level; the largest is the number of all rows.
    least_alpha = 1e-3
    return float(best_strengths(evidence, np.array([least_alpha, 1.0]), np.array([high, 1.0]))[0])
