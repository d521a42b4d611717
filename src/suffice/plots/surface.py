"""Surface: the density of a model as a height over two features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.plots.constructors import on_plane
from suffice.plots.density import log_density
from suffice.plots.display import Display, name_axes, pyplot
from suffice.plots.style import COLOURS, depth, ground, ink, mixed
from suffice.plots.view import View


@dataclass(eq=False, repr=False)
class SurfaceDisplay(Display):
    """The density p(x) as a height over two features, with its contours on the floor.

    plane : the two features, and the values of the others
    density : (n, n) p(x) on a grid, row by row from below

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import QDA
    >>> X, y = load_iris(return_X_y=True)
    >>> axes = Figure().add_subplot(projection="3d")
    >>> shown = SurfaceDisplay.from_estimator(QDA().fit(X[:, :2], y), X[:, :2], ax=axes)
    >>> shown.density.shape, shown.ax_.get_zlabel()
    ((80, 80), 'density')
    """

    plane: View
    density: Floats

    @classmethod
    # A finer grid takes long to draw and shows no more.
    @on_plane("features", "at", "box", "resolution", at="unknown", resolution=80)
    def from_estimator(cls, view: View) -> Self:
        """The density of a fitted model with `score_samples`; options as for `plot`.

        X, features, at, box, resolution : as for `DensityDisplay`
        ax : axes with projection="3d", or None for a new figure
        """
        return cls(view, np.exp(log_density(view)))

    def _canvas(self, ax: Any, **options: Any) -> Any:
        if ax is None:
            figure = pyplot().figure(figsize=(7.0, 5.4), layout="constrained")
            return figure.add_subplot(projection="3d")
        if not hasattr(ax, "plot_surface"):
            raise InvalidParameter(
                "a surface takes axes of three dimensions: figure.add_subplot(projection='3d')."
            )
        return ax

    def _draw(self, ax: Any, **surface: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's plot_surface."""
        from matplotlib.ticker import MaxNLocator

        across, along = np.meshgrid(*self.plane.axes)
        top = float(self.density.max())
        floor = -0.5 * top
        # What is lower is left out, so that the floor is visible.
        hill = np.where(self.density < 0.005 * top, np.nan, self.density)
        look = {"cmap": depth(ax, COLOURS[0]), "rcount": 60, "ccount": 60, "linewidth": 0.15}
        edges = {"edgecolor": mixed(COLOURS[0], ink(ax), 0.5), "antialiased": True}
        ax.plot_surface(across, along, hill, **{**look, **edges, **surface})
        lines = {"zdir": "z", "offset": floor, "colors": [COLOURS[0]], "linewidths": 1.0}
        heights = top * np.array([0.01, 0.1, 0.25, 0.5, 0.75])
        ax.contour(across, along, self.density, heights, **lines)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color(mixed(ground(ax), ink(ax), 0.05))
        ax.set_zlim(floor, top)
        ax.set_zticks([tick for tick in MaxNLocator(4).tick_values(0, top) if 0 <= tick <= top])
        name_axes(ax, self.plane.labels)
        ax.set_zlabel("density", labelpad=10.0)
        ax.view_init(elev=32.0, azim=-60.0)
        ax.set_box_aspect(None, zoom=0.88)  # or the label of the heights is cut off
        return [self.plane.note]
