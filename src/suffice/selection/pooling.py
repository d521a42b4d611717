"""Pooling: how much each of several models counts in a weighted mean of their probabilities."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats


def pool_weights(
    probabilities: Floats, weights: Floats, prior: Floats | None = None, *, max_steps: int = 200
) -> Floats:
    """The weights (m,) for which the pooled probabilities of the true classes are largest.

    Maximises sum of w ln(sum of pool_weight p) + sum of prior ln(pool_weight) by EM: weights of a
    mixture whose components are known. The function is concave.

    probabilities : (n, m) that each model gave to the true class of rows it was not trained on
    weights : (n,) of the rows
    prior : number of rows that count as those of each model, (m,); None for one row in all

    >>> pool_weights(np.array([[0.9, 0.1], [0.8, 0.3], [0.2, 0.3]]), np.ones(3)).round(2)
    array([0.76, 0.24])
    """
    m = probabilities.shape[1]
    given = np.full(m, 1.0 / m) if prior is None else prior
    largest = probabilities.max(axis=1, keepdims=True)
    relative = probabilities / np.where(largest > 0, largest, 1.0)
    shares = np.full(m, 1.0 / m)
    for _ in range(max_steps):
        mixed = relative @ shares
        moved = shares * ((weights / np.where(mixed > 0, mixed, 1.0)) @ relative) + given
        moved /= moved.sum()
        done = np.abs(moved - shares).max() < 1e-6
        shares = moved
        if done:
            break
    return shares
