"""EM for rows with missing values: class means and scatter as if no value were missing.

The rows themselves are not needed: those with the same pattern of missing values enter by their
weight, mean and scatter alone (Orchard and Woodbury 1972; Dempster, Laird and Rubin 1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.conjugate_priors.coordinates import (
    VANISHING_SHARE,
    Coordinates,
    is_moving,
    missing_shares,
    smallest_shares,
    vanishing_directions,
)
from suffice.models.covariances.full import lacks_rows
from suffice.models.covariances.groups import Groups
from suffice.models.covariances.linalg import rank_tolerance
from suffice.models.em.anderson import Anderson
from suffice.models.em.effort import Start, most_work, shared_starts
from suffice.models.em.expectation import Expected, expected_sums
from suffice.models.em.observed import Observed
from suffice.models.em.observed_parts import ObservedParts
from suffice.models.settings import Settings


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of EM: one lane per class, or one lane for all classes."""

    means: Floats  # (k, d): about the centre
    scatter: Floats  # (g, d, d)
    supported: Array  # (lanes,): whether more rows than features determine every direction
    settled: Array  # (lanes,): whether the estimates have converged
    singular: Array  # (lanes,): whether features are linearly dependent
    steps: int


@dataclass(slots=True)
class _Lane:
    """The current state of estimates that depend on each other."""

    number: Indices  # (1,)
    history: Anderson
    point: Floats  # where the next step starts
    image: Floats  # where the last step ended
    level: float = np.nan  # log-likelihood before the last step
    length: float = np.inf
    has_leaped: bool = False
    steps: int = 0
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of one lane; matrices are pooled over its classes, in standard deviations."""

    image: Floats
    level: float
    covariances: Floats  # (g, d, d): under which the step is taken
    before: Floats  # (d, d): scatter before
    after: Floats  # (d, d): scatter after
    modelled: Floats  # (d, d): scatter that corresponds to the covariances
    imputed: Floats  # (d, d): part of the scatter after that is due to missing values
    missing: float  # largest share of missing values along any direction
    smallest: float  # smallest variance after, as a share of the largest


class GapEm:
    """EM with Anderson acceleration: steps, and leaps to where the last steps lead.

    A step estimates the covariances that the settings ask for, and then completes the rows under
    them. Classes with their own covariances do not depend on each other: each is a lane that
    ends independently. Otherwise all classes form one lane.
    """

    most_steps: ClassVar[int] = 1000

    # Estimates have converged when the remaining change is below this, in standard deviations.
    tolerance: ClassVar[float] = 1e-9

    # Slow changes hide behind fast ones, so the last step must be this many times shorter than the
    # tolerance, until many steps have been taken.
    margin: ClassVar[int] = 100
    many_steps: ClassVar[int] = 300

    # Where effort is limited, this change suffices after the work allowed: that of one step, in
    # standard deviations.
    coarse_tolerance: ClassVar[float] = 1e-3

    # After this many steps, or ten times the work allowed, EM then ends with larger changes, too.
    limited_steps: ClassVar[int] = 100

    # A leap must keep this share of every variance, and may lose this many nats per unit of weight.
    kept_share: ClassVar[float] = 0.1
    lost_nats: ClassVar[float] = 1e-8

    # If the likelihood is not computed, leaps wait until a step is this short, in deviations.
    short_step: ClassVar[float] = 0.3

    def __init__(self, observed: Observed, settings: Settings) -> None:
        s, at = observed.statistics, observed.varying
        self.observed, self.settings = observed, settings
        self.plain = settings.shrinkage == 0
        self.shared = s.detail == "shared" or settings.pooling == 1
        self.apart = self.plain and settings.pooling == 0
        self.parts = observed.parts_shared if self.shared else observed.parts_separate
        self.weight, self.count = s.weight, s.count
        self.start, self.unknown = observed.start, observed.unknown
        self.variances = observed.pooled_variances[at]
        own = observed.own_variances[:, at]
        variances = self.variances[None] if self.shared else np.where(own > 0, own, self.variances)
        totals = self.weight.sum(keepdims=True) if self.shared else self.weight
        self.coordinates = Coordinates(np.sqrt(variances), totals, len(self.weight), self.apart)
        self.lost = settings.ddof * (len(self.weight) if self.shared else 1)
        # If classes share a covariance, each class uses up one row for its mean.
        means = 1 if self.apart else max(1, observed.complete_classes)
        self.fewest = len(at) + means - 0.5
        self.steps = 0
        units, d = len(self.parts.units.weight), len(at)
        self.patience = most_work() / (units * d**2 + len(totals) * d**3)  # steps
        self.last = min(self.most_steps, max(self.limited_steps, 10 * self.patience))

    def run(self) -> Estimate:
        """Iterate until all lanes end, from independent features and observed means."""
        everything = np.arange(len(self.start) if self.apart else 1)
        anew = self.coordinates.pack(self.start, self._first, everything)
        points = self._earlier(anew, everything)
        lanes = [_Lane(np.array([i]), Anderson(len(p)), p, p) for i, p in enumerate(points)]
        active, parts = lanes, self.parts
        while active:
            for lane, step in zip(active, self._take_steps(parts, active), strict=True):
                self._advance(lane, step)
            going = [lane for lane in active if not lane.outcome]
            if self.apart and 0 < len(going) < len(active):
                parts = self.parts.of_classes(np.concatenate([lane.number for lane in going]))
            active = going
        images = np.array([lane.image for lane in lanes])
        means, scatter = self.coordinates.unpack(images, everything)
        outcomes = np.array([lane.outcome for lane in lanes])
        shares = smallest_shares(self._together(scatter, everything))
        singular = shares <= rank_tolerance(scatter.shape[1])
        if not self.apart and lanes[0].outcome != "unsupported":
            moved, size = images[0] - anew[0], self.start.size
            entries = images[0, size:].reshape(len(scatter), -1)
            shared_starts()[self.start.shape] = Start(moved[:size], entries)
        unsupported, unfinished = outcomes == "unsupported", outcomes == "unfinished"
        return Estimate(means, scatter, ~unsupported, ~unfinished, singular, self.steps)

    def _earlier(self, points: Floats, everything: Indices) -> Floats:
        """Where EM has ended for the same rows, if it need not converge; else these points."""
        start = shared_starts().get(self.start.shape)
        if self.apart or start is None or self.patience >= self.limited_steps:
            return points
        size, entries = self.start.size, start.entries
        if len(entries) != len(self.coordinates.totals):
            entries = np.tile(entries.mean(axis=0), (len(self.coordinates.totals), 1))
        warm = np.concatenate([points[0, :size] + start.moved, entries.ravel()])[None]
        means, scatter = self.coordinates.unpack(warm, everything)
        return self.coordinates.pack(means, self._without_rounding(scatter), everything)

    @property
    def _first(self) -> Floats:
        """Scatter of independent features, (g, d, d)."""
        totals, d = self.coordinates.totals, len(self.variances)
        variances = np.tile(self.variances, (len(totals), 1))
        return self._without_rounding(np.eye(d) * (variances * totals[:, None])[:, :, None])

    def _without_rounding(self, scatter: Floats) -> Floats:
        """Scatter with zeros, instead of rounding, for features that are constant in a class."""
        if self.shared or self.settings.pooling != 0:
            return scatter
        own = self.observed.own_variances[:, self.observed.varying]
        varies = (own > 0) | self.unknown
        return np.asarray(scatter * (varies[:, :, None] & varies[:, None, :]))

    def _take_steps(self, parts: ObservedParts, lanes: list[_Lane]) -> list[_Step]:
        """One step of each lane."""
        self.steps += 1
        at = np.concatenate([lane.number for lane in lanes])
        means, scatter = self.coordinates.unpack(np.array([lane.point for lane in lanes]), at)
        covariances = self._covariances(means, scatter, at)
        own = at if self.apart else slice(None)
        e = expected_sums(parts, means, covariances, self.weight[own], self._has_level)
        # The mean of a feature that is never observed in a class stays at its start.
        moved = np.where(self.unknown[own], self.start[own], e.means)
        modelled = covariances * self.coordinates.totals[own][:, None, None]
        after = e.scatter if self.apart else self._without_rounding(e.scatter)
        matrices = [self._together(p, at) for p in (scatter, after, modelled, e.imputed)]
        missing, smallest = np.zeros(len(lanes)), np.ones(len(lanes))
        if self.plain:
            missing, smallest = missing_shares(*matrices[2:]), smallest_shares(matrices[1])
        each = zip(
            self.coordinates.pack(moved, after, at),
            self._levels(e, matrices[2]),
            covariances[:, None] if self.apart else covariances[None],
            *matrices,
            missing.tolist(),
            smallest.tolist(),
            strict=True,
        )
        return [_Step(*values) for values in each]

    def _together(self, scatter: Floats, at: Indices) -> Floats:
        """Scatter of each lane, pooled over its classes, in deviations and per unit of weight."""
        if self.apart or self.shared:
            return self.coordinates.correlations(scatter, at)
        scale = np.sqrt(self.variances)
        return np.asarray((scatter.sum(axis=0) / scale / scale[:, None] / self.weight.sum())[None])

    @property
    def _has_level(self) -> bool:
        return self.plain and (self.shared or self.apart)

    def _levels(self, e: Expected, modelled: Floats) -> list[float]:
        """What each step increases, up to a constant: ln L, plus ddof / 2 ln|S|."""
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
        if len(varying) < matrices.shape[1]:
            matrices = matrices.take(varying, axis=1).take(varying, axis=2)
        return matrices

    def _groups(self, means: Floats, scatter: Floats) -> Groups:
        s = self.observed.completed(means, scatter, self.shared, self.count, centred=True)
        return Groups(s, self.settings)

    def _advance(self, lane: _Lane, step: _Step) -> None:
        """Accept the step, or undo the leap that led to it, and choose the next point."""
        lane.steps += 1
        if lane.steps >= self.last:
            lane.outcome = "unfinished"
        change = step.image - lane.point
        length = float(np.linalg.norm(change))
        if lane.has_leaped and self._is_worse(lane, step.level, length):
            lane.history.reject()
            lane.point, lane.has_leaped = lane.image, False
            return
        lane.history.add(lane.point, change)
        lane.image, lane.level, lane.length = step.image, step.level, length
        if self.plain and self._resolve_degeneracy(lane, step):
            return
        near = float(np.abs(change).max(initial=0.0)) < self._tolerance_after(lane.steps)
        if near and not (self.plain and is_moving(step.before, step.after)):
            lane.outcome = "settled"
        else:
            self._leap(lane, step)

    def _tolerance_after(self, steps: int) -> float:
        """The largest change by which a step may end a lane, in standard deviations."""
        if steps > self.patience:
            return self.coarse_tolerance
        return self.tolerance / (self.margin if steps < self.many_steps else 1)

    def _is_worse(self, lane: _Lane, level: float, length: float) -> bool:
        """Whether a leap was harmful: by the likelihood or, without one, by the next step."""
        if np.isnan(level) or np.isnan(lane.level):
            return length > 2 * lane.length
        totals = self.coordinates.totals
        return level < lane.level - self.lost_nats * float(totals[lane.number[0]])

    def _leap(self, lane: _Lane, step: _Step) -> None:
        """Continue from where the last steps lead if all variances stay, else from the last end."""
        lane.point, lane.has_leaped = step.image, False
        if not self._has_level and lane.length > self.short_step:
            return
        correction = lane.history.correction()
        if correction is None:
            return
        for share in (1.0, 0.5, 0.25):
            point = step.image + share * correction
            state = self.coordinates.unpack(point[None], lane.number)
            rest = self._covariances(*state, lane.number) - self.kept_share * step.covariances
            rest = self.coordinates.correlations(rest, lane.number)
            if are_positive(rest):
                lane.point, lane.has_leaped = point, True
                return

    def _resolve_degeneracy(self, lane: _Lane, step: _Step) -> bool:
        """Whether a lane ends for lack of rows, or continues without a vanishing direction."""
        own = lane.number[0] if self.apart else slice(None)
        rows, weight = float(self.count[own].sum()), float(self.weight[own].sum())
        observed_share = 1 - step.missing
        if rows * observed_share < self.fewest or weight * observed_share <= self.lost:
            lane.outcome = "unsupported"
            return True
        vanishing = None
        if step.smallest < VANISHING_SHARE:
            vanishing = vanishing_directions(step.modelled, step.after, step.imputed)
        if vanishing is None:
            return False
        means, scatter = self.coordinates.unpack(step.image[None], lane.number)
        scale = self.coordinates.scale[lane.number] if self.apart else np.sqrt(self.variances)[None]
        kept = (np.eye(len(vanishing)) - vanishing @ vanishing.T) * scale[0][:, None] / scale[0]
        scatter = kept @ scatter @ kept.T
        if not self.apart and lacks_rows(self._groups(means, scatter)):
            lane.outcome = "unsupported"
        lane.history.reject()
        lane.image = lane.point = self.coordinates.pack(means, scatter, lane.number)[0]
        lane.level, lane.has_leaped = np.nan, False
        return True


def are_positive(matrices: Floats) -> bool:
    """Whether no eigenvalue of (g, d, d) is negative by more than rounding."""
    slack = rank_tolerance(matrices.shape[1]) * np.abs(matrices).max(axis=(1, 2), initial=0.0)
    try:
        # Where Cholesky's factor exists, eigenvalues are positive; computing them takes far longer.
        factors = np.linalg.cholesky(matrices + slack[:, None, None] * np.eye(matrices.shape[1]))
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(factors).all())
