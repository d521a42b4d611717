"""Expectation: expected sums of rows with missing values, under given covariances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.conditionals import (
    BLOCK_ENTRIES,
    Inverses,
    correlations_of,
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
    parts: ObservedParts,
    means: Floats,
    covariances: Floats,
    weight: Floats,
    likely: bool = False,
    doubtful: float = 1e-4,
) -> Expected:
    """Expected class means (k, d) and scatter by group (g, d, d) of all rows.

    A row with the observed features o and the missing features m has the conditional mean
    m_m + B (x_o - m_o), where B = S_mo (S_oo)^-1, and the conditional covariance S_mm - B S_om.

    likely : whether to compute the log-likelihood under these means and covariances as well
    doubtful : see `Inverses.of`
    """
    lines, size = parts.lines, len(covariances)
    inverses = Inverses.of(covariances, doubtful)
    steps, imputed, heights = _complete(parts, means, covariances, inverses)
    coded = lines.code >= 0
    # Rows without any observed value have the mean and covariance of their class.
    known = np.bincount(lines.code[coded], lines.weight[coded], len(weight))
    idle = np.bincount(parts.owner, np.maximum(weight - known, 0.0), size)
    imputed += covariances * idle[:, None, None]
    shift, explained = np.zeros_like(means), parts.within.copy()
    for g, at in enumerate(parts.by_group):
        own, heavy = steps[at], steps[at] * lines.weight[at, None]
        explained[g] += heavy.T @ own
        codes = np.flatnonzero(parts.owner == g)
        shift[codes] = (lines.code[at] == codes[:, None]).astype(float) @ heavy
    shift /= weight[:, None]
    levels = np.full(size, np.nan)
    if likely:
        levels[inverses.regular] = _levels(parts, covariances, inverses, heights, explained)
    for g in range(size):
        codes = parts.owner == g
        explained[g] -= (shift[codes] * weight[codes, None]).T @ shift[codes]
    return Expected(means + shift, _symmetrise(explained + imputed), _symmetrise(imputed), levels)


def _complete(
    parts: ObservedParts, means: Floats, covariances: Floats, inverses: Inverses
) -> tuple[Floats, Floats, Floats]:
    """Expected values of the lines about the class means, (r, d); the scatter of missing values.

    Then ln|P_mm| of each unit, P being the inverse of the correlations, (u,).
    """
    units, lines = parts.units, parts.lines
    steps = lines.values - np.where(lines.code[:, None] >= 0, means[lines.code], 0.0)
    steps *= units.observed[lines.unit]
    # All in standard deviations, so that the inverse of the correlations serves as it is.
    scale = np.where(inverses.scale > 0, inverses.scale, 1.0)
    pulls = np.empty_like(steps)
    for g, at in enumerate(parts.by_group):
        steps[at] /= scale[g]
        pulls[at] = steps[at] @ inverses.inverse[g]
    imputed, heights = np.zeros_like(covariances), np.zeros(len(units.group))
    edges = np.searchsorted(lines.unit, np.arange(len(units.group) + 1))
    for strip in strips(units, covariances, inverses):
        conditional, missing = strip.conditional, strip.missing
        heights[strip.at] = strip.log_volume
        _add_entries(
            imputed,
            units.group[strip.at],
            missing,
            conditional * units.weight[strip.at, None, None],
        )
        counts = np.diff(edges)[strip.at]
        place: Indices | slice = np.repeat(np.arange(len(counts)), counts)
        own = np.arange(counts.sum()) + np.repeat(
            edges[strip.at] - np.cumsum(counts) + counts, counts
        )
        if len(own) == len(counts):  # one line in each unit, as of most rows with many gaps
            place = slice(None)
        columns = missing[place]
        if strip.slopes is None:
            filled = -(conditional[place] @ pulls[own[:, None], columns, None])
        else:
            filled = strip.slopes[place] @ steps[own, :, None]
        steps[own[:, None], columns] = filled[:, :, 0]
    for g, at in enumerate(parts.by_group):
        steps[at] *= scale[g]
    imputed *= inverses.scale[:, :, None] * inverses.scale[:, None, :]
    return steps, imputed, heights


def _add_entries(totals: Floats, group: Indices, missing: Indices, values: Floats) -> None:
    """Add matrices (u, m, m) to the missing features of the totals (g, d, d) of their groups."""
    d = totals.shape[1]
    own, local = group[:1], np.zeros(len(group), np.intp)
    if len(totals) > 1:
        own, local = np.unique(group, return_inverse=True)
    at = (local[:, None, None] * d + missing[:, :, None]) * d + missing[:, None, :]
    sums = np.bincount(at.ravel(), values.ravel(), len(own) * d * d)
    totals[own] += sums.reshape(len(own), d, d)


def _levels(
    parts: ObservedParts,
    covariances: Floats,
    inverses: Inverses,
    heights: Floats,
    explained: Floats,
) -> Floats:
    """Log-likelihood of the observed values by group, for groups with a regular covariance.

    heights : (u,) ln|P_mm|, see `_complete`: |S_oo| = |S| |P_mm|
    explained : (g, d, d) scatter of the completed rows about the class means: the quadratic form of
        a row in S_oo equals that of its completion in S
    """
    units, regular = parts.units, inverses.regular
    scale, correlations = correlations_of(covariances[regular])
    moments = explained[regular] / scale[:, :, None] / scale[:, None, :]
    lengths = np.linalg.solve(correlations, moments).trace(axis1=1, axis2=2)
    logs = 2 * np.log(np.where(inverses.scale > 0, inverses.scale, 1.0)) + LOG_2PI
    heights = heights + (logs[units.group] * units.observed).sum(axis=1)
    heights += inverses.log_volume[units.group]
    some = np.flatnonzero((regular & ~inverses.steady)[units.group])
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
