"""Diagnostics of a small table by their definitions, 50-digit arithmetic, 20 digits kept.

python diagnostics_mpmath.py > diagnostics_mpmath.json
"""

from __future__ import annotations

import json

import mpmath as mp
import numpy as np

mp.mp.dps = 50


def table():
    """Three classes of 7, 9 and 12 rows and 3 features, far from zero."""
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1, 2], [7, 9, 12])
    X = 1e6 + rng.normal(size=(28, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(28, 3)) ** 2
    return X, y


def gaussian(rows):
    """Mean and covariance (divisor n) of rows."""
    n, d = rows.rows, rows.cols
    mean = mp.matrix([sum(rows[i, j] for i in range(n)) / n for j in range(d)])
    steps = mp.matrix(n, d)
    for i in range(n):
        for j in range(d):
            steps[i, j] = rows[i, j] - mean[j]
    return mean, steps, steps.T * steps / n


def divergence(m0, S0, m1, S1):
    """KL(N(m0, S0) from N(m1, S1))."""
    inverse = S1**-1
    step = m1 - m0
    trace = sum((inverse * S0)[j, j] for j in range(S0.rows))
    squared = (step.T * inverse * step)[0]
    return (trace - S0.rows + squared + mp.log(mp.det(S1) / mp.det(S0))) / 2


def of_class(rows):
    n, d = rows.rows, rows.cols
    mean, steps, S = gaussian(rows)
    G = steps * S**-1 * steps.T
    b1 = sum(G[i, j] ** 3 for i in range(n) for j in range(n)) / n**2
    b2 = sum(G[i, i] ** 2 for i in range(n)) / mp.mpf(n)
    b = (mp.mpf(2 * d + 1) * n / 4) ** (mp.mpf(2) / (d + 4)) / 2
    pairs = sum(
        mp.exp(-b / 2 * (G[i, i] - 2 * G[i, j] + G[j, j])) for i in range(n) for j in range(n)
    )
    singles = sum(mp.exp(-b / (2 * (1 + b)) * G[i, i]) for i in range(n))
    half = mp.mpf(d) / 2
    hz = pairs / n - 2 * (1 + b) ** -half * singles + n * (1 + 2 * b) ** -half
    left_out = []
    for i in range(n):
        others = mp.matrix([[rows[a, j] for j in range(d)] for a in range(n) if a != i])
        m1, _, S1 = gaussian(others)
        left_out.append(divergence(mean, S, m1, S1))
    # Beta(d/2, (n-d-1)/2) tail of the squared distance over n - 1.
    tails = [
        mp.betainc(half, mp.mpf(n - d - 1) / 2, G[i, i] / (n - 1), 1, regularized=True)
        for i in range(n)
    ]
    u = sorted(1 - t for t in tails)
    squared = -n - sum(
        (2 * i + 1) * (mp.log(u[i]) + mp.log(1 - u[n - 1 - i])) for i in range(n)
    ) / mp.mpf(n)
    return {
        "skewness": b1,
        "kurtosis": b2,
        "hz": hz,
        "divergence": left_out,
        "tail": tails,
        "anderson_darling": squared,
    }


def box(parts, d):
    v = [mp.mpf(rows.rows - 1) for rows in parts]
    k, total = len(v), sum(v)
    scatters = [gaussian(rows)[2] * rows.rows for rows in parts]
    pooled = scatters[0] * 0
    for S in scatters:
        pooled += S
    M = total * mp.log(mp.det(pooled / total))
    M -= sum(f * mp.log(mp.det(S / f)) for f, S in zip(v, scatters, strict=True))
    c1 = (sum(1 / f for f in v) - 1 / total) * (2 * d * d + 3 * d - 1) / (6 * (d + 1) * (k - 1))
    c2 = (sum(1 / f**2 for f in v) - 1 / total**2) * (d - 1) * (d + 2) / (6 * (k - 1))
    df = mp.mpf(d * (d + 1) * (k - 1)) / 2
    df2 = (df + 2) / abs(c2 - c1**2)
    assert c2 > c1**2
    f = M * (1 - c1 - df / df2) / df
    x = df2 / (df2 + df * f)
    return {
        "m": M,
        "chi2": M * (1 - c1),
        "chi2_pvalue": mp.gammainc(df / 2, M * (1 - c1) / 2, regularized=True),
        "f": f,
        "f_df2": df2,
        "f_pvalue": mp.betainc(df2 / 2, df / 2, 0, x, regularized=True),
    }


def box_tail(v, d, M, line):
    """P(Box's M at least M): its moment generating function inverted from t = line on.

    The path bends toward larger t, where exp(-tM) makes the integrand fall fast.
    """
    v, M, line = [mp.mpf(f) for f in v], mp.mpf(M), mp.mpf(line)
    total = sum(v)
    constant = d * (sum(f * mp.log(f) for f in v) - total * mp.log(total))

    def moment(f, s):
        at = [f / 2 - mp.mpf(j) / 2 for j in range(d)]
        return sum(mp.loggamma(a + s) - mp.loggamma(a) for a in at)

    def integrand(s):
        t, step = mp.mpc(line + s * s / 2, s), mp.mpc(s, 1)
        log = sum(moment(f, -t * f) for f in v) - moment(total, -t * total) + t * (constant - M)
        return mp.im(mp.exp(log) / t * step)

    return mp.quad(integrand, [0, 0.25, 0.5, 1, 2, 3, 4, 6, 8, 10, 12, 16]) / mp.pi


TAILS = [
    ((9, 9), 2, 1.0, 0.02),
    ((9, 9), 2, 2.7, 0.02),
    ((9, 9), 2, 8.88, 0.3),
    ((9, 9), 2, 60.0, 0.4),
    ((4, 4, 4), 3, 10.0, 0.02),
    ((4, 4, 4), 3, 40.0, 0.15),
    ((11, 11, 11), 10, 200.0, 0.01),
    ((11, 11, 11), 10, 350.0, 0.06),
    ((40, 40, 40), 2, 15.0, 0.25),
]


def shown(value):
    if isinstance(value, dict):
        return {key: shown(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shown(part) for part in value]
    return mp.nstr(value, 20) if isinstance(value, mp.mpf) else value


def main():
    X, y = table()
    parts = [mp.matrix(X[y == c].tolist()) for c in range(3)]
    found = {
        "X": [[float(v).hex() for v in row] for row in X],
        "y": y.tolist(),
        "box": box(parts, 3),
        "classes": [of_class(rows) for rows in parts],
    }
    mp.mp.dps = 30
    found["tails"] = [
        {"freedom": list(v), "size": d, "m": M, "pvalue": box_tail(v, d, M, line)}
        for v, d, M, line in TAILS
    ]
    print(json.dumps(shown(found), indent=1))


if __name__ == "__main__":
    main()
