"""Marginal likelihood: statistics in the units of a prior, as the evidence needs them.

Two things differ when strengths are chosen. A prior estimated from the rows would agree with them
too well, so each class is judged by the covariance of the others. And a feature that is constant in
a class, or linearly dependent features, would be infinitely probable under a covariance of strength
zero, and nothing else would count. So only directions with variance are used, which is exact, since
the prior of a projection of the features has the same strengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.models.conjugate_priors.beliefs import Beliefs, Prior
from suffice.models.conjugate_priors.evidence import (
    Evidence,
    IndependentEvidence,
    SeparateEvidence,
    SharedEvidence,
)
from suffice.models.covariances.groups import Group, Matrix
from suffice.models.covariances.linalg import rank_tolerance, span, whitener
from suffice.models.covariances.shrinkage import oas
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, dense
from suffice.statistics.statistics import Statistics


def evidence_of(
    s: AnyStatistics, beliefs: Beliefs, prior: Prior, choosing: bool = False
) -> Evidence:
    """The log marginal likelihood as a function of the strengths, without features of P = 0.

    choosing : whether it is used to choose strengths (see above)
    """
    k = len(s.classes)
    borrowed = choosing and k > 1 and beliefs.prior_covariance is None and beliefs.pooling == 0
    if not beliefs.structure.takes_matrices:
        n, squares = s.known_weight, s.squares
        variances = _variances_of_others(n, squares) if borrowed else prior.variances[None]
        return _independent(s, prior, variances, beliefs.pooling == 1, choosing)
    assert isinstance(s, Statistics)
    if beliefs.pooling == 1:
        return _shared(s, prior, choosing)
    own = _covariances_of_others(s) if borrowed else iter([prior.covariance] * k)
    return _separate(s, prior, own, choosing)


def _independent(
    s: AnyStatistics, prior: Prior, variances: Floats, pooled: bool, choosing: bool
) -> IndependentEvidence:
    at = np.flatnonzero((variances > 0).any(axis=0))
    n, scale, squares = s.known_weight, variances[:, at], s.squares[:, at]
    n = n if n.shape[1] == 1 else n[:, at]
    shift = prior.shifts(s)[:, at]
    if choosing:
        several = (n > 1) | s.squares.any(axis=1, keepdims=True)
        still = squares.sum(axis=0) == 0 if pooled else (squares == 0) & several
        still = np.broadcast_to(still | (scale == 0), squares.shape)
        if still.any():
            n, shift = np.where(still, 0.0, n), np.where(still, 0.0, shift)
            squares = np.where(still, 0.0, squares)
    scale = np.where(scale > 0, scale, 1.0)
    log_scale = np.zeros_like(scale) if choosing else np.log(scale)
    return IndependentEvidence(n, squares / scale, shift / np.sqrt(scale), pooled, log_scale)


def _variances_of_others(n: Floats, squares: Floats) -> Floats:
    """The variance of each feature pooled over all other classes, (k, d); zero without rows."""
    free = np.maximum(n - 1, 0.0)
    free, squares = _without_each(free), _without_each(squares)
    return np.asarray(np.where(free > 0, squares / np.where(free > 0, free, 1.0), 0.0))


def _covariances_of_others(s: Statistics) -> Iterator[Floats]:
    """For each class, the covariance of all others with correlations shrunk by OAS, (d, d)."""
    free = _without_each(np.maximum(s.weight - 1, 0.0))
    scatter = _without_each(dense(_spread(s)).sums.high)
    for weight, matrix in zip(free.tolist(), scatter, strict=True):
        if weight == 0:
            yield np.zeros_like(matrix)
            continue
        # Without any correlation, rounding may make the estimate negative.
        estimate = oas(Group(weight, weight, Matrix(matrix), None, 0).correlations)
        share = max(float(estimate), 0.0)
        shrunk = (1 - share) * matrix
        np.fill_diagonal(shrunk, matrix.diagonal())
        yield shrunk / weight


def _without_each(values: Floats) -> Floats:
    """Sums over all other entries of the first axis; without subtraction, so zero stays zero."""
    before, after = np.zeros((2, *values.shape))
    np.cumsum(values[:-1], axis=0, out=before[1:])
    np.cumsum(values[:0:-1], axis=0, out=after[-2::-1])
    return np.asarray(before + after)


@dataclass(frozen=True, slots=True)
class _Part:
    """A group of classes in the units of the prior."""

    scatter: Floats  # (r,): nonzero eigenvalues, or all
    along: Floats  # (m, r): shifts of its classes along the eigenvectors
    outside: Floats  # (m, d): the part of the shifts outside their span
    features: int
    log_volume: float


def _shared(s: Statistics, prior: Prior, choosing: bool) -> SharedEvidence:
    spread = _spread(s)
    spread = spread.pooled() if spread.per_class else spread
    part = _part(s, spread, 0, slice(None), prior.shifts(s), prior.covariance, choosing)
    products = part.outside @ part.outside.T
    return SharedEvidence(
        s.weight, part.scatter, part.along, products, part.features, part.log_volume
    )


def _separate(
    s: Statistics, prior: Prior, covariances: Iterator[Floats], choosing: bool
) -> SeparateEvidence:
    spread, shifts = _spread(s), prior.shifts(s)
    parts = [
        _part(s, spread, c, slice(c, c + 1), shifts[c : c + 1], own, choosing)
        for c, own in enumerate(covariances)
    ]
    width = 1 + max(len(part.scatter) for part in parts)
    scatter, along = np.zeros((2, len(parts), width))
    for c, part in enumerate(parts):
        scatter[c, : len(part.scatter)] = part.scatter
        along[c, : len(part.scatter)] = part.along[0]
        along[c, -1] = np.linalg.norm(part.outside)
    features = np.array([part.features for part in parts])
    return SeparateEvidence(
        s.weight, scatter, along, features, np.array([p.log_volume for p in parts])
    )


def _part(
    s: Statistics,
    spread: DenseScatter | FactoredScatter,
    g: int,
    own: slice,
    shifts: Floats,
    covariance: Floats,
    choosing: bool,
) -> _Part:
    weight = float(s.weight[own].sum())
    free = weight - (len(s.classes) if own == slice(None) else 1)
    at = covariance.diagonal() > 0
    squares = spread.diagonal()[g]
    if choosing and (free > 0 or squares.any()):
        at = at & (squares > 0)
    features = np.flatnonzero(at)
    if not len(features):
        return _Part(np.zeros(0), np.zeros((len(shifts), 0)), np.zeros((1, 1)), 0, 0.0)
    unit = whitener(covariance[np.ix_(features, features)])
    assert unit is not None
    shift = shifts[:, features] @ unit.matrix.T
    values, vectors = _white(spread, g, features, unit.matrix)
    d = len(features)
    if choosing and free >= d:
        kept = values > rank_tolerance(d) * values.max(initial=0.0)
        values, vectors, d = values[kept], vectors[kept], int(kept.sum())
    along = shift @ vectors.T
    outside = shift - along @ vectors
    if len(values) == d:
        outside = np.zeros_like(outside)  # nothing but rounding, or not considered
    # A constant that depends only on units would cost digits in a comparison.
    return _Part(values, along, outside, d, 0.0 if choosing else unit.log_determinant)


def _white(
    spread: DenseScatter | FactoredScatter, g: int, features: Indices, unit: Floats
) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors (as rows) of the scatter of a group in units of the prior."""
    if isinstance(spread, FactoredScatter):
        return span(spread.factor[spread.owner == g][:, features] @ unit.T)
    matrix = spread.sums.high[g][np.ix_(features, features)]
    values, vectors = np.linalg.eigh(unit @ matrix @ unit.T)
    return np.maximum(values, 0.0), vectors.T


def _spread(s: Statistics) -> DenseScatter | FactoredScatter:
    assert not isinstance(s.spread, DiagonalScatter)
    return s.spread
