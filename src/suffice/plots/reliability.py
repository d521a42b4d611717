"""Reliability: predicted probabilities against what came true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.parameters import choice
from suffice.errors import InvalidParameter
from suffice.plots.display import Display, canvas, legend, legend_inside
from suffice.plots.style import Style, as_text, ground, ink
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.diagnostics.reliability import Reliability

CURVES = ("auto", "top", "each")

# A legend of no more curves than this lies within the axes.
FEW = 3


@dataclass(eq=False)
class ReliabilityDisplay(Display):
    """How often events came true, by the probability that they had; on the diagonal all is well.

    The area of a point says how many rows are in its bin.

    curves : a `Reliability` by name
    sentence : what the test of calibration says
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
            raise InvalidParameter(f"a {type(model).__name__} predicts no probabilities.")
        p = model.predict_proba(X)
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
        """Labels and their predicted probabilities, (n, k) or (n,) of the second of two classes.

        classes, sample_weight, n_bins, strategy : as for `calibration`
        curves : "top", of the most probable class; "each", one a class; "auto", the second of two
            classes, or else "top"
        ax : axes to draw on; options as for `plot`
        """
        found = calibration(y, probabilities, classes, sample_weight, n_bins, strategy)
        return cls.from_diagnostic(found, curves=curves, ax=ax, **options)

    @classmethod
    def from_diagnostic(
        cls, found: Diagnostic, *, curves: str = "auto", ax: Any = None, **options: Any
    ) -> Self:
        """What `calibration` found, alone or within `diagnose`; options as for `plot`."""
        choice("curves", curves, CURVES)
        details = getattr(found, "details", {})
        if "curves" not in details:
            raise InvalidParameter("this takes what calibration(y, probabilities) finds.")
        each = {str(label): curve for label, curve in details["curves"].items()}
        if curves == "each":
            return cls(each, found.sentence).plot(ax, **options)
        if curves == "auto" and len(each) == 2:
            last = list(each)[1]
            return cls({last: each[last]}, found.sentence, 1).plot(ax, **options)
        return cls({"most probable class": details["top"]}, found.sentence).plot(ax, **options)

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
        ax.plot([0, 1], [0, 1], color=ink(ax), linewidth=1, linestyle=":", label="as predicted")
        for i, (label, curve) in enumerate(self.curves.items()):
            style = Style.of(i + self.offset)
            x, y = curve.probability, curve.frequency
            shown = {"color": style.colour, "linewidth": 1.6, "linestyle": style.line, **lines}
            ax.plot(
                x, y, marker=style.marker, markersize=4, label=as_text(label), zorder=3, **shown
            )
            area = 20 + 500 * np.asarray(curve.share)
            ax.scatter(
                x,
                y,
                s=area,
                marker=style.marker,
                color=[style.colour],
                edgecolors=[ground(ax)],
                alpha=0.6,
                zorder=2,
            )
        ax.set_xlim(-0.04, 1.04)
        ax.set_ylim(-0.04, 1.04)
        ax.set_aspect("equal")
        ax.set_xlabel("predicted probability")
        ax.set_ylabel("frequency")
        if show_legend:
            (legend_inside if len(self.curves) <= FEW else legend)(ax)
        self._drawn(ax, title, [self.sentence, "area of a point: rows in its bin"])
        return self
