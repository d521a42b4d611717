"""Observed parts: rows with missing values laid out for EM, by their observed features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.linalg import factor_of
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.scatter import DiagonalScatter, dense
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Units:
    """Rows that have the same observed features and share a covariance."""

    observed: Array  # (u, d) bool
    group: Indices  # (u,): which covariance
    weight: Floats  # (u,)


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows, or what stands for several rows of a unit: class means, and factors of their scatter.

    The factors are vectors whose outer products add up to the scatter about the class means.
    """

    unit: Indices  # (r,)
    code: Indices  # (r,): the class; -1 for factors
    weight: Floats  # (r,): 1 for factors
    values: Floats  # (r, d): about the centre, zero where missing


@dataclass(frozen=True)
class ObservedParts:
    """The observed values of rows with missing values, in the order of their groups."""

    units: Units
    lines: Lines
    within: Floats  # (g, d, d): scatter of complete rows about their class means, by group
    owner: Indices  # (k,): the group of each class

    @classmethod
    def of(
        cls, parts: ByPattern, classes: Array, centre: Floats, varying: Indices, shared: bool
    ) -> ObservedParts:
        """The parts laid out in arrays: the varying features only, means about the centre.

        shared : whether all classes share a covariance, or each has its own
        """
        d, k = len(varying), len(classes)
        position = np.full(parts.n_features, -1)
        position[varying] = np.arange(d)
        draft = _Draft(d, np.zeros(k, np.int64) if shared else np.arange(k))
        for features, part in parts:
            kept = np.flatnonzero(position[features] >= 0)
            if not len(kept):
                continue
            at = position[features[kept]]
            codes = np.searchsorted(classes, part.classes)
            means = about(part, centre[features])[:, kept]
            for own in [np.arange(len(codes))] if shared else np.arange(len(codes))[:, None]:
                lines = codes[own], part.weight[own], means[own]
                if len(at) == d:
                    draft.within[draft.owner[codes[own[0]]]] += _scatter(part, own, kept)
                    draft.add_unit(at, *lines, np.zeros((0, d)))
                else:
                    draft.add_unit(at, *lines, _factor(part, own, kept))
        return draft.finished()

    @classmethod
    def of_rows(
        cls, Z: Floats, held: Array, codes: Indices, weights: Floats, owner: Indices
    ) -> ObservedParts:
        """Rows (n, d), zero where a value is missing, under each of several weightings (f, n).

        codes : (n,) of their classes; under weighting f, class c is number f k + c
        owner : (f k,) the group of each of these
        """
        (n, d), k = Z.shape, len(owner) // len(weights)
        bits = np.packbits(held, axis=1)
        pattern = np.unique(bits, axis=0, return_inverse=True)[1].ravel()
        draft = _Draft(d, owner)
        for f, own_weights in enumerate(weights):
            rows = np.flatnonzero(own_weights > 0)
            own = f * k + codes[rows]
            _, unit, sizes = np.unique(
                owner[own] * n + pattern[rows], return_inverse=True, return_counts=True
            )
            whole = held[rows].all(axis=1)
            many = whole | (sizes[unit] > d)
            few = np.flatnonzero(~many)
            _, first, unit_of = np.unique(unit[few], return_index=True, return_inverse=True)
            draft.add(
                held[rows[few[first]]],
                owner[own[few[first]]],
                Lines(unit_of, own[few], own_weights[rows[few]], Z[rows[few]]),
            )
            for u in np.unique(unit[many]).tolist():
                at = unit == u
                draft.add_together(Z[rows[at]], held[rows[at][0]], own[at], own_weights[rows[at]])
        return draft.finished()

    def of_classes(self, codes: Indices) -> ObservedParts:
        """The rows of some classes, each with its own covariance, renumbered."""
        u, r = self.units, self.lines
        number = np.full(len(self.owner) + 1, -1)  # the last is that of factors
        number[codes] = np.arange(len(codes))
        kept = number[u.group] >= 0
        place, own = np.cumsum(kept) - 1, kept[r.unit]
        return ObservedParts(
            Units(u.observed[kept], number[u.group[kept]], u.weight[kept]),
            Lines(place[r.unit[own]], number[r.code[own]], r.weight[own], r.values[own]),
            self.within[codes],
            np.arange(len(codes)),
        )

    @cached_property
    def by_group(self) -> list[slice]:
        """The lines of each group."""
        group = self.units.group[self.lines.unit]
        edges = np.searchsorted(group, np.arange(len(self.within) + 1)).tolist()
        return [slice(*pair) for pair in pairwise(edges)]


class _Draft:
    """Units and their lines as they are added, in any order of their groups."""

    def __init__(self, d: int, owner: Indices) -> None:
        self.owner, self.within = owner, np.zeros((int(owner.max()) + 1, d, d))
        self.observed, self.group = [np.zeros((0, d), bool)], [np.zeros(0, np.int64)]
        self.lines = [Lines(np.zeros(0, np.int64), self.group[0], np.zeros(0), np.zeros((0, d)))]
        self.size = 0

    def add(self, observed: Array, group: Indices, lines: Lines) -> None:
        """Add units (u, d), and their lines."""
        self.observed.append(observed)
        self.group.append(group)
        self.lines.append(replace(lines, unit=lines.unit + self.size))
        self.size += len(observed)

    def add_unit(
        self, at: Indices, codes: Indices, weight: Floats, means: Floats, factor: Floats
    ) -> None:
        """Add one unit by the weight and mean of each class, and the factor of their scatter."""
        own, d = np.concatenate([means, factor]), self.within.shape[1]
        values = np.zeros((len(own), d))
        values[:, at] = own
        factors = np.full(len(factor), -1)
        code = np.concatenate([codes, factors])
        lines = Lines(code * 0, code, np.concatenate([weight, factors + 2.0]), values)
        observed = np.zeros((1, d), bool)
        observed[0, at] = True
        self.add(observed, self.owner[codes[:1]], lines)

    def add_together(self, rows: Floats, held: Array, codes: Indices, weight: Floats) -> None:
        """Add many rows of a unit: class means, and about these a factor of no more than d rows."""
        classes, at = np.unique(codes, return_inverse=True)
        total = np.bincount(at, weight).astype(np.float64)
        each = weight * (at == np.arange(len(classes))[:, None])
        means = each @ rows / total[:, None]
        steps = (rows - means[at]) * np.sqrt(weight)[:, None]
        known = np.flatnonzero(held)
        factor = np.zeros((0, len(known)))
        if held.all():
            self.within[self.owner[codes[0]]] += steps.T @ steps
        else:
            factor = steps[:, known]
            if len(factor) > len(known):
                factor = np.asarray(np.linalg.qr(factor, mode="r"))
        self.add_unit(known, classes, total, means[:, known], factor)

    def finished(self) -> ObservedParts:
        """All units and lines in the order of their groups."""
        group, observed = np.concatenate(self.group), np.concatenate(self.observed)
        unit, code, weight, values = (
            np.concatenate([getattr(lines, name) for lines in self.lines])
            for name in ("unit", "code", "weight", "values")
        )
        total = np.bincount(unit, weight * (code >= 0), len(group)).astype(np.float64)
        order = np.argsort(group, kind="stable")
        place = np.argsort(order)[unit]
        by_unit = np.argsort(place, kind="stable")
        return ObservedParts(
            Units(observed[order], group[order], total[order]),
            Lines(place[by_unit], code[by_unit], weight[by_unit], values[by_unit]),
            self.within,
            self.owner,
        )


def about(part: Statistics, centre: Floats) -> Floats:
    """Means of a part about a centre, including their low parts."""
    rest = 0.0 if part.means.low is None else part.means.low
    return np.asarray((part.means.high - centre) + rest)


def _scatter(part: Statistics, own: Indices, kept: Indices) -> Floats:
    """The scatter of some classes of a part, for some of its features."""
    assert not isinstance(part.spread, DiagonalScatter)
    matrices = dense(part.spread).sums.high
    together = matrices[own].sum(axis=0) if part.spread.per_class else matrices[0]
    return np.asarray(together[np.ix_(kept, kept)])


def _factor(part: Statistics, own: Indices, kept: Indices) -> Floats:
    """Rows whose outer products add up to that scatter; none where it is zero."""
    spread = part.spread
    if int(part.count[own].sum()) <= len(own):
        return np.zeros((0, len(kept)))
    if isinstance(spread, FactoredScatter):
        rows = np.isin(spread.owner, own) if spread.per_class else slice(None)
        return np.asarray(spread.factor[rows][:, kept])
    return factor_of(_scatter(part, own, kept))
