"""Points: rows by class, as they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import check_lengths, class_position
from suffice.data.partial_labels import label_column, partial_classes
from suffice.errors import HasGaps
from suffice.plots.style import Style, as_text, ground, ink
from suffice.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 20_000  # drawn; of more, each class's share is drawn at random
MOST_SHAPES = 5_000  # rows drawn as shapes; more are drawn as a cloud of pixels


@dataclass(frozen=True, eq=False, slots=True)
class PlottedRows:
    """Rows in two coordinates, with their classes.

    rows : (n, 2)
    codes : (n,) position of each row's class among `classes`; -1 for a row without a label
    left_out : number of rows with a missing value (gap) in a feature that is drawn
    thinned_from : number of rows before thinning

    >>> found = PlottedRows.of(np.array([[1.0, 2.0], [np.nan, 1.0]]), ["a", "b"])
    >>> len(found.rows), found.left_out, found.notes
    (1, 1, ['1 row with gaps left out'])
    """

    rows: Floats
    codes: Indices
    classes: Array
    left_out: int = 0
    thinned_from: int = 0

    @classmethod
    def of(cls, rows: Floats, y: Any = None, model: Any = None) -> PlottedRows:
        """From rows (n, 2), NaN where a value is missing, and labels; a model gives the classes."""
        classes = getattr(model, "classes_", None)
        if y is None:
            codes = np.full(len(rows), -1)
            classes = np.zeros(0, np.int64) if classes is None else classes
        else:
            unlabelled = getattr(model, "unlabelled", None)
            classes, codes = encode_labels(y, len(rows), classes, unlabelled)
        complete = ~np.isnan(rows).any(axis=1)
        if not complete.any():
            raise HasGaps(
                f"each of the {plural(len(rows), 'row')} has a missing value in a feature to be "
                "drawn; choose other features, or fill the values in first: model.impute(X)."
            )
        at = np.flatnonzero(complete)
        kept = thin(codes[at])
        return cls(rows[at[kept]], codes[at[kept]], classes, int((~complete).sum()), len(at))

    @property
    def notes(self) -> list[str]:
        """What is not drawn, in words."""
        notes = []
        if len(self.rows) < self.thinned_from:
            notes.append(f"{len(self.rows):,} of {plural(self.thinned_from, 'row')} drawn")
        if self.left_out:
            notes.append(f"{plural(self.left_out, 'row')} with gaps left out")
        return notes

    def draw(self, ax: Axes, **options: Any) -> None:
        """One scatter per class, each with its own colour and marker."""
        n = len(self.rows)
        if n > MOST_SHAPES:
            self._draw_cloud(ax, options)
            return
        shared = {
            "s": float(np.clip(36 * (150 / max(n, 1)) ** 0.45, 4, 36)),
            "edgecolors": [ground(ax)],
            "linewidths": 0.4,
            "alpha": 0.9,
            "zorder": 3,
            **options,
        }
        for c in np.unique(self.codes).tolist():
            x, y = self.rows[self.codes == c].T
            if c < 0:
                label = "no label" if len(self.classes) else "rows"
                ax.scatter(x, y, color=ink(ax), marker=".", label=label, **{**shared, "alpha": 0.5})
            else:
                style, label = Style.of(c), as_text(self.classes[c])
                ax.scatter(x, y, color=[style.colour], marker=style.marker, label=label, **shared)

    def _draw_cloud(self, ax: Axes, options: dict[str, Any]) -> None:
        """Many rows as faint dots in random order, so that no class hides another."""
        from matplotlib.colors import to_rgb

        present = np.unique(self.codes).tolist()
        colours = {c: Style.of(c).colour if c >= 0 else to_rgb(ink(ax)) for c in present}
        order = np.random.default_rng(0).permutation(len(self.rows))
        x, y = self.rows[order].T
        look = {"s": 5.0, "alpha": 0.9 * (MOST_SHAPES / len(order)) ** 0.5, "zorder": 3}
        look |= {"linewidths": 0.0, "rasterized": True, **options, "edgecolors": "none"}
        ax.scatter(x, y, c=[colours[c] for c in self.codes[order].tolist()], marker="o", **look)
        for c in present:
            label = as_text(self.classes[c]) if c >= 0 else "no label"
            ax.scatter([], [], color=[colours[c]], label=label)


def draw_rows(points: PlottedRows | None, ax: Axes, **options: Any) -> list[str]:
    """Draw rows, if there are any, and return the notes on them."""
    if points is None:
        return []
    points.draw(ax, **options)
    return points.notes


def encode_labels(
    y: Any, n: int, classes: Array | None = None, unlabelled: Any = None
) -> tuple[Array, Indices]:
    """The classes, and the position of each row's class; -1 where the label is missing.

    classes : of a model; those of the labels if None
    unlabelled : a label that means a missing one, beside None and NaN
    """
    column = label_column(y)
    values = np.asarray(column)
    if values.ndim == 2 and values.shape[1] == 1:
        column = values = values[:, 0]
    if values.ndim == 1:
        check_lengths(n, len(values))
    own, codes = partial_classes(column, unlabelled)
    if classes is None:
        present = np.unique(codes[codes >= 0])
        return own[present], np.where(codes < 0, -1, np.searchsorted(present, codes))
    at = np.full(len(own) + 1, -1)
    for c in np.unique(codes[codes >= 0]).tolist():
        at[c] = class_position(classes, own[c].item())
    return classes, at[codes]


def thin(codes: Indices, most: int = MOST_ROWS, seed: int = 0, fewest: int = 50) -> Indices:
    """Positions of all rows, or of a random share of each class, but at least of `fewest`."""
    if len(codes) <= most:
        return np.arange(len(codes))
    rng = np.random.default_rng(seed)
    share, kept = most / len(codes), []
    for c in np.unique(codes).tolist():
        own = np.flatnonzero(codes == c)
        kept.append(rng.permutation(own)[: max(fewest, round(share * len(own)))])
    return np.sort(np.concatenate(kept))
