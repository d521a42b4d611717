"""Exact moments of stored float64 values, in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def moments(X, weights=None):
    """Weight, mean (d,) and scatter (d, d) of rows, as fractions."""
    columns = [_integers(column) for column in np.asarray(X, np.float64).T]
    w, w_unit = _integers(np.ones(len(X)) if weights is None else np.asarray(weights))
    total = sum(w)
    sums = [sum(a * b for a, b in zip(w, x, strict=True)) for x, _ in columns]
    mean = [Fraction(s, total * unit) for s, (_, unit) in zip(sums, columns, strict=True)]
    scatter = [
        [
            Fraction(
                total * sum(a * b * c for a, b, c in zip(w, x, y, strict=True)) - sums[i] * sums[j],
                total * x_unit * y_unit * w_unit,
            )
            for j, (y, y_unit) in enumerate(columns)
        ]
        for i, (x, x_unit) in enumerate(columns)
    ]
    return Fraction(total, w_unit), mean, scatter


def by_class(X, y, weights=None):
    """Moments of each class, in the order of the sorted labels."""
    y = np.asarray(y)
    of = [y == label for label in np.unique(y)]
    return [moments(X[c], None if weights is None else weights[c]) for c in of]


def pooled(parts):
    """Sum of the scatters of several classes."""
    scatters = [scatter for _, _, scatter in parts]
    d = len(scatters[0])
    return [[sum(S[i][j] for S in scatters) for j in range(d)] for i in range(d)]


def relative_error(got, exact) -> float:
    """|got - exact| / |exact|, and whether it is zero where exact is."""
    got, exact = Fraction(float(got)), Fraction(exact)
    if exact == 0:
        return 0.0 if got == 0 else float("inf")
    return float(abs((got - exact) / exact))


def covariance_error(got, exact) -> float:
    """The largest |got - exact| of a scatter matrix, in units of sqrt(S_ii S_jj)."""
    worst = 0.0
    for i, row in enumerate(exact):
        for j, value in enumerate(row):
            scale = exact[i][i] * exact[j][j]
            wrong = (Fraction(float(got[i, j])) - value) ** 2
            if scale == 0:
                worst = max(worst, 0.0 if wrong == 0 else float("inf"))
            else:
                worst = max(worst, float(wrong / scale) ** 0.5)
    return worst


def _integers(column) -> tuple[list[int], int]:
    ratios = [float(x).as_integer_ratio() for x in column]
    unit = max(q for _, q in ratios)
    return [p * (unit // q) for p, q in ratios], unit
