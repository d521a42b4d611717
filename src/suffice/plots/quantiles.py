"""Quantiles: squared Mahalanobis distances against those that Gaussian rows have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.batches import split_named
from suffice.errors import InvalidParameter
from suffice.plots.decoration import beside
from suffice.plots.display import Display, name_axes
from suffice.plots.points import PlottedRows, thin
from suffice.plots.style import ink
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.diagnostics.distances import Quantiles, distance_quantiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class QuantilesDisplay(Display):
    """Distances of each class's rows to its mean against those expected of Gaussian rows.

    Rows on the line are as far out as expected; rows above it are further out.

    quantiles : one `Quantiles` per class
    sentence : the result of the test

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> QuantilesDisplay.from_data(X, y, ax=Figure().subplots()).caption_
    'No evidence against Gaussian classes (distances, p = 0.086 adjusted for 3 tests)'
    """

    quantiles: Mapping[Any, Quantiles]
    sentence: str = ""

    @classmethod
    def from_data(
        cls, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None, **options: Any
    ) -> Self:
        """The distances of rows with labels; options as for `plot`."""
        X, y = split_named(X, y)
        return cls.from_diagnostic(distance_quantiles(X, y, sample_weight), ax=ax, **options)

    @classmethod
    def from_diagnostic(cls, found: Diagnostic, *, ax: Any = None, **options: Any) -> Self:
        """The result of `distance_quantiles`, alone or from `diagnose`; options as for `plot`."""
        details = getattr(found, "details", {})
        if "quantiles" not in details:
            raise InvalidParameter(
                "pass the result of distance_quantiles(X, y); for rows use from_data(X, y)."
            )
        return cls(details["quantiles"], found.sentence).plot(ax, **options)

    def _draw(self, ax: Axes, *, named_rows: int = 3, **scatter: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter.

        named_rows : number of rows, those furthest above the line, that are labelled
        """
        several = list(self.quantiles.values())
        rows = np.concatenate([np.column_stack([q.expected, q.observed]) for q in several])
        codes = np.repeat(np.arange(len(several)), [len(q.rows) for q in several])
        at = thin(codes)
        classes = np.array([str(label) for label in self.quantiles])
        points = PlottedRows(rows[at], codes[at], classes, 0, len(rows))
        points.draw(ax, **scatter)
        end = float(rows.max()) * 1.05
        ax.plot([0, end], [0, end], color=ink(ax), linewidth=1.2, zorder=2, label="Gaussian rows")
        numbers = np.concatenate([q.rows for q in several])
        furthest = np.argsort(rows[:, 0] - rows[:, 1])[: max(0, named_rows)]
        labels = "squared distance expected of Gaussian rows", "squared Mahalanobis distance"
        name_axes(ax, labels, ((0, float(rows[:, 0].max()) * 1.12), (0, end)))
        _name_rows(ax, {int(numbers[i]): rows[i] for i in furthest if rows[i, 1] > rows[i, 0]}, end)
        return [self.sentence, *points.notes]


def _name_rows(ax: Axes, named: Mapping[int, Any], end: float, close: float = 0.045) -> None:
    """Numbers of rows beside their points; rows closer than a share of the axis share a text."""
    waiting = sorted(named, key=lambda number: -named[number][1])
    while waiting:
        top = named[waiting[0]][1]
        near = [number for number in waiting if top - named[number][1] < close * end]
        leftmost = min(named[number][0] for number in near)
        middle = float(np.mean([named[number][1] for number in near]))
        near.sort(key=lambda number: named[number][0])
        text = f"row{'s' * (len(near) > 1)} {', '.join(map(str, near))}"
        if leftmost > 0.4 * ax.get_xlim()[1]:
            beside(ax, (leftmost, middle), text, -7)
        else:  # beside them it would leave the axes, or cover others
            beside(ax, (0, middle), text, 4, up=12)
        waiting = [number for number in waiting if number not in near]
