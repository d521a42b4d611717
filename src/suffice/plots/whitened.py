"""Whitened: rows, classes and boundaries in the space where distances are Euclidean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter
from suffice.plots.borders import Border, borders
from suffice.plots.box import around
from suffice.plots.classes import DEVIATIONS, draw_classes, radii
from suffice.plots.constructors import drawn
from suffice.plots.display import Display, name_axes
from suffice.plots.points import PlottedRows, draw_rows
from suffice.plots.style import ink
from suffice.plots.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class WhitenedDisplay(Display):
    """A model of two features after whitening: the shared covariance is the identity.

    There an LDA chooses the nearest class mean, up to the priors, and its boundaries are
    perpendicular to the lines between means.

    points : whitened rows, or None
    means : (k, 2) whitened class means
    curves : for each class its ellipses at `deviations`, whitened: circles if it is shared
    borders : whitened boundaries
    label : the class whose covariance whitens; None if it is shared

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X[:, 2:], y)
    >>> shown = WhitenedDisplay.from_estimator(model, X[:, 2:], y, ax=Figure().subplots())
    >>> np.linalg.norm(shown.curves[0][1] - shown.means[0], axis=1).round(9)[:2]
    array([2., 2.])
    """

    points: PlottedRows | None
    classes: Array
    means: Floats
    curves: list[list[Floats]]
    borders: list[Border]
    names: tuple[str, ...]
    label: Any = None
    deviations: tuple[float, ...] = DEVIATIONS

    @classmethod
    @drawn
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        label: Any = None,
        deviations: Any = DEVIATIONS,
    ) -> Self:
        """A fitted Gaussian model of two features; options as for `plot`.

        X, y : rows to draw
        label : the class to whiten by, if each class has its own covariance
        deviations : distances of the circles from the class means
        """
        if getattr(model, "n_features_in_", 2) != 2:
            raise InvalidParameter(
                f"the model has {model.n_features_in_} features, and a plane shows two: fit it "
                "to two, or see all along the discriminant axes of an LDA: ProjectionDisplay."
            )
        view, sizes = View.of(model, X, y), radii(deviations)

        def whiten(points: Floats) -> Floats:
            return np.asarray(view.ask("whiten", points, label))

        curves = [
            [whiten(model.ellipse(c, deviations=r).points()) for r in sizes]
            for c in view.classes.tolist()
        ]
        points = view.points
        if points is not None:
            points = replace(points, rows=whiten(points.rows))
        # The box is so large that boundaries leave the picture.
        far = replace(view, box=around(np.array(view.box).T, margin=3.0), resolution=120)
        lines = [
            replace(one, lines=tuple(whiten(line) for line in one.lines)) for one in borders(far)
        ]
        means = whiten(np.asarray(model.means_))
        return cls(points, view.classes, means, curves, lines, view.labels, label, sizes)

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        notes = draw_rows(self.points, ax, **options)
        means, curves = dict(enumerate(self.means)), dict(enumerate(self.curves))
        draw_classes(ax, self.classes, means, curves, self.points, self.deviations)
        ax.set_aspect("equal", adjustable="datalim")
        ax.autoscale_view()
        for border in self.borders:
            border.draw(ax, color=ink(ax), linewidth=1.6, zorder=2)
            self._join(ax, border)
        name_axes(ax, tuple(f"{name}, whitened" for name in self.names))
        note = "" if self.label is None else f"whitened by class {self.label}"
        return [note, *notes]

    def _join(self, ax: Axes, border: Border) -> None:
        """Draw a line between the means of two classes that meet."""
        points = np.concatenate([np.linspace(line[0], line[-1], 200) for line in border.lines])
        inside = (points > self.means.min(axis=0)) & (points < self.means.max(axis=0))
        if not inside.all(axis=1).any():  # they meet far away
            return
        classes = self.classes.tolist()
        pair = self.means[[classes.index(c) for c in border.classes]]
        ax.plot(*pair.T, color=ink(ax), linewidth=1.4, linestyle=":", zorder=4)
