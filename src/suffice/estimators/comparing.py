"""Comparing: the family, mixtures and logistic regression on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from suffice.answers.sampling import generator
from suffice.data.arrays import Floats, Indices
from suffice.data.mixed import Layout
from suffice.data.outliers import with_outliers
from suffice.data.parameters import check_callable
from suffice.errors import InvalidParameter, SufficeError
from suffice.estimators.gaussian import QDA, DiagonalLDA, GaussianNB
from suffice.estimators.indicators import Indicators
from suffice.estimators.linear import LDA
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.repairing import repairs_expected
from suffice.estimators.selecting import select_model
from suffice.estimators.trial import Trial, fit_quietly, log_probabilities, named_classifiers
from suffice.selection.comparison import Comparison, Curve
from suffice.selection.folds import Fold
from suffice.selection.steps import Steps, Tell
from suffice.selection.tally import METRICS, Tally

# Share of the training rows that become outliers.
SPOILT = 0.05

# Training rows of the learning curve, as shares of those of a fold.
SHARES = (0.1, 0.25, 0.5, 1.0)

# The part of the work that is choosing the automatic model, about.
CHOOSING = 0.5

Change = Callable[[Any, Indices], tuple[Any, Indices]]


@repairs_expected()
def compare(
    X: Any,
    y: Any,
    models: Any = None,
    *,
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    progress: Tell | None = None,
) -> Comparison:
    """Models side by side: cross-validated scores, robustness, learning curves, cost.

    Parameters
    ----------
    X, y, sample_weight, cv, groups : as for `select_model`
    models : classifiers by name, or a list of them; None takes the family, the automatic choice,
        two Gaussians a class, and scikit-learn's logistic regression with and without its usual
        penalty
    random_state : for the outliers and the smaller training sets
    progress : called as work goes on with the share of it that is done, from 0 to 1
    """
    check_callable("progress", progress)
    rng = generator(random_state)
    steps = Steps(1.0, progress)
    trial = Trial(X, y, sample_weight, cv, 1, groups)
    if models is None:
        chosen = _usual(X, y, sample_weight, steps.part(CHOOSING))
    else:
        chosen = named_classifiers(models)
    names, candidates = tuple(chosen), list(chosen.values())
    stages = (1 - steps.done) / (2 + len(SHARES))
    found = trial.run(candidates, "log_loss", steps.part(stages))
    refits = Steps((1 + len(SHARES)) * len(trial.folds), steps.part(1 - steps.done))
    contest = _Contest(trial, candidates, rng, refits)
    spoilt, curve = contest.spoilt(), contest.curve()
    steps.finish()
    fitted, seconds = zip(*(_timed(trial, model) for model in candidates), strict=True)

    def rows(model: Any) -> tuple[Any, ...]:
        # A mixture has no statistics that would tell; weights it does not take there.
        by_rows = isinstance(model, MixtureDiscriminant) and sample_weight is None
        return (X, y) if by_rows else ()

    return Comparison(
        names,
        found,
        np.array([_training_loss(trial, model) for model in fitted]),
        np.array([_told(model, lambda one: one.log_likelihood(*rows(one))) for model in fitted]),
        np.array([_told(model, _parameters) for model in fitted]),
        np.array([_told(model, lambda one: one.bic(*rows(one))) for model in fitted]),
        np.array(seconds),
        spoilt,
        curve,
        fitted,
    )


def logistic_regression(X: Any, free: bool = False) -> Any:
    """scikit-learn's logistic regression for this table: gaps filled, levels as indicators."""
    steps = [Indicators()] if Layout.of(X).discrete else []
    steps += [SimpleImputer(keep_empty_features=True), StandardScaler()]
    # Without a penalty it is the very model class of LDA, fitted to p(y | x) instead of p(x, y).
    return make_pipeline(*steps, LogisticRegression(C=np.inf if free else 1.0, max_iter=5000))


def _usual(X: Any, y: Any, sample_weight: Any, tell: Tell) -> dict[str, Any]:
    if Layout.of(X).discrete:
        family = {
            "naive Bayes": MixedNB(),
            "naive Bayes, full covariance": MixedNB(structure="full"),
            "naive Bayes, shared covariance": MixedNB(structure="full", pooling=1.0),
        }
    else:
        family = {
            "LDA": LDA(),
            "QDA": QDA(),
            "GaussianNB": GaussianNB(),
            "DiagonalLDA": DiagonalLDA(),
            "two Gaussians a class": MixtureDiscriminant(2, random_state=0, unlabelled=None),
        }
    automatic = clone(select_model(X, y, sample_weight=sample_weight, progress=tell).model)
    return {
        **family,
        "automatic": automatic,
        "logistic regression": logistic_regression(X),
        "logistic, no penalty": logistic_regression(X, free=True),
    }


class _Contest:
    """Refits under other training rows, all models on the same ones."""

    def __init__(
        self, trial: Trial, models: Sequence[Any], rng: np.random.Generator, steps: Steps
    ) -> None:
        self.trial, self.models, self.rng, self.steps = trial, models, rng, steps

    def spoilt(self) -> dict[str, Floats]:
        """Mean scores when some training rows are outliers."""

        def spoil(X: Any, at: Indices) -> tuple[Any, Indices]:
            count = max(1, round(SPOILT * len(at)))
            rows = self.rng.choice(len(at), count, replace=False)
            return with_outliers(_safe_indexing(X, at), rows, self.rng), at

        return self._scores(spoil)

    def curve(self) -> Curve:
        """Mean scores by number of training rows, a part of each class."""
        found, sizes = [], []
        for share in SHARES:
            size = round(share * np.mean([len(fold.train) for fold in self.trial.folds]))
            sizes.append(int(size))
            found.append(self._scores(lambda X, at, share=share: self._part(X, at, share)))  # type: ignore[misc]
        losses, rights = (
            np.stack([scores[name] for scores in found], axis=1)
            for name in ("log_loss", "accuracy")
        )
        return Curve(tuple(sizes), losses, rights)

    def _part(self, X: Any, at: Indices, share: float) -> tuple[Any, Indices]:
        """At least two rows of each class that has them, so that every model is defined."""
        codes, kept = self.trial.codes[at], []
        for c in range(len(self.trial.classes)):
            own = self.rng.permutation(at[codes == c])
            kept.append(own[: max(2, round(share * len(own)))])
        rows = np.sort(np.concatenate(kept))
        return _safe_indexing(X, rows), rows

    def _scores(self, change: Change) -> dict[str, Floats]:
        """Mean scores of every model over the folds; NaN for one that cannot be fitted."""
        trial, by_fold = self.trial, []
        for fold in trial.folds:
            X, rows = change(trial.X, fold.train)
            by_fold.append([self._tested(model, X, rows, fold) for model in self.models])
            self.steps.add()
        return {
            name: np.mean([[one[name] for one in fold] for fold in by_fold], axis=0)
            for name in METRICS
        }

    def _tested(self, model: Any, X: Any, rows: Indices, fold: Fold) -> dict[str, float]:
        trial = self.trial
        weights = None if trial.weights is None else trial.weights[rows]
        try:
            # What goes wrong with few rows, or outliers among them, shows in the scores.
            fitted, _ = fit_quietly(clone(model), X, trial.classes[trial.codes[rows]], weights)
        except (SufficeError, ValueError):
            return dict.fromkeys(METRICS, np.nan)
        found = trial.tested(fitted, fold).metrics(len(trial.classes))
        return {name: float(values[0]) for name, values in found.items()}


def _timed(trial: Trial, model: Any) -> tuple[Any, float]:
    start = perf_counter()
    fitted = trial.fitted(model)
    return fitted, perf_counter() - start


def _training_loss(trial: Trial, model: Any) -> float:
    scores = np.array(log_probabilities(model, trial.X).T[None])
    tally = Tally.of(scores, trial.codes, trial.weights)
    return float(tally.metrics(len(trial.classes))["log_loss"][0])


def _told(model: Any, question: Callable[[Any], Any]) -> float:
    """What a model says of itself, or NaN where it cannot."""
    try:
        return float(question(model))
    except (AttributeError, TypeError, InvalidParameter):
        return float("nan")


def _parameters(model: Any) -> float:
    if hasattr(model, "n_parameters"):
        return float(model.n_parameters())
    last = model[-1]  # a pipeline that ends in linear functions of x
    return float((len(last.classes_) - 1) * (last.coef_.shape[1] + 1))
