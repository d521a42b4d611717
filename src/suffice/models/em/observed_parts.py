"""Observed parts: rows with missing values laid out for EM, by their observed features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.scatter import DiagonalScatter, dense
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Units:
    """Rows that have the same observed features and share a covariance."""

    observed: Array  # (u, d) bool
    group: Indices  # (u,): which covariance
    weight: Floats  # (u,)
    scatter: Floats  # (s, d, d): about the means of their cells; zero where missing
    scattered: Indices  # (s,): the units that have scatter


@dataclass(frozen=True, slots=True)
class ObservedCells:
    """Rows of one class in one unit, in the order of the units."""

    unit: Indices  # (c,)
    code: Indices  # (c,): the class
    weight: Floats  # (c,)
    mean: Floats  # (c, d): about the centre; zero where missing


@dataclass(frozen=True, slots=True)
class ObservedParts:
    """The observed values of rows with missing values."""

    units: Units
    cells: ObservedCells

    @classmethod
    def of(
        cls, parts: ByPattern, classes: Array, centre: Floats, varying: Indices, shared: bool
    ) -> ObservedParts:
        """The parts laid out in arrays: the varying features only, means about the centre.

        shared : whether all classes share a covariance, or each has its own
        """
        d = len(varying)
        position = np.full(parts.n_features, -1)
        position[varying] = np.arange(d)
        observed: list[Array] = []
        group, weight, scatter, scattered = [], [], [], []
        unit, code, cell_weight, mean = [], [], [], []
        for features, part in parts:
            kept = np.flatnonzero(position[features] >= 0)
            if not len(kept):
                continue
            at = position[features[kept]]
            codes = np.searchsorted(classes, part.classes)
            means = np.zeros((len(codes), d))
            means[:, at] = about(part, centre[features])[:, kept]
            mask = np.zeros(d, bool)
            mask[at] = True
            for own in [np.arange(len(codes))] if shared else np.arange(len(codes))[:, None]:
                matrix = _scatter(part, own, shared)
                if matrix is not None:
                    full = np.zeros((d, d))
                    full[np.ix_(at, at)] = matrix[np.ix_(kept, kept)]
                    scatter.append(full)
                    scattered.append(len(observed))
                unit.append(np.full(len(own), len(observed)))
                code.append(codes[own])
                cell_weight.append(part.weight[own])
                mean.append(means[own])
                observed.append(mask)
                group.append(0 if shared else int(codes[own[0]]))
                weight.append(float(part.weight[own].sum()))
        units = Units(
            np.array(observed).reshape(-1, d),
            np.array(group, np.int64),
            np.array(weight),
            np.array(scatter).reshape(-1, d, d),
            np.array(scattered, np.int64),
        )
        cells = ObservedCells(*(np.concatenate(lists) for lists in (unit, code, cell_weight, mean)))
        return cls(units, cells)

    def of_classes(self, codes: Indices) -> ObservedParts:
        """The rows of some classes, each with its own covariance, renumbered."""
        u, c = self.units, self.cells
        number = np.full(1 + max(int(u.group.max()), int(codes.max())), -1)
        number[codes] = np.arange(len(codes))
        kept = number[u.group] >= 0
        place = np.cumsum(kept) - 1
        some, own = kept[u.scattered], kept[c.unit]
        units = Units(
            u.observed[kept],
            number[u.group[kept]],
            u.weight[kept],
            u.scatter[some],
            place[u.scattered[some]],
        )
        return ObservedParts(
            units,
            ObservedCells(place[c.unit[own]], number[c.code[own]], c.weight[own], c.mean[own]),
        )


def about(part: Statistics, centre: Floats) -> Floats:
    """Means of a part about a centre, including their low parts."""
    rest = 0.0 if part.means.low is None else part.means.low
    return np.asarray((part.means.high - centre) + rest)


def _scatter(part: Statistics, own: Indices, shared: bool) -> Floats | None:
    """The scatter of some classes of a part, or None if it is zero."""
    assert not isinstance(part.spread, DiagonalScatter)
    if int(part.count[own].sum()) <= len(own):
        return None
    matrices = dense(part.spread).sums.high
    return np.asarray(matrices.sum(axis=0) if shared else matrices[own[0]])
