"""Box null: the distribution of Box's M where Gaussian classes share a covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from suffice.data.arrays import Floats

# Standard deviations from the mean below which r* is 0/0, so that its limit is taken.
NEAR_MEAN = 1e-5


@dataclass(frozen=True, eq=False, slots=True)
class BoxNull:
    """The null distribution of M, from its exact cumulant generating function.

    M is independent of the pooled scatter W, and M = v ln|W| - sum of v_c ln|W_c| + constant, so
    K(t) = sum of G(v_c, -t v_c) - G(v, -tv) + t constant, with G(v, s) = ln E|Wishart(v)|^s.
    Barndorff-Nielsen's r* of M is matched with that of a chi-square with Box's degrees of
    freedom, whose tail is exact; the relative error is below 1 percent, 3 for classes of 3 rows.

    >>> null = BoxNull(np.array([9.0, 9.0]), 2)
    >>> round(null.pvalue(8.88), 3)
    0.05
    """

    freedom: Floats  # (k,): rows of each class less one
    size: int  # features

    @property
    def chi2_freedom(self) -> float:
        """Degrees of freedom: the number of parameters that equal covariances save."""
        return self.size * (self.size + 1) * (len(self.freedom) - 1) / 2

    def pvalue(self, M: float) -> float:
        """P(M is at least this large)."""
        if M <= 0:
            return 1.0
        if np.isinf(M):
            return 0.0
        if self.freedom.min() > 1e12:  # a chi-square to the last digit
            return float(special.chdtrc(self.chi2_freedom, M))
        df, wanted = self.chi2_freedom, self._r_star(M)
        low, high = df / 2, df * 2
        while _chi2_r_star(low, df) > wanted and low > 1e-300:
            low /= 4
        while _chi2_r_star(high, df) < wanted:
            high *= 2
        x = optimize.brentq(lambda x: _chi2_r_star(x, df) - wanted, low, high, rtol=1e-13)
        return float(special.chdtrc(df, x))

    def _r_star(self, M: float) -> float:
        t = self._saddle(M)
        second = self._derivative(2, t)
        u = t * np.sqrt(second)
        if abs(u) < NEAR_MEAN:
            return float(u + self._derivative(3, 0.0) / (6 * self._derivative(2, 0.0) ** 1.5))
        if abs(t) < self._edge / 4:
            # r² is the integral of 2 s K''(s): the difference tM - K(t) would lose its digits.
            points, weights = np.polynomial.legendre.leggauss(40)
            points, weights = (points + 1) / 2, weights / 2
            curvature = np.array([self._derivative(2, t * x) for x in points])
            ratio = np.sqrt(2 * (weights * points) @ curvature / second)
        else:
            ratio = np.sqrt(2 * (t * M - self._generating(t))) / abs(u)
        r = u * ratio
        return float(r - np.log(ratio) / r)

    @property
    def _edge(self) -> float:
        """The t below which the generating function exists."""
        return float(((self.freedom - self.size + 1) / (2 * self.freedom)).min())

    def _saddle(self, M: float) -> float:
        """The t with K'(t) = M."""

        def excess(t: float) -> float:
            return self._derivative(1, t) - M

        edge = self._edge
        low, high = -1.0, edge / 2
        while excess(low) > 0:
            low *= 2
        while excess(high) < 0:
            nearer = (high + edge) / 2
            if nearer >= edge * (1 - 1e-14):
                return high
            high = nearer
        return float(optimize.brentq(excess, low, high, xtol=1e-15, rtol=1e-14))

    def _arguments(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Degrees of freedom, and the arguments of the gamma functions at 0 and at t."""
        v = np.append(self.freedom, self.freedom.sum())
        start = v[:, None] / 2 - np.arange(self.size) / 2
        return v, start, start - t * v[:, None]

    @property
    def _constant(self) -> float:
        v = self.freedom
        return float(self.size * (v @ np.log(v) - v.sum() * np.log(v.sum())))

    def _generating(self, t: float) -> float:
        """K(t)."""
        _, start, moved = self._arguments(t)
        terms = (special.gammaln(moved) - special.gammaln(start)).sum(axis=1)
        return float(terms[:-1].sum() - terms[-1] + t * self._constant)

    def _derivative(self, order: int, t: float) -> float:
        """The derivative of K of some order, at t."""
        v, _, moved = self._arguments(t)
        terms = (-v) ** order * special.polygamma(order - 1, moved).sum(axis=1)
        return float(terms[:-1].sum() - terms[-1]) + (self._constant if order == 1 else 0.0)


def _chi2_r_star(x: float, df: float) -> float:
    """Barndorff-Nielsen's r* of a chi-square."""
    u = (x - df) / np.sqrt(2 * df)
    if abs(u) < NEAR_MEAN:
        return float(u + np.sqrt(8 / df) / 6)
    step = (x - df) / df
    r = np.sign(u) * np.sqrt(df * (step - np.log1p(step)))
    return float(r + np.log(u / r) / r)
