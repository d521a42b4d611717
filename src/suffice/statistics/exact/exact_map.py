"""Exact map: integers of new features, each an old one, a sum of exclusive indicators, or zero."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.statistics.by_pattern import features_of, key_of
from suffice.statistics.exact.exact_incomplete import (
    AnyExact,
    ExactIncomplete,
    Parts,
    as_incomplete,
    simplify,
)
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.grid import Grid, mapped_grid
from suffice.statistics.exact.integers import LIMB_BITS, Integers
from suffice.statistics.exact.triangle import to_matrices, triangle

if TYPE_CHECKING:
    from suffice.statistics.feature_map import FeatureMap


def map_features(s: AnyExact, mapping: FeatureMap, names: tuple[str, ...] | None) -> AnyExact:
    """The exact statistics of new features, under these names."""
    if isinstance(s, ExactStatistics):
        if min(mapping.beside) >= 0:
            return _complete(s, mapping, names)
        s = as_incomplete(s)
    parts = (_by_feature if s.detail == "diagonal" else _by_pattern)(s, mapping, names)
    ordered = {key: parts[key] for key in sorted(parts)}
    grid = _grid(s.grid, mapping, names)
    return simplify(replace(s, parts=ordered, grid=grid, feature_names=names))


def feature_sums(s: AnyExact) -> Floats:
    """The weighted sum of each feature in each class, in units of the grid, (k, d)."""
    if isinstance(s, ExactStatistics):
        return s.sums.floats() * s.grid.weight_unit
    out = np.zeros((len(s.classes), s.n_features))
    for key, part in s.parts.items():
        rows, columns = np.searchsorted(s.classes, part.classes), features_of(key, s.n_features)
        out[np.ix_(rows, columns)] += feature_sums(part)
    return out


def _grid(grid: Grid, mapping: FeatureMap, names: tuple[str, ...] | None) -> Grid:
    # Only indicators are added up, or zero in all rows.
    at = [some[0] if len(some) == 1 else -1 for some in mapping.sources]
    return mapped_grid(grid, np.array(at, np.int64), names)


def _complete(
    s: ExactStatistics, mapping: FeatureMap, names: tuple[str, ...] | None
) -> ExactStatistics:
    d, sources = s.n_features, mapping.sources
    if s.detail == "diagonal":
        # Of a sum of indicators that exclude each other, the square is the sum of the squares.
        products = _added(s.products, sources)
    else:
        i, j = triangle(len(sources))
        groups = []
        for g in range(s.products.shape[0]):
            limbs = to_matrices(s.products.limbs[:, g], d)
            rows = _added(Integers(limbs), sources).limbs
            both = _added(Integers(np.swapaxes(rows, 1, 2)), sources).limbs
            groups.append(both[:, i, j])
        products = Integers(np.stack(groups, axis=1)) if groups else s.products[:, : len(i)]
    return replace(
        s,
        sums=_added(s.sums, sources),
        products=products,
        grid=_grid(s.grid, mapping, names),
        feature_names=names,
        fourth=None,
    )


def _by_pattern(s: ExactIncomplete, mapping: FeatureMap, names: tuple[str, ...] | None) -> Parts:
    parts: Parts = {}
    for key, part in s.parts.items():
        inner, known = mapping.within(features_of(key, s.n_features), s.n_features)
        if known.any():
            new = key_of(known)
            some = _complete(part, inner, _chosen(names, np.flatnonzero(known)))
            parts[new] = parts[new] + some if new in parts else some
    return parts


def _by_feature(s: ExactIncomplete, mapping: FeatureMap, names: tuple[str, ...] | None) -> Parts:
    own = {int(features_of(key, s.n_features)[0]): part for key, part in s.parts.items()}
    parts: Parts = {}
    for j, (some, beside) in enumerate(zip(mapping.sources, mapping.beside, strict=True)):
        if beside not in own:
            continue
        first = own[some[0] if some else beside]
        total = replace(first, sums=_scaled(first.sums, bool(some)))
        total = replace(total, products=_scaled(first.products, bool(some)))
        for source in some[1:]:
            more = own[source]
            total = replace(total, sums=total.sums + more.sums)
            total = replace(total, products=total.products + more.products)
        grid = mapped_grid(first.grid, np.array([0 if len(some) == 1 else -1]), None)
        key = key_of(np.arange(len(mapping.sources)) == j)
        parts[key] = replace(total, grid=grid, feature_names=None).named(_chosen(names, [j]))
    return parts


def _scaled(values: Integers, kept: bool) -> Integers:
    return values if kept else Integers(np.zeros_like(values.limbs))


def _chosen(names: tuple[str, ...] | None, at: Indices | list[int]) -> tuple[str, ...] | None:
    return None if names is None else tuple(names[j] for j in at)


def _added(values: Integers, sources: tuple[tuple[int, ...], ...]) -> Integers:
    """The sums of entries along the last axis; 0 for those without a source."""
    if all(len(some) == 1 for some in sources):
        return Integers(values.limbs[..., [some[0] for some in sources]])
    number, *shape = values.limbs.shape
    filled = [j for j, some in enumerate(sources) if some]
    flat = [i for some in sources for i in some]
    starts = np.cumsum([0, *(len(sources[j]) for j in filled)])[:-1]
    total = Integers.zeros((*shape[:-1], len(sources)), number)
    if not flat:
        return total
    half_bits = LIMB_BITS // 2
    for i, limb in enumerate(values.limbs[..., flat]):
        # In halves, of which sums of many stay below 2^63.
        for half, shift in ((limb & ((1 << half_bits) - 1), 0), (limb >> half_bits, half_bits)):
            sums = np.zeros(total.shape, np.int64)
            sums[..., filled] = np.add.reduceat(half, starts, axis=-1)
            total = total + Integers.shifted(sums, LIMB_BITS * i + shift, number)
    return total
