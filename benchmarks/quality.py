"""Quality: log-loss of the automatic model on real tables, against scikit-learn's tuned models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.judging_tables import judging_tables
from benchmarks.row import AT_MOST, Row
from benchmarks.tables import missing, tables  # noqa: F401 - says what is not installed
from suffice import select_model
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import METRICS

SUBJECT = "quality"
FOLDS, REPEATS, SEED = 5, 2, 1
# Of the tables, so many may have a peer that does better, by no more than so many nats.
MOST_LOST, MOST_EXCESS = 0.2, 0.02
NEARLY = 0.01  # nats over the best peer that hardly matter
DRAWS = 100  # of the labels of each test fold

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
    "random forest": (RandomForestClassifier(300, random_state=SEED), {}),
    "gradient boosting": (HistGradientBoostingClassifier(random_state=SEED), {}),
}
THREE = ("LDA", "QDA", "GaussianNB")  # those to beat
RIVAL = "logistic regression"  # shown, and not among those to beat


@dataclass(frozen=True, slots=True)
class Scores:
    """Of one model on one table, on rows held out."""

    log_loss: float
    accuracy: float
    brier: float
    calibration_error: float
    calibration_noise: float  # the error of labels drawn from the probabilities themselves
    milliseconds: float  # of the processor, to choose and fit


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject: for the tables it was tuned on, then for those that only judge."""
    repeats = 1 if quick else REPEATS
    for kind, loaded in (("tuning", tables()), ("judging", judging_tables())):
        by_table = {}
        for name, (X, y) in loaded.items():
            say(f"{name}, {len(X)} rows, {X.shape[1]} columns")
            by_table[name] = scores = _scores(X, y.to_numpy(dtype=str), repeats)
            yield from _of_table(f"{name} ({len(X)} x {X.shape[1]}, {y.nunique()} classes)", scores)
        yield from _verdict(kind, list(by_table.values()), quick)


def _of_table(case: str, scores: dict[str, Scores]) -> Iterator[Row]:
    ours, what, nats = scores["suffice"].log_loss, "log-loss of the automatic model", "nats"
    best = min(THREE, key=lambda name: scores[name].log_loss)
    least = scores[best].log_loss
    yield Row(SUBJECT, f"{case}: {best}", what, ours, "best of three", least, AT_MOST, None, nats)
    rival = scores[RIVAL].log_loss
    case = f"{case}{'' if ours <= rival else ': it wins'}"
    yield Row(SUBJECT, case, what, ours, RIVAL, rival, AT_MOST, None, nats)


def _verdict(kind: str, each: list[dict[str, Scores]], quick: bool) -> Iterator[Row]:
    limit, case = None if quick else 1.0, f"{len(each)} {kind} tables"
    best = [min(scores[name].log_loss for name in THREE) for scores in each]
    excess = np.array([scores["suffice"].log_loss for scores in each]) - best
    lost, most = float((excess > 0).sum()), MOST_LOST * len(excess)
    what, name = "tables lost to the best of three", f"{MOST_LOST:.0%} of them"
    yield Row(SUBJECT, case, what, max(lost, 0.1), name, most, AT_MOST, limit, unit="tables")
    far, what = float((excess > NEARLY).sum()), f"tables lost by more than {NEARLY} nats"
    yield Row(SUBJECT, case, what, max(far, 0.1), name, most, AT_MOST, None, unit="tables")
    worst = max(float(excess.max()), 1e-4)
    what, name = "largest excess over the best of three", f"{MOST_EXCESS} nats"
    yield Row(SUBJECT, case, what, worst, name, MOST_EXCESS, AT_MOST, limit, unit="nats")
    for field in fields(Scores):
        values = {
            name: float(np.mean([getattr(scores[name], field.name) for scores in each]))
            for name in each[0]
        }
        ours, what = values.pop("suffice"), f"mean {field.name.replace('_', ' ')}"
        unit = {"milliseconds": "ms", "log_loss": "nats"}.get(field.name, "share")
        for name, value in values.items():
            yield Row(SUBJECT, case, what, ours, name, value, AT_MOST, None, unit=unit)


def _scores(X: pd.DataFrame, y: np.ndarray, repeats: int) -> dict[str, Scores]:
    """The scores of all models on the same rows held out."""
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    parts: dict[str, list[Scores]] = {}
    for train, test in splits.split(X, y):
        rows, labels = X.iloc[train], y[train]
        for name in ("suffice", *PEERS):
            start = process_time()
            model = (
                select_model(rows, labels).model
                if name == "suffice"
                else _tuned(name, rows, labels)
            )
            milliseconds = 1000 * (process_time() - start)
            p = np.asarray(model.predict_proba(X.iloc[test]))
            parts.setdefault(name, []).append(_scored(p, y[test], model.classes_, milliseconds))
    return {
        name: Scores(*np.mean([astuple(one) for one in some], axis=0).tolist())
        for name, some in parts.items()
    }


def _scored(p: np.ndarray, y: np.ndarray, classes: np.ndarray, milliseconds: float) -> Scores:
    log = np.log(np.maximum(p, np.finfo(np.float64).tiny))
    names = ("log_loss", "accuracy", "brier", "calibration_error")
    own = [_metric(name, log, np.searchsorted(classes, y)) for name in names]
    edges, rng = np.cumsum(p, axis=1)[:, :-1], np.random.default_rng(SEED)
    drawn = [(rng.random((len(p), 1)) > edges).sum(axis=1) for _ in range(DRAWS)]
    noise = float(np.mean([_metric("calibration_error", log, codes) for codes in drawn]))
    return Scores(*own, noise, milliseconds)


def _metric(name: str, log: np.ndarray, codes: np.ndarray) -> float:
    sums = MetricSums.of(np.array(log.T[None]), codes, None)
    return float(METRICS[name].values(sums)[0])


def _tuned(name: str, X: pd.DataFrame, y: np.ndarray) -> Any:
    model, grid = PEERS[name]
    steps = [_numbers(X), StandardScaler()] if name == RIVAL else [_numbers(X)]
    pipeline = make_pipeline(*steps, model)
    if not grid:
        return pipeline.fit(X, y)
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
