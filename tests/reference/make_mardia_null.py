"""Upper points of Mardia's skewness of Gaussian rows, by simulation: `python make_mardia_null.py`.

Takes about an hour of one processor. Independent of the package.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

LEVELS = (0.1, 0.05, 0.01)
MANY_TABLES, FEW_TABLES = 100_000, 50_000  # few from 200 rows on


def skewness(tables):
    """b1 = mean over pairs of rows of (z'w)³, z and w whitened with divisor n; tables (N, n, d)."""
    n, d = tables.shape[1:]
    rows = tables - tables.mean(axis=1, keepdims=True)
    covariance = np.matmul(rows.transpose(0, 2, 1), rows) / n
    white = np.linalg.solve(np.linalg.cholesky(covariance), rows.transpose(0, 2, 1))
    low, high = np.triu_indices(d)
    cubes = np.matmul(white[:, low] * white[:, high], white.transpose(0, 2, 1)) / n
    return np.where(low == high, 1.0, 2.0) @ (cubes**2).sum(axis=2).T


def simulated(n, d, tables):
    """b1 of so many tables."""
    rng = np.random.default_rng([7, n, d])
    step = max(1, int(4e6 // (n * d * max(1, (d + 1) / 2))))
    sizes = [min(step, tables - start) for start in range(0, tables, step)]
    return np.concatenate([skewness(rng.standard_normal((size, n, d))) for size in sizes])


def main():
    points = []
    for d in (1, 2, 3, 4, 5, 6, 8, 10, 14):
        for n in sorted({d + 3, d + 6, 12, 16, 20, 25, 32, 45, 70, 110, 200}):
            if n < d + 3:
                continue
            found = simulated(n, d, MANY_TABLES if n < 200 else FEW_TABLES)
            upper = np.quantile(found, [1 - level for level in LEVELS])
            points.append({"rows": n, "features": d, "points": upper.tolist()})
    file = Path(__file__).with_name("mardia_null.json")
    file.write_text(json.dumps({"levels": LEVELS, "tables": points}, indent=1) + "\n")


if __name__ == "__main__":
    main()
