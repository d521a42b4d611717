"""Nearest: initial centres by k-means++."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import batches
from suffice.models.covariances.linalg import reciprocal
from suffice.models.em.training import Training
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.passes.soft_rows import SoftBlock, SoftRows, Stretch
from suffice.statistics.summarize import summarize_batches


class Nearest:
    """Centres for the components of each class, and the rows nearest to them (k-means++).

    Distances are in standard deviations of each feature, so that units do not matter; missing
    values are left out. Rows without a class are ignored.
    """

    def __init__(self, training: Training, owner: Indices) -> None:
        overall = training.overall
        self.training, self.owner = training, owner
        self.labelled = training.labelled
        X, codes = training.X, training.codes
        self.rows = SoftRows.of(X, self.labelled, codes, owner, gaps=False)
        self.centre = overall.mean[0]
        self.inverse = np.sqrt(reciprocal(overall.squares[0] / overall.known_weight[0]))

    def centres(self, rng: np.random.Generator, again: bool = False) -> Floats:
        """Random, well-spread rows, then moved to the mean of their rows a few times, (K, d).

        For small data, the best of several starts, which is cheap.

        again : the rows as they were drawn, because k-means mostly ends in the same centres, from
            which EM would find the same optimum again
        """
        if again:
            return self._seeds(rng)
        n, d = self.training.X.shape
        few_entries = 1 << 17  # rows x features x components up to which several starts are cheap
        several = 4 if n * d * len(self.owner) <= few_entries else 1
        candidates = [self._k_means(rng) for _ in range(several)]
        inertia = np.array([self._inertia(one) for one in candidates])
        # The same centres in another order differ by rounding only: the first is used, or the
        # order of the rows would decide which component is which.
        return candidates[int(np.argmax(inertia <= inertia.min() * (1 + 1e-9)))]

    def _inertia(self, centres: Floats) -> float:
        """Sum of squared distances of rows to their nearest centre."""
        own = self.assign(centres)
        X, weights = self.training.X, self.labelled
        squares = np.nansum(((X - centres[own]) * self.inverse) ** 2, axis=1)
        return float(squares.sum() if weights is None else squares @ weights)

    def _k_means(self, rng: np.random.Generator) -> Floats:
        centres = self._seeds(rng)
        before = np.full(len(self.training.X), -1)
        # Iterations of k-means before EM starts.
        k_means_steps = 10
        for _ in range(k_means_steps):
            assigned = self.assign(centres)
            if np.array_equal(assigned, before):
                break
            statistics = summarize_batches(
                batches(self.training.X, assigned, self.labelled), "diagonal"
            )
            centres[statistics.classes] = self.means(statistics)
            before = assigned
        return centres

    def means(self, statistics: AnyStatistics) -> Floats:
        """The class means; at the centre for features that are missing in the whole sample."""
        means = statistics.mean
        return np.where(np.isnan(means), self.centre, means)

    def assign(self, centres: Floats) -> Indices:
        """The nearest component of its class for each row, (n,)."""
        places = (centres - self.centre) * self.inverse
        out = np.zeros(len(self.training.X), np.int64)

        def work(block: SoftBlock) -> None:
            own = places[block.components]
            steps = self._steps(block, self.centre)
            observed = ~np.isnan(steps)
            np.nan_to_num(steps, copy=False)
            # |x - c|² over the observed features, minus |x|², which is the same for all centres.
            lengths = own**2 @ observed if not observed.all() else (own**2).sum(axis=1)[:, None]
            out[block.at] = block.components[(own @ steps - lengths / 2).argmax(axis=0)]

        self.rows.each(work)
        return out

    def sources(self, centres: Floats, present: Indices) -> Indices:
        """Position of each component among those that have rows, (K,).

        If a class has fewer distinct rows than components, those without rows duplicate the
        nearest one.
        """
        places = (centres - self.centre) * self.inverse
        apart = ((places[:, None] - places[present]) ** 2).sum(axis=2)
        apart[self.owner[:, None] != self.owner[present]] = np.inf
        apart[present, np.arange(len(present))] = -1.0
        return np.asarray(apart.argmin(axis=1))

    def _seeds(self, rng: np.random.Generator) -> Floats:
        """Rows drawn one by one, with probability by squared distance from earlier ones, (K, d).

        Each time the best of a few draws is kept: a single draw is too often a bad start.
        """
        centres = np.repeat(self.centre[None], len(self.owner), axis=0)
        k = 1 + self.owner[-1]
        distance = self._squared_distances(np.repeat(self.centre[None], k, axis=0))
        probability = np.ones(len(distance))
        # Rows tried as the next centre; the one with the smallest sum of distances is used.
        trials = 4
        for j in range(int(np.bincount(self.owner).max())):
            nearest, smallest = distance.copy(), np.full(k, np.inf)
            for _ in range(trials if j else 1):
                latest = self._draw_rows(j, distance, probability, rng)
                distances = self._squared_distances(latest)
                distances = np.minimum(distance, distances) if j else distances
                for c, stretch in self._classes_with_centre(j):
                    at = stretch.rows
                    left = self._weighted(distances, at).sum()
                    if left < smallest[c]:
                        smallest[c], centres[stretch.components[j]] = left, latest[c]
                        nearest[at] = distances[at]
            distance = probability = nearest
        return centres

    def _draw_rows(
        self, j: int, distance: Floats, probability: Floats, rng: np.random.Generator
    ) -> Floats:
        """A random row of each class that has a centre j, (k, d)."""
        latest = np.repeat(self.centre[None], 1 + self.owner[-1], axis=0)
        for c, stretch in self._classes_with_centre(j):
            at = stretch.rows
            row = self.training.X[
                at[_pick_row(distance[at], self._weighted(probability, at), rng.random())]
            ]
            latest[c] = np.where(np.isnan(row), self.centre, row)
        return latest

    def _classes_with_centre(self, j: int) -> list[tuple[int, Stretch]]:
        """The classes that have a centre j, each with its rows."""
        some = [one for one in self.rows.stretches if j < len(one.components)]
        return [(int(self.owner[one.components[j]]), one) for one in some]

    def _weighted(self, values: Floats, at: Indices) -> Floats:
        return values[at] if self.labelled is None else values[at] * self.labelled[at]

    def _squared_distances(self, centres: Floats) -> Floats:
        """Squared distances of rows to their class's centre, from the observed features, (n,)."""
        out = np.zeros(len(self.training.X))

        def work(block: SoftBlock) -> None:
            steps = self._steps(block, centres[self.owner[block.components[0]]])
            observed = len(steps) - np.isnan(steps).sum(axis=0)
            np.nan_to_num(steps, copy=False)
            steps *= steps
            out[block.at] = steps.sum(axis=0) * (len(steps) / np.maximum(observed, 1))

        self.rows.each(work)
        return out

    def _steps(self, block: SoftBlock, centre: Floats) -> Floats:
        """Rows of a block about a centre, in standard deviations, (d, b)."""
        steps = block.columns - centre[:, None]
        steps *= self.inverse[:, None]
        return steps


def _pick_row(key: Floats, probability: Floats, place: float) -> int:
    """The row at which the cumulative probability reaches `place`, from 0 to 1.

    Rows are sorted by their keys first, so that neither the order of the rows matters nor whether
    a row comes twice or has twice the weight.
    """
    order = np.argsort(key, kind="stable")
    edges = np.cumsum(probability[order])
    at = int(np.searchsorted(edges, place * edges[-1], side="right"))
    return int(order[min(at, len(order) - 1)])
