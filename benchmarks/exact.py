"""Exact statistics against floats, in one run: speed, and digests of random histories.

python benchmarks/exact.py [--histories 10000] [--threads 1]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

import suffice as sf

sys.path.append(str(Path(__file__).parents[1] / "tests" / "statistics"))


def best(work, clock, times=7):
    """The shortest of several runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = clock()
        work()
        seconds.append(clock() - start)
    return min(seconds)


def speed(clock) -> None:
    grid = sf.Grid(-8, 8)
    print("rows x features   X.T @ X   pooled  per class   read   diagonal  derive scatter")
    for n, d in ((200_000, 256), (100_000, 512)):
        rng = np.random.default_rng(d)
        X, y = rng.standard_normal((n, d)), rng.integers(0, 10, n)

        def exact(detail, X=X, y=y):
            return sf.summarize(X, y, detail=detail, grid=grid)

        exact("shared")  # loads the compiled loops
        product, read = best(lambda X=X: X.T @ X, clock), best(lambda X=X: X.sum(), clock)
        pooled, own = (
            best(lambda name=name: exact(name), clock) for name in ("shared", "separate")
        )
        product = min(product, best(lambda X=X: X.T @ X, clock))
        squares = best(lambda: exact("diagonal"), clock)
        s = exact("shared")
        derived = best(lambda s=s: s.scatter, clock, 2)
        print(
            f"{n:>7,} x {d:<7} {product:9.3f}s {pooled / product:6.2f}x {own / product:8.2f}x "
            f"{read:8.3f}s {squares / read:6.2f}x {derived:10.3f}s"
        )


def one_row(clock) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1000, 16)), rng.integers(0, 3, 1000)
    grid = sf.Grid(-8, 8)
    whole, row = sf.summarize(X, y, grid=grid), sf.summarize(X[:1], y[:1], grid=grid)
    for name, work in (("+", lambda: whole + row), ("-", lambda: whole - row)):
        many = best(lambda work=work: [work() for _ in range(100)], clock) / 100
        print(f"one row {name} at 16 features: {1e6 * many:.0f} microseconds")


def histories(number: int) -> None:
    from histories import history

    rng = np.random.default_rng(0)
    equal = 0
    for _ in range(number):
        total, alone = history(rng)
        equal += total.digest() == alone.digest()
    print(f"digests equal after random histories: {equal:,} of {number:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--cpu", action="store_true", help="processor time, for a busy machine")
    given = parser.parse_args()
    clock = process_time if given.cpu else perf_counter
    one_row(clock)
    speed(clock)
    histories(given.histories)


if __name__ == "__main__":
    main()
