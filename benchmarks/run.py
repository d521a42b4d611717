"""Run the benchmarks: print a table, save the numbers, draw them.

Every number is a ratio to something measured in the same run, on the same data.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import warnings
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
# This folder holds a statistics.py; on the path, it would hide Python's own.
sys.path[0] = str(ROOT)

SUBJECTS = (
    "first_use",
    "statistics",
    "family",
    "answers",
    "discrete",
    "mixtures",
    "selection",
    "quality",
    "everyday",
    "files",
    "clusters",
)
# Threads of a matrix product wait for each other, so a busy core can cost them tenfold.
BUSY = 0.5
NOISY = "ratios, above all those to slow fits that run once or twice, may be far off"
QUICK = " (quick: a tenth of the rows, so the speed limits are not judged)"


def main() -> None:
    options = _options()
    warnings.simplefilter("ignore")
    options.out.mkdir(parents=True, exist_ok=True)
    # All but `first_use`, whose processes are its own, measure what lasts.
    importlib.import_module("suffice.statistics.kernels.compiled")
    for subject in options.subjects or SUBJECTS:
        _subject(subject, options.quick, options.out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, no slow peers")
    parser.add_argument(
        "subjects", nargs="*", metavar="subject", help=f"all, or some of: {', '.join(SUBJECTS)}"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    for subject in options.subjects:
        if subject not in SUBJECTS:
            parser.error(f"there is no subject {subject!r}; choose from {', '.join(SUBJECTS)}")
    return options


def _subject(name: str, quick: bool, out: Path) -> None:
    from benchmarks.draw import draw
    from benchmarks.machine import machine
    from benchmarks.table import table

    module = importlib.import_module(f"benchmarks.{name}")
    absent = module.missing() if hasattr(module, "missing") else None
    if absent:
        print(f"\n{name}: skipped, {absent}.")
        return
    print(f"\n{name}{QUICK if quick else ''}")
    about = machine()
    if (about["load"] or 0.0) > BUSY:
        print(f"  the machine is busy (load {about['load']:.1f}): {NOISY}")
    rows = list(module.measure(quick, _progress()))
    print("\n" + table(rows))
    stem = out / (f"{name}-quick" if quick else name)
    numbers = {"machine": about, "quick": quick, "rows": [row.as_json() for row in rows]}
    stem.with_suffix(".json").write_text(json.dumps(numbers, indent=1) + "\n")
    heading = f"{name}: {about['processor']}, {about['cores']} cores" + (", quick" * quick)
    draw(rows, heading, stem.with_suffix(".png"))
    print(f"numbers: {stem.with_suffix('.json')}\npicture: {stem.with_suffix('.png')}")


def _progress():
    start = perf_counter()

    def say(what: str) -> None:
        print(f"  [{perf_counter() - start:5.0f} s] {what}", flush=True)

    return say


if __name__ == "__main__":
    main()
