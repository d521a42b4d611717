"""Closed form: densities without one row, for classes that have or share a covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.covariance import Covariance
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.frames import DistanceMetric, Frame, WhitenedFrame
from suffice.selection.leave_one_out.removal import Removal
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.shift import difference


@dataclass(frozen=True, eq=False, slots=True)
class OwnCovariance:
    """A class with a covariance of its own.

    pooling : how much of the loss of another class's row it suffers
    """

    c: int
    frame: Frame
    covariance: Covariance  # with all rows
    means: DoubleDouble  # (k, d), of all classes
    pooling: float

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of the rows of a block."""
        steps, own = removal.steps_from(self.c), removal.codes == self.c
        if self.pooling > 0:
            part = np.where(own, 1.0, self.pooling)
            place = self.frame.project(steps)
            self._write(removal, place, place + self._between(removal), part, out)
            return
        # Rows of other classes leave the covariance as it is.
        if isinstance(self.frame, WhitenedFrame):
            steps = self.frame.project(steps)
            lengths, place = np.einsum("ij,ij->i", steps, steps), steps[own]
        else:
            lengths = self.covariance.squared_lengths(steps)
            place = self.frame.project(steps[own])
        volume, rank = self.covariance.log_determinant, self.covariance.rank
        out.relative[removal.at, self.c] = out.density(lengths, volume, rank)
        if len(place):
            self._write(removal.take(own), place, place, np.ones(len(place)), out)

    def _between(self, removal: Removal) -> Floats:
        """What to add to coordinates about this mean for those about each row's own, (b, m)."""
        classes, at = removal.classes
        here = self.means[np.full(len(classes), self.c)]
        return self.frame.project(difference(here, self.means[classes]))[at]

    def _write(
        self, removal: Removal, steps: Floats, place: Floats, part: Floats, out: LeftOutDensities
    ) -> None:
        metric = self.frame.metric(removal, place, part)
        scaled = place * metric.precisions
        left = 1 - metric.loss * np.einsum("ij,ij->i", scaled, place)
        along = np.einsum("ij,ij->i", scaled, steps)
        lengths = np.einsum("ij,ij->i", steps * metric.precisions, steps)
        lengths += metric.loss * along**2 / left
        lengths *= np.where(removal.codes == self.c, removal.stretch**2, 1.0)
        volume = metric.log_determinant + np.log(left)
        out.relative[removal.at, self.c] = out.density(lengths, volume, self.frame.rank)
        out.doubtful[removal.at] |= metric.doubtful | ~(left > self.frame.least_left)


@dataclass(frozen=True, eq=False, slots=True)
class SharedCovariance:
    """Classes that share the pooled covariance, to which every row belongs.

    A row's step to the mean of another class is z + e, where e leads from that mean to its own.
    """

    classes: Indices  # (m,)
    frame: Frame
    places: Floats  # (k, r): coordinates of all class means
    distances: Floats | None  # (k, k): squared, where coordinates are whitened

    @classmethod
    def of(cls, classes: Indices, frame: Frame, means: DoubleDouble) -> SharedCovariance:
        """Of these classes, given the means of all."""
        k = len(means.high)
        places = frame.project(difference(means, means[np.full(k, classes[0])]))
        distances = None
        if isinstance(frame, WhitenedFrame):
            distances = np.empty((k, k))
            for c, place in enumerate(places):
                distances[c] = ((place - places) ** 2).sum(axis=1)
        return cls(classes, frame, places, distances)

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of the rows of a block."""
        place = self.frame.project(removal.steps)
        metric = self.frame.metric(removal, place, np.ones(len(place)))
        scaled = place * metric.precisions
        lengths = np.einsum("ij,ij->i", scaled, place)
        left = 1 - metric.loss * lengths
        lengths /= left
        cross = scaled @ self.places.T
        cross = np.take_along_axis(cross, removal.codes[:, None], axis=1) - cross
        relative = self._between(removal.codes, metric) + (metric.loss / left)[:, None] * cross**2
        relative += 2 * cross / left[:, None]
        relative[np.arange(len(place)), removal.codes] = (removal.stretch**2 - 1) * lengths
        relative /= -2 * out.inflation
        base = out.density(lengths, metric.log_determinant + np.log(left), self.frame.rank)
        if len(self.classes) == len(self.places):
            out.relative[removal.at] = relative
            out.base[removal.at] = base
        else:
            densities = relative[:, self.classes] + base[:, None]
            out.relative[removal.at[:, None], self.classes] = densities
        out.doubtful[removal.at] |= metric.doubtful | ~(left > self.frame.least_left)

    def _between(self, codes: Indices, metric: DistanceMetric) -> Floats:
        """e'C⁻¹e for the step e from each class mean to that of the row's own, (b, k)."""
        if self.distances is not None:
            return np.asarray(self.distances[codes] * metric.precisions)
        out = np.empty((len(codes), len(self.places)))
        for c in np.unique(codes).tolist():
            at = np.flatnonzero(codes == c)
            squares = (self.places[c] - self.places) ** 2
            out[at] = metric.precisions[at] @ squares.T
        return out


@dataclass(frozen=True, eq=False, slots=True)
class FullForm:
    """The densities of all classes with full covariances."""

    parts: tuple[OwnCovariance | SharedCovariance, ...]
    unserved: Array  # (k,): classes whose rows have no closed form
    pooled: Floats | None  # (d,): squares of which a removal must leave something

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of the rows of a block."""
        for part in self.parts:
            part.fill(removal, out)
        if self.pooled is not None:
            out.doubtful[removal.at] |= removal.holds_most_of(self.pooled)
