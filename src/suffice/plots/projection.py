"""Projection: rows of many features along the discriminant axes of an LDA."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import split_named
from suffice.errors import InvalidParameter
from suffice.plots.borders import Border, borders
from suffice.plots.box import around
from suffice.plots.classes import draw_classes
from suffice.plots.constructors import drawn
from suffice.plots.display import Display
from suffice.plots.points import PlottedRows
from suffice.plots.style import Style, as_text, ink
from suffice.plots.view import View
from suffice.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ProjectionDisplay(Display):
    """Rows along two discriminant axes, or, for two classes, along the only one.

    Along the axes the shared covariance is the identity: classes are circles, drawn at one and two
    standard deviations, or, for many classes, at one. With three classes the boundaries are those
    of the model; with more, those of the two axes alone.

    points : coordinates of the rows; with one axis the second is the class, spread out
    means : (k, m) coordinates of the class means, m 1 or 2
    axes : which axes these are, from 0
    shares : of the variance between classes, one per axis
    borders : lines between classes

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_wine
    >>> from suffice import LDA
    >>> X, y = load_wine(return_X_y=True)
    >>> shown = ProjectionDisplay.from_estimator(LDA().fit(X, y), X, y, ax=Figure().subplots())
    >>> shown.ax_.get_xlabel()
    'discriminant axis 1 (69% of the variance between classes)'
    """

    points: PlottedRows
    classes: Array
    means: Floats
    axes: tuple[int, ...]
    shares: Floats
    borders: list[Border]
    partial: bool = False  # whether the model has more axes than these

    @classmethod
    @drawn
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        axes: tuple[int, int] = (0, 1),
        boundaries: bool = True,
    ) -> Self:
        """A fitted LDA and rows; options as for `plot`.

        axes : which two of the discriminant axes, from 0
        boundaries : whether to draw the lines between classes
        """
        if not hasattr(model, "transform") or not hasattr(model, "scalings_"):
            raise InvalidParameter(
                f"a {type(model).__name__} has no discriminant axes; fit an LDA to the rows."
            )
        X, y = split_named(X, y)
        scores = np.asarray(model.transform(X))
        at = _axes(scores.shape[1], axes)
        means, rows = np.asarray(model.transformed_means_)[:, at], scores[:, at]
        if len(at) == 1:  # the second is the class, spread out
            rows = np.column_stack([rows, 0.0 * rows])
        points = PlottedRows.of(rows, y, model)
        lines = _borders(model, points.rows, means) if boundaries else []
        shares = np.asarray(model.explained_variance_ratio_)
        partial = len(np.asarray(model.classes_)) - 1 > len(at) and scores.shape[1] > len(at)
        return cls(points, model.classes_, means, tuple(at), shares, lines, partial)

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        ax.set_xlabel(self._name(0))
        if len(self.axes) == 1:
            self._strips(ax, options)
            return self.points.notes
        self.points.draw(ax, **options)
        angles = np.linspace(0.0, 2 * np.pi, 200)
        circle = np.column_stack([np.cos(angles), np.sin(angles)])
        most_circles = 6  # classes with two circles each; of more, each has one
        sizes = (1, 2) if len(self.means) <= most_circles else (1,)
        curves = {c: [m + size * circle for size in sizes] for c, m in enumerate(self.means)}
        draw_classes(ax, self.classes, dict(enumerate(self.means)), curves, self.points, sizes)
        ax.set_aspect("equal", adjustable="datalim")
        ax.autoscale_view()
        self._draw_borders(ax)
        ax.set_ylabel(self._name(1))
        partial = self.partial and self.borders
        return ["boundaries by these two axes alone" if partial else "", *self.points.notes]

    def _draw_borders(self, ax: Axes) -> None:
        for border in self.borders:
            border.draw(ax, color=ink(ax), linewidth=1.4, zorder=2)

    def _strips(self, ax: Axes, options: Any) -> None:
        """One axis: a strip of rows for each class, spread out so that all are visible."""
        rng = np.random.default_rng(0)
        codes = self.points.codes
        rows = self.points.rows.copy()
        rows[:, 1] = codes + rng.uniform(-0.3, 0.3, len(codes))
        replace(self.points, rows=rows).draw(ax, **options)
        for c, mean in enumerate(self.means[:, 0].tolist()):
            for size, width in ((2, 1.5), (1, 4.0)):
                ends = [mean - size, mean + size]
                ax.plot(ends, [c, c], color=ink(ax), linewidth=width, zorder=4)
            style = Style.of(c)
            ax.plot(mean, c, style.marker, color=style.colour, mec=ink(ax), ms=9, zorder=5)
        self._draw_borders(ax)
        ax.set_yticks(range(len(self.classes)), [as_text(label) for label in self.classes])
        ax.plot([], [], color=ink(ax), linewidth=4.0, label="1 std. dev.")
        ax.plot([], [], color=ink(ax), linewidth=1.5, label="2 std. dev.")

    def _name(self, i: int) -> str:
        axis = self.axes[i]
        if len(self.shares) == 1:
            return "discriminant axis"
        share = f"{self.shares[axis]:.0%} of the variance between classes"
        return f"discriminant axis {axis + 1} ({share})"


def _axes(available: int, axes: Any) -> list[int]:
    if available == 1:
        return [0]
    at = list(axes) if np.ndim(axes) == 1 else []
    whole = [isinstance(i, int | np.integer) and 0 <= i < available for i in at]
    if len(at) != 2 or not all(whole) or at[0] == at[1]:
        raise InvalidParameter(
            f"axes={shown(axes)}: name two different ones from 0 to {available - 1}."
        )
    return [int(i) for i in at]


def _borders(model: Any, rows: Floats, means: Floats) -> list[Border]:
    """Boundaries of classes whose covariance is the identity in these coordinates."""
    from suffice.estimators.linear import LDA

    k, only_one = len(means), means.shape[1] == 1
    plane = np.column_stack([means, 0.0 * means]) if only_one else means
    across, up = around(np.concatenate([rows, plane]), margin=2.0)
    box = (across, (-0.5, k - 0.5) if only_one else up)
    projected = LDA.from_parameters(plane, np.eye(2), model.priors_, classes=model.classes_)
    return borders(View.of(projected, box=box))
