"""Dask columns: labels and weights cut at the same rows as X."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from suffice.errors import InvalidInput, InvalidLabels


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where the rows of a collection are cut into partitions."""

    sizes: tuple[float, ...]  # rows of each partition, NaN where unknown

    @classmethod
    def of(cls, X: Any) -> Cuts:
        """The cuts of an array, a frame or a column."""
        if hasattr(X, "chunks"):
            return cls(tuple(float(size) for size in X.chunks[0]))
        return cls((float("nan"),) * X.npartitions)

    @property
    def known(self) -> bool:
        """Whether the number of rows of every partition is known."""
        return not any(isnan(size) for size in self.sizes)

    @property
    def rows(self) -> int:
        """The number of rows, where it is known."""
        return int(sum(self.sizes))

    def apply(self, column: Any, what: str) -> Any:
        """A column cut at the same rows: a collection, or a list of pieces."""
        if hasattr(column, "dask"):
            return self._same_blocks(_one_dimensional(column, what), what)
        if not self.known:
            raise InvalidInput(
                f"{what} is in memory, but the number of rows per partition of X is not known. "
                f"Name the column of the frame that holds {what}, or count the rows first: "
                "X.compute_chunk_sizes(), or X.to_dask_array(lengths=True) for a frame."
            )
        values = column if hasattr(column, "__array__") else list(column)
        n = len(values)
        if n != self.rows:
            raise _other_length(self.rows, what, n)
        edges = np.cumsum([0, *map(int, self.sizes)]).tolist()
        cut = values.iloc if hasattr(values, "iloc") else values
        return [cut[low:high] for low, high in pairwise(edges)]

    def _same_blocks(self, column: Any, what: str) -> Any:
        theirs = Cuts.of(column)
        if self.known and theirs.known:
            if self.rows != theirs.rows:
                raise _other_length(self.rows, what, theirs.rows)
            return column.rechunk((tuple(map(int, self.sizes)),))
        if len(theirs.sizes) != len(self.sizes):
            raise InvalidInput(
                f"X has {len(self.sizes)} partitions and {what} has {len(theirs.sizes)}, with "
                f"unknown numbers of rows. Take {what} from the same collection as X, name its "
                "column in the frame, or call compute_chunk_sizes() on both."
            )
        return column


def _one_dimensional(column: Any, what: str) -> Any:
    if column.ndim == 1:
        return column
    if column.ndim == 2 and column.shape[1] == 1:
        return column[:, 0] if hasattr(column, "chunks") else column[column.columns[0]]
    raise InvalidLabels(
        f"{what} must have one entry per row; it has {column.ndim} dimensions. Pass one column."
    )


def _other_length(rows: int, what: str, theirs: int) -> InvalidInput:
    return InvalidInput(
        f"X has {rows} rows but {what} has {theirs} entries: inconsistent numbers of samples."
    )
