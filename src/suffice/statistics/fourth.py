"""Fourth: the sums beyond the scatter that make Ledoit-Wolf computable after the fact."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.alignment import ALL, Alignment, Rows
from suffice.statistics.numbers import placed
from suffice.statistics.scatter import Dense
from suffice.statistics.shift import Shift
from suffice.statistics.thin import Thin


SMALLEST_UNIT = 2.0**-500


@dataclass(frozen=True, slots=True)
class Fourth:
    """Sums over a class of w|z|², w|z|²z and w|z|⁴, z being a row about its class mean.

    They are measured in `unit`, a power of two near the size of the data: |z|⁴ of a feature
    of size 1e100 has no float. Moving them to another mean needs the scatter of the class
    itself; where only the pooled scatter is kept, a class is taken to share its shape, so
    merging is then exact only as far as the classes do share it.
    """

    square: Floats  # (k,)
    cubic: Floats  # (k, d)
    quartic: Floats  # (k,)
    unit: float

    def in_unit(self, unit: float) -> Fourth:
        """The same sums measured in another unit."""
        if unit == self.unit:
            return self
        ratio = self.unit / unit
        return Fourth(self.square * ratio**2, self.cubic * ratio**3, self.quartic * ratio**4, unit)

    def keep(self, classes: Indices) -> Fourth:
        """The sums of some classes."""
        return replace(
            self,
            square=self.square[classes],
            cubic=self.cubic[classes],
            quartic=self.quartic[classes],
        )


def merge(
    a: Fourth, b: Fourth, spread_a: Dense | Thin, spread_b: Dense | Thin, shift: Shift
) -> Fourth:
    """The sums of both, about the merged means."""
    at = shift.alignment
    unit = max(a.unit, b.unit, power_of_two(shift.largest))
    a, b = a.in_unit(unit), b.in_unit(unit)
    moved_a = _moved(a, at.both_left, spread_a, shift.left_weight, shift.to_left / unit)
    moved_b = _moved(b, at.both_right, spread_b, shift.right_weight, shift.to_right / unit)
    return Fourth(
        _joined(a.square, b.square, moved_a[0] + moved_b[0], at),
        _joined(a.cubic, b.cubic, moved_a[1] + moved_b[1], at),
        _joined(a.quartic, b.quartic, moved_a[2] + moved_b[2], at),
        unit,
    )


def reduce(
    whole: Fourth, gone: Fourth, spread_left: Dense | Thin, spread_gone: Dense | Thin, shift: Shift
) -> Fourth:
    """The sums of what remains, about its own means.

    `shift` describes the merge that is undone: left is what remains, right is what goes.
    """
    at = shift.alignment
    unit = max(whole.unit, gone.unit)
    whole, gone = whole.in_unit(unit), gone.in_unit(unit)
    moved = _moved(gone, at.both_right, spread_gone, shift.right_weight, shift.to_right / unit)
    step, weight = shift.to_left / unit, shift.left_weight
    length = (step * step).sum(axis=1)
    # The formulas of `_moved`, solved for what was moved.
    square = whole.square[at.both] - moved[0] - weight * length
    squares = whole.square.copy()
    squares[at.both] = square
    product = _product(spread_left, at.both, square, squares, step, unit)
    cubic = whole.cubic[at.both] - moved[1] + 2 * product
    cubic += (square + weight * length)[:, None] * step
    quartic = whole.quartic[at.both] - moved[2] - 4 * (step * product).sum(axis=1)
    quartic += 4 * (step * cubic).sum(axis=1) - length * (weight * length + 2 * square)
    cubics, quartics = whole.cubic.copy(), whole.quartic.copy()
    cubics[at.both], quartics[at.both] = cubic, quartic
    return Fourth(squares, cubics, quartics, unit)


def power_of_two(size: float) -> float:
    """The smallest power of two not below `size`, and not so small that its square is zero."""
    return float(2.0 ** np.ceil(np.log2(max(size, SMALLEST_UNIT))))


def _moved(
    sums: Fourth, rows: Rows, spread: Dense | Thin, weight: Floats, step: Floats
) -> tuple[Floats, Floats, Floats]:
    """The sums of some classes about their means plus `step`: z becomes z - step."""
    square, cubic, quartic = sums.square[rows], sums.cubic[rows], sums.quartic[rows]
    length = (step * step).sum(axis=1)
    product = _product(spread, rows, square, sums.square, step, sums.unit)
    along = (step * (product - cubic)).sum(axis=1)
    return (
        square + weight * length,
        cubic - 2 * product - (square + weight * length)[:, None] * step,
        quartic + 4 * along + length * (weight * length + 2 * square),
    )


def _product(
    spread: Dense | Thin, rows: Rows, square: Floats, squares: Floats, step: Floats, unit: float
) -> Floats:
    if isinstance(spread, Thin) and not len(spread.factor):
        return np.zeros_like(step)
    product = spread.times(step, rows) / unit / unit
    if spread.per_class:
        return product
    total = squares.sum()
    return product * (square / total if total else square)[:, None]


def _joined(a: Array, b: Array, both: Array, at: Alignment) -> Array:
    if at.both is ALL:
        return both
    out = placed(a, at.left, at.size).copy()
    out[at.right] = b
    out[at.both] = both
    return out
