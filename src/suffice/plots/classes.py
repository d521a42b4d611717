"""Classes: rows by class, and the ellipses where a model says that they lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.answers.geometry import Ellipse
from suffice.data.arrays import Array
from suffice.errors import InvalidParameter
from suffice.plots.borders import frame
from suffice.plots.columns import numbers, two_features, width
from suffice.plots.display import Display, canvas, legend
from suffice.plots.plane import Box, Plane, around, radii
from suffice.plots.points import Points
from suffice.plots.style import LINES, Style, as_text, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEVIATIONS = (1.0, 2.0)


@dataclass(eq=False)
class ClassesDisplay(Display):
    """Rows by class in two features, and class ellipses.

    points : the rows; None where only ellipses are drawn
    classes : (k,)
    ellipses : for each class those at each of `deviations`
    deviations : standard deviations, as Mahalanobis distances in the two features
    labels : names of the two features
    box : what the axes show

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X, y)
    >>> shown = ClassesDisplay.from_estimator(model, X, y, features=(0, 2), ax=Figure().subplots())
    >>> len(shown.ax_.collections), len(shown.ellipses[0])
    (3, 2)
    """

    points: Points | None
    classes: Array
    labels: tuple[str, str]
    box: Box
    ellipses: Mapping[Any, Sequence[Ellipse]] = field(default_factory=dict)
    deviations: tuple[float, ...] = ()

    @classmethod
    def from_data(
        cls, X: Any, y: Any = None, *, features: Any = None, ax: Any = None, **options: Any
    ) -> Self:
        """Rows by class, without a model; options as for `plot`.

        features : the two to draw, by name or position; None where there are but two
        """
        names = width(X)[1]
        pair = two_features(names, features)
        points = Points.of(numbers(X, pair), y)
        labels = names[pair[0]], names[pair[1]]
        return cls(points, points.classes, labels, around(points.rows)).plot(ax, **options)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        features: Any = None,
        deviations: Sequence[float] = DEVIATIONS,
        box: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Rows by class and the ellipses of a fitted model; options as for `plot`.

        X, y : rows to draw; without them only the ellipses are, and without labels rows in grey
        features : the two to draw, by name or position; None where there are but two
        deviations : distances of the ellipses from the class means
        box : ((xmin, xmax), (ymin, ymax)) to show
        """
        made = cls.of(model, X, y, features=features, deviations=deviations, box=box)
        return made.plot(ax, **options)

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        features: Any = None,
        deviations: Sequence[float] = DEVIATIONS,
        box: Any = None,
    ) -> Self:
        """The same, not drawn yet."""
        plane = Plane.of(model, X, features, box=box, at="unknown")
        sizes = radii(deviations)
        if sizes and not hasattr(model, "ellipse"):
            raise InvalidParameter(
                f"a {type(model).__name__} has no ellipses; draw the rows alone with "
                "deviations=(), or the density with DensityDisplay."
            )
        ellipses = {
            label: [model.ellipse(label, plane.features, deviations=r) for r in sizes]
            for label in (plane.classes.tolist() if sizes else ())
        }
        points = plane.points(X, y)
        view = plane.box if box is not None else _wide_enough(plane.box, ellipses)
        return cls(points, plane.classes, plane.labels, view, ellipses, sizes)

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
        for c, label in enumerate(self.classes.tolist()):
            self._draw_class(ax, c, self.ellipses.get(label, ()))
        for i, size in enumerate(self.deviations):
            ax.plot([], [], color=ink(ax), linestyle=LINES[i % len(LINES)], label=_sd(size))
        frame(ax, self.box)
        ax.set_xlabel(as_text(self.labels[0]))
        ax.set_ylabel(as_text(self.labels[1]))
        if show_legend:
            legend(ax)
        self._drawn(ax, title, [] if self.points is None else self.points.notes)
        return self

    def _draw_class(self, ax: Axes, c: int, ellipses: Sequence[Ellipse]) -> None:
        style = Style.of(c)
        for i, ellipse in enumerate(ellipses):
            line = {"color": style.colour, "linestyle": LINES[i % len(LINES)], "linewidth": 1.8}
            ax.plot(*ellipse.points().T, zorder=4, **line)
        if ellipses:
            named = self.points is None or not (self.points.codes == c).any()
            ax.plot(
                *ellipses[0].centre[:, None],
                marker=style.marker,
                color=style.colour,
                markeredgecolor=ink(ax),
                markeredgewidth=1.2,
                markersize=9,
                linestyle="none",
                zorder=5,
                label=as_text(self.classes[c]) if named else None,
            )


def _sd(size: float) -> str:
    return f"{size:g} std. dev."


def _wide_enough(box: Box, ellipses: Mapping[Any, Sequence[Ellipse]]) -> Box:
    """The box, and what of the ellipses lies beyond it."""
    curves = [one.points() for several in ellipses.values() for one in several]
    if not curves:
        return box
    return around(np.concatenate([np.array(box).T, *(_corners(curve) for curve in curves)]), 0.0)


def _corners(curve: Any) -> Any:
    """The corners of the box that holds a curve, with some room."""
    return np.array(around(curve, 0.03)).T
