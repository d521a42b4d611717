"""Random histories of exact statistics: the same rows by two ways, whose digests must be equal."""

from __future__ import annotations

import numpy as np

import suffice as sf

DETAILS = ("separate", "shared", "diagonal")


def random_rows(rng):
    """Rows of a random type, with labels and a grid that suits them."""
    n, d, k = int(rng.integers(2, 60)), int(rng.integers(1, 65)), int(rng.integers(1, 51))
    kind = rng.choice(["integer", "decimal", "float32", "float64"])
    if kind == "integer":
        X, grid = rng.integers(-1000, 1000, (n, d)), sf.Grid.decimal(0)
    elif kind == "decimal":
        X, grid = rng.normal(0, 1000, (n, d)).round(2), sf.Grid.decimal(2)
    else:
        X = rng.normal(rng.normal(0, 1e4), 10.0 ** rng.integers(-3, 4), (n, d))
        X = X.astype(kind)
        grid = sf.Grid.of(X, bits=int(rng.integers(8, 49)))
    labels = rng.integers(0, k, n)
    y = labels if rng.random() < 0.5 else np.array([f"c{label}" for label in labels])
    weights = rng.integers(0, 1000, n) if rng.random() < 0.3 else None
    if weights is not None:
        weights[0] = 1
    return X, y, weights, grid


def summarized(X, y, weights, at, detail, grid):
    """The exact statistics of some rows; None where none of them counts."""
    own = None if weights is None else weights[at]
    if not len(at) or (own is not None and not own.any()):
        return None
    return sf.summarize(X[at], y[at], own, detail, grid=grid)


def added(parts):
    """The sum of statistics, in their order."""
    return sum(part for part in parts if part is not None)


def history(rng):
    """Statistics after a random history of adding and removing, and of the rows left alone."""
    X, y, weights, grid = random_rows(rng)
    detail = str(rng.choice(DETAILS))
    n = len(X)
    left = rng.permutation(n)[: rng.integers(1, n + 1)]
    if weights is not None and not weights[left].any():
        left = np.append(left[left != 0], 0)
    gone = np.setdiff1d(np.arange(n), left)

    def of(rows):
        return summarized(X, y, weights, rows, detail, grid)

    cuts = np.array_split(rng.permutation(n), int(rng.integers(1, 8)))
    total = added(of(part) for part in cuts)
    for part in np.array_split(rng.permutation(gone), int(rng.integers(1, 4))):
        some = of(part)
        total = total if some is None else total - some
    if rng.random() < 0.3:
        again = rng.permutation(n)[: rng.integers(1, n + 1)]
        more = of(again)
        total = total if more is None else (total + more) - more
    return total, of(rng.permutation(left))
