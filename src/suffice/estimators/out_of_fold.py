"""Out of fold: log posteriors of rows by models that were trained on the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Floats, Indices
from suffice.data.features import as_features
from suffice.data.labelled_table import LabelledTable, take_rows
from suffice.errors import SufficeError
from suffice.estimators.candidates import fit_quietly, has_statistics, log_probabilities
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.trial import Trial
from suffice.models.scoring import log_posterior
from suffice.selection.folds import training_shares, training_statistics
from suffice.selection.pool import HeldOut


def held_out(trial: Trial, fitted: Mapping[str, Any]) -> HeldOut:
    """What models answer for the test rows of each fold, trained on the others.

    fitted : the models by name, fitted to all rows
    """
    table, folds = trial.table, trial.folds
    answers: dict[str, Floats] = {}
    for names in _share_statistics(fitted):
        answers |= _answers(trial, {name: fitted[name] for name in names})
    tested = np.concatenate([fold.test for fold in folds])
    number = np.repeat(np.arange(len(folds)), [len(fold.test) for fold in folds])
    k = len(table.classes)
    shares = training_shares(folds, table.codes, table.weight, k)
    parts = np.stack([answers[name] for name in fitted])
    return HeldOut(parts, table.codes[tested], table.weight[tested], number, shares)


def _share_statistics(fitted: Mapping[str, Any]) -> list[list[str]]:
    """The names of models in groups of those that are functions of the same statistics."""
    groups: dict[str, list[str]] = {}
    for name, model in fitted.items():
        gaussian = has_statistics(model) and isinstance(model, GaussianClassifier)
        shares = gaussian and not model._has_powers
        groups.setdefault(f"Gaussian {model.columns!r}" if shares else name, []).append(name)
    return list(groups.values())


def _answers(trial: Trial, models: Mapping[str, Any]) -> dict[str, Floats]:
    """The log posteriors of all test rows, (rows, k), by models of the same statistics."""
    by_statistics = all(map(has_statistics, models.values()))
    table = _as_numbers(trial) if by_statistics else trial.table
    trained = _from_statistics if by_statistics else _refitted
    parts: dict[str, list[Floats]] = {name: [] for name in models}
    try:
        for fold, own in zip(trial.folds, trained(trial, table, models), strict=True):
            rows, first = take_rows(table.X, fold.test), next(iter(own.values()))
            # Models of the same statistics take rows in the same form, which are read once.
            seen = first._rows(rows) if by_statistics else rows
            for name, model in own.items():
                ask = _log_posterior if by_statistics else log_probabilities
                parts[name].append(ask(model, seen))
    except SufficeError as error:
        what = f"{', '.join(models)}, trained without the rows of a fold"
        raise type(error)(f"{what}: {error}") from None
    return {name: np.concatenate(own) for name, own in parts.items()}


def _log_posterior(model: Any, seen: Any) -> Floats:
    return np.asarray(model._answer_rows(seen, log_posterior))


def _as_numbers(trial: Trial) -> LabelledTable:
    """The table with its rows as one array, which is faster to divide than a data frame."""
    if trial.reader is not None:
        return trial.table
    features = as_features(trial.table.X)
    return replace(trial.table, X=features.read(0, features.shape[0]))


def _from_statistics(
    trial: Trial, table: LabelledTable, fitted: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Models of the training rows of each fold: no row is read twice."""
    settings = {name: model._settings() for name, model in fitted.items()}
    name, first = next(iter(fitted.items()))
    like = first._learned.outline
    if len({one.detail for one in settings.values()}) > 1:
        like = replace(like, detail="separate")  # which suits every model

    def summarize(at: Indices) -> Any:
        part = table.take(at)
        return first._summarize(part.X, part.labels, part.weights, settings[name], like)

    for statistics, _ in training_statistics(trial.folds, len(table), summarize):
        pupils = {name: clone(model) for name, model in fitted.items()}
        yield {
            name: pupil._hold(pupil._next(statistics, settings[name], powers=like.powers))
            for name, pupil in pupils.items()
        }


def _refitted(
    trial: Trial, table: LabelledTable, fitted: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for fold in trial.folds:
        part = table.take(fold.train)
        yield {name: fit_quietly(clone(one), part)[0] for name, one in fitted.items()}
