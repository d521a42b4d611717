"""One pass: the statistics of a large chunk about points known beforehand, in one read of it.

Some rows of a stream's first chunk tell where its classes are. About these points everything of
a chunk is added up in one read, and moved to the chunk's own means after it: what that takes away
is small beside what stays, so no digits are lost. Where it would not be, as when the rows drift,
the caller reads the chunk twice, as it does tables in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import Batch
from suffice.data.column_features import ColumnFeatures
from suffice.data.features import ArrayFeatures
from suffice.errors import InvalidInput
from suffice.statistics.first_pass import class_sums
from suffice.statistics.fourth import power_of_two
from suffice.statistics.kernels.sums import Fourths
from suffice.statistics.numbers import Pair, two_sum
from suffice.statistics.reader import Reader
from suffice.statistics.scatter import Dense
from suffice.statistics.statistics import Statistics

if TYPE_CHECKING:  # compiled loops are loaded only where the data repays it
    from suffice.statistics.kernels.products import Products

# So many stretches of so many rows of the first chunk are looked at, or all rows of a class that is
# rare there. The point of fewer rows than the next number may be too far from the mean for
# fourth-order sums, which are moved there rightly only as far as classes share their shape: it will
# do for a class that is no more than the last share of a chunk.
STRETCHES, STRETCH, ROWS_OF_POINT, RARE = 8, 1024, 64, 1 / 512

# Rows are centred in blocks of this size, which stay in the cache, or of so many rows at least and
# at most. Those of a class are taken together: with fewer than the last number for each, reading
# twice is faster.
BLOCK_BYTES, FEWEST_ROWS, MOST_ROWS, ROWS_OF_CLASS = 1 << 20, 2048, 8192, 16

# Squares of the distance from the points to the means, at most so many times the variance; and
# so many times after the first rows, when it is plain that the chunk will be read again. Of each
# class the point lies at most so many times the range of its rows beyond them: the variance is that
# of all classes, and so many times of it cost a mean that many units in its last place.
NEAR, PLAIN, BEYOND = 1 / 4, 16.0, 256.0


@dataclass(frozen=True, slots=True)
class Origin:
    """Points near the means of the classes, and the unit of fourth powers."""

    classes: Array  # (k,)
    points: Floats  # (k, d)
    rows: Indices  # (k,): how many each is the mean of
    unit: float

    def of_classes(self, classes: Array, count: Indices) -> Floats | None:
        """The points of some classes of so many rows; None where they cannot be relied on."""
        if classes.dtype.kind != self.classes.dtype.kind:
            return None
        at = np.searchsorted(self.classes, classes).clip(max=len(self.classes) - 1)
        sure = (self.rows[at] >= ROWS_OF_POINT) | (count <= RARE * count.sum())
        return self.points[at] if (sure & (self.classes[at] == classes)).all() else None


def origin_of(batch: Batch) -> Origin | None:
    """Means of some rows of a first chunk; None where all chunks had better be read twice."""
    features = _columns(batch)
    if features is None:
        return None
    size = max(1, min(STRETCH, features.shape[0] // (2 * STRETCHES)))
    stretches = [
        slice(start, start + size)
        for start in np.linspace(0, features.shape[0] - size, STRETCHES, dtype=int).tolist()
    ]
    codes = np.concatenate([batch.codes[one] for one in stretches])
    seen, all_rows = (np.bincount(some, minlength=batch.n_codes) for some in (codes, batch.codes))
    rare = (seen < ROWS_OF_POINT) & (all_rows >= ROWS_OF_POINT)
    if rare.any():
        looked_at = rare[batch.codes]
        for one in stretches:
            looked_at[one] = True
        rows, codes = features.take(np.flatnonzero(looked_at)), batch.codes[looked_at]
    else:
        rows = np.concatenate([features.peek(one.start, one.stop) for one in stretches])
    try:
        some = Batch(ArrayFeatures(rows), batch.classes, codes, None, 0)
        sums, origin = class_sums(Reader.of(some))
    except InvalidInput:
        return None
    kept = sums.count > 0
    points = origin[kept] + sums.sum[kept] / sums.weight[kept, None]
    reach = float(np.max(sums.high[kept] - sums.low[kept]))
    return Origin(batch.classes[kept], points, sums.count[kept], power_of_two(reach))


def in_one_pass(batch: Batch, origin: Origin) -> Statistics | None:
    """Statistics with pooled scatter; None where the rows must be looked at twice."""
    features = _columns(batch)
    if features is None:
        return None
    count = np.bincount(batch.codes, minlength=batch.n_codes)
    batch = batch.without_empty_classes(count)
    count = count[count > 0]
    points = origin.of_classes(batch.classes, count)
    if points is None or ROWS_OF_CLASS * len(count) > FEWEST_ROWS:
        return None
    with np.errstate(all="ignore"):
        sums = _added(features, batch.codes, points, origin.unit)
        if sums is None or not sums.is_near(count, NEAR) or sums.are_beyond(points):
            return None
    return Statistics(
        batch.classes,
        count,
        count.astype(np.float64),
        sums.means(points, count),
        Dense(Pair(sums.scatter(count)[None]), per_class=False),
        None,
        features.names,
    )


def _columns(batch: Batch) -> ColumnFeatures | None:
    """The rows of a batch where they lie as columns, more of them than columns, of one weight."""
    features = batch.features
    if not isinstance(features, ColumnFeatures) or batch.weights is not None:
        return None
    return features if features.shape[0] > features.shape[1] else None


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums about the points of the classes; filled in place."""

    total: Floats  # (k, d)
    products: Products  # pooled
    low: Floats  # (k, d)
    high: Floats  # (k, d)
    fourths: Fourths

    @property
    def varies(self) -> Array:
        """Features that are not constant in every class, (d,)."""
        return np.asarray((self.low < self.high).any(axis=0))

    def jump(self, count: Indices) -> Floats:
        """Distances from points to means, times the roots of the counts: what scatter loses."""
        return self.total / np.sqrt(np.maximum(count, 1))[:, None]

    def is_near(self, count: Indices, most: float) -> bool:
        """Whether squares of distances to the points are finite, and mostly not of these."""
        jump = self.jump(count)
        moved = np.vecdot(jump.T, jump.T)
        square = self.products.diagonal() - moved
        if not (np.isfinite(self.fourths.quartic).all() and np.isfinite(square).all()):
            return False
        far = (moved > most * square) | (square <= 0)
        return not (far & self.varies).any()

    def are_beyond(self, points: Floats) -> bool:
        """Whether a point lies far beyond the rows of its class."""
        away = np.maximum(self.low - points, points - self.high)
        reach = self.high - self.low
        return bool(((away > BEYOND * reach) & (reach > 0)).any())

    def means(self, points: Floats, count: Indices) -> Pair:
        """Of a feature that is constant in a class its value, whatever the point was."""
        high, low = two_sum(points, self.total / count[:, None])
        constant = self.low == self.high
        return Pair(np.where(constant, self.low, high), np.where(constant, 0.0, low))

    def scatter(self, count: Indices) -> Floats:
        """Products about the means, pooled; exactly zero for what is constant in every class."""
        jump, varies = self.jump(count), self.varies
        found = self.products.matrix() - jump.T @ jump
        return found if varies.all() else found * np.outer(varies, varies)


def _added(features: ColumnFeatures, codes: Indices, points: Floats, unit: float) -> _Sums | None:
    """Sums of all rows; None as soon as it is plain that they are not near, or not finite."""
    from suffice.statistics.kernels.about import add_columns
    from suffice.statistics.kernels.products import Products

    (n, d), k, columns = features.shape, len(points), features.columns
    most = min(n, MOST_ROWS, max(FEWEST_ROWS, BLOCK_BYTES // (8 * d)))
    low, products = np.full((k, d), np.inf), Products.empty(d, most, features.room)
    sums = _Sums(np.zeros((k, d)), products, low, -low, Fourths.empty(k, d))
    for start in range(0, n, most):
        rows = min(most, n - start)
        add_columns(
            columns.places,
            columns.edges,
            start,
            rows,
            codes,
            points,
            1.0 / unit,
            products.columns,
            sums.total,
            sums.low,
            sums.high,
            sums.fourths.square,
            sums.fourths.cubic,
            sums.fourths.quartic,
        )
        products.add(rows)
        if not np.isfinite(sums.fourths.quartic.sum()):
            return None
        if start == 0 and not sums.is_near(np.bincount(codes[:rows], minlength=k), PLAIN):
            return None
    return sums
