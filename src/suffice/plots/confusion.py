"""Confusion: true classes against predicted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.labels import shown
from suffice.data.weights import Weights
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter
from suffice.plots.display import Display, canvas
from suffice.plots.points import coded
from suffice.plots.style import COLOURS, as_text, depth, ground, ink

# With more classes numbers no longer fit their cells, and with more still, names.
MOST_NUMBERS, MOST_NAMES = 16, 40


@dataclass(eq=False)
class ConfusionDisplay(Display):
    """How many rows of each class were taken for each class; colour is the share of the true one.

    counts : (k, k) rows, or their weight: a row for each true class, a column for each predicted
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
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """A fitted classifier on labelled rows; options as for `plot`."""
        if not hasattr(model, "predict"):
            raise InvalidParameter(f"model is {shown(model)}; pass a fitted classifier.")
        found = {"classes": model.classes_, "sample_weight": sample_weight}
        return cls.from_predictions(y, model.predict(X), ax=ax, **found, **options)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        predicted: Any,
        *,
        classes: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """True and predicted labels; options as for `plot`.

        classes : their order; sorted if None
        sample_weight : counts as so many equal rows
        """
        n, told = _length(y, "y"), _length(predicted, "predicted")
        if told != n:
            raise InvalidInput(f"y has {n} labels, but {told} are predicted.")
        if classes is None:
            both = [coded(labels, n) for labels in (y, predicted)]
            classes = np.unique(np.concatenate([found for found, _ in both]))
        known = np.asarray(classes)
        if known.ndim != 1 or known.dtype.kind not in "biufU":
            raise InvalidParameter(f"classes is {shown(classes)}; it must list the labels.")
        true, given = (coded(labels, n, known)[1] for labels in (y, predicted))
        if (true < 0).any() or (given < 0).any():
            row = int(((true < 0) | (given < 0)).argmax())
            raise InvalidLabels(f"the label of row {row} is missing; leave such rows out.")
        weights = None if sample_weight is None else Weights.of(sample_weight, n).read(0, n)
        k = len(known)
        counts = np.bincount(true * k + given, weights, k * k).reshape(k, k).astype(np.float64)
        return cls(counts, known).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_numbers: bool | None = None,
        **image: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's imshow.

        show_numbers : whether counts are written; None writes them where they fit
        """
        k = len(self.classes)
        ax = canvas(ax, (max(4.5, min(9.0, 0.55 * k + 2.5)), max(4.0, min(8.5, 0.5 * k + 2.0))))
        total = self.counts.sum(axis=1, keepdims=True)
        share = self.counts / np.where(total > 0, total, 1.0)
        shades = depth(ax, COLOURS[0])
        ax.imshow(share, **{"cmap": shades, "vmin": 0, "vmax": 1, **image})
        if show_numbers or (show_numbers is None and k <= MOST_NUMBERS):
            for (i, j), count in np.ndenumerate(self.counts):
                # White on deep blue, and else the colour of text.
                colour = "white" if share[i, j] > 0.5 else ink(ax)
                ax.text(j, i, f"{count:,.10g}", ha="center", va="center", color=colour)
        self._name_classes(ax)
        right = float(np.trace(self.counts) / self.counts.sum()) if self.counts.any() else np.nan
        self._drawn(ax, title, [f"{right:.1%} on the diagonal"])
        return self

    def _name_classes(self, ax: Any) -> None:
        names = [as_text(label) for label in self.classes]
        k, long = len(names), max(map(len, names)) * len(names) > 60
        ax.set_xlabel("predicted class")
        ax.set_ylabel("true class")
        if k > MOST_NAMES:
            return
        turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if long else {}
        ax.set_xticks(range(k), names, **turned)
        ax.set_yticks(range(k), names)
        ax.set_xticks(np.arange(-0.5, k), minor=True)
        ax.set_yticks(np.arange(-0.5, k), minor=True)
        ax.grid(which="minor", color=ground(ax), linewidth=1.5)
        ax.tick_params(which="both", length=0)


def _length(labels: Any, name: str) -> int:
    """How many labels there are; an error where they are none."""
    if labels is None or isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
        raise InvalidLabels(f"{name} is {shown(labels)}; pass one label for each row.")
    return len(labels)
