"""Quality: log-loss of the automatic model on real tables, against scikit-learn's tuned models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.row import AT_MOST, Row
from benchmarks.tables import missing, tables  # noqa: F401 - says what is not installed
from suffice import select_model

SUBJECT = "quality"
FOLDS, REPEATS, SEED = 5, 2, 1
# Of the tables, so many may have a peer that does better, by no more than so many nats.
MOST_LOST, MOST_EXCESS = 0.2, 0.02

SHARES = [0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0]
PEERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "LDA": (LinearDiscriminantAnalysis(solver="lsqr"), {"shrinkage": [*SHARES, "auto"]}),
    # Without shrinkage it raises where a class is singular.
    "QDA": (QuadraticDiscriminantAnalysis(solver="eigen"), {"shrinkage": [*SHARES[1:], "auto"]}),
    "GaussianNB": (GaussianNB(), {"var_smoothing": np.logspace(-12, 0, 13)}),
    "logistic regression": (
        LogisticRegression(max_iter=2000),
        {"C": np.logspace(-3, 3, 7)},
    ),
}
RIVAL = "logistic regression"  # shown, and not among those to beat


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    excess, won = [], []
    for name, (X, y) in tables().items():
        say(f"{name}, {len(X)} rows, {X.shape[1]} columns")
        losses = _losses(X, y.to_numpy(dtype=str), 1 if quick else REPEATS)
        ours, rival = losses.pop("suffice"), losses.pop(RIVAL)
        best = min(losses, key=losses.__getitem__)
        excess.append(ours - losses[best])
        won.append(rival >= ours)
        case = f"{name} ({len(X)} x {X.shape[1]}, {y.nunique()} classes): {best}"
        what, nats = "log-loss of the automatic model", "nats"
        yield Row(SUBJECT, case, what, ours, "best of three", losses[best], AT_MOST, None, nats)
        case = f"{name}{'' if won[-1] else ': it wins'}"
        yield Row(SUBJECT, case, what, ours, RIVAL, rival, AT_MOST, None, nats)
    yield from _verdict(np.array(excess), quick)


def _verdict(excess: np.ndarray, quick: bool) -> Iterator[Row]:
    limit, case = None if quick else 1.0, f"{len(excess)} tables"
    lost, most = float((excess > 0).sum()), MOST_LOST * len(excess)
    what, name = "tables lost to the best of three", f"{MOST_LOST:.0%} of them"
    yield Row(SUBJECT, case, what, max(lost, 0.1), name, most, AT_MOST, limit, unit="tables")
    worst = max(float(excess.max()), 1e-4)
    what, name = "largest excess over the best of three", f"{MOST_EXCESS} nats"
    yield Row(SUBJECT, case, what, worst, name, MOST_EXCESS, AT_MOST, limit, unit="nats")


def _losses(X: pd.DataFrame, y: np.ndarray, repeats: int) -> dict[str, float]:
    """Mean log-loss on rows held out, the same for all."""
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    found: dict[str, list[float]] = {}
    for train, test in splits.split(X, y):
        rows, labels = X.iloc[train], y[train]
        fitted = {"suffice": select_model(rows, labels).model}
        fitted.update({name: _tuned(name, rows, labels) for name in PEERS})
        for name, model in fitted.items():
            p = model.predict_proba(X.iloc[test])
            found.setdefault(name, []).append(log_loss(y[test], p, labels=model.classes_))
    return {name: float(np.mean(values)) for name, values in found.items()}


def _tuned(name: str, X: pd.DataFrame, y: np.ndarray) -> Any:
    model, grid = PEERS[name]
    steps = [_numbers(X), StandardScaler()] if name == RIVAL else [_numbers(X)]
    pipeline = make_pipeline(*steps, model)
    last = pipeline.steps[-1][0]
    named = {f"{last}__{key}": values for key, values in grid.items()}
    # Some of the tables are sorted: without shuffling their choice would suffer.
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return GridSearchCV(pipeline, named, cv=folds, scoring="neg_log_loss").fit(X, y)


def _numbers(X: pd.DataFrame) -> Any:
    """Gaps filled by mean or mode, levels as indicators: what these peers need."""
    discrete = [name for name in X.columns if X[name].dtype == object]
    numeric = [name for name in X.columns if name not in discrete]
    mode = SimpleImputer(strategy="most_frequent", missing_values=None)
    code = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (SimpleImputer(), numeric), (make_pipeline(mode, code), discrete)
    )
