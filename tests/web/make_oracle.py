"""The oracle of the explorer: tables, settings, and the numbers that suffice gives for them."""

from __future__ import annotations

import json
import sys
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, load_wine

import suffice as sf

REFERENCE = Path(__file__).parents[1] / "reference"

FAMILY = tuple(product(("full", "diagonal"), (0.0, 1.0)))


def lecture_tables():
    notes = np.loadtxt(REFERENCE / "notes3b.csv", delimiter=",", skiprows=1)
    yield "notes3b", notes[:, :2], notes[:, 2].astype(int)
    X, y = load_iris(return_X_y=True)
    yield "iris", X, y
    yield "iris, two columns", X[:, :2], y
    X, y = load_wine(return_X_y=True)
    yield "wine", X, y


def random_table(seed):
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(2, 5)), int(rng.integers(1, 5))
    n = int(rng.integers(4 * k * (d + 2), 60 + 4 * k * (d + 2)))
    y = np.concatenate([np.repeat(np.arange(k), d + 3), rng.integers(0, k, n - k * (d + 3))])
    mix = rng.normal(size=(k, d, d))
    X = np.einsum("nd,nde->ne", rng.normal(size=(n, d)), mix[y]) + rng.normal(size=(k, d))[y] * 2
    scale, offset = 10.0 ** rng.integers(-2, 3, d), rng.normal(size=d) * 10
    return f"random {seed}", X * scale + offset, y


def wide_table(seed, n=800, k=4, d=50):
    """Rows of as many features as the page promises to keep up with, on unequal scales."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    mix = np.eye(d) + rng.normal(size=(k, d, d)) * 0.1
    X = np.einsum("nd,nde->ne", rng.normal(size=(n, d)), mix[y]) + rng.normal(size=(k, d))[y] * 0.3
    return f"wide {seed}", X * 10.0 ** rng.integers(-2, 3, d) + rng.normal(size=d) * 10, y


def random_settings(seed, k):
    rng = np.random.default_rng(seed)
    priors = [None, "uniform", rng.dirichlet(np.full(k, 5.0)).tolist()][seed % 3]
    pooling = float(rng.choice([0.0, 1.0, round(rng.random(), 3)]))
    shrinkage = float(rng.choice([0.0, 0.0, round(rng.random(), 3), 1.0]))
    structure = str(rng.choice(["full", "full", "diagonal", "spherical"]))
    return {
        "structure": structure,
        "pooling": pooling,
        "shrinkage": shrinkage,
        "ddof": seed % 2,
        "priors": priors,
    }


def case(name, X, y, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.RepairedModel)
        model = sf.GaussianDiscriminant(**settings).fit(X, y)
        left = model.leave_one_out(X, y)
    between, points = model.boundary(0, 1), X[:: max(1, len(X) // 5)]
    given = model.contributions(points, 0, 1)
    expected = {
        "joint": model.predict_joint_log_proba(points).tolist(),
        "covariances": model.covariances_.tolist(),
        "errors": int((model.predict(X) != y).sum()),
        "log_loss": float(-model.predict_log_proba(X)[np.arange(len(y)), y].mean()),
        "left_out": left.log_proba[:: max(1, len(X) // 20)].tolist(),
        "left_out_errors": len(left.wrong),
        "left_out_log_loss": left.log_loss,
        "log_likelihood": model.log_likelihood(),
        "parameters": model.n_parameters(),
        "boundaries": boundaries(between, X[0]),
        "contributions": given.values.tolist(),
        "base": given.base.tolist(),
        "explain": model.explain(points[:1], 0, 0, 1),
    }
    if X.shape[1] > 1:
        ellipse = model.ellipse(0, (0, 1), deviations=1.0)
        expected["half_axes"] = ellipse.half_axes.tolist()
    if settings["structure"] == "full" and settings["pooling"] == 1 and settings["shrinkage"] == 0:
        lda = sf.LDA(ddof=settings["ddof"], priors=settings["priors"]).fit(X, y)
        expected["scalings"] = lda.scalings_.T.tolist()
    return {
        "name": name,
        "rows": X.tolist(),
        "codes": y.tolist(),
        "points": points.tolist(),
        "settings": settings,
        "expected": expected,
    }


def boundaries(between, at):
    """What the page writes of a boundary: the whole one, or where other features are held."""
    d = len(between.linear)
    planes = [list(range(d))] if d <= 2 else [[0, 1], [0, 2]]
    cuts = [(kept, between if d <= 2 else between.section(kept, at)) for kept in planes]
    return [
        {
            "at": at.tolist(),
            "features": kept,
            "quadratic": cut.quadratic.tolist(),
            "linear": cut.linear.tolist(),
            "constant": cut.constant,
            "equation": str(cut),
            "kind": cut.kind if len(kept) == 2 else None,
        }
        for kept, cut in cuts
    ]


def drags(table, settings, steps=1000):
    """Rows moved one after another, and the model of where they end."""
    name, X, y = table
    rng = np.random.default_rng(len(X))
    moves = [
        {"row": int(i), "to": (X[i] + rng.normal(size=X.shape[1]) * X.std(axis=0)).tolist()}
        for i in rng.integers(0, len(X), steps)
    ]
    end = X.copy()
    for move in moves:
        end[move["row"]] = move["to"]
    return {**case(f"drags {name}", end, y, settings), "start": X.tolist(), "moves": moves}


def oracle():
    base = {"shrinkage": 0.0, "ddof": 0, "priors": None}
    cases = [
        case(name, X, y, {"structure": structure, "pooling": pooling, **base})
        for name, X, y in lecture_tables()
        for structure, pooling in FAMILY
    ]
    for seed in range(200):
        name, X, y = random_table(seed)
        cases.append(case(name, X, y, random_settings(seed, len(np.unique(y)))))
    name, X, y = wide_table(0)
    wide = [{"structure": structure, "pooling": pooling, **base} for structure, pooling in FAMILY]
    wide.append(random_settings(0, 4) | {"pooling": 0.3, "shrinkage": 0.2})
    cases += [case(name, X, y, settings) for settings in wide]
    dragged = [drags(random_table(seed), random_settings(0, 2)) for seed in range(3)]
    dragged += [drags(wide_table(1), settings) for settings in wide]
    return {"cases": cases, "drags": dragged}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(oracle()))
