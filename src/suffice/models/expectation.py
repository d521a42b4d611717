"""Expectation: what rows with gaps are expected to add up to, under known covariances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.scatter import Diagonal, dense
from suffice.statistics.statistics import Statistics

# Matrices are made for so many entries at a time.
BLOCK_ENTRIES = 1 << 21

# Squared pivots of correlations below this may be rounding.
DOUBTFUL = 1e-10


@dataclass(frozen=True, slots=True)
class Units:
    """Rows that know the same features and share a covariance."""

    known: Array  # (u, d) bool
    group: Indices  # (u,): which covariance
    weight: Floats  # (u,)
    scatter: Floats  # (s, d, d): about the means of their cells; zero where unknown
    scattered: Indices  # (s,): the units that have scatter


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows of one class in one unit, in the order of the units."""

    unit: Indices  # (c,)
    code: Indices  # (c,): the class
    weight: Floats  # (c,)
    mean: Floats  # (c, d): about the centre; zero where unknown


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known of rows with gaps."""

    units: Units
    cells: Cells

    @classmethod
    def of(cls, parts: ByPattern, classes: Array, centre: Floats, shared: bool) -> Known:
        """The parts laid out in arrays, means about the centre."""
        d = parts.n_features
        known: list[Array] = []
        group, weight, scatter, scattered = [], [], [], []
        unit, code, cell_weight, mean = [], [], [], []
        for features, part in parts:
            codes = np.searchsorted(classes, part.classes)
            means = np.zeros((len(codes), d))
            means[:, features] = _about(part, centre[features])
            mask = np.zeros(d, bool)
            mask[features] = True
            for own in [np.arange(len(codes))] if shared else np.arange(len(codes))[:, None]:
                matrix = _scatter(part, own, shared)
                if matrix is not None:
                    full = np.zeros((d, d))
                    full[np.ix_(features, features)] = matrix
                    scatter.append(full)
                    scattered.append(len(known))
                unit.append(np.full(len(own), len(known)))
                code.append(codes[own])
                cell_weight.append(part.weight[own])
                mean.append(means[own])
                known.append(mask)
                group.append(0 if shared else int(codes[own[0]]))
                weight.append(float(part.weight[own].sum()))
        units = Units(
            np.array(known),
            np.array(group),
            np.array(weight),
            np.array(scatter).reshape(-1, d, d),
            np.array(scattered, np.int64),
        )
        cells = Cells(*(np.concatenate(lists) for lists in (unit, code, cell_weight, mean)))
        return cls(units, cells)


def _about(part: Statistics, centre: Floats) -> Floats:
    rest = 0.0 if part.means.low is None else part.means.low
    return np.asarray((part.means.high - centre) + rest)


def _scatter(part: Statistics, own: Indices, shared: bool) -> Floats | None:
    """The scatter of some classes of a part, or None where it is zero."""
    assert not isinstance(part.spread, Diagonal)
    if int(part.count[own].sum()) <= len(own):
        return None
    matrices = dense(part.spread).sums.high
    return np.asarray(matrices.sum(axis=0) if shared else matrices[own[0]])


def expected(
    known: Known, means: Floats, covariances: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Class means (k, d) and scatter by group (g, d, d) that all rows are expected to have.

    A row that knows the features o is expected at m + A (x - m), with A = S_o (S_oo)^-1, and to
    vary about that point with the covariance S - A S_o'.
    """
    units, cells = known.units, known.cells
    d = means.shape[1]
    scatter = np.zeros_like(covariances)
    steps = np.empty_like(cells.mean)
    step = max(1, BLOCK_ENTRIES // (d * d))
    # What holds for a covariance holds for every part of it.
    regular = _is_regular(covariances)
    for low in range(0, len(units.group), step):
        part = slice(low, min(len(units.group), low + step))
        own = covariances[units.group[part]]
        slopes = regressions(own, units.known[part], regular)
        rest = (own - slopes @ own) * units.weight[part, None, None]
        first, last = np.searchsorted(units.scattered, (part.start, part.stop))
        at = units.scattered[first:last] - low
        rest[at] += slopes[at] @ units.scatter[first:last] @ slopes[at].transpose(0, 2, 1)
        belongs = np.arange(len(scatter))[:, None] == units.group[part]
        scatter += (belongs.astype(np.float64) @ rest.reshape(len(rest), -1)).reshape(-1, d, d)
        first, last = np.searchsorted(cells.unit, (part.start, part.stop))
        away = cells.mean[first:last] - means[cells.code[first:last]]
        away *= units.known[cells.unit[first:last]]
        steps[first:last] = np.matmul(slopes[cells.unit[first:last] - low], away[:, :, None])[
            :, :, 0
        ]
    # Rows that know nothing are expected at the mean, with the covariance itself.
    idle = np.maximum(weight - np.bincount(cells.code, cells.weight, len(weight)), 0.0)
    shared = len(covariances) == 1
    scatter += covariances * (idle.sum() if shared else idle[:, None, None])
    group = np.zeros_like(cells.code) if shared else cells.code
    shift = np.zeros_like(means)
    np.add.at(shift, cells.code, steps * cells.weight[:, None])
    shift /= weight[:, None]
    for g in range(len(scatter)):
        at = group == g
        own = steps[at]
        scatter[g] += (own * cells.weight[at, None]).T @ own
        moved = shift if shared else shift[g : g + 1]
        scatter[g] -= (moved * (weight if shared else weight[g : g + 1])[:, None]).T @ moved
        scatter[g] = (scatter[g] + scatter[g].T) / 2
    return means + shift, scatter


def regressions(covariances: Floats, known: Array, regular: bool | None = None) -> Floats:
    """A = S_o (S_oo)^-1 for each of (u, d, d), zero in the columns of unknown features."""
    regular = _is_regular(covariances) if regular is None else regular
    out = np.eye(known.shape[1]) * known[:, None, :]
    at = np.flatnonzero(~known.all(axis=1))
    if len(at):
        missing = _missing(known[at])
        slopes = _solved(covariances[at], known[at], missing, regular)
        out[at[:, None], missing] = slopes
    return out


def _missing(known: Array) -> Indices:
    """Positions of the unknown features, (u, m); shorter lists repeat their first one."""
    order = np.argsort(known, axis=1, kind="stable")
    count = (~known).sum(axis=1)
    most = np.arange(int(count.max()))
    return np.asarray(np.take_along_axis(order, np.where(most < count[:, None], most, 0), axis=1))


def _solved(covariances: Floats, known: Array, missing: Indices, regular: bool) -> Floats:
    """The rows of A for the missing features, (u, m, d)."""
    scale, correlations = _correlations(covariances)
    inner = correlations * (known[:, :, None] & known[:, None, :])
    outer = np.take_along_axis(correlations, missing[:, None, :], axis=2) * known[:, :, None]
    diagonal = np.arange(known.shape[1])
    blank = ~known | (inner[:, diagonal, diagonal] == 0)
    inner[:, diagonal, diagonal] += blank
    if regular:
        slopes = np.linalg.solve(inner, outer)
    else:
        slopes = np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ outer
    own = np.take_along_axis(scale, missing, axis=1)
    return np.asarray(slopes.transpose(0, 2, 1) * own[:, :, None] * (known / scale)[:, None, :])


def _correlations(covariances: Floats) -> tuple[Floats, Floats]:
    scale = np.sqrt(np.maximum(covariances.diagonal(axis1=1, axis2=2), 0.0))
    scale[scale == 0] = 1.0
    return scale, covariances / scale[:, :, None] / scale[:, None, :]


def _is_regular(covariances: Floats) -> bool:
    _, matrices = _correlations(covariances)
    diagonal = np.arange(matrices.shape[1])
    matrices[:, diagonal, diagonal] += matrices[:, diagonal, diagonal] == 0
    try:
        pivots = np.linalg.cholesky(matrices).diagonal(axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        return False
    return bool((pivots**2).min() > DOUBTFUL)
