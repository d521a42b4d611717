"""Thresholds: the cost of predicting a class from a probability on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.parameters import share
from suffice.errors import InvalidParameter
from suffice.plots.constructors import drawn
from suffice.plots.decoration import legend_inside
from suffice.plots.display import Display, name_axes
from suffice.plots.style import Style, as_text, ink
from suffice.selection.thresholds import Thresholds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ThresholdsDisplay(Display):
    """Mean cost of a row by the threshold on the probability of one class.

    thresholds : the result of `suffice.thresholds`
    recall : a recall to reach, whose threshold is marked; None for none

    >>> from matplotlib.figure import Figure
    >>> import suffice as sf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model, costs = sf.LDA().fit(X[::2], y[::2]), {(0, 1): 10}
    >>> shown = ThresholdsDisplay.from_estimator(
    ...     model, X[1::2], y[1::2], positive=0, costs=costs, ax=Figure().subplots()
    ... )
    >>> shown.ax_.get_xlabel()
    'threshold on the probability of 0'
    """

    thresholds: Thresholds
    recall: float | None = None

    @classmethod
    @drawn
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        costs: Any = None,
        sample_weight: Any = None,
        recall: float | None = None,
    ) -> Self:
        """A fitted classifier on rows it has not seen; options as for `plot`.

        positive, costs, sample_weight : as for `suffice.thresholds`
        recall : a recall to reach, whose threshold is marked
        """
        from suffice.estimators.evaluating import thresholds

        given = {"positive": positive, "costs": costs, "sample_weight": sample_weight}
        return cls(thresholds(model, X, y, **given), _recall(recall))

    @classmethod
    @drawn
    def from_thresholds(cls, thresholds: Thresholds, *, recall: float | None = None) -> Self:
        """The result of `suffice.thresholds`; options as for `plot`."""
        if not isinstance(thresholds, Thresholds):
            raise InvalidParameter("pass the result of thresholds(model, X, y).")
        return cls(thresholds, _recall(recall))

    def _draw(self, ax: Axes, **lines: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to the line."""
        curve = self.thresholds
        style = Style.of(0)
        # From one threshold to the next the prediction is that of the next.
        look = {"drawstyle": "steps-pre", **style.line_options(1.6), **lines}
        inside = (curve.threshold > 0) & (curve.threshold < 1)
        ax.plot(curve.threshold[inside], curve.cost[inside], **look)
        (best,) = curve.for_cost().values()
        notes = [f"least cost {self._cost(best):.4g} a row at threshold {best:.3g}"]
        self._mark(ax, best, "least cost", "o")
        if self.recall is not None:
            (reached,) = curve.for_recall(self.recall).values()
            self._mark(ax, reached, f"recall {self.recall:.0%}", "s")
            notes.append(f"recall {self.recall:.0%} costs {self._cost(reached):.4g}")
        if np.isfinite(curve.expected):
            rule = {"color": ink(ax), "linewidth": 1, "linestyle": ":"}
            ax.axvline(curve.expected, label="best if probabilities are right", **rule)
        self._scale(ax)
        label = f"threshold on the probability of {as_text(curve.positive)}"
        name_axes(ax, (label, "mean cost of a row"))
        return notes

    def _add_legend(self, ax: Axes) -> None:
        legend_inside(ax)

    def _scale(self, ax: Axes) -> None:
        """Stretch both ends: small probabilities matter where errors have different costs."""
        from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

        curve = self.thresholds
        (best,) = curve.for_cost().values()
        ends = (0.005, 0.995)  # of what is drawn, unless the least cost is further out
        smallest = 1e-6
        low = max(smallest, min(ends[0], best / 2))
        ticks = [*(10.0 ** np.arange(np.ceil(np.log10(low)), 0)), 0.2, 0.5, 0.8, 0.9, 0.99]
        ax.set_xscale("logit")
        ax.set_xlim(low, ends[1])
        ax.xaxis.set_major_locator(FixedLocator(ticks))
        ax.xaxis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in ticks]))
        ax.xaxis.set_minor_locator(NullLocator())
        shown = (curve.threshold >= low) & (curve.threshold <= ends[1])
        ax.set_ylim(0, 1.08 * curve.cost[shown].max() if shown.any() else None)

    def _cost(self, threshold: float) -> float:
        curve = self.thresholds
        return float(curve.cost[np.flatnonzero(curve.threshold == threshold)[0]])

    def _mark(self, ax: Axes, threshold: float, label: str, marker: str) -> None:
        ring: Any = {"markersize": 11, "markeredgewidth": 1.5, "zorder": 5}
        ring |= {"markerfacecolor": "none", "markeredgecolor": ink(ax), "linestyle": "none"}
        ax.plot([threshold], [self._cost(threshold)], marker, label=label, **ring)


def _recall(recall: Any) -> float | None:
    return None if recall is None else share("recall", recall)
