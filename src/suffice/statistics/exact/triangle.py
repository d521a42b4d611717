"""Triangle: where the product of two features stands among the products of all pairs."""

from __future__ import annotations

from functools import cache

import numpy as np

from suffice.data.arrays import Array, Indices


@cache
def triangle(d: int) -> tuple[Indices, Indices]:
    """The rows and columns of the upper triangle of a matrix."""
    i, j = np.triu_indices(d)
    return i, j


def pairs(d: int, detail: str) -> tuple[Indices, Indices]:
    """The features of each product that is kept: of each with itself, or of all pairs."""
    return (np.arange(d),) * 2 if detail == "diagonal" else triangle(d)


@cache
def diagonal_places(d: int) -> Indices:
    """The places of the squares of d features.

    >>> diagonal_places(3)
    array([0, 3, 5])
    """
    i = np.arange(d)
    return np.asarray(i * d - i * (i - 1) // 2)


def triangle_places(at: Indices, d: int) -> Indices:
    """The places of the pairs of some of d features, in the order of the smaller triangle.

    >>> triangle_places(np.array([2, 0]), 3)  # of (2, 2), (2, 0), (0, 0)
    array([5, 2, 0])
    """
    i, j = (at[index] for index in np.triu_indices(len(at)))
    low, high = np.minimum(i, j), np.maximum(i, j)
    return np.asarray(low * d - low * (low - 1) // 2 + (high - low))


def to_matrices(triangles: Array, d: int) -> Array:
    """Symmetric matrices (groups, d, d) from triangles (groups, d (d + 1) / 2)."""
    i, j = np.triu_indices(d)
    out = np.empty((len(triangles), d, d), triangles.dtype)
    out[:, i, j] = triangles
    out[:, j, i] = triangles
    return out
