"""Selection: cross-validation of a shrinkage path, and leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from benchmarks.case import Case
from benchmarks.row import AT_LEAST, AT_MOST, Row
from benchmarks.timing import fastest
from suffice import LDA, QDA, select_model

SUBJECT = "selection"
PATH, FOLDS, SHARES = Case(20_000, 64, 10), 5, np.linspace(0.0, 1.0, 20)
SPEED_UP = 40.0
ALONE = Case(10_000, 32, 10)
MOST_FITS = 3.0
ENOUGH = 60.0

Pair = tuple[Any, Any]
MODELS: dict[str, Pair] = {
    "LDA, lsqr": (LDA(), LinearDiscriminantAnalysis(solver="lsqr")),
    "QDA, eigen": (QDA(), QuadraticDiscriminantAnalysis(solver="eigen")),
}


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    factor = 10 if quick else 1
    for name, pair in MODELS.items():
        say(f"shrinkage path, {name}, {PATH.shrunk(factor)}")
        yield _path(PATH.shrunk(factor), name, pair, None if quick else SPEED_UP)
    for model in (LDA(), QDA()):
        say(f"leave-one-out, {type(model).__name__}, {ALONE.shrunk(factor)}")
        yield _alone(ALONE.shrunk(factor), model, None if quick else MOST_FITS)


def _path(case: Case, name: str, pair: Pair, limit: float | None) -> Row:
    X, y = case.data()
    ours, peer = pair
    grid = {"shrinkage": [float(share) for share in SHARES]}
    search = GridSearchCV(peer, grid, cv=StratifiedKFold(FOLDS), scoring="neg_log_loss")
    seconds = fastest(
        {
            "ours": lambda: select_model(X, y, ours, grid, cv=FOLDS),
            "peer": lambda: search.fit(X, y),
        },
        rounds=5,
        enough=ENOUGH,
    )
    what = f"{FOLDS} folds x {len(SHARES)} shrinkages, {name}"
    mine, theirs = 1e3 * seconds["ours"], 1e3 * seconds["peer"]
    return Row(SUBJECT, str(case), what, mine, "GridSearchCV", theirs, AT_LEAST, limit)


def _alone(case: Case, model: Any, limit: float | None) -> Row:
    X, y = case.data()
    fitted = type(model)().fit(X, y)
    seconds = fastest(
        {
            "ours": lambda: fitted.leave_one_out(X, y),
            "fit": lambda: model.fit(X, y).predict(X),
        }
    )
    what, name = f"leave-one-out, {type(model).__name__}", "fit and predict"
    mine, theirs = 1e3 * seconds["ours"], 1e3 * seconds["fit"]
    return Row(SUBJECT, str(case), what, mine, name, theirs, AT_MOST, limit)
