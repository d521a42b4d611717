"""Drawing: a sample of rows in partitions.

Each row has a key, as good as random, made of its values; the rows with the smallest keys are
drawn. So the sample does not depend on how the rows are cut or which partition comes first, and
the samples of two parts make that of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import Features

# A sample has at most this many rows, or this many bytes if that is less.
MOST_ROWS, MOST_BYTES = 20_000, 8 << 20

# A class has so many rows in it, if it has them, however many other classes there are.
FEWEST_OF_CLASS = 100

# Rows are hashed so many at a time.
STRETCH = 1 << 15

# Odd numbers with well mixed bits.
_STEP = 0x9E3779B97F4A7C15
_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of a class: how many there are, and those with the smallest keys."""

    count: int
    weight: float
    keys: Array  # (m,), ascending
    rows: Floats  # (m, d)
    weights: Floats  # (m,)

    @classmethod
    def none(cls, features: int) -> Drawn:
        """No row."""
        return cls(0, 0.0, np.zeros(0, np.uint64), np.zeros((0, features)), np.zeros(0))

    def __add__(self, other: Drawn) -> Drawn:
        """The rows of both."""
        keys = np.concatenate([self.keys, other.keys])
        order = np.argsort(keys, kind="stable")
        return Drawn(
            self.count + other.count,
            self.weight + other.weight,
            keys[order],
            np.concatenate([self.rows, other.rows])[order],
            np.concatenate([self.weights, other.weights])[order],
        )

    def first(self, most: int) -> Drawn:
        """At most so many of the rows drawn."""
        kept = self.keys[:most], self.rows[:most], self.weights[:most]
        return Drawn(self.count, self.weight, *kept)

    @property
    def scale(self) -> float:
        """What a row of the sample stands for: the weight of all over that of those drawn."""
        return 1.0 if len(self.keys) == self.count else self.weight / float(self.weights.sum())


def share(classes: int, features: int) -> int:
    """How many rows of each class are drawn: the fewer, the more classes there are."""
    most = min(MOST_ROWS, MOST_BYTES // (8 * features))
    return max(most // max(1, classes), FEWEST_OF_CLASS)


def drawn(
    features: Features, weights: Floats | None, codes: Indices, classes: int, seed: int
) -> list[Drawn]:
    """A sample of each class, (classes,); rows of none (-1) are left out."""
    at = np.flatnonzero(codes >= 0)
    keys = _keys(features, seed)[at]
    order = np.lexsort((keys, codes[at]))
    at, keys = at[order], keys[order]
    edges = np.searchsorted(codes[at], np.arange(classes + 1)).tolist()
    most = share(classes, features.shape[1])
    found = []
    for low, high in pairwise(edges):
        kept = at[low : min(high, low + most)]
        own = np.ones(len(kept)) if weights is None else weights[kept]
        total = float(high - low if weights is None else weights[at[low:high]].sum())
        rows = features.take(kept)
        found.append(Drawn(high - low, total, keys[low : low + len(kept)], rows, own))
    return found


def _keys(features: Features, seed: int) -> Array:
    """A number a row, as good as random: by its values alone, and how often they came before."""
    n, d = features.shape
    factors = np.cumprod(np.full(d, _STEP, np.uint64))
    start, keys = np.uint64(seed * _STEP % 2**64), np.empty(n, np.uint64)
    for low in range(0, n, STRETCH):
        # Zero has two signs and NaN many forms: one of each.
        rows = np.array(features.read(low, min(n, low + STRETCH)), np.float64) + 0.0
        rows[np.isnan(rows)] = np.nan
        words = _mixed(rows.view(np.uint64) + start)
        keys[low : low + len(rows)] = _mixed((words * factors).sum(axis=1, dtype=np.uint64))
    return _mixed(keys + _before(keys) * np.uint64(_STEP))


def _before(keys: Array) -> Array:
    """How many equal keys stand before each, (n,)."""
    order = np.argsort(keys, kind="stable")
    new = np.append(True, keys[order[1:]] != keys[order[:-1]])
    place = np.arange(len(keys))
    out = np.empty(len(keys), np.uint64)
    out[order] = place - np.maximum.accumulate(np.where(new, place, 0))
    return out


def _mixed(words: Array) -> Array:
    """Each word with its bits spread over all of them."""
    for shift, factor in zip((30, 27), _MIX, strict=True):
        words = (words ^ (words >> np.uint64(shift))) * factor
    return np.asarray(words ^ (words >> np.uint64(31)))
