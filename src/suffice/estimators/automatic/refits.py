"""Refits: candidates that are trained in every fold, because no statistics serve all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from suffice.data.arrays import Floats, Indices
from suffice.data.features import as_features
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.table_rows import TableReader
from suffice.estimators.automatic.candidates import complexity_of, fit_quietly, log_probabilities
from suffice.estimators.automatic.out_of_fold import held_out
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.gaussian import DiagonalLDA, GaussianNB
from suffice.estimators.linear import LDA
from suffice.selection.entrants import Contest, Entrants


class AsNumbers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A table as numbers: read as `suffice.describe` says, levels as indicators."""

    def __init__(self, columns: Any = None) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what the columns are, and which levels get indicators."""
        reader = TableReader.of(X, self.columns)
        self.encoding_ = None if reader is None else Encoding.of(X, reader)
        return self

    def transform(self, X: Any) -> Floats:
        """The numbers of rows, NaN where a value is missing."""
        if self.encoding_ is not None:
            return self.encoding_.encode(X)
        features = as_features(X)
        return np.asarray(features.read(0, features.shape[0]), np.float64)


def logistic_regression(strength: float = 1.0, columns: Any = None) -> Any:
    """scikit-learn's logistic regression: missing values filled, levels as indicators.

    strength : of the rows against the penalty, its C; infinite for no penalty, which gives the
        form of LDA, fitted to p(y | x) instead of p(x, y)
    columns : how to read the columns of a table, as `suffice.describe` returns it
    """
    return make_pipeline(
        AsNumbers(columns),
        SimpleImputer(keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(C=strength, max_iter=5000),
    )


def rivals(trial: Trial, contest: Contest, rows: Floats, columns: Any) -> Iterator[Entrants]:
    """Logistic regression with several penalties.

    rows : the table as numbers, levels as indicators
    columns : how to read the table itself
    """
    for strength in (0.01, 0.1, 1.0, 10.0):
        model = logistic_regression(strength, columns)
        numeric, parts = make_pipeline(*model[1:]), []
        for fold, tests in zip(contest.folds, contest.tests, strict=True):
            part = replace(trial.table, X=rows).take(fold.train)
            fitted, _ = fit_quietly(clone(numeric), part)
            parts.append(log_probabilities(fitted, rows[tests])[None])
        free = float(contest.k * (rows.shape[1] + 1))
        yield stored("logistic regression", [model], np.array([free]), contest, parts)


def large_table(trial: Trial, contest: Contest) -> Iterator[Entrants]:
    """A few candidates for tables whose covariances are too large to decompose in every fold."""
    models = {
        **{f"LDA {share}": LDA(shrinkage=share) for share in ("oas",)},
        "naive Bayes": GaussianNB(),
        "shared variances": DiagonalLDA(),
    }
    for name, model in models.items():
        fitted = clone(model).fit(trial.table.X, trial.table.labels, trial.table.weights)
        rows = held_out(trial, trial.folds, {name: fitted})
        parts = [rows.log_posteriors[:, rows.fold == f] for f in range(len(contest.folds))]
        kept = [
            part[:, np.searchsorted(fold.test, tests)]
            for part, fold, tests in zip(parts, contest.folds, contest.tests, strict=True)
        ]
        yield stored(name, [model], np.array([complexity_of(fitted)]), contest, kept)


def stored(
    kind: str,
    models: Sequence[Any],
    complexity: Floats,
    contest: Contest,
    parts: Sequence[Floats],
) -> Entrants:
    """Entrants whose scores are known already: (m, n, k) of the test rows of each fold."""

    def scores(some: Indices, fold: int, at: Indices) -> Floats:
        places = np.searchsorted(contest.tests[fold], at)
        return np.array(parts[fold][some][:, places].transpose(0, 2, 1))

    return Entrants(kind, models, complexity, scores)
