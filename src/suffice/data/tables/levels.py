"""Levels: columns of categories -> the levels that occur and one code per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.features import check_not_empty, is_read
from suffice.data.gaps import is_missing
from suffice.data.labels import encode_integers, string_array
from suffice.data.tables.user_table import row_count, table_columns
from suffice.errors import InvalidFeatures, Mismatch, NotFinite
from suffice.text import shown

# Codes that are not positions among the levels.
MISSING = -1
UNSEEN = -2


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one categorical feature: numbers from 0, booleans or strings."""

    values: Array  # (n,): int64, float64, bool or str
    missing: Array | None  # (n,) bool
    name: str  # as messages call it
    declared: Array | None = None  # sorted: the levels that the type of the column lists

    def encode(self) -> tuple[Array, Indices]:
        """The sorted levels that occur, and the position of each row's among them."""
        if self.missing is None:
            levels, codes = _encode(self.values)
            return levels, codes
        levels, inner = _encode(self.values[~self.missing])
        codes = np.full(len(self.values), MISSING, np.int64)
        codes[~self.missing] = inner
        return levels, codes

    def among(self, levels: Array) -> Indices:
        """The position of each row's level in a list of levels; UNSEEN where it is not there."""
        if self.missing is not None and self.missing.all():
            return np.full(len(self.values), MISSING, np.int64)
        kinds = {"i": "integers", "f": "numbers", "b": "booleans", "U": "strings"}
        if not comparable(levels, self.values):
            raise InvalidFeatures(
                f"{self.name} holds {kinds[self.values.dtype.kind]} where it held "
                f"{kinds[levels.dtype.kind]} before; convert it first."
            )
        if not len(levels):
            codes = np.full(len(self.values), UNSEEN, np.int64)
        else:
            at = np.minimum(np.searchsorted(levels, self.values), len(levels) - 1)
            codes = np.where(levels[at] == self.values, at, UNSEEN)
        return codes if self.missing is None else np.where(self.missing, MISSING, codes)


# A column with more different fractions than this is a measurement.
MOST_FRACTIONS = 256


def are_too_many(values: int, rows: int, few: int = 20) -> bool:
    """Whether there are too many different values to be classes or levels, by the number of rows.

    >>> are_too_many(15, rows=20), are_too_many(50, rows=1000), are_too_many(50, rows=60)
    (False, False, True)
    """
    return values > few and 2 * values > rows


def comparable(a: Array, b: Array) -> bool:
    """Whether two lists of levels are of one kind."""
    kinds = {a.dtype.kind, b.dtype.kind}
    return not len(a) or not len(b) or len(kinds) == 1 or kinds == {"i", "f"}


def union_of_levels(a: Array, b: Array, where: str) -> Array:
    """The levels of both sides, sorted; `where` names the feature that has them."""
    if not len(a) or not len(b):
        return a if len(a) else b
    if not comparable(a, b):
        raise Mismatch(
            f"levels of {where} have two types: {shown(a[0])} on one side and {shown(b[0])} on the "
            "other; convert one side first."
        )
    return np.union1d(a, b)


def columns_of(X: Any, first_row: int = 0) -> tuple[list[Column], tuple[str, ...] | None]:
    """The columns of a table of categories, and their names if it has any."""
    if is_read(X):
        return list(X.levels), X.names
    columns, names = table_columns(X)
    if names is None:
        own = [_of_array(one, f"column {j}", first_row) for j, one in enumerate(columns)]
    else:
        pairs = zip(columns, names, strict=True)
        own = [_of_series(series, f"column {name!r}") for series, name in pairs]
    check_not_empty((len(columns[0]) if columns else row_count(X), len(columns)))
    return own, names if names and all(isinstance(name, str) for name in names) else None


def _of_series(series: Any, name: str) -> Column:
    missing = series.is_null().to_numpy()
    if series.dtype.is_numeric() and series.null_count():
        values = series.cast(nw.Float64).to_numpy()
    elif series.dtype.is_numeric() or series.dtype == nw.Boolean:
        values = series.to_numpy()
    else:
        values = np.array(level_values(series), dtype=object)
    column = _of_array(np.asarray(values), name, 0)
    gaps = missing if column.missing is None else missing | column.missing
    return Column(column.values, gaps if gaps.any() else None, name, declared_levels(series, name))


def level_values(series: Any) -> list[Any]:
    """The values of a column; categories that are not plain values, such as bins, as text."""
    values = series.to_list()
    if not isinstance(series.dtype, nw.Categorical | nw.Enum):
        return list(values)
    # By the category, since a bin (0, 5] may come as (0.0, 5.0] beside a missing one.
    texts = {one: str(one) for one in _categories(series) if not isinstance(one, _PLAIN)}
    return [texts.get(value, value) for value in values]


_PLAIN = (str, bool, int, float, np.generic)


def declared_levels(series: Any, name: str) -> Array | None:
    """The sorted levels that the type of a column lists, or None where it lists none."""
    if not isinstance(series.dtype, nw.Categorical | nw.Enum):
        return None
    # A Categorical of polars lists all texts met so far, an Enum those it was created with.
    if series.implementation.is_polars() and not isinstance(series.dtype, nw.Enum):
        return None
    known = [one for one in _categories(series) if not is_missing(one)]
    if not known:
        return None
    values = np.array([one if isinstance(one, _PLAIN) else str(one) for one in known], object)
    try:
        return np.unique(_of_array(values, name, 0).values)
    except InvalidFeatures:
        raise InvalidFeatures(
            f"{name} declares categories that cannot all be levels ({shown(known[0])} and "
            f"{len(known) - 1} more): they must all be strings, all booleans, or all numbers from "
            "0. Convert them to strings."
        ) from None


def _categories(series: Any) -> list[Any]:
    if hasattr(getattr(series.to_native(), "dtype", None), "pyarrow_dtype"):
        # pandas has no `cat` for dictionaries of Arrow.
        return list(series.to_arrow().dictionary.to_pylist())
    return list(series.cat.get_categories().to_list())


def _of_array(values: Array, name: str, first_row: int) -> Column:
    kind = values.dtype.kind
    if kind == "b":
        return Column(values, None, name)
    if kind in "iu":
        if kind == "u" and len(values) and values.max() > np.iinfo(np.int64).max:
            raise _too_large(values.max(), name)
        whole = values.astype(np.int64, copy=False)
        return Column(_not_negative(whole, name, first_row), None, name)
    if kind == "f":
        return _of_floats(values, name, first_row)
    if kind in "US":
        return Column(values.astype(np.str_), None, name)
    if kind == "c":
        raise InvalidFeatures(f"Complex data not supported: {name} is {values.dtype}.")
    if kind == "O":
        return _of_objects(values, name, first_row)
    raise InvalidFeatures(f"{name} holds {values.dtype}; levels are strings, integers or booleans.")


def _of_floats(values: Array, name: str, first_row: int) -> Column:
    missing = np.isnan(values)
    if np.isinf(values).any():
        i = int(np.isinf(values).argmax())
        raise NotFinite(f"Input X contains infinity: row {first_row + i}, {name}.")
    known = _not_negative(np.where(missing, 0.0, values), name, first_row)
    uneven = known != np.floor(known)
    known = known.astype(np.float64 if uneven.any() else np.int64, copy=False)
    if len(np.unique(known[uneven])) > MOST_FRACTIONS:
        i = int(uneven.argmax())
        raise InvalidFeatures(
            f"{name} looks like a measurement: it holds {values[i]} in row {first_row + i} and "
            f"more than {MOST_FRACTIONS} other fractions, which are not levels. Cut it into bins, "
            "or treat it as numeric (MixedNB, GaussianNB)."
        )
    return Column(known, missing if missing.any() else None, name)


def _of_objects(values: Array, name: str, first_row: int) -> Column:
    missing = np.array([is_missing(value) for value in values], bool)
    known = [value for value, gap in zip(values.tolist(), missing, strict=True) if not gap]
    if not known:
        return Column(np.zeros(len(values), np.int64), missing, name)
    if all(isinstance(value, bool | np.bool_) for value in known):
        kind: Any = np.bool_
    elif all(isinstance(value, str) for value in known):
        kind = np.str_
    elif all(isinstance(value, int | np.integer) for value in known):
        if max(known) > np.iinfo(np.int64).max:
            raise _too_large(max(known), name)
        whole = np.where(missing, 0, values).astype(np.int64)
        gaps = missing if missing.any() else None
        return Column(_not_negative(whole, name, first_row), gaps, name)
    elif all(isinstance(value, int | float | np.number) for value in known):
        floats = np.where(missing, np.nan, values).astype(np.float64)
        return _of_floats(floats, name, first_row)
    else:
        some = sorted({type(value).__name__ for value in known})
        what = f"mixes {' and '.join(some)}" if len(some) > 1 else f"holds {some[0]} objects"
        raise InvalidFeatures(
            f"{name} {what}; levels of a column must be of one kind: strings, integers or "
            "booleans. Convert them to strings."
        )
    of_kind = (
        string_array(known, name, InvalidFeatures) if kind is np.str_ else np.array(known, kind)
    )
    out = np.zeros(len(values), of_kind.dtype)
    out[~missing] = of_kind
    return Column(out, missing if missing.any() else None, name)


def _too_large(value: Any, name: str) -> InvalidFeatures:
    return InvalidFeatures(f"{name} holds {value}, beyond 64 bits; pass such levels as strings.")


def _not_negative(values: Array, name: str, first_row: int) -> Array:
    if len(values) and values.min() < 0:
        i = int(values.argmin())
        raise InvalidFeatures(
            f"Negative values in data passed to X: {name} holds {values[i]} in row "
            f"{first_row + i}; levels are whole numbers from 0, strings or booleans."
        )
    return values


def _encode(values: Array) -> tuple[Array, Indices]:
    """Sorted distinct values and their positions."""
    if values.dtype.kind == "i":
        return encode_integers(values, direct=0)
    levels, codes = np.unique(values, return_inverse=True)
    return levels, codes


def levels_of(codes: Indices, levels: Array, given: Column | None) -> Array:
    """The level of each code; unseen levels as they were passed, or None."""
    if len(levels) and (codes >= 0).all():
        return np.asarray(levels[np.minimum(codes, len(levels) - 1)])
    out = np.full(len(codes), None, object)
    known = (codes >= 0) & (codes < len(levels))
    out[known] = levels[codes[known]].astype(object)
    if given is not None:
        unseen = (codes == UNSEEN) | (codes >= len(levels))
        out[unseen] = given.values[unseen].astype(object)
    return out
