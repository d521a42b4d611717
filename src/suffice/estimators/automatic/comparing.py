"""Comparing: the family, mixtures and logistic regression on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.answers.sampling import generator
from suffice.data.arrays import Floats, Indices
from suffice.data.batches import split_named
from suffice.data.outliers import with_outliers
from suffice.data.parameters import check_callable
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.mixed import ColumnLayout
from suffice.data.tables.shared_reading import shared_reading
from suffice.data.tables.table_rows import as_features_frame
from suffice.data.tables.user_table import take_rows
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.candidates import (
    fit_quietly,
    log_probabilities,
    named_classifiers,
)
from suffice.estimators.automatic.refits import logistic_regression
from suffice.estimators.automatic.selecting import select_model
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.gaussian import QDA, DiagonalLDA, GaussianNB
from suffice.estimators.linear import LDA
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.repairing import repairs_expected
from suffice.models.em.effort import limited_effort
from suffice.selection.comparison import Comparison, LearningCurve
from suffice.selection.folds import Fold
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import METRICS, check_metric
from suffice.selection.selection import Selection, standard_error
from suffice.selection.steps import ProgressCallback, Steps

# Changes the training rows at these positions of a table.
Change = Callable[[LabelledTable, Indices], LabelledTable]


@repairs_expected()
def compare(
    X: Any,
    y: Any,
    models: Any = None,
    *,
    metric: str = "log_loss",
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Models side by side: cross-validated scores, robustness, learning curves, cost.

    Parameters
    ----------
    X, y, sample_weight, cv, groups : as for `select_model`
    models : classifiers by name, or a list of them; None takes the family, the automatic choice,
        two Gaussians per class, and scikit-learn's logistic regression with and without its
        default penalty
    metric : the score by which models are ordered, as for `select_model`
    random_state : for the outliers and the smaller training sets
    progress : called during the work with the share done, from 0 to 1
    """
    check_metric(metric)
    check_callable("progress", progress)
    X, y = split_named(X, y)
    X = as_features_frame(X)
    rng = generator(random_state)
    steps = Steps(1.0, progress)
    trial = Trial(X, y, sample_weight, cv, 1, groups)
    if models is None:
        named = _default_models(X, y, sample_weight, steps.part(0.5))
    else:
        named = named_classifiers(models)
    names, candidates = tuple(named), list(named.values())
    refitted = 1 + len(_Contest.smaller_shares)
    stages = (1 - steps.done) / (1 + refitted)
    check_metric(metric, trial.table.classes)
    # EM on rows with missing values stops where more steps would change no digit that is shown.
    with limited_effort(0):
        selection = trial.run(candidates, metric, steps.part(stages))
    tried = np.flatnonzero(~np.isnan(selection.scores[metric]).all(axis=1))
    names, candidates = tuple(names[i] for i in tried), [candidates[i] for i in tried]
    selection = replace(_of_candidates(selection, tried), baseline=trial.baseline())
    refits = Steps(refitted * len(trial.folds), steps.part(1 - steps.done))
    contest = _Contest(trial, candidates, rng, refits)
    with limited_effort(0):
        outliers = contest.score_with_outliers()
        curve = contest.learning_curve(selection)
    selection = replace(selection, notes=(*selection.notes, *contest.notes))
    steps.finish()
    fitted, seconds = zip(*(_fit_timed(trial, model) for model in candidates), strict=True)

    def rows(model: Any) -> tuple[Any, ...]:
        # A mixture has no sufficient statistics, and takes no weights there.
        by_rows = isinstance(model, MixtureDiscriminant) and sample_weight is None
        return (X, y) if by_rows else ()

    def column(question: Callable[[Any], Any]) -> Floats:
        return np.array([_or_nan(question, model) for model in fitted])

    return Comparison(
        names,
        selection,
        np.array([_training_loss(trial.table, model) for model in fitted]),
        column(lambda model: model.log_likelihood(*rows(model))),
        column(_count_parameters),
        column(lambda model: model.bic(*rows(model))),
        np.array(seconds),
        outliers,
        curve,
        fitted,
    )


def _of_candidates(selection: Selection, at: Indices) -> Selection:
    """The scores of some of the candidates, by position."""
    return replace(
        selection,
        candidates=tuple(selection.candidates[i] for i in at),
        scores={name: scores[at] for name, scores in selection.scores.items()},
        complexity=selection.complexity[at],
    )


def _default_models(
    X: Any, y: Any, sample_weight: Any, progress: ProgressCallback
) -> dict[str, Any]:
    if ColumnLayout.of(X).discrete:
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
            "two Gaussians per class": MixtureDiscriminant(2, random_state=0, unlabelled=None),
        }
    selection = select_model(X, y, sample_weight=sample_weight, progress=progress)
    return {
        **family,
        "automatic": clone(selection.model),
        "logistic regression": logistic_regression(),
        "logistic, no penalty": logistic_regression(np.inf),
    }


@dataclass(frozen=True, eq=False)
class _Contest:
    """Refits with changed training rows, the same ones for all models.

    outlier_share : of the training rows that become outliers
    smaller_shares : sizes of the training sets of the learning curve, as shares of a fold's
    notes : what an interrupt has left out
    """

    trial: Trial
    models: Sequence[Any]
    rng: np.random.Generator
    steps: Steps
    outlier_share: float = 0.05
    smaller_shares: tuple[float, ...] = (0.1, 0.25, 0.5)
    notes: list[str] = field(default_factory=list)

    def score_with_outliers(self) -> dict[str, Floats]:
        """Mean scores when some training rows are outliers."""

        def add_outliers(table: LabelledTable, at: Indices) -> LabelledTable:
            count = max(1, round(self.outlier_share * len(at)))
            rows = self.rng.choice(len(at), count, replace=False)
            part = table.take(at)
            return replace(part, X=with_outliers(part.X, rows, self.rng))

        by_fold = self._scores(add_outliers)
        return {name: scores.mean(axis=1) for name, scores in by_fold.items()}

    def learning_curve(self, whole: Selection) -> LearningCurve:
        """Mean scores by number of training rows.

        whole : the scores with all training rows
        """
        rows = np.mean([len(fold.train) for fold in self.trial.folds])
        sizes = tuple(round(share * rows) for share in (*self.smaller_shares, 1.0))
        scores = [self._scores(partial(self._sample, share)) for share in self.smaller_shares]
        each = [*scores, whole.scores]
        by_fold = [[one[name] for one in each] for name in ("log_loss", "accuracy")]
        means = (np.stack([one.mean(axis=1) for one in own], axis=1) for own in by_fold)
        errors = (np.stack([standard_error(one) for one in own], axis=1) for own in by_fold)
        return LearningCurve(sizes, *means, *errors)

    def _sample(self, share: float, table: LabelledTable, at: Indices) -> LabelledTable:
        """A share of each class, but at least two rows, so that every model is defined."""
        codes, kept = table.codes[at], []
        for c in range(len(table.classes)):
            own = self.rng.permutation(at[codes == c])
            kept.append(own[: max(2, round(share * len(own)))])
        return table.take(np.sort(np.concatenate(kept)))

    def _scores(self, change: Change) -> dict[str, Floats]:
        """Scores of the models, (models, folds) by metric; NaN for one that cannot be fitted.

        An interrupt ends all such work: the folds that are left have no scores.
        """
        by_fold = [[dict.fromkeys(METRICS, np.nan)] * len(self.models)] * len(self.trial.folds)
        for i, fold in enumerate(() if self.notes else self.trial.folds):
            try:
                training = change(self.trial.table, fold.train)
                rows = take_rows(self.trial.table.X, fold.test)
                with shared_reading():
                    by_fold[i] = [self._test(one, training, fold, rows) for one in self.models]
            except KeyboardInterrupt:
                self.notes.append("Interrupted before all scores with outliers or fewer rows.")
                break
            self.steps.add()
        return {
            name: np.array([[one[name] for one in fold] for fold in by_fold]).T for name in METRICS
        }

    def _test(self, model: Any, training: LabelledTable, fold: Fold, rows: Any) -> dict[str, float]:
        """The scores of a model of these training rows on the test rows of a fold."""
        try:
            # Warnings about few rows or outliers are ignored: the scores show their effect.
            fitted, _ = fit_quietly(clone(model), training)
        except Exception:  # of any library
            return dict.fromkeys(METRICS, np.nan)
        sums = self.trial.test(fitted, fold, rows)
        return {name: float(metric.values(sums)[0]) for name, metric in METRICS.items()}


def _fit_timed(trial: Trial, model: Any) -> tuple[Any, float]:
    start = perf_counter()
    fitted = trial.fit(model)
    return fitted, perf_counter() - start


def _training_loss(table: LabelledTable, model: Any) -> float:
    scores = np.array(log_probabilities(model, table.X).T[None])
    sums = MetricSums.of(scores, table.codes, table.weights)
    return float(METRICS["log_loss"].values(sums)[0])


def _or_nan(question: Callable[[Any], Any], model: Any) -> float:
    """The answer of a model, or NaN if it has none."""
    try:
        return float(question(model))
    except (AttributeError, TypeError, InvalidParameter):
        return float("nan")


def _count_parameters(model: Any) -> float:
    if hasattr(model, "n_parameters"):
        return float(model.n_parameters())
    last = model[-1]  # a pipeline that ends in linear functions of x
    return float((len(last.classes_) - 1) * (last.coef_.shape[1] + 1))
