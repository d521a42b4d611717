"""Mixtures: EM against scikit-learn's, the same iterations from the same start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture as Peer

from benchmarks.case import Case
from benchmarks.memory import usage
from benchmarks.row import AT_LEAST, AT_MOST, Row
from benchmarks.timing import fastest
from suffice import GaussianMixture

SUBJECT = "mixtures"
CASE, ITERATIONS = Case(200_000, 32, 10), 20
SPEED_UP = {"full": 2.0, "tied": None, "diag": None, "spherical": None}
MEMORY_MB = 128.0
# The peers are slow: as many rounds as start within so many seconds.
ENOUGH = 90.0


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    case = CASE.shrunk(10 if quick else 1)
    for kind, limit in SPEED_UP.items():
        say(f"fit, {kind}, {case}")
        yield _speed(case, kind, None if quick else limit)
    say(f"memory, {case}")
    yield from _memory(case)


def start_of(X: np.ndarray, K: int, kind: str) -> dict[str, Any]:
    """Parameters that begin at some of the rows and stop after so many iterations."""
    d = X.shape[1]
    shapes = {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,)}
    precisions = np.broadcast_to(np.eye(d) if kind in ("full", "tied") else 1.0, shapes[kind])
    rows = np.random.default_rng(0).choice(len(X), K, replace=False)
    return {
        "covariance_type": kind,
        "tol": 0.0,
        "max_iter": ITERATIONS,
        "weights_init": np.full(K, 1 / K),
        "means_init": X[rows],
        "precisions_init": precisions,
    }


def _speed(case: Case, kind: str, limit: float | None) -> Row:
    X, _ = case.data()
    start, K = start_of(X, case.classes, kind), case.classes
    ours = GaussianMixture(K, **start)
    # The cheapest of its starts, whose result is not used.
    peer = Peer(K, reg_covar=0.0, init_params="random_from_data", random_state=0, **start)
    seconds = fastest(
        {"ours": lambda: ours.fit(X), "peer": lambda: peer.fit(X)},
        rounds=3,
        warm=False,
        enough=ENOUGH,
    )
    what, name = f"GaussianMixture fit, {kind}, {ITERATIONS} iterations", "scikit-learn's"
    mine, theirs = 1e3 * seconds["ours"], 1e3 * seconds["peer"]
    return Row(SUBJECT, str(case), what, mine, name, theirs, AT_LEAST, limit)


def _memory(case: Case) -> Iterator[Row]:
    shape = (case.rows, case.features, case.classes)
    for start in ("given", "found"):
        used = usage("benchmarks.mixtures:fit_job", shape=shape, start=start)
        for kind, mb in (("traced", used.traced), ("resident", used.resident)):
            what, name = f"{kind} memory of fit, start {start}", f"{MEMORY_MB:.0f} MB"
            yield Row(SUBJECT, str(case), what, mb, name, MEMORY_MB, AT_MOST, 1.0, unit="MB")


def fit_job(shape: tuple[int, int, int], start: str) -> Callable[[], GaussianMixture]:
    """What the memory of a fit is measured on."""
    X, _ = Case(*shape).data()
    K = shape[2]
    stop = {"tol": 0.0, "max_iter": 3, "random_state": 0}
    model = GaussianMixture(K, **stop)
    if start == "given":
        model.set_params(**{**start_of(X, K, "full"), **stop})
    # As many rows as there will be, so that whatever they take is loaded before.
    model.fit(X)
    return lambda: model.fit(X)
