"""Held out: posteriors of rows that the model was not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.labelled_table import LabelledTable
from suffice.errors import TooFewRows
from suffice.models.gaussian import build
from suffice.models.scoring import posterior
from suffice.models.settings import Settings
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.diagnostic import format_count
from suffice.selection.folds import Fold, training_statistics
from suffice.statistics.summarize import summarize


def held_out_posteriors(
    rows: CompleteRows, settings: dict[str, Settings], n_folds: int = 5
) -> tuple[Indices, dict[str, Floats]]:
    """Rows, and p(y | x) of each under each model fitted without its fold, (m, k).

    Rows of a class are spread evenly over the folds, at random with a fixed seed. The only row
    of a class is never held out.
    """
    table = rows.table
    fold = _assign_folds(table, n_folds)
    tested = np.flatnonzero(fold >= 0)
    k = len(table.classes)
    if k < 2 or not len(tested):
        raise TooFewRows(
            "held-out probabilities need two classes of two rows or more; the "
            f"{format_count(len(table), 'row')} are of {format_count(k, 'class')}."
        )
    out = {name: np.zeros((len(table), k)) for name in settings}

    def summarize_rows(at: Indices) -> Any:
        part = table.take(at)
        return summarize(part.X, part.labels, part.weights)

    folds = [Fold(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]
    folds = [one for one in folds if len(one.test)]
    trained = training_statistics(folds, len(fold), summarize_rows)
    for one, (training, _) in zip(folds, trained, strict=True):
        X = np.asarray(table.X[one.test], np.float64)
        for name, chosen in settings.items():
            out[name][one.test] = posterior(build(training, chosen, None), X)
    return tested, {name: p[tested] for name, p in out.items()}


def _assign_folds(table: LabelledTable, n_folds: int) -> Indices:
    """The fold of each row; -1 for the only row of its class."""
    rng = np.random.default_rng(0)
    fold = np.full(len(table), -1)
    first = 0
    for c in range(len(table.classes)):
        at = table.rows_of(c)
        if len(at) < 2:
            continue
        fold[rng.permutation(at)] = (first + np.arange(len(at))) % n_folds
        first += len(at)
    return fold
