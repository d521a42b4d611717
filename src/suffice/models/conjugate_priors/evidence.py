"""Evidence: the log marginal likelihood of rows under conjugate priors, means and covariances
integrated out, as a function of the strengths of the priors.

With prior mean m, prior covariance P, strengths κ (of the mean) and λ (of the covariance):
S ~ inverse Wishart(λP, λ + d - 1), mean | S ~ N(m, S/κ). So every subset of the features has the
same λ, and a new row has a Student t distribution with λ + n degrees of freedom.

Everything is in units of P, in which P is the identity: then one factorisation of the scatter
serves every κ and λ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.models.conjugate_priors.gammas import LOG_2PI, log_ratio, log_ratio_slope

# Number of strengths for which ratios of gamma functions are cached.
CACHED_STRENGTHS = 32


# ln p(rows | strengths) of the mean and the covariance, and its derivatives by the logarithms of
# the two, (2,).
Evidence: TypeAlias = Callable[[float, float], tuple[float, Floats]]


@dataclass(frozen=True)
class SeparateEvidence:
    """Each class has its own full covariance."""

    weight: Floats  # (k,)
    scatter: Floats  # (k, r): eigenvalues of the scatter; those not listed are zero
    shift: Floats  # (k, r): class means minus the prior mean, along the eigenvectors
    features: Indices  # (k,): d, or the number of directions considered in each class
    log_volume: Floats  # (k,): ln|P|

    def __call__(self, mean_strength: float, covariance_strength: float) -> tuple[float, Floats]:
        """ln p = -n/2 (d ln 2 pi + ln|P|) + d/2 ln(κ / (κ + n)) + Γ - (λ + d - 1 + n)/2 ln|A|.

        A = I + (scatter + κ n / (κ + n) shift shift') / λ, Γ the ratio of the gamma functions.
        """
        kappa, lam, n, d = mean_strength, covariance_strength, self.weight, self.features
        pull = kappa * n / (kappa + n)
        rest = n / (kappa + n)
        room = lam + self.scatter
        reach = (self.shift**2 / room).sum(axis=1)
        log_size = np.log1p(self.scatter / lam).sum(axis=1) + np.log1p(pull * reach)
        gamma, gamma_slope = self._gammas(lam)
        half = (lam + d - 1 + n) / 2
        value = gamma - half * log_size - d / 2 * np.log1p(n / kappa)
        value -= n / 2 * (d * LOG_2PI + self.log_volume)
        share = pull * reach / (1 + pull * reach)
        narrower = lam * pull * (self.shift**2 / room**2).sum(axis=1) / (1 + pull * reach)
        size_slope = -(self.scatter / room).sum(axis=1) - narrower
        by_mean = rest * (d / 2 - half * share)
        by_covariance = gamma_slope - lam / 2 * log_size - half * size_slope
        return float(value.sum()), np.array([by_mean.sum(), by_covariance.sum()])

    @cached_property
    def _gammas(self) -> Callable[[float], tuple[Floats, Floats]]:
        # Most of the work, and repeated for the same values on a grid of strengths.
        return lru_cache(CACHED_STRENGTHS)(lambda lam: _gammas(lam, self.weight, self.features))


@dataclass(frozen=True)
class SharedEvidence:
    """All classes share one full covariance."""

    weight: Floats  # (k,)
    scatter: Floats  # (r,): eigenvalues of the pooled scatter; those not listed are zero
    shift: Floats  # (k, r): class means minus the prior mean, along the eigenvectors
    outside: Floats  # (k, k): products of the parts outside the span of the eigenvectors
    features: int
    log_volume: float  # ln|P|

    def __call__(self, mean_strength: float, covariance_strength: float) -> tuple[float, Floats]:
        """The same formula, with the shifts of all classes in one A."""
        kappa, lam, n, d = mean_strength, covariance_strength, self.weight, self.features
        rest, total = n / (kappa + n), float(n.sum())
        log_det, by_mean, det_slope = self._determinant(kappa * rest, rest, lam)
        log_size = float(np.log1p(self.scatter / lam).sum()) + log_det
        gamma, gamma_slope = self._gammas(lam)
        half = (lam + d - 1 + total) / 2
        value = float(gamma[0]) - half * log_size - d / 2 * float(np.log1p(n / kappa).sum())
        value -= total / 2 * (d * LOG_2PI + self.log_volume)
        size_slope = det_slope - float((self.scatter / (lam + self.scatter)).sum())
        slopes = [
            d / 2 * float(rest.sum()) - half * by_mean,
            float(gamma_slope[0]) - lam / 2 * log_size - half * size_slope,
        ]
        return value, np.array(slopes)

    @cached_property
    def _gammas(self) -> Callable[[float], tuple[Floats, Floats]]:
        total, d = np.array([self.weight.sum()]), np.array([self.features])
        return lru_cache(CACHED_STRENGTHS)(lambda lam: _gammas(lam, total, d))

    def _determinant(self, pull: Floats, rest: Floats, lam: float) -> tuple[float, float, float]:
        """ln|I + shifts' pull shifts / (λ + scatter)|, and its derivatives by ln κ and ln λ.

        Computed in the space of the classes or of the features, whichever is smaller.
        """
        room, root = lam + self.scatter, np.sqrt(pull)
        if len(self.weight) <= len(self.scatter) or self.outside.any():
            rows = self.shift * root[:, None]
            outer = self.outside * root * root[:, None] / lam
            inner = (rows / room) @ rows.T + outer
            inverse, log_det = _inverse(inner)
            narrower = lam * (rows / room**2) @ rows.T + outer
            by_mean = float(rest @ (1 - inverse.diagonal()))
            return log_det, by_mean, -float((inverse * narrower).sum())
        rows = self.shift / np.sqrt(room)
        inverse, log_det = _inverse((rows.T * pull) @ rows)
        by_mean = float((inverse * ((rows.T * (pull * rest)) @ rows)).sum())
        return log_det, by_mean, -float(lam / room @ (1 - inverse.diagonal()))


@dataclass(frozen=True)
class IndependentEvidence:
    """Independent features, each with its own variance, by class or shared by all classes."""

    weight: Floats  # (k, d), or (k, 1) if all features have the same
    squares: Floats  # (k, d)
    shift: Floats  # (k, d)
    pooled: bool  # whether all classes have the same variances
    log_variances: Floats  # (1, d), or (k, d): of the prior

    def __call__(self, mean_strength: float, covariance_strength: float) -> tuple[float, Floats]:
        """The same formula with scalars in place of matrices."""
        kappa, lam, n = mean_strength, covariance_strength, self.weight
        features, over = self.log_variances.shape[1], (0,) if self.pooled else ()
        pull, rest = kappa * n / (kappa + n), n / (kappa + n)
        moved = pull * self.shift**2
        inside = self.squares.sum(axis=over) + moved.sum(axis=over)
        total = n.sum(axis=over)
        log_size, half = np.log1p(inside / lam), (lam + total) / 2
        # Terms that are the same for all features are computed once and multiplied.
        each = features / max(n.shape[1], 1)
        value = each * log_ratio(lam / 2, total / 2).sum() - (half * log_size).sum()
        value -= (n * (LOG_2PI + self.log_variances)).sum() / 2
        value -= each * np.log1p(n / kappa).sum() / 2
        wider = (rest * moved).sum(axis=over)
        by_mean = each * rest.sum() / 2 - (half * wider / (lam + inside)).sum()
        by_covariance = each * log_ratio_slope(lam / 2, total / 2).sum()
        by_covariance += (half * inside / (lam + inside) - lam / 2 * log_size).sum()
        return float(value), np.array([by_mean, by_covariance])


def _gammas(lam: float, n: Floats, d: Indices) -> tuple[Floats, Floats]:
    """Sum over i < d of ln Γ((λ + i + n)/2) - ln Γ((λ + i)/2) - n/2 ln(λ/2), and its slope."""
    i = np.arange(int(d.max(initial=0)))
    half = np.where(i < d[:, None], n[:, None] / 2, 0.0)
    value = log_ratio((lam + i) / 2, half) + half * np.log1p(i / lam)
    slope = (log_ratio_slope((lam + i) / 2, half) * lam - half * i) / (lam + i)
    return value.sum(axis=1), slope.sum(axis=1)


def _inverse(inner: Floats) -> tuple[Floats, float]:
    """The inverse of I + inner, and the log determinant of I + inner."""
    values, vectors = np.linalg.eigh(inner)
    values = np.maximum(values, 0.0)
    return (vectors / (1 + values)) @ vectors.T, float(np.log1p(values).sum())
