"""Completion: the statistics that rows with gaps are expected to have, by EM.

The rows themselves are not needed: those that know the same features enter by their weight,
mean and scatter alone (Orchard and Woodbury 1972; Dempster, Laird and Rubin 1977).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.models.expectation import Known, expected
from suffice.models.full import full_covariances, lacks_rows
from suffice.models.groups import Groups
from suffice.models.linalg import rank_tolerance, reciprocal
from suffice.models.settings import Settings
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.numbers import Pair, two_sum
from suffice.statistics.scatter import Dense
from suffice.statistics.statistics import Statistics

# Estimates are final when what is still to come is below this, in standard deviations.
TOLERANCE = 1e-9
MOST_STEPS = 10_000
MANY_STEPS = 200

# Variances below this share of the largest are watched until they come to rest.
SMALL = 1e-3

# Those that have shrunk to this share and still do are taken for zero.
GONE = 1e-9
MOST_FLATTENINGS = 4

# Variances that vanish are looked for every so many steps.
LOOKS = 10

# Beyond this many features the matrices of EM would fill the memory.
MOST_FEATURES = 4096


@dataclass(frozen=True, slots=True)
class State:
    """Class means about a centre, and scatter by group, as if no value were missing."""

    means: Floats  # (k, d)
    scatter: Floats  # (g, d, d)


def complete(statistics: AnyStatistics, settings: Settings) -> tuple[AnyStatistics, Settings]:
    """Statistics without gaps, as the settings' model expects them; diagonal ones as they are.

    Settings come back with them: where the likelihood has no maximum, regularised ones.

    Every step estimates the covariances that the settings ask for, regularised if they say so,
    and then what the rows would be under them, until neither changes.
    """
    if not isinstance(statistics, IncompleteStatistics):
        return statistics, settings
    _check_known(statistics)
    if statistics.detail == "diagonal":
        return statistics, settings
    assert isinstance(statistics.parts, ByPattern)
    if statistics.n_features > MOST_FEATURES:
        raise InvalidParameter(
            f"full covariances of {statistics.n_features} features with missing values would "
            "take matrices too large; use structure='diagonal', or fill the gaps first."
        )
    em = _Em(statistics, settings)
    return em.run(), em.settings


def adapted(settings: Settings, statistics: AnyStatistics) -> Settings:
    """Settings that can be estimated from these statistics.

    Ledoit-Wolf takes fourth-order sums of complete rows. Where values are missing, OAS stands in:
    it is the same idea under the normal assumption, which gaps are filled by anyway.
    """
    if isinstance(statistics, IncompleteStatistics) and settings.shrinkage == "ledoit-wolf":
        return replace(settings, shrinkage="oas")
    return settings


def _check_known(statistics: IncompleteStatistics) -> None:
    unknown = np.flatnonzero(statistics.known_weight.sum(axis=0) == 0)
    if len(unknown):
        names, j = statistics.feature_names, int(unknown[0])
        raise InvalidFeatures(
            f"column {j if names is None else repr(names[j])} of X is missing in every row; "
            "drop it, or bring rows that have it."
        )


class _Em:
    def __init__(self, statistics: IncompleteStatistics, settings: Settings) -> None:
        assert isinstance(statistics.parts, ByPattern)
        self.statistics, self.settings = statistics, settings
        self.shared = statistics.detail == "shared" or settings.pooling == 1
        mean, known = statistics.mean, statistics.known_weight
        self.centre = (known * mean).sum(axis=0) / known.sum(axis=0)
        self.known = Known.of(statistics.parts, statistics.classes, self.centre, self.shared)
        self.count = np.asarray(statistics.known_count.min(axis=1))
        self.weight = statistics.weight
        self.borrowed: set[int] = set()
        self.unknown = known == 0
        self.start = mean - self.centre
        self.variances = self._within(self.start, known)

    def _within(self, means: Floats, known: Floats) -> Floats:
        """Variance within classes of the known values, (d,)."""
        cells, units = self.known.cells, self.known.units
        steps = (cells.mean - means[cells.code]) * units.known[cells.unit]
        squares = units.scatter.diagonal(axis1=1, axis2=2).sum(axis=0)
        squares = squares + (cells.weight[:, None] * steps**2).sum(axis=0)
        # What rounding leaves of a feature that is constant in every class is nothing.
        size = np.abs(self.centre) + np.abs(means).max(axis=0)
        total = known.sum(axis=0)
        noise = (8 * np.finfo(float).eps * size) ** 2 * total
        return np.asarray(np.where(squares > noise, squares, 0.0) / total)

    def run(self) -> Statistics:
        """Iterate to the end, taking longer steps where the steps agree (SQUAREM)."""
        state = self._first()
        self._decide(state)
        flattenings = MOST_FLATTENINGS + len(state.scatter)
        for i in range(MOST_STEPS):
            one = self._next(state)
            two = self._next(one)
            state = self._leap(state, one, two)
            # Slow changes hide behind fast ones, so a step must be far below what may remain.
            near = self._apart(two, one) < (TOLERANCE if i > MANY_STEPS else TOLERANCE / 100)
            if not near and (i < MANY_STEPS or i % LOOKS):
                continue
            moving = self._moving(two, one)
            if near and not moving.any():
                state = two
                break
            # Towards a covariance that is singular there is no end: the likelihood has no bound.
            if (moving > GONE).any() if near else not ((moving > 0) & (moving < GONE)).any():
                continue
            state = self._flattened(two)
            flattenings -= 1
            if not flattenings:
                break
            self._decide(state)
        return self._statistics(state, final=True)

    def _decide(self, state: State) -> None:
        """Find classes that have to borrow, and whether correlations have to be shrunk.

        Once and for all: else they would be regular by what they borrow, and singular again.
        """
        if self.settings.shrinkage != 0:
            return
        groups = Groups(self._statistics(state), self.settings)
        if lacks_rows(groups):
            pooling = self.settings.pooling or 1.0
            self.settings = replace(
                self.settings, shrinkage="oas", target="diagonal", pooling=pooling
            )
            return
        borrowed = full_covariances(groups).borrowed
        self.borrowed |= set(borrowed)
        self.count = np.where(np.isin(np.arange(len(self.count)), borrowed), 0, self.count)

    def _first(self) -> State:
        """Means of the known values, and independent features."""
        scale = self.weight.sum()[None] if self.shared else self.weight
        return State(self.start, np.diag(self.variances)[None] * scale[:, None, None])

    def _next(self, state: State) -> State:
        """What the rows are expected to be under the covariances of this state."""
        groups = Groups(self._statistics(state), self.settings)
        matrices = np.array(
            [
                groups.shrunk(groups.pooled if g in self.borrowed else groups.group(g))
                for g in range(groups.size)
            ]
        )
        if len(matrices) < len(state.scatter):
            matrices = np.repeat(matrices, len(state.scatter), axis=0)
        # A feature without variance says nothing of others, whatever floor it is given.
        still = self.variances == 0
        matrices[:, still, :] = 0.0
        matrices[:, :, still] = 0.0
        means, scatter = expected(self.known, state.means, matrices, self.weight)
        # Of a feature that a class never shows, nothing can be learnt.
        return State(np.where(self.unknown, self.start, means), scatter)

    def _leap(self, state: State, one: State, two: State) -> State:
        """Extrapolation along two steps, if it is still a covariance; else the second step."""
        steps = [self._scaled(one, state), self._scaled(two, one)]
        bend = steps[1] - steps[0]
        size = float(np.linalg.norm(bend))
        if size == 0:
            return two
        length = max(1.0, float(np.linalg.norm(steps[0])) / size)
        means = _along(state.means, one.means, two.means, length)
        scatter = _along(state.scatter, one.scatter, two.scatter, length)
        varying = np.flatnonzero(self.variances)
        own = [g for g in range(len(scatter)) if g not in self.borrowed]
        used = np.concatenate([scatter[own], scatter.sum(axis=0, keepdims=True)])
        try:
            np.linalg.cholesky(used[:, varying[:, None], varying])
        except np.linalg.LinAlgError:
            return two
        return State(means, scatter)

    def _scaled(self, a: State, b: State) -> Floats:
        """The difference of two states in standard deviations."""
        scale = np.sqrt(np.where(self.variances > 0, self.variances, 1.0))
        weight = self.weight.sum()[None] if self.shared else self.weight
        scatter = (a.scatter - b.scatter) / scale / scale[:, None] / weight[:, None, None]
        return np.concatenate([((a.means - b.means) / scale).ravel(), scatter.ravel()])

    def _moving(self, a: State, b: State) -> Floats:
        """Small variances that still shrink, long after large ones stand still, (g, d).

        They are shares of the largest in each group; zero where a variance is at rest.
        """
        now, before = (_shares(np.linalg.eigvalsh(self._correlations(s))) for s in (a, b))
        small = (now < SMALL) & (now > rank_tolerance(now.shape[1]))
        return np.where(small & (np.abs(now - before) > 1e-3 * now), now, 0.0)

    def _correlations(self, state: State) -> Floats:
        varying = np.flatnonzero(self.variances)
        scale = np.sqrt(self.variances[varying])
        return state.scatter[:, varying[:, None], varying] / scale / scale[:, None]

    def _flattened(self, state: State) -> State:
        """The state without the variances that are as good as gone, in whatever group.

        In all at once: features that depend on each other do so in every class.
        """
        varying = np.flatnonzero(self.variances)
        scale = np.sqrt(self.variances[varying])
        scatter = state.scatter.copy()
        for g, correlations in enumerate(self._correlations(state)):
            values, vectors = np.linalg.eigh(correlations)
            kept = values > GONE * values[-1]
            flat = (vectors[:, kept] * values[kept]) @ vectors[:, kept].T
            scatter[g][np.ix_(varying, varying)] = flat * scale * scale[:, None]
        return State(state.means, scatter)

    def _apart(self, a: State, b: State) -> float:
        return float(np.abs(self._scaled(a, b)).max())

    def _statistics(self, state: State, final: bool = False) -> Statistics:
        s = self.statistics
        means = Pair(*two_sum(np.broadcast_to(self.centre, state.means.shape), state.means))
        return Statistics(
            s.classes,
            self.count,
            self.weight,
            means if final else Pair(state.means),
            Dense(Pair(state.scatter), not self.shared),
            None,
            s.feature_names if final else None,
        )


def _shares(values: Array) -> Floats:
    """Ascending values of each group (g, d) as shares of the largest."""
    return np.asarray(values * reciprocal(values[:, -1:]))


def _along(a: Floats, b: Floats, c: Floats, length: float) -> Floats:
    return np.asarray(a + 2 * length * (b - a) + length**2 * (c - 2 * b + a))
