"""Curves: the density of each class along one feature, and their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import split_named
from suffice.plots.columns import numbers, used_table
from suffice.plots.constructors import drawn
from suffice.plots.display import Display, name_axes
from suffice.plots.points import encode_labels
from suffice.plots.style import Style, as_text, ink
from suffice.plots.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class CurvesDisplay(Display):
    """p(x, class) of every class along one feature, and p(x), which is their sum.

    values : (n,) of the feature
    joint : (n, k) p(x, class), the other features integrated out
    classes : (k,), or numbers of components
    label : name of the feature
    rows, codes : values of rows drawn as ticks below, and positions of their classes; -1 for none

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianNB().fit(X, y)
    >>> shown = CurvesDisplay.from_estimator(model, X, y, feature=2, ax=Figure().subplots())
    >>> area = np.trapezoid(shown.joint, shown.values, axis=0)
    >>> [float(share) for share in area.round(2)]
    [0.33, 0.33, 0.33]
    """

    values: Floats
    joint: Floats
    classes: Array
    label: str
    rows: Floats | None = None
    codes: Array | None = None

    @classmethod
    @drawn
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        feature: Any = None,
        limits: Any = None,
        resolution: int = 400,
    ) -> Self:
        """The densities of a fitted classifier or mixture; options as for `plot`.

        X, y : rows to draw as ticks below the curves, and their labels
        feature : by name or position; None if there is only one
        limits : (from, to) along the feature
        resolution : points along it
        """
        X, y = split_named(X, y)
        view = View.along(model, X, feature, limits, resolution)
        joint = np.exp(_log_joint(view))
        own = getattr(model, "classes_", None)
        classes = np.arange(joint.shape[1]) if own is None else np.asarray(own)
        rows = None if X is None else numbers(used_table(model, X), view.features)[:, 0]
        codes = None
        if y is not None and rows is not None:
            codes = encode_labels(y, len(rows), own, getattr(model, "unlabelled", None))[1]
        return cls(view.axes[0], joint, classes, view.labels[0], rows, codes)

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        total = self.joint.sum(axis=1)
        for c, label in enumerate(self.classes.tolist()):
            style, curve = Style.of(c), self.joint[:, c]
            look = {**style.line_options(), **options}
            ax.plot(self.values, curve, label=as_text(label), **look)
            ax.fill_between(self.values, curve, color=style.colour, alpha=0.18, linewidth=0)
        ax.plot(self.values, total, color=ink(ax), linewidth=2.2, label="all: p(x)", zorder=3)
        self._ticks(ax, float(total.max()))
        ax.axhline(0, color=ink(ax), linewidth=0.8)
        ax.set_xlim(self.values[0], self.values[-1])
        name_axes(ax, (self.label, "density"))
        return []

    def _ticks(self, ax: Axes, top: float) -> None:
        """One short line per row, each class at its own height below the curves."""
        if self.rows is None:
            ax.set_ylim(0, 1.06 * top)
            return
        codes = np.full(len(self.rows), -1) if self.codes is None else self.codes
        heights = sorted(set(codes.tolist()))
        room = 0.05 * top
        for i, c in enumerate(heights):
            colour = ink(ax) if c < 0 else Style.of(c).colour
            low = -(i + 1) * room
            ax.vlines(self.rows[codes == c], low, low + 0.8 * room, color=colour, linewidth=0.7)
        ax.set_ylim(-(len(heights) + 0.4) * room, 1.06 * top)
        ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.06 * top])


def _log_joint(view: View) -> Floats:
    """ln p(x, class) along the line, of components if there are no classes."""
    if hasattr(view.model, "predict_joint_log_proba"):
        return np.asarray(view.ask("predict_joint_log_proba", view.grid))
    shares = np.asarray(view.ask("predict_proba", view.grid))
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    return np.asarray(view.ask("score_samples", view.grid)[:, None] + logs)
