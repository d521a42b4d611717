"""Adaptation: class priors for unlabelled rows whose class frequencies have shifted."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats


def adapt_priors(
    log_posterior: Floats, priors: Floats, tolerance: float = 1e-10, max_steps: int = 1_000
) -> Floats:
    """The priors under which unlabelled rows are most likely, by EM.

    Class densities stay as they are; only priors change (Saerens, Latinne and Decaestecker
    2002): posteriors are reweighted by new / old prior, and their mean is the next prior.

    log_posterior : (n, k) under `priors`

    >>> rows = np.log([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.05, 0.95]])
    >>> adapt_priors(rows, np.array([0.5, 0.5])).round(3)
    array([0.745, 0.255])
    """
    with np.errstate(divide="ignore"):
        ratio = np.where(priors > 0, log_posterior - np.log(priors), -np.inf)
    likelihood = np.exp(ratio - ratio.max(axis=1, keepdims=True))
    current, level = _step(likelihood, priors)
    for _ in range(max_steps):
        first, _ = _step(likelihood, current)
        second, _ = _step(likelihood, first)
        following, higher = _step(likelihood, _leap(current, first, second))
        if not higher >= level:
            following, higher = _step(likelihood, second)
        moved = np.abs(following - current).max()
        current, level = following, higher
        if moved < tolerance:
            break
    return np.asarray(current)


def _step(likelihood: Floats, priors: Floats) -> tuple[Floats, float]:
    """The next priors of EM, and the log-likelihood of those given."""
    weighted = likelihood * priors
    total = weighted.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (weighted / total).mean(axis=0), float(np.log(total).sum())


def _leap(x: Floats, first: Floats, second: Floats) -> Floats:
    """Two steps of EM, extrapolated (SQUAREM, Varadhan and Roland 2008)."""
    step, bend = first - x, (second - first) - (first - x)
    size = np.sqrt((bend * bend).sum())
    if size == 0:
        return second
    length = max(1.0, float(np.sqrt((step * step).sum()) / size))
    point = np.maximum(x + 2 * length * step + length**2 * bend, 0.0)
    return np.asarray(point / point.sum()) if point.sum() > 0 else second
