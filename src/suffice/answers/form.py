"""Quadratic functions of features, about a centre."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from suffice.answers.conic import Conic, own_units, roots
from suffice.data.arrays import Floats


@dataclass(frozen=True, eq=False)
class Form:
    """u'Qu + g'u + v, with u = x - o.

    About a centre, since x'Qx + l'x + c loses its digits where features lie far from zero.
    With `scale`, a typical spread of each feature, changes below 1e-10 over it count as zero;
    without, every coefficient counts.

    >>> Form(np.array([2.0]), np.array([3.0]), 1.0)(np.array([[2.0], [3.0]]))
    array([1., 4.])
    """

    # A change this small over the known spread of a feature is the rounding error of a fit.
    negligible: ClassVar[float] = 1e-10

    # Relative rounding error of sums, where nothing is known of the spread.
    rounding: ClassVar[float] = 1e-13

    centre: Floats  # (d,) o
    slope: Floats  # (d,) g
    value: float  # v
    curvature: Floats | None = None  # (d, d) Q, symmetric; None for a linear function
    scale: Floats | None = None  # (d,)

    def __call__(self, rows: Floats) -> Floats:
        """The function at rows (n, d), or one (d,)."""
        return self._at(rows - self.centre)

    def _at(self, steps: Floats) -> Floats:
        linear = steps @ self.slope + self.value
        if self.curvature is None:
            return np.asarray(linear)
        return np.asarray(linear + ((steps @ self.curvature) * steps).sum(axis=-1))

    def _slope_at(self, step: Floats) -> Floats:
        if self.curvature is None:
            return self.slope
        return np.asarray(self.slope + 2 * self.curvature @ step)

    @property
    def matrix(self) -> Floats:
        """Q, zeros where there is none."""
        d = len(self.centre)
        return np.zeros((d, d)) if self.curvature is None else self.curvature

    @property
    def absolute(self) -> Form:
        """The same with every coefficient positive: a bound on the size of the terms."""
        curvature = None if self.curvature is None else np.abs(self.curvature)
        return Form(np.abs(self.centre), np.abs(self.slope), abs(self.value), curvature)

    @property
    def linear(self) -> Floats:
        """l of x'Qx + l'x + c: g - 2 Qo."""
        return self._slope_at(-self.centre)

    @property
    def constant(self) -> float:
        """c of x'Qx + l'x + c: v - g'o + o'Qo."""
        return float(self._at(-self.centre))

    @property
    def expanded(self) -> Form:
        """The same function about zero."""
        zero = np.zeros(len(self.centre))
        return replace(self, centre=zero, slope=self.linear, value=self.constant)

    @cached_property
    def is_linear(self) -> bool:
        """Whether the quadratic part counts as zero."""
        if self.curvature is None or self.scale is None:
            return self.curvature is None or not self.curvature.any()
        sizes = np.abs(self.curvature) * self.scale * self.scale[:, None]
        return bool(sizes.max() <= self.negligible)

    @cached_property
    def is_constant(self) -> bool:
        """Whether the function counts as the same everywhere."""
        return self.is_linear and not self.significant.slope.any()

    @cached_property
    def significant(self) -> Form:
        """The same with what counts as zero set to zero."""
        if self.scale is None:
            return self
        slopes = np.abs(self.slope) * self.scale
        curvature = None
        if self.curvature is not None and not self.is_linear:
            sizes = np.abs(self.curvature) * self.scale * self.scale[:, None]
            curvature = np.where(sizes > self.negligible, self.curvature, 0.0)
        slope = np.where(slopes > self.negligible * max(1.0, slopes.max()), self.slope, 0.0)
        value = self.value if abs(self.value) > self.negligible else 0.0
        return replace(self, curvature=curvature, slope=slope, value=value)

    @cached_property
    def significant_expanded(self) -> Form:
        """The same about zero, where cancelling terms leave rounding behind too."""
        significant = self.significant
        out, sizes = significant.expanded, significant.absolute
        least = self.rounding * sizes._slope_at(sizes.centre)
        slope = np.where(np.abs(out.slope) > least, out.slope, 0.0)
        value = out.value if abs(out.value) > self.rounding * sizes._at(sizes.centre) else 0.0
        return replace(out, slope=slope, value=value)

    @cached_property
    def single(self) -> tuple[int, list[float]] | None:
        """The one feature that the function depends on, and where it is zero."""
        form = self.significant
        used = form.slope != 0
        if form.curvature is not None:
            used = used | form.curvature.any(axis=1)
        if used.sum() != 1:
            return None
        k = int(np.argmax(used))
        bend = 0.0 if form.curvature is None else form.curvature[k, k]
        zeros = [float(self.centre[k]) + t for t in roots(bend, form.slope[k], form.value)]
        least = 0.0 if self.scale is None else self.negligible * float(self.scale[k])
        return k, [x if abs(x) > least else 0.0 for x in zeros]

    def along(self, start: Floats, step: Floats) -> tuple[float, float, float]:
        """(a, b, c) of a t² + b t + c, the function at start + t step; all zero where it is."""
        u, sizes = start - self.centre, self.absolute
        bounds = sizes._along(np.abs(u), np.abs(step))
        least = self.rounding * bounds
        if self.scale is not None:
            reach = float(np.abs(step / self.scale).max())
            least += self.negligible * np.array([reach**2, reach, 1.0])
        a, b, c = (float(part) for part in self._along(u, step))
        curved, sloped, off = np.array([abs(a), abs(b), abs(c)]) > least
        if curved:
            return a, b, c
        return 0.0, b if sloped else 0.0, c if sloped or off else 0.0

    def _along(self, u: Floats, step: Floats) -> Floats:
        bend = 0.0 if self.curvature is None else step @ self.curvature @ step
        return np.array([bend, step @ self._slope_at(u), self._at(u)])

    def section(self, kept: list[int], point: Floats) -> Form:
        """The function of some features, the others held where a point (d,) has them."""
        step = point - self.centre
        step[kept] = 0.0
        return Form(
            self.centre[kept],
            self._slope_at(step)[kept],
            float(self._at(step)),
            None if self.curvature is None else self.curvature[np.ix_(kept, kept)],
            None if self.scale is None else self.scale[kept],
        )

    @cached_property
    def units(self) -> Floats:
        """Units, (2,), of the conic."""
        return self.scale if self.scale is not None else own_units(self.matrix, self.slope)

    @cached_property
    def conic(self) -> Conic:
        """Where a function of two features is zero, about the centre in `units`."""
        tolerance, unit = (self.rounding, 0.0) if self.scale is None else (self.negligible, 1.0)
        matrix = self.matrix * self.units * self.units[:, None]
        return Conic(matrix, self.slope * self.units, self.value, tolerance, unit)

    def conic_in_box(self, low: Floats, high: Floats) -> tuple[Floats, Floats, Conic]:
        """The origin, the units and the conic in which to draw it between two corners.

        In units of the box a vertex too far away to matter is at infinity, where it costs
        no digits.
        """
        if self.conic.kind not in ("ellipse", "parabola", "hyperbola"):
            return self.centre, self.units, self.conic
        origin, units = np.clip(self.centre, low, high), high - low
        step = origin - self.centre
        matrix, slope = self.matrix * units * units[:, None], self._slope_at(step) * units
        value = float(self._at(step))
        size = max(np.abs(matrix).max(), np.abs(slope).max(), abs(value))
        return origin, units, Conic(matrix / size, slope / size, value / size, self.rounding)
