"""Mixed: tables whose columns belong to several parts of a model, such as numeric and discrete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.column_options import places
from suffice.data.features import as_frame, is_read
from suffice.data.tables.levels import MISSING
from suffice.data.tables.user_table import column_names, table_columns
from suffice.errors import InvalidInput, InvalidParameter
from suffice.text import shown

# The parts that a table has without further choice: its numbers and its levels.
NUMERIC = "numeric"
DISCRETE = "discrete"


@dataclass(frozen=True, slots=True)
class MixedRows:
    """Rows as models of several parts take them: for each part its numbers, or codes of levels."""

    parts: tuple[Array, ...]  # (n, features of the part) each

    def __len__(self) -> int:
        return len(self.parts[0])

    def __getitem__(self, at: Any) -> MixedRows:
        return MixedRows(tuple(part[at] for part in self.parts))


def missing(rows: Any) -> Array:
    """Which values of rows are missing, (n, d): NaN among numbers, MISSING among codes of levels.

    Rows in parts give the features of the first part first.
    """
    if isinstance(rows, MixedRows):
        return np.concatenate([missing(part) for part in rows.parts], axis=1)
    return np.isnan(rows) if rows.dtype.kind == "f" else np.asarray(rows == MISSING)


def mask(rows: Any, pattern: Array) -> Any:
    """The rows with the features of a pattern missing, (d,), or of one per row, (n, d)."""
    if isinstance(rows, MixedRows):
        edges = np.cumsum([part.shape[1] for part in rows.parts])[:-1]
        pairs = zip(rows.parts, np.split(pattern, edges, axis=-1), strict=True)
        return MixedRows(tuple(mask(part, own) for part, own in pairs))
    if rows.dtype.kind == "f":
        return np.where(pattern, np.nan, rows)
    return np.where(pattern, MISSING, rows.astype(np.int64, copy=False))


@dataclass(frozen=True, slots=True)
class Claim:
    """The columns that a part of a model asks for.

    columns : names, positions or a mask; None for those that no other part names
    levels : whether it then takes levels (booleans, strings, categories) rather than numbers
    source : what names the columns, for messages
    """

    columns: Any = None
    levels: bool = False
    source: str = "categorical"


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """Which columns of a table each part takes, by position; parts without columns are left out."""

    parts: dict[str, tuple[int, ...]]

    def validated(self) -> Self:
        """This layout, if each column belongs to one part; a ValueError otherwise."""
        columns = sorted(j for part in self.parts.values() for j in part)
        in_order = all(list(part) == sorted(part) for part in self.parts.values())
        if not columns or columns != list(range(len(columns))) or not in_order:
            raise ValueError("it does not say which features each part has")
        return self

    @classmethod
    def of(cls, X: Any, categorical: Any = None) -> ColumnLayout:
        """Discrete columns as a user names them, or by type; all others are numeric."""
        return cls.by_claims(X, {NUMERIC: Claim(), DISCRETE: Claim(categorical, levels=True)})

    @classmethod
    def by_claims(cls, X: Any, claims: Mapping[str, Claim]) -> ColumnLayout:
        """The layout in which each part has the columns it names, or those of its type.

        Where several parts ask for columns of a type, the last has them; a column that no part
        asks for goes to the first part that names none.
        """
        names = _names(X)
        owner: dict[int, str] = {}
        for key, claim in claims.items():
            for j in () if claim.columns is None else _positions(claim, names):
                if owner.get(j, key) != key:
                    raise InvalidParameter(
                        f"column {shown(names[j])} is named for two parts, "
                        f"{owner[j]!r} and {key!r}; name it once."
                    )
                owner[j] = key
        unnamed = {key: claim.levels for key, claim in claims.items() if claim.columns is None}
        levels = _by_type(X) if len(unnamed) > 1 else set()
        for j in range(len(names)):
            fitting = [key for key, of_levels in unnamed.items() if of_levels == (j in levels)]
            owner.setdefault(j, fitting[-1] if fitting else next(iter(unnamed)))
        columns = {key: tuple(j for j in sorted(owner) if owner[j] == key) for key in claims}
        # The first part raises the error about a table without columns.
        return cls({key: at for key, at in columns.items() if at} or {next(iter(claims)): ()})

    @classmethod
    def of_mask(cls, discrete: Array) -> ColumnLayout:
        """The layout of numeric columns and of those for which a mask (d,) is true."""
        columns = {NUMERIC: np.flatnonzero(~discrete), DISCRETE: np.flatnonzero(discrete)}
        return cls({key: tuple(at.tolist()) for key, at in columns.items() if len(at)})

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the numeric columns."""
        return self.parts.get(NUMERIC, ())

    @property
    def discrete(self) -> tuple[int, ...]:
        """Positions of the discrete columns."""
        return self.parts.get(DISCRETE, ())

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return sum(map(len, self.parts.values()))

    def split(self, X: Any) -> dict[str, Any]:
        """The table of each part."""
        if len(self.parts) == 1:
            return dict.fromkeys(self.parts, X)
        if is_read(X):
            return {key: X.part(at) for key, at in self.parts.items()}
        frame = as_frame(X)
        if frame is not None:
            return {key: frame[:, list(at)].to_native() for key, at in self.parts.items()}
        table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        return {key: _take_columns(table, at) for key, at in self.parts.items()}


@contextmanager
def columns_at(places: tuple[int, ...] | None) -> Iterator[None]:
    """Errors about a part of a table name columns by their positions in the whole."""
    try:
        yield
    except InvalidInput as error:
        if places is None:
            raise
        message = re.sub(
            r"(column|feature) (\d+)", lambda m: f"{m[1]} {places[int(m[2])]}", str(error)
        )
        message = re.sub(r"X\[(\d+), (\d+)\]", lambda m: f"X[{m[1]}, {places[int(m[2])]}]", message)
        raise type(error)(message) from None


def _take_columns(table: Array, at: tuple[int, ...]) -> Array:
    """Some columns of an array: a view where they are neighbours."""
    if at[-1] - at[0] + 1 == len(at):
        return table[:, at[0] : at[-1] + 1]
    return table[:, list(at)]


def check_shape(X: Any) -> None:
    """Raise unless X is a table, whatever its columns hold."""
    _names(X)


def _positions(claim: Claim, names: tuple[str, ...]) -> list[int]:
    if isinstance(claim.columns, str) or not isinstance(claim.columns, Iterable):
        raise InvalidParameter(
            f"{claim.source} is {shown(claim.columns)}; it must be a list of column names or "
            "positions, or a mask."
        )
    columns = list(claim.columns)
    negative = [one for one in columns if isinstance(one, int | np.integer) and one < 0]
    if negative:
        raise InvalidParameter(
            f"{claim.source}= names column {shown(negative[0])}; positions count from 0."
        )
    return places(columns, names, claim.source)


def _names(X: Any) -> tuple[str, ...]:
    """The names of the columns, as `column_names` calls them."""
    return X.names if is_read(X) else column_names(X)


def _by_type(X: Any) -> set[int]:
    """The columns of levels, by their types."""
    if is_read(X):
        return {j for j, discrete in enumerate(X.discrete) if discrete}
    return {j for j, column in enumerate(table_columns(X)[0]) if _is_of_levels(column)}


def _is_of_levels(column: Any) -> bool:
    if isinstance(column, np.ndarray):
        kind = column.dtype.kind
        return _has_levels(column) if kind == "O" else kind not in "fiuc"
    if column.dtype == nw.Object:
        return _has_levels(column.to_list())
    return not column.dtype.is_numeric()


def _has_levels(values: Iterable[Any]) -> bool:
    return any(isinstance(value, str | bool | np.bool_) for value in values)
