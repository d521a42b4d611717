"""Curves: the density of each class along one feature, and their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.labels import shown
from suffice.errors import InvalidParameter
from suffice.plots.columns import numbers, position
from suffice.plots.display import Display, canvas, legend
from suffice.plots.plane import answered, check_resolution, feature_names
from suffice.plots.points import coded
from suffice.plots.style import Style, as_text, ink

# Points along the feature.
RESOLUTION = 400

MOST_POINTS = 1_000_000

# Without rows the curves reach so many standard deviations beyond the outermost means.
BEYOND = 4.0


@dataclass(eq=False)
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
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        feature: Any = None,
        limits: Any = None,
        resolution: int = RESOLUTION,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """The densities of a fitted classifier or mixture; options as for `plot`.

        X, y : rows to draw below the curves, and their labels
        feature : by name or position; None where there is but one
        limits : (from, to) along the feature
        resolution : points along it
        """
        names = feature_names(model, X)
        j = _feature(names, feature)
        column = None if X is None else numbers(X, [j])[:, 0]
        check_resolution(resolution, MOST_POINTS)
        values = np.linspace(*_limits(model, column, j, limits), resolution)
        rows = np.full((resolution, len(names)), np.nan)
        rows[:, j] = values
        joint = np.exp(_log_joint(model, rows))
        known = getattr(model, "classes_", None)
        classes = np.arange(joint.shape[1]) if known is None else np.asarray(known)
        codes = None
        if y is not None and column is not None:
            codes = coded(y, len(column), known, getattr(model, "unlabelled", None))[1]
        made = cls(values, joint, classes, names[j], column, codes)
        return made.plot(ax, **options)

    def plot(
        self, ax: Any = None, *, title: str | None = None, show_legend: bool = True, **line: Any
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's plot."""
        ax = canvas(ax)
        total = self.joint.sum(axis=1)
        for c, label in enumerate(self.classes.tolist()):
            style, curve = Style.of(c), self.joint[:, c]
            look = {"color": style.colour, "linestyle": style.line, "linewidth": 1.8, **line}
            ax.plot(self.values, curve, label=as_text(label), **look)
            ax.fill_between(self.values, curve, color=style.colour, alpha=0.18, linewidth=0)
        ax.plot(self.values, total, color=ink(ax), linewidth=2.2, label="all: p(x)", zorder=3)
        self._ticks(ax, float(total.max()))
        ax.axhline(0, color=ink(ax), linewidth=0.8)
        ax.set_xlim(self.values[0], self.values[-1])
        ax.set_xlabel(as_text(self.label))
        ax.set_ylabel("density")
        if show_legend:
            legend(ax)
        self._drawn(ax, title)
        return self

    def _ticks(self, ax: Any, top: float) -> None:
        """A short line a row, each class at a height of its own below the curves."""
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


def _feature(names: tuple[str, ...], feature: Any) -> int:
    if feature is not None:
        return position(names, feature)
    if len(names) > 1:
        raise InvalidParameter(f"there are {len(names)} features; name the one to draw.")
    return 0


def _limits(model: Any, column: Floats | None, j: int, limits: Any) -> tuple[float, float]:
    if limits is not None:
        low, high = (float(limit) for limit in limits)
        if not low < high:
            raise InvalidParameter(
                f"limits is {shown(limits)}; the first must be below the second."
            )
        return low, high
    if column is not None and not np.isnan(column).all():
        low, high = float(np.nanmin(column)), float(np.nanmax(column))
        room = 0.1 * (high - low) or 0.5
        return low - room, high + room
    if not hasattr(model, "means_") or not hasattr(model, "covariances_"):
        raise InvalidParameter(
            f"a {type(model).__name__} does not say where its classes lie; pass X or limits."
        )
    means = np.asarray(model.means_)[:, j]
    reach = BEYOND * np.sqrt(np.array([matrix[j, j] for matrix in model.covariances_]))
    return float((means - reach).min()), float((means + reach).max())


def _log_joint(model: Any, rows: Floats) -> Floats:
    """ln p(x, class), of components where there are no classes."""
    if hasattr(model, "predict_joint_log_proba"):
        return np.asarray(answered(model, "predict_joint_log_proba", rows))
    shares = np.asarray(answered(model, "predict_proba", rows))
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    return np.asarray(answered(model, "score_samples", rows)[:, None] + logs)
