"""Table reader: the rows of a table with a layout as features; `table_writing` is the way back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.columns.column_kinds import Levels, Number
from suffice.data.columns.missing_kinds import WithIndicator
from suffice.data.columns.text_rules import looks_like_id
from suffice.data.features import as_frame
from suffice.data.gaps import is_missing
from suffice.data.tables.frame_output import frame_kind
from suffice.data.tables.prepared_table import PreparedTable
from suffice.data.tables.shared_reading import read_once
from suffice.data.tables.table_layout import TableLayout
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.text import shown


class _Feature(NamedTuple):
    """A feature of a table."""

    name: str
    owner: int  # the position of the column that it belongs to
    is_discrete: bool
    is_indicator: bool  # of missing values


@dataclass(frozen=True)
class TableReader:
    """Converts tables of a layout to numeric features and columns of levels.

    >>> reader = TableReader.of([["red", 1.5], ["blue", 2.0], ["red", None]])
    >>> reader.numeric_names, reader.level_names
    (('x2',), ('x1',))
    >>> reader.read([["green", 7]]).numbers
    array([[7.]])
    """

    layout: TableLayout

    @classmethod
    def of(cls, X: Any, columns: Any = None) -> TableReader | None:
        """The reader of a table that holds more than numbers; None for one of numbers alone.

        columns : a description or a layout of the table, if the user has made one
        """
        if columns is not None:
            return cls.described(columns)
        return read_once(X, "reader", lambda: cls._by_detection(X))

    @classmethod
    def _by_detection(cls, X: Any) -> TableReader | None:
        return None if holds_numbers(X) else cls.of_layout(TableLayout.of(X))

    @classmethod
    def described(cls, columns: Any) -> TableReader:
        """The reader by a description or a layout."""
        layout = given_layout(columns)
        if layout is None:
            raise InvalidParameter(
                f"columns is {shown(columns)}; it must be what suffice.describe(X) returns."
            )
        if not layout.used:
            raise InvalidParameter(
                "columns sets every column aside, which leaves no feature; say how to read some of "
                "them, as in columns=suffice.describe(X, categorical=[...])."
            )
        return cls(layout)

    @classmethod
    def of_layout(cls, layout: TableLayout) -> TableReader | None:
        """The reader by a layout; None where all columns are numbers, and none is set aside."""
        if layout.is_plain:
            return None
        # Why a column is set aside that can be used if the user says so.
        usable = ("names or free text", "too many levels", "id", "unclear dates")
        if not layout.used:
            reasons = {name: getattr(kind, "reason", "") for name, kind in layout.by_name.items()}
            if not any(reason in usable for reason in reasons.values()):
                return None
            listed = "; ".join(f"{name!r}: {reason}" for name, reason in reasons.items())
            raise InvalidFeatures(
                f"no column of X can be a feature ({listed}). See suffice.describe(X), and say "
                "what they are: columns=suffice.describe(X, categorical=[...])."
            )
        return cls(layout)

    def validated(self) -> Self:
        """This reader, if it has features; a ValueError otherwise."""
        if not self.names:
            raise ValueError("no column is used")
        if len(set(self.feature_names)) < len(self.feature_names):
            raise ValueError("two features have the same name")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are used."""
        return self.layout.used

    @cached_property
    def _features(self) -> list[_Feature]:
        """All features, in the order of the columns."""
        return [
            _Feature(
                feature,
                self.names.index(name),
                feature in kind.discrete(name),
                isinstance(kind, WithIndicator) and feature == kind.features(name)[-1],
            )
            for name, kind in self.layout.by_name.items()
            for feature in kind.features(name)
        ]

    @cached_property
    def _levels(self) -> list[_Feature]:
        return [feature for feature in self._features if feature.is_discrete]

    @cached_property
    def _numbers(self) -> list[_Feature]:
        return [feature for feature in self._features if not feature.is_discrete]

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all features, in the order of the columns."""
        return tuple(feature.name for feature in self._features)

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The position of the column that each feature belongs to."""
        return tuple(feature.owner for feature in self._features)

    @cached_property
    def numeric_names(self) -> tuple[str, ...]:
        """Names of the numeric features."""
        return tuple(feature.name for feature in self._numbers)

    @cached_property
    def numeric_owners(self) -> tuple[int, ...]:
        """The position of the column that each numeric feature belongs to."""
        return tuple(feature.owner for feature in self._numbers)

    @cached_property
    def level_names(self) -> tuple[str, ...]:
        """Names of the columns of levels."""
        return tuple(feature.name for feature in self._levels)

    @cached_property
    def level_owners(self) -> tuple[int, ...]:
        """The positions of the columns of levels."""
        return tuple(feature.owner for feature in self._levels)

    @cached_property
    def indicators(self) -> tuple[bool, ...]:
        """Which of the columns of levels are indicators of missing values."""
        return tuple(feature.is_indicator for feature in self._levels)

    @cached_property
    def level_places(self) -> dict[int, int]:
        """The position of the column of each feature of levels that is not such an indicator."""
        return {
            i: feature.owner
            for i, feature in enumerate(self._features)
            if feature.is_discrete and not feature.is_indicator
        }

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns whose cells are read as text, where they have no type."""
        numbers = (Number(), Levels("numbers"))
        kinds = self.layout.by_name
        return tuple(name for name in self.names if kinds[name] not in numbers)

    def read(self, X: Any, first_row: int = 0) -> PreparedTable:
        """The features of a table, in the order of its columns.

        first_row : number of the first row, for messages
        """
        if isinstance(X, ReadTable) and X.reader == self:
            return X.table
        return read_once(
            X, (self, first_row), lambda: PreparedTable(self.layout.read(X, first_row))
        )

    def prepare_row(self, values: Sequence[Any]) -> PreparedTable:
        """A table of one row: a value for each column that is used, None where it is unknown."""
        at = dict(zip(self.names, values, strict=True))
        unknown = {name for name, value in at.items() if is_missing(value)}
        row = np.array([[at.get(name) for name in self.layout.names]], object)
        return self.ignoring(unknown).read(row)

    def only(self, columns: Sequence[str]) -> TableReader:
        """The reader of some of the columns, in this order."""
        kinds, layout = self.layout.by_name, self.layout
        chosen = tuple(kinds[name] for name in columns)
        return TableReader(TableLayout(tuple(columns), chosen, layout.missing, layout.named))

    def ignoring(self, columns: Collection[str]) -> TableReader:
        """The same reader with these columns read as missing in every row."""
        return TableReader(self.layout.ignoring(columns))

    def by_column(self, values: Floats, owner: Sequence[int]) -> Floats:
        """Values of features (n, features) added up by the columns that own them, (n, columns)."""
        out = np.zeros((len(values), len(self.names)))
        np.add.at(out.T, list(owner), values.T)
        return out

    def row_names(self, X: Any, row: int) -> list[str]:
        """What to call each column in an explanation of one row: with its level, if it has one."""
        names = list(self.names)
        columns = zip(self.level_owners, self.read(X).levels, self.indicators, strict=True)
        for j, column, is_gap in columns:
            known = column.missing is None or not column.missing[row]
            if is_gap and column.values[row]:
                names[j] = f"{self.names[j]} (missing)"
            elif known and not is_gap:
                names[j] = f"{names[j]} ({column.values[row]})"
        return names


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table that was read once, so that its rows can be divided without reading them again."""

    reader: TableReader
    table: PreparedTable

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and features."""
        return self.table.n_rows, len(self.table.columns)

    def __getitem__(self, at: Indices | slice) -> ReadTable:
        return replace(self, table=self.table.take(at))


def given_layout(columns: Any) -> TableLayout | None:
    """The layout of a description or a layout; None for anything else."""
    layout = getattr(columns, "layout", columns)
    return layout if isinstance(layout, TableLayout) else None


def as_features_frame(X: Any) -> Any:
    """A data frame that holds more than numbers as one of numbers and levels; others unchanged."""
    kind = frame_kind(X)
    reader = None if kind is None else TableReader.of(X)
    return X if kind is None or reader is None else reader.read(X).frame(kind)


def holds_numbers(X: Any) -> bool:
    """Whether a table plainly holds numbers and nothing else."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind not in "OUT" or (X.dtype.kind == "O" and not _has_texts(X))
    frame = as_frame(X)
    if frame is not None:
        # Booleans alone are numbers, as in scikit-learn; beside text they are levels.
        kinds = frame.schema.values()
        numbers = all(kind.is_numeric() or kind == nw.Boolean for kind in kinds)
        return numbers and not any(looks_like_id(str(name)) for name in frame.columns)
    if not isinstance(X, list | tuple):
        return True
    try:
        return not any(isinstance(cell, str) for row in X for cell in row)
    except TypeError:
        return True


def _has_texts(X: Array) -> bool:
    return X.ndim == 2 and any(isinstance(cell, str) for cell in X.flat)
