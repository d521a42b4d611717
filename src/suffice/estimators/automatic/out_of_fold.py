"""Out of fold: models trained on the rows outside each fold, and what they answer for its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Floats, Indices
from suffice.data.features import as_features
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.table_rows import ReadTable, TableReader
from suffice.data.tables.user_table import take_rows
from suffice.errors import SufficeError
from suffice.estimators.automatic.candidates import fit_quietly, has_statistics, log_probabilities
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.automatic.views import Views
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.models.em.effort import of_other_rows
from suffice.models.scoring import log_posterior
from suffice.selection.folds import Fold, training_shares, training_statistics
from suffice.selection.pool import HeldOut


def outside_folds(
    table: LabelledTable, folds: Sequence[Fold], fitted: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The models by name, trained on the rows outside each fold.

    fitted : the models by name, fitted to all rows
    """
    by_fold: list[dict[str, Any]] = [{} for _ in folds]
    reading = _Reading(table, False)
    for models in _share_statistics(fitted):
        for every, own in zip(by_fold, _trained(folds, reading.by(models), models), strict=True):
            every |= own
    return [{name: every[name] for name in fitted} for every in by_fold]


def held_out(
    trial: Trial, folds: Sequence[Fold], fitted: Mapping[str, Any], roughly: bool = False
) -> HeldOut:
    """What models answer for the test rows of each fold, trained on its others.

    fitted : the models by name, fitted to all rows
    roughly : where values are missing, complete the rows of each fold once for all models
    """
    table = trial.table
    answers: dict[str, Floats] = {}
    others = dict(fitted)
    views = _completed_views(trial, folds, fitted) if roughly else None
    for name, model in fitted.items():
        found = None if views is None else views.log_posteriors(model)
        if found is not None:
            answers[name] = found
            del others[name]
    reading = _Reading(table, trial.reader is None)
    for models in _share_statistics(others):
        answers |= _answers(reading.by(models), folds, models)
    tested = np.concatenate([fold.test for fold in folds])
    number = np.repeat(np.arange(len(folds)), [len(fold.test) for fold in folds])
    shares = training_shares(folds, table.codes, table.weight, len(table.classes))
    parts = np.stack([answers[name] for name in fitted])
    return HeldOut(parts, table.codes[tested], table.weight[tested], number, shares)


def _completed_views(
    trial: Trial, folds: Sequence[Fold], fitted: Mapping[str, Any]
) -> Views | None:
    """Where values are missing, the views that `select_model` scores its candidates by.

    EM for each member in each fold would take many times as long.
    """
    if not any(type(model) in Views.served for model in fitted.values()):
        return None
    views = Views(trial.table, trial.reader, folds, None)
    return views if np.isnan(views.numbers[0]).any() and views.are_small() else None


def _share_statistics(fitted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The models in groups of those that are functions of the same statistics."""
    groups: dict[str, dict[str, Any]] = {}
    for name, model in fitted.items():
        gaussian = has_statistics(model) and isinstance(model, GaussianClassifier)
        key = name
        if gaussian:
            powers = model._powers.table.tobytes() if model._has_powers else None
            key = f"Gaussian {model.columns!r} {powers!r}"
        groups.setdefault(key, {})[name] = model
    return list(groups.values())


def _answers(
    table: LabelledTable, folds: Sequence[Fold], models: Mapping[str, Any]
) -> dict[str, Floats]:
    """The log posteriors of all test rows, (rows, k), by models of the same statistics."""
    by_statistics = _have_statistics(models)
    parts: dict[str, list[Floats]] = {name: [] for name in models}
    for fold, own in zip(folds, _trained(folds, table, models), strict=True):
        rows, first = take_rows(table.X, fold.test), next(iter(own.values()))
        # Models of the same statistics take rows in the same form, which are read once.
        seen = first._rows(rows) if by_statistics else rows
        for name, model in own.items():
            ask = _log_posterior if by_statistics else log_probabilities
            parts[name].append(ask(model, seen))
    return {name: np.concatenate(own) for name, own in parts.items()}


def _log_posterior(model: Any, seen: Any) -> Floats:
    return np.asarray(model._answer_rows(seen, log_posterior))


def _have_statistics(models: Mapping[str, Any]) -> bool:
    return all(map(has_statistics, models.values()))


class _Reading:
    """A table as it is, and as models of statistics read it, which is done once for all folds."""

    def __init__(self, table: LabelledTable, is_numeric: bool) -> None:
        self.table, self.is_numeric = table, is_numeric
        self.ready: list[tuple[TableReader | None, LabelledTable]] = []

    def by(self, models: Mapping[str, Any]) -> LabelledTable:
        """The table in the form that is fastest to divide for these models."""
        if not _have_statistics(models):
            return self.table
        reader = next(iter(models.values()))._learned.outline.reader
        for own, table in self.ready:
            if own == reader:
                return table
        X = self.table.X
        if reader is not None:
            X = ReadTable(reader, reader.read(X))
        elif self.is_numeric:
            features = as_features(X)
            X = features.read(0, features.shape[0])
        self.ready.append((reader, replace(self.table, X=X)))
        return self.ready[-1][1]


def _trained(
    folds: Sequence[Fold], table: LabelledTable, models: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """For each fold, the models of the rows outside it."""
    train = _from_statistics if _have_statistics(models) else _refitted
    try:
        yield from train(folds, table, models)
    except SufficeError as error:
        what = f"{', '.join(models)}, trained without the rows of a fold"
        raise type(error)(f"{what}: {error}") from None


def _from_statistics(
    folds: Sequence[Fold], table: LabelledTable, fitted: Mapping[str, Any]
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

    for statistics, _ in training_statistics(folds, len(table), summarize):
        pupils = {name: clone(model) for name, model in fitted.items()}
        with of_other_rows():
            trained = {
                name: pupil._hold(pupil._next(statistics, settings[name], powers=like.powers))
                for name, pupil in pupils.items()
            }
        yield trained


def _refitted(
    folds: Sequence[Fold], table: LabelledTable, fitted: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for fold in folds:
        part = table.take(fold.train)
        yield {name: fit_quietly(clone(one), part)[0] for name, one in fitted.items()}
