"""Exact map: integers of new features, each an old one, a sum of exclusive indicators, or zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.by_pattern import features_of, key_of
from suffice.statistics.exact.exact_incomplete import (
    AnyExact,
    ExactIncomplete,
    as_incomplete,
    gather,
    simplify,
)
from suffice.statistics.exact.exact_statistics import ExactStatistics, take_features
from suffice.statistics.exact.grid import Grid, mapped_grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.triangle import to_matrices, triangle, triangle_places
from suffice.statistics.shape import names_at

if TYPE_CHECKING:
    from suffice.statistics.feature_map import FeatureMap

Parts = Iterator[tuple[bytes, ExactStatistics]]  # by pattern, see `gather`


def map_features(s: AnyExact, mapping: FeatureMap, names: tuple[str, ...] | None) -> AnyExact:
    """The exact statistics of new features, under these names."""
    if isinstance(s, ExactStatistics):
        if min(mapping.beside) >= 0:
            return _complete(s, mapping, names)
        s = as_incomplete(s)
    parts = (_by_feature if s.detail == "diagonal" else _by_pattern)(s, mapping, names)
    grid = _grid(s.grid, mapping, names)
    return simplify(replace(s, parts=gather(parts), grid=grid, feature_names=names))


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
    """The same for rows without missing values: sums of sources, then zero for those without."""
    size, filled = len(mapping.sources), np.flatnonzero([len(some) for some in mapping.sources])
    sources, diagonal = [mapping.sources[j] for j in filled], s.detail == "diagonal"
    if all(len(some) == 1 for some in sources):
        own = take_features(s, np.array([some[0] for some in sources], np.int64))
        sums, products = own.sums, own.products
    else:
        sums = _added(s.sums, sources)
        # Of a sum of indicators that exclude each other, the square is the sum of the squares.
        products = _added(s.products, sources) if diagonal else _added_pairs(s, sources)
    places, entries = filled, size
    if not diagonal:
        places, entries = triangle_places(filled, size), size * (size + 1) // 2
    return replace(
        s,
        sums=sums.spread(filled, size),
        products=products.spread(places, entries),
        grid=_grid(s.grid, mapping, names),
        feature_names=names,
        fourth=None,
    )


def _by_pattern(s: ExactIncomplete, mapping: FeatureMap, names: tuple[str, ...] | None) -> Parts:
    for key, part in s.parts.items():
        inner, known = mapping.within(features_of(key, s.n_features), s.n_features)
        if known.any():
            yield key_of(known), _complete(part, inner, names_at(names, np.flatnonzero(known)))


def _by_feature(s: ExactIncomplete, mapping: FeatureMap, names: tuple[str, ...] | None) -> Parts:
    own = {int(features_of(key, s.n_features)[0]): part for key, part in s.parts.items()}
    for j, (some, beside) in enumerate(zip(mapping.sources, mapping.beside, strict=True)):
        if beside not in own:
            continue
        like, parts = own[beside], [own[i] for i in some]
        total = replace(
            like,
            sums=sum((part.sums for part in parts), like.sums.blank()),
            products=sum((part.products for part in parts), like.products.blank()),
            grid=mapped_grid(like.grid, np.array([0 if len(some) == 1 else -1]), None),
            feature_names=None,
        )
        yield key_of(np.arange(len(mapping.sources)) == j), total.named(names_at(names, [j]))


def _added(values: Integers, sources: list[tuple[int, ...]]) -> Integers:
    """The sums of entries along the last axis."""
    return Integers.of(_sums(values.objects(), sources), len(values.limbs))


def _added_pairs(s: ExactStatistics, sources: list[tuple[int, ...]]) -> Integers:
    """The products of sums of features."""
    i, j = triangle(len(sources))
    totals = np.empty((s.products.shape[0], len(i)), object)
    for g, group in enumerate(totals):
        matrix = to_matrices(s.products[g : g + 1].objects(), s.n_features)[0]
        group[:] = _sums(_sums(matrix, sources).T, sources)[i, j]
    return Integers.of(totals, len(s.products.limbs))


def _sums(values: Array, sources: list[tuple[int, ...]]) -> Array:
    """The same of Python's integers."""
    return np.stack([values[..., list(some)].sum(axis=-1) for some in sources], axis=-1)
