"""Regridding: exact statistics in the units of another grid, where they are whole numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from suffice.data.arrays import Indices
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
    old_units, units = s.grid.unit_fractions(), new.unit_fractions()
    a = [old / unit for old, unit in zip(old_units, units, strict=True)]
    anchors = zip(s.grid.anchor.tolist(), new.anchor.tolist(), a, strict=True)
    b = [scale * int(old) - int(anchor) for old, anchor, scale in anchors]
    factor = _weight_factor(s, new)
    weights = [factor * weight for weight in s.weights.tolist()]
    k, d = s.sums.shape
    own, flat = s.sums.tolist(), s.products.tolist()
    rows = [[Fraction(one) for one in own[c * d : (c + 1) * d]] for c in range(k)]
    sums = [
        factor * scale * one + weight * shift
        for weight, row in zip(weights, rows, strict=True)
        for one, scale, shift in zip(row, a, b, strict=True)
    ]
    places = list(zip(*(index.tolist() for index in pairs(d, s.detail)), strict=True))
    products, at = [], 0
    for group in range(s.products.shape[0]):
        members = range(k) if s.detail == "shared" else [group]
        total = [sum((rows[c][j] for c in members), Fraction(0)) for j in range(d)]
        weight = sum((weights[c] for c in members), Fraction(0))
        for i, j in places:
            linear = a[i] * b[j] * total[i] + b[i] * a[j] * total[j]
            products.append(factor * (a[i] * a[j] * flat[at] + linear) + weight * b[i] * b[j])
            at += 1
    return replace(
        s,
        weights=regrid_weights(s, new),
        sums=_shaped(_whole(sums, SUM_LIMBS, new), (k, d)),
        products=_shaped(
            _whole(products, product_limbs(new.bits), new), (s.products.shape[0], len(places))
        ),
        grid=new,
        fourth=None,
    )


def regrid_weights(s: OnGrid, grid: Grid) -> Indices:
    """The weights of classes, in the units of weight of another grid."""
    factor = _weight_factor(s, grid)
    whole: Indices = _whole([factor * weight for weight in s.weights.tolist()], 1, grid).limbs[0]
    return whole


def _weight_factor(s: OnGrid, grid: Grid) -> Fraction:
    return Fraction(2) ** (s.grid.weight_exponent - grid.weight_exponent)


def _whole(values: list[Fraction], limbs: int, grid: Grid) -> Integers:
    if any(value.denominator != 1 for value in values):
        raise Mismatch(
            f"some values lie between the points of {grid!r}, so the sums are not whole numbers "
            "there; go to a finer grid, or summarize the rows again with this one."
        )
    return Integers.of((int(value) for value in values), limbs)


def _shaped(integers: Integers, shape: tuple[int, int]) -> Integers:
    return Integers(integers.limbs.reshape(len(integers.limbs), *shape))


def _check_range(s: ExactStatistics, grid: Grid) -> None:
    inside = (grid.low <= s.grid.low + grid.unit) & (grid.high >= s.grid.high - grid.unit)
    if not inside.all():
        j = int(inside.argmin())
        name = j if s.feature_names is None else repr(s.feature_names[j])
        raise Mismatch(
            f"the other grid does not cover the range of feature {name}: {s.grid.low[j]:.6g} to "
            f"{s.grid.high[j]:.6g}. Use one that does: grid.cover(...)."
        )
