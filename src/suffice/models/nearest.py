"""Nearest: centres to start from, by k-means++."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.models.linalg import reciprocal
from suffice.models.training import Training
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.soft_rows import SoftBlock, SoftRows, Stretch
from suffice.statistics.summarize import summarize

# Iterations of k-means before EM starts.
LLOYD = 10

# Of so many rows the one is the next centre that leaves the others nearest to one.
TRIALS = 4

# Several starts for so many entries at most, times components.
STARTS, FEW_ENTRIES = 4, 1 << 17


class Nearest:
    """Centres for the components of each class, and the rows nearest to them (k-means++).

    Distances are in standard deviations of each feature, so that units do not matter; missing
    values are left out. Rows without a class take no part.
    """

    def __init__(self, training: Training, owner: Indices) -> None:
        overall = training.overall
        self.training, self.owner = training, owner
        self.labelled = training.labelled
        X, codes = training.X, training.codes
        self.rows = SoftRows.of(X, self.labelled, codes, owner, gaps=False)
        self.centre = overall.mean[0]
        self.inverse = np.sqrt(reciprocal(overall.squares[0] / overall.known_weight[0]))

    def centres(self, rng: np.random.Generator) -> Floats:
        """Spread out at random, then moved to the mean of their rows a few times, (K, d).

        Of few rows the best of several such, which takes next to nothing.
        """
        n, d = self.training.X.shape
        several = STARTS if n * d * len(self.owner) <= FEW_ENTRIES else 1
        found = [self._moved(rng) for _ in range(several)]
        return min(found, key=self._inertia) if several > 1 else found[0]

    def _inertia(self, centres: Floats) -> float:
        """Sum of squared distances of rows from the centre that each is nearest to."""
        own = self.assigned(centres)
        X, weights = self.training.X, self.labelled
        squares = np.nansum(((X - centres[own]) * self.inverse) ** 2, axis=1)
        return float(squares.sum() if weights is None else squares @ weights)

    def _moved(self, rng: np.random.Generator) -> Floats:
        centres = self._seeds(rng)
        before = np.full(len(self.training.X), -1)
        for _ in range(LLOYD):
            assigned = self.assigned(centres)
            if np.array_equal(assigned, before):
                break
            statistics = summarize(self.training.X, assigned, self.labelled, "diagonal")
            centres[statistics.classes] = self.means(statistics)
            before = assigned
        return centres

    def means(self, statistics: AnyStatistics) -> Floats:
        """The means of classes; at the centre in features that no row of a sample knows."""
        found = statistics.mean
        return np.where(np.isnan(found), self.centre, found)

    def assigned(self, centres: Floats) -> Indices:
        """The component of its class to which each row is nearest, (n,)."""
        places = (centres - self.centre) * self.inverse
        out = np.zeros(len(self.training.X), np.int64)

        def work(block: SoftBlock) -> None:
            own = places[block.components]
            steps = self._steps(block, self.centre)
            known = ~np.isnan(steps)
            np.nan_to_num(steps, copy=False)
            # |x - c|² over the known features, less |x|², which is the same for all centres.
            lengths = own**2 @ known if not known.all() else (own**2).sum(axis=1)[:, None]
            out[block.at] = block.components[(own @ steps - lengths / 2).argmax(axis=0)]

        self.rows.each(work)
        return out

    def sources(self, centres: Floats, present: Indices) -> Indices:
        """For each component its position among those that have rows, or that of its twin, (K,).

        Where a class has fewer different rows than components, some have none: they double
        the nearest one.
        """
        places = (centres - self.centre) * self.inverse
        apart = ((places[:, None] - places[present]) ** 2).sum(axis=2)
        apart[self.owner[:, None] != self.owner[present]] = np.inf
        apart[present, np.arange(len(present))] = -1.0
        return np.asarray(apart.argmin(axis=1))

    def _seeds(self, rng: np.random.Generator) -> Floats:
        """Rows chosen one by one, by their squared distance from those chosen before, (K, d).

        The best of a few such rows each time: one alone is too often a bad start.
        """
        centres = np.repeat(self.centre[None], len(self.owner), axis=0)
        k = 1 + self.owner[-1]
        distance = self._squared_distances(np.repeat(self.centre[None], k, axis=0))
        chance = np.ones(len(distance))
        for j in range(int(np.bincount(self.owner).max())):
            nearest, least = distance.copy(), np.full(k, np.inf)
            for _ in range(TRIALS if j else 1):
                latest = self._drawn(j, distance, chance, rng)
                found = self._squared_distances(latest)
                found = np.minimum(distance, found) if j else found
                for c, stretch in self._growing(j):
                    at = stretch.rows
                    left = self._weighted(found, at).sum()
                    if left < least[c]:
                        least[c], centres[stretch.components[j]] = left, latest[c]
                        nearest[at] = found[at]
            distance = chance = nearest
        return centres

    def _drawn(self, j: int, distance: Floats, chance: Floats, rng: np.random.Generator) -> Floats:
        """A row of each class that has a centre j, by its chance, (k, d)."""
        latest = np.repeat(self.centre[None], 1 + self.owner[-1], axis=0)
        for c, stretch in self._growing(j):
            at = stretch.rows
            row = self.training.X[
                at[_picked(distance[at], self._weighted(chance, at), rng.random())]
            ]
            latest[c] = np.where(np.isnan(row), self.centre, row)
        return latest

    def _growing(self, j: int) -> list[tuple[int, Stretch]]:
        """The classes that have a centre j, each with its rows."""
        some = [one for one in self.rows.stretches if j < len(one.components)]
        return [(int(self.owner[one.components[j]]), one) for one in some]

    def _weighted(self, values: Floats, at: Indices) -> Floats:
        return values[at] if self.labelled is None else values[at] * self.labelled[at]

    def _squared_distances(self, centres: Floats) -> Floats:
        """Of each row from the centre of its class (k, d), in what is known of it, (n,)."""
        out = np.zeros(len(self.training.X))

        def work(block: SoftBlock) -> None:
            steps = self._steps(block, centres[self.owner[block.components[0]]])
            known = len(steps) - np.isnan(steps).sum(axis=0)
            np.nan_to_num(steps, copy=False)
            steps *= steps
            out[block.at] = steps.sum(axis=0) * (len(steps) / np.maximum(known, 1))

        self.rows.each(work)
        return out

    def _steps(self, block: SoftBlock, centre: Floats) -> Floats:
        """Rows of a block about a centre, in standard deviations, (d, b)."""
        steps = block.columns - centre[:, None]
        steps *= self.inverse[:, None]
        return steps


def _picked(key: Floats, chance: Floats, place: float) -> int:
    """A row by its chance: the one that holds a place from 0 to 1 when they are laid in a line.

    In the order of their keys, so that neither the order of the rows matters nor whether one
    comes twice or has twice the weight.
    """
    order = np.argsort(key, kind="stable")
    edges = np.cumsum(chance[order])
    at = int(np.searchsorted(edges, place * edges[-1], side="right"))
    return int(order[min(at, len(order) - 1)])
