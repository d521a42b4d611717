"""Table layout: the columns that a model learned from, and how those of later tables are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.data.columns.cell_reading import cells_of
from suffice.data.columns.column_kinds import ColumnKind, Dates, Levels, Number, Target
from suffice.data.columns.column_options import MISSING_TEXTS, ColumnOptions
from suffice.data.columns.column_rules import describe_column
from suffice.data.columns.described_column import DescribedColumn
from suffice.data.columns.missing_kinds import Ignored, WithIndicator
from suffice.data.tables.prepared_table import PreparedColumn
from suffice.data.tables.table import check_lacks_none, check_unique, plain_name
from suffice.data.tables.user_table import numbered, table_columns
from suffice.errors import InvalidFeatures
from suffice.text import quote_names


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Names and kinds of the columns of a table; nothing about its rows.

    >>> rows = [["red", "$1,200"], ["blue", "$900"], ["red", "?"]]
    >>> layout = TableLayout.of(rows)
    >>> layout.kinds
    (Levels(values='text', keeps=()), WrittenNumber(decimal='.', strict=True))
    >>> layout.read([["green", "$1,050.50"]])[1].values
    array([1050.5])
    """

    names: tuple[str, ...]
    kinds: tuple[ColumnKind, ...]
    missing: tuple[str, ...] = ()  # texts that mean a missing value
    named: bool = True  # False where columns are known by position

    @classmethod
    def of(cls, X: Any, target: Any = None, **options: Any) -> TableLayout:
        """The layout of a table; options as of `describe`."""
        chosen = ColumnOptions(**options)
        columns, named = describe_columns(X, target, chosen)
        return cls.of_columns(columns, chosen.markers, named)

    @classmethod
    def of_columns(
        cls, columns: Sequence[DescribedColumn], missing: tuple[str, ...], named: bool
    ) -> TableLayout:
        """The layout of described columns, without the target."""
        kept = [column for column in columns if not isinstance(column.kind, Target)]
        names = tuple(column.name for column in kept)
        return cls(names, tuple(column.kind for column in kept), missing, named)

    @classmethod
    def of_features(
        cls, features: Sequence[str], levels: Mapping[str, Array], columns: Collection[str]
    ) -> TableLayout:
        """The layout of a table with the features of a model.

        levels : of the discrete features
        columns : of the table; a feature such as "born (year)" may be a part of one of them
        """
        kinds: dict[str, ColumnKind] = {}
        parts: dict[str, list[str]] = {}
        for feature in features:
            column, _, part = feature.removesuffix(")").rpartition(" (")
            if feature in levels:
                kinds[feature] = Levels.of(levels[feature], MISSING_TEXTS)
            elif feature in columns or column not in columns:
                kinds[feature] = Number()
            else:
                parts.setdefault(column, []).append(part)
                kinds[column] = Dates(tuple(parts[column]))
        return cls(tuple(kinds), tuple(kinds.values()), MISSING_TEXTS)

    def validated(self) -> Self:
        """This layout, if each column has a name and a kind; a ValueError otherwise."""
        if len(self.names) != len(self.kinds) or len({*self.names}) < len(self.names):
            raise ValueError("the columns do not have one name and one kind each")
        return self

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that `read` returns."""
        return tuple(
            feature for name, kind in self.by_name.items() for feature in kind.features(name)
        )

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that are not set aside."""
        return tuple(name for name, kind in self.by_name.items() if kind.features(name))

    @property
    def by_name(self) -> dict[str, ColumnKind]:
        """What each column is."""
        return dict(zip(self.names, self.kinds, strict=True))

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers, none of them set aside."""
        return all(isinstance(kind, Number) for kind in self.kinds)

    def ignoring(self, columns: Collection[str]) -> TableLayout:
        """The same layout with these columns read as missing in every row."""
        kinds = (Ignored(kind) if name in columns else kind for name, kind in self.by_name.items())
        return replace(self, kinds=tuple(kinds))

    def without(self, names: Collection[str]) -> TableLayout:
        """The layout of a table without some columns, if it has them."""
        kept = {name: kind for name, kind in self.by_name.items() if name not in names}
        return TableLayout(tuple(kept), tuple(kept.values()), self.missing, self.named)

    def difference(self, other: TableLayout) -> str:
        """In words, what two layouts do not read alike."""
        if self.used != other.used:
            return (
                f"the two sides have different columns: {quote_names(self.used)} and "
                f"{quote_names(other.used)}"
            )
        for name, mine in self.by_name.items():
            theirs = other.by_name.get(name)
            if theirs is not None and mine != theirs:
                if (mine.label, mine.features(name)) == (theirs.label, theirs.features(name)):
                    return f"column {name!r} is {mine} on one side and {theirs} on the other"
                kinds = [
                    f"{one.label} ({quote_names(one.features(name))})" for one in (mine, theirs)
                ]
                return f"column {name!r} is {kinds[0]} on one side and {kinds[1]} on the other"
        return "the two sides read missing values, or columns that are not used, differently"

    def read(self, X: Any, first_row: int = 0) -> tuple[PreparedColumn, ...]:
        """The features of a table: columns are found by name, in any order; others are ignored.

        first_row : number of the first row, for messages
        """
        check_unique(self.features, "X", "feature", InvalidFeatures)
        columns = self._columns(X)
        return tuple(
            feature
            for name, kind in self.by_name.items()
            if name in columns
            for feature in kind.read(name, cells_of(columns[name], first_row), self.missing)
        )

    def _columns(self, X: Any) -> dict[str, Any]:
        """The columns to be read, by the names that they have here."""
        columns, own_names = table_columns(X)
        if self.named and own_names is not None:
            names = list(map(plain_name, own_names))
            advice = " Where nothing is known of them, add them with missing values."
            check_lacks_none(self.used, names, "X", advice=advice)
            by_name = dict(zip(names, columns, strict=True))
            return {name: by_name[name] for name in self.used}
        if len(columns) != len(self.names):
            raise InvalidFeatures(
                f"X has {len(columns)} columns, where {len(self.names)} are expected, found by "
                f"position: {quote_names(self.names)}."
            )
        return {
            name: column
            for name, column in zip(self.names, columns, strict=True)
            if name in self.used
        }


def describe_columns(
    X: Any, target: Any, options: ColumnOptions
) -> tuple[list[DescribedColumn], bool]:
    """The columns of a table, and whether they have names."""
    columns, own_names = table_columns(X)
    names = numbered(len(columns)) if own_names is None else tuple(map(plain_name, own_names))
    check_unique(names, "X", error=InvalidFeatures)
    roles = options.roles(names, target)
    described = [
        describe_column(name, cells_of(column), roles.get(j), options)
        for j, (name, column) in enumerate(zip(names, columns, strict=True))
    ]
    if options.indicates:
        described = list(map(_with_indicator, described))
    return described, own_names is not None


def _with_indicator(column: DescribedColumn) -> DescribedColumn:
    """The column with an indicator of its missing values, if it is used and has any."""
    if not column.missing or not column.kind.features(column.name):
        return column
    why = f"{column.why}; whether it is missing is a feature, too"
    return replace(column, kind=WithIndicator(column.kind), why=why)
