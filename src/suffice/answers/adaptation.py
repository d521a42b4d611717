"""Adaptation: class priors re-estimated on unlabelled rows whose mix of classes has shifted."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats

MOST_STEPS = 10_000


def adapted_priors(log_posterior: Floats, priors: Floats, tolerance: float = 1e-10) -> Floats:
    """The priors under which unlabelled rows are most likely, by EM.

    Class densities stay as they are; only the mix changes (Saerens, Latinne and Decaestecker
    2002): posteriors are reweighted by new / old prior, and their mean is the next prior.

    log_posterior : (n, k) under `priors`

    >>> rows = np.log([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.05, 0.95]])
    >>> adapted_priors(rows, np.array([0.5, 0.5])).round(3)
    array([0.745, 0.255])
    """
    with np.errstate(divide="ignore"):
        ratio = np.where(priors > 0, log_posterior - np.log(priors), -np.inf)
    likelihood = np.exp(ratio - ratio.max(axis=1, keepdims=True))
    current = priors
    for _ in range(MOST_STEPS):
        weighted = likelihood * current
        weighted /= weighted.sum(axis=1, keepdims=True)
        following = weighted.mean(axis=0)
        moved = np.abs(following - current).max()
        current = following
        if moved < tolerance:
            break
    return np.asarray(current)
