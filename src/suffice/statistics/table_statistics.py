"""Table statistics: those of a table with columns of levels (categories), as indicators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.columns.column_kinds import Dates, Levels, Number, SetAside, WrittenNumber
from suffice.data.columns.missing_kinds import WithIndicator
from suffice.data.labels import narrowest
from suffice.data.tables.frame_output import FrameForm
from suffice.data.tables.indicator_rows import check_level_count, every_name
from suffice.data.tables.level_groups import RARE_ROWS, LevelGroups, distinct
from suffice.data.tables.levels import union_of_levels
from suffice.data.tables.table_layout import TableLayout
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, InvalidParameter, Mismatch, NeverIncluded
from suffice.statistics.exact.exact_incomplete import AnyExact, ExactIncomplete
from suffice.statistics.exact.exact_map import feature_sums
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.exact.grid import Grid, check_grid, with_indicators
from suffice.statistics.exact.indicator_checks import check_indicators, impossible_indicators
from suffice.statistics.exact.on_grid import OnGrid
from suffice.statistics.feature_map import FeatureMap
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.shape import positions
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import check_labels
from suffice.text import quote_names, shown

for _kind in (
    *(Number, WrittenNumber, Levels, Dates, SetAside, WithIndicator),
    *(TableLayout, TableReader, FrameForm),
):
    storable(_kind)


@storable
@dataclass(frozen=True, eq=False, slots=True)
class TableStatistics(Savable):
    """Statistics of the numeric columns of a table and of an indicator for each level.

    A value: `a + b` is having seen both, `a - b` never having seen b. A level that one side has
    never seen is zero in all of its rows, so both sides merge exactly; a level that no row has
    any more is removed. Models take `numbers`, in which rare levels are merged and one indicator
    per column is left out: those that are rare among the rows that are there now.

    On a grid (`summarize(..., grid=grid)`), all of it is integers, indicators in units of one: see
    `ExactStatistics`.
    """

    # A level with less than this share of the rows of every class has none: the rest is rounding.
    vanished: ClassVar[float] = 2.0**-40

    # Of numeric features, then of every level of each column.
    every: AnyStatistics | AnyExact = field(repr=False)
    reader: TableReader
    known_levels: tuple[Array, ...]  # sorted, of each column of levels

    @property
    def classes(self) -> Array:
        """Sorted class labels, (k,)."""
        return self.every.classes

    @property
    def count(self) -> Indices:
        """Rows of each class, (k,)."""
        return self.every.count

    @property
    def weight(self) -> Floats:
        """Total weight of each class, (k,)."""
        return self.every.weight

    @property
    def detail(self) -> str:
        """How much is kept: "separate", "shared" or "diagonal"."""
        return self.every.detail

    @property
    def grid(self) -> Grid | None:
        """The grid of the numeric features; None where values are not rounded to one."""
        every = self.every
        if not isinstance(every, OnGrid):
            return None
        return every.grid.take(np.arange(len(self.reader.numeric_names)))

    @property
    def has_fourth(self) -> bool:
        """Whether sums of fourth order are kept: not of levels, which may be merged."""
        return False

    @property
    def form(self) -> str | ExactForm:
        """The detail, with the grid if there is one: equal for statistics that can be added."""
        return ExactForm.of(self.detail, self.grid)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the columns, if they have any."""
        return self.reader.names if self.reader.layout.named else None

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.reader.names)

    @property
    def levels(self) -> dict[int, Array]:
        """The levels of each discrete column, by its position."""
        pairs = zip(self.reader.level_owners, self.known_levels, strict=True)
        both = zip(pairs, self.reader.indicators, strict=True)
        return {j: own for (j, own), is_gap in both if not is_gap}

    @property
    def groups(self) -> tuple[LevelGroups, ...]:
        """The groups of levels of each column, rare ones together."""
        return self.groups_of(RARE_ROWS)

    def groups_of(self, rare: float) -> tuple[LevelGroups, ...]:
        """The groups of levels of each column; those with fewer than `rare` rows are together."""
        names = self.reader.level_names
        parts = zip(names, self.known_levels, self._level_rows(), strict=True)
        return tuple(LevelGroups.of(name, own, rows, rare) for name, own, rows in parts)

    @property
    def numbers(self) -> AnyStatistics:
        """The statistics that models take: numeric features, and indicators of groups of levels."""
        grouped = self._grouped()
        return grouped.numbers if isinstance(grouped, OnGrid) else grouped

    def _grouped(self) -> AnyStatistics | AnyExact:
        """The same, as integers if they are on a grid."""
        numeric, groups = self.reader.numeric_names, self.groups
        sources: list[Sequence[int]] = [[j] for j in range(len(numeric))]
        names = [*numeric]
        for (low, _), own in zip(self._edges(), groups, strict=True):
            members = (np.flatnonzero(own.group == g) for g in range(1, own.size))
            sources += [(low + some).tolist() for some in members]
            names += own.names
        if not sources:
            raise self._constant()
        return FeatureMap.of(sources).apply(self.every, distinct(names))

    def _constant(self) -> InvalidFeatures:
        """The error where no column can tell classes apart."""
        columns = quote_names(self.reader.level_names)
        if not any(map(len, self.known_levels)):
            return InvalidFeatures(
                f"no row has a value in {columns}; fit the model to rows with values first."
            )
        return InvalidFeatures(
            f"no column varies: {columns} have one level each, or only levels with fewer than "
            f"{RARE_ROWS:g} rows, which count as one. Add rows, or use MixedNB, which counts "
            "every level."
        )

    def __add__(self, other: object) -> TableStatistics:
        if not isinstance(other, TableStatistics):
            return NotImplemented
        self._check_reader(other)
        sides = zip(self.reader.level_names, self.known_levels, other.known_levels, strict=True)
        levels = tuple(union_of_levels(a, b, f"column {name!r}") for name, a, b in sides)
        a, b = self.with_levels(levels), other.with_levels(levels)
        return replace(a, every=a.every + b.every)

    def __sub__(self, other: object) -> TableStatistics:
        if not isinstance(other, TableStatistics):
            return NotImplemented
        self._check_reader(other)
        for name, mine, theirs in zip(
            self.reader.level_names, self.known_levels, other.known_levels, strict=True
        ):
            unknown = [level for level in theirs.tolist() if level not in set(mine.tolist())]
            if unknown:
                raise NeverIncluded(
                    f"column {name!r} of the rows to remove holds {shown(unknown[0])}, which no "
                    "row seen has; were they ever added?"
                )
        left = replace(self, every=self.every - other.with_levels(self.known_levels).every)
        reason = left._impossible()
        if reason is not None:
            raise NeverIncluded(f"removing these rows would leave {reason}. Were they ever added?")
        return left.without_empty_levels(self.vanished)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same classes, columns, levels and numbers, up to rounding."""
        if not isinstance(other, TableStatistics):
            return NotImplemented
        return (
            self.reader == other.reader
            and all(map(np.array_equal, self.known_levels, other.known_levels))
            and self.every == other.every
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows, k = int(self.count.sum()), len(self.classes)
        text = f"{rows} rows, {self.n_features} columns, {k} classes, detail={self.detail!r}"
        grid = self.grid
        return f"<TableStatistics of {text}{'' if grid is None else f', {grid.bits} bits'}>"

    def _repr_html_(self) -> str:
        from suffice.statistics.class_table import class_table

        return class_table(self.every, repr(self))

    def coarsen(self, detail: str) -> TableStatistics:
        """The same rows in less detail: "separate" can become "shared" or "diagonal"."""
        return replace(self, every=self.every.coarsen(detail))

    def drop_class(self, label: Any) -> TableStatistics:
        """The statistics without one class, as if its rows had never been seen."""
        left = replace(self, every=self.every.drop_class(label))
        return left.without_empty_levels(self.vanished)

    def select(self, features: Iterable[int] | Iterable[str]) -> TableStatistics:
        """The statistics of some columns, by name or position, in the order given."""
        names = self.reader.names
        at = positions(features, names if self.reader.layout.named else (), len(names))
        reader = self.reader.only([names[j] for j in at.tolist()])
        chosen = [self.reader.numeric_names.index(name) for name in reader.numeric_names]
        places = [self.reader.level_names.index(name) for name in reader.level_names]
        edges = self._edges()
        chosen += [j for i in places for j in range(*edges[i])]
        levels = tuple(self.known_levels[i] for i in places)
        mapping = FeatureMap.of([[j] for j in chosen])
        every = mapping.apply(self.every, every_name(reader, levels))
        return TableStatistics(every, reader, levels)

    def regrid(self, grid: Grid) -> TableStatistics:
        """The same statistics with the numeric features on another grid.

        See `ExactStatistics.regrid`.
        """
        every = self.every
        if not isinstance(every, OnGrid):
            raise InvalidParameter(
                "these statistics are on no grid; summarize the rows with grid=grid."
            )
        check_grid(grid, optional=False)
        return replace(self, every=every.regrid(self._widened(grid)))

    def private(self, *args: Any, **options: Any) -> NoReturn:
        """Raises: which levels (categories) occur is a fact about the rows."""
        raise InvalidParameter(
            "a private release takes numbers: which levels (categories) occur would show. "
            "Summarize numeric columns, or indicators of levels that are known to everybody."
        )

    def validated(self) -> Self:
        """These statistics, if the numbers are those of the levels; a ValueError otherwise."""
        if len(self.known_levels) != len(self.reader.level_names):
            raise ValueError("there is not one list of levels for each column of levels")
        for levels in self.known_levels:
            check_labels("levels", levels)
        if self.every.feature_names != every_name(self.reader, self.known_levels):
            raise ValueError("there is not one feature for each number and level")
        shares = self.every.mean[:, len(self.reader.numeric_names) :]
        if (shares < -self.vanished).any() or (shares > 1 + self.vanished).any():
            raise ValueError("a level has less than no rows, or more than all")
        every, grid = self.every, self.grid
        if grid is not None and isinstance(every, OnGrid) and every.grid != self._widened(grid):
            raise ValueError("the indicators of levels are not in units of one")
        if isinstance(every, OnGrid):
            sizes = [len(self.reader.numeric_names), *map(len, self.known_levels)]
            check_indicators(every, np.repeat(np.arange(len(sizes)) - 1, sizes))
        reason = self._impossible()
        if reason is not None:
            raise ValueError(f"no rows have such sums: {reason}")
        return self

    def _impossible(self) -> str | None:
        """Why no rows can have the sums of the indicators, as far as integers tell."""
        if not isinstance(self.every, OnGrid):
            return None
        return impossible_indicators(self.every, len(self.reader.numeric_names))

    def with_levels(self, levels: tuple[Array, ...]) -> TableStatistics:
        """The same rows among other levels: new ones are zero in all rows, lost ones must be."""
        if all(map(_same, self.known_levels, levels)):
            return replace(self, known_levels=levels)
        p, sides = len(self.reader.numeric_names), (self.known_levels, levels)
        mapped = FeatureMap.to_levels(p, self._edges(), *sides)
        names = every_name(self.reader, levels)
        return replace(self, every=mapped.apply(self.every, names), known_levels=levels)

    def without_empty_levels(self, vanished: float = 0.0) -> TableStatistics:
        """The same statistics without levels that no row of positive weight has.

        vanished : the share of all rows below which the rows of a level are rounding
        """
        rows = self._level_rows()
        least = 0.0 if isinstance(self.every, OnGrid) else vanished * self.count.sum()
        kept = [narrowest(own[n > least]) for own, n in zip(self.known_levels, rows, strict=True)]
        return self.with_levels(tuple(kept))

    def level_weights(self) -> Floats:
        """The weight of each level of each column in each class, (k, levels)."""
        every, p = self.every, len(self.reader.numeric_names)
        if isinstance(every, OnGrid):
            return feature_sums(every)[:, p:]
        return np.asarray((every.mean * every.known_weight)[:, p:])

    def _level_rows(self) -> list[Floats]:
        """How many rows each level has, in units of the mean weight of a row."""
        weight = self.weight.sum()
        each = self.level_weights().sum(axis=0)
        each = each * (self.count.sum() / weight if weight > 0 else 1.0)
        p = len(self.reader.numeric_names)
        return [np.asarray(each[low - p : high - p]) for low, high in self._edges()]

    def _widened(self, grid: Grid) -> Grid:
        """The grid of all features, from that of the numeric ones."""
        names = every_name(self.reader, self.known_levels)
        return with_indicators(grid, names, len(self.reader.numeric_names))

    def _edges(self) -> list[tuple[int, int]]:
        """Where the indicators of each column of levels start and end."""
        at = len(self.reader.numeric_names) + np.cumsum([0, *map(len, self.known_levels)])
        return list(zip(at[:-1].tolist(), at[1:].tolist(), strict=True))

    def _check_reader(self, other: TableStatistics) -> None:
        if self.reader != other.reader:
            raise Mismatch(
                f"{self.reader.layout.difference(other.reader.layout)}. Describe the columns once, "
                "and pass columns=suffice.describe(X) to both models."
            )


RowStatistics: TypeAlias = AnyStatistics | TableStatistics | ExactStatistics | ExactIncomplete


def added(a: Any, b: Any) -> Any:
    """Statistics of rows that are read in parts, added; too many levels are an error."""
    total = a + b
    if isinstance(total, TableStatistics):
        check_level_count(total.reader, total.known_levels)
    return total


def _same(a: Array, b: Array) -> bool:
    return a is b or (len(a) == len(b) and bool(np.all(a == b)))
