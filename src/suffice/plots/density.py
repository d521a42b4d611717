"""Density: how probable rows are under a model, wherever they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.plots.borders import frame
from suffice.plots.display import Display, canvas, colour_bar, legend
from suffice.plots.plane import Plane
from suffice.plots.points import Points
from suffice.plots.regions import RESOLUTION
from suffice.plots.style import COLOURS, as_text, depth, ink, mixed

# Contour lines: at a half of the highest density, a half of that, and so on.
HALVINGS = 10


@dataclass(eq=False)
class DensityDisplay(Display):
    """Contours of the density p(x) in two features; from one line to the next it halves.

    plane : the two features, and where the others are held
    log_density : (n, n) ln p(x) on a grid, by lines from below
    points : rows drawn on it, or None

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X, y)
    >>> shown = DensityDisplay.from_estimator(model, X, features=(2, 3), ax=Figure().subplots())
    >>> shown.log_density.shape, shown.caption_
    ((240, 240), 'other features not known')
    """

    plane: Plane
    log_density: Floats
    points: Points | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        features: Any = None,
        at: Any = "unknown",
        box: Any = None,
        resolution: int = RESOLUTION,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """The density of a fitted model with `score_samples`; options as for `plot`.

        X, y : rows that the picture is to hold, and their labels; Gaussian models need none
        features : the two to draw, by name or position; None where there are but two
        at : where the others are held: "unknown", the density of the two alone; a mapping by
            feature, the rest at their means; a row (d,); None, at their means
        box : ((xmin, xmax), (ymin, ymax)) to show
        resolution : cells along each feature
        """
        made = cls.of(model, X, y, features=features, at=at, box=box, resolution=resolution)
        return made.plot(ax, **options)

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        features: Any = None,
        at: Any = "unknown",
        box: Any = None,
        resolution: int = RESOLUTION,
    ) -> Self:
        """The same, not drawn yet."""
        plane = Plane.of(model, X, features, at, box)
        values = np.asarray(plane.ask("score_samples", plane.grid(resolution)[2]))
        if not np.isfinite(values).any():
            raise InvalidParameter("the density is zero in all of the box; choose another.")
        return cls(plane, values.reshape(resolution, resolution), plane.points(X, y))

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_points: bool = False,
        show_legend: bool = True,
        colorbar: bool = True,
        **scatter: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter."""
        ax = canvas(ax)
        drawn = self.points if show_points else None
        n = len(self.log_density)
        x, y, _ = self.plane.grid(n)
        levels = np.arange(-HALVINGS, 1.0)
        halvings = (self.log_density - self.log_density.max()) / np.log(2)
        shades = depth(ax, COLOURS[0])
        filled = ax.contourf(x, y, halvings, levels, cmap=shades)
        lines = mixed(ink(ax), COLOURS[0], 0.6)
        ax.contour(x, y, halvings, levels[:-1], colors=[lines], linewidths=0.6, linestyles="solid")
        if drawn is not None:
            drawn.draw(ax, **{"edgecolors": [ink(ax)], **scatter})
        frame(ax, self.plane.box)
        ax.set_xlabel(as_text(self.plane.labels[0]))
        ax.set_ylabel(as_text(self.plane.labels[1]))
        if show_legend:
            legend(ax)
        if colorbar:
            ticks = {-float(j): f"1/{2**j}" if j else "1" for j in (9, 6, 3, 0)}
            colour_bar(ax, filled, "density, as a share of the highest", ticks)
        self._drawn(ax, title, [self.plane.told, *([] if drawn is None else drawn.notes)])
        return self
