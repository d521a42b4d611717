"""Directions of a covariance: how well rows with missing values determine them, and which vanish.

Matrices hold scatter per unit of weight, in standard deviations of the features.
"""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.linalg import rank_tolerance, reciprocal

# Variances below this share of the largest that keep falling are taken to be zero.
VANISHING_SHARE = 1e-9


def missing_shares(modelled: Floats, imputed: Floats) -> Floats:
    """The largest share of missing values in the variance along any direction, (n,).

    max v'Iv / v'Mv, with M the scatter that corresponds to a covariance and I the part of it due to
    missing values, both (n, d, d). Directions without variance are left out.
    """
    values, vectors = np.linalg.eigh(modelled)
    kept = values > rank_tolerance(values.shape[1]) * values[:, -1:]
    inverse = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    whitening = vectors * inverse[:, None, :]
    return np.asarray(np.linalg.eigvalsh(whitening.transpose(0, 2, 1) @ imputed @ whitening)[:, -1])


def vanishing_directions(modelled: Floats, after: Floats, imputed: Floats) -> Floats | None:
    """Directions (d, r) along which the variance tends to zero from step to step.

    A step keeps the share of the variance due to missing values, and adds what observed values
    contribute. The variance converges where the two balance.
    """
    values, vectors = np.linalg.eigh(after)
    tolerance = rank_tolerance(len(values)) * values[-1]
    small = vectors[:, (values > tolerance) & (values < VANISHING_SHARE * values[-1])]
    if not small.shape[1]:
        return None
    whole, seen, lost = (
        np.einsum("ir,ij,jr->r", small, part, small)
        for part in (modelled, after - imputed, imputed)
    )
    vanishing = small[:, seen * whole < tolerance * (whole - lost)]
    return vanishing if vanishing.shape[1] else None


def is_moving(before: Floats, after: Floats) -> bool:
    """Whether a step still changes small variances, long after large ones have converged."""
    then, now = np.linalg.eigvalsh(before), np.linalg.eigvalsh(after)
    # Variances below this share of the largest must converge on their own.
    small_share = 1e-3
    small = (now < small_share * now[-1]) & (now > rank_tolerance(len(now)) * now[-1])
    return bool((small & (np.abs(now - then) > 1e-3 * now)).any())


def smallest_shares(matrices: Floats) -> Floats:
    """The smallest variance along any direction of (n, d, d), as a share of the largest, (n,)."""
    values: Floats = np.linalg.eigvalsh(matrices).astype(np.float64)
    return np.asarray(values[:, 0] * reciprocal(values[:, -1]))
