"""Refits: candidates that are trained in every fold, because no statistics serve all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from suffice.data.arrays import Floats, Indices
from suffice.data.encoding import Encoding
from suffice.data.features import as_features
from suffice.data.table_rows import TableReader
from suffice.errors import SufficeError
from suffice.estimators.gaussian import DiagonalLDA, GaussianNB
from suffice.estimators.linear import LDA
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.out_of_fold import held_out
from suffice.estimators.trial import Trial, complexity_of, fit_quietly, log_probabilities
from suffice.models.em import fit_mixture
from suffice.models.training import Effort, Given, Training
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
        yield _stored("logistic regression", [model], np.array([free]), contest, parts)


def large_table(trial: Trial, contest: Contest) -> Iterator[Entrants]:
    """A few candidates for tables whose covariances are too large to decompose in every fold."""
    models = {
        **{f"LDA {share}": LDA(shrinkage=share) for share in ("oas",)},
        "naive Bayes": GaussianNB(),
        "shared variances": DiagonalLDA(),
    }
    for name, model in models.items():
        fitted = clone(model).fit(trial.table.X, trial.table.labels, trial.table.weights)
        rows = held_out(trial, {name: fitted})
        parts = [rows.log_posteriors[:, rows.fold == f] for f in range(len(contest.folds))]
        kept = [
            part[:, np.searchsorted(fold.test, tests)]
            for part, fold, tests in zip(parts, contest.folds, contest.tests, strict=True)
        ]
        yield _stored(name, [model], np.array([complexity_of(fitted)]), contest, kept)


def mixtures(
    trial: Trial, contest: Contest, rows: Floats, best: Callable[[], Floats]
) -> Iterator[Entrants]:
    """Two Gaussians per class, where there are enough rows and none has missing values.

    EM starts in every fold from the components of all rows. A candidate that is behind the best
    one by far in the first folds is given up.
    """
    table, (n, d) = trial.table, rows.shape
    smallest = int(np.bincount(table.codes).min())
    few = smallest < max(100, 10 * d) or n * d * d > 1 << 21
    if few or trial.reader is not None or np.isnan(rows).any():
        return
    for pooling in (0.0, 0.5, 1.0):
        # unlabelled=None: a label of -1 is a class like any other.
        model = MixtureDiscriminant(
            2, pooling=pooling, target="diagonal", random_state=0, unlabelled=None
        )
        try:
            fitted = clone(model).fit(rows, table.labels, table.weights)
            parts = _of_folds(trial, contest, rows, fitted, best())
        except SufficeError:
            continue
        complexity = np.array([float(fitted.n_parameters())])
        yield _stored("two Gaussians per class", [model], complexity, contest, parts)


def _of_folds(
    trial: Trial, contest: Contest, rows: Floats, fitted: Any, best: Floats
) -> list[Floats]:
    """ln p(x, y) of the test rows of each fold, (1, n, k); NaN where the candidate was given up."""
    whole, settings, table = fitted._fitted, fitted._settings(), trial.table
    given = Given(whole.components.priors, whole.components.means, whole.components.covariances)
    sizes, effort = np.bincount(whole.owner), Effort(tol=1e-3, max_iter=20)
    parts: list[Floats] = []
    lost = 0.0
    for number, (fold, tests) in enumerate(zip(contest.folds, contest.tests, strict=True)):
        if number >= 2 and lost / number > 0.05:
            parts.append(np.full((1, len(tests), contest.k), np.nan))
            continue
        weights = None if table.weights is None else table.weights[fold.train]
        training = Training.of(rows[fold.train], table.codes[fold.train], weights, table.classes)
        rng = np.random.default_rng(0)
        model = fit_mixture(training, sizes, settings, None, effort, rng, given).model
        scores = model.scores(rows[tests])
        parts.append(scores[None])
        own = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        loss = -own[np.arange(len(tests)), table.codes[tests]]
        lost += float(np.average(loss, weights=contest.weights[tests])) - float(best[number])
    return parts


def _stored(
    kind: str,
    models: Sequence[Any],
    complexity: Floats,
    contest: Contest,
    parts: Sequence[Floats],
) -> Entrants:
    """Entrants whose scores are known already: (m, n, k) of the test rows of each fold."""

    def scores(fold: int, at: Indices) -> Floats:
        places = np.searchsorted(contest.tests[fold], at)
        return np.array(parts[fold][:, places].transpose(0, 2, 1))

    return Entrants(kind, models, complexity, scores)
