"""Clusters: Dask on two workers of one thread each, against two threads of one process."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.case import Case
from benchmarks.row import AT_MOST, Row
from benchmarks.timing import fastest
from suffice import LDA, QDA, GaussianNB

SUBJECT = "clusters"
CASES = (Case(4_000_000, 64, 10), Case(600_000, 256, 10))
PARTITIONS = 8
WORKERS = 2
MOST = 1.3
# What memory does faster than this is not judged: Dask takes a while to start any job.
LARGE_MS = 250.0
MODELS: tuple[Any, ...] = (LDA, QDA, GaussianNB)


def missing() -> str | None:
    """Why this subject cannot be measured here, if so."""
    return None if importlib.util.find_spec("distributed") else "Dask is not installed"


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
        ) as workers,
        distributed.Client(workers),
    ):
        for case in CASES:
            yield from _fits(case.shrunk(10 if quick else 1), quick, say)


def part(case: Case, number: int) -> tuple[np.ndarray, np.ndarray]:
    """One partition of the rows of a case, the same wherever it is made."""
    rng = np.random.default_rng([case.features, number])
    n = case.rows // PARTITIONS
    y = rng.integers(case.classes, size=n)
    centres = np.random.default_rng(0).standard_normal((case.classes, case.features))
    return rng.standard_normal((n, case.features)) + centres[y], y


def _fits(case: Case, quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    rows, labels = _on_workers(case)
    parts = [part(case, number) for number in range(PARTITIONS)]
    X, y = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    del parts
    # Set now, so that the workers, which run already, keep to one thread each.
    before = os.environ.get("SUFFICE_NUM_THREADS")
    os.environ["SUFFICE_NUM_THREADS"] = str(WORKERS)
    try:
        for kind in MODELS:
            say(f"{kind.__name__} on Dask, {case}")
            seconds = fastest(
                {
                    "ours": lambda kind=kind: kind().fit(rows, labels),
                    "memory": lambda kind=kind: kind().fit(X, y),
                }
            )
            what, name = f"{kind.__name__} fit, {WORKERS} workers", f"{WORKERS} threads"
            mine, theirs = 1e3 * seconds["ours"], 1e3 * seconds["memory"]
            limit = MOST if theirs >= LARGE_MS and not quick else None
            yield Row(SUBJECT, str(case), what, mine, name, theirs, AT_MOST, limit)
    finally:
        if before is None:
            del os.environ["SUFFICE_NUM_THREADS"]
        else:
            os.environ["SUFFICE_NUM_THREADS"] = before


def _on_workers(case: Case) -> tuple[Any, Any]:
    """The rows in the memory of the workers."""
    import dask
    import dask.array as da
    from distributed import wait

    n = case.rows // PARTITIONS
    made = [dask.delayed(part, nout=2)(case, number) for number in range(PARTITIONS)]
    X = da.concatenate([da.from_delayed(x, (n, case.features), np.float64) for x, _ in made])
    y = da.concatenate([da.from_delayed(labels, (n,), np.int64) for _, labels in made])
    X, y = dask.persist(X, y)
    wait([X, y])
    return X, y
