"""Points: rows by class, as they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.answers.pair import class_position
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.partial_labels import label_column, partial_classes
from suffice.errors import HasGaps, InvalidInput
from suffice.plots.display import counted
from suffice.plots.style import Style, as_text, ground, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More rows than this are thinned out; with more than the second, points become pixels.
MOST_ROWS, MOST_SHAPES = 20_000, 5_000

# Thinning leaves each class at least so many rows.
FEWEST = 50


@dataclass(frozen=True, eq=False, slots=True)
class Points:
    """Rows in two coordinates, with their classes.

    rows : (n, 2)
    codes : (n,) position of each row's class among `classes`; -1 for a row without a label
    left_out : how many rows have a gap in a feature that is drawn
    thinned_from : how many rows there were before thinning

    >>> found = Points.of(np.array([[1.0, 2.0], [np.nan, 1.0]]), ["a", "b"])
    >>> len(found.rows), found.left_out, found.notes
    (1, 1, ['1 row with gaps left out'])
    """

    rows: Floats
    codes: Indices
    classes: Array
    left_out: int = 0
    thinned_from: int = 0

    @classmethod
    def of(cls, rows: Floats, y: Any = None, model: Any = None) -> Points:
        """Of rows (n, 2), NaN in gaps, and their labels, which are those of a model if given."""
        classes = getattr(model, "classes_", None)
        known = np.zeros(0, np.int64) if classes is None else classes
        if y is None:
            codes = np.full(len(rows), -1)
        else:
            known, codes = coded(y, len(rows), classes, getattr(model, "unlabelled", None))
        complete = ~np.isnan(rows).any(axis=1)
        if not complete.any():
            raise HasGaps(
                f"each of the {counted(len(rows), 'row')} has a gap in a feature to be drawn; "
                "choose other features, or fill the gaps with impute first."
            )
        at = np.flatnonzero(complete)
        kept = thinned(codes[at])
        return cls(rows[at[kept]], codes[at[kept]], known, int((~complete).sum()), len(at))

    @property
    def notes(self) -> list[str]:
        """What is not drawn, in words."""
        said = []
        if len(self.rows) < self.thinned_from:
            said.append(f"{len(self.rows):,} of {counted(self.thinned_from, 'row')} drawn")
        if self.left_out:
            said.append(f"{counted(self.left_out, 'row')} with gaps left out")
        return said

    def draw(self, ax: Axes, **options: Any) -> None:
        """A scatter a class, each with a colour and a marker of its own."""
        n = len(self.rows)
        size = float(np.clip(36 * (150 / max(n, 1)) ** 0.45, 4, 36))
        shared = {
            "s": size,
            "edgecolors": [ground(ax)],
            "linewidths": 0.4 if n <= MOST_SHAPES else 0.0,
            "alpha": 0.9,
            "zorder": 3,
            "rasterized": n > MOST_SHAPES,
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


def coded(
    y: Any, n: int, classes: Array | None = None, unlabelled: Any = None
) -> tuple[Array, Indices]:
    """The classes, and the position of each row's among them; -1 where the label is missing.

    classes : of a model; those of the labels if None
    unlabelled : what stands for a label that is missing, beside None and NaN
    """
    column = label_column(y)
    values = np.asarray(column)
    if values.ndim == 2 and values.shape[1] == 1:
        column = values = values[:, 0]
    if values.ndim == 1 and len(values) != n:
        raise InvalidInput(
            f"X has {n} rows but y has {len(values)} labels: inconsistent numbers of samples."
        )
    own, codes = partial_classes(column, unlabelled)
    if classes is None:
        present = np.unique(codes[codes >= 0])
        return own[present], np.where(codes < 0, -1, np.searchsorted(present, codes))
    at = np.full(len(own) + 1, -1)
    for c in np.unique(codes[codes >= 0]).tolist():
        at[c] = class_position(classes, own[c].item())
    return classes, at[codes]


def thinned(codes: Indices, most: int = MOST_ROWS) -> Indices:
    """Rows to draw: all, or a random but always the same part of each class."""
    if len(codes) <= most:
        return np.arange(len(codes))
    rng = np.random.default_rng(0)
    share, kept = most / len(codes), []
    for c in np.unique(codes).tolist():
        own = np.flatnonzero(codes == c)
        kept.append(rng.permutation(own)[: max(FEWEST, round(share * len(own)))])
    return np.sort(np.concatenate(kept))
