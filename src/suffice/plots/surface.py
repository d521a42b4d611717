"""Surface: the density of a model as a hill over two features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.plots.density import DensityDisplay
from suffice.plots.display import Display, pyplot
from suffice.plots.plane import Plane
from suffice.plots.style import COLOURS, as_text, depth, ground, ink, mixed

# Cells along each feature: more take long to draw and show no more.
RESOLUTION = 80

# Heights of the lines on the floor, as shares of the highest density.
SHARES = np.array([0.01, 0.1, 0.25, 0.5, 0.75])

# Lower than this share of the highest density it is left out, for the floor to be seen.
LEAST = 0.005

# From where it is seen: degrees above the floor, and around it.
VIEW = (32.0, -60.0)


@dataclass(eq=False)
class SurfaceDisplay(Display):
    """The density p(x) as a height over two features, with its contours on the floor.

    plane : the two features, and where the others are held
    density : (n, n) p(x) on a grid, by lines from below

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import QDA
    >>> X, y = load_iris(return_X_y=True)
    >>> axes = Figure().add_subplot(projection="3d")
    >>> shown = SurfaceDisplay.from_estimator(QDA().fit(X[:, :2], y), X[:, :2], ax=axes)
    >>> shown.density.shape, shown.ax_.get_zlabel()
    ((80, 80), 'density')
    """

    plane: Plane
    density: Floats

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        *,
        features: Any = None,
        at: Any = "unknown",
        box: Any = None,
        resolution: int = RESOLUTION,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """The density of a fitted model with `score_samples`; options as for `plot`.

        X, features, at, box, resolution : as for `DensityDisplay`
        ax : axes with projection="3d", or None for a new figure
        """
        same = {"features": features, "at": at, "box": box, "resolution": resolution}
        found = DensityDisplay.of(model, X, **same)
        return cls(found.plane, np.exp(found.log_density)).plot(ax, **options)

    def plot(self, ax: Any = None, *, title: str | None = None, **surface: Any) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's plot_surface."""
        from matplotlib.ticker import MaxNLocator

        ax = _canvas(ax)
        x, y, _ = self.plane.grid(len(self.density))
        across, along = np.meshgrid(x, y)
        top = float(self.density.max())
        floor = -0.5 * top
        hill = np.where(self.density < LEAST * top, np.nan, self.density)
        look = {"cmap": depth(ax, COLOURS[0]), "rcount": 60, "ccount": 60, "linewidth": 0.15}
        edges = {"edgecolor": mixed(COLOURS[0], ink(ax), 0.5), "antialiased": True}
        ax.plot_surface(across, along, hill, **{**look, **edges, **surface})
        lines = {"zdir": "z", "offset": floor, "colors": [COLOURS[0]], "linewidths": 1.0}
        ax.contour(across, along, self.density, SHARES * top, **lines)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color(mixed(ground(ax), ink(ax), 0.05))
        ax.set_zlim(floor, top)
        ax.set_zticks([tick for tick in MaxNLocator(4).tick_values(0, top) if 0 <= tick <= top])
        ax.set_xlabel(as_text(self.plane.labels[0]))
        ax.set_ylabel(as_text(self.plane.labels[1]))
        ax.set_zlabel("density", labelpad=10.0)
        ax.view_init(*VIEW)
        ax.set_box_aspect(None, zoom=0.88)  # else the label of the heights is cut off
        self._drawn(ax, title, [self.plane.told])
        return self


def _canvas(ax: Any) -> Any:
    """Axes in three dimensions: those given, or those of a new figure."""
    if ax is None:
        figure = pyplot().figure(figsize=(7.0, 5.4), layout="constrained")
        return figure.add_subplot(projection="3d")
    if not hasattr(ax, "plot_surface"):
        raise InvalidParameter(
            "a surface takes axes of three dimensions: figure.add_subplot(projection='3d')."
        )
    return ax
