"""Level tree: the probabilities of categories (levels) in several columns, from moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array, Floats, Indices


@dataclass(frozen=True)
class LevelTree:
    """P(levels of all columns), each column given at most one other: Chow and Liu 1968.

    The mean of an indicator is the probability of its level, and the covariance of two is what
    their joint probability exceeds the product by: P(a, b) = m_a m_b + c_ab.

    order : the columns, each after its parent
    parents : the parent of each column; -1 for none
    alone : ln P(level) of each column, (levels,)
    given : ln P(level | level of the parent) of each column, (levels of the parent, levels)
    """

    order: tuple[int, ...]
    parents: tuple[int, ...]
    alone: tuple[Floats, ...]
    given: tuple[Floats, ...]

    @classmethod
    def of(cls, mean: Floats, covariance: Floats, sizes: Sequence[int], weight: float) -> LevelTree:
        """The tree of columns from the moments of their indicators.

        mean : (q,) of all indicators; each column has one for each level but the first
        covariance : (q, q), in any unit: only the correlations count
        sizes : number of levels of each column
        weight : of the rows that the moments come from

        >>> mean, covariance = np.array([0.5, 0.5]), np.array([[0.25, 0.25], [0.25, 0.25]])
        >>> tree = LevelTree.of(mean, covariance, (2, 2), weight=1e6)
        >>> tree.log_probability(np.array([[1, 1], [1, 0]])).round(1)
        array([ -0.7, -15.9])
        """
        J = len(sizes)
        edges = list(pairwise(np.cumsum([0, *(size - 1 for size in sizes)]).tolist()))
        spread = _scaled(mean, covariance)

        def joint(i: int, j: int) -> Floats:
            (a, b), (c, d) = edges[i], edges[j]
            inner = np.outer(mean[a:b], mean[c:d]) + spread[a:b, c:d]
            return _smooth(_bordered(inner, mean[a:b], mean[c:d]), weight)

        alone = [_smooth(_with_first(mean[a:b]), weight) for a, b in edges]
        tables = {(i, j): joint(i, j) for i in range(J) for j in range(i)}
        order, parents = _strongest_tree(tables, J)
        given = []
        for j, parent in enumerate(parents):
            table = alone[j][None] if parent < 0 else _table(tables, parent, j)
            given.append(np.log(table / table.sum(axis=1, keepdims=True)))
        return cls(order, parents, tuple(map(np.log, alone)), tuple(given))

    def log_probability(self, codes: Indices) -> Floats:
        """ln P of the levels of rows (n, columns), (n,); negative codes are missing.

        A column whose parent is missing counts by its own probability.
        """
        total = np.zeros(len(codes))
        for j, parent in enumerate(self.parents):
            own = np.maximum(codes[:, j], 0)
            value = self.alone[j][own]
            if parent >= 0:
                above = codes[:, parent]
                given = self.given[j][np.maximum(above, 0), own]
                value = np.where(above >= 0, given, value)
            total += np.where(codes[:, j] >= 0, value, 0.0)
        return total

    def draw(self, n: int, rng: np.random.Generator) -> Indices:
        """Levels of n random rows, (n, columns)."""
        codes = np.zeros((n, len(self.order)), np.int64)
        for j in self.order:
            parent = self.parents[j]
            table = np.exp(self.given[j]).cumsum(axis=1)
            rows = table[codes[:, parent] if parent >= 0 else np.zeros(n, np.int64)]
            place = rng.random(n)[:, None] * rows[:, -1:]
            codes[:, j] = np.minimum((place >= rows).sum(axis=1), rows.shape[1] - 1)
        return codes


def _scaled(mean: Floats, covariance: Floats) -> Floats:
    """The covariance of indicators with these means and with the correlations of another."""
    width = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    own = np.sqrt(np.clip(mean * (1 - mean), 0.0, None))
    ratio = np.divide(own, width, out=np.zeros_like(own), where=width > 0)
    return covariance * ratio * ratio[:, None]


def _with_first(probabilities: Floats) -> Floats:
    return np.concatenate([[1 - probabilities.sum()], probabilities])


def _bordered(inner: Floats, rows: Floats, columns: Floats) -> Floats:
    """A table with the first row and column that its margins require."""
    body = np.concatenate([(columns - inner.sum(axis=0))[None], inner])
    margin = _with_first(rows)
    return np.concatenate([(margin - body.sum(axis=1))[:, None], body], axis=1)


def _smooth(table: Array, weight: float, added_rows: float = 0.5) -> Floats:
    """Probabilities above zero that add up to one.

    added_rows : spread evenly over the cells, so that no level is impossible (Jeffreys)
    """
    rows = np.clip(table, 0.0, 1.0)
    rows = rows / rows.sum() * weight + added_rows / table.size
    return np.asarray(rows / rows.sum())


def _table(tables: dict[tuple[int, int], Floats], i: int, j: int) -> Floats:
    return tables[i, j] if i > j else tables[j, i].T


def _strongest_tree(
    tables: dict[tuple[int, int], Floats], J: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The tree with the most mutual information in all (Prim), from the first column on."""
    shared = np.zeros((J, J))
    for (i, j), table in tables.items():
        product = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
        shared[i, j] = shared[j, i] = float((table * np.log(table / product)).sum())
    order, parents, left = [0], [-1] * J, set(range(1, J))
    while left:
        _, j, i = max((shared[i, j], -j, i) for i in order for j in left)
        parents[-j] = i
        order.append(-j)
        left.remove(-j)
    return tuple(order), tuple(parents)
