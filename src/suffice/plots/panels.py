"""Panels: rows and ellipses, density, and decision regions side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.plots.borders import borders
from suffice.plots.classes import DEVIATIONS, ClassesDisplay, around_ellipses, class_ellipses
from suffice.plots.constructors import on_plane
from suffice.plots.density import DensityDisplay, log_density
from suffice.plots.display import SeveralDisplays, canvases
from suffice.plots.regions import RegionsDisplay, posterior
from suffice.plots.view import View


@dataclass(eq=False, repr=False)
class PanelsDisplay(SeveralDisplays):
    """Where classes lie, how dense they are, and which one is the most probable.

    classes, density, regions : the three displays; axes_ : their axes

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import QDA
    >>> X, y = load_iris(return_X_y=True)
    >>> X = X[:, 2:]
    >>> shown = PanelsDisplay.from_estimator(QDA().fit(X, y), X, y, ax=Figure().subplots(1, 3))
    >>> [ax.get_title(loc="left") for ax in shown.axes_]
    ['classes', 'density', 'regions']
    """

    classes: ClassesDisplay
    density: DensityDisplay
    regions: RegionsDisplay
    axes_: Array | None = None

    @classmethod
    @on_plane("features", "at", "box", "resolution")
    def from_estimator(cls, view: View) -> Self:
        """The three pictures of a fitted model; parameters as for `RegionsDisplay`.

        ax : three axes, or None for a new figure; options as for `plot`
        """
        sizes = DEVIATIONS if hasattr(view.model, "ellipse") else ()
        ellipses = class_ellipses(view, sizes)
        view = around_ellipses(view, ellipses)
        alone = view.alone()
        return cls(
            ClassesDisplay(view.points, view.classes, view.labels, view.box, ellipses, sizes),
            DensityDisplay(alone, log_density(alone), view.points),
            RegionsDisplay(view, posterior(view), borders(view), view.points),
        )

    def plot(self, ax: Any = None, *, show_legend: bool = True, **scatter: Any) -> Self:
        """Draw on three axes, or on a new figure; more options go to matplotlib's scatter."""
        axes = canvases(ax, (1, 3), (13.0, 5.0), 3)
        plain = {"show_legend": False, **scatter}
        self.classes.plot(axes[0], title="classes", **plain)
        self.density.plot(axes[1], title="density", colorbar=False, show_points=False, **plain)
        self.regions.plot(axes[2], title="regions", colorbar=False, **plain)
        return self._finish_all(axes, (self.classes, self.density, self.regions), show_legend)
