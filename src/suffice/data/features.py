"""Features: anything a user calls X -> rows readable as C-ordered floats, block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import is_missing
from suffice.errors import HasGaps, InvalidFeatures, NotFinite, NotNumbers
from suffice.text import shown

FILES_HINT = (
    " Rows of files are read by summarize: fit_statistics(summarize(X, target=...)) fits a model "
    "to them."
)


@dataclass(frozen=True, slots=True)
class ArrayFeatures:
    """Rows of a two-dimensional array of any real dtype and memory order."""

    values: Array
    names: tuple[str, ...] | None = None
    ready: bool = field(init=False)  # whether rows can be used without a copy

    def __post_init__(self) -> None:
        dtype = self.values.dtype
        ready = dtype in (np.float64, np.float32) and dtype.isnative
        object.__setattr__(self, "ready", ready and self.values.flags.c_contiguous)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.values.shape[0], self.values.shape[1]

    def read(self, start: int, stop: int) -> Array:
        """Rows start to stop, C-ordered, float64, or float32 if that needs no copy."""
        rows = self.values[start:stop]
        return rows if self.ready else np.ascontiguousarray(rows, dtype=np.float64)

    def take(self, at: Indices) -> Floats:
        """Some rows by number, C-ordered, float64."""
        return np.asarray(self.values[at], np.float64)

    def part(self, start: int, stop: int) -> ArrayFeatures:
        """The features of rows start to stop."""
        return ArrayFeatures(self.values[start:stop], self.names)


@dataclass(frozen=True, slots=True)
class FrameFeatures:
    """Rows of a data frame (pandas, polars, pyarrow and others, through narwhals)."""

    frame: nw.DataFrame[Any]
    names: tuple[str, ...] | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.frame.shape

    @property
    def ready(self) -> bool:
        """Whether rows can be used without a copy."""
        return False

    def read(self, start: int, stop: int) -> Floats:
        """Rows start to stop, C-ordered, float64."""
        return self._floats(self.frame[start:stop])

    def take(self, at: Indices) -> Floats:
        """Some rows by number, C-ordered, float64."""
        return self._floats(self.frame[at.tolist()])

    def part(self, start: int, stop: int) -> FrameFeatures:
        """The features of rows start to stop."""
        return FrameFeatures(self.frame[start:stop], self.names)

    def _floats(self, part: nw.DataFrame[Any]) -> Floats:
        out = np.empty(part.shape, np.float64)
        for j, column in enumerate(part.iter_columns()):
            # NaN for missing values: the first in row order is then reported.
            known = column.cast(nw.Float64).fill_null(np.nan) if column.null_count() else column
            out[:, j] = known.to_numpy()
        return out


@dataclass(frozen=True, slots=True)
class IndicatorFeatures:
    """Rows of numbers, then for each column of levels its indicators: zeros and a one.

    Negative codes are missing levels. Codes below `first` have no indicator: all are zero.
    """

    numbers: Floats  # (n, numeric features)
    codes: tuple[Indices, ...]  # (n,) for each column of levels
    sizes: tuple[int, ...]  # number of codes of each column
    first: int
    names: tuple[str, ...]
    levels: tuple[Array, ...] = ()  # of each column, where codes are positions among them

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return len(self.numbers), len(self.names)

    @property
    def ready(self) -> bool:
        """Whether rows can be used without a copy."""
        return False

    def read(self, start: int, stop: int) -> Floats:
        """Rows start to stop, C-ordered, float64."""
        return self._read(slice(start, stop))

    def take(self, at: Indices) -> Floats:
        """Some rows by number, C-ordered, float64."""
        return self._read(at)

    def part(self, start: int, stop: int) -> IndicatorFeatures:
        """The features of rows start to stop."""
        codes = tuple(own[start:stop] for own in self.codes)
        return replace(self, numbers=self.numbers[start:stop], codes=codes)

    def _read(self, at: Any) -> Floats:
        numbers = self.numbers[at]
        out = np.zeros((len(numbers), len(self.names)))
        out[:, : numbers.shape[1]] = numbers
        low = numbers.shape[1]
        for own, size in zip(self.codes, self.sizes, strict=True):
            codes, high = own[at], low + size - self.first
            rows = np.flatnonzero(codes >= self.first)
            out[rows, low - self.first + codes[rows]] = 1.0
            out[np.flatnonzero(codes < 0), low:high] = np.nan
            low = high
        return out


class ReadTable(Protocol):
    """A table whose columns have been read by a layout: numbers and levels."""

    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def discrete(self) -> tuple[bool, ...]: ...  # noqa: D102
    def part(self, columns: Sequence[int]) -> ReadTable: ...  # noqa: D102
    def numbers(self) -> Floats: ...  # noqa: D102
    def levels(self) -> list[Any]: ...  # noqa: D102


def is_read(X: Any) -> bool:
    """Whether a table has been read by a layout."""
    return hasattr(X, "discrete") and hasattr(X, "part")


Features = ArrayFeatures | FrameFeatures | IndicatorFeatures


def as_features(X: Any) -> Features:
    """X as readable rows, after checking its shape and that it holds real numbers.

    >>> as_features([[1, 2], [3, 4]]).read(0, 1)
    array([[1., 2.]])
    """
    features = ArrayFeatures(_check_array(X)) if type(X) is np.ndarray else _wrap(X)
    if not all(features.shape):
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
        return ArrayFeatures(X.numbers(), X.names)
    check_table(X, FILES_HINT)
    frame = as_frame(X)
    return _from_frame(frame) if frame is not None else ArrayFeatures(_check_array(_as_array(X)))


def check_table(X: Any, files: str = "") -> None:
    """Raise where X cannot be a table.

    files : hint where X is the name of a file
    """
    if X is None or isinstance(X, bytes | str | PathLike):
        more = files if isinstance(X, str | PathLike) else ""
        raise InvalidFeatures(f"X is a {type(X).__name__}; pass an array or a data frame.{more}")
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
    try:
        frame = nw.from_native(X, pass_through=True)
    except Exception as error:  # narwhals' own error classes differ between versions
        _check_names(X)
        raise InvalidFeatures(f"X cannot be read as a data frame: {error}") from None
    if isinstance(frame, nw.DataFrame):
        return frame
    if isinstance(frame, nw.LazyFrame):
        raise InvalidFeatures("X is a lazy frame; collect() it first.")
    return None


def _check_names(X: Any) -> None:
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
    """The numbers in a column of Python objects or nulls; None if it holds anything else."""
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if series.dtype != nw.Object:
        return None
    values = series.to_list()
    if not all(is_missing(v) or isinstance(v, bool | int | float | np.number) for v in values):
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
