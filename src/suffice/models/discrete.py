"""The discrete model: independent features, a probability for each level in each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.levels import MISSING
from suffice.models.independent import IndependentModel, random_columns
from suffice.models.scoring import rows_per_block
from suffice.statistics.counts import Counts
from suffice.statistics.passes.threads import in_parallel, n_threads, shares


@dataclass(frozen=True)
class LevelModel:
    """One feature: ln P(level | class)."""

    levels: Array  # (m,)
    log_probabilities: Floats  # (k, m)
    log_unseen: Floats  # (k,): of a level that no row had; zero if it is ignored

    @property
    def is_range(self) -> bool:
        """Whether the levels are the integers from 0, so that they are their own codes."""
        levels = self.levels
        return bool(levels.dtype.kind == "i" and len(levels) and levels[-1] == len(levels) - 1)


@dataclass(frozen=True)
class DiscreteModel(IndependentModel):
    """p(x, y) of rows of codes (n, d): positions of levels, MISSING, or anything else if unseen."""

    # Number of additions from which the compiled loop saves more time than loading it takes.
    compiled_from: ClassVar[int] = 1 << 22

    features: tuple[LevelModel, ...]

    @cached_property
    def sizes(self) -> Indices:
        """Levels of each feature, (d,)."""
        return np.array([len(feature.levels) for feature in self.features], np.int64)

    @cached_property
    def offsets(self) -> Indices:
        """Where each feature starts in `table`, (d,)."""
        return np.concatenate([[0], np.cumsum(self.sizes + 2)[:-1]])

    @cached_property
    def table(self) -> Floats:
        """ln P of each level, then of an unseen and of a missing value, by feature, (s, k)."""
        k = len(self.classes)
        parts = [
            np.concatenate([f.log_probabilities.T, f.log_unseen[None], np.zeros((1, k))])
            for f in self.features
        ]
        return np.ascontiguousarray(np.concatenate(parts))

    def log_likelihood(self, codes: Array) -> Floats:
        """ln P(x | class), (n, k); missing values are ignored."""
        n, d = codes.shape
        k = len(self.classes)
        out = np.zeros((n, k))
        if n * d * k >= self.compiled_from:
            from suffice.models.compiled import add_levels

            def work(start: int, stop: int) -> None:
                add_levels(codes[start:stop], self.offsets, self.sizes, self.table, out[start:stop])

            in_parallel(work, shares(n, n_threads()))
            return out
        step = rows_per_block(d * k, fewest=1)
        for low in range(0, n, step):
            out[low : low + step] = self.table[self.slots(codes[low : low + step])].sum(axis=1)
        return out

    def slots(self, codes: Array) -> Indices:
        """Rows of `table` for each entry of codes, (n, d)."""
        codes = codes.astype(np.int64, copy=False)
        at = np.where((codes < 0) | (codes >= self.sizes), self.sizes, codes)
        return np.asarray(np.where(codes == MISSING, self.sizes + 1, at) + self.offsets)

    def terms(self, rows: Array, c: int) -> Floats:
        """ln P(level | class c) of each feature, (n, d)."""
        return np.asarray(self.table[:, c][self.slots(rows)])

    def draw(self, codes: Indices, rng: np.random.Generator) -> Indices:
        """Codes of random levels, (n, d); MISSING for features without levels."""
        out = np.full((len(codes), len(self.features)), MISSING)
        for j, feature in enumerate(self.features):
            if len(feature.levels):
                out[:, j] = random_columns(np.exp(feature.log_probabilities)[codes], rng)
        return out

    def expect(self, shares: Floats) -> Indices:
        """The most probable level of each feature, (n, d)."""
        out = np.full((len(shares), len(self.features)), MISSING)
        for j, feature in enumerate(self.features):
            if len(feature.levels):
                out[:, j] = (shares @ np.exp(feature.log_probabilities)).argmax(axis=1)
        return out

    @property
    def n_free(self) -> int:
        """One probability per level but the last, for each class and feature."""
        return len(self.classes) * int(np.maximum(self.sizes - 1, 0).sum())

    def total(self, statistics: Counts) -> float:
        """Sum of w ln P(x | y) over the rows of the counts."""
        total = 0.0
        for table, feature in zip(statistics.tables, self.features, strict=True):
            weight = table.spread(slice(None), len(table.rows), feature.levels).weight
            with np.errstate(invalid="ignore"):
                total += np.where(weight > 0, weight * feature.log_probabilities, 0.0).sum()
        return float(total)
