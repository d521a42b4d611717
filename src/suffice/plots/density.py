"""Density: how probable rows are under a model, wherever they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.plots.constructors import on_plane
from suffice.plots.decoration import colour_bar
from suffice.plots.display import Display, name_axes
from suffice.plots.points import PlottedRows, draw_rows
from suffice.plots.style import COLOURS, depth, ink, mixed
from suffice.plots.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class DensityDisplay(Display):
    """Contours of the density p(x) in two features; from one line to the next it halves.

    plane : the two features, and the values of the others
    log_density : (n, n) ln p(x) on a grid, row by row from below
    points : rows drawn on it, or None

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X, y)
    >>> shown = DensityDisplay.from_estimator(model, X, features=(2, 3), ax=Figure().subplots())
    >>> shown.log_density.shape, shown.caption_
    ((240, 240), 'other features unknown')
    """

    plane: View
    log_density: Floats
    points: PlottedRows | None = None

    @classmethod
    @on_plane("features", "at", "box", "resolution", at="unknown")
    def from_estimator(cls, view: View) -> Self:
        """The density of a fitted model with `score_samples`; options as for `plot`.

        X, y, features, box, resolution : as for `RegionsDisplay`
        at : values of the other features, as there; "unknown" gives the density of the two alone
        """
        return cls(view, log_density(view), view.points)

    def _draw(
        self, ax: Axes, *, show_points: bool | None = None, colorbar: bool = True, **scatter: Any
    ) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter.

        show_points : whether rows are drawn; None draws them if they have labels
        """
        x, y = self.plane.axes
        # Ten contour lines: at a half of the highest density, a quarter, and so on.
        levels = np.arange(-10, 1.0)
        halvings = (self.log_density - self.log_density.max()) / np.log(2)
        filled = ax.contourf(x, y, halvings, levels, cmap=depth(ax, COLOURS[0]))
        lines = mixed(ink(ax), COLOURS[0], 0.6)
        ax.contour(x, y, halvings, levels[:-1], colors=[lines], linewidths=0.6, linestyles="solid")
        notes = [self.plane.note]
        if show_points or (show_points is None and self._labelled):
            notes += draw_rows(self.points, ax, **{"edgecolors": [ink(ax)], **scatter})
        name_axes(ax, self.plane.labels, self.plane.box)
        if colorbar:
            ticks = {-float(j): f"1/{2**j}" if j else "1" for j in (9, 6, 3, 0)}
            colour_bar(ax, filled, "density, as a share of the highest", ticks)
        return notes

    @property
    def _labelled(self) -> bool:
        return self.points is not None and bool((self.points.codes >= 0).any())


def log_density(view: View) -> Floats:
    """ln p(x) on the grid of a view, (n, n)."""
    values = np.asarray(view.ask("score_samples", view.grid))
    if not np.isfinite(values).any():
        raise InvalidParameter("the density is zero in all of the box; choose another box.")
    return values.reshape(view.resolution, view.resolution)
