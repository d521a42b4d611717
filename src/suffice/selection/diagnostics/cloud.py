"""Cloud: the rows of a class, whitened; and which classes have no covariance to do it with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown
from suffice.errors import TooFewRows
from suffice.models.linalg import Cholesky, Whitener, whitener
from suffice.selection.diagnostics.diagnostic import counted, listed, named
from suffice.selection.diagnostics.table import Table
from suffice.statistics.scatter import Dense
from suffice.statistics.statistics import Statistics
from suffice.statistics.thin import Thin


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """A class that has a regular covariance: scatter divided by the weight."""

    position: int
    label: Any
    weight: float
    whitener: Whitener | Cholesky
    kept: Indices  # features that vary somewhere; others are left out

    @property
    def size(self) -> int:
        """How many features there are."""
        return len(self.kept)


@dataclass(frozen=True, eq=False, slots=True)
class Shapes:
    """The classes that can be judged, and why the others cannot."""

    classes: tuple[Shape, ...]
    left_out: Mapping[Any, str]
    ignored: tuple[int, ...]  # features that vary in no class
    names: tuple[str, ...] | None

    @property
    def note(self) -> str:
        """What was left out, as the end of a sentence's paragraph."""
        parts = []
        if self.ignored:
            words = [named(j, self.names) for j in self.ignored[:5]]
            more = f" and {len(self.ignored) - 5} more" * (len(self.ignored) > 5)
            parts.append(f" Ignored, constant in every class: {', '.join(words)}{more}.")
        if self.left_out:
            first = next(iter(self.left_out))
            more = ""
            if len(self.left_out) > 1:
                more = f"; likewise {listed(list(self.left_out)[1:])}"
            parts.append(f" Left out: class {shown(first)} ({self.left_out[first]}){more}.")
        return "".join(parts)


def shapes(statistics: Statistics, spare: int, least: int = 1) -> Shapes:
    """The classes of at least `features + spare` rows whose covariance is regular.

    least : how many such classes there must be
    """
    varies = _varies(statistics)
    kept = np.flatnonzero(varies.any(axis=0))
    names = statistics.feature_names
    if not len(kept):
        raise TooFewRows(
            "no feature varies within any class, so there is no spread to judge: give each "
            "class several different rows."
        )
    found: list[Shape] = []
    left_out: dict[Any, str] = {}
    for c, label in enumerate(statistics.classes.tolist()):
        shape = _shape(statistics, c, label, kept, varies[c], spare)
        if isinstance(shape, Shape):
            found.append(shape)
        else:
            left_out[label] = shape
    out = Shapes(tuple(found), left_out, tuple(np.flatnonzero(~varies.any(axis=0)).tolist()), names)
    if len(found) < least:
        raise TooFewRows(_too_few(out, least, len(kept)))
    return out


def _too_few(found: Shapes, least: int, d: int) -> str:
    if not found.left_out:
        only = shown(found.classes[0].label)
        return f"there is only class {only}; this compares {least} classes or more."
    have = "no class" if not found.classes else f"only class {shown(found.classes[0].label)}"
    return (
        f"{have} has a regular covariance, and this takes {least}.{found.note} (Weights count as "
        f"rows.) Select fewer features than {d}, or gather more rows; LDA, GaussianNB or "
        "shrinkage='oas' still fit such data."
    )


def _shape(
    statistics: Statistics, c: int, label: Any, kept: Indices, varies: Array, spare: int
) -> Shape | str:
    d, weight = len(kept), float(statistics.weight[c])
    rows = min(float(statistics.count[c]), weight)
    if rows < d + spare:
        return f"{counted(rows, 'row')}; {counted(d, 'feature')} need {d + spare}"
    names = statistics.feature_names
    constant = kept[~varies[kept]]
    if len(constant):
        words = ", ".join(named(int(j), names) for j in constant[:5])
        return f"constant in it: {words}"
    found = whitener(scatter_of(statistics, c)[np.ix_(kept, kept)] / weight)
    if found is None:
        return "its features are linearly dependent"
    return Shape(c, label, weight, found, kept)


def scatter_of(statistics: Statistics, c: int) -> Floats:
    """The scatter matrix of a class, (d, d)."""
    spread = statistics.spread
    if isinstance(spread, Thin):
        rows = spread.factor[spread.owner == c]
        return np.asarray(rows.T @ rows)
    assert isinstance(spread, Dense)
    return np.asarray(spread.sums.high[c])


def _varies(statistics: Statistics) -> Array:
    """Which features vary in which class, (k, d)."""
    return np.asarray(statistics.squares > 0)


@dataclass(frozen=True, eq=False, slots=True)
class Cloud:
    """The rows of a class that has a regular covariance."""

    table: Table
    shape: Shape
    at: Indices  # (m,): positions of the rows in the table
    weights: Floats  # (m,)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Whitened rows a block at a time: their mean is 0 and their covariance 1.

        The mean is that of the weights, the covariance that of divisor `weight`.
        """
        means = self.table.statistics.means
        kept, c = self.shape.kept, self.shape.position
        low = 0.0 if means.low is None else means.low[c, kept]
        for start, rows in self.table.blocks(self.at):
            # The mean in two parts: at offsets of 1e8 its rounding error would show.
            steps = (rows[:, kept] - means.high[c, kept]) - low
            out = np.empty((len(steps), self.shape.whitener.rank))
            self.shape.whitener.apply(np.ascontiguousarray(steps), out)
            yield slice(start, start + len(rows)), out

    def whitened(self) -> Floats:
        """All rows, whitened."""
        out = np.empty((len(self.at), self.shape.size))
        for rows, part in self.blocks():
            out[rows] = part
        return out

    def squared_lengths(self) -> Floats:
        """Squared Mahalanobis distance of each row to the class mean."""
        out = np.empty(len(self.at))
        for rows, part in self.blocks():
            out[rows] = np.einsum("ij,ij->i", part, part)
        return out


def clouds(table: Table, found: Shapes) -> Iterator[Cloud]:
    """The rows of each class that can be judged."""
    for shape in found.classes:
        at = table.rows(shape.position)
        yield Cloud(table, shape, at, table.weights_at(at))


def remarks(table: Table, found: Shapes) -> str:
    """What was left out or drawn, as the end of a sentence's paragraph."""
    text = ""
    if table.drawn:
        most = int(table.statistics.count.max())
        text += f" Judged by {most} random rows of each larger class."
    if table.dropped:
        text += f" {counted(table.dropped, 'row')} with missing values left out."
    return text + found.note
