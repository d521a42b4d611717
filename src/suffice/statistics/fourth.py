"""Fourth: the sums beyond the scatter that make Ledoit-Wolf computable after the fact."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.alignment import Alignment, Rows
from suffice.statistics.numbers import ALL, DoubleDouble, placed
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.shift import difference
from suffice.statistics.thin import FactoredScatter

SMALLEST_UNIT = 2.0**-500


class KnownMoments(NamedTuple):
    """What else is known of the classes whose sums are moved."""

    means: DoubleDouble  # (k, d)
    weight: Floats  # (k,)
    spread: DenseScatter | FactoredScatter


@dataclass(slots=True, eq=False)
class Fourth:
    """Sums over a class of w|u|², w|u|²u and w|u|⁴, u being a row about the class's anchor.

    The anchor is a fixed point near the mean, so that a merge moves only the smaller part.
    It is set anew when the weight of the class has doubled; in between, the mean stays within
    about a standard deviation of it, so no digits are lost.

    All is measured in `unit`, a power of two near the standard deviation of the data: |u|⁴ of a
    feature of size 1e100 has no float. To move the sums takes the scatter of the class itself,
    so they are kept only beside it.
    """

    unit: float
    square: Floats  # (k,)
    cubic: Floats  # (k, d)
    quartic: Floats  # (k,)
    anchor: Floats  # (k, d)
    since: Floats  # (k,): weight of the class when the anchor was set

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Everything that has a row a class, in the order of the fields."""
        return self.square, self.cubic, self.quartic, self.anchor, self.since

    def in_unit(self, unit: float) -> Fourth:
        """The same sums measured in another unit."""
        if unit == self.unit:
            return self
        # One by one: a power of the ratio may have no float, where the product has one.
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
        return Fourth(self.unit, *(placed(array, at, length) for array in self.arrays))

    def overlaid(self, at: Rows, other: Fourth) -> Fourth:
        """The same sums, those of the classes at positions `at` replaced."""
        out = [array.copy() for array in self.arrays]
        for values, part in zip(out, other.arrays, strict=True):
            values[at] = part
        return Fourth(self.unit, *out)

    def increased(self, at: Rows, square: Floats, cubic: Floats, quartic: Floats) -> Fourth:
        """The sums with more added for the classes at positions `at`."""
        squares, cubics, quartics = self.square.copy(), self.cubic.copy(), self.quartic.copy()
        for sums, more in ((squares, square), (cubics, cubic), (quartics, quartic)):
            sums[at] += more
        return Fourth(self.unit, squares, cubics, quartics, self.anchor, self.since)

    def select(self, features: Indices) -> Fourth:
        """The sums with the features in another order."""
        return replace(self, cubic=self.cubic[:, features], anchor=self.anchor[:, features])

    def centred(self, known: KnownMoments) -> Fourth:
        """The same sums about the class means."""
        anchor = known.means.high
        if self.anchor is anchor or np.array_equal(self.anchor, anchor):
            return self
        return Fourth(self.unit, *self.about(anchor, self.unit, known, ALL), anchor, known.weight)

    def canonical(self, known: KnownMoments) -> Fourth:
        """The same sums about the means, in the unit that the variances give.

        So they are a function of the rows alone, not of how these came, or of rows since removed.
        """
        squares = known.spread.diagonal()
        # Where all rows of a class agree, nothing but rounding is left.
        varies = np.asarray(squares.any(axis=1))
        unit = unit_of(float((squares / known.weight[:, None]).max(initial=0.0)))
        with np.errstate(over="ignore", invalid="ignore"):  # of classes that do not vary
            sums = self.centred(known)
            sums = sums.in_unit(unit) if varies.any() else replace(sums, unit=unit)
        return replace(
            sums,
            square=np.where(varies, sums.square, 0.0),
            cubic=np.where(varies[:, None], sums.cubic, 0.0),
            quartic=np.where(varies, sums.quartic, 0.0),
        )

    def about(
        self, anchor: Floats, unit: float, known: KnownMoments, rows: Rows
    ) -> tuple[Floats, Floats, Floats]:
        """The three sums of the classes in `rows` about other anchors, (m, d)."""
        weight, means = known.weight[rows], known.means[rows]
        # Where u = z + a, z about the mean and S the scatter, all in units:
        #   |u|²: Q = q + W|a|²      |u|²u: A = c + Qa + 2Sa
        #   |u|⁴: B = f + 4a'A - 4a'Sa - 2|a|²Q - W|a|⁴
        # solved for q, c, f with the old a, then taken with the new one.
        new = difference(means, DoubleDouble(anchor)) / unit
        far = np.vecdot(new, new)
        if _only_points(known.spread):
            square = weight * far
            return square, new * square[:, None], square * far
        sums = self.in_unit(unit).keep(rows)
        old = difference(means, DoubleDouble(sums.anchor)) / unit
        near = np.vecdot(old, old)
        q = sums.square - weight * near
        S_old, S_new = (_product(known.spread, rows, a, unit) for a in (old, new))
        c = sums.cubic - old * sums.square[:, None] - 2 * S_old
        f = sums.quartic - 4 * np.vecdot(old, sums.cubic - S_old)
        f += near * (2 * sums.square + weight * near)
        square = q + weight * far
        cubic = c + new * square[:, None] + 2 * S_new
        quartic = f + 4 * np.vecdot(new, cubic - S_new) - far * (2 * square + weight * far)
        return square, cubic, quartic


def merge(a: Fourth, b: Fourth, known_b: KnownMoments, at: Alignment) -> Fourth:
    """The sums of both; those of b are moved to the anchors of a."""
    a, more = _moved(a, b, known_b, at.both_left, at.both_right)
    if at.news:
        a = b.in_unit(a.unit).spread(at.right, at.size).overlaid(at.left, a)
    return a.increased(at.both, *more)


def reduce(whole: Fourth, gone: Fourth, known_gone: KnownMoments, at: Alignment) -> Fourth:
    """The sums of what remains; those of `gone` are moved to the anchors of the whole."""
    whole, less = _moved(whole, gone, known_gone, at.both, ALL)
    return whole.increased(at.both, *(-part for part in less))


def _moved(
    a: Fourth, b: Fourth, known_b: KnownMoments, of_a: Rows, of_b: Rows
) -> tuple[Fourth, tuple[Floats, Floats, Floats]]:
    """Both in one unit, large enough, and the sums of b about the anchors of a."""
    anchor = a.anchor[of_a]
    unit = max(a.unit, b.unit)
    if not _only_points(known_b.spread) and np.array_equal(anchor, b.anchor[of_b]):
        there = b.in_unit(unit)
        sums = there.square[of_b], there.cubic[of_b], there.quartic[of_b]
        if np.isfinite(sums[2]).all():
            return a.in_unit(unit), sums
    moved = b.about(anchor, unit, known_b, of_b)
    if not all(map(math.isfinite, moved[2].tolist())):
        reach = np.abs(difference(known_b.means[of_b], DoubleDouble(anchor))).max()
        unit = max(unit, power_of_two(float(reach)))
        moved = b.about(anchor, unit, known_b, of_b)
    return a.in_unit(unit), moved


def settled(sums: Fourth, known: KnownMoments) -> Fourth:
    """The same, with anchors at the means of classes whose weight has doubled."""
    ratio = known.weight / sums.since
    ratios = ratio.tolist()  # of a few numbers Python finds the largest faster than NumPy
    if max(ratios) <= 2.0:
        return sums
    rows = np.flatnonzero(ratio > 2.0)
    anchor = known.means.high[rows]
    moved = sums.about(anchor, sums.unit, known, rows)
    return sums.overlaid(rows, Fourth(sums.unit, *moved, anchor, known.weight[rows]))


def unit_of(variance: float) -> float:
    """The unit of fourth-order sums: a power of two above the standard deviation."""
    return power_of_two(math.sqrt(variance) if variance > 0 else 0.0)


def power_of_two(size: float) -> float:
    """The next power of two above `size`, and not so small that its square is zero."""
    return math.ldexp(1.0, math.frexp(max(size, SMALLEST_UNIT))[1])


def _only_points(spread: DenseScatter | FactoredScatter) -> bool:
    """Whether each class is a single point, so that all sums about its mean are zero."""
    return isinstance(spread, FactoredScatter) and not len(spread.factor)


def _product(
    spread: DenseScatter | FactoredScatter, rows: Rows, step: Floats, unit: float
) -> Floats:
    """The scatter matrix of each class times its step."""
    return np.asarray(spread.times(step / unit, rows) / unit)
