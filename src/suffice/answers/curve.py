"""Curves: a conic as polylines inside a box, by the parameters of its canonical form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from suffice.answers.conic import Conic, roots
from suffice.data.arrays import Array, Floats
from suffice.data.parameters import finite
from suffice.errors import InvalidParameter
from suffice.text import shown


@dataclass(frozen=True, slots=True)
class Box:
    """The points between two corners."""

    # Distance from an edge, as a share of the side of the box, that counts as on it.
    edge: ClassVar[float] = 1e-9

    low: Floats  # (2,)
    high: Floats  # (2,)

    @classmethod
    def checked(cls, box: Any) -> Box:
        """The box ((xmin, xmax), (ymin, ymax)) that a user gives."""
        try:
            low, high = finite("box", box, (2, 2)).T
        except InvalidParameter:
            low = high = np.zeros(2)
        if not (low < high).all():
            raise InvalidParameter(
                f"box is {shown(box)}; it must be ((xmin, xmax), (ymin, ymax)) with min below max."
            )
        return cls(low, high)

    @property
    def middle(self) -> Floats:
        """The point in the middle."""
        return np.asarray(self.low + (self.high - self.low) / 2)

    def holds(self, points: Floats) -> Array:
        """Which rows lie inside, or on the edge."""
        slack = self.edge * (self.high - self.low)
        inside = (points >= self.low - slack) & (points <= self.high + slack)
        return np.asarray(inside.all(axis=-1))

    def clip(self, points: Floats) -> Floats:
        """Points moved to the nearest inside."""
        return np.clip(points, self.low, self.high)

    def same_points(self, points: Floats, others: Floats) -> Array:
        """Which rows of two arrays are the same point."""
        near = np.abs(points - others) <= self.edge * (self.high - self.low)
        return np.asarray(near.all(axis=-1))

    def crossings(self, conic: Conic) -> Floats:
        """Points (m, 2) where a conic meets the edges; nothing for an edge that lies in it."""
        A, b, found = conic.matrix, conic.slope, []
        for axis in (0, 1):
            other = 1 - axis
            for edge in (self.low[axis], self.high[axis]):
                constant = (A[axis, axis] * edge + b[axis]) * edge + conic.value
                for root in roots(A[other, other], 2 * A[0, 1] * edge + b[other], constant):
                    point = np.empty(2)
                    point[axis], point[other] = edge, root
                    found.append(point)
        points = np.array(found).reshape(-1, 2)
        return self.clip(points[self.holds(points)])


@dataclass(frozen=True, slots=True)
class Straight:
    """The line origin + t direction."""

    origin: Floats  # (2,)
    direction: Floats  # (2,)
    period: float = np.inf  # how far the parameter goes once around; infinite for an open curve

    @classmethod
    def of(cls, normal: Floats, level: float, near: Floats) -> Straight:
        """The line n'u = k, with its origin next to a given point."""
        origin = near + (level - normal @ near) / (normal @ normal) * normal
        return cls(origin, np.array([-normal[1], normal[0]]) / np.hypot(*normal))

    def point(self, t: Floats) -> Floats:
        """Points (m, 2) at parameters (m,)."""
        return np.asarray(self.origin + t[:, None] * self.direction)

    def parameter(self, points: Floats) -> Floats:
        """Parameters (m,) of points (m, 2) on the line."""
        return np.asarray((points - self.origin) @ self.direction)


@dataclass(frozen=True, slots=True)
class Arc:
    """The part of p² = bend y² + rate y through its vertex at y = 0.

    With w² = |bend|: y = rate (sin(wt) / w)², p = rate sin(wt) cos(wt) / w for an ellipse
    (bend < 0), the same with sinh and cosh for a branch of a hyperbola (bend > 0), and
    y = rate t², p = rate t for a parabola, their common limit. Equal steps of t cut off equal
    areas, so the curve is as smooth at its vertex as far from it.
    """

    origin: Floats  # (2,) the vertex
    across: Floats  # (2,) direction of p
    along: Floats  # (2,) direction of y
    bend: float
    rate: float

    @property
    def period(self) -> float:
        """Once around for an ellipse."""
        return float(np.pi / np.sqrt(-self.bend)) if self.bend < 0 else np.inf

    def owns(self, points: Floats) -> Array:
        """Which points of the conic are on this branch: the other begins at y = -rate / bend."""
        if self.bend <= 0:
            return np.ones(len(points), bool)
        return np.asarray((points - self.origin) @ self.along > -self.rate / (2 * self.bend))

    def point(self, t: Floats) -> Floats:
        """Points (m, 2) at parameters (m,)."""
        w = np.sqrt(abs(self.bend))
        if self.bend < 0:
            sine, cosine = np.sin(w * t) / w, np.cos(w * t)
        elif self.bend > 0:
            sine, cosine = np.sinh(w * t) / w, np.cosh(w * t)
        else:
            sine, cosine = t, np.ones_like(t)
        y, p = self.rate * sine**2, self.rate * sine * cosine
        return np.asarray(self.origin + y[:, None] * self.along + p[:, None] * self.across)

    def parameter(self, points: Floats) -> Floats:
        """Parameters (m,) of points (m, 2), from p near the vertex and from y on the far side."""
        steps = points - self.origin
        y, p = steps @ self.along, steps @ self.across
        w = np.sqrt(abs(self.bend))
        rest = np.maximum(self.rate + self.bend * y, 0.0)  # rate cos(wt)², or with cosh
        if self.bend < 0:
            far = np.arctan2(w * w * y, w * p) - np.pi * (p < 0)
            return np.asarray(np.where(2 * rest > self.rate, np.arctan2(w * p, rest), far) / w)
        sine = p / np.sqrt(self.rate) / np.sqrt(rest)
        return np.asarray(np.arcsinh(w * sine) / w) if self.bend > 0 else sine


def polylines(conic: Conic, box: Box, points: int) -> list[Floats]:
    """The conic inside the box: (m, 2) each, ends exactly on an edge, closed curves closed."""
    if conic.kind == "point":
        point = conic.axes[1] @ conic.middle
        return [box.clip(point[None])] if box.holds(point) else []
    lines = []
    for normal, level in conic.lines:
        line = Straight.of(normal, level, box.middle)
        meeting = box.crossings(Conic(np.zeros((2, 2)), normal, -level))
        lines += pieces(line, meeting, box, 2)
    if conic.kind in ("ellipse", "parabola", "hyperbola"):
        meeting = box.crossings(conic)
        for arc in arcs(conic, box):
            curves = pieces(arc, meeting[arc.owns(meeting)], box, points)
            lines += [polish(conic, box, curve) for curve in curves]
    return lines


def arcs(conic: Conic, box: Box) -> list[Arc]:
    """The branches of an ellipse, a parabola or a hyperbola."""
    values, vectors = conic.axes
    # The branches of a hyperbola lie apart along the axis whose eigenvalue has the other sign
    # than the middle.
    i, j = (1, 0) if conic.kind == "hyperbola" and conic.extreme * values[0] < 0 else (0, 1)
    rest = conic.value - conic.slopes[i] ** 2 / (4 * values[i])
    bend, b, c = (float(-x / values[i]) for x in (values[j], conic.slopes[j], rest))
    rate = abs(b) if bend == 0 else 2 * float(np.sqrt(abs(bend * conic.extreme / values[i])))
    vertices = _vertices(bend, b, c, rate)
    if bend < 0:  # from the vertex nearer to the box: the other may be far away
        target = box.middle @ vectors[:, j]
        vertices = [min(vertices, key=lambda vertex: abs(vertex[0] - target))]
    p, q = vectors[:, i], vectors[:, j]
    return [Arc(conic.middle[i] * p + at * q, p, side * q, bend, rate) for at, side in vertices]


def _vertices(bend: float, b: float, c: float, rate: float) -> list[tuple[float, float]]:
    """Zeros of bend q² + b q + c, and to which side of each it is positive."""
    if bend == 0:
        return [(-c / b, float(np.sign(b)))]
    half = -(b + np.copysign(rate, b)) / 2
    low, high = sorted((float(half / bend), float(c / half)))
    side = float(np.sign(bend))
    return [(low, -side), (high, side)]


def pieces(path: Straight | Arc, meeting: Floats, box: Box, points: int) -> list[Floats]:
    """The parts of a path inside a box, given where it meets the edges."""
    t, meeting = _in_order(path, meeting, box)
    if np.isfinite(path.period):
        t, meeting = _once_around(path, t, meeting, box)
    inside = box.holds(_middles(path, t))
    changes = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    out = []
    for start, stop in changes.reshape(-1, 2):
        curve = path.point(np.linspace(t[start], t[stop], points))
        curve[0], curve[-1] = meeting[start], meeting[stop]
        out.append(box.clip(curve))
    return out


def _in_order(path: Straight | Arc, meeting: Floats, box: Box) -> tuple[Floats, Floats]:
    """Parameters of the crossings, ascending, and the crossings."""
    t = path.parameter(meeting)
    order = np.argsort(t, kind="stable")
    t, meeting = t[order], meeting[order]
    # A crossing at a corner is found on both edges.
    middles = _middles(path, t)
    twice = box.same_points(middles, meeting[1:]) & box.same_points(middles, meeting[:-1])
    kept = np.concatenate([[True], ~twice])[: len(t)]
    return t[kept], meeting[kept]


def _once_around(
    path: Straight | Arc, t: Floats, meeting: Floats, box: Box
) -> tuple[Floats, Floats]:
    """Crossings of a closed curve, from one where it leaves the box around to the same again."""
    if not len(t):
        t = np.zeros(1)
        meeting = path.point(t)
    around = np.append(t, t[0] + path.period)
    first = int(np.argmin(box.holds(_middles(path, around))))
    t = np.concatenate([t[first:], t[: first + 1] + path.period])
    return t, np.concatenate([meeting[first:], meeting[: first + 1]])


def _middles(path: Straight | Arc, t: Floats) -> Floats:
    return path.point((t[1:] + t[:-1]) / 2)


def polish(conic: Conic, box: Box, curve: Floats) -> Floats:
    """The curve without its rounding errors, by Newton's steps where they help."""
    out = curve.copy()
    for _ in range(4):
        gradient, value = conic.gradient(out), conic(out)
        squares = (gradient**2).sum(axis=1)
        steps = np.where(squares > 0, value / np.where(squares > 0, squares, 1.0), 0.0)
        better = out - steps[:, None] * gradient
        out = np.where((np.abs(conic(better)) < np.abs(value))[:, None], better, out)
    closed = bool((curve[0] == curve[-1]).all())
    if not closed:  # the ends are on an edge, and must stay there
        out[0], out[-1] = curve[0], curve[-1]
    return box.clip(out)
