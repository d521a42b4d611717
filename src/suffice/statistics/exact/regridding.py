"""Regridding: exact statistics in the units of another grid, where they are whole numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.errors import Mismatch
from suffice.statistics.exact.exact_sums import SUM_LIMBS, product_limbs
from suffice.statistics.exact.grid import Grid, check_grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.on_grid import OnGrid
from suffice.statistics.exact.triangle import pairs

if TYPE_CHECKING:
    from suffice.statistics.exact.exact_statistics import ExactStatistics


def regrid(s: ExactStatistics, grid: Grid) -> ExactStatistics:
    """The same statistics on another grid: q becomes a q + b, with

    sums      a s + W b
    products  a a' S + a b' s + b a' s' + W b b'
    """
    check_grid(grid, optional=False)
    new = grid.resolve(s.feature_names, s.n_features)
    _check_range(s, new)
    units = zip(s.grid.unit_fractions(), new.unit_fractions(), strict=True)
    a = np.array([old / unit for old, unit in units], object)
    old_anchor, anchor = (np.array([*map(int, g.anchor.tolist())], object) for g in (s.grid, new))
    b = a * old_anchor - anchor
    factor = _weight_factor(s, new)
    own, weights = s.sums.objects(), factor * s.weights.astype(object)[:, None]
    sums = factor * a * own + weights * b
    if s.detail == "shared":
        own, weights = own.sum(axis=0, keepdims=True), weights.sum(axis=0, keepdims=True)
    i, j = pairs(s.n_features, s.detail)
    linear = a[i] * b[j] * own[:, i] + b[i] * a[j] * own[:, j]
    products = factor * (a[i] * a[j] * s.products.objects() + linear) + weights * (b[i] * b[j])
    return replace(
        s,
        weights=regrid_weights(s, new),
        sums=_whole(sums, SUM_LIMBS, new),
        products=_whole(products, product_limbs(new.bits), new),
        grid=new,
        fourth=None,
    )


def regrid_weights(s: OnGrid, grid: Grid) -> Indices:
    """The weights of classes, in the units of weight of another grid."""
    factor = _weight_factor(s, grid)
    whole: Indices = _whole(factor * s.weights.astype(object), 1, grid).limbs[0]
    return whole


def _weight_factor(s: OnGrid, grid: Grid) -> Fraction:
    return Fraction(2) ** (s.grid.weight_exponent - grid.weight_exponent)


def _whole(values: Array, limbs: int, grid: Grid) -> Integers:
    if any(value.denominator != 1 for value in values.flat):
        raise Mismatch(
            f"some values lie between the points of {grid!r}, so the sums are not whole numbers "
            "there; go to a finer grid, or summarize the rows again with this one."
        )
    return Integers.of(np.frompyfunc(int, 1, 1)(values), limbs)


def _check_range(s: ExactStatistics, grid: Grid) -> None:
    inside = (grid.low <= s.grid.low + grid.unit) & (grid.high >= s.grid.high - grid.unit)
    if not inside.all():
        j = int(inside.argmin())
        name = j if s.feature_names is None else repr(s.feature_names[j])
        raise Mismatch(
            f"the other grid does not cover the range of feature {name}: {s.grid.low[j]:.6g} to "
            f"{s.grid.high[j]:.6g}. Use one that does: grid.cover(...)."
        )
