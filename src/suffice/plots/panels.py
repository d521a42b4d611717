"""Panels: rows and ellipses, density, and decision regions side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.plots.classes import DEVIATIONS, ClassesDisplay
from suffice.plots.density import DensityDisplay
from suffice.plots.display import Display, canvases, legend_below
from suffice.plots.regions import RESOLUTION, RegionsDisplay


@dataclass(eq=False)
class PanelsDisplay(Display):
    """What a generative classifier does: where classes lie, how dense they are, who wins where.

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
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        features: Any = None,
        at: Any = None,
        box: Any = None,
        resolution: int = RESOLUTION,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """The three pictures of a fitted model; parameters as for `RegionsDisplay`.

        ax : three axes, or None for a new figure; options as for `plot`
        """
        sizes = DEVIATIONS if hasattr(model, "ellipse") else ()
        classes = ClassesDisplay.of(model, X, y, features=features, box=box, deviations=sizes)
        same = {"features": features, "box": classes.box, "resolution": resolution}
        density = DensityDisplay.of(model, X, y, **same)
        regions = RegionsDisplay.of(model, X, y, at=at, **same)
        return cls(classes, density, regions).plot(ax, **options)

    def plot(self, ax: Any = None, *, show_legend: bool = True, **scatter: Any) -> Self:
        """Draw on three axes, or on a new figure; more options go to matplotlib's scatter."""
        axes = canvases(ax, (1, 3), (13.0, 5.0))
        plain = {"show_legend": False, **scatter}
        self.classes.plot(axes[0], title="classes", **plain)
        self.density.plot(axes[1], title="density", colorbar=False, **plain)
        self.regions.plot(axes[2], title="regions", colorbar=False, **plain)
        self.axes_, self.ax_ = axes, axes[0]
        self.figure_ = axes[0].get_figure(root=True)
        shown = (self.classes, self.density, self.regions)
        self.caption_ = "; ".join(dict.fromkeys(one.caption_ for one in shown if one.caption_))
        if show_legend:
            legend_below(self.figure_, axes[0])
        return self
