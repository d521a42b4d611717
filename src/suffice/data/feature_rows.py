"""Feature rows: rows of an array, of a data frame, or of numbers and indicators, block by block."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.number_columns import number_array, plain_arrays, write_rows


@dataclass(frozen=True, slots=True)
class ArrayFeatures:
    """Rows of a two-dimensional array of any real dtype and memory order."""

    values: Array
    names: tuple[str, ...] | None = None
    shape: tuple[int, int] = field(init=False)  # rows and features
    ready: bool = field(init=False)  # whether rows can be used without a copy

    def __post_init__(self) -> None:
        dtype = self.values.dtype
        ready = dtype in (np.float64, np.float32) and dtype.isnative
        object.__setattr__(self, "shape", self.values.shape)
        object.__setattr__(self, "ready", ready and self.values.flags.c_contiguous)

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


@dataclass(frozen=True, eq=False)
class FrameFeatures:
    """Rows of a data frame (pandas, polars, pyarrow and others, through narwhals)."""

    ready = False  # rows cannot be used without a copy

    frame: nw.DataFrame[Any]
    names: tuple[str, ...] | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.frame.shape

    def read(self, start: int, stop: int) -> Floats:
        """Rows start to stop, C-ordered, float64."""
        return self._rows(slice(start, stop), stop - start)

    def take(self, at: Indices) -> Floats:
        """Some rows by number, C-ordered, float64."""
        return self._rows(at, len(at))

    def part(self, start: int, stop: int) -> FrameFeatures:
        """The features of rows start to stop."""
        return FrameFeatures(self.frame[start:stop], self.names)

    @cached_property
    def _plain(self) -> list[Array | None]:
        return plain_arrays(self.frame)

    def _rows(self, at: Any, n: int) -> Floats:
        places = at if isinstance(at, slice) else at.tolist()
        columns = [
            number_array(self.frame[:, j][places]) if own is None else own[at]
            for j, own in enumerate(self._plain)
        ]
        out = np.empty((n, len(columns)))
        write_rows(columns, out)
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


Features = ArrayFeatures | FrameFeatures | IndicatorFeatures
