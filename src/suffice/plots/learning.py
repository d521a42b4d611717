"""Learning: scores of several models by number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.parameters import choice
from suffice.errors import InvalidParameter
from suffice.plots.display import Display, canvas, legend, logarithms
from suffice.plots.style import Style, as_text
from suffice.selection.comparison import Comparison

METRICS = {"log_loss": "log-loss", "accuracy": "accuracy"}

# Losses that differ more than this, in powers of ten, are drawn by their logarithms.
WIDE = 1.2


@dataclass(eq=False)
class LearningDisplay(Display):
    """Learning curves: how models do on other rows, the more rows they are trained on.

    comparison : what `suffice.compare` found
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

    comparison: Comparison
    metric: str = "log_loss"

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, *, metric: str = "log_loss", ax: Any = None, **options: Any
    ) -> Self:
        """What `suffice.compare` found; options as for `plot`."""
        if not isinstance(comparison, Comparison):
            raise InvalidParameter("this takes what compare(X, y) finds.")
        choice("metric", metric, tuple(METRICS))
        return cls(comparison, metric).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_legend: bool = True,
        **lines: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to the lines."""
        ax = canvas(ax)
        curve = self.comparison.curve
        scores = curve.log_loss if self.metric == "log_loss" else curve.accuracy
        rows = np.array(curve.rows)
        for i, (name, values) in enumerate(zip(self.comparison.names, scores, strict=True)):
            style, ok = Style.of(i), np.isfinite(values)
            look = {"color": style.colour, "linestyle": style.line, "linewidth": 1.8, **lines}
            ax.plot(rows[ok], values[ok], marker=style.marker, label=as_text(name), **look)
        ax.set_xscale("log")
        ax.set_xticks(rows, [f"{n:,}" for n in curve.rows])
        ax.minorticks_off()
        seen = scores[np.isfinite(scores)]
        positive = self.metric == "log_loss" and len(seen) and seen.min() > 0
        if positive and np.log10(seen.max() / seen.min()) > WIDE:
            logarithms(ax)
        ax.set_xlabel("training rows")
        ax.set_ylabel(METRICS[self.metric])
        if show_legend:
            legend(ax)
        folds = self.comparison.selection.scores[self.metric].shape[1]
        self._drawn(ax, title, [f"mean over {folds} folds"])
        return self
