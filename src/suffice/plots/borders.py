"""Borders: the lines between decision regions, each where two classes are the most probable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.answers.boundary import Boundary
from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter
from suffice.plots.plane import Box, Plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points along a line of which a part is to be taken.
POINTS = 1500

Scores = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False, slots=True)
class Border:
    """What divides the regions of two classes.

    classes : the two
    lines : polylines (m, 2)
    exact : whether they come from the equation of the boundary, not from a grid
    """

    classes: tuple[Any, Any]
    lines: tuple[Floats, ...]
    exact: bool

    def draw(self, ax: Axes, **options: Any) -> None:
        """The lines, none of which widens what the axes show."""
        from matplotlib.lines import Line2D

        for line in self.lines:
            x, y = line.T
            # Axes that keep their scales equal would make room for a line that is plotted.
            ax.add_artist(Line2D(x, y, **{"solid_capstyle": "round", **options}))


def borders(plane: Plane, scores: Floats, resolution: int) -> list[Border]:
    """Between all classes that win somewhere on a grid with scores (n * n, k)."""
    classes = plane.classes
    present = np.unique(scores.argmax(axis=1)).tolist()
    alone = len(classes) == 2
    found = []
    for a, b in combinations(present, 2):
        boundary = equation(plane, classes[a], classes[b])
        if boundary is not None:
            lines = boundary.curve(plane.box, 400 if alone else POINTS)
        else:
            lines = traced(plane, scores[:, a] - scores[:, b], resolution)
        if not alone:
            lines = [piece for line in lines for piece in won(line, plane.scores, a, b)]
        if lines:
            pair = (classes[a], classes[b])
            found.append(Border(pair, tuple(lines), boundary is not None))
    return found


def equation(plane: Plane, a: Any, b: Any) -> Boundary | None:
    """The boundary within the plane; None for models that have none in closed form."""
    if not hasattr(plane.model, "boundary") or not plane.complete:
        return None
    try:
        boundary: Boundary = plane.model.boundary(a, b)
    except InvalidParameter:  # a model with densities of another kind
        return None
    if plane.features == (0, 1) and boundary.n_features == 2:
        return boundary
    at = [0.0 if value is None else value for value in plane.held]
    return boundary.section(list(plane.features), at=at)


def traced(plane: Plane, log_odds: Floats, resolution: int) -> list[Floats]:
    """Where log-odds on a grid are zero, by interpolation."""
    from contourpy import contour_generator

    x, y, _ = plane.grid(resolution)
    found: Any = contour_generator(x, y, log_odds.reshape(resolution, resolution)).lines(0.0)
    return [np.asarray(line) for line in found if len(line) > 1]


def won(line: Floats, scores: Scores, a: int, b: int) -> list[Floats]:
    """The parts of a line between a and b where no other class is more probable."""
    if len(line) < 2:
        return []
    straight = len(line) == 2
    points = np.linspace(line[0], line[1], POINTS) if straight else line
    values = scores(points)
    best = np.maximum(values[:, a], values[:, b])
    others = np.delete(values, [a, b], axis=1).max(axis=1, initial=-np.inf)
    pieces = [points[start:stop] for start, stop in runs(others <= best)]
    return [piece[[0, -1]] if straight else piece for piece in pieces if len(piece) > 1]


def runs(mask: Array) -> list[tuple[int, int]]:
    """Where a mask is true, as ranges.

    >>> runs(np.array([True, True, False, True]))
    [(0, 2), (3, 4)]
    """
    changes = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(start), int(stop)) for start, stop in changes.reshape(-1, 2)]


def frame(ax: Axes, box: Box) -> None:
    """Show what is in a box."""
    ax.set_xlim(*box[0])
    ax.set_ylim(*box[1])
