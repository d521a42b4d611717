"""Counts: how often each level of each feature occurs in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import class_position, narrowest
from suffice.data.tables.levels import union_of_levels
from suffice.errors import LostPrecision, Mismatch, NeverIncluded
from suffice.statistics.alignment import align
from suffice.statistics.level_table import LevelTable
from suffice.statistics.removal import lost_precision
from suffice.statistics.shape import names_at, positions
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import check_counts, check_labels, check_names
from suffice.text import shown


@storable
@dataclass(frozen=True, eq=False, slots=True)
class Counts(Savable):
    """Sufficient statistics of labelled rows of categories, made by `suffice.count_levels`.

    A value: `a + b` is having seen both, `a - b` never having seen b.

    Attributes
    ----------
    classes : (k,) sorted class labels
    count, weight : (k,) rows of each class and their total weight
    tables : for each feature its categories (`levels`, (m,)), the `rows` and `weight` (k, m) of
        each, and which of them the column type `declared` (m,); missing values are not
        counted
    feature_names : names of the features, or None
    """

    classes: Array
    count: Indices
    weight: Floats
    tables: tuple[LevelTable, ...]
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for array in (self.classes, self.count, self.weight):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__, so that copies are locked too.
        return Counts, (self.classes, self.count, self.weight, self.tables, self.feature_names)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.tables)

    @property
    def detail(self) -> str:
        """Always "counts"."""
        return "counts"

    @property
    def levels(self) -> dict[int, Array]:
        """The levels of each feature, by its position."""
        return {j: table.levels for j, table in enumerate(self.tables)}

    def coarsen(self, detail: str) -> Counts:
        """The same counts: they have one detail."""
        return self

    def __add__(self, other: object) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        at, mine, theirs = _align_tables(self, other)
        tables = tuple(a + b for a, b in zip(mine, theirs, strict=True))
        count, weight = at.added(self.count, other.count), at.added(self.weight, other.weight)
        return Counts(at.classes, count, weight, tables, self.feature_names)

    def __sub__(self, other: object) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        at, mine, theirs = _align_tables(self, other)
        if at.size > len(self.classes):
            new = np.setdiff1d(other.classes, self.classes)
            raise NeverIncluded(f"there are no rows of class {shown(new[0])} to remove.")
        count, weight = self.count.copy(), self.weight.copy()
        count[at.right] -= other.count
        weight[at.right] -= other.weight
        tables = [a - b for a, b in zip(mine, theirs, strict=True)]
        _check_included(self, other, count, weight, tables)
        _check_precision(self, count, weight, mine, tables)
        kept = count > 0
        left = tuple(table.keep_classes(kept) for table in tables)
        classes = narrowest(at.classes[kept])
        return Counts(classes, count[kept], weight[kept], left, self.feature_names)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same classes, features, levels and counts, up to rounding."""
        if not isinstance(other, Counts):
            return NotImplemented
        if self.feature_names != other.feature_names or self.n_features != other.n_features:
            return False
        if not _same(self.classes, other.classes) or not np.array_equal(self.count, other.count):
            return False
        return np.allclose(self.weight, other.weight, 1e-10, 0) and all(
            _same(a.levels, b.levels)
            and np.array_equal(a.declared, b.declared)
            and np.array_equal(a.rows, b.rows)
            and np.allclose(a.weight, b.weight, 1e-10, 1e-10 * float(self.weight.max(initial=0)))
            for a, b in zip(self.tables, other.tables, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        k, rows = len(self.classes), int(self.count.sum())
        return f"<Counts of {rows} rows, {self.n_features} features, {k} classes>"

    def select(self, features: Any) -> Counts:
        """The counts of some features, by name or position, in the order given."""
        at = positions(features, self.feature_names or (), self.n_features)
        names = names_at(self.feature_names, at)
        return replace(self, tables=tuple(self.tables[i] for i in at), feature_names=names)

    def drop_class(self, label: Any) -> Counts:
        """The counts without one class, as if its rows had never been seen."""
        at = class_position(self.classes, label)
        kept = np.arange(len(self.classes)) != at
        return replace(
            self,
            classes=narrowest(self.classes[kept]),
            count=self.count[kept],
            weight=self.weight[kept],
            tables=tuple(table.keep_classes(kept) for table in self.tables),
        )

    def validated(self) -> Self:
        """These counts, if rows can have them; a ValueError otherwise."""
        check_labels("classes", self.classes)
        check_counts(self.count, self.weight, len(self.classes))
        if not self.tables:
            raise ValueError("there are no features")
        check_names(self.feature_names, len(self.tables))
        # Relative rounding by which weights of levels may exceed those of rows.
        rounding = 1e-9
        for table in self.tables:
            if len(table.rows) != len(self.classes):
                raise ValueError("there are not as many counts as classes")
            # As floats: a sum of integers would overflow silently.
            if (table.rows.sum(axis=1, dtype=np.float64) > self.count).any():
                raise ValueError("there are more values than rows")
            if (table.weight.sum(axis=1) > self.weight * (1 + rounding)).any():
                raise ValueError("values have more weight than rows")
        return self


def _align_tables(a: Counts, b: Counts) -> tuple[Any, list[LevelTable], list[LevelTable]]:
    """The alignment of classes, and the tables of both over all classes and levels."""
    if a.n_features != b.n_features:
        raise Mismatch(f"one side has {a.n_features} features and the other {b.n_features}.")
    if a.feature_names != b.feature_names:
        raise Mismatch("the two sides have different feature names, or a different order of them.")
    at = align(a.classes, b.classes)
    mine, theirs = [], []
    for j, (x, y) in enumerate(zip(a.tables, b.tables, strict=True)):
        name = j if a.feature_names is None else a.feature_names[j]
        levels = union_of_levels(x.levels, y.levels, f"feature {shown(name)}")
        mine.append(x.spread(at.left, at.size, levels))
        theirs.append(y.spread(at.right, at.size, levels))
    return at, mine, theirs


def _check_included(
    whole: Counts, removed: Counts, count: Indices, weight: Floats, tables: list[LevelTable]
) -> None:
    if (count < 0).any():
        c = int(np.flatnonzero(count < 0)[0])
        raise NeverIncluded(
            f"class {shown(whole.classes[c])} has {whole.count[c]} rows, fewer than are to be "
            "removed."
        )
    slack = -1e-9 * whole.weight[:, None]
    for j, table in enumerate(tables):
        too_many = table.rows.sum(axis=1, keepdims=True) > count[:, None]
        wrong = (table.rows < 0) | (table.weight < slack) | too_many
        if wrong.any():
            c, level = (int(at[0]) for at in np.nonzero(wrong))
            name = j if whole.feature_names is None else repr(whole.feature_names[j])
            raise NeverIncluded(
                f"class {shown(whole.classes[c])} has fewer rows with level "
                f"{shown(table.levels[level])} of feature {name} than are to be removed; were "
                "they ever added, with the same weights?"
            )
    if ((count > 0) & (weight <= 0)).any():
        c = int(np.flatnonzero((count > 0) & (weight <= 0))[0])
        raise NeverIncluded(
            f"class {shown(whole.classes[c])} has rows left but no weight; were the rows to "
            "remove ever added, with the same weights?"
        )


def _check_precision(
    whole: Counts, count: Indices, weight: Floats, before: list[LevelTable], after: list[LevelTable]
) -> None:
    lost = lost_precision(whole.count, whole.weight, count, weight)
    for a, b in zip(before, after, strict=True):
        lost |= lost_precision(a.rows, a.weight, b.rows, b.weight).any(axis=1)
    if lost.any():
        raise LostPrecision(
            f"what remains of class {shown(whole.classes[int(lost.argmax())])}, or of a level in "
            "it, weighs too little beside what was removed to keep eight digits; count the "
            "remaining rows again."
        )


def _same(a: Array, b: Array) -> bool:
    return (a.dtype.kind == b.dtype.kind or not len(a)) and np.array_equal(a, b)
