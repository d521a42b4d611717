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
from suffice.plots.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CUT_POINTS = 1500  # on a boundary that is cut where another class is more probable


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
        """Draw the lines without widening what the axes show."""
        from matplotlib.lines import Line2D

        for line in self.lines:
            x, y = line.T
            # Axes with equal scales would make room for a line drawn by ax.plot.
            ax.add_artist(Line2D(x, y, **{"solid_capstyle": "round", **options}))


def borders(view: View) -> list[Border]:
    """The borders of all classes that win somewhere on the grid."""
    classes, values = view.classes, view.scores(view.grid)
    only_two = len(classes) == 2
    several = []
    for a, b in combinations(np.unique(values.argmax(axis=1)).tolist(), 2):
        boundary = _equation(view, classes[a], classes[b])
        if boundary is not None:
            lines = boundary.curve(view.box, 400 if only_two else CUT_POINTS)
        else:
            lines = _trace(view, values[:, a] - values[:, b])
        if not only_two:
            lines = [piece for line in lines for piece in winning_pieces(line, view.scores, a, b)]
        if lines:
            several.append(Border((classes[a], classes[b]), tuple(lines), boundary is not None))
    return several


def _equation(view: View, a: Any, b: Any) -> Boundary | None:
    """The boundary within the plane; None for models without one in closed form."""
    if not hasattr(view.model, "boundary") or not view.complete:
        return None
    try:
        boundary: Boundary = view.model.boundary(a, b)
    except InvalidParameter:  # a model with densities of another kind
        return None
    if view.features == (0, 1) and boundary.n_features == 2:
        return boundary
    at = [0.0 if value is None else value for value in view.held]
    return boundary.section(list(view.features), at=at)


def _trace(view: View, log_odds: Floats) -> list[Floats]:
    """The lines where log-odds on the grid are zero, by interpolation."""
    from contourpy import contour_generator

    (x, y), n = view.axes, view.resolution
    lines: Any = contour_generator(x, y, log_odds.reshape(n, n)).lines(0.0)
    return [np.asarray(line) for line in lines if len(line) > 1]


def winning_pieces(
    line: Floats, scores: Callable[[Floats], Floats], a: int, b: int
) -> list[Floats]:
    """The parts of a line between a and b where no other class is more probable."""
    if len(line) < 2:
        return []
    straight = len(line) == 2
    points = np.linspace(line[0], line[1], CUT_POINTS) if straight else line
    values = scores(points)
    best = np.maximum(values[:, a], values[:, b])
    others = np.delete(values, [a, b], axis=1).max(axis=1, initial=-np.inf)
    pieces = [points[start:stop] for start, stop in true_ranges(others <= best)]
    return [piece[[0, -1]] if straight else piece for piece in pieces if len(piece) > 1]


def true_ranges(mask: Array) -> list[tuple[int, int]]:
    """The ranges where a mask is true.

    >>> true_ranges(np.array([True, True, False, True]))
    [(0, 2), (3, 4)]
    """
    changes = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(start), int(stop)) for start, stop in changes.reshape(-1, 2)]
