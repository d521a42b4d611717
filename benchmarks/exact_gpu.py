"""Exact statistics on a GPU against its float64 fit, in one run; digests against the host's.

    python -m benchmarks.exact_gpu [--rows 1281167] [--features 1024] [--check-only]

Needs torch with CUDA and Triton. Times are medians of whole calls, the device waited for; the
integers stay on the device until they are asked for, as the floats do.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import traceback
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import suffice as sf
from suffice.engines.arrays import digit_loops, integer_pass, product_loops
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.tiles import TileSizes

LIMITS = {"shared": 1.3, "separate": 1.5}
TILES = [
    TileSizes(128, 128, 64, 4, 4),
    TileSizes(128, 128, 64, 8, 4),
    TileSizes(64, 128, 64, 4, 4),
]


def timed(torch: Any, work: Any, rounds: int = 5) -> float:
    work()
    taken = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        began = perf_counter()
        work()
        torch.cuda.synchronize()
        taken.append(perf_counter() - began)
    return median(taken)


def check(torch: Any) -> None:
    """The digests of host and device, over shapes, types, grids and details."""
    rng = np.random.default_rng(0)
    grids = [sf.Grid(-16, 16), sf.Grid(-16, 16, bits=48), sf.Grid(-16, 16, bits=12)]
    grids.append(sf.Grid.decimal(3))
    equal = cases = 0
    for n, d, k, kind in (
        (100_000, 40, 10, "float32"),
        (30_000, 300, 3, "float64"),
        (5_000, 130, 700, "float32"),
        (300, 1, 1, "float64"),
        (2_000, 1_100, 2, "float32"),
    ):
        X = rng.standard_normal((n, d)).round(3).astype(kind)
        y = rng.integers(0, k, n)
        for grid, detail in itertools.product(grids, ("shared", "separate", "diagonal")):
            here = sf.summarize(X, y, detail=detail, grid=grid)
            there = sf.summarize(
                torch.tensor(X).cuda(), torch.tensor(y).cuda(), None, detail, grid=grid
            )
            cases += 1
            equal += here.digest() == there.digest()
            if here.digest() != there.digest():
                print(f"DIFFERENT: {n} x {d}, {k} classes, {kind}, {grid!r}, {detail}", flush=True)
    bad = torch.zeros(1000, 5, device="cuda")
    bad[77, 3] = 99.0
    try:
        sf.summarize(bad, np.zeros(1000, int), grid=grids[0])
        print("NO ERROR for a value outside the grid")
    except sf.errors.OutsideGrid as error:
        print(f"error as on the host: {error}")
    print(f"digests equal: {equal} of {cases}\n", flush=True)


def stages(torch: Any, X: Any, y: Any, grid: Any, detail: str) -> None:
    """The time of each loop, by the device's clock."""
    taken: dict[str, float] = {}

    def clocked(name: str, work: Any) -> Any:
        def inner(*args: Any) -> None:
            torch.cuda.synchronize()
            began = perf_counter()
            work(*args)
            torch.cuda.synchronize()
            taken[name] = taken.get(name, 0.0) + perf_counter() - began

        return inner

    loops = [digit_loops.write_digits, product_loops.multiply, product_loops.combine]
    for loop in loops:
        setattr(integer_pass, loop.__name__, clocked(loop.__name__, loop))
    began = perf_counter()
    coded = Coded.of(y, None, len(X), DeviceRows.of(X).space)
    torch.cuda.synchronize()
    taken["coding"] = perf_counter() - began
    integer_pass.integer_sums(DeviceRows.of(X), coded, grid, detail)
    for loop in loops:
        setattr(integer_pass, loop.__name__, loop)
    print("  " + ", ".join(f"{name} {1e3 * t:.1f} ms" for name, t in taken.items()), flush=True)


def int_mm(torch: Any, n: int, d: int) -> None:
    """The same products by torch._int_mm, for comparison: digits stacked, in three ways."""
    length = 1 << 16
    digits = torch.randint(-128, 128, (4 * d, length), dtype=torch.int8, device="cuda")
    ways = {
        "whole": [((0, 4), (0, 4))],
        "halves": [((0, 2), (0, 4)), ((2, 4), (2, 4))],
        "strips": [((t, t + 1), (t, 4)) for t in range(4)],
    }
    for name, blocks in ways.items():

        def work(blocks: Any = blocks) -> None:
            for (a, b), (e, f) in blocks:
                torch._int_mm(digits[a * d : b * d], digits[e * d : f * d].T)

        seconds = timed(torch, work) * n / length
        print(f"  torch._int_mm, {name}: {1e3 * seconds:.1f} ms for {n:,} rows", flush=True)


def speed(torch: Any, n: int, d: int) -> None:
    seed = torch.Generator(device="cuda").manual_seed(0)
    X = torch.randn(n, d, device="cuda", generator=seed)
    grid = sf.Grid(-16, 16)
    own, space = grid.resolve(None, d), DeviceRows.of(X).space
    int_mm(torch, n, d)
    for k, detail in ((10, "shared"), (10, "separate"), (1000, "shared"), (1000, "separate")):
        y = torch.randint(0, k, (n,), device="cuda", generator=seed)
        floats = timed(torch, lambda y=y, detail=detail: sf.summarize(X, y, None, detail))
        print(f"{k:,} classes, {detail}: floats {1e3 * floats:.1f} ms", flush=True)
        times = {}
        for sizes in TILES:

            def work(sizes: Any = sizes, y: Any = y, detail: str = detail) -> None:
                coded = Coded.of(y, None, n, space)
                integer_pass.integer_sums(DeviceRows.of(X), coded, own, detail, sizes)

            try:
                times[sizes] = timed(torch, work, 3)
                print(f"  {sizes}: {1e3 * times[sizes]:.1f} ms", flush=True)
            except Exception as error:
                print(f"  {sizes}: {type(error).__name__}: {str(error)[:200]}", flush=True)
        try:
            exact = timed(
                torch, lambda y=y, detail=detail: sf.summarize(X, y, None, detail, grid=grid)
            )
            kept = "pass" if exact <= LIMITS[detail] * floats else "MISSED"
            print(
                f"  as installed: {1e3 * exact:.1f} ms, {exact / floats:.2f} x "
                f"(limit {LIMITS[detail]}): {kept}",
                flush=True,
            )
            stages(torch, X, y, own, detail)
        except Exception:
            traceback.print_exc()
    y = torch.randint(0, 10, (n,), device="cuda", generator=seed)
    read = timed(torch, lambda: X.sum())
    exact = timed(torch, lambda: sf.summarize(X, y, None, "diagonal", grid=grid))
    floats = timed(torch, lambda: sf.summarize(X, y, None, "diagonal"))
    print(
        f"diagonal: {1e3 * exact:.1f} ms, floats {1e3 * floats:.1f} ms, "
        f"one read {1e3 * read:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_281_167)
    parser.add_argument("--features", type=int, default=1_024)
    parser.add_argument("--check-only", action="store_true")
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("torch is not installed: pip install 'suffice[torch]'")
    if not torch.cuda.is_available():
        sys.exit("torch finds no CUDA device")
    check(torch)
    if not given.check_only:
        speed(torch, given.rows, given.features)


if __name__ == "__main__":
    main()
