"""Cloud: the whitened rows of a class, and which classes have no covariance to whiten with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import TooFewRows
from suffice.models.covariances.linalg import Cholesky, Whitener, whitener
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.diagnostic import format_count, list_names, name_features
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.scatter import DenseScatter
from suffice.statistics.statistics import Statistics
from suffice.text import shown


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """A class that has a regular covariance: scatter divided by the weight."""

    position: int
    label: Any
    weight: float
    whitener: Whitener | Cholesky
    kept: Indices  # features that vary in some class; the others are ignored

    @property
    def size(self) -> int:
        """Number of features that are kept."""
        return len(self.kept)


@dataclass(frozen=True, eq=False, slots=True)
class Shapes:
    """The classes that can be tested, and why the others cannot."""

    classes: tuple[Shape, ...]
    left_out: Mapping[Any, str]
    ignored: tuple[int, ...]  # features that vary in no class
    names: tuple[str, ...] | None

    @property
    def note(self) -> str:
        """What was left out, to be added after a sentence."""
        parts = []
        if self.ignored:
            constant = name_features(self.ignored, self.names)
            parts.append(f" Ignored, constant in every class: {constant}.")
        if self.left_out:
            first, *others = self.left_out
            more = f"; likewise {list_names(others)}" if others else ""
            parts.append(f" Left out: class {shown(first)} ({self.left_out[first]}){more}.")
        return "".join(parts)

    @property
    def details(self) -> dict[str, Any]:
        """The same for the details of a diagnostic."""
        return {"left_out": dict(self.left_out), "ignored_features": self.ignored}


def shapes(statistics: Statistics, spare: int, least: int = 1) -> Shapes:
    """The classes of at least `features + spare` rows whose covariance is regular.

    least : how many such classes there must be
    """
    varies = np.asarray(statistics.squares > 0)  # (k, d)
    kept = np.flatnonzero(varies.any(axis=0))
    if not len(kept):
        raise TooFewRows(
            "no feature varies within any class, so there is no spread to test: give each class "
            "several different rows."
        )
    regular: list[Shape] = []
    left_out: dict[Any, str] = {}
    for c, label in enumerate(statistics.classes.tolist()):
        shape = _shape(statistics, c, label, kept, varies[c], spare)
        if isinstance(shape, Shape):
            regular.append(shape)
        else:
            left_out[label] = shape
    ignored = tuple(np.flatnonzero(~varies.any(axis=0)).tolist())
    out = Shapes(tuple(regular), left_out, ignored, statistics.feature_names)
    if len(regular) < least:
        weighted = bool((statistics.count != statistics.weight).any())
        raise TooFewRows(_too_few(out, least, len(kept), weighted))
    return out


def _too_few(found: Shapes, least: int, d: int, weighted: bool) -> str:
    if not found.left_out:
        only = shown(found.classes[0].label)
        return f"there is only class {only}; this compares {least} classes or more."
    have = "no class has a regular covariance"
    if found.classes:
        label = shown(found.classes[0].label)
        have = f"only class {label} has a regular covariance, and this needs {least}"
    remark = " (Weights count as rows.)" if weighted else ""
    fewer = "Collect" if d == 1 else f"Select fewer features than {d}, or collect"
    return (
        f"{have}.{found.note}{remark} {fewer} more rows; LDA, GaussianNB or shrinkage='oas' still "
        "fit such data."
    )


def _shape(
    statistics: Statistics, c: int, label: Any, kept: Indices, varies: Array, spare: int
) -> Shape | str:
    """A class, or why it has no regular covariance."""
    d, weight = len(kept), float(statistics.weight[c])
    rows = min(float(statistics.count[c]), weight)
    if rows < d + spare:
        need = "needs" if d == 1 else "need"
        return f"{format_count(rows, 'row')}; {format_count(d, 'feature')} {need} {d + spare}"
    constant = kept[~varies[kept]].tolist()
    if constant:
        return f"constant in it: {name_features(constant, statistics.feature_names)}"
    own = whitener(scatter_of(statistics, c)[np.ix_(kept, kept)] / weight)
    if own is None:
        return "its features are linearly dependent"
    return Shape(c, label, weight, own, kept)


def scatter_of(statistics: Statistics, c: int) -> Floats:
    """The scatter matrix of a class, (d, d)."""
    spread = statistics.spread
    if isinstance(spread, FactoredScatter):
        rows = spread.factor[spread.owner == c]
        return np.asarray(rows.T @ rows)
    assert isinstance(spread, DenseScatter)
    return np.asarray(spread.sums.high[c])


@dataclass(frozen=True, eq=False, slots=True)
class Cloud:
    """The rows of a class that has a regular covariance."""

    rows: CompleteRows
    shape: Shape
    at: Indices  # (m,): positions of the rows
    weights: Floats  # (m,)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Whitened rows, one block at a time: weighted mean 0, covariance 1 (divisor: weight)."""
        means = self.rows.statistics.means
        kept, c = self.shape.kept, self.shape.position
        low = 0.0 if means.low is None else means.low[c, kept]
        for part, rows in self.rows.blocks(self.at):
            # The mean in two parts: at offsets of 1e8 its rounding error would show.
            steps = (rows[:, kept] - means.high[c, kept]) - low
            out = np.empty((len(steps), self.shape.whitener.rank))
            self.shape.whitener.apply(np.ascontiguousarray(steps), out)
            yield part, out

    def whitened(self) -> Floats:
        """All rows, whitened."""
        return np.concatenate([block for _, block in self.blocks()])

    def squared_lengths(self) -> Floats:
        """Squared Mahalanobis distance of each row to the class mean."""
        return np.concatenate([np.einsum("ij,ij->i", block, block) for _, block in self.blocks()])


def clouds(rows: CompleteRows, found: Shapes) -> Iterator[Cloud]:
    """The rows of each class that can be tested."""
    for shape in found.classes:
        at = rows.table.rows_of(shape.position)
        yield Cloud(rows, shape, at, rows.table.weight[at])


def remarks(rows: CompleteRows, found: Shapes) -> str:
    """What was left out or sampled, to be added after a sentence."""
    text = ""
    if rows.sampled:
        most = int(rows.statistics.count.max())
        text += f" Based on {most} random rows of each larger class."
    if rows.dropped:
        text += f" {format_count(rows.dropped, 'row')} with missing values left out."
    return text + found.note
