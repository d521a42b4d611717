"""Private releases on three tables: accuracy against epsilon, and the error that theory predicts.

python benchmarks/private.py [--out private.png]
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import train_test_split

import suffice as sf
from suffice.statistics.exact.budget import SUM_SHARE

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
DELTA = 1e-6
SEEDS = 20


def tables():
    """Rows, labels and declared ranges (from the descriptions, widened)."""
    for name, load in (
        ("wine", load_wine),
        ("breast cancer", load_breast_cancer),
        ("digits", load_digits),
    ):
        X, y = load(return_X_y=True)
        high = np.full(X.shape[1], 16.0) if name == "digits" else 1.5 * np.abs(X).max(axis=0)
        yield name, X, y, sf.Grid(np.zeros(X.shape[1]), np.maximum(high, 1e-3))


def measured(X, y, grid):
    """Accuracy on other rows, error of the means, and its prediction, for each epsilon."""
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    exact = sf.summarize(train, y_train, detail="diagonal", grid=grid)
    reach = np.maximum(np.abs(grid.lowest), np.abs(grid.highest)) * grid.unit
    for epsilon in EPSILONS:
        scores, errors = [], []
        for seed in range(SEEDS):
            release = exact.private(epsilon, DELTA, random_state=seed)
            model = sf.DiagonalLDA().fit_statistics(release)
            scores.append(model.score(test, y_test))
            # In units of the range, and of the sum: means are clipped, sums are not.
            noise = release.sums.floats() - exact.sums.floats()
            errors.append(noise * grid.unit / reach / exact.weight[:, None])
        rho = release.budgets[0].rho
        sd = math.sqrt(X.shape[1] / (2 * rho * SUM_SHARE))
        predicted = sd / exact.weight
        found = np.sqrt(np.mean(np.square(errors), axis=(0, 2)))
        yield epsilon, float(np.mean(scores)), found.mean(), predicted.mean()
    floor = sf.DiagonalLDA().fit_statistics(exact).score(test, y_test)
    yield math.inf, float(floor), 0.0, 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", help="a picture, such as private.png")
    given = parser.parse_args()
    curves = {}
    for name, X, y, grid in tables():
        print(f"{name}: {X.shape[0]} x {X.shape[1]}")
        print("epsilon  accuracy  error of means / range  predicted")
        curves[name] = list(measured(X, y, grid))
        for epsilon, score, found, predicted in curves[name]:
            print(f"{epsilon:7g}  {score:8.3f}  {found:22.5f}  {predicted:9.5f}")
    if given.out:
        draw(curves, given.out)


def draw(curves, out: str) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for name, points in curves.items():
        finite = [point for point in points if math.isfinite(point[0])]
        epsilon, score, found, predicted = (
            np.array(column) for column in zip(*finite, strict=True)
        )
        (line,) = left.plot(epsilon, score, "o-", label=name)
        left.axhline(points[-1][1], color=line.get_color(), linestyle=":")
        right.plot(epsilon, found, "o", color=line.get_color())
        right.plot(epsilon, predicted, "-", color=line.get_color())
    left.set(xscale="log", xlabel="epsilon", ylabel="accuracy (dotted: without noise)")
    right.set(xscale="log", yscale="log", xlabel="epsilon")
    right.set(ylabel="error of means / range (dots: measured, lines: predicted)")
    left.legend()
    figure.tight_layout()
    figure.savefig(out)


if __name__ == "__main__":
    main()
