"""Box's M: whether the classes share a covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special

from suffice.data.arrays import Array, Floats
from suffice.models.covariances.linalg import Cholesky, Whitener, whitener
from suffice.selection.diagnostics.cloud import Shapes, scatter_of, shapes
from suffice.selection.diagnostics.complete_rows import as_statistics
from suffice.selection.diagnostics.diagnostic import LEVEL, Diagnostic, format_pvalue, number
from suffice.statistics.statistics import Statistics


def box_m(X: Any, y: Any = None, sample_weight: Any = None) -> Diagnostic:
    """Box's M test of equal class covariances (Box 1949), from statistics alone.

    M = v ln|S| - sum of v_c ln|S_c|, where S_c is the covariance of class c with v_c = n_c - 1
    degrees of freedom, S the pooled one with v = sum of v_c. `pvalue` is exact for Gaussian
    classes, down to one row more than features; Box's chi-square and F approximations are in
    `details` (`chi2`, `chi2_pvalue`, `f`, `f_pvalue`).
    M is sensitive to classes that are not Gaussian: see `mardia` and `henze_zirkler`.

    X : rows, or statistics of detail "separate"
    sample_weight : a weight counts as that many equal rows

    >>> from sklearn.datasets import load_iris
    >>> import suffice as sf
    >>> found = box_m(sf.summarize(*load_iris(return_X_y=True)))
    >>> print(found.sentence)
    The class covariances differ (Box's M = 146.7, p < 1e-15).
    >>> round(found.details["chi2"], 2), found.details["chi2_df"]
    (140.94, 20.0)
    """
    statistics = as_statistics(X, y, sample_weight)
    matrices = shapes(statistics, spare=1, least=2)
    M, log_determinants, pooled = _m(statistics, matrices)
    freedom = np.array([shape.weight - 1 for shape in matrices.classes])
    null = BoxNull(freedom, matrices.classes[0].size)
    pvalue = null.pvalue(M)
    by_class = {
        shape.label: {"rows": shape.weight, "log_determinant": float(value)}
        for shape, value in zip(matrices.classes, log_determinants, strict=True)
    }
    differ = pvalue < LEVEL
    return Diagnostic(
        "Box's M",
        M,
        pvalue,
        _sentence(differ, M, pvalue) + matrices.note,
        _recommendation(differ, matrices),
        differ,
        by_class,
        {
            **_approximations(M, null),
            "pooled_log_determinant": pooled,
            **matrices.details,
        },
    )


def _sentence(differ: bool, M: float, pvalue: float) -> str:
    numbers = f"(Box's M = {number(M)}, {format_pvalue(pvalue)})"
    if differ:
        return f"The class covariances differ {numbers}."
    return f"No evidence against equal class covariances {numbers}."


def _recommendation(differ: bool, found: Shapes) -> str:
    if not differ:
        return "LDA (pooling=1) suffices, and its estimates vary less."
    if found.left_out:
        return "Use GaussianDiscriminant with pooling below 1; QDA for classes with more rows."
    return "Use QDA, or GaussianDiscriminant with pooling below 1."


def _m(statistics: Statistics, found: Shapes) -> tuple[float, Floats, float]:
    """M, ln|S_c| of each class, and ln|S|; all covariances unbiased."""
    d, kept = found.classes[0].size, found.classes[0].kept
    weight = np.array([shape.weight for shape in found.classes])
    own = np.array([shape.whitener.log_determinant for shape in found.classes])
    own += d * np.log(weight / (weight - 1))
    total = sum(scatter_of(statistics, shape.position) for shape in found.classes)
    assert isinstance(total, np.ndarray)
    freedom = float((weight - 1).sum())
    joint: Whitener | Cholesky | None = whitener(total[np.ix_(kept, kept)] / freedom)
    # A sum of regular scatters is regular, but for classes of which one dwarfs the others.
    pooled = np.inf if joint is None else joint.log_determinant
    M = float((weight - 1) @ (pooled - own))
    return max(M, 0.0), own, float(pooled)


def _approximations(M: float, null: BoxNull) -> dict[str, float]:
    """Box's chi-square and F approximations to the null distribution of M."""
    c1, c2 = null.corrections
    df, chi2 = null.chi2_freedom, M * (1 - c1)
    f, df2, f_pvalue = box_f(M, c1, c2, df)
    return {
        "chi2": chi2,
        "chi2_df": df,
        "chi2_pvalue": float(special.chdtrc(df, max(chi2, 0.0))),
        "f": f,
        "f_df1": df,
        "f_df2": df2,
        "f_pvalue": f_pvalue,
    }


def box_f(M: float, c1: float, c2: float, df: float) -> tuple[float, float, float]:
    """Box's F, its second degrees of freedom and its p-value."""
    curvature = c2 - c1**2
    if abs(curvature) < 1e-15:
        return M * (1 - c1) / df, np.inf, float(special.chdtrc(df, M * (1 - c1)))
    df2 = (df + 2) / abs(curvature)
    if curvature > 0:
        f = M * (1 - c1 - df / df2) / df
    else:
        bound = df2 / (1 - c1 + 2 / df2)
        # Beyond the bound the approximating distribution has no mass.
        f = df2 * M / (df * (bound - M)) if bound > M else np.inf
    return f, df2, float(special.fdtrc(df, df2, f)) if np.isfinite(f) else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class BoxNull:
    """The null distribution of M, from its exact cumulant generating function.

    M is independent of the pooled scatter W, and M = v ln|W| - sum of v_c ln|W_c| + constant, so
    K(t) = sum of G(v_c, -t v_c) - G(v, -tv) + t constant, with G(v, s) = ln E|Wishart(v)|^s.
    P(M is larger) is the integral of exp(K(t) - tM) / (2 pi i t) along a path to the right of 0;
    along a path to the left, it is that of 1 - P. The path starts near the saddle point, where
    the integrand is steepest, so that tails keep their digits, and bends as it falls fastest.

    >>> null = BoxNull(np.array([9.0, 9.0]), 2)
    >>> round(null.pvalue(8.88), 5)
    0.05005
    """

    freedom: Floats  # (k,): rows of each class less one
    size: int  # features

    @property
    def chi2_freedom(self) -> float:
        """Degrees of freedom: the number of parameters that equal covariances save."""
        return self.size * (self.size + 1) * (len(self.freedom) - 1) / 2

    @property
    def corrections(self) -> tuple[float, float]:
        """Box's c1 and c2: M (1 - c1) has the mean of a chi-square up to the order of 1 / v²."""
        v, d, k = self.freedom, self.size, len(self.freedom)
        inverse = float((1 / v).sum() - 1 / v.sum())
        squares = float((1 / v**2).sum() - 1 / v.sum() ** 2)
        c1 = inverse * (2 * d**2 + 3 * d - 1) / (6 * (d + 1) * (k - 1))
        return c1, squares * (d - 1) * (d + 2) / (6 * (k - 1))

    def pvalue(self, M: float) -> float:
        """P(M is at least this large)."""
        if M <= 0 or np.isinf(M):
            return float(M <= 0)
        start = self._start(M)
        # Of very many rows, or far below the mean, K loses the digits that a chi-square keeps.
        if self.freedom.min() > 1e6 or self.freedom.sum() * start < -1e10:
            return float(special.chdtrc(self.chi2_freedom, M * max(1 - self.corrections[0], 0.0)))
        width = self._width(start)
        # Steepest descent leaves the saddle point with a sixth of the skewness as bend. Farther out
        # the path keeps below 45 degrees, beyond which the integrand may grow again.
        bend = self._derivative(3, start) * width**3 / 6
        step = 0.05
        up = np.sinh(step * np.arange(111))
        flat = np.sqrt(1 + (2 * bend * up) ** 2)
        along, slope = bend * up**2 / flat, bend * up * (1 + flat**2) / flat**3
        path = start + width * (along + 1j * up)
        direction = width * (slope + 1j) * np.sqrt(1 + up**2)
        values = (np.exp(self._generating(path) - path * M) / path * direction).imag
        values[0] /= 2  # the trapezoidal rule, on one of two halves that mirror each other
        tail = step * float(values.sum()) / np.pi
        return float(np.clip(tail if start > 0 else 1 + tail, 0.0, 1.0))

    def _start(self, M: float) -> float:
        """The saddle point, where K'(t) = M, but no closer to the pole at 0 than one width."""
        edge = float(((self.freedom - self.size + 1) / (2 * self.freedom)).min())  # K ends there
        nearest = min(edge / 2, self._width(0.0))
        low, high = nearest, edge * (1 - 1e-12)
        if self._derivative(1, 0.0) > M:
            low, high = -nearest, -nearest
            while self._derivative(1, low) > M:
                low *= 2
        if self._derivative(1, low) >= M:
            return low
        if self._derivative(1, high) <= M:
            return high
        return float(optimize.brentq(lambda t: self._derivative(1, t) - M, low, high, rtol=1e-6))

    def _width(self, t: float) -> float:
        """The distance from a saddle point at which the integrand falls by exp(1/2)."""
        return float(1 / np.sqrt(self._derivative(2, t)))

    @property
    def _terms(self) -> tuple[Floats, Floats, Floats]:
        """Degrees of freedom of the classes and of all, signs, arguments of the gamma functions."""
        v = np.append(self.freedom, self.freedom.sum())
        return v, np.append(np.ones(len(v) - 1), -1.0), (v[:, None] - np.arange(self.size)) / 2

    @property
    def _constant(self) -> float:
        v, sign, _ = self._terms
        return float(self.size * (sign @ (v * np.log(v))))

    def _generating(self, t: Array) -> Array:
        """K(t) of complex numbers, (m,)."""
        total = t * self._constant
        for v, sign, start in zip(*self._terms, strict=True):
            moved = special.loggamma(start - v * t[:, None]) - special.loggamma(start)
            total = total + sign * moved.sum(axis=1)
        return np.asarray(total)

    def _derivative(self, order: int, t: float) -> float:
        """The derivative of K of some order, at t."""
        v, sign, start = self._terms
        terms = (-v) ** order * special.polygamma(order - 1, start - t * v[:, None]).sum(axis=1)
        return float(sign @ terms) + (self._constant if order == 1 else 0.0)
