"""EM for rows with gaps: class means and scatter as if no value were missing.

The rows themselves are not needed: those that know the same features enter by their weight,
mean and scatter alone (Orchard and Woodbury 1972; Dempster, Laird and Rubin 1977).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.anderson import Anderson
from suffice.models.coordinates import Coordinates
from suffice.models.directions import (
    GONE,
    is_moving,
    missing_shares,
    smallest_shares,
    vanishing,
)
from suffice.models.expectation import Expected, expected
from suffice.models.full import lacks_rows
from suffice.models.groups import Groups
from suffice.models.known import KnownParts
from suffice.models.linalg import rank_tolerance
from suffice.models.observed import Observed
from suffice.models.settings import Settings

# Estimates are final when what is still to come is below this, in standard deviations.
TOLERANCE = 1e-9

# Slow changes hide behind fast ones: for many steps, one must be shorter by this factor.
MARGIN = 100
MANY_STEPS = 300
MOST_STEPS = 1000

# A leap may leave no less of any variance, and lose no more nats per unit of weight.
KEPT = 0.1
LOST = 1e-8

# Without a likelihood to judge them by, leaps wait until a step is shorter, in deviations.
CLOSE = 1e-2


@dataclass(frozen=True, slots=True)
class Estimate:
    """What EM arrives at: in lanes of one class each, or in one lane of all classes."""

    means: Floats  # (k, d): about the centre
    scatter: Floats  # (g, d, d)
    supported: Array  # (lanes,): whether every direction is known from more rows than features
    settled: Array  # (lanes,): whether the estimates are final
    singular: Array  # (lanes,): whether features depend on each other exactly
    steps: int


@dataclass(slots=True)
class _Lane:
    """Estimates that depend on each other, on their way from step to step."""

    number: Indices  # (1,)
    history: Anderson
    point: Floats  # where the next step starts
    image: Floats  # where the last one ended
    level: float = np.nan  # log-likelihood before it
    length: float = np.inf
    leaped: bool = False
    steps: int = 0
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of one lane; matrices are those of all its classes together, in deviations."""

    image: Floats
    level: float
    covariances: Floats  # (g, d, d): that the step is taken under
    before: Floats  # (d, d): scatter before
    after: Floats  # (d, d): scatter after
    modelled: Floats  # (d, d): scatter that the covariances stand for
    imputed: Floats  # (d, d): what of the scatter after is due to missing values
    missing: float  # its share in the direction where that is largest
    smallest: float  # variance after, as a share of the largest


class GapEm:
    """Steps of EM, and leaps to where the last ones lead (Anderson acceleration).

    A step estimates the covariances that the settings ask for, and then what the rows would be
    under them. Classes with covariances of their own do not depend on each other: each is a lane
    that ends by itself. Otherwise all classes are one lane.
    """

    def __init__(self, observed: Observed, settings: Settings) -> None:
        s, at = observed.statistics, observed.varying
        self.observed, self.settings = observed, settings
        self.plain = settings.shrinkage == 0
        self.shared = s.detail == "shared" or settings.pooling == 1
        self.apart = self.plain and settings.pooling == 0
        self.known = observed.known_shared if self.shared else observed.known_apart
        self.weight, self.count = s.weight, s.count
        self.start, self.unknown = observed.start, observed.unknown
        self.variances = observed.pooled_variances[at]
        own = observed.own_variances[:, at]
        variances = self.variances[None] if self.shared else np.where(own > 0, own, self.variances)
        totals = self.weight.sum(keepdims=True) if self.shared else self.weight
        self.coordinates = Coordinates(np.sqrt(variances), totals, len(self.weight), self.apart)
        self.lost = settings.ddof * (len(self.weight) if self.shared else 1)
        # Where classes share a covariance, each takes a row of its own for its mean.
        means = 1 if self.apart else max(1, observed.complete_classes)
        self.fewest = len(at) + means - 0.5
        self.steps = 0

    def run(self) -> Estimate:
        """Iterate to the end, from independent features and the means of known values."""
        everything = np.arange(len(self.start) if self.apart else 1)
        points = self.coordinates.packed(self.start, self._first, everything)
        lanes = [_Lane(np.array([i]), Anderson(len(p)), p, p) for i, p in enumerate(points)]
        active, known = lanes, self.known
        while active:
            for lane, step in zip(active, self._take_steps(known, active), strict=True):
                self._advance(lane, step)
            going = [lane for lane in active if not lane.outcome]
            if self.apart and 0 < len(going) < len(active):
                known = self.known.of_classes(np.concatenate([lane.number for lane in going]))
            active = going
        images = np.array([lane.image for lane in lanes])
        means, scatter = self.coordinates.unpacked(images, everything)
        outcomes = np.array([lane.outcome for lane in lanes])
        shares = smallest_shares(self._together(scatter, everything))
        singular = shares <= rank_tolerance(scatter.shape[1])
        unsupported, unfinished = outcomes == "unsupported", outcomes == "unfinished"
        return Estimate(means, scatter, ~unsupported, ~unfinished, singular, self.steps)

    @property
    def _first(self) -> Floats:
        """Scatter of independent features, (g, d, d)."""
        totals, d = self.coordinates.totals, len(self.variances)
        variances = np.tile(self.variances, (len(totals), 1))
        return self._cleared(np.eye(d) * (variances * totals[:, None])[:, :, None])

    def _cleared(self, scatter: Floats) -> Floats:
        """Scatter without what rounding leaves of features that are constant in a class."""
        if self.shared or self.settings.pooling != 0:
            return scatter
        own = self.observed.own_variances[:, self.observed.varying]
        varies = (own > 0) | self.unknown
        return np.asarray(scatter * (varies[:, :, None] & varies[:, None, :]))

    def _take_steps(self, known: KnownParts, lanes: list[_Lane]) -> list[_Step]:
        """One step of each lane."""
        self.steps += 1
        at = np.concatenate([lane.number for lane in lanes])
        means, scatter = self.coordinates.unpacked(np.array([lane.point for lane in lanes]), at)
        covariances = self._covariances(means, scatter, at)
        own = at if self.apart else slice(None)
        e = expected(known, means, covariances, self.weight[own], self._has_level)
        # Of a feature that a class never shows, nothing can be learnt.
        moved = np.where(self.unknown[own], self.start[own], e.means)
        modelled = covariances * self.coordinates.totals[own][:, None, None]
        after = e.scatter if self.apart else self._cleared(e.scatter)
        parts = [self._together(p, at) for p in (scatter, after, modelled, e.imputed)]
        missing, smallest = np.zeros(len(lanes)), np.ones(len(lanes))
        if self.plain:
            missing, smallest = missing_shares(*parts[2:]), smallest_shares(parts[1])
        each = zip(
            self.coordinates.packed(moved, after, at),
            self._levels(e, parts[2]),
            covariances[:, None] if self.apart else covariances[None],
            *parts,
            missing.tolist(),
            smallest.tolist(),
            strict=True,
        )
        return [_Step(*values) for values in each]

    def _together(self, scatter: Floats, at: Indices) -> Floats:
        """Scatter of each lane, its classes together, in deviations and per unit of weight."""
        if self.apart or self.shared:
            return self.coordinates.correlations(scatter, at)
        scale = np.sqrt(self.variances)
        return np.asarray((scatter.sum(axis=0) / scale / scale[:, None] / self.weight.sum())[None])

    @property
    def _has_level(self) -> bool:
        return self.plain and (self.shared or self.apart)

    def _levels(self, e: Expected, modelled: Floats) -> list[float]:
        """What steps increase, up to a constant: ln L, and ddof / 2 ln|S| as ddof implies."""
        if not self._has_level:
            return [np.nan]
        levels = e.log_likelihood
        if self.lost:
            levels = levels + self.lost / 2 * np.linalg.slogdet(modelled)[1]
        return [float(level) for level in levels]

    def _covariances(self, means: Floats, scatter: Floats, at: Indices) -> Floats:
        """The covariances that the settings ask for, (g, d, d)."""
        if self._has_level:
            totals = self.coordinates.totals
            return np.asarray(
                scatter / ((totals[at] if self.apart else totals) - self.lost)[:, None, None]
            )
        groups, varying = self._groups(means, scatter), self.observed.varying
        matrices = np.array([groups.shrunk(groups.group(g)) for g in range(groups.size)])
        return np.ascontiguousarray(matrices[:, varying[:, None], varying])

    def _groups(self, means: Floats, scatter: Floats) -> Groups:
        s = self.observed.completed(means, scatter, self.shared, self.count, centred=True)
        return Groups(s, self.settings)

    def _advance(self, lane: _Lane, step: _Step) -> None:
        """Take the step, or the leap back that led there, and see where to go next."""
        lane.steps += 1
        if lane.steps >= MOST_STEPS:
            lane.outcome = "unfinished"
        change = step.image - lane.point
        length = float(np.linalg.norm(change))
        if lane.leaped and self._is_worse(lane, step.level, length):
            lane.history.reject()
            lane.point, lane.leaped = lane.image, False
            return
        lane.history.add(lane.point, change)
        lane.image, lane.level, lane.length = step.image, step.level, length
        if self.plain and self._falters(lane, step):
            return
        margin = MARGIN if lane.steps < MANY_STEPS else 1
        near = float(np.abs(change).max(initial=0.0)) < TOLERANCE / margin
        if near and not (self.plain and is_moving(step.before, step.after)):
            lane.outcome = "settled"
        else:
            self._leap(lane, step)

    def _is_worse(self, lane: _Lane, level: float, length: float) -> bool:
        """Whether a leap led astray: by the likelihood, or where there is none by the next step."""
        if np.isnan(level) or np.isnan(lane.level):
            return length > 2 * lane.length
        totals = self.coordinates.totals
        return level < lane.level - LOST * float(totals[lane.number[0]])

    def _leap(self, lane: _Lane, step: _Step) -> None:
        """Go on from where the last steps lead, if all variances stay; else from the last end."""
        lane.point, lane.leaped = step.image, False
        if not self._has_level and lane.length > CLOSE:
            return
        correction = lane.history.correction()
        if correction is None:
            return
        for share in (1.0, 0.5, 0.25):
            point = step.image + share * correction
            state = self.coordinates.unpacked(point[None], lane.number)
            rest = self._covariances(*state, lane.number) - KEPT * step.covariances
            rest = self.coordinates.correlations(rest, lane.number)
            sizes = np.abs(rest).max(axis=(1, 2), initial=0.0)
            if (np.linalg.eigvalsh(rest)[:, 0] > -rank_tolerance(rest.shape[1]) * sizes).all():
                lane.point, lane.leaped = point, True
                return

    def _falters(self, lane: _Lane, step: _Step) -> bool:
        """Whether a lane ends for want of rows, or goes on without a direction that vanishes."""
        own = lane.number[0] if self.apart else slice(None)
        rows, weight = float(self.count[own].sum()), float(self.weight[own].sum())
        known = 1 - step.missing
        if rows * known < self.fewest or weight * known <= self.lost:
            lane.outcome = "unsupported"
            return True
        gone = None
        if step.smallest < GONE:
            gone = vanishing(step.modelled, step.after, step.imputed)
        if gone is None:
            return False
        means, scatter = self.coordinates.unpacked(step.image[None], lane.number)
        scale = self.coordinates.scale[lane.number] if self.apart else np.sqrt(self.variances)[None]
        kept = (np.eye(len(gone)) - gone @ gone.T) * scale[0][:, None] / scale[0]
        scatter = kept @ scatter @ kept.T
        if not self.apart and lacks_rows(self._groups(means, scatter)):
            lane.outcome = "unsupported"
        lane.history.reject()
        lane.image = lane.point = self.coordinates.packed(means, scatter, lane.number)[0]
        lane.level, lane.leaped = np.nan, False
        return True
