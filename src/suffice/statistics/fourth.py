"""Fourth: sums of fourth order, from which Ledoit-Wolf shrinkage is computed without the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.alignment import Alignment, Rows
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.numbers import ALL, DoubleDouble, place_rows
from suffice.statistics.scatter import SLACK, DenseScatter
from suffice.statistics.shift import difference
from suffice.statistics.storage.registry import storable


class ClassMoments(NamedTuple):
    """The other moments of the classes, needed to move the sums to another anchor."""

    means: DoubleDouble  # (k, d)
    weight: Floats  # (k,)
    spread: DenseScatter | FactoredScatter


@storable
@dataclass(slots=True, eq=False)
class Fourth:
    """Sums over a class of w|u|², w|u|²u and w|u|⁴, u being a row about the class's anchor.

    The anchor is a fixed point near the mean, so a merge has to move only the smaller part.
    It is reset when the weight of the class has doubled; in between, the mean stays within
    about a standard deviation of it, so no digits are lost.

    All sums are in units of `unit`, a power of two near the standard deviation of the data: |u|⁴
    of a feature of size 1e100 would overflow. Moving the sums requires the scatter of the class,
    so they are kept only with it.
    """

    unit: float
    square: Floats  # (k,)
    cubic: Floats  # (k, d)
    quartic: Floats  # (k,)
    anchor: Floats  # (k, d)
    since: Floats  # (k,): weight of the class when the anchor was set

    def validated(self) -> Self:
        """These sums, if they have a unit and weights; a ValueError otherwise."""
        if not 0 < self.unit < np.inf or not (self.since > 0).all():
            raise ValueError("the fourth-order sums have no unit or weight")
        return self

    def check_beside(self, moments: ClassMoments, squares: Floats) -> None:
        """Raise ValueError if no rows with these squares can have such |u|², |u|²u and |u|⁴."""
        k, _ = means = moments.means.high.shape
        shapes = [array.shape for array in self.arrays]
        if shapes != [(k,), means, (k,), means, (k,)]:
            raise ValueError("the fourth-order sums have the wrong classes or features")
        mean, weight = moments.means.high, moments.weight
        about_mean = (squares / self.unit / self.unit).sum(axis=1)
        slack, apart = SLACK * np.abs(mean), np.abs(mean - self.anchor)
        smallest, largest = (
            about_mean + weight * ((step / self.unit) ** 2).sum(axis=1)
            for step in (np.maximum(apart - slack, 0.0), apart + slack)
        )
        cubic = np.linalg.norm(self.cubic, axis=1)
        # The sums may lose digits when rows are removed, but are right up to this factor.
        fourth_order_factor = 4.0
        possible = (
            (smallest <= fourth_order_factor * self.square)
            & (self.square <= fourth_order_factor * largest)
            & (self.square**2 <= fourth_order_factor * weight * self.quartic)
            & (cubic**2 <= fourth_order_factor * self.square * self.quartic)
        )
        if not possible.all():
            raise ValueError("the fourth-order sums are not those of rows with this scatter")

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """All arrays with one row per class, in the order of the fields."""
        return self.square, self.cubic, self.quartic, self.anchor, self.since

    def in_unit(self, unit: float) -> Fourth:
        """The same sums measured in another unit."""
        if unit == self.unit:
            return self
        # Factor by factor: a power of the ratio may overflow although the product does not.
        ratio = self.unit / unit
        return replace(
            self,
            square=self.square * ratio * ratio,
            cubic=self.cubic * ratio * ratio * ratio,
            quartic=self.quartic * ratio * ratio * ratio * ratio,
            unit=unit,
        )

    def keep(self, classes: Rows) -> Fourth:
        """The sums of some classes."""
        return Fourth(self.unit, *(array[classes] for array in self.arrays))

    def spread(self, at: Rows, length: int) -> Fourth:
        """The same sums at positions `at` of a longer list of classes, zero elsewhere."""
        return Fourth(self.unit, *(place_rows(array, at, length) for array in self.arrays))

    def overlay(self, at: Rows, other: Fourth) -> Fourth:
        """The same sums, with those of the classes at positions `at` replaced."""
        out = [array.copy() for array in self.arrays]
        for values, part in zip(out, other.arrays, strict=True):
            values[at] = part
        return Fourth(self.unit, *out)

    def add_sums(self, at: Rows, square: Floats, cubic: Floats, quartic: Floats) -> Fourth:
        """The sums with more added for the classes at positions `at`."""
        squares, cubics, quartics = self.square.copy(), self.cubic.copy(), self.quartic.copy()
        for sums, more in ((squares, square), (cubics, cubic), (quartics, quartic)):
            sums[at] += more
        return Fourth(self.unit, squares, cubics, quartics, self.anchor, self.since)

    def select(self, features: Indices) -> Fourth:
        """The sums with the features in another order."""
        return replace(self, cubic=self.cubic[:, features], anchor=self.anchor[:, features])

    def centred(self, moments: ClassMoments) -> Fourth:
        """The same sums about the class means."""
        anchor = moments.means.high
        if self.anchor is anchor or np.array_equal(self.anchor, anchor):
            return self
        return Fourth(
            self.unit, *self.about(anchor, self.unit, moments, ALL), anchor, moments.weight
        )

    def canonical(self, moments: ClassMoments) -> Fourth:
        """The same sums about the means, in the unit that the variances give.

        They then depend on the rows alone, not on their order or on rows removed since.
        """
        squares = moments.spread.diagonal()
        # Where all rows of a class are equal, the sums are rounding and become zero.
        varies = np.asarray(squares.any(axis=1))
        unit = unit_of(float((squares / moments.weight[:, None]).max(initial=0.0)))
        with np.errstate(over="ignore", invalid="ignore"):  # in classes that do not vary
            sums = self.centred(moments)
            sums = sums.in_unit(unit) if varies.any() else replace(sums, unit=unit)
        return replace(
            sums,
            square=np.where(varies, sums.square, 0.0),
            cubic=np.where(varies[:, None], sums.cubic, 0.0),
            quartic=np.where(varies, sums.quartic, 0.0),
            anchor=moments.means.high,
            since=moments.weight,
        )

    def about(
        self, anchor: Floats, unit: float, moments: ClassMoments, rows: Rows
    ) -> tuple[Floats, Floats, Floats]:
        """The three sums of the classes in `rows` about other anchors, (m, d)."""
        weight, means = moments.weight[rows], moments.means[rows]
        # Where u = z + a, z about the mean and S the scatter, all in units:
        #   |u|²: Q = q + W|a|²      |u|²u: A = c + Qa + 2Sa
        #   |u|⁴: B = f + 4a'A - 4a'Sa - 2|a|²Q - W|a|⁴
        # solved for q, c, f with the old a, then taken with the new one.
        new = difference(means, DoubleDouble(anchor)) / unit
        far = np.vecdot(new, new)
        if _only_points(moments.spread):
            square = weight * far
            return square, new * square[:, None], square * far
        sums = self.in_unit(unit).keep(rows)
        old = difference(means, DoubleDouble(sums.anchor)) / unit
        near = np.vecdot(old, old)
        q = sums.square - weight * near
        S_old, S_new = (_product(moments.spread, rows, a, unit) for a in (old, new))
        c = sums.cubic - old * sums.square[:, None] - 2 * S_old
        f = sums.quartic - 4 * np.vecdot(old, sums.cubic - S_old)
        f += near * (2 * sums.square + weight * near)
        square = q + weight * far
        cubic = c + new * square[:, None] + 2 * S_new
        quartic = f + 4 * np.vecdot(new, cubic - S_new) - far * (2 * square + weight * far)
        return square, cubic, quartic


def merge(a: Fourth, b: Fourth, moments_b: ClassMoments, at: Alignment) -> Fourth:
    """The sums of both; those of b are moved to the anchors of a."""
    a, more = _move_to_anchors(a, b, moments_b, at.both_left, at.both_right)
    if at.has_new:
        a = b.in_unit(a.unit).spread(at.right, at.size).overlay(at.left, a)
    return a.add_sums(at.both, *more)


def reduce(whole: Fourth, removed: Fourth, moments_removed: ClassMoments, at: Alignment) -> Fourth:
    """The sums of what remains; those of `removed` are moved to the anchors of the whole."""
    whole, less = _move_to_anchors(whole, removed, moments_removed, at.both, ALL)
    return whole.add_sums(at.both, *(-part for part in less))


def _move_to_anchors(
    a: Fourth, b: Fourth, moments_b: ClassMoments, of_a: Rows, of_b: Rows
) -> tuple[Fourth, tuple[Floats, Floats, Floats]]:
    """a in a unit large enough for both, and the sums of b in it about the anchors of a."""
    anchor = a.anchor[of_a]
    unit = max(a.unit, b.unit)
    if not _only_points(moments_b.spread) and np.array_equal(anchor, b.anchor[of_b]):
        there = b.in_unit(unit)
        sums = there.square[of_b], there.cubic[of_b], there.quartic[of_b]
        if np.isfinite(sums[2]).all():
            return a.in_unit(unit), sums
    moved = b.about(anchor, unit, moments_b, of_b)
    if not all(map(math.isfinite, moved[2].tolist())):
        reach = np.abs(difference(moments_b.means[of_b], DoubleDouble(anchor))).max()
        unit = max(unit, power_of_two(float(reach)))
        moved = b.about(anchor, unit, moments_b, of_b)
    return a.in_unit(unit), moved


def reset_anchors(sums: Fourth, moments: ClassMoments) -> Fourth:
    """The same sums, with new anchors at the means for classes whose weight has doubled."""
    ratio = moments.weight / sums.since
    ratios = ratio.tolist()  # for a few numbers, Python's max is faster than NumPy's
    if max(ratios) <= 2.0:
        return sums
    rows = np.flatnonzero(ratio > 2.0)
    anchor = moments.means.high[rows]
    moved = sums.about(anchor, sums.unit, moments, rows)
    return sums.overlay(rows, Fourth(sums.unit, *moved, anchor, moments.weight[rows]))


def unit_of(variance: float) -> float:
    """The unit of fourth-order sums: a power of two above the standard deviation."""
    return power_of_two(math.sqrt(variance) if variance > 0 else 0.0)


def power_of_two(size: float) -> float:
    """The next power of two above `size`, but large enough that its square is not zero."""
    smallest_unit = 2.0**-500
    return math.ldexp(1.0, math.frexp(max(size, smallest_unit))[1])


def _only_points(spread: DenseScatter | FactoredScatter) -> bool:
    """Whether each class is a single point, so that all sums about its mean are zero."""
    return isinstance(spread, FactoredScatter) and not len(spread.factor)


def _product(
    spread: DenseScatter | FactoredScatter, rows: Rows, step: Floats, unit: float
) -> Floats:
    """The scatter matrix of each class times its step."""
    return np.asarray(spread.times(step / unit, rows) / unit)
