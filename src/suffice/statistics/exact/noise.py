"""Noise: the discrete Gaussian distribution, sampled exactly with integers.

After Canonne, Kamath and Steinke (2020), "The discrete Gaussian for differential privacy". No
float is involved, so none of the attacks on the rounding of floating-point noise applies.
"""

from __future__ import annotations

from math import isqrt
from random import Random


def discrete_gaussian(variance: int, random: Random) -> int:
    """An integer x with probability proportional to exp(-x² / (2 variance)).

    >>> [discrete_gaussian(100, Random(seed)) for seed in range(5)]
    [-6, 2, 0, -3, -3]
    """
    t = isqrt(variance) + 1
    while True:
        x = _discrete_laplace(t, random)
        # Accepted with probability exp(-(|x| - variance / t)² / (2 variance)).
        off = abs(x) * t - variance
        if _bernoulli_exp(off * off, 2 * variance * t * t, random):
            return x


def _discrete_laplace(t: int, random: Random) -> int:
    """An integer x with probability proportional to exp(-|x| / t)."""
    while True:
        u = random.randrange(t)
        if not _bernoulli_exp(u, t, random):
            continue
        v = 0
        while _bernoulli_exp(1, 1, random):
            v += 1
        x = u + t * v
        negative = random.randrange(2) == 1
        if negative and x == 0:
            continue
        return -x if negative else x


def _bernoulli_exp(a: int, b: int, random: Random) -> bool:
    """True with probability exp(-a / b)."""
    while a > b:
        if not _bernoulli_exp(1, 1, random):
            return False
        a -= b
    k = 1
    while random.randrange(b * k) < a:
        k += 1
    return k % 2 == 1
