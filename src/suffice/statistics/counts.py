"""Counts: how often each level of each feature occurs in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import class_position, narrowest
from suffice.data.levels import union_of_levels
from suffice.errors import LostPrecision, Mismatch, NeverIncluded
from suffice.statistics.alignment import align
from suffice.statistics.registry import storable
from suffice.statistics.removal import lost_precision
from suffice.statistics.saving import Savable
from suffice.statistics.shape import positions
from suffice.statistics.soundness import check_counts, check_labels, check_names
from suffice.text import shown


@storable
@dataclass(frozen=True, slots=True)
class LevelTable:
    """One feature: rows and weight of each level, by class.

    A level exists because some row has it, or because the type of the column declares it (a
    pandas Categorical, a polars Enum, an Arrow dictionary). Removing its last row removes an
    undeclared level; a declared one stays, like the name of the column.
    """

    levels: Array  # (m,) sorted
    rows: Indices  # (k, m)
    weight: Floats  # (k, m)
    declared: Array  # (m,) bool: whether the column type declares the level

    def __post_init__(self) -> None:
        for array in (self.levels, self.rows, self.weight, self.declared):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__, so that copies are locked too.
        return LevelTable, (self.levels, self.rows, self.weight, self.declared)

    def validated(self) -> Self:
        """This table, if it has numbers of rows and weights by level; a ValueError otherwise."""
        check_labels("levels", self.levels)
        m = self.levels.shape
        if self.rows.ndim != 2 or self.rows.shape[1:] != m or self.weight.shape != self.rows.shape:
            raise ValueError("there are not as many counts as levels")
        if self.declared.shape != m or self.declared.dtype != np.bool_:
            raise ValueError("it does not say for each level whether it was declared")
        if (self.rows < 0).any() or (self.weight < 0).any():
            raise ValueError("a number of rows or a weight is negative")
        if ((self.weight > 0) & (self.rows == 0)).any():
            raise ValueError("a level has weight but no rows")
        if not (self.rows.any(axis=0) | self.declared).all():
            raise ValueError("a level has no rows and was not declared")
        return self

    def __add__(self, other: LevelTable) -> LevelTable:
        """Both, of the same classes and levels."""
        declared = self.declared | other.declared
        return LevelTable(self.levels, self.rows + other.rows, self.weight + other.weight, declared)

    def __sub__(self, other: LevelTable) -> LevelTable:
        """The first without the second, of the same classes and levels."""
        return LevelTable(
            self.levels, self.rows - other.rows, self.weight - other.weight, self.declared
        )

    def spread(self, at: Any, k: int, levels: Array) -> LevelTable:
        """The same table with more classes, and with the levels that occur in some row."""
        # A level that only the column type declares may be absent from `levels`.
        own = np.isin(self.levels, levels)
        columns = np.searchsorted(levels, self.levels[own])
        rows, weight = np.zeros((k, len(levels)), np.int64), np.zeros((k, len(levels)))
        where = np.ix_(np.arange(k)[at], columns)
        rows[where], weight[where] = self.rows[:, own], self.weight[:, own]
        declared = np.zeros(len(levels), bool)
        declared[columns] = self.declared[own]
        return LevelTable(levels, rows, weight, declared)

    def declare(self, declared: Array) -> LevelTable:
        """The same table with levels that stay even if no row has them."""
        levels = np.union1d(self.levels, declared) if len(self.levels) else declared
        table = self.spread(slice(None), len(self.rows), levels)
        return replace(table, declared=table.declared | np.isin(levels, declared))

    def keep_classes(self, kept: Array) -> LevelTable:
        """The table of some classes, with the levels that their rows have and declared ones."""
        return LevelTable(self.levels, self.rows[kept], self.weight[kept], self.declared).trim()

    def trim(self) -> LevelTable:
        """Without levels that no row has and that were not declared."""
        kept = self.rows.any(axis=0) | self.declared
        weight = np.where(self.rows > 0, self.weight, 0.0)
        levels = narrowest(self.levels[kept])
        # Without levels left, their dtype must not depend on the levels that were removed.
        if not len(levels) or (levels.dtype.kind == "f" and (levels == np.floor(levels)).all()):
            levels = levels.astype(np.int64)
        return LevelTable(levels, self.rows[:, kept], weight[:, kept], self.declared[kept])


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
        k = at.size
        count, weight = np.zeros(k, np.int64), np.zeros(k)
        for part, where in ((self, at.left), (other, at.right)):
            count[where] += part.count
            weight[where] += part.weight
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
        names = self.feature_names
        at = positions(features, names or (), self.n_features)
        chosen = None if names is None else tuple(names[i] for i in at)
        return replace(self, tables=tuple(self.tables[i] for i in at), feature_names=chosen)

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
