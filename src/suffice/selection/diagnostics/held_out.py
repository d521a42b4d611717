"""Held out: what models say of rows they have not seen, by subtracting folds."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import LostPrecision, TooFewRows
from suffice.models.gaussian import build
from suffice.models.settings import Settings
from suffice.selection.diagnostics.table import Table
from suffice.statistics.statistics import Statistics
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
    for f in np.unique(fold[judged]):
        at = np.flatnonzero(fold == f)
        rows = table.features.take(at)
        training = _without(table, rows, at)
        for name, chosen in settings.items():
            model = build(training, chosen, None)
            out[name][at] = model.answer("posterior", rows)
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


def _without(table: Table, rows: Floats, at: Indices) -> Statistics:
    s = table.statistics
    labels = s.classes[table.codes]
    weights = table.weights
    part = None if weights is None else weights[at]
    gone = cast(Statistics, summarize(rows, labels[at], part))
    try:
        return replace(s, feature_names=None) - gone
    except LostPrecision:
        kept = np.setdiff1d(np.arange(len(labels)), at)
        part = None if weights is None else weights[kept]
        return cast(Statistics, summarize(table.features.take(kept), labels[kept], part))
