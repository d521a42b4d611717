"""Confusion: true classes against predicted classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import split_named
from suffice.data.weights import row_weights
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter
from suffice.plots.constructors import drawn
from suffice.plots.decoration import narrow
from suffice.plots.display import Display, canvas, name_axes
from suffice.plots.points import encode_labels
from suffice.plots.style import COLOURS, as_text, depth, ground, ink
from suffice.text import shorten, shown, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ConfusionDisplay(Display):
    """Rows by true and predicted class; colour is the share of the true class.

    counts : (k, k) rows, or their weight: one row per true class, one column per predicted class
    classes : (k,)

    >>> from matplotlib.figure import Figure
    >>> y, predicted = ["a", "a", "b", "b"], ["a", "b", "b", "b"]
    >>> ConfusionDisplay.from_predictions(y, predicted, ax=Figure().subplots()).counts
    array([[1., 1.],
           [0., 2.]])
    """

    counts: Floats
    classes: Array

    @classmethod
    @drawn
    def from_estimator(cls, model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """A fitted classifier on labelled rows; options as for `plot`."""
        if not hasattr(model, "predict"):
            raise InvalidParameter(f"model is {shown(model)}; pass a fitted classifier.")
        X, y = split_named(X, y)
        return cls(*_count(y, model.predict(X), model.classes_, sample_weight))

    @classmethod
    @drawn
    def from_predictions(
        cls, y: Any, predicted: Any, *, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """True and predicted labels; options as for `plot`.

        classes : their order; sorted if None
        sample_weight : number of rows that each row counts as
        """
        return cls(*_count(y, predicted, classes, sample_weight))

    def _canvas(self, ax: Any, **options: Any) -> Axes:
        return canvas(ax, self._inches)

    def _draw(self, ax: Axes, *, show_numbers: bool | None = None, **image: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's imshow.

        show_numbers : whether counts are written; None writes them where they fit
        """
        k = len(self.classes)
        total = self.counts.sum(axis=1, keepdims=True)
        share = self.counts / np.where(total > 0, total, 1.0)
        shades = depth(ax, COLOURS[0])
        ax.imshow(share, **{"cmap": shades, "vmin": 0, "vmax": 1, **image})
        most_numbers = 16  # classes whose counts fit into the cells
        if show_numbers or (show_numbers is None and k <= most_numbers):
            for (i, j), count in np.ndenumerate(self.counts):
                # White on deep blue, or else the colour of text.
                colour = "white" if share[i, j] > 0.5 else ink(ax)
                ax.text(j, i, f"{count:,.10g}", ha="center", va="center", color=colour)
        self._name_classes(ax)
        right = float(np.trace(self.counts) / self.counts.sum()) if self.counts.any() else np.nan
        return [f"{right:.1%} on the diagonal"]

    @property
    def _names(self) -> list[str]:
        """The classes as they are written beside the cells: long names on several lines."""
        names = [visible(str(label)) for label in self.classes]
        short = [narrow(name, line=18, longest=36) for name in names]
        return short if len(set(short)) == len(names) else names

    @property
    def _on_one_line(self) -> list[str]:
        """The classes below the cells; names that would look alike become their positions."""
        names = [as_text(shorten(visible(str(label)), 24)) for label in self.classes]
        return names if len(set(names)) == len(names) else list(map(str, range(1, len(names) + 1)))

    @property
    def _inches(self) -> tuple[float, float]:
        """Size of a new figure: that of the cells, and room for the names."""
        cells = max(2.4, min(7.0, 0.5 * len(self.classes)))
        room = 0.09 * self._longest_line
        below = 0.07 * max(map(len, self._on_one_line), default=0) if self._is_slanted else 0.3
        return cells + room + 1.0, cells + below + 1.2

    @property
    def _is_slanted(self) -> bool:
        """Whether names are too long to stand side by side below the cells."""
        return self._longest_line * len(self.classes) > 36

    @property
    def _longest_line(self) -> int:
        """Characters of the longest line of a name."""
        return max((len(line) for name in self._names for line in name.split("\n")), default=0)

    def _name_classes(self, ax: Any) -> None:
        names = ["\n".join(map(as_text, name.split("\n"))) for name in self._names]
        k = len(names)
        name_axes(ax, ("predicted class", "true class"))
        most_names = 40  # classes whose names fit beside the axes
        if k > most_names:
            return
        if self._is_slanted:
            # On one line each: slanted lines of one name would run into those of the next.
            slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
            ax.set_xticks(range(k), self._on_one_line, **slanted)
        else:
            ax.set_xticks(range(k), names)
        ax.set_yticks(range(k), names)
        ax.set_xticks(np.arange(-0.5, k), minor=True)
        ax.set_yticks(np.arange(-0.5, k), minor=True)
        ax.grid(which="minor", color=ground(ax), linewidth=1.5)
        ax.tick_params(which="both", length=0)


def _length(labels: Any, name: str) -> int:
    """The number of labels; an error if there are none."""
    if np.ndim(labels) == 0 or not hasattr(labels, "__len__"):
        raise InvalidLabels(f"{name} is {shown(labels)}; pass one label for each row.")
    return len(labels)


def _count(y: Any, predicted: Any, classes: Any, sample_weight: Any) -> tuple[Floats, Array]:
    """Weights of rows by true and predicted class, (k, k), and the classes in their order."""
    n, n_predicted = _length(y, "y"), _length(predicted, "predicted")
    if n_predicted != n:
        raise InvalidInput(f"y has {n} labels, but {n_predicted} are predicted.")
    if classes is None:
        both = [encode_labels(labels, n) for labels in (y, predicted)]
        classes = np.unique(np.concatenate([own for own, _ in both]))
    order = np.asarray(classes)
    if order.ndim != 1 or order.dtype.kind not in "biufU":
        raise InvalidParameter(f"classes is {shown(classes)}; it must list the labels.")
    true, codes = (encode_labels(labels, n, order)[1] for labels in (y, predicted))
    if (true < 0).any() or (codes < 0).any():
        row = int(((true < 0) | (codes < 0)).argmax())
        raise InvalidLabels(f"the label of row {row} is missing; leave such rows out.")
    weights = row_weights(sample_weight, n)
    k = len(order)
    counts = np.bincount(true * k + codes, weights, k * k).reshape(k, k).astype(np.float64)
    return counts, order
