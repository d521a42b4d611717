"""Diagonal and spherical covariances, estimated."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.covariances.covariance import CovarianceEstimate, DiagonalCovariance
from suffice.models.covariances.groups import Groups
from suffice.models.covariances.shrinkage import shrunk_variances
from suffice.models.separating import Separation, check_denominator
from suffice.models.settings import Settings
from suffice.models.structures import DiagonalStructure
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.statistics import Statistics


def diagonal_covariances(statistics: AnyStatistics, settings: Settings) -> CovarianceEstimate:
    """One covariance per class, or a shared one, and the classes that borrowed a variance.

    A variance that is zero in a class is replaced by the pooled one. A constant feature is ignored.
    """
    check_denominator(statistics, settings)
    separation = Separation.of(statistics)

    def finish(variances: Floats, pooled: bool) -> Floats:
        return _shrink(variances + separation.floor, statistics, settings, pooled)

    if settings.pooling == 1:
        shared = DiagonalCovariance(finish(_pooled_variances(statistics, settings), pooled=True))
        return CovarianceEstimate((shared,))
    own = finish(_class_variances(statistics, settings), pooled=False)
    borrowed: tuple[int, ...] = ()
    if not own.all():
        pooled = finish(_pooled_variances(statistics, settings), pooled=True)
        missing = (own == 0) & (pooled > 0)
        own = np.where(missing, pooled, own)
        borrowed = tuple(np.flatnonzero(missing.any(axis=1)).tolist())
    if settings.smoothing:
        own = own + settings.smoothing * separation.overall
    return CovarianceEstimate(tuple(map(DiagonalCovariance, own)), borrowed)


def _pooled_variances(statistics: AnyStatistics, settings: Settings) -> Floats:
    return _divide(statistics.squares.sum(axis=0), _total_weight(statistics, settings))


def _class_variances(statistics: AnyStatistics, settings: Settings) -> Floats:
    share, weights = settings.pooling, statistics.known_weight
    squares = (1 - share) * statistics.squares + share * statistics.squares.sum(axis=0)
    own = np.where(weights > 0, weights - settings.ddof, 0.0)
    weight = (1 - share) * own + share * _total_weight(statistics, settings)
    return _divide(squares, weight)


def _total_weight(statistics: AnyStatistics, settings: Settings) -> Floats:
    """Weight of the observed values over all classes, minus ddof per class, (d,) or (1,)."""
    weights = statistics.known_weight
    return np.asarray(weights.sum(axis=0) - settings.ddof * (weights > 0).sum(axis=0))


def _divide(squares: Floats, weight: Floats) -> Floats:
    positive = weight > 0
    return np.where(positive, np.maximum(squares, 0) / np.where(positive, weight, 1.0), 0.0)


def _shrink(
    variances: Floats, statistics: AnyStatistics, settings: Settings, pooled: bool
) -> Floats:
    """The variances after shrinkage, in the form of the structure."""
    share = _shares(statistics, settings, pooled)
    if share.any():
        variances = shrunk_variances(variances, share, settings.target)
    assert isinstance(settings.structure, DiagonalStructure)
    return settings.structure.finish(variances, statistics.known_weight)


def _shares(statistics: AnyStatistics, settings: Settings, pooled: bool) -> Floats:
    if not isinstance(settings.shrinkage, str):
        return np.asarray(settings.shrinkage)
    assert isinstance(statistics, Statistics)
    groups = Groups(statistics, settings)
    if pooled:
        return np.asarray(groups.share(groups.pooled))
    return np.array([[groups.share(groups.group(g))] for g in range(groups.size)])
