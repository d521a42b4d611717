"""Groups of classes that share a covariance: densities without one row, in the group's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.models.covariance import Covariance
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.frames import Frame, Metric, Whitened
from suffice.selection.leave_one_out.rows import Removal
from suffice.statistics.numbers import Pair
from suffice.statistics.shift import difference


@dataclass(frozen=True, eq=False, slots=True)
class OneClass:
    """A class with a covariance of its own.

    part : how much of the loss of another class's row it suffers: the pooling
    still : whether rows of other classes leave the covariance as it is
    """

    c: int
    frame: Frame
    covariance: Covariance  # with all rows
    means: Pair  # (k, d), of all classes
    part: float
    still: bool

    @property
    def width(self) -> int:
        """How many numbers a row takes."""
        return int(self.means.high.shape[1])

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of the rows of a block."""
        steps, own = removal.steps_from(self.c), removal.codes == self.c
        if not self.still:
            part = np.where(own, 1.0, self.part)
            place = self.frame.project(steps)
            self._write(removal, place, place + self._between(removal), part, out)
            return
        if isinstance(self.frame, Whitened):
            steps = self.frame.project(steps)
            lengths, place = np.einsum("ij,ij->i", steps, steps), steps[own]
        else:
            lengths = self.covariance.squared_lengths(steps)
            place = self.frame.project(steps[own])
        volume, rank = self.covariance.log_determinant, self.covariance.rank
        out.relative[removal.at, self.c] = out.density(lengths, volume, rank)
        if len(place):
            self._write(removal.some(own), place, place, np.ones(len(place)), out)

    def _between(self, removal: Removal) -> Floats:
        """What to add to coordinates about this mean for those about each row's own, (b, m)."""
        classes, at = removal.classes
        here = self.means[np.full(len(classes), self.c)]
        return self.frame.project(difference(here, self.means[classes]))[at]

    def _write(
        self, removal: Removal, steps: Floats, place: Floats, part: Floats, out: LeftOutDensities
    ) -> None:
        metric = self.frame.metric(removal, place, part)
        volume, doubtful = metric.log_determinant, metric.doubtful
        lengths = np.einsum("ij,ij->i", steps * metric.precisions, steps)
        if metric.loss is not None:
            scaled = place * metric.precisions
            left = 1 - metric.loss * np.einsum("ij,ij->i", scaled, place)
            along = np.einsum("ij,ij->i", scaled, steps)
            lengths += metric.loss * along**2 / left
            volume = volume + np.log(left)
            doubtful = doubtful | ~(left > metric.limit)
        lengths *= np.where(removal.codes == self.c, removal.stretch**2, 1.0)
        out.relative[removal.at, self.c] = out.density(lengths, volume, self.frame.rank)
        out.doubtful[removal.at] |= doubtful


@dataclass(frozen=True, eq=False, slots=True)
class ManyClasses:
    """Classes that share the pooled covariance, to which every row belongs.

    A row's step to the mean of another class is z + e, where e leads from that mean to its own.
    """

    classes: Indices  # (m,)
    frame: Frame
    places: Floats  # (k, r): coordinates of all class means
    apart: Floats | None  # (k, k): squared distances, where coordinates are whitened
    all: bool

    @property
    def width(self) -> int:
        """How many numbers a row takes."""
        return len(self.places)

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of the rows of a block."""
        place = self.frame.project(removal.steps)
        metric = self.frame.metric(removal, place, np.ones(len(place)))
        scaled = place * metric.precisions
        lengths = np.einsum("ij,ij->i", scaled, place)
        loss = np.zeros(len(place)) if metric.loss is None else metric.loss
        left = 1 - loss * lengths
        lengths /= left
        cross = scaled @ self.places.T
        cross = np.take_along_axis(cross, removal.codes[:, None], axis=1) - cross
        relative = self._apart(removal.codes, metric) + (loss / left)[:, None] * cross**2
        relative += 2 * cross / left[:, None]
        relative[np.arange(len(place)), removal.codes] = (removal.stretch**2 - 1) * lengths
        relative /= -2 * out.inflation
        base = out.density(lengths, metric.log_determinant + np.log(left), self.frame.rank)
        if self.all:
            out.relative[removal.at] = relative
            out.base[removal.at] = base
        else:
            found = relative[:, self.classes] + base[:, None]
            out.relative[removal.at[:, None], self.classes] = found
        out.doubtful[removal.at] |= metric.doubtful | ~(left > metric.limit)

    def _apart(self, codes: Indices, metric: Metric) -> Floats:
        """e'C⁻¹e for the step e from each class mean to that of the row's own, (b, k)."""
        if self.apart is not None:
            return np.asarray(self.apart[codes] * metric.precisions)
        out = np.empty((len(codes), len(self.places)))
        for c in np.unique(codes).tolist():
            at = np.flatnonzero(codes == c)
            squares = (self.places[c] - self.places) ** 2
            out[at] = metric.precisions[at] @ squares.T
        return out
