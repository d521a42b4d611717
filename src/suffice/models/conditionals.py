"""Conditionals: missing features given the observed ones, for many patterns at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.linalg import invert_all
from suffice.models.em.observed_parts import Units

# Matrices are computed in blocks of this many entries.
BLOCK_ENTRIES = 1 << 21
# Eigenvalues of correlations below this share of the largest may be rounding.
SINGULAR = 1e-11


@dataclass(frozen=True, slots=True)
class Inverses:
    """Correlations of each group, and their inverses where these hold enough digits."""

    scale: Floats  # (g, d): standard deviations
    regular: Array  # (g,): whether the correlations are regular to working precision
    inverse: Floats  # (g, d, d): of the correlations, where `steady`; else the identity
    log_volume: Floats  # (g,): ln of the determinant of the same
    steady: Array  # (g,): whether regressions may be read off the inverse

    @classmethod
    def of(cls, covariances: Floats, doubtful: float = 1e-4) -> Inverses:
        """The inverses of (g, d, d).

        doubtful : smallest eigenvalue, as a share of the largest, below which rounding of the
            inverse would keep EM from converging
        """
        correlations = _regular_at_zero(covariances)
        scale = np.sqrt(np.maximum(covariances.diagonal(axis1=1, axis2=2), 0.0))
        proven = _proven_steady(correlations, doubtful)
        if proven is not None:
            every = np.ones(len(covariances), bool)
            return cls(scale, every, *proven, every)
        shares = _eigenvalue_shares(correlations)
        regular, steady = shares > SINGULAR, shares > doubtful
        inverse = np.tile(np.eye(covariances.shape[1]), (len(covariances), 1, 1))
        log_volume = np.zeros(len(covariances))
        if steady.any():
            inverse[steady] = np.linalg.inv(correlations[steady])
            log_volume[steady] = _log_determinants(_factors(correlations[steady]))
        return cls(scale, regular, inverse, log_volume, steady)

    def among_missing(self, group: Indices, missing: Indices) -> Floats:
        """The part of the inverse that belongs to missing features, (u, m, m)."""
        at = group[:, None, None], missing[:, :, None], missing[:, None, :]
        return np.asarray(self.inverse[at])


@dataclass(frozen=True, slots=True)
class Strip:
    """Units with equally many missing features, and these given the observed ones.

    All are in standard deviations. With P the inverse of the correlations, the conditional
    covariances are (P_mm)^-1 and the slopes -(P_mm)^-1 P_mo.
    """

    at: Indices  # (u,): which units
    missing: Indices  # (u, m)
    conditional: Floats  # (u, m, m): covariances given the observed features
    log_volume: Floats | float  # (u,): ln|P_mm|; 0 where P is not steady
    slopes: Floats | None  # (u, m, d): where P is not steady


def strips(units: Units, covariances: Floats, inverses: Inverses) -> Iterator[Strip]:
    """The units in which some feature is missing."""
    regular, steady = inverses.regular[units.group], inverses.steady[units.group]
    correlations = None if steady.all() else correlations_of(covariances)[1]
    for at, missing in equally_incomplete(units.observed, regular, steady):
        group = units.group[at]
        if correlations is None or steady[at[0]]:
            yield Strip(at, missing, *invert_all(inverses.among_missing(group, missing)), None)
            continue
        own = correlations[group]
        slopes = _solve(own, units.observed[at], missing, bool(regular[at[0]]))
        outer = np.take_along_axis(own, missing[:, None, :], axis=2)
        among = np.take_along_axis(outer, missing[:, :, None], axis=1)
        yield Strip(at, missing, among - slopes @ outer, 0.0, slopes)


def equally_incomplete(observed: Array, *kinds: Array) -> Iterator[tuple[Indices, Indices]]:
    """Units (u,) of the same kinds with equally many missing features, and these, (u, m)."""
    count = (~observed).sum(axis=1)
    size = max(1, BLOCK_ENTRIES // observed.shape[1] ** 2)
    number = count
    for kind in kinds:
        number = 2 * number + kind
    for one in np.unique(number[count > 0]):
        every = np.flatnonzero(number == one)
        m = int(count[every[0]])
        for low in range(0, len(every), size):
            at = every[low : low + size]
            yield at, np.nonzero(~observed[at])[1].reshape(len(at), m)


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


def _missing(observed: Array) -> Indices:
    """Positions of the missing features, (u, m); shorter lists repeat their first entry."""
    order = np.argsort(observed, axis=1, kind="stable")
    count = (~observed).sum(axis=1)
    most = np.arange(int(count.max()))
    return np.asarray(np.take_along_axis(order, np.where(most < count[:, None], most, 0), axis=1))


def inner_correlations(covariances: Floats, observed: Array) -> tuple[Floats, Floats, Floats]:
    """Scales (u, d), correlations, and those of the observed features; the identity elsewhere."""
    scale, correlations = correlations_of(covariances)
    inner = correlations * (observed[:, :, None] & observed[:, None, :])
    diagonal = np.arange(observed.shape[1])
    inner[:, diagonal, diagonal] += ~observed | (inner[:, diagonal, diagonal] == 0)
    return scale, correlations, inner


def _solve(covariances: Floats, observed: Array, missing: Indices, regular: bool) -> Floats:
    """The rows of A for the missing features, (u, m, d)."""
    scale, correlations, inner = inner_correlations(covariances, observed)
    outer = np.take_along_axis(correlations, missing[:, None, :], axis=2) * observed[:, :, None]
    if regular:
        slopes = np.linalg.solve(inner, outer)
    else:
        slopes = np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ outer
    own = np.take_along_axis(scale, missing, axis=1)
    return np.asarray(slopes.transpose(0, 2, 1) * own[:, :, None] * (observed / scale)[:, None, :])


def correlations_of(covariances: Floats) -> tuple[Floats, Floats]:
    """Scales (u, d), 1 where a variance is zero, and correlations (u, d, d)."""
    scale = np.sqrt(np.maximum(covariances.diagonal(axis1=1, axis2=2), 0.0))
    scale[scale == 0] = 1.0
    return scale, covariances / scale[:, :, None] / scale[:, None, :]


def are_regular(covariances: Floats) -> Array:
    """Which of (u, d, d) have correlations that are regular to working precision, (u,)."""
    return np.asarray(_eigenvalue_shares(_regular_at_zero(covariances)) > SINGULAR)


def _regular_at_zero(covariances: Floats) -> Floats:
    """Correlations (u, d, d), where a feature without variance is independent of the others."""
    _, correlations = correlations_of(covariances)
    diagonal = np.arange(correlations.shape[1])
    correlations[:, diagonal, diagonal] += correlations[:, diagonal, diagonal] == 0
    return correlations


def _proven_steady(correlations: Floats, doubtful: float) -> tuple[Floats, Floats] | None:
    """Inverses and log determinants, if norms prove that no eigenvalue of any is doubtful.

    Computing the eigenvalues would take several times as long as all the rest of the inverses.
    """
    try:
        factors = _factors(correlations)
        # The smallest eigenvalue is at most the smallest squared pivot, the largest at least 1.
        if not (factors.diagonal(axis1=1, axis2=2) ** 2 > doubtful).all():
            return None
        inverse: Floats = np.asarray(np.linalg.inv(correlations), np.float64)
    except np.linalg.LinAlgError:
        return None
    if not (_largest_size(correlations) * _largest_size(inverse) < 1 / doubtful).all():
        return None
    return inverse, _log_determinants(factors)


def _factors(matrices: Floats) -> Floats:
    """The Cholesky factors L of each of (u, d, d)."""
    return np.asarray(np.linalg.cholesky(matrices), np.float64)


def _log_determinants(factors: Floats) -> Floats:
    """Of LL' for each of (u, d, d), (u,)."""
    return np.asarray(2 * np.log(factors.diagonal(axis1=1, axis2=2)).sum(axis=1))


def _largest_size(matrices: Floats) -> Floats:
    """A bound on the largest absolute eigenvalue of each of (u, d, d), (u,)."""
    rows = np.abs(matrices).sum(axis=2).max(axis=1)
    return np.asarray(np.minimum(rows, np.sqrt(np.einsum("uij,uij->u", matrices, matrices))))


def _eigenvalue_shares(correlations: Floats) -> Floats:
    """The smallest eigenvalue of each of (u, d, d) as a share of the largest, (u,)."""
    values = np.linalg.eigvalsh(correlations)
    return np.asarray(values[:, 0] / values[:, -1])
