"""Reader: the rows of a batch, divided among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import Batch
from suffice.data.features import infinite, too_large
from suffice.data.sources.chunk import is_large
from suffice.errors import HasGaps, InvalidWeights, NotFinite
from suffice.statistics.kernels.choice import COMPILED_FROM, Kernels, kernels_for
from suffice.statistics.kernels.sums import RowBlock
from suffice.statistics.passes.threads import in_parallel, n_threads, shares
from suffice.text import shown

Sums = TypeVar("Sums", bound=Any)  # anything with `absorb`, which adds the sums of other rows

# A mean square below this has lost digits: float64 has full precision only down to 2^-1022.
SMALLEST_SQUARE = 2.0**-1012

# Smallest weight of a class: products of smaller weights with squares lose digits.
SMALLEST_WEIGHT = 2.0**-1000


@dataclass(frozen=True, slots=True)
class Reader:
    """A batch with the inner loops and the number of threads that suit its size."""

    # Every thread has its own sums; this limits the memory of the sums of all threads together.
    copies_bytes: ClassVar[int] = 48 << 20

    # Largest block that is converted to float64 before use.
    converted_bytes: ClassVar[int] = 8 << 20

    batch: Batch
    shape: tuple[int, int]  # rows and features
    weights: Floats  # one weight per row, or an empty array
    kernels: Kernels
    threads: int

    @classmethod
    def of(cls, batch: Batch) -> Reader:
        """The reader for a batch; small data is not worth a second thread."""
        n, d = batch.features.shape
        weights = np.empty(0) if batch.weights is None else batch.weights
        if batch.is_chunk:
            entries = COMPILED_FROM if batch.is_long or is_large(n, d) else 0
            return cls(batch, (n, d), weights, kernels_for(entries, lasting=True), 1)
        threads = n_threads() if n * d >= COMPILED_FROM else 1
        return cls(batch, (n, d), weights, kernels_for(n * d), threads)

    def workers(self, bytes_each: int) -> int:
        """Number of threads that can each have sums of this size."""
        return max(1, min(self.threads, self.shape[0], self.copies_bytes // max(1, bytes_each)))

    def add_up(self, work: Callable[[int, int], Sums], workers: int) -> Sums:
        """The sums of all rows; each of the workers calls work(start, stop) for its share."""
        n = self.shape[0]
        if workers == 1:
            return work(0, n)
        total, *others = in_parallel(work, shares(n, workers))
        for other in others:
            total.absorb(other)
        return total

    def blocks(self, start: int, stop: int, most: int | None = None) -> Iterator[RowBlock]:
        """The rows of a range, at most `most` at a time; all at once if no copy is needed."""
        features = self.batch.features
        step = max(1, self.converted_bytes // (8 * self.shape[1]))
        if features.ready:
            step = max(1, most or stop - start)
        for low in range(start, stop, step):
            high = min(stop, low + step)
            codes, weights = self.batch.codes[low:high], self.weights[low:high]
            yield RowBlock(features.read(low, high), codes, weights, low)

    @property
    def small_blocks(self) -> Iterator[RowBlock]:
        """All rows in blocks of limited size, even if no copy is needed."""
        return self.blocks(0, self.shape[0], max(1, self.converted_bytes // (8 * self.shape[1])))

    def infinite(self) -> NotFinite | None:
        """The error that names the first infinite entry, or None."""
        batch = self.batch
        for block in self.small_blocks:
            rows = block.rows
            if batch.ignores_rows:
                ignored = block.codes == len(batch.classes)
                rows = np.where(ignored[:, None], 0.0, rows)
            error = infinite(rows, batch.first_row + block.first, batch.features.names)
            if error is not None:
                return error
        return None

    @property
    def has_gaps(self) -> bool:
        """Whether any value is missing."""
        return any(np.isnan(block.rows).any() for block in self.small_blocks)

    def not_finite(self) -> NotFinite:
        """The error for sums that are not finite."""
        error = self.infinite()
        if error is not None:
            return error
        return HasGaps("Input X contains NaN.") if self.has_gaps else self.too_large()

    def too_large(self) -> NotFinite:
        """The error for sums beyond what a float can hold."""
        return too_large()


def are_lost(squares: Floats, count: Array) -> Array:
    """Where sums of squares of `count` values are too small to keep their digits."""
    return np.asarray(squares < SMALLEST_SQUARE * count)


def vanished(column: int, names: tuple[str, ...] | None) -> NotFinite:
    """The error for a column whose squares underflow."""
    return NotFinite(
        f"column {column if names is None else repr(names[column])} of X holds values so close "
        "together that their squares lose digits or vanish; rescale it "
        "(for example, multiply by 1e100)."
    )


def check_weights(classes: Array, weight: Floats) -> None:
    """Raise if the weight of a class is too small to compute with."""
    if (weight < SMALLEST_WEIGHT).any():
        c = int(weight.argmin())
        raise InvalidWeights(
            f"the weights of class {shown(classes[c])} add up to {weight[c]:.3g}, too little to "
            "keep digits; multiply sample_weight (for example, by 1e100)."
        )
