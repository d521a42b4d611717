"""Regions: which class a model chooses where, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.plots.borders import Border, borders, frame
from suffice.plots.display import Display, canvas, colour_bar, legend
from suffice.plots.plane import Plane
from suffice.plots.points import Points
from suffice.plots.style import DEEPEST, Style, as_text, depth, ground, ink, mixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Cells of the posterior along each feature.
RESOLUTION = 240


@dataclass(eq=False)
class RegionsDisplay(Display):
    """Decision regions in two features: the more certain the class, the deeper its colour.

    plane : the two features, and where the others are held
    posterior : (n, n, k) probabilities on a grid, by lines from below
    borders : the lines between regions, see `Border`
    points : rows drawn on them, or None

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X[:, 2:], y)
    >>> shown = RegionsDisplay.from_estimator(model, X[:, 2:], y, ax=Figure().subplots())
    >>> [(int(a), int(b)) for a, b in (border.classes for border in shown.borders)]
    [(0, 1), (1, 2)]
    """

    plane: Plane
    posterior: Floats
    borders: list[Border]
    points: Points | None = None

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
        """The regions of a fitted classifier, of this package or another; options as for `plot`.

        X, y : rows to draw; Gaussian models need none
        features : the two to draw, by name or position; None where there are but two
        at : where the others are held: None, at their means; a mapping by feature, the rest at
            their means; a row (d,); or "unknown", which the model integrates out
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
        at: Any = None,
        box: Any = None,
        resolution: int = RESOLUTION,
    ) -> Self:
        """The same, not drawn yet."""
        plane = Plane.of(model, X, features, at, box)
        points = plane.grid(resolution)[2]
        posterior = np.asarray(plane.ask("predict_proba", points))
        lines = borders(plane, plane.scores(points), resolution)
        shape = (resolution, resolution, posterior.shape[1])
        return cls(plane, posterior.reshape(shape), lines, plane.points(X, y))

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_legend: bool = True,
        colorbar: bool = True,
        **scatter: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter."""
        ax = canvas(ax, (7.0, 5.4) if colorbar else (7.0, 4.8))
        self._paint(ax)
        for border in self.borders:
            border.draw(ax, color=ink(ax), linewidth=1.6, zorder=2)
        if self.points is not None:
            # Points have the colour of their region: an edge tells them apart.
            self.points.draw(ax, **{"edgecolors": [ink(ax)], **scatter})
        self._name_regions(ax)
        frame(ax, self.plane.box)
        ax.set_xlabel(as_text(self.plane.labels[0]))
        ax.set_ylabel(as_text(self.plane.labels[1]))
        if show_legend:
            legend(ax)
        if colorbar and self.posterior.shape[2] > 1:
            certainty_bar(ax, self.posterior.shape[2])
        notes = [] if self.points is None else self.points.notes
        self._drawn(ax, title, [self.plane.told, *notes])
        return self

    def _paint(self, ax: Axes) -> None:
        n, (x, y) = len(self.posterior), self.plane.box
        # The grid reaches the edges, so that cells stand half over them.
        wide, high = ((limits[1] - limits[0]) / (n - 1) / 2 for limits in (x, y))
        extent = (x[0] - wide, x[1] + wide, y[0] - high, y[1] + high)
        image = colours(self.posterior, ground(ax))
        ax.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="bilinear")

    def _name_regions(self, ax: Axes) -> None:
        """A patch in the legend for classes that no row of is drawn."""
        drawn = set() if self.points is None else set(self.points.codes.tolist())
        for c in np.unique(self.posterior.argmax(axis=2)).tolist():
            if c not in drawn:
                colour = mixed(ground(ax), Style.of(c).colour, DEEPEST)
                label = as_text(self.plane.classes[c])
                ax.scatter([], [], marker="s", s=60, color=[colour], label=label)


def colours(posterior: Floats, paper: Any) -> Array:
    """The colour of the most probable class, the deeper the more probable, (n, n, 3)."""
    k = posterior.shape[-1]
    best, p = posterior.argmax(axis=-1), posterior.max(axis=-1)
    share = DEEPEST * (np.clip((p * k - 1) / (k - 1), 0, 1) if k > 1 else np.ones_like(p))
    own = np.array([Style.of(c).colour for c in range(k)])[best]
    return np.asarray(share[..., None] * own + (1 - share[..., None]) * np.array(paper))


def certainty_bar(ax: Axes, k: int) -> None:
    """What the depth of a colour means, in grey."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    grey = depth(ax, mixed(ground(ax), ink(ax), DEEPEST))
    ticks = {p: f"{p:.2g}" for p in (1 / k, (1 + 1 / k) / 2, 1.0)}
    shades = ScalarMappable(Normalize(1 / k, 1), grey)
    colour_bar(ax, shades, "probability of the most probable class", ticks)
