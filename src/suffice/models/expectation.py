"""Expectation: what rows with gaps are expected to add up to, under known covariances."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.known import KnownParts

# Matrices are made for this many entries at a time.
BLOCK_ENTRIES = 1 << 21

# Eigenvalues of correlations below this share of the largest may be rounding.
DOUBTFUL = 1e-11

LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True)
class Expected:
    """What all rows are expected to add up to, missing values included."""

    means: Floats  # (k, d)
    scatter: Floats  # (g, d, d)
    imputed: Floats  # (g, d, d): the part of the scatter due to missing values, sum of w Var(x|o)
    log_likelihood: Floats  # (g,): of the known values, given the class; NaN where not computed


def expected(
    known: KnownParts, means: Floats, covariances: Floats, weight: Floats, likely: bool = False
) -> Expected:
    """Class means (k, d) and scatter by group (g, d, d) that all rows are expected to have.

    A row that knows the features o is expected at m + A (x - m), with A = S_o (S_oo)^-1, and to
    vary about that point with the covariance S - A S_o'.

    likely : whether the log-likelihood under these means and covariances is wanted as well
    """
    cells, size = known.cells, len(covariances)
    # What holds for a covariance holds for every part of it.
    regular = are_regular(covariances)
    seen, imputed, steps = _sums(known, means, covariances, regular)
    # Rows that know nothing are expected at the mean, with the covariance itself.
    idle = np.maximum(weight - np.bincount(cells.code, cells.weight, len(weight)), 0.0)
    shared = size == 1
    imputed += covariances * (idle.sum() if shared else idle[:, None, None])
    group = np.zeros_like(cells.code) if shared else cells.code
    shift = np.zeros_like(means)
    np.add.at(shift, cells.code, steps * cells.weight[:, None])
    shift /= weight[:, None]
    for g in range(size):
        own = steps[group == g]
        seen[g] += (own * cells.weight[group == g, None]).T @ own
    levels = np.full(size, np.nan)
    if likely:
        levels[regular] = _levels(known, covariances, regular, seen)
    for g in range(size):
        moved, total = (shift, weight) if shared else (shift[g : g + 1], weight[g : g + 1])
        seen[g] -= (moved * total[:, None]).T @ moved
    return Expected(means + shift, _symmetric(seen + imputed), _symmetric(imputed), levels)


def _sums(
    known: KnownParts, means: Floats, covariances: Floats, regular: Array
) -> tuple[Floats, Floats, Floats]:
    """By group the scatter of expected rows about their cells, and that of what they miss.

    Last the steps from the class mean to where the mean of each cell is expected, (c, d).
    """
    units, cells, size = known.units, known.cells, len(covariances)
    d = means.shape[1]
    seen, imputed = np.zeros_like(covariances), np.zeros_like(covariances)
    steps = np.empty_like(cells.mean)
    step = max(1, BLOCK_ENTRIES // (d * d))
    for low in range(0, len(units.group), step):
        part = slice(low, min(len(units.group), low + step))
        group = units.group[part]
        own = covariances[group]
        slopes = regressions(own, units.known[part], regular[group])
        rest = (own - slopes @ own) * units.weight[part, None, None]
        imputed += _by_group(rest, group, size)
        first, last = np.searchsorted(units.scattered, (part.start, part.stop))
        at = units.scattered[first:last] - low
        spread = slopes[at] @ units.scatter[first:last] @ slopes[at].transpose(0, 2, 1)
        seen += _by_group(spread, group[at], size)
        first, last = np.searchsorted(cells.unit, (part.start, part.stop))
        unit = cells.unit[first:last]
        away = (cells.mean[first:last] - means[cells.code[first:last]]) * units.known[unit]
        steps[first:last] = np.matmul(slopes[unit - low], away[:, :, None])[:, :, 0]
    return seen, imputed, steps


def _levels(known: KnownParts, covariances: Floats, regular: Array, seen: Floats) -> Floats:
    """Log-likelihood of the known values by group, for groups with a regular covariance.

    seen : (g, d, d) scatter about the class means of the rows as they are expected: the
        quadratic form of a row in S_oo is that of its expected completion in S
    """
    units, d = known.units, known.units.known.shape[1]
    scale, correlations = _correlations(covariances[regular])
    moments = seen[regular] / scale[:, :, None] / scale[:, None, :]
    lengths = np.linalg.solve(correlations, moments).trace(axis1=1, axis2=2)
    volumes = np.zeros(len(covariances))
    some = np.flatnonzero(regular[units.group])
    step = max(1, BLOCK_ENTRIES // (d * d))
    for low in range(0, len(some), step):
        at = some[low : low + step]
        heights = _log_volumes(covariances[units.group[at]], units.known[at])
        volumes += np.bincount(units.group[at], heights * units.weight[at], len(volumes))
    return np.asarray(-(volumes[regular] + lengths) / 2)


def regressions(covariances: Floats, known: Array, regular: Array | None = None) -> Floats:
    """A = S_o (S_oo)^-1 for each of (u, d, d), zero in the columns of unknown features.

    regular : (u,) which covariances are regular, where that has been looked up before
    """
    regular = are_regular(covariances) if regular is None else regular
    out = np.eye(known.shape[1]) * known[:, None, :]
    incomplete = ~known.all(axis=1)
    for kind in (True, False):
        at = np.flatnonzero(incomplete & (regular == kind))
        if len(at):
            missing = _missing(known[at])
            out[at[:, None], missing] = _solved(covariances[at], known[at], missing, kind)
    return out


def _by_group(matrices: Floats, group: Indices, size: int) -> Floats:
    """Sums of matrices (u, d, d) by their group, (g, d, d)."""
    belongs = (np.arange(size)[:, None] == group).astype(np.float64)
    flat = belongs @ matrices.reshape(len(matrices), math.prod(matrices.shape[1:]))
    return np.asarray(flat.reshape(size, *matrices.shape[1:]))


def _symmetric(matrices: Floats) -> Floats:
    return np.asarray((matrices + matrices.transpose(0, 2, 1)) / 2)


def _missing(known: Array) -> Indices:
    """Positions of the unknown features, (u, m); shorter lists repeat their first one."""
    order = np.argsort(known, axis=1, kind="stable")
    count = (~known).sum(axis=1)
    most = np.arange(int(count.max()))
    return np.asarray(np.take_along_axis(order, np.where(most < count[:, None], most, 0), axis=1))


def _inner(covariances: Floats, known: Array) -> tuple[Floats, Floats, Floats]:
    """Scales (u, d), correlations, and those of the known features; the identity elsewhere."""
    scale, correlations = _correlations(covariances)
    inner = correlations * (known[:, :, None] & known[:, None, :])
    diagonal = np.arange(known.shape[1])
    inner[:, diagonal, diagonal] += ~known | (inner[:, diagonal, diagonal] == 0)
    return scale, correlations, inner


def _log_volumes(covariances: Floats, known: Array) -> Floats:
    """ln|2 pi S_oo| for each of (u, d, d), all of them regular."""
    scale, _, inner = _inner(covariances, known)
    pivots = np.linalg.cholesky(inner).diagonal(axis1=1, axis2=2)
    logs = 2 * (np.log(pivots) + np.log(scale)) + LOG_2PI
    return np.asarray((logs * known).sum(axis=1))


def _solved(covariances: Floats, known: Array, missing: Indices, regular: bool) -> Floats:
    """The rows of A for the missing features, (u, m, d)."""
    scale, correlations, inner = _inner(covariances, known)
    outer = np.take_along_axis(correlations, missing[:, None, :], axis=2) * known[:, :, None]
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


def are_regular(covariances: Floats) -> Array:
    """Which of (u, d, d) have no correlations that are singular to working precision, (u,)."""
    _, matrices = _correlations(covariances)
    diagonal = np.arange(matrices.shape[1])
    matrices[:, diagonal, diagonal] += matrices[:, diagonal, diagonal] == 0
    values = np.linalg.eigvalsh(matrices)
    return np.asarray(values[:, 0] > DOUBTFUL * values[:, -1])
