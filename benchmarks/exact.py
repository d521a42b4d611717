"""Exact statistics against floats, in one run: speed, and digests of random histories.

python benchmarks/exact.py [--histories 10000] [--cpu]
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

import suffice as sf

ROOT = Path(__file__).parents[1]
# The folder of this file has a module named as one of the standard library.
sys.path[0] = str(ROOT)
sys.path.append(str(ROOT / "tests" / "statistics"))


def best(works, clock, rounds=7):
    """The shortest time of each piece of work, in seconds; all of them in every round."""
    seconds = dict.fromkeys(works, math.inf)
    for _ in range(rounds):
        for name, work in works.items():
            start = clock()
            work()
            seconds[name] = min(seconds[name], clock() - start)
    return seconds


def speed(clock) -> None:
    importlib.import_module("suffice.statistics.kernels.compiled")  # one pass would not repay it
    grid = sf.Grid(-8, 8)
    print("rows x features   X.T @ X   pooled  per class   read   diagonal  derive scatter")
    for n, d in ((200_000, 256), (100_000, 512)):
        rng = np.random.default_rng(d)
        X, y = rng.standard_normal((n, d)), rng.integers(0, 10, n)

        def exact(detail, X=X, y=y):
            return lambda: sf.summarize(X, y, detail=detail, grid=grid)

        s = exact("shared")()
        works = {name: exact(name) for name in ("shared", "separate", "diagonal")}
        works |= {"product": lambda X=X: X.T @ X, "read": lambda X=X: X.sum()}
        t = best(works | {"derive": lambda s=s: s.scatter}, clock)
        print(
            f"{n:>7,} x {d:<7} {t['product']:9.3f}s {t['shared'] / t['product']:6.2f}x "
            f"{t['separate'] / t['product']:8.2f}x {t['read']:8.3f}s "
            f"{t['diagonal'] / t['read']:6.2f}x {t['derive']:10.3f}s"
        )


def one_row(clock) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1000, 16)), rng.integers(0, 3, 1000)
    grid = sf.Grid(-8, 8)
    whole, row = sf.summarize(X, y, grid=grid), sf.summarize(X[:1], y[:1], grid=grid)
    works = {"+": lambda: whole + row, "-": lambda: whole - row}
    many = {name: lambda work=work: [work() for _ in range(100)] for name, work in works.items()}
    for name, seconds in best(many, clock, 20).items():
        print(f"one row {name} at 16 features: {1e4 * seconds:.0f} microseconds")


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
