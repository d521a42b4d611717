"""Classes: rows by class, and the ellipses where a model expects them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.answers.geometry import Ellipse
from suffice.data.arrays import Array, Floats
from suffice.data.batches import split_named
from suffice.data.parameters import positive
from suffice.errors import InvalidParameter
from suffice.plots.box import Box, around, checked_box, ellipse_features
from suffice.plots.columns import numbers, two_features, width
from suffice.plots.constructors import drawn, on_plane
from suffice.plots.decoration import name_class
from suffice.plots.display import Display, name_axes
from suffice.plots.points import PlottedRows, draw_rows
from suffice.plots.style import COLOURS, Style, as_text, halo, ink, line_style
from suffice.plots.view import View
from suffice.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEVIATIONS = (1.0, 2.0)


@dataclass(eq=False, repr=False)
class ClassesDisplay(Display):
    """Rows by class in two features, and class ellipses.

    points : the rows; None where only ellipses are drawn
    classes : (k,)
    labels : names of the two features
    box : what the axes show
    ellipses : for each class one for each of `deviations`
    deviations : standard deviations, as Mahalanobis distances in the two features

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X, y)
    >>> shown = ClassesDisplay.from_estimator(model, X, y, features=(0, 2), ax=Figure().subplots())
    >>> len(shown.ax_.collections), len(shown.ellipses[0])
    (3, 2)
    """

    points: PlottedRows | None
    classes: Array
    labels: tuple[str, ...]
    box: Box
    ellipses: Mapping[Any, Sequence[Ellipse]] = field(default_factory=dict)
    deviations: tuple[float, ...] = ()

    @classmethod
    @drawn
    def from_data(cls, X: Any, y: Any = None, *, features: Any = None, box: Any = None) -> Self:
        """Rows by class, without a model; options as for `plot`.

        features : the two to draw, by name or position; None if there are only two
        box : ((xmin, xmax), (ymin, ymax)) to show; None for all rows
        """
        X, y = split_named(X, y)
        names = width(X)[1]
        pair = two_features(names, features, X)
        points = PlottedRows.of(numbers(X, pair), y)
        labels = names[pair[0]], names[pair[1]]
        limits = around(points.rows) if box is None else checked_box(box)
        return cls(points, points.classes, labels, limits)

    @classmethod
    @on_plane("features", "deviations", "box", at="unknown")
    def from_estimator(cls, view: View, *, deviations: Sequence[float] = DEVIATIONS) -> Self:
        """Rows by class and the ellipses of a fitted model; options as for `plot`.

        X, y : rows to draw, those without a label in grey; without X only the ellipses are drawn
        features, box : as for `RegionsDisplay`
        deviations : distances of the ellipses from the class means
        """
        sizes = radii(deviations)
        ellipses = class_ellipses(view, sizes)
        box = around_ellipses(view, ellipses).box
        return cls(view.points, view.classes, view.labels, box, ellipses, sizes)

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        notes = draw_rows(self.points, ax, **options)
        draw_ellipses(ax, self.classes, self.ellipses, self.points, self.deviations)
        name_axes(ax, self.labels, self.box)
        return notes


def draw_classes(
    ax: Axes,
    classes: Array,
    means: Mapping[int, Floats],
    curves: Mapping[int, Sequence[Floats]],
    points: PlottedRows | None,
    deviations: Sequence[float],
) -> None:
    """Means and curves of classes in their colours, by position, and the legend of the curves."""
    for c, mean in means.items():
        style = Style.of(c)
        for i, curve in enumerate(curves[c]):
            line = line_style(i)
            look: Any = {"color": style.colour, "linestyle": line, "linewidth": 1.8}
            # Among many rows of the same colour a line alone would be lost.
            ax.plot(*curve.T, **look, path_effects=halo(ax, 3.2), zorder=4)
        in_legend = points is not None and (points.codes == c).any()
        ax.plot(
            *mean[:, None],
            marker=style.marker,
            color=style.colour,
            markeredgecolor=ink(ax),
            markeredgewidth=1.2,
            markersize=9,
            linestyle="none",
            zorder=5,
            label=None if in_legend else as_text(classes[c]),
        )
        if len(means) > len(COLOURS):
            name_class(ax, mean, classes[c], offset=6.0)
    for i, size in enumerate(deviations):
        ax.plot([], [], color=ink(ax), linestyle=line_style(i), label=f"{size:g} std. dev.")


def draw_ellipses(
    ax: Axes,
    classes: Array,
    ellipses: Mapping[Any, Sequence[Ellipse]],
    points: PlottedRows | None,
    deviations: Sequence[float],
) -> None:
    """Means and ellipses of those classes that have any, and their legend."""
    drawn = [(c, ellipses.get(label)) for c, label in enumerate(classes.tolist())]
    means = {c: several[0].centre for c, several in drawn if several}
    curves = {c: [one.points() for one in several] for c, several in drawn if several}
    draw_classes(ax, classes, means, curves, points, deviations if means else ())


def class_ellipses(view: View, sizes: Sequence[float]) -> dict[Any, list[Ellipse]]:
    """The ellipses of each class at distances from its mean."""
    if not sizes:
        return {}
    if not hasattr(view.model, "ellipse"):
        raise InvalidParameter(
            f"a {type(view.model).__name__} has no ellipses; draw the rows alone with "
            "deviations=(), or the density with DensityDisplay."
        )
    pair = ellipse_features(view.model, view.features)
    return {
        label: [view.model.ellipse(label, pair, deviations=r) for r in sizes]
        for label in view.classes.tolist()
    }


def radii(deviations: Any) -> tuple[float, ...]:
    """The distances of ellipses that a user gives, checked."""
    if isinstance(deviations, str | bytes) or not isinstance(deviations, Sequence | np.ndarray):
        raise InvalidParameter(
            f"deviations is {shown(deviations)}; it must be a list of distances, such as [1, 2]."
        )
    return tuple(positive("each of deviations", one) for one in list(deviations))


def around_ellipses(
    view: View, ellipses: Mapping[Any, Sequence[Ellipse]], margin: float = 0.03
) -> View:
    """The view, extended to hold the ellipses with a margin, unless a user gave its box.

    margin : on each side, as a share of the range of an ellipse
    """
    corners = [
        np.array(around(one.points(), margin)).T for several in ellipses.values() for one in several
    ]
    if view.box_given or not corners:
        return view
    return replace(view, box=around(np.concatenate([np.array(view.box).T, *corners]), 0.0))
