"""Table reader: from the rows of a table with a layout to features, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.column_kinds import Levels, Number, WrittenNumber
from suffice.data.features import as_frame
from suffice.data.frame_output import FrameForm, frame_kind, text_columns, with_gaps_filled
from suffice.data.gaps import is_missing
from suffice.data.missing_kinds import WithIndicator
from suffice.data.prepared_table import PreparedTable, TableRows
from suffice.data.table_layout import TableLayout
from suffice.data.text_rules import looks_like_id
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.text import shown


@dataclass(frozen=True)
class TableReader:
    """Converts tables of a layout to numeric features and columns of levels, and back.

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
            return cls(_given_layout(columns))
        return None if holds_numbers(X) else cls.of_layout(TableLayout.of(X))

    @classmethod
    def of_layout(cls, layout: TableLayout) -> TableReader | None:
        """The reader by a layout; None where all columns are numbers, and none is set aside."""
        if all(isinstance(kind, Number) for kind in layout.kinds):
            return None
        # Why a column is set aside that can be used if the user says so.
        usable = ("names or free text", "too many levels", "id", "unclear dates")
        if not layout.used:
            reasons = [getattr(kind, "reason", "") for kind in layout.kinds]
            if not any(reason in usable for reason in reasons):
                return None
            pairs = zip(layout.names, reasons, strict=True)
            listed = "; ".join(f"{name!r}: {reason}" for name, reason in pairs)
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
    def numeric_names(self) -> tuple[str, ...]:
        """Names of the numeric features."""
        return tuple(feature for _, feature, discrete in self._features if not discrete)

    @cached_property
    def level_names(self) -> tuple[str, ...]:
        """Names of the columns of levels."""
        return tuple(feature for _, feature, discrete in self._features if discrete)

    @cached_property
    def numeric_owners(self) -> tuple[int, ...]:
        """The position of the column that each numeric feature belongs to."""
        return tuple(j for j, _, discrete in self._features if not discrete)

    @cached_property
    def level_owners(self) -> tuple[int, ...]:
        """The positions of the columns of levels."""
        return tuple(j for j, _, discrete in self._features if discrete)

    @cached_property
    def indicators(self) -> tuple[bool, ...]:
        """Which of the columns of levels are indicators of missing values."""
        kinds = dict(zip(self.layout.names, self.layout.kinds, strict=True))
        owners = [(self.names[j], feature) for j, feature, discrete in self._features if discrete]
        return tuple(
            isinstance(kinds[name], WithIndicator) and kinds[name].features(name)[-1] == feature
            for name, feature in owners
        )

    @cached_property
    def level_places(self) -> dict[int, int]:
        """The position of the column of each feature of levels that is not such an indicator."""
        at = [i for i, (_, _, discrete) in enumerate(self._features) if discrete]
        triples = zip(at, self.level_owners, self.indicators, strict=True)
        return {i: j for i, j, is_gap in triples if not is_gap}

    @cached_property
    def _features(self) -> list[tuple[int, str, bool]]:
        """Position of the column, name, and whether it is discrete, of each feature."""
        pairs = zip(self.layout.names, self.layout.kinds, strict=True)
        return [
            (self.names.index(name), feature, feature in kind.discrete(name))
            for name, kind in pairs
            for feature in kind.features(name)
        ]

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers, none of them set aside."""
        return all(isinstance(kind, Number) for kind in self.layout.kinds)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns whose cells are read as text, where they have no type."""
        pairs = zip(self.layout.names, self.layout.kinds, strict=True)
        numbers = (Number(), Levels("numbers"))
        return tuple(name for name, kind in pairs if name in self.names and kind not in numbers)

    def read(self, X: Any, first_row: int = 0) -> TableRows:
        """The rows of a table, numbers and levels separately.

        first_row : number of the first row, for messages
        """
        return PreparedTable(self.layout.read(X, first_row)).rows

    def prepare(self, X: Any) -> PreparedTable:
        """The features of a table, in the order of its columns."""
        return PreparedTable(self.layout.read(X))

    def prepare_row(self, values: Sequence[Any]) -> PreparedTable:
        """A table of one row: a value for each column that is used, None where it is unknown."""
        at = dict(zip(self.names, values, strict=True))
        unknown = {name for name, value in at.items() if is_missing(value)}
        row = np.array([[at.get(name) for name in self.layout.names]], object)
        return self.ignoring(unknown).prepare(row)

    def ignoring(self, columns: Collection[str]) -> TableReader:
        """The same reader with these columns read as missing in every row."""
        return TableReader(self.layout.ignoring(columns))

    def by_column(self, values: Floats, owner: Sequence[int]) -> Floats:
        """Values of features (n, features) added up by the columns that own them, (n, columns)."""
        out = np.zeros((len(values), len(self.names)))
        np.add.at(out.T, list(owner), values.T)
        return out

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all features, in the order of the columns."""
        return tuple(feature for _, feature, _ in self._features)

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The position of the column that each feature belongs to."""
        return tuple(j for j, _, _ in self._features)

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

    def write_prepared(self, rows: Array, like: Any, frame: FrameForm | None) -> Any:
        """Rows with one value for each feature as a table of the user's kind; see `write`."""
        discrete = [discrete for _, _, discrete in self._features]
        at = [np.flatnonzero(np.array(discrete) == kind) for kind in (False, True)]
        numbers = rows[:, at[0]].astype(np.float64)
        levels = [np.array(rows[:, j].tolist()) for j in at[1]]
        return self.write(numbers, levels, like, frame)

    def write(
        self, numbers: Floats, levels: Sequence[Array], like: Any, frame: FrameForm | None
    ) -> Any:
        """Rows without gaps as a table of the user's kind.

        like : a table whose known values are kept; None for new rows
        frame : the data frame to make of new rows; None for an array of objects
        """
        if like is not None:
            # What is filled in is no longer missing.
            pairs = zip(levels, self.indicators, strict=True)
            levels = [np.zeros(len(own), bool) if is_gap else own for own, is_gap in pairs]
        columns = self._columns(numbers, levels)
        if like is None:
            if frame is not None:
                return frame.frame(columns)
            return _objects(columns)
        missing = self._missing(like)
        if frame_kind(like) is not None:
            texts = text_columns(like)
            both = {
                name: (self._as_texts(name, values) if name in texts else values, missing[name])
                for name, values in columns.items()
            }
            return with_gaps_filled(like, both)
        given = np.array(like, dtype=object)
        for j, name in enumerate(self.layout.names):
            if name in columns:
                given[missing[name], j] = columns[name][missing[name]]
        return given

    def _columns(self, numbers: Floats, levels: Sequence[Array]) -> dict[str, Array]:
        """The values of each column that can be written back from its features."""
        parts: dict[str, list[Array]] = {name: [] for name in self.names}
        for at, j in enumerate(self.numeric_owners):
            parts[self.names[j]].append(numbers[:, at])
        for at, j in enumerate(self.level_owners):
            parts[self.names[j]].append(levels[at])
        kinds = dict(zip(self.layout.names, self.layout.kinds, strict=True))
        return {name: kinds[name].write(own) for name, own in parts.items()}

    def _as_texts(self, name: str, values: Array) -> Array:
        """Values of a column of text: numbers and dates as its other cells may be written."""
        kind = self.layout.kind_of(name)
        kind = kind.values if isinstance(kind, WithIndicator) else kind
        if values.dtype.kind == "M":
            return np.datetime_as_string(values, "D")
        if values.dtype.kind != "f":
            return values
        texts = np.array([np.format_float_positional(value, trim="-") for value in values])
        comma = isinstance(kind, WrittenNumber) and kind.decimal == ","
        return np.char.replace(texts, ".", ",") if comma else texts

    def _missing(self, X: Any) -> Mapping[str, Array]:
        """Which rows of a table miss each column."""
        rows = self.read(X)
        out = {}
        for at, j in enumerate(self.numeric_owners):
            out[self.names[j]] = np.isnan(rows.numbers[:, at])
        for at, j in enumerate(self.level_owners):
            if self.indicators[at]:
                continue
            gaps = rows.levels[at].missing
            out[self.names[j]] = np.zeros(len(rows.numbers), bool) if gaps is None else gaps
        return out


def given_layout(columns: Any) -> TableLayout | None:
    """The layout of a description or a layout; None for anything else."""
    layout = getattr(columns, "layout", columns)
    return layout if isinstance(layout, TableLayout) else None


def _given_layout(columns: Any) -> TableLayout:
    layout = given_layout(columns)
    if layout is None:
        raise InvalidParameter(
            f"columns is {shown(columns)}; it must be what suffice.describe(X) returns."
        )
    if not layout.used:
        raise InvalidParameter("columns sets every column aside; there is no feature left.")
    return layout


def as_features_frame(X: Any) -> Any:
    """A data frame that holds more than numbers as one of numbers and levels; others unchanged."""
    kind = frame_kind(X)
    reader = None if kind is None else TableReader.of(X)
    return X if kind is None or reader is None else reader.prepare(X).frame(kind)


def _objects(columns: Mapping[str, Array]) -> Array:
    out = np.empty((len(next(iter(columns.values()))), len(columns)), object)
    for j, values in enumerate(columns.values()):
        out[:, j] = values.tolist()
    return out


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
