"""Predictive densities and evidence under conjugate priors, written to conjugate.json.

    python make_conjugate.py

One feature: by numerical integration over mean and variance, nothing in closed form. Several
features: the textbook formulas in 50 digits, with inverses and determinants.
"""

from __future__ import annotations

import json
from pathlib import Path

import mpmath as mp
import numpy as np

mp.mp.dps = 50


def integral(rows, weights, prior, step):
    """Over mean and log variance of likelihood times prior, by sums on a grid.

    They converge exponentially in the step: the integrand is analytic and decays on both sides.
    """
    m0, variance, kappa, lam = prior
    rows = [mp.mpf(float(x)) for x in rows]
    half = lam / 2
    start = half * mp.log(half * variance) - mp.loggamma(half)
    total = mp.mpf(0)
    t = mp.mpf(-30)
    while t < 150:
        s = mp.exp(t)
        deviation = mp.sqrt(s / kappa)
        # Inverse gamma density of s times the s of ds = s dt.
        outer = mp.exp(start - half * t - half * variance / s)
        if outer > mp.mpf(10) ** -60:
            constant = (2 * mp.pi * s) ** (-mp.fsum(weights) / 2)
            z, inner = mp.mpf(-20), mp.mpf(0)
            while z <= 20:
                mean = m0 + deviation * z
                squares = mp.fsum(w * (x - mean) ** 2 for w, x in zip(weights, rows, strict=True))
                inner += mp.exp(-squares / (2 * s) - z * z / 2)
                z += 2 * step
            total += outer * constant * inner * 2 * step / mp.sqrt(2 * mp.pi)
        t += step
    return total * step


def one_feature():
    """Evidence of a class, and the predictive density of a few rows."""
    rows = [[0.25, 1.5, -0.75], [2.0]]
    prior = [mp.mpf(v) for v in ("0.5", "1.25", "0.75", "6")]
    out = []
    for own in rows:
        weights = [mp.mpf(1)] * len(own)
        step = mp.mpf("0.1")
        evidence = integral(own, weights, prior, step)
        again = integral(own, weights, prior, step / 2)
        assert abs(again / evidence - 1) < mp.mpf(10) ** -25, mp.nstr(again / evidence - 1, 5)
        queries = [0.0, 1.0, -6.0]
        density = [
            mp.log(integral([*own, q], [*weights, mp.mpf(1)], prior, step) / evidence)
            for q in queries
        ]
        out.append(
            {
                "rows": own,
                "queries": queries,
                "evidence": mp.nstr(mp.log(evidence), 20),
                "density": [mp.nstr(v, 20) for v in density],
            }
        )
    return {"prior": [float(v) for v in prior], "classes": out}


def table():
    """Rows of three classes, one of them a single row, with weights; prior; query rows."""
    rng = np.random.default_rng(8)
    y = [0] * 7 + [1] * 4 + [2]
    X = rng.normal(size=(12, 3)) @ [[1, 0.5, 0], [0, 1, -0.4], [0.3, 0, 1]] + np.eye(3)[y]
    w = rng.integers(1, 7, 12) / 2
    P = [[2.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 1.5]]
    Q = np.concatenate([rng.normal(size=(4, 3)) * 2, rng.normal(size=(2, 3)) * [[1e3], [1e7]]])
    return X, y, w, [0.25, 0.5, -0.5], P, Q


def moments(X, y, w):
    """Weight, mean and scatter of each class."""
    out = []
    for c in sorted(set(y)):
        rows = [
            (mp.mpf(float(v)), mp.matrix([float(a) for a in x]))
            for x, label, v in zip(X, y, w, strict=True)
            if label == c
        ]
        weight = mp.fsum(v for v, _ in rows)
        mean = sum((v * x for v, x in rows), mp.zeros(X.shape[1], 1)) / weight
        scatter = sum(
            (v * (x - mean) * (x - mean).T for v, x in rows), mp.zeros(X.shape[1], X.shape[1])
        )
        out.append((weight, mean, scatter))
    return out


def log_multigamma(d, a):
    """ln Γ_d(a)."""
    return mp.mpf(d * (d - 1)) / 4 * mp.log(mp.pi) + mp.fsum(
        mp.loggamma(a - mp.mpf(i) / 2) for i in range(d)
    )


def conjugate(groups, m0, P, kappa, lam, rows):
    """Evidence and predictive log densities of classes that share a covariance."""
    d = len(m0)
    nu = lam + d - 1
    total, Psi = mp.fsum(n for n, _, _ in groups), lam * P
    for n, mean, scatter in groups:
        Psi = Psi + scatter + kappa * n / (kappa + n) * (mean - m0) * (mean - m0).T
    evidence = (
        -total * d / 2 * mp.log(mp.pi)
        + log_multigamma(d, (nu + total) / 2)
        - log_multigamma(d, nu / 2)
        + nu / 2 * mp.log(mp.det(lam * P))
        - (nu + total) / 2 * mp.log(mp.det(Psi))
        + mp.fsum(mp.mpf(d) / 2 * mp.log(kappa / (kappa + n)) for n, _, _ in groups)
    )
    densities = []
    for n, mean, _ in groups:
        centre = (kappa * m0 + n * mean) / (kappa + n)
        freedom = nu + total - d + 1
        scale = Psi * (kappa + n + 1) / ((kappa + n) * freedom)
        inverse, volume = mp.inverse(scale), mp.log(mp.det(scale))
        constant = mp.loggamma((freedom + d) / 2) - mp.loggamma(freedom / 2)
        constant -= mp.mpf(d) / 2 * mp.log(freedom * mp.pi) + volume / 2
        densities.append(
            [
                constant
                - (freedom + d)
                / 2
                * mp.log1p(((x - centre).T * inverse * (x - centre))[0] / freedom)
                for x in rows
            ]
        )
    return evidence, densities


def marginal(matrix, at):
    """Some rows, or rows and columns, of a matrix."""
    columns = at if matrix.cols > 1 else [0]
    return mp.matrix([[matrix[i, j] for j in columns] for i in at])


def several_features():
    """Every structure and pooling."""
    X, y, w, m0, P, Q = table()
    groups = moments(X, y, w)
    m0, P = mp.matrix(m0), mp.matrix(P)
    rows = [mp.matrix([float(v) for v in x]) for x in Q]
    kappa, lam = mp.mpf("0.75"), mp.mpf("2.5")
    out = {}
    for structure in ("full", "diagonal"):
        for pooling in (0, 1):
            parts = [[0, 1, 2]] if structure == "full" else [[0], [1], [2]]
            shares = [groups] if pooling else [[group] for group in groups]
            evidence = mp.mpf(0)
            densities = [[mp.mpf(0)] * len(groups) for _ in rows]
            for at in parts:
                first = 0
                for share in shares:
                    own = [(n, marginal(m, at), marginal(S, at)) for n, m, S in share]
                    some = [marginal(x, at) for x in rows]
                    value, found = conjugate(
                        own, marginal(m0, at), marginal(P, at), kappa, lam, some
                    )
                    evidence += value
                    for c, column in enumerate(found):
                        for i, v in enumerate(column):
                            densities[i][first + c] += v
                    first += len(share)
            out[f"{structure} {pooling}"] = {
                "evidence": mp.nstr(evidence, 20),
                "density": [[mp.nstr(v, 20) for v in row] for row in densities],
            }
    return {
        "X": X.tolist(),
        "y": y,
        "weights": w.tolist(),
        "prior_mean": [float(v) for v in m0],
        "prior_covariance": [[float(P[i, j]) for j in range(3)] for i in range(3)],
        "strengths": [0.75, 2.5],
        "Q": Q.tolist(),
        **out,
    }


def main():
    """Write all cases."""
    out = {"one feature": one_feature(), "several features": several_features()}
    path = Path(__file__).with_name("conjugate.json")
    path.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
