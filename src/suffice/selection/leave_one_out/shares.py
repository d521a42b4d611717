"""Shares: the shrinkage of a covariance without one row, estimated for every row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.tables.labelled_table import LabelledTable
from suffice.models.covariances.groups import Group, Groups
from suffice.models.covariances.linalg import rank_tolerance
from suffice.models.covariances.shrinkage import Spread, ledoit_wolf, oas
from suffice.selection.leave_one_out.removal import Removal
from suffice.statistics.numbers import DoubleDouble


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """The share that the target has in the covariance of a group, without each row.

    A given number is the same for every row. Otherwise the sums behind the estimate lose what the
    row contributes: the trace a|z|², the squared norm 2a z'Bz - a²|z|⁴, and the quartic sum.
    """

    shrinkage: float | str
    unit: float
    whole: Spread | None  # with all rows, if the share is estimated
    quartic_loss: Floats | None  # (n,), for Ledoit-Wolf

    @classmethod
    def of(cls, groups: Groups, group: Group, quartic_loss: Floats | None) -> Shares:
        """The shares of one group."""
        shrinkage = groups.settings.shrinkage
        if not isinstance(shrinkage, str):
            return cls(shrinkage, 1.0, None, None)
        return cls(shrinkage, groups.unit, group.spread(groups.unit), quartic_loss)

    def without(
        self, removal: Removal, part: Floats, squares: Floats, form: Floats
    ) -> tuple[Floats, Array]:
        """The share without each row, and where it is doubtful, (b,) each.

        part : how much of the row's loss this group suffers
        squares, form : |z|² and z'Bz, in units
        """
        whole = self.whole
        if whole is None:
            return np.full(len(part), self.shrinkage), np.zeros(len(part), bool)
        weight, loss = whole.weight - part * removal.weight, part * removal.loss
        trace = whole.trace * whole.weight - loss * squares
        norm_before = whole.squared_norm * whole.weight**2
        norm = norm_before - 2 * loss * form + (loss * squares) ** 2
        quartic = np.full_like(trace, np.nan)
        # The share of a sum of fourth order that a removal must leave, to keep enough digits.
        least_fourth = 1e-5
        doubtful = norm < least_fourth * norm_before
        if self.quartic_loss is not None:
            quartic_before = whole.quartic * whole.weight
            quartic = quartic_before - part * self.quartic_loss[removal.at]
            doubtful |= quartic < least_fourth * quartic_before
        d = whole.features
        spread = Spread(weight, d, trace / weight, norm / weight**2, quartic / weight)
        share = oas(spread) if self.shrinkage == "oas" else ledoit_wolf(spread)
        # So close to spherical that rounding decides the share.
        gap = spread.squared_norm - spread.trace**2 / d
        doubtful |= gap < least_fourth**2 * spread.squared_norm
        return np.where(share > rank_tolerance(1), share, 0.0), doubtful


def quartic_losses(groups: Groups, table: LabelledTable) -> Floats | None:
    """What the sum of w|z|⁴ loses without each row, in units, (n,); None unless it is needed.

    z is about the mean, which moves: with u = z W / (W - w) and a step s = w z / (W - w),
    w|u|⁴ - 4s'c - 4s'Ss - 2q|s|² - W|s|⁴, where c and q are the sums of w|z|²z and w|z|².
    """
    s = groups.statistics
    if not groups.settings.needs_fourth or s.fourth is None:
        return None
    sums, unit = s.fourth.centred(s.known), s.fourth.unit
    out = np.zeros(len(table))
    for c in range(len(s.classes)):
        at = table.rows_of(c)
        one = Removal(table, at, DoubleDouble(s.means.high, s.means.low), s.weight)
        z = one.steps / unit
        lengths = np.einsum("ij,ij->i", z, z)
        form = _forms(z, one.weight)
        with np.errstate(invalid="ignore", over="ignore"):
            ratio = one.stretch * one.weight / s.weight[c]
            moved = 4 * ratio * (z @ sums.cubic[c]) + 4 * ratio**2 * form
            moved += 2 * sums.square[c] * ratio**2 * lengths
            moved += s.weight[c] * ratio**4 * lengths**2
            out[at] = one.weight * one.stretch**4 * lengths**2 - moved
    return out


def _forms(rows: Floats, weight: Floats) -> Floats:
    """z'Sz of each row, S being the scatter of all of them, (n,)."""
    if len(rows) < rows.shape[1]:
        return np.asarray((rows @ rows.T) ** 2 @ weight)
    scatter = (rows * weight[:, None]).T @ rows
    return np.asarray(np.einsum("ij,ij->i", rows @ scatter, rows))
