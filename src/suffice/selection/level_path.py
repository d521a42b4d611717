"""Level path: log-probabilities of levels by class in every fold, for several smoothings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.selection.folds import Fold


@dataclass(frozen=True, slots=True)
class LevelPath:
    """ln p(level | class) of each column, (a, f, k, levels + 1); the last is a missing value."""

    codes: tuple[Indices, ...]  # (n,) of each column: -1 where a value is missing
    tables: tuple[Floats, ...]

    @classmethod
    def of(
        cls,
        columns: Sequence[tuple[Indices, int]],
        classes: Indices,
        weights: Floats,
        folds: Sequence[Fold],
        k: int,
        alphas: Floats,
    ) -> LevelPath:
        """(rows of the level + alpha) / (rows + alpha levels) in the training rows of each fold.

        columns : the code of each row, -1 where a value is missing, and the number of levels
        """
        tables = []
        for codes, m in columns:
            counts = np.zeros((len(folds), k, m))
            for own, fold in zip(counts, folds, strict=True):
                at = fold.train[codes[fold.train] >= 0]
                own += np.bincount(classes[at] * m + codes[at], weights[at], k * m).reshape(k, m)
            alpha = alphas[:, None, None, None]
            total = counts.sum(axis=2, keepdims=True) + alpha * m
            log = np.log(counts + alpha) - np.log(total)
            tables.append(np.concatenate([log, np.zeros((*log.shape[:3], 1))], axis=3))
        return cls(tuple(codes for codes, _ in columns), tuple(tables))

    def scores(self, fold: int, rows: Indices) -> Floats:
        """ln p(levels | class) of some rows, (a, k, n)."""
        tables = zip(self.tables, self.codes, strict=True)
        return np.asarray(sum(table[:, fold][..., codes[rows]] for table, codes in tables))
