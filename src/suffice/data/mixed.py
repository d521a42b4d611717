"""Mixed: tables with numeric and discrete columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import FILES_HINT, as_frame, check_table, check_two_dimensional
from suffice.data.labels import shown
from suffice.data.levels import MISSING
from suffice.errors import InvalidInput, InvalidParameter


@dataclass(frozen=True, slots=True)
class MixedRows:
    """Numbers and codes of levels, as models of mixed features take them."""

    numeric: Floats  # (n, numeric features), NaN where missing
    codes: Indices  # (n, discrete features), see `levels`

    def __len__(self) -> int:
        return len(self.numeric)

    def __getitem__(self, at: Any) -> MixedRows:
        return MixedRows(self.numeric[at], self.codes[at])

    @property
    def missing(self) -> Array:
        """Which features each row misses, the numeric ones first."""
        return np.concatenate([np.isnan(self.numeric), self.codes == MISSING], axis=1)

    def mask(self, pattern: Array) -> MixedRows:
        """The rows with the features of a pattern missing, the numeric ones first."""
        d = self.numeric.shape[1]
        return MixedRows(
            np.where(pattern[:d], np.nan, self.numeric), np.where(pattern[d:], MISSING, self.codes)
        )


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """Which columns of a table are numeric and which are discrete, by position."""

    numeric: tuple[int, ...]
    discrete: tuple[int, ...]

    @classmethod
    def of(cls, X: Any, categorical: Any = None) -> ColumnLayout:
        """The layout that a user names, or by type: booleans and text are discrete."""
        d, names = _width(X)
        chosen = _by_type(X, d) if categorical is None else _positions(categorical, d, names)
        return cls(tuple(j for j in range(d) if j not in chosen), tuple(sorted(chosen)))

    def split(self, X: Any) -> tuple[Any, Any]:
        """The table of the numeric columns and that of the discrete ones; None for no columns."""
        if not self.discrete:
            return X, None
        frame = None if isinstance(X, np.ndarray) else as_frame(X)
        if frame is not None:
            sides = (self.numeric, self.discrete)
            parts = [frame[:, list(at)].to_native() if at else None for at in sides]
            return parts[0], parts[1]
        table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        return _take_columns(table, self.numeric), _take_columns(table, self.discrete)


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


def _take_columns(table: Array, at: tuple[int, ...]) -> Array | None:
    """Some columns of an array: a view where they are neighbours."""
    if not at:
        return None
    if at[-1] - at[0] + 1 == len(at):
        return table[:, at[0] : at[-1] + 1]
    return table[:, list(at)]


def check_shape(X: Any) -> None:
    """Raise unless X is a table, whatever its columns hold."""
    _width(X)


def _width(X: Any) -> tuple[int, tuple[str, ...]]:
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    if frame is not None:
        return len(frame.columns), tuple(map(str, frame.columns))
    check_table(X, FILES_HINT)
    shape = (np.asarray(X) if hasattr(X, "__array__") else np.array(X, dtype=object)).shape
    check_two_dimensional(shape)
    return shape[1], ()


def _by_type(X: Any, d: int) -> set[int]:
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    if frame is not None:
        pairs = enumerate(zip(frame.iter_columns(), frame.schema.values(), strict=True))
        return {j for j, (series, kind) in pairs if not _is_numeric(kind, series)}
    table = np.asarray(X) if hasattr(X, "__array__") else np.array(X, dtype=object)
    if table.ndim != 2 or table.dtype.kind in "fiuc":
        return set()
    if table.dtype.kind != "O":
        return set(range(d))
    return {j for j in range(d) if _has_levels(table[:, j])}


def _is_numeric(kind: Any, series: Any) -> bool:
    if kind == nw.Object:
        return not _has_levels(series.to_list())
    return bool(kind.is_numeric()) and kind != nw.Boolean


def _has_levels(values: Iterable[Any]) -> bool:
    return any(isinstance(value, str | bool | np.bool_) for value in values)


def _positions(categorical: Any, d: int, names: tuple[str, ...]) -> set[int]:
    if isinstance(categorical, str) or not isinstance(categorical, Iterable):
        raise InvalidParameter(
            f"categorical is {shown(categorical)}; it must be a list of column names or "
            "positions, or a mask."
        )
    columns = list(categorical)
    if len(columns) == d and all(isinstance(column, bool | np.bool_) for column in columns):
        return {j for j, chosen in enumerate(columns) if chosen}
    out = set()
    for column in columns:
        if isinstance(column, str) and column in names:
            out.add(names.index(column))
        elif (
            isinstance(column, int | np.integer)
            and not isinstance(column, bool)
            and 0 <= column < d
        ):
            out.add(int(column))
        else:
            raise InvalidParameter(
                f"categorical names column {shown(column)}, which X does not have."
            )
    return out
