"""Learning: scores of several models by number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from suffice.data.parameters import choice
from suffice.errors import InvalidParameter
from suffice.plots.constructors import drawn
from suffice.plots.decoration import scale_heights
from suffice.plots.display import Display, name_axes
from suffice.plots.style import Style, as_text
from suffice.selection.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class LearningDisplay(Display):
    """Learning curves: scores of models on other rows, by number of training rows.

    comparison : the result of `suffice.compare`
    metric : "log_loss" or "accuracy"

    >>> from matplotlib.figure import Figure
    >>> import suffice as sf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = sf.compare(X, y, {"LDA": sf.LDA(), "QDA": sf.QDA()})
    >>> shown = LearningDisplay.from_comparison(found, ax=Figure().subplots())
    >>> [line.get_label() for line in shown.ax_.lines], shown.ax_.lines[0].get_xdata()
    (['LDA', 'QDA'], array([ 12,  30,  60, 120]))
    """

    _metrics: ClassVar[dict[str, str]] = {"log_loss": "log-loss", "accuracy": "accuracy"}

    comparison: Comparison
    metric: str = "log_loss"

    @classmethod
    @drawn
    def from_comparison(cls, comparison: Comparison, *, metric: str = "log_loss") -> Self:
        """The result of `suffice.compare`; options as for `plot`."""
        if not isinstance(comparison, Comparison):
            raise InvalidParameter("pass the result of compare(X, y).")
        choice("metric", metric, tuple(cls._metrics))
        return cls(comparison, metric)

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        curve = self.comparison.curve
        scores, errors = curve.accuracy, curve.accuracy_se
        if self.metric == "log_loss":
            scores, errors = curve.log_loss, curve.log_loss_se
        rows = np.array(curve.rows)
        for i, name in enumerate(self.comparison.names):
            style, ok = Style.of(i), np.isfinite(scores[i])
            look = {"marker": style.marker, **style.line_options(), **options}
            ax.plot(rows[ok], scores[i][ok], label=as_text(name), **look)
            low = np.maximum(scores[i] - errors[i], 0.2 * scores[i])  # a logarithm has no zero
            high = scores[i] + errors[i]
            ax.vlines(rows[ok], low[ok], high[ok], color=style.colour, linewidth=1.2)
        ax.set_xscale("log")
        ax.set_xticks(rows, [f"{n:,}" for n in curve.rows])
        ax.minorticks_off()
        if self.metric == "log_loss":
            scale_heights(ax, scores, decades=1.2)
        name_axes(ax, ("training rows", self._metrics[self.metric]))
        folds = self.comparison.selection.scores[self.metric].shape[1]
        return [f"mean over {folds} folds ± standard error"]
