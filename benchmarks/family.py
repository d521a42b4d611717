"""Family: the Gaussian estimators against their statistics and against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import cholesky

import suffice as sf
from benchmarks.case import Case, cases
from benchmarks.memory import usage
from benchmarks.row import AT_LEAST, AT_MOST, Row
from benchmarks.timing import fastest, fastest_calls

SUBJECT = "family"
NAMES = {
    "LDA": "LinearDiscriminantAnalysis",
    "QDA": "QuadraticDiscriminantAnalysis",
    "GaussianNB": "GaussianNB",
}
DETAIL = {"LDA": "shared", "QDA": "separate", "GaussianNB": "diagonal"}
FIT_OVER_STATISTICS = 1.1
# By peer: the model it is the peer of, and how many times faster ours has to be.
FIT_SPEEDUP = {
    "LDA svd": ("LDA", 15.0),
    "LDA lsqr": ("LDA", 3.0),
    "QDA": ("QDA", 8.0),
    "GaussianNB": ("GaussianNB", 15.0),
}
PREDICT_SPEEDUP = {"LDA": 1.5, "QDA": 2.0, "GaussianNB": 8.0}
ONE_ROW_SPEEDUP = 2.0
PREDICT_CASE = Case(200_000, 64, 10)
PREDICT_MB = 128.0
WIDE_CASE = Case(20_000, 512, 1_000)
WIDE_MB = 2_000.0


def missing() -> str | None:
    """Why this subject cannot be measured, if so."""
    absent = [name for name in NAMES.values() if not hasattr(sf, name)]
    return f"suffice has no {', '.join(absent)} yet" if absent else None


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    for case in cases(quick):
        say(f"fit, {case}")
        yield from _fit(case, quick)
    for dtype in ("float64", "float32"):
        case = Case(*_shape(PREDICT_CASE.shrunk(10 if quick else 1)), dtype)
        say(f"predict_proba, {case}")
        yield from _predict(case, quick)
    yield from _memory(quick, say)
    say("one-row predict, d = 16")
    yield from _one_row()


def _models() -> dict[str, Any]:
    return {short: getattr(sf, name)() for short, name in NAMES.items()}


def _peers() -> dict[str, Any]:
    from benchmarks.peers import peers

    found = peers()
    return {"LDA": found["LDA svd"], "QDA": found["QDA"], "GaussianNB": found["GaussianNB"]}


def _shape(case: Case) -> tuple[int, int, int]:
    return case.rows, case.features, case.classes


def _fit(case: Case, quick: bool) -> Iterator[Row]:
    X, y = case.data()
    ms = {}
    for short, model in _models().items():
        seconds = fastest(
            {"fit": partial(model.fit, X, y), "least": partial(_least_work, X, y, DETAIL[short])},
            rounds=15,  # the two are nearly the same work: a few percent decide
        )
        ms[short], least = 1e3 * seconds["fit"], 1e3 * seconds["least"]
        name = "statistics" if short == "GaussianNB" else "statistics + Cholesky"
        limit = None if quick else FIT_OVER_STATISTICS
        yield Row(SUBJECT, str(case), f"{short} fit", ms[short], name, least, AT_MOST, limit)
    if not quick:
        from benchmarks.peers import fit_seconds

        for peer, slow in fit_seconds(case, X, y).items():
            short, limit = FIT_SPEEDUP[peer]
            name = f"scikit-learn {peer}"
            ours = ms[short]
            yield Row(SUBJECT, str(case), f"{short} fit", ours, name, 1e3 * slow, AT_LEAST, limit)


def _least_work(X: np.ndarray, y: np.ndarray, detail: str) -> None:
    statistics = sf.summarize(X, y, detail=detail)
    if detail == "shared":
        cholesky(statistics.scatter / len(X), lower=True)
    elif detail == "separate":
        for scatter, weight in zip(statistics.scatter, statistics.weight, strict=True):
            cholesky(scatter / weight, lower=True)


def _predict(case: Case, quick: bool) -> Iterator[Row]:
    X, y = case.data()
    W = np.ascontiguousarray(np.random.default_rng(0).normal(size=(case.features, case.classes)))
    W = W.astype(case.dtype)
    peers = _peers()
    for short, model in _models().items():
        ours, theirs = model.fit(X, y), peers[short].fit(X, y)
        seconds = fastest(
            {
                "ours": partial(ours.predict_proba, X),
                "theirs": partial(theirs.predict_proba, X),
                "product": lambda: X @ W,
            },
            rounds=5,
        )
        ms = {name: 1e3 * value for name, value in seconds.items()}
        what = f"{short} predict_proba"
        limit = None if quick else PREDICT_SPEEDUP[short]
        name = f"scikit-learn {short}"
        yield Row(SUBJECT, str(case), what, ms["ours"], name, ms["theirs"], AT_LEAST, limit)
        if short == "LDA":
            yield Row(SUBJECT, str(case), what, ms["ours"], "X @ W", ms["product"], AT_MOST)


def _memory(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    case = PREDICT_CASE.shrunk(10 if quick else 1)
    for short in NAMES:
        say(f"memory of {short} predict_proba, {case}")
        used = usage("benchmarks.family:predict_job", short=short, rows=case.rows)
        for kind, mb in (("traced", used.traced), ("resident", used.resident)):
            what = f"{kind} memory, {short} predict_proba"
            yield _memory_row(str(case), what, mb, PREDICT_MB)
    say(f"memory of LDA fit and predict, {WIDE_CASE}")
    used = usage("benchmarks.family:wide_job")
    yield _memory_row(str(WIDE_CASE), "resident memory, LDA fit + predict", used.resident, WIDE_MB)


def _memory_row(case: str, quantity: str, mb: float, most: float) -> Row:
    return Row(SUBJECT, case, quantity, mb, f"{most:,.0f} MB", most, AT_MOST, 1.0, unit="MB")


def predict_job(short: str, rows: int) -> Callable[[], np.ndarray]:
    """What the memory of predict_proba is measured on."""
    X, y = Case(rows, PREDICT_CASE.features, PREDICT_CASE.classes).data()
    model = _models()[short].fit(X, y)
    model.predict_proba(X[:1_000])
    return partial(model.predict_proba, X)


def wide_job() -> Callable[[], np.ndarray]:
    """Many classes of many features: per-class matrices alone would take 2 GB."""
    X, y = WIDE_CASE.data()
    _models()["LDA"].fit(X[:2_000, :8], y[:2_000]).predict(X[:10, :8])
    return lambda: _models()["LDA"].fit(X, y).predict(X)


def _one_row() -> Iterator[Row]:
    case = Case(20_000, 16, 3)
    X, y = case.data()
    shape = f"d = {case.features}, {case.classes} classes"
    peers, row = _peers(), X[:1]
    for short, model in _models().items():
        ours, theirs = model.fit(X, y), peers[short].fit(X, y)
        calls = {"ours": partial(ours.predict, row), "theirs": partial(theirs.predict, row)}
        seconds = fastest_calls(calls, calls=200)
        ms = {name: 1e3 * value for name, value in seconds.items()}
        what, name, limit = f"one-row {short} predict", f"scikit-learn {short}", ONE_ROW_SPEEDUP
        yield Row(SUBJECT, shape, what, ms["ours"], name, ms["theirs"], AT_LEAST, limit)
