"""First use: the first fit of a new process, with and without loops compiled before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.case import Case
from benchmarks.row import AT_MOST, Row

SUBJECT = "first_use"
ROOT = Path(__file__).resolve().parent.parent
CASE = Case(1_000_000, 16, 3)
ROUNDS = 3
OURS, PEER = "suffice", "sklearn.discriminant_analysis"

# The import of the library is not counted, nor is making the rows.
FIRST_FIT = """
from time import perf_counter
from benchmarks.case import Case
from {package} import LinearDiscriminantAnalysis
X, y = Case({rows}, {features}, {classes}).data()
began = perf_counter()
LinearDiscriminantAnalysis().fit(X, y)
print(perf_counter() - began)
"""


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """The first fit of LDA, where nothing was compiled and where a process before has compiled."""
    case = CASE.shrunk(10 if quick else 1)
    peer = min(_milliseconds(case, PEER, None) for _ in range(ROUNDS))
    for quantity, limit, kept in (("first fit, cold", 1500.0, False), ("again", 200.0, True)):
        with TemporaryDirectory() as folder:
            cache = None if kept else folder
            ours = min(_milliseconds(case, OURS, cache) for _ in range(ROUNDS))
        say(f"{case}: {quantity}: {ours:.0f} ms, scikit-learn {peer:.0f} ms")
        yield Row(SUBJECT, str(case), quantity, ours, "scikit-learn", peer, AT_MOST)
        name = f"{limit:g} ms"
        yield Row(SUBJECT, str(case), quantity, ours, name, limit, AT_MOST, None if quick else 1.0)


def _milliseconds(case: Case, package: str, cache: str | None) -> float:
    """Milliseconds of the first fit of a fresh process, with compiled loops in this folder."""
    code = FIRST_FIT.format(
        package=package, rows=case.rows, features=case.features, classes=case.classes
    )
    environment = os.environ if cache is None else {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return 1e3 * float(done.stdout)
