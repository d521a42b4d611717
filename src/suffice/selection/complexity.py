"""Complexity: how many parameters a model effectively has, to tell the simpler of two."""

from __future__ import annotations

from suffice.models.groups import Groups
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.statistics import Statistics


def effective_parameters(
    settings: Settings, k: int, d: int, statistics: AnyStatistics | None = None
) -> float:
    """Free numbers of k means and covariances of d features, as far as these are free.

    Pooling p of k covariances leaves 1 + (1 - p)(k - 1) of them, and a share s of a target
    leaves 1 - s of their entries, but for those of the target. A share that is estimated is that
    of the pooled covariance of the statistics.

    >>> [effective_parameters(Settings(pooling=p), 2, 2) for p in (0.0, 0.5, 1.0)]
    [10.0, 8.5, 7.0]
    """
    free = {"full": d * (d + 1) / 2, "diagonal": d, "spherical": 1.0}[settings.structure]
    target = {"identity": 1.0, "diagonal": min(d, free), "unit": 0.0}[settings.target]
    share = _share(settings, statistics)
    covariances = 1 + (1 - settings.pooling) * (k - 1)
    return k * d + covariances * ((1 - share) * free + share * min(target, free))


def _share(settings: Settings, statistics: AnyStatistics | None) -> float:
    if not isinstance(settings.shrinkage, str):
        return settings.shrinkage
    if not isinstance(statistics, Statistics) or statistics.detail == "diagonal":
        return 0.0
    groups = Groups(statistics, settings)
    return groups.share(groups.pooled)
