"""Whitened: rows, classes and boundaries in the space where distances are Euclidean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter
from suffice.plots.borders import Border, borders
from suffice.plots.classes import DEVIATIONS
from suffice.plots.display import Display, canvas, legend
from suffice.plots.plane import Plane, around, radii
from suffice.plots.points import Points
from suffice.plots.style import LINES, Style, as_text, ink

# Boundaries are followed this many times as far as the rows reach.
BEYOND = 3.0

# Cells along each feature, to find out which classes meet.
RESOLUTION = 120


@dataclass(eq=False)
class WhitenedDisplay(Display):
    """A model of two features after whitening: the shared covariance is the identity.

    There an LDA chooses the nearest class mean, but for the priors, and its boundaries stand at
    right angles to the lines between means.

    points : whitened rows, or None
    means : (k, 2) whitened class means
    curves : for each class its ellipses at `deviations`, whitened: circles where it is shared
    borders : whitened boundaries
    label : the class whose covariance whitens; None where it is shared

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X[:, 2:], y)
    >>> shown = WhitenedDisplay.from_estimator(model, X[:, 2:], y, ax=Figure().subplots())
    >>> np.linalg.norm(shown.curves[0][1] - shown.means[0], axis=1).round(9)[:2]
    array([2., 2.])
    """

    points: Points | None
    classes: Array
    means: Floats
    curves: list[list[Floats]]
    borders: list[Border]
    names: tuple[str, str]
    label: Any = None
    deviations: tuple[float, ...] = DEVIATIONS

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        label: Any = None,
        deviations: Any = DEVIATIONS,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """A fitted Gaussian model of two features; options as for `plot`.

        X, y : rows to draw
        label : the class to whiten by, where each has a covariance of its own
        deviations : distances of the circles from the class means
        """
        if getattr(model, "n_features_in_", 2) != 2:
            raise InvalidParameter(
                f"the model has {model.n_features_in_} features, and a plane shows two: fit it "
                "to two, or see all along the discriminant axes of an LDA: ProjectionDisplay."
            )
        plane, sizes = Plane.of(model, X), radii(deviations)

        def white(points: Floats) -> Floats:
            return np.asarray(plane.ask("whiten", points, label))

        curves = [
            [white(model.ellipse(c, deviations=r).points()) for r in sizes]
            for c in plane.classes.tolist()
        ]
        points = plane.points(X, y)
        if points is not None:
            points = Points(
                white(points.rows),
                points.codes,
                points.classes,
                points.left_out,
                points.thinned_from,
            )
        lines = [
            Border(one.classes, tuple(white(line) for line in one.lines), one.exact)
            for one in _far_borders(plane)
        ]
        means = white(np.asarray(model.means_))
        made = cls(points, plane.classes, means, curves, lines, plane.labels, label, sizes)
        return made.plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_legend: bool = True,
        **scatter: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter."""
        ax = canvas(ax)
        if self.points is not None:
            self.points.draw(ax, **scatter)
        draw_classes(ax, self.classes, self.means, self.curves, self.points)
        for i, size in enumerate(self.deviations):
            line = LINES[i % len(LINES)]
            ax.plot([], [], color=ink(ax), linestyle=line, label=f"{size:g} std. dev.")
        ax.set_aspect("equal", adjustable="datalim")
        ax.autoscale_view()
        for border in self.borders:
            border.draw(ax, color=ink(ax), linewidth=1.6, zorder=2)
            self._join(ax, border)
        ax.set_xlabel(f"{as_text(self.names[0])}, whitened")
        ax.set_ylabel(f"{as_text(self.names[1])}, whitened")
        if show_legend:
            legend(ax)
        told = "" if self.label is None else f"whitened by class {self.label}"
        self._drawn(ax, title, [told, *([] if self.points is None else self.points.notes)])
        return self

    def _join(self, ax: Any, border: Border) -> None:
        """A line between the means of two classes that meet."""
        points = np.concatenate([np.linspace(line[0], line[-1], 200) for line in border.lines])
        inside = (points > self.means.min(axis=0)) & (points < self.means.max(axis=0))
        if not inside.all(axis=1).any():  # they meet far away
            return
        known = self.classes.tolist()
        pair = self.means[[known.index(c) for c in border.classes]]
        ax.plot(*pair.T, color=ink(ax), linewidth=1.4, linestyle=":", zorder=4)


def draw_classes(
    ax: Any, classes: Array, means: Floats, curves: list[list[Floats]], points: Points | None
) -> None:
    """Means and curves of classes, in their colours."""
    for c, (mean, several) in enumerate(zip(means, curves, strict=True)):
        style = Style.of(c)
        for i, curve in enumerate(several):
            line = LINES[i % len(LINES)]
            ax.plot(*curve.T, color=style.colour, linestyle=line, linewidth=1.8, zorder=4)
        named = points is None or not (points.codes == c).any()
        ax.plot(
            *mean[:, None],
            marker=style.marker,
            color=style.colour,
            markeredgecolor=ink(ax),
            markeredgewidth=1.2,
            markersize=9,
            linestyle="none",
            zorder=5,
            label=as_text(classes[c]) if named else None,
        )


def _far_borders(plane: Plane) -> list[Border]:
    """Boundaries in a box so large that they leave the picture."""
    corners = np.array(plane.box).T
    far = Plane(
        plane.model,
        plane.features,
        plane.names,
        plane.held,
        around(corners, BEYOND),
        "",
        plane.frame,
    )
    return borders(far, far.scores(far.grid(RESOLUTION)[2]), RESOLUTION)
