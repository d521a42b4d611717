"""Comparison: whether two statistics are equal up to rounding."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.scatter import DiagonalScatter
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics


def same(a: Statistics, b: Statistics, tolerance: float) -> bool:
    """Whether both describe the same classes and features with the same numbers.

    Means are compared in units of the standard deviation, products in units of the sums of
    squares they belong to, so neither units nor offsets matter.
    """
    if (a.detail, a.feature_names, a.n_features) != (b.detail, b.feature_names, b.n_features):
        return False
    if a.classes.dtype.kind != b.classes.dtype.kind or not np.array_equal(a.classes, b.classes):
        return False
    if not np.array_equal(a.count, b.count) or not np.allclose(a.weight, b.weight, tolerance, 0):
        return False
    size = np.maximum(a.spread.diagonal(), b.spread.diagonal())
    if not _same_means(a, b, size, tolerance):
        return False
    return _same_spread(a, b, size, tolerance)


def _same_means(a: Statistics, b: Statistics, size: Floats, tolerance: float) -> bool:
    weight = a.weight[:, None] if a.spread.per_class else a.weight.sum()
    unit = np.sqrt(np.broadcast_to(size, a.mean.shape) / weight)
    rounding = 4 * np.finfo(float).eps * np.maximum(np.abs(a.mean), np.abs(b.mean))
    return bool((np.abs(difference(a.means, b.means)) <= tolerance * unit + rounding).all())


def _same_spread(a: Statistics, b: Statistics, size: Floats, tolerance: float) -> bool:
    if isinstance(a.spread, DiagonalScatter):
        return bool((np.abs(a.scatter - b.scatter) <= tolerance * size).all())
    first, second = (_products(s) for s in (a, b))
    root = np.sqrt(size)
    return all(
        bool((np.abs(p - q) <= tolerance * np.outer(r, r)).all())
        for p, q, r in zip(first, second, root, strict=True)
    )


def _products(s: Statistics) -> Array:
    return s.scatter if s.spread.per_class else s.scatter[None]
