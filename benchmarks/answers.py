"""Answers: missing values at predict and at fit, and samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import cho_factor

import suffice as sf
from benchmarks.case import Case
from benchmarks.row import AT_LEAST, AT_MOST, Row
from benchmarks.timing import fastest

SUBJECT = "answers"
MODELS: dict[str, Callable[[], Any]] = {
    "LDA": sf.LDA,
    "QDA": sf.QDA,
    "GaussianNB": sf.GaussianNB,
    "DiagonalLDA": sf.DiagonalLDA,
}
PREDICT_CASE, PREDICT_PATTERNS = Case(100_000, 32, 10), 30
PREDICT_OVER_COMPLETE = 5.0
OVER_FACTORISATIONS = 1.0
FIT_CASE, FIT_PATTERNS = Case(100_000, 20, 10), 50
FIT_OVER_COMPLETE = 10.0
MISSING = 0.1
SAMPLE_ROWS, SAMPLE_FEATURES = 1_000_000, 32


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    case = PREDICT_CASE.shrunk(10 if quick else 1)
    say(f"predict_proba with gaps, {case}")
    yield from _predict(case, quick)
    case = FIT_CASE.shrunk(10 if quick else 1)
    say(f"fit with gaps, {case}")
    yield from _fit(case, quick)
    say("samples")
    yield _sample(quick)


def with_patterns(X: np.ndarray, patterns: int, seed: int = 0) -> np.ndarray:
    """X with a tenth of its values missing, in so many patterns; 0 for one a row."""
    rng = np.random.default_rng(seed)
    missing = rng.random((patterns or len(X), X.shape[1])) < MISSING
    X = X.copy()
    X[missing[rng.integers(0, patterns, len(X))] if patterns else missing] = np.nan
    return X


def _predict(case: Case, quick: bool) -> Iterator[Row]:
    X, y = case.data()
    few, each = with_patterns(X, PREDICT_PATTERNS), with_patterns(X, 0)
    one = 1e3 * _factorisation(case.features)
    for short, make in MODELS.items():
        model = make().fit(X, y)
        seconds = fastest(
            {
                "complete": partial(model.predict_proba, X),
                "few": partial(model.predict_proba, few),
                "each": partial(model.predict_proba, each),
            },
            rounds=5,
        )
        ms = {name: 1e3 * value for name, value in seconds.items()}
        what = f"{short} predict_proba, {PREDICT_PATTERNS} patterns of gaps"
        limit = None if quick else PREDICT_OVER_COMPLETE
        yield Row(
            SUBJECT, str(case), what, ms["few"], "complete rows", ms["complete"], AT_MOST, limit
        )
        what = f"{short} predict_proba, a pattern a row"
        classes = 1 if short in ("LDA", "DiagonalLDA") else case.classes
        name, cost = "one Cholesky a row and covariance", one * case.rows * classes
        limit = None if quick else OVER_FACTORISATIONS
        yield Row(SUBJECT, str(case), what, ms["each"], name, cost, AT_MOST, limit)


def _factorisation(d: int, times: int = 2_000) -> float:
    """Seconds of one Cholesky factorisation."""
    A = np.eye(d) + 0.1

    def many() -> None:
        for _ in range(times):
            cho_factor(A, check_finite=False)

    return fastest({"many": many})["many"] / times


def _fit(case: Case, quick: bool) -> Iterator[Row]:
    X, y = case.data()
    gaps = with_patterns(X, FIT_PATTERNS)
    for short, make in MODELS.items():
        seconds = fastest(
            {"complete": partial(make().fit, X, y), "gaps": partial(make().fit, gaps, y)}
        )
        ms = {name: 1e3 * value for name, value in seconds.items()}
        what = f"{short} fit, {FIT_PATTERNS} patterns of gaps"
        limit = None if quick else FIT_OVER_COMPLETE
        yield Row(
            SUBJECT, str(case), what, ms["gaps"], "complete fit", ms["complete"], AT_MOST, limit
        )


def _sample(quick: bool) -> Row:
    n, d = SAMPLE_ROWS // (10 if quick else 1), SAMPLE_FEATURES
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, d)) @ rng.normal(size=(d, d))
    model = sf.QDA().fit(X, np.zeros(len(X), int))
    mean, covariance = X.mean(axis=0), np.cov(X.T)
    seconds = fastest(
        {
            "ours": partial(model.sample, n, random_state=0),
            "numpy": lambda: np.random.default_rng(0).multivariate_normal(mean, covariance, n),
        },
        rounds=3,
    )
    case = f"{n:,} x {d}"
    name = "numpy multivariate_normal"
    ours, theirs = 1e3 * seconds["ours"], 1e3 * seconds["numpy"]
    return Row(SUBJECT, case, "sample", ours, name, theirs, AT_LEAST, None if quick else 1.0)
