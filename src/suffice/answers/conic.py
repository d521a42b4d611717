"""Conics: boundaries in two features, their kind and their axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from suffice.data.arrays import Floats

Kind = Literal[
    "line", "ellipse", "parabola", "hyperbola", "pair of lines", "point", "empty", "everything"
]


@dataclass(frozen=True, eq=False)
class Conic:
    """Where u'Au + b'u + v is zero, for u in units that make the entries of A at most about one.

    What is smaller than `tolerance` times the terms it is the sum of counts as zero; `unit` is
    the size that the function itself has in those units, zero where it is unknown.

    >>> Conic(np.diag([1.0, -1.0]), np.zeros(2), 0.0).kind
    'pair of lines'
    """

    matrix: Floats  # (2, 2)
    slope: Floats  # (2,)
    value: float
    tolerance: float = 1e-14
    unit: float = 0.0

    def __call__(self, points: Floats) -> Floats:
        """u'Au + b'u + v of each row."""
        return np.asarray(((points @ self.matrix + self.slope) * points).sum(axis=-1) + self.value)

    def gradient(self, points: Floats) -> Floats:
        """2 Au + b of each row."""
        return np.asarray(2 * points @ self.matrix + self.slope)

    @cached_property
    def axes(self) -> tuple[Floats, Floats]:
        """Eigenvalues of A, the one of larger size first, and their vectors as columns."""
        values, vectors = np.linalg.eigh(self.matrix)
        order = np.argsort(-np.abs(values), kind="stable")
        values, vectors = values[order], vectors[:, order]
        return np.where(np.abs(values) <= self.tolerance, 0.0, values), vectors

    @cached_property
    def slopes(self) -> Floats:
        """Slope along each axis."""
        vectors = self.axes[1]
        slopes = vectors.T @ self.slope
        rounding = np.abs(vectors).T @ np.abs(self.slope)
        known = np.abs(slopes) > self.tolerance * np.maximum(self.unit, rounding)
        return np.where(known, slopes, 0.0)

    @cached_property
    def extreme(self) -> float:
        """Value where all slopes along curved axes vanish: v - sum of c² / 4 lambda over them."""
        values = self.axes[0]
        curved = values != 0
        squares = self.slopes[curved] ** 2 / (4 * values[curved])
        size = self.unit + abs(self.value) + np.abs(squares).sum()
        extreme = float(self.value - squares.sum())
        return extreme if abs(extreme) > self.tolerance * size else 0.0

    @cached_property
    def kind(self) -> Kind:
        """Which curve this is."""
        (large, small), slope = self.axes[0], self.slopes[1]
        if large == 0:
            return self._flat_kind()
        if small == 0 and slope != 0:
            return "parabola"
        if self.extreme == 0:
            return "line" if small == 0 else "point" if large * small > 0 else "pair of lines"
        opposite = large * self.extreme < 0
        if small == 0:
            return "pair of lines" if opposite else "empty"
        if large * small < 0:
            return "hyperbola"
        return "ellipse" if opposite else "empty"

    def _flat_kind(self) -> Kind:
        if self.slopes.any():
            return "line"
        return "everything" if self.extreme == 0 else "empty"

    @cached_property
    def middle(self) -> Floats:
        """Along each axis, where its slope vanishes: -c / 2 lambda; zero along a straight one."""
        values = self.axes[0]
        curved = values != 0
        return np.where(curved, -self.slopes / (2 * np.where(curved, values, 1.0)), 0.0)

    @cached_property
    def lines(self) -> list[tuple[Floats, float]]:
        """The lines a degenerate conic is made of: (n, k) for n'u = k."""
        (large, small), vectors = self.axes
        if self.kind not in ("line", "pair of lines"):
            return []
        if large == 0:
            return [(self.slope, -self.value)]
        if small == 0:
            gap = np.sqrt(max(-self.extreme / large, 0.0))
            shifts = [-gap, gap] if gap else [0.0]
            return [(vectors[:, 0], float(self.middle[0] + shift)) for shift in shifts]
        tilt = np.sqrt(-small / large)
        normals = [np.array([1.0, sign * tilt]) for sign in (-1, 1)]
        return [(vectors @ normal, float(normal @ self.middle)) for normal in normals]


def own_units(quadratic: Floats, slope: Floats) -> Floats:
    """Units, (2,), that make the largest entries of x'Qx + g'x one, whatever they were before.

    >>> own_units(np.diag([4.0, 1e-12]), np.zeros(2))
    array([5.e-01, 1.e+06])
    """
    sizes = np.abs(quadratic)
    # Smaller ones have lost digits to underflow.
    (a, b), (_, c) = np.where(sizes > 1e-200 * sizes.max(), sizes, 0.0)
    linear = np.abs(slope)
    if b and not (a or c):
        ratio = linear[1] / linear[0] if linear.all() else 1.0
        return np.asarray(np.sqrt(np.array([ratio, 1 / ratio]) / b))
    if a and c:
        ratio = np.sqrt(c) / np.sqrt(a)
        most = max(np.sqrt(a) * np.sqrt(c), b)
        return np.asarray(np.sqrt(np.array([ratio, 1 / ratio]) / most))
    if b:
        root = np.sqrt(a or c)
        units = np.array([1 / root, root / b])
        return units if a else units[::-1]
    flat = np.where(linear > 0, 1 / np.where(linear > 0, linear, 1.0), 1.0)
    curved = np.array([a, c])
    return np.where(curved > 0, 1 / np.sqrt(np.where(curved > 0, curved, 1.0)), flat)


def roots(a: float, b: float, c: float) -> list[float]:
    """Real t with a t² + b t + c = 0, ascending; a double root once, none where all are zero.

    >>> roots(1.0, -1e9, 1.0)
    [1e-09, 1000000000.0]
    """
    a, b, c = float(a), float(b), float(c)
    if a == 0:
        return [-c / b] if b else []
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    # The root without cancellation first, the other from the product of the two.
    half = -(b + math.copysign(math.sqrt(discriminant), b)) / 2
    return sorted({half / a, c / half if half else 0.0})
