"""Plans: which groups of classes to compute the densities of rows left out by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariance import Covariance
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.dense import DenseGroup
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.frames import LITTLE, Frame, Whitened
from suffice.selection.leave_one_out.groups import ManyClasses, OneClass
from suffice.selection.leave_one_out.rows import Removal
from suffice.statistics.numbers import Pair
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """How to compute the densities of all classes in closed form."""

    groups: tuple[OneClass | ManyClasses | DenseGroup, ...]
    hopeless: Array  # (k,): classes whose rows no closed form serves
    pooled: Floats | None  # (d,): squares of which a row must leave something

    @property
    def width(self) -> int:
        """How many numbers a row takes while its densities are computed, about."""
        return max(group.width for group in self.groups)

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of some rows."""
        for group in self.groups:
            group.fill(removal, out)
        if self.pooled is not None:
            loss = removal.loss[:, None] * removal.steps**2
            out.doubtful[removal.at] |= (loss > (1 - LITTLE) * self.pooled).any(axis=1)


def grouped(
    means: Pair,
    own: list[tuple[int, Frame, Covariance]],
    pooled: Frame | None,
    lent: Indices,
    pooling: float,
    still: bool = True,
) -> tuple[OneClass | ManyClasses, ...]:
    """The classes with frames of their own, and those that share the pooled one."""
    k = len(means.high)
    found: list[OneClass | ManyClasses] = []
    for c, frame, covariance in own:
        found.append(OneClass(c, frame, covariance, means, pooling, still and pooling == 0))
    if pooled is not None:
        centre = means[np.full(k, lent[0])]
        places = pooled.project(difference(means, centre))
        apart = None
        if isinstance(pooled, Whitened):
            apart = np.empty((k, k))
            for c, place in enumerate(places):
                apart[c] = ((place - places) ** 2).sum(axis=1)
        found.append(ManyClasses(lent, pooled, places, apart, len(lent) == k))
    return tuple(found)


def hopeless(statistics: Statistics, settings: Settings, lent: Indices, rank: int) -> Array:
    """Classes that are gone without one row, or whose covariance is, (k,)."""
    count, k = statistics.count, len(statistics.classes)
    found = count <= 1
    if settings.shrinkage == 0 and settings.structure == "full":
        if len(lent) or settings.pooling > 0:
            found |= int(count.sum()) - k <= rank
        if settings.pooling == 0:
            own = ~np.isin(np.arange(k), lent)
            found |= own & (count - 1 <= rank)
    return np.asarray(found)
