"""Diagonal and spherical covariances, estimated."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariance import Diagonal
from suffice.models.groups import Groups
from suffice.models.separating import (
    check_denominator,
    floor,
    overall_variances,
    pooled_squares,
)
from suffice.models.settings import Settings
from suffice.statistics.statistics import Statistics


def diagonal_covariances(
    statistics: Statistics, settings: Settings
) -> tuple[tuple[Diagonal, ...], tuple[int, ...]]:
    """One covariance a class, or a shared one, and the classes that had to borrow a variance.

    A variance that is zero in a class is borrowed from the pooled ones. A feature that never
    varies is ignored.
    """
    check_denominator(statistics, settings)
    overall = overall_variances(statistics)
    added = floor(statistics, overall)

    def finish(variances: Floats, pooled: bool) -> Floats:
        return _finished(variances + added, statistics, settings, pooled)

    if settings.pooling == 1:
        return (Diagonal(finish(_pooled(statistics, settings), pooled=True)),), ()
    own = finish(_blended(statistics, settings), pooled=False)
    borrowed: tuple[int, ...] = ()
    if not own.all():
        pooled = finish(_pooled(statistics, settings), pooled=True)
        missing = (own == 0) & (pooled > 0)
        own = np.where(missing, pooled, own)
        borrowed = tuple(np.flatnonzero(missing.any(axis=1)).tolist())
    if settings.smoothing:
        own = own + settings.smoothing * overall
    return tuple(Diagonal(variances) for variances in own), borrowed


def _pooled(statistics: Statistics, settings: Settings) -> Floats:
    weight = statistics.weight.sum() - settings.ddof * len(statistics.classes)
    return _divided(pooled_squares(statistics), weight)


def _blended(statistics: Statistics, settings: Settings) -> Floats:
    share, ddof = settings.pooling, settings.ddof
    own, k = statistics.spread.diagonal(), len(statistics.classes)
    squares = (1 - share) * own + share * pooled_squares(statistics)
    total = statistics.weight.sum() - ddof * k
    weight = (1 - share) * (statistics.weight - ddof) + share * total
    return _divided(squares, weight[:, None])


def _divided(squares: Floats, weight: Floats) -> Floats:
    known = weight > 0
    return np.where(known, np.maximum(squares, 0) / np.where(known, weight, 1.0), 0.0)


def _finished(
    variances: Floats, statistics: Statistics, settings: Settings, pooled: bool
) -> Floats:
    """The variances after shrinkage, made equal if spherical."""
    share = _shares(statistics, settings, pooled)
    if share.any():
        mean = variances.mean(axis=-1, keepdims=True)
        target = {"identity": mean, "diagonal": variances, "unit": np.ones_like(mean)}
        variances = (1 - share) * variances + share * target[settings.target]
    if settings.structure == "spherical":
        variances = np.broadcast_to(variances.mean(axis=-1, keepdims=True), variances.shape)
    return variances


def _shares(statistics: Statistics, settings: Settings, pooled: bool) -> Floats:
    if not isinstance(settings.shrinkage, str):
        return np.asarray(settings.shrinkage)
    groups = Groups(statistics, settings)
    if pooled:
        return np.asarray(groups.share(groups.pooled))
    return np.array([[groups.share(groups.group(g))] for g in range(groups.size)])
