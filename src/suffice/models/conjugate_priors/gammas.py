"""Ratios of gamma functions, without the cancellation in a difference of logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from suffice.data.arrays import Floats

LOG_2PI = float(np.log(2 * np.pi))

# Arguments from which Stirling's series is exact to the last digit.
STIRLING_FROM = 10.0

# Coefficients of 1/x, 1/x³, 1/x⁵, ... in ln Γ(x) - (x - 1/2) ln x + x - ln(2 pi) / 2.
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def log_ratio(x: Any, a: Any) -> Floats:
    """ln Γ(x + a) - ln Γ(x) - a ln x, for x > 0 and a >= 0: near zero for large x.

    >>> log_ratio([1.0, 1e6], 3.0).round(8)
    array([1.79175947e+00, 3.00000000e-06])
    """
    x, a = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(a, np.float64))
    large = x >= STIRLING_FROM
    small = special.gammaln(x + a) - special.gammaln(x) - a * np.log(x)
    far = np.where(large, x, STIRLING_FROM)
    series = _series(far + a) - _series(far)
    grown = (far + a - 0.5) * np.log1p(a / far) - a + series
    return np.asarray(np.where(large, grown, small))


def log_ratio_slope(x: Any, a: Any) -> Floats:
    """The derivative of `log_ratio` by ln x: x (ψ(x + a) - ψ(x)) - a."""
    x, a = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(a, np.float64))
    large = x >= STIRLING_FROM
    small = x * (special.digamma(x + a) - special.digamma(x)) - a
    far = np.where(large, x, STIRLING_FROM)
    # ψ(y) = ln y - 1 / 2y + s'(y), s the series.
    grown = far * (np.log1p(a / far) + a / (2 * far * (far + a)))
    grown += far * (_series_slope(far + a) - _series_slope(far)) - a
    return np.asarray(np.where(large, grown, small))


def _series(x: Floats) -> Floats:
    squared = 1 / x**2
    return np.asarray(np.polynomial.polynomial.polyval(squared, STIRLING) / x)


def _series_slope(x: Floats) -> Floats:
    squared = 1 / x**2
    terms = [-(2 * i + 1) * c for i, c in enumerate(STIRLING)]
    return np.asarray(np.polynomial.polynomial.polyval(squared, terms) * squared)
