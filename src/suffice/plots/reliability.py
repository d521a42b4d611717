"""Reliability: predicted probabilities against observed frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.batches import split_named
from suffice.data.parameters import choice
from suffice.errors import InvalidParameter
from suffice.plots.decoration import legend, legend_inside
from suffice.plots.display import Display, name_axes
from suffice.plots.style import Style, as_text, ground, ink
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.diagnostics.reliability import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """How often events occurred, by their predicted probability; calibrated on the diagonal.

    The area of a point shows the number of rows in its bin.

    curves : one `Reliability` per name
    sentence : the result of the test of calibration
    offset : position of the first curve's style

    >>> from matplotlib.figure import Figure
    >>> p = np.array([0.9, 0.8, 0.9, 0.2, 0.1, 0.3])
    >>> y = [1, 1, 1, 0, 0, 1]
    >>> shown = ReliabilityDisplay.from_predictions(y, p, n_bins=5, ax=Figure().subplots())
    >>> shown.curves["1"].frequency
    array([0. , 0.5, 1. ])
    """

    curves: Mapping[str, Reliability]
    sentence: str = ""
    offset: int = 0

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Self:
        """A fitted classifier on rows it has not seen; options as for `from_predictions`."""
        if not hasattr(model, "predict_proba"):
            raise InvalidParameter(f"a {type(model).__name__} has no predict_proba.")
        X, y = split_named(X, y)
        p = np.asarray(model.predict_proba(X))
        return cls.from_predictions(y, p, classes=model.classes_, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        probabilities: Any,
        *,
        classes: Any = None,
        sample_weight: Any = None,
        n_bins: int = 10,
        strategy: str = "uniform",
        curves: str = "auto",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Labels and predicted probabilities, (n, k), or (n,) of the second of two classes.

        classes, sample_weight, n_bins, strategy : as for `calibration`
        curves : "top", of the most probable class; "each", one per class; "auto", the second of
            two classes, or else "top"
        ax : axes to draw on; options as for `plot`
        """
        diagnostic = calibration(y, probabilities, classes, sample_weight, n_bins, strategy)
        return cls.from_diagnostic(diagnostic, curves=curves, ax=ax, **options)

    @classmethod
    def from_diagnostic(
        cls, found: Diagnostic, *, curves: str = "auto", ax: Any = None, **options: Any
    ) -> Self:
        """The result of `calibration`, alone or from `diagnose`; options as for `plot`."""
        choice("curves", curves, ("auto", "top", "each"))
        details = getattr(found, "details", {})
        if "curves" not in details:
            raise InvalidParameter("pass the result of calibration(y, probabilities).")
        each = {str(label): curve for label, curve in details["curves"].items()}
        if curves == "each":
            return cls(each, found.sentence).plot(ax, **options)
        if curves == "auto" and len(each) == 2:
            last = list(each)[1]
            return cls({last: each[last]}, found.sentence, 1).plot(ax, **options)
        return cls({"most probable class": details["top"]}, found.sentence).plot(ax, **options)

    def _draw(self, ax: Axes, **lines: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to the lines."""
        ax.plot([0, 1], [0, 1], color=ink(ax), linewidth=1, linestyle=":", label="as predicted")
        for i, (label, curve) in enumerate(self.curves.items()):
            style, x, y = Style.of(i + self.offset), curve.probability, curve.frequency
            look: Any = {"marker": style.marker, "markersize": 4, "zorder": 3}
            look |= {"label": as_text(label), **style.line_options(1.6), **lines}
            ax.plot(x, y, **look)
            ax.scatter(
                x,
                y,
                s=20 + 500 * np.asarray(curve.share),
                marker=style.marker,
                color=[style.colour],
                edgecolors=[ground(ax)],
                alpha=0.6,
                zorder=2,
            )
        limits = (-0.04, 1.04)
        name_axes(ax, ("predicted probability", "frequency"), (limits, limits))
        ax.set_aspect("equal")
        return [self.sentence, "area of a point: rows in its bin"]

    def _add_legend(self, ax: Axes) -> None:
        most_inside = 3  # curves whose legend lies within the axes
        (legend_inside if len(self.curves) <= most_inside else legend)(ax)
