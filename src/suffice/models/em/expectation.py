"""Expectation: expected sums of rows with missing values, under given covariances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.conditionals import (
    BLOCK_ENTRIES,
    Inverses,
    correlations_of,
    equally_incomplete,
    inner_correlations,
    strips,
)
from suffice.models.conjugate_priors.gammas import LOG_2PI
from suffice.models.em.observed_parts import ObservedParts


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected sums of all rows, missing values included."""

    means: Floats  # (k, d)
    scatter: Floats  # (g, d, d)
    imputed: Floats  # (g, d, d): the part of the scatter due to missing values, sum of w Var(x|o)
    log_likelihood: Floats  # (g,): of the observed values, given the class; NaN if not computed


def expected_sums(
    parts: ObservedParts, means: Floats, covariances: Floats, weight: Floats, likely: bool = False
) -> Expected:
    """Expected class means (k, d) and scatter by group (g, d, d) of all rows.

    A row with the observed features o and the missing features m has the conditional mean
    m_m + B (x_o - m_o), where B = S_mo (S_oo)^-1, and the conditional covariance S_mm - B S_om.

    likely : whether to compute the log-likelihood under these means and covariances as well
    """
    cells, size = parts.cells, len(covariances)
    inverses = Inverses.of(covariances)
    explained, imputed, steps = _sums(parts, means, covariances, inverses)
    # Rows without any observed value have the mean and covariance of their class.
    idle = np.maximum(weight - np.bincount(cells.code, cells.weight, len(weight)), 0.0)
    shared = size == 1
    imputed += covariances * (idle.sum() if shared else idle[:, None, None])
    group = np.zeros_like(cells.code) if shared else cells.code
    shift = np.zeros_like(means)
    np.add.at(shift, cells.code, steps * cells.weight[:, None])
    shift /= weight[:, None]
    for g in range(size):
        own = steps[group == g]
        explained[g] += (own * cells.weight[group == g, None]).T @ own
    levels = np.full(size, np.nan)
    if likely:
        levels[inverses.regular] = _levels(parts, covariances, inverses, explained)
    for g in range(size):
        moved, total = (shift, weight) if shared else (shift[g : g + 1], weight[g : g + 1])
        explained[g] -= (moved * total[:, None]).T @ moved
    return Expected(means + shift, _symmetrise(explained + imputed), _symmetrise(imputed), levels)


def _sums(
    parts: ObservedParts, means: Floats, covariances: Floats, inverses: Inverses
) -> tuple[Floats, Floats, Floats]:
    """By group, the scatter of completed rows about their cells, and that of missing values.

    Then the steps from the class mean to the expected mean of each cell, (c, d).
    """
    units, cells = parts.units, parts.cells
    explained, imputed = np.zeros_like(covariances), np.zeros_like(covariances)
    for g, scatter in zip(units.group[units.scattered].tolist(), units.scatter, strict=True):
        explained[g] += scatter
    steps = (cells.mean - means[cells.code]) * units.observed[cells.unit]
    place, position = np.full((2, len(units.group)), -1)
    place[units.scattered] = np.arange(len(units.scattered))
    every = np.arange(means.shape[1])[None, None]
    for strip in strips(units, covariances, inverses):
        group, slopes = units.group[strip.at], strip.slopes
        rows, columns = strip.missing[:, :, None], strip.missing[:, None, :]
        among = strip.conditional * units.weight[strip.at, None, None]
        _add_entries(imputed, group, rows, columns, among)
        some = np.flatnonzero(place[strip.at] >= 0)
        if len(some):
            cross = slopes[some] @ units.scatter[place[strip.at[some]]]
            among = cross @ slopes[some].transpose(0, 2, 1)
            # Twice in the rows alone: in the end, matrices are made symmetric.
            cross *= 2
            np.put_along_axis(cross, columns[some], among, axis=2)
            _add_entries(explained, group[some], rows[some], every, cross)
        position[strip.at] = np.arange(len(strip.at))
        own = np.flatnonzero(position[cells.unit] >= 0)
        at = position[cells.unit[own]]
        steps[own[:, None], strip.missing[at]] = (slopes[at] @ steps[own, :, None])[:, :, 0]
        position[strip.at] = -1
    return explained, imputed, steps


def _add_entries(
    totals: Floats, group: Indices, rows: Indices, columns: Indices, values: Floats
) -> None:
    """Add matrices (u, i, j) to some rows and columns of the totals (g, d, d) of their groups."""
    d = totals.shape[1]
    own, local = group[:1], np.zeros(len(group), np.intp)
    if len(totals) > 1:
        own, local = np.unique(group, return_inverse=True)
    at = (local[:, None, None] * d + rows) * d + columns
    sums = np.bincount(at.ravel(), values.ravel(), len(own) * d * d)
    totals[own] += sums.reshape(len(own), d, d)


def _levels(
    parts: ObservedParts, covariances: Floats, inverses: Inverses, explained: Floats
) -> Floats:
    """Log-likelihood of the observed values by group, for groups with a regular covariance.

    explained : (g, d, d) scatter of the completed rows about the class means: the quadratic form of
        a row in S_oo equals that of its completion in S
    """
    units, regular = parts.units, inverses.regular
    scale, correlations = correlations_of(covariances[regular])
    moments = explained[regular] / scale[:, :, None] / scale[:, None, :]
    lengths = np.linalg.solve(correlations, moments).trace(axis1=1, axis2=2)
    heights = np.zeros(len(units.group))
    steady = inverses.steady[units.group]
    logs = 2 * np.log(np.where(inverses.scale > 0, inverses.scale, 1.0)) + LOG_2PI
    heights[steady] = (logs[units.group] * units.observed).sum(axis=1)[steady]
    heights[steady] += inverses.log_volume[units.group[steady]]
    for at, missing in equally_incomplete(units.observed, steady):
        if steady[at[0]]:
            # |S_oo| = |S| |P_mm|, where P is the inverse of S.
            heights[at] += np.linalg.slogdet(inverses.among_missing(units.group[at], missing))[1]
    some = np.flatnonzero(regular[units.group] & ~steady)
    step = max(1, BLOCK_ENTRIES // covariances.shape[1] ** 2)
    for low in range(0, len(some), step):
        at = some[low : low + step]
        heights[at] = _log_volumes(covariances[units.group[at]], units.observed[at])
    volumes = np.bincount(units.group, heights * units.weight, len(covariances))
    return np.asarray(-(volumes[regular] + lengths) / 2)


def _symmetrise(matrices: Floats) -> Floats:
    return np.asarray((matrices + matrices.transpose(0, 2, 1)) / 2)


def _log_volumes(covariances: Floats, observed: Array) -> Floats:
    """ln|2 pi S_oo| for each of (u, d, d), all of them regular."""
    scale, _, inner = inner_correlations(covariances, observed)
    pivots = np.linalg.cholesky(inner).diagonal(axis1=1, axis2=2)
    logs = 2 * (np.log(pivots) + np.log(scale)) + LOG_2PI
    return np.asarray((logs * observed).sum(axis=1))
