"""Gaps: which values are missing, and rows sorted so that equal patterns stand together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices


def is_missing(value: Any) -> bool:
    """Whether a Python object is None, NaN, or what pandas takes for missing."""
    # By the names of their types: pandas itself need not be installed.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value)


@dataclass(frozen=True, slots=True)
class Gaps:
    """Which values are missing in consecutive runs of rows, one pattern per run."""

    patterns: Array  # (p, d): True where a value is missing
    starts: Indices  # (p + 1,): where each run of rows starts, and the last one ends

    @classmethod
    def sorted(cls, missing: Array) -> tuple[Indices, Gaps]:
        """The order that puts rows (n, d) of the same pattern together, and their gaps then.

        >>> order, gaps = Gaps.sorted(np.array([[True, False], [False, False], [True, False]]))
        >>> order, gaps.starts
        (array([1, 0, 2]), array([0, 1, 3]))
        """
        words = _words(missing)
        order = np.argsort(_keys(words), kind="stable")
        words = words[order]
        changes = (words[1:] != words[:-1]).any(axis=1)
        first = np.flatnonzero(np.r_[True, changes]) if len(words) else np.zeros(0, np.int64)
        return order, cls(missing[order[first]], np.append(first, len(missing)))

    def __iter__(self) -> Iterator[tuple[Indices, slice]]:
        """Positions of the missing features, and the rows that miss them, for each run."""
        for i, pattern in enumerate(self.patterns):
            yield np.flatnonzero(pattern), slice(int(self.starts[i]), int(self.starts[i + 1]))

    def between(self, low: int, high: int) -> Gaps:
        """The gaps of the rows from low to high alone."""
        first = int(np.searchsorted(self.starts, low, side="right")) - 1
        last = int(np.searchsorted(self.starts, high, side="left"))
        starts = np.clip(self.starts[first : last + 1], low, high) - low
        return Gaps(self.patterns[first:last], starts)

    def of_each(self, rows: int) -> Gaps:
        """The same patterns, each in this number of rows."""
        return Gaps(self.patterns, np.arange(len(self.patterns) + 1) * rows)

    @property
    def rows(self) -> Array:
        """The pattern of each row, (n, d)."""
        return np.repeat(self.patterns, np.diff(self.starts), axis=0)


def _words(missing: Array) -> Array:
    """The patterns packed into 64-bit words, (n, ceil(d / 64))."""
    n, d = missing.shape
    packed = np.packbits(missing, axis=1)
    out = np.zeros((n, 8 * -(-d // 64)), np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)


def _keys(words: Array) -> Array:
    """One number per row: equal for equal patterns, and almost always different for others."""
    if words.shape[1] == 1:
        return words[:, 0]
    # Powers of an odd number with well mixed bits.
    factors = np.cumprod(np.full(words.shape[1], 0x9E3779B97F4A7C15, np.uint64))
    # Otherwise words that differ in high bits only would have equal products.
    mixed = (words ^ (words >> np.uint64(33))) * factors
    return np.asarray((mixed ^ (mixed >> np.uint64(29))).sum(axis=1, dtype=np.uint64))
