"""Expectation: expected sums of rows with missing values, under given covariances."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.gammas import LOG_2PI
from suffice.models.observed_parts import ObservedParts

# Matrices are computed in blocks of this many entries.
BLOCK_ENTRIES = 1 << 21


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

    A row with the observed features o has the conditional mean m + A (x - m), A = S_o (S_oo)^-1,
    and the conditional covariance S - A S_o'.

    likely : whether to compute the log-likelihood under these means and covariances as well
    """
    cells, size = parts.cells, len(covariances)
    # If a covariance is regular, so is every submatrix of it.
    regular = are_regular(covariances)
    explained, imputed, steps = _sums(parts, means, covariances, regular)
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
        levels[regular] = _levels(parts, covariances, regular, explained)
    for g in range(size):
        moved, total = (shift, weight) if shared else (shift[g : g + 1], weight[g : g + 1])
        explained[g] -= (moved * total[:, None]).T @ moved
    return Expected(means + shift, _symmetrise(explained + imputed), _symmetrise(imputed), levels)


def _sums(
    parts: ObservedParts, means: Floats, covariances: Floats, regular: Array
) -> tuple[Floats, Floats, Floats]:
    """By group, the scatter of completed rows about their cells, and that of missing values.

    Then the steps from the class mean to the expected mean of each cell, (c, d).
    """
    units, cells, size = parts.units, parts.cells, len(covariances)
    d = means.shape[1]
    explained, imputed = np.zeros_like(covariances), np.zeros_like(covariances)
    steps = np.empty_like(cells.mean)
    step = max(1, BLOCK_ENTRIES // (d * d))
    for low in range(0, len(units.group), step):
        part = slice(low, min(len(units.group), low + step))
        group = units.group[part]
        own = covariances[group]
        slopes = regressions(own, units.observed[part], regular[group])
        rest = (own - slopes @ own) * units.weight[part, None, None]
        imputed += _by_group(rest, group, size)
        first, last = np.searchsorted(units.scattered, (part.start, part.stop))
        at = units.scattered[first:last] - low
        spread = slopes[at] @ units.scatter[first:last] @ slopes[at].transpose(0, 2, 1)
        explained += _by_group(spread, group[at], size)
        first, last = np.searchsorted(cells.unit, (part.start, part.stop))
        unit = cells.unit[first:last]
        away = (cells.mean[first:last] - means[cells.code[first:last]]) * units.observed[unit]
        steps[first:last] = np.matmul(slopes[unit - low], away[:, :, None])[:, :, 0]
    return explained, imputed, steps


def _levels(parts: ObservedParts, covariances: Floats, regular: Array, explained: Floats) -> Floats:
    """Log-likelihood of the observed values by group, for groups with a regular covariance.

    explained : (g, d, d) scatter of the completed rows about the class means: the quadratic form of
        a row in S_oo equals that of its completion in S
    """
    units, d = parts.units, parts.units.observed.shape[1]
    scale, correlations = _correlations(covariances[regular])
    moments = explained[regular] / scale[:, :, None] / scale[:, None, :]
    lengths = np.linalg.solve(correlations, moments).trace(axis1=1, axis2=2)
    volumes = np.zeros(len(covariances))
    some = np.flatnonzero(regular[units.group])
    step = max(1, BLOCK_ENTRIES // (d * d))
    for low in range(0, len(some), step):
        at = some[low : low + step]
        heights = _log_volumes(covariances[units.group[at]], units.observed[at])
        volumes += np.bincount(units.group[at], heights * units.weight[at], len(volumes))
    return np.asarray(-(volumes[regular] + lengths) / 2)


def regressions(covariances: Floats, observed: Array, regular: Array | None = None) -> Floats:
    """A = S_o (S_oo)^-1 for each of (u, d, d), zero in the columns of missing features.

    regular : (u,) which covariances are regular, if already computed
    """
    regular = are_regular(covariances) if regular is None else regular
    out = np.eye(observed.shape[1]) * observed[:, None, :]
    incomplete = ~observed.all(axis=1)
    for kind in (True, False):
        at = np.flatnonzero(incomplete & (regular == kind))
        if len(at):
            missing = _missing(observed[at])
            out[at[:, None], missing] = _solve(covariances[at], observed[at], missing, kind)
    return out


def _by_group(matrices: Floats, group: Indices, size: int) -> Floats:
    """Sums of matrices (u, d, d) by their group, (g, d, d)."""
    belongs = (np.arange(size)[:, None] == group).astype(np.float64)
    flat = belongs @ matrices.reshape(len(matrices), math.prod(matrices.shape[1:]))
    return np.asarray(flat.reshape(size, *matrices.shape[1:]))


def _symmetrise(matrices: Floats) -> Floats:
    return np.asarray((matrices + matrices.transpose(0, 2, 1)) / 2)


def _missing(observed: Array) -> Indices:
    """Positions of the missing features, (u, m); shorter lists repeat their first entry."""
    order = np.argsort(observed, axis=1, kind="stable")
    count = (~observed).sum(axis=1)
    most = np.arange(int(count.max()))
    return np.asarray(np.take_along_axis(order, np.where(most < count[:, None], most, 0), axis=1))


def _inner(covariances: Floats, observed: Array) -> tuple[Floats, Floats, Floats]:
    """Scales (u, d), correlations, and those of the observed features; the identity elsewhere."""
    scale, correlations = _correlations(covariances)
    inner = correlations * (observed[:, :, None] & observed[:, None, :])
    diagonal = np.arange(observed.shape[1])
    inner[:, diagonal, diagonal] += ~observed | (inner[:, diagonal, diagonal] == 0)
    return scale, correlations, inner


def _log_volumes(covariances: Floats, observed: Array) -> Floats:
    """ln|2 pi S_oo| for each of (u, d, d), all of them regular."""
    scale, _, inner = _inner(covariances, observed)
    pivots = np.linalg.cholesky(inner).diagonal(axis1=1, axis2=2)
    logs = 2 * (np.log(pivots) + np.log(scale)) + LOG_2PI
    return np.asarray((logs * observed).sum(axis=1))


def _solve(covariances: Floats, observed: Array, missing: Indices, regular: bool) -> Floats:
    """The rows of A for the missing features, (u, m, d)."""
    scale, correlations, inner = _inner(covariances, observed)
    outer = np.take_along_axis(correlations, missing[:, None, :], axis=2) * observed[:, :, None]
    if regular:
        slopes = np.linalg.solve(inner, outer)
    else:
        slopes = np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ outer
    own = np.take_along_axis(scale, missing, axis=1)
    return np.asarray(slopes.transpose(0, 2, 1) * own[:, :, None] * (observed / scale)[:, None, :])


def _correlations(covariances: Floats) -> tuple[Floats, Floats]:
    scale = np.sqrt(np.maximum(covariances.diagonal(axis1=1, axis2=2), 0.0))
    scale[scale == 0] = 1.0
    return scale, covariances / scale[:, :, None] / scale[:, None, :]


def are_regular(covariances: Floats) -> Array:
    """Which of (u, d, d) have correlations that are regular to working precision, (u,)."""
    _, matrices = _correlations(covariances)
    diagonal = np.arange(matrices.shape[1])
    matrices[:, diagonal, diagonal] += matrices[:, diagonal, diagonal] == 0
    values = np.linalg.eigvalsh(matrices)
    # Eigenvalues of correlations below this share of the largest may be rounding.
    doubtful = 1e-11
    return np.asarray(values[:, 0] > doubtful * values[:, -1])
