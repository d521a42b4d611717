"""Discrete: naive Bayes of levels, and of levels beside numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.naive_bayes import CategoricalNB as Peer

import suffice as sf
from benchmarks.row import AT_LEAST, AT_MOST, Row
from benchmarks.timing import fastest

SUBJECT = "discrete"
ROWS, FEATURES, LEVELS, CLASSES = 1_000_000, 20, 10, 10
NUMERIC = 10
FIT_SPEEDUP, PREDICT_SPEEDUP = 5.0, 3.0
MIXED_OVER_SUM = 1.0


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    n = ROWS // (10 if quick else 1)
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n)
    X = (rng.integers(0, LEVELS, (n, FEATURES)) + (y[:, None] % 3)) % LEVELS
    case = f"{n:,} x {FEATURES}, {LEVELS} levels, {CLASSES} classes"
    say(f"fit and predict, {case}")
    yield from _levels(X, y, case, quick)
    say(f"mixed, {case}")
    yield _mixed(np.c_[rng.normal(size=(n, NUMERIC)), X], y, case, quick)


def _levels(X: np.ndarray, y: np.ndarray, case: str, quick: bool) -> Iterator[Row]:
    ours, theirs = sf.CategoricalNB(), Peer()
    fit = fastest({"ours": partial(ours.fit, X, y), "theirs": partial(theirs.fit, X, y)}, rounds=3)
    ask = {"ours": partial(ours.predict, X), "theirs": partial(theirs.predict, X)}
    predict = fastest(ask, rounds=3)
    name = "scikit-learn CategoricalNB"
    for what, seconds, limit in (
        ("fit", fit, FIT_SPEEDUP),
        ("predict", predict, PREDICT_SPEEDUP),
    ):
        mine, other = 1e3 * seconds["ours"], 1e3 * seconds["theirs"]
        bound = None if quick else limit
        yield Row(SUBJECT, case, f"CategoricalNB {what}", mine, name, other, AT_LEAST, bound)


def _mixed(X: np.ndarray, y: np.ndarray, case: str, quick: bool) -> Row:
    """One table of floats; the parts are fitted on the same columns of it."""
    discrete = range(NUMERIC, X.shape[1])
    seconds = fastest(
        {
            "mixed": partial(sf.MixedNB(categorical=discrete).fit, X, y),
            "levels": partial(sf.CategoricalNB().fit, X[:, NUMERIC:], y),
            "numbers": partial(sf.GaussianNB().fit, X[:, :NUMERIC], y),
        },
        rounds=5,
    )
    both = 1e3 * (seconds["levels"] + seconds["numbers"])
    what, name = f"MixedNB fit, {NUMERIC} numeric columns more", "CategoricalNB + GaussianNB"
    limit = None if quick else MIXED_OVER_SUM
    return Row(SUBJECT, case, what, 1e3 * seconds["mixed"], name, both, AT_MOST, limit)
