"""Directions of a covariance: how well rows with gaps know them, and which of them vanish.

Matrices are scatter per unit of weight, in standard deviations of the features.
"""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.linalg import rank_tolerance, reciprocal

# Variances below this share of the largest are watched until they come to rest.
SMALL = 1e-3

# Variances below this share that go on to zero are taken for zero.
GONE = 1e-9


def missing_shares(modelled: Floats, imputed: Floats) -> Floats:
    """The largest share of missing values in the variance along any direction, (n,).

    max v'Iv / v'Mv, with M the scatter that a covariance stands for and I what of it is due to
    missing values, both (n, d, d). Directions without variance are left out.
    """
    values, vectors = np.linalg.eigh(modelled)
    kept = values > rank_tolerance(values.shape[1]) * values[:, -1:]
    inverse = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    whitening = vectors * inverse[:, None, :]
    return np.asarray(np.linalg.eigvalsh(whitening.transpose(0, 2, 1) @ imputed @ whitening)[:, -1])


def vanishing(modelled: Floats, after: Floats, imputed: Floats) -> Floats | None:
    """Directions (d, r) along which a variance goes on to zero from step to step.

    A step leaves of it what missing values share of it, and adds what known ones show. It comes
    to rest where both are in balance.
    """
    values, vectors = np.linalg.eigh(after)
    tolerance = rank_tolerance(len(values)) * values[-1]
    small = vectors[:, (values > tolerance) & (values < GONE * values[-1])]
    if not small.shape[1]:
        return None
    whole, seen, lost = (
        np.einsum("ir,ij,jr->r", small, part, small)
        for part in (modelled, after - imputed, imputed)
    )
    gone = small[:, seen * whole < tolerance * (whole - lost)]
    return gone if gone.shape[1] else None


def is_moving(before: Floats, after: Floats) -> bool:
    """Whether small variances still change by a step, long after large ones stand still."""
    then, now = np.linalg.eigvalsh(before), np.linalg.eigvalsh(after)
    small = (now < SMALL * now[-1]) & (now > rank_tolerance(len(now)) * now[-1])
    return bool((small & (np.abs(now - then) > 1e-3 * now)).any())


def smallest_shares(matrices: Floats) -> Floats:
    """The smallest variance along any direction of (n, d, d), as a share of the largest, (n,)."""
    values: Floats = np.linalg.eigvalsh(matrices).astype(np.float64)
    return np.asarray(values[:, 0] * reciprocal(values[:, -1]))
