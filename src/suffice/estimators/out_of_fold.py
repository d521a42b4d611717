"""Out of fold: log posteriors of rows by models that were trained on the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Floats, Indices
from suffice.data.labelled_table import take_rows
from suffice.errors import SufficeError
from suffice.estimators.choosing import cross_validated
from suffice.estimators.learning import Learner
from suffice.estimators.trial import Trial, fit_quietly, log_probabilities
from suffice.selection.folds import training_statistics
from suffice.selection.pool import HeldOut


def held_out(trial: Trial, names: Sequence[str], fitted: Sequence[Any]) -> HeldOut:
    """What models answer for the test rows of each fold, trained on the others.

    fitted : the models, fitted to all rows
    """
    table, folds = trial.table, trial.folds
    parts = []
    for name, model in zip(names, fitted, strict=True):
        try:
            parts.append(np.concatenate(list(_by_fold(trial, model))))
        except SufficeError as error:
            raise type(error)(f"{name}, trained without the rows of a fold: {error}") from None
    tested = np.concatenate([fold.test for fold in folds])
    number = np.repeat(np.arange(len(folds)), [len(fold.test) for fold in folds])
    k = len(table.classes)
    weight = [np.bincount(table.codes[f.train], table.weight[f.train], k) for f in folds]
    shares = np.array([own / own.sum() for own in weight])
    return HeldOut(np.stack(parts), table.codes[tested], table.weight[tested], number, shares)


def _by_fold(trial: Trial, fitted: Any) -> Iterator[Floats]:
    """The log posterior of the test rows of each fold, (rows, k)."""
    tests = (take_rows(trial.table.X, fold.test) for fold in trial.folds)
    trained = _from_statistics if has_statistics(fitted) else _refitted
    for model, rows in zip(trained(trial, fitted), tests, strict=True):
        yield log_probabilities(model, rows)


def has_statistics(model: Any) -> bool:
    """Whether a fitted model is a function of statistics that can be added and subtracted."""
    if not isinstance(model, Learner) or cross_validated(model):
        return False
    return getattr(model, "covariance_estimator", None) is None


def _from_statistics(trial: Trial, fitted: Any) -> Iterator[Any]:
    """The model of the training rows of each fold: no row is read twice."""
    like, settings = fitted._learned.outline, fitted._settings()

    def summarize(at: Indices) -> Any:
        part = trial.table.take(at)
        return fitted._summarize(part.X, part.labels, part.weights, settings, like)

    for statistics, _ in training_statistics(trial.folds, len(trial.table), summarize):
        pupil = clone(fitted)
        yield pupil._hold(pupil._next(statistics, settings, powers=like.powers))


def _refitted(trial: Trial, fitted: Any) -> Iterator[Any]:
    for fold in trial.folds:
        yield fit_quietly(clone(fitted), trial.table.take(fold.train))[0]
