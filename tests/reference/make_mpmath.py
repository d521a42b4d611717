"""Joint log densities and log posteriors of small cases in 50 digits, written to mpmath.json.

    python make_mpmath.py

Plain formulas on purpose: means and covariances row by row, inverses and determinants.
"""

from __future__ import annotations

import json
from pathlib import Path

import mpmath as mp
import numpy as np

mp.mp.dps = 50

MODELS = ("QDA", "LDA", "GaussianNB", "DiagonalLDA", "Friedman")
POOLING, SHRINKAGE = "0.5", "0.25"


def cases():
    """Training rows, weights, priors (or None) and query rows, all as doubles."""
    rng = np.random.default_rng(20)
    y = [0] * 6 + [1] * 5 + [2] * 8
    X = rng.normal(size=(19, 3)) @ [[1, 0.4, 0], [0, 1, -0.3], [0.2, 0, 1]]
    X = X * (1 + 0.5 * np.array(y)[:, None]) + 2 * np.eye(3)[y]
    near = rng.normal(size=(6, 3)) * 2
    far = rng.normal(size=(4, 3)) * [[1e2], [1e3], [1e5], [1e8]]
    Q = np.concatenate([near, far])
    units = np.array([2.0**-30, 1.0, 2.0**30])
    weights = rng.integers(1, 9, size=19) / 4
    none = [1.0] * 19
    yield "plain", X, y, none, None, Q
    yield "ill-scaled", X * units, y, none, None, Q * units
    yield "weighted", X, y, list(weights), None, Q
    yield "priors", X, y, none, [0.125, 0.25, 0.625], Q


def estimates(X, y, w):
    """Weights, means and scatters of the classes."""
    found = []
    for c in sorted(set(y)):
        rows = [(mp.mpf(float(v)), mp.matrix(x)) for x, label, v in zip(X, y, w) if label == c]  # noqa: B905
        weight = mp.fsum(v for v, _ in rows)
        mean = sum((v * x for v, x in rows), mp.zeros(X.shape[1], 1)) / weight
        scatter = sum(
            (v * (x - mean) * (x - mean).T for v, x in rows), mp.zeros(X.shape[1], X.shape[1])
        )
        found.append((weight, mean, scatter))
    return found


def covariances(model, classes):
    """The covariance of each class under a model."""
    d = classes[0][2].rows
    total = mp.fsum(weight for weight, _, _ in classes)
    pooled = sum((scatter for _, _, scatter in classes), mp.zeros(d, d))
    out = []
    for weight, _, scatter in classes:
        own = {"LDA": pooled / total, "DiagonalLDA": pooled / total}.get(model, scatter / weight)
        if model == "Friedman":
            share, gamma = mp.mpf(POOLING), mp.mpf(SHRINKAGE)
            own = ((1 - share) * scatter + share * pooled) / ((1 - share) * weight + share * total)
            size = mp.fsum(own[j, j] for j in range(d)) / d
            own = (1 - gamma) * own + gamma * size * mp.eye(d)
        if model in ("GaussianNB", "DiagonalLDA"):
            own = mp.diag([own[j, j] for j in range(d)])
        out.append(own)
    return out


def joint(model, X, y, w, priors, Q):
    """ln p(x, y) for each query row and class."""
    classes = estimates(X, y, w)
    total = mp.fsum(weight for weight, _, _ in classes)
    terms = []
    for c, ((weight, mean, _), sigma) in enumerate(
        zip(classes, covariances(model, classes), strict=True)
    ):
        prior = weight / total if priors is None else mp.mpf(priors[c])
        constant = mp.log(prior) - (mp.log(mp.det(sigma)) + len(mean) * mp.log(2 * mp.pi)) / 2
        terms.append((constant, mean, mp.inverse(sigma)))
    rows = [mp.matrix([float(v) for v in x]) for x in Q]
    return [[k - ((x - m).T * P * (x - m))[0] / 2 for k, m, P in terms] for x in rows]


def posterior(row):
    """ln p(y | x) from ln p(x, y)."""
    top = max(row)
    total = top + mp.log(mp.fsum(mp.exp(v - top) for v in row))
    # A log probability near zero keeps its digits as log1p of minus the others.
    out = []
    for i, v in enumerate(row):
        others = mp.fsum(mp.exp(u - total) for j, u in enumerate(row) if j != i)
        out.append(mp.log1p(-others) if others < 0.5 else v - total)
    return out


def main():
    """Write all cases."""
    out = {}
    for name, X, y, w, priors, Q in cases():
        out[name] = {
            "X": [[float(v).hex() for v in x] for x in X],
            "y": y,
            "weights": [float(v) for v in w],
            "priors": priors,
            "Q": [[float(v).hex() for v in x] for x in Q],
        }
        for model in MODELS:
            found = joint(model, np.asarray(X), y, w, priors, Q)
            out[name][model] = {
                "joint": [[mp.nstr(v, 20) for v in row] for row in found],
                "posterior": [[mp.nstr(v, 20) for v in posterior(row)] for row in found],
            }
    path = Path(__file__).with_name("mpmath.json")
    path.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
