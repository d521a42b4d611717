"""Importance: how much worse predictions are without each feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.parameters import count
from suffice.errors import InvalidParameter
from suffice.plots.constructors import drawn
from suffice.plots.display import Display, canvas
from suffice.plots.style import Style, as_text, ink
from suffice.selection.importance import Importance
from suffice.text import plural, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ImportanceDisplay(Display):
    """Bars of the increase of the log-loss without a feature, with two standard errors.

    importance : the result of `suffice.importance`

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> shown = ImportanceDisplay.from_estimator(LDA().fit(X, y), X, y, ax=Figure().subplots())
    >>> shown.ax_.get_yticklabels()[0].get_text()
    'petal length (cm)'
    """

    importance: Importance

    @classmethod
    @drawn
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, sample_weight: Any = None, cv: Any = None
    ) -> Self:
        """A fitted model on labelled rows; options as for `plot`.

        sample_weight, cv : as for `suffice.importance`
        """
        from suffice.estimators.importance import importance

        return cls(importance(model, X, y, sample_weight, cv=cv))

    @classmethod
    @drawn
    def from_importance(cls, importance: Importance) -> Self:
        """The result of `suffice.importance`; options as for `plot`."""
        if not isinstance(importance, Importance):
            raise InvalidParameter("pass the result of importance(model, X, y).")
        return cls(importance)

    def _canvas(self, ax: Any, *, most: int = 20, **options: Any) -> Axes:
        return canvas(ax, bars_size(self.importance, most))

    def _draw(self, ax: Axes, *, most: int = 20, **bars: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to the bars.

        most : features that are drawn, the most important ones
        """
        by_feature = self.importance
        at = by_feature.order[: count("most", most)]
        look = {"color": Style.of(0).colour, "height": 0.7, "ecolor": ink(ax), "capsize": 2}
        y = np.arange(len(at))
        ax.barh(y, by_feature.increase[at], xerr=2 * by_feature.se[at], **{**look, **bars})
        ax.axvline(0, color=ink(ax), linewidth=1)
        longest_name = 40
        ax.set_yticks(y, [as_text(shorten(by_feature.names[j], longest_name)) for j in at])
        ax.set_ylim(len(at) - 0.4, -0.6)  # the most important on top
        ax.locator_params(axis="x", nbins=5)  # beside long names there is no room for more
        ax.set_xlabel("increase of the log-loss")
        where = "held-out rows" if by_feature.held_out else "rows"
        notes = [f"log-loss {by_feature.log_loss:.4g} on {by_feature.rows:,} {where}"]
        notes.append("without each feature; whiskers: two standard errors")
        if len(at) < len(by_feature.names):
            notes.append(f"{plural(len(by_feature.names) - len(at), 'feature')} more")
        return notes


def bars_size(importance: Importance, most: int = 20) -> tuple[float, float]:
    """Inches of a figure with one bar per feature."""
    return 7.0, 0.3 * min(most, len(importance.names)) + 1.4
