"""Releasing: exact statistics with discrete Gaussian noise."""

from __future__ import annotations

import math
from random import Random, SystemRandom
from typing import TYPE_CHECKING

import numpy as np

from suffice.errors import InvalidParameter
from suffice.statistics.exact.budget import COUNT_SHARE, PRODUCT_SHARE, SUM_SHARE, Budget
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.private_statistics import PrivateStatistics
from suffice.statistics.exact.triangle import pairs
from suffice.text import shown

if TYPE_CHECKING:
    from suffice.statistics.exact.exact_statistics import ExactStatistics


def release(
    s: ExactStatistics,
    epsilon: float,
    delta: float,
    max_rows_per_person: int,
    random_state: int | None,
    range_is_public: bool,
) -> PrivateStatistics:
    """A private release; see `ExactStatistics.private`."""
    _check_range(s, range_is_public)
    budget = Budget.of(epsilon, delta, max_rows_per_person)
    random = _random(random_state)
    rows = budget.max_rows_per_person
    reach = np.maximum(np.abs(s.grid.lowest), s.grid.reach).tolist()
    d = s.n_features
    i, j = (index.tolist() for index in pairs(d, s.detail))
    counts = [rows]
    unit = 1 << max(0, -s.grid.weight_exponent)  # the weight of a row, in units of weight
    sums = [unit * rows * one for one in reach]
    products = [unit * rows * reach[a] * reach[b] for a, b in zip(i, j, strict=True)]
    noise = {
        "count": _variances(counts, budget.rho * COUNT_SHARE),
        "sums": _variances(sums, budget.rho * SUM_SHARE),
        "products": _variances(products, budget.rho * PRODUCT_SHARE),
    }
    count = [one + discrete_gaussian(noise["count"][0], random) for one in s.count.tolist()]
    return PrivateStatistics(
        s.classes,
        np.array(count, np.int64),
        _noisy(s.sums, noise["sums"], random),
        _noisy(s.products, noise["products"], random),
        s.detail,
        s.grid,
        (budget,),
        s.feature_names,
    )


def _variances(changes: list[int], rho: float) -> list[int]:
    """The variance of the noise on integers that one person changes by at most so much.

    Each integer takes an equal part of rho: sum of change² / (2 variance) = rho. Rows of a person
    may lie in several classes, but their changes then add up to no more.
    """
    parts = len(changes)
    # Rounded up: more noise than needed, never less.
    return [math.ceil(parts * change * change / (2 * rho) * (1 + 1e-12)) for change in changes]


def _noisy(integers: Integers, variances: list[int], random: Random) -> Integers:
    """Integers (rows, columns) with noise of the variance of each column."""
    rows = range(integers.shape[0])
    noise = [[discrete_gaussian(variance, random) for variance in variances] for _ in rows]
    # Noise may exceed the range of the sums by some standard deviations, so one more limb is kept.
    return Integers.of(integers.objects() + np.array(noise, object), len(integers.limbs) + 1)


def _check_range(s: ExactStatistics, range_is_public: bool) -> None:
    if not s.grid.declared and not range_is_public:
        raise InvalidParameter(
            "the range of this grid was measured from rows, or is that of its bits, so the release "
            "would show something about them. Declare it: sf.Grid(low, high), or sf.Grid.decimal("
            "digits, low, high); or say that it may be known: range_is_public=True."
        )
    if not (s.weights == s.count << max(0, -s.grid.weight_exponent)).all():
        raise InvalidParameter(
            "a private release takes rows without weights: the weight of a row would be its "
            "person's share of the budget."
        )


def _random(random_state: int | None) -> Random:
    if random_state is None:
        return SystemRandom()
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise InvalidParameter(f"random_state is {shown(random_state)}; it must be an integer.")
    return Random(int(random_state))


def discrete_gaussian(variance: int, random: Random) -> int:
    """An integer x with probability proportional to exp(-x² / (2 variance)).

    After Canonne, Kamath and Steinke (2020), "The discrete Gaussian for differential privacy". No
    float is involved, so none of the attacks on the rounding of floating-point noise applies.

    >>> [discrete_gaussian(100, Random(seed)) for seed in range(5)]
    [-6, 2, 0, -3, -3]
    """
    t = math.isqrt(variance) + 1
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
