"""Features: anything a user calls X -> rows readable as C-ordered floats, block by block."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.feature_rows import ArrayFeatures, Features, FrameFeatures, IndicatorFeatures
from suffice.data.gaps import is_missing
from suffice.data.tables.table import plain_name
from suffice.errors import HasGaps, InvalidFeatures, NotFinite, NotNumbers
from suffice.text import shown

# Types of the Python objects that are numbers.
NUMBER_TYPES = (bool, int, float, np.number, np.bool_, Decimal, Fraction)


def is_read(X: Any) -> bool:
    """Whether a table has been read by a layout."""
    return hasattr(X, "discrete") and hasattr(X, "part")


def as_features(X: Any) -> Features:
    """X as readable rows, after checking its shape and that it holds real numbers.

    >>> as_features([[1, 2], [3, 4]]).read(0, 1)
    array([[1., 2.]])
    """
    features = ArrayFeatures(_check_array(X)) if type(X) is np.ndarray else _wrap(X)
    rows, columns = features.shape
    if not rows or (not columns and not isinstance(features, IndicatorFeatures)):
        # Columns of levels have no indicator where all of their cells are missing.
        check_not_empty(features.shape)
    return features


def infinite(rows: Array, first_row: int, names: tuple[str, ...] | None) -> NotFinite | None:
    """The error that names the first infinite entry of a block, if there is one."""
    where = _place_of_first(np.isinf(rows), first_row, names)
    if where is None:
        return None
    return NotFinite(
        f"Input X contains infinity: the first such entry is in {where}. "
        "Drop such rows, or put NaN where a value is missing."
    )


def too_large() -> NotFinite:
    """The error for values whose squares are beyond what a float can hold."""
    return NotFinite(
        "Input X contains values too large for their squares to be added up; "
        "rescale the features (for example, divide by 1e100)."
    )


def gap(rows: Array, first_row: int, names: tuple[str, ...] | None) -> HasGaps | None:
    """The error that names the first missing entry of a block, if there is one."""
    where = _place_of_first(np.isnan(rows), first_row, names)
    if where is None:
        return None
    return HasGaps(
        f"Input X contains NaN: the first such entry is in {where}. "
        "All values are needed here: drop such rows, or fill them with impute first."
    )


def _place_of_first(bad: Array, first_row: int, names: tuple[str, ...] | None) -> str | None:
    if not bad.any():
        return None
    i, j = (int(at[0]) for at in np.nonzero(bad))
    where = f"column {j}" if names is None else f"column {names[j]!r}"
    return f"row {first_row + i}, {where}"


def _wrap(X: Any) -> Features:
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "fiubO" and np.ma.is_masked(X):
        X = np.ma.filled(X.astype(X.dtype if X.dtype.kind in "fO" else np.float64), np.nan)
    if isinstance(X, np.ndarray):
        return ArrayFeatures(_check_array(np.asarray(X)))
    if isinstance(X, IndicatorFeatures):
        return X
    if is_read(X):
        return ArrayFeatures(X.numbers, X.names)
    check_table(X)
    frame = as_frame(X)
    return _from_frame(frame) if frame is not None else ArrayFeatures(_check_array(_as_array(X)))


def check_table(X: Any) -> None:
    """Raise where X cannot be a table."""
    if X is None or isinstance(X, bytes | str | PathLike):
        more = ""
        if isinstance(X, str | PathLike):
            more = (
                " Rows of files are read by summarize: fit_statistics(summarize(X, target=...)) "
                "fits a model to them."
            )
        raise InvalidFeatures(f"X is a {type(X).__name__}; pass an array or a data frame.{more}")
    # A sparse matrix may be a dict, too, and is refused as what it is.
    if isinstance(X, dict) and not hasattr(X, "toarray"):
        raise InvalidFeatures("X is a dict of columns; pass a data frame: pandas.DataFrame(X).")
    if isinstance(X, list) and X and isinstance(X[0], dict):
        raise InvalidFeatures("X is a list of dicts; pass a data frame: pandas.DataFrame(X).")
    if hasattr(X, "tocsr") or hasattr(X, "todense"):
        raise InvalidFeatures(
            "X is a sparse matrix; sparse input is not supported. Convert it with X.toarray()."
        )


def check_not_empty(shape: tuple[int, ...]) -> None:
    """Raise unless a table of this shape has rows and columns."""
    rows, columns = shape
    for size, what, why in (
        (rows, "sample(s)", "is empty"),
        (columns, "feature(s)", "has no columns"),
    ):
        if not size:
            raise InvalidFeatures(
                f"Found array with 0 {what} (shape={(rows, columns)}) while a minimum of 1 is "
                f"required: X {why}."
            )


def check_two_dimensional(shape: tuple[int, ...]) -> None:
    """Raise unless this is the shape of a table."""
    if len(shape) != 2:
        raise InvalidFeatures(
            f"Expected 2D array, got {len(shape)}D array instead (shape {shape}). "
            "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row."
        )


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """X as a data frame; None if it is something else."""
    if isinstance(X, np.ndarray | list):
        return None
    try:
        frame = nw.from_native(X, pass_through=True)
    except Exception as error:  # narwhals' own error classes differ between versions
        check_names_differ(X)
        raise InvalidFeatures(f"X cannot be read as a data frame: {error}") from None
    if isinstance(frame, nw.DataFrame):
        if any(isinstance(name, tuple) for name in frame.columns):
            # Several lines of names above a table of pandas.
            return as_frame(X.set_axis(list(map(plain_name, X.columns)), axis=1))
        return frame
    if isinstance(frame, nw.LazyFrame):
        raise InvalidFeatures("X is a lazy frame; collect() it first.")
    return None


def check_names_differ(X: Any) -> None:
    """Raise where a name of a data frame of pandas stands above several columns."""
    counts = Counter(list(getattr(X, "columns", ())))
    name = next((name for name in counts if counts[name] > 1), None)
    if name is None:
        return
    raise InvalidFeatures(
        f"X has {counts[name]} columns named {name!r}; names must differ. Keep the first of each "
        "with X.loc[:, ~X.columns.duplicated()], or rename them."
    )


def _as_array(X: Any) -> Array:
    try:
        return np.asarray(X)
    except (TypeError, ValueError) as error:
        raise InvalidFeatures(
            f"X cannot be read as a table of numbers ({error}); are all rows equally long?"
        ) from None


def _check_array(values: Array) -> Array:
    if values.dtype.kind == "c":
        raise InvalidFeatures(
            f"Complex data not supported: X is {values.dtype}. "
            "Pass real and imaginary parts as columns."
        )
    if values.dtype.names:
        raise InvalidFeatures("X is a structured array; pass a data frame: pandas.DataFrame(X).")
    if values.ndim != 2:
        check_two_dimensional(values.shape)
    if values.dtype.kind == "O":
        return _from_objects(values)
    if values.dtype.kind not in "fiub":
        raise NotNumbers(
            f"X holds {values.dtype} values; features must be real numbers. "
            "Encode strings, categories and dates as numbers first."
        )
    return values


def _from_objects(values: Array) -> Floats:
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        gaps = np.array([is_missing(value) for value in values.flat]).reshape(values.shape)
    known = np.where(gaps, np.nan, values)
    try:
        return known.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        for (i, j), value in np.ndenumerate(known):
            try:
                float(value)
            except (TypeError, ValueError, OverflowError):
                why = "features must be real numbers"
                if not isinstance(value, str):
                    why = "the argument must be a string or a real number"
                raise NotNumbers(
                    f"X[{i}, {j}] is {shown(value)}; {why}. "
                    "Encode categories and dates as numbers first."
                ) from None
        raise


def _numbers(series: nw.Series[Any]) -> Floats | None:
    """The numbers in a column of Python objects, durations or nulls; None if it holds others."""
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if series.dtype == nw.Duration:
        return np.asarray(series.to_numpy() / np.timedelta64(1, "s"))
    if series.dtype == nw.Unknown:
        cells = np.asarray(series.to_numpy())  # such as a sparse column of pandas
        return cells.astype(np.float64) if cells.dtype.kind in "fiub" else None
    if series.dtype != nw.Object:
        return None
    values = series.to_list()
    if not all(is_missing(v) or isinstance(v, NUMBER_TYPES) for v in values):
        return None
    return np.array([np.nan if is_missing(v) else v for v in values], np.float64)


def _from_frame(frame: nw.DataFrame[Any]) -> FrameFeatures:
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            numbers = _numbers(frame[:, frame.columns.index(name)])
            if numbers is None:
                raise NotNumbers(
                    f"column {name!r} holds {dtype}; features must be real numbers. "
                    "Encode or drop it, or choose columns first."
                )
            frame = frame.with_columns(
                nw.new_series(name, numbers, nw.Float64, backend=frame.implementation)
            )
    names = frame.columns
    text = all(isinstance(name, str) for name in names)
    return FrameFeatures(frame, tuple(names) if text else None)


def all_numbers(X: Any) -> Floats:
    """All rows of a table of numbers."""
    features = as_features(X)
    return np.asarray(features.read(0, features.shape[0]), np.float64)
