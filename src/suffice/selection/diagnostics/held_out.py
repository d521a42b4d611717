"""Held out: what models say of rows they have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import TooFewRows
from suffice.models.gaussian import build
from suffice.models.settings import Settings
from suffice.selection.diagnostics.table import Table
from suffice.selection.folds import Fold, training_statistics
from suffice.statistics.summarize import summarize

FOLDS = 5


def held_out_posteriors(
    table: Table, settings: dict[str, Settings], n_folds: int = FOLDS, seed: int = 0
) -> tuple[Indices, dict[str, Floats]]:
    """Rows, and p(y | x) of each under each model fitted without its fold, (m, k).

    Rows of a class are dealt evenly to the folds, at random but always the same. A class of one
    row is never held out.
    """
    fold = _dealt(table, n_folds, seed)
    judged = np.flatnonzero(fold >= 0)
    k = len(table.statistics.classes)
    if k < 2 or not len(judged):
        raise TooFewRows(
            f"probabilities need two classes of two rows or more; there {'is' if k == 1 else 'are'}"
            f" {k} of {len(table.codes)} rows in all."
        )
    out = {name: np.zeros((len(table.codes), k)) for name in settings}
    folds = [Fold(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]
    folds = [one for one in folds if len(one.test)]
    trained = training_statistics(folds, len(fold), lambda at: _statistics(table, at))
    for one, (training, _) in zip(folds, trained, strict=True):
        rows = table.features.take(one.test)
        for name, chosen in settings.items():
            model = build(training, chosen, None)
            out[name][one.test] = model.answer("posterior", rows)
    return judged, {name: p[judged] for name, p in out.items()}


def _dealt(table: Table, n_folds: int, seed: int) -> Indices:
    """The fold of each row; -1 for the only row of its class."""
    rng = np.random.default_rng(seed)
    fold = np.full(len(table.codes), -1)
    first = 0
    for c in range(len(table.statistics.classes)):
        at = table.rows(c)
        if len(at) < 2:
            continue
        fold[rng.permutation(at)] = (first + np.arange(len(at))) % n_folds
        first += len(at)
    return fold


def _statistics(table: Table, at: Indices) -> Any:
    weights = None if table.weights is None else table.weights[at]
    return summarize(table.features.take(at), table.statistics.classes[table.codes[at]], weights)
