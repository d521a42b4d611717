"""The family on a GPU against that GPU's own limits: a markdown table.

    python -m benchmarks.gpu [--rows 1281167] [--features 1024] [--classes 1000]

Needs torch with CUDA. Times are wall-clock medians of whole calls, the device waited for. A large
model is made with its first label, so there is a line for fit and label together. Every limit is
measured in the same run: a float64 matrix product, and one reading of the rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import suffice as sf

IMAGENET = (1_281_167, 1_024, 1_000)
MOST_MS = {"QDA fit": 60.0}
LEAST_SHARE = {"LDA fit": 1.0, "LDA predict": 0.7, "GaussianNB fit": 0.4}
ACCURACY = 1e-12
OFFSET = 1e8


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; work in operations or bytes, limit in the same a second."""

    what: str
    seconds: float
    work: float = 0.0
    limit: float = 0.0
    unit: str = ""

    def __str__(self) -> str:
        cells = [self.what, f"{1e3 * self.seconds:,.2f} ms", "", "", ""]
        share = self.work / self.seconds / self.limit if self.limit else 0.0
        if self.limit:
            cells[2:4] = [f"{self.work / self.seconds / 1e12:.2f} {self.unit}", f"{share:.0%}"]
        if self.what in LEAST_SHARE:
            cells[4] = _mark(share >= LEAST_SHARE[self.what], f"≥ {LEAST_SHARE[self.what]:.0%}")
        if self.what in MOST_MS:
            kept = 1e3 * self.seconds <= MOST_MS[self.what]
            cells[4] = _mark(kept, f"≤ {MOST_MS[self.what]:g} ms")
        return f"| {' | '.join(cells)} |"


def main() -> None:
    options = _options()
    try:
        import torch
    except ImportError:
        sys.exit("torch is not installed: pip install 'suffice[torch]'")
    if not torch.cuda.is_available():
        sys.exit("torch finds no CUDA device")
    shape = (options.rows, options.features, options.classes)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; ", end="")
    print(f"{shape[0]:,} x {shape[1]:,} float32, {shape[2]:,} classes\n")
    X, y = _data(torch, *shape)
    product, reading = _limits(torch, X)
    print("| | time | rate | of the limit | |\n|---|---|---|---|---|")
    print(f"| float64 matrix product | | {product / 1e12:.1f} TFLOP/s | | |")
    print(f"| one reading of X | | {reading / 1e12:.2f} TB/s | | |")
    for row in _fits(torch, X, y, product, reading):
        print(row, flush=True)
    for row in _answers(torch, X, y, shape[2], product):
        print(row, flush=True)
    del X, y
    print("\n| statistics against the host's | largest difference | |\n|---|---|---|")
    for what, error in _accuracy(torch):
        print(
            f"| {what} | {error:.1e} | {_mark(error <= ACCURACY, f'≤ {ACCURACY:g}')} |", flush=True
        )


def _fits(torch: Any, X: Any, y: Any, product: float, reading: float) -> Iterator[Row]:
    flops = 2.0 * X.shape[0] * X.shape[1] ** 2
    seconds = _timed(torch, lambda: sf.GaussianNB().fit(X, y), 31, warm=5)
    yield Row("GaussianNB fit", seconds, float(X.nbytes), reading, "TB/s")
    seconds = _timed(torch, lambda: sf.LDA().fit(X, y))
    yield Row("LDA fit", seconds, flops, product, "TFLOP/s")
    seconds = _timed(torch, lambda: sf.QDA().fit(X, y))
    yield Row("QDA fit", seconds, flops, product, "TFLOP/s")


def _answers(torch: Any, X: Any, y: Any, k: int, product: float) -> Iterator[Row]:
    n, d = X.shape
    flops = 2.0 * n * d * k
    model: Any = sf.LDA().fit(X, y)
    seconds = _timed(torch, lambda: sf.LDA().fit(X, y).predict(X[:1]))
    yield Row("LDA fit and first label", seconds)
    seconds = _timed(torch, lambda: model.predict(X))
    yield Row("LDA predict", seconds, flops, product, "TFLOP/s")
    seconds = _timed(torch, lambda: model.predict_proba(X), 3)
    yield Row("LDA predict_proba", seconds, flops, product, "TFLOP/s")
    model = sf.GaussianNB().fit(X, y)
    seconds = _timed(torch, lambda: sf.GaussianNB().fit(X, y).predict(X[:1]))
    yield Row("GaussianNB fit and first label", seconds)
    seconds = _timed(torch, lambda: model.predict(X), 3)
    yield Row("GaussianNB predict", seconds, 2 * flops, product, "TFLOP/s")
    model = sf.QDA().fit(X, y)
    model.predict(X[:1])
    seconds = _timed(torch, lambda: sf.QDA().fit(X, y).predict(X[:1]), 2)
    yield Row("QDA fit and first label", seconds)
    some = X[: min(n, 10_000)]
    seconds = _timed(torch, lambda: model.predict(some), 2)
    flops = 2.0 * len(some) * k * d * d
    yield Row(f"QDA predict, {len(some):,} rows", seconds, flops, product, "TFLOP/s")


def _accuracy(torch: Any) -> Iterator[tuple[str, float]]:
    rng = np.random.default_rng(0)
    for n, d, k in ((200_000, 128, 50), (20_000, 700, 5)):
        y = rng.integers(k, size=n)
        spread = rng.standard_normal((d, d)) / np.sqrt(d)
        X = rng.standard_normal((n, d)) @ spread + 3 * rng.standard_normal((k, d))[y]
        for name, rows in (
            ("float32", X.astype(np.float32)),
            (f"float64, {OFFSET:g} deviations from zero", X + OFFSET),
        ):
            for detail in ("diagonal", "shared", "separate"):
                found = sf.summarize(
                    torch.tensor(rows).cuda(), torch.tensor(y).cuda(), None, detail
                )
                error = _difference(sf.summarize(rows, y, None, detail), found)
                yield f"{n:,} x {d}, {k} classes, {detail}, {name}", error


def _difference(a: Any, b: Any) -> float:
    """Largest difference of means in deviations, or of products in those of their features."""
    squares = a.squares
    weight = a.weight[:, None] if len(squares) == len(a.weight) else a.weight.sum()
    means = (a.means.high - b.means.high) + (a.means.low - b.means.low)
    found = float(np.abs(means / np.sqrt(squares / weight)).max())
    scale = np.sqrt(squares)
    products = a.scatter - b.scatter
    if products.ndim == 2 and a.detail == "diagonal":
        return max(found, float(np.abs(products / squares).max()))
    products = products.reshape(len(scale), *products.shape[-2:])
    return max(found, float(np.abs(products / scale[:, :, None] / scale[:, None, :]).max()))


def _data(torch: Any, n: int, d: int, k: int) -> tuple[Any, Any]:
    seed = torch.Generator(device="cuda").manual_seed(0)
    X = torch.randn(n, d, device="cuda", generator=seed)
    y = torch.randint(0, k, (n,), device="cuda", generator=seed)
    X += torch.randn(k, d, device="cuda", generator=seed)[y]
    return X, y


def _limits(torch: Any, X: Any) -> tuple[float, float]:
    side = 8_192
    a, b = (torch.randn(side, side, device="cuda", dtype=torch.float64) for _ in range(2))
    return 2.0 * side**3 / _timed(torch, lambda: a @ b), X.nbytes / _timed(torch, lambda: X.sum())


def _timed(torch: Any, work: Callable[[], Any], rounds: int = 5, warm: int = 1) -> float:
    for _ in range(warm):
        work()
    taken = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        began = perf_counter()
        found = work()
        torch.cuda.synchronize()
        taken.append(perf_counter() - began)
        del found
    return median(taken)


def _mark(kept: bool, limit: str) -> str:
    return f"{limit}: {'pass' if kept else 'MISSED'}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in zip(("rows", "features", "classes"), IMAGENET, strict=True):
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser.parse_args()


if __name__ == "__main__":
    main()
