"""Regions: which class a model chooses where, and how certain it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.answers.geometry import Ellipse
from suffice.data.arrays import Array, Floats
from suffice.data.parameters import flag
from suffice.plots.borders import Border, borders
from suffice.plots.classes import DEVIATIONS, around_ellipses, class_ellipses, draw_ellipses
from suffice.plots.constructors import on_plane
from suffice.plots.decoration import colour_bar, name_class
from suffice.plots.display import SIZE, Display, canvas, name_axes
from suffice.plots.points import PlottedRows, draw_rows
from suffice.plots.style import DEEPEST, Style, as_text, depth, ground, ink, mixed
from suffice.plots.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class RegionsDisplay(Display):
    """Decision regions in two features: the more certain the class, the deeper its colour.

    plane : the two features, and the values of the others
    posterior : (n, n, k) probabilities on a grid, row by row from below
    borders : the lines between regions, see `Border`
    points : rows drawn on them, or None
    ellipses : those of each class, if they are drawn

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X[:, 2:], y)
    >>> shown = RegionsDisplay.from_estimator(model, X[:, 2:], y, ax=Figure().subplots())
    >>> [(int(a), int(b)) for a, b in (border.classes for border in shown.borders)]
    [(0, 1), (1, 2)]
    """

    plane: View
    posterior: Floats
    borders: list[Border]
    points: PlottedRows | None = None
    ellipses: Mapping[Any, Sequence[Ellipse]] = field(default_factory=dict)

    @classmethod
    @on_plane("features", "at", "box", "ellipses", "resolution")
    def from_estimator(cls, view: View, *, ellipses: bool = False) -> Self:
        """The regions of a fitted classifier, of this package or another; options as for `plot`.

        X, y : rows to draw; Gaussian models need none
        features : the two to draw, by name or position; None if there are only two
        at : values of the others: None for their means; a mapping by feature, the rest at their
            means; a row (d,); or "unknown", which the model integrates out
        box : ((xmin, xmax), (ymin, ymax)) to show
        ellipses : whether to draw the means of the classes, and ellipses at one and two standard
            deviations
        resolution : grid points along each feature
        """
        around = class_ellipses(view, DEVIATIONS) if flag("ellipses", ellipses) else {}
        view = around_ellipses(view, around)
        return cls(view, posterior(view), borders(view), view.points, around)

    def _canvas(self, ax: Any, *, colorbar: bool = True, **options: Any) -> Axes:
        return canvas(ax, (7.0, 5.4) if colorbar else SIZE)

    def _draw(self, ax: Axes, *, colorbar: bool = True, **scatter: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter."""
        self._paint(ax)
        for border in self.borders:
            border.draw(ax, color=ink(ax), linewidth=1.6, zorder=2)
        # Points have the colour of their region; an edge makes them visible.
        notes = draw_rows(self.points, ax, **{"edgecolors": [ink(ax)], **scatter})
        draw_ellipses(ax, self.plane.classes, self.ellipses, self.points, DEVIATIONS)
        self._name_regions(ax)
        name_axes(ax, self.plane.labels, self.plane.box)
        if colorbar and self.posterior.shape[2] > 1:
            certainty_bar(ax, self.posterior.shape[2])
        return [self.plane.note, *notes]

    def _paint(self, ax: Axes) -> None:
        n, (x, y) = len(self.posterior), self.plane.box
        # The outermost points of the grid lie on the edges: their cells extend beyond.
        wide, high = ((limits[1] - limits[0]) / (n - 1) / 2 for limits in (x, y))
        extent = (x[0] - wide, x[1] + wide, y[0] - high, y[1] + high)
        image = colours(self.posterior, ground(ax))
        ax.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="bilinear")

    def _name_regions(self, ax: Axes) -> None:
        """The classes within their regions, or in the legend if no row of them is drawn there.

        Beyond a few classes tints look alike, so that regions need names.
        """
        drawn = set() if self.points is None else set(self.points.codes.tolist())
        drawn |= set(range(len(self.plane.classes))) if self.ellipses else set()
        winner = self.posterior.argmax(axis=2)
        present = np.unique(winner).tolist()
        distinct_tints = 4  # regions whose colours differ clearly, though they are mixed with white
        for c in present:
            place = innermost(winner == c) if len(present) > distinct_tints else None
            if place is not None:
                x, y = (values[i] for values, i in zip(self.plane.axes, place, strict=True))
                name_class(ax, (x, y), self.plane.classes[c])
            if c not in drawn:
                colour = mixed(ground(ax), Style.of(c).colour, DEEPEST)
                label = as_text(self.plane.classes[c])
                ax.scatter([], [], marker="s", s=60, color=[colour], label=label)


def innermost(region: Array) -> tuple[int, int] | None:
    """The position, across and up, furthest inside a region of the grid; None in a tiny one.

    >>> region = np.zeros((9, 30), bool)
    >>> region[3:6, 3:26] = True
    >>> innermost(region)[1], innermost(region[:, :4])
    (4, None)
    """
    from scipy.ndimage import distance_transform_edt

    depths = distance_transform_edt(np.pad(region, 1))[1:-1, 1:-1]
    up, across = np.unravel_index(int(depths.argmax()), depths.shape)
    named_depth = 0.02  # of the grid: a region whose inner circle has a smaller radius gets no name
    fewest = max(1.0, named_depth * max(region.shape))
    return (int(across), int(up)) if depths[up, across] > fewest else None


def posterior(view: View) -> Floats:
    """Probabilities of the classes on the grid of a view, (n, n, k)."""
    n, probabilities = view.resolution, np.asarray(view.ask("predict_proba", view.grid))
    return probabilities.reshape(n, n, probabilities.shape[1])


def colours(posterior: Floats, paper: Any) -> Array:
    """The colour of the most probable class, the deeper the more probable, (n, n, 3)."""
    k = posterior.shape[-1]
    best, p = posterior.argmax(axis=-1), posterior.max(axis=-1)
    share = DEEPEST * (np.clip((p * k - 1) / (k - 1), 0, 1) if k > 1 else np.ones_like(p))
    own = np.array([Style.of(c).colour for c in range(k)])[best]
    return np.asarray(share[..., None] * own + (1 - share[..., None]) * np.array(paper))


def certainty_bar(ax: Axes, k: int) -> None:
    """The meaning of the depth of a colour, in grey."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    grey = depth(ax, mixed(ground(ax), ink(ax), DEEPEST))
    ticks = {p: f"{p:.2g}" for p in (1 / k, (1 + 1 / k) / 2, 1.0)}
    shades = ScalarMappable(Normalize(1 / k, 1), grey)
    colour_bar(ax, shades, "probability of the most probable class", ticks)
