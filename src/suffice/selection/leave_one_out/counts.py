"""Counts: probabilities of levels without one row, from counts less one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.levels import MISSING, UNSEEN
from suffice.errors import NeverIncluded, TooFewRows
from suffice.models.categorical import Categorical
from suffice.models.discrete import DiscreteModel
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.removal import check_weights
from suffice.statistics.counts import Counts
from suffice.statistics.level_table import LevelTable
from suffice.text import shown


def discrete_densities(
    counts: Counts, likelihood: Categorical, model: DiscreteModel, rows: LabelledTable
) -> LeftOutDensities:
    """ln P(x | class) of each row of level codes under the model of all other rows.

    Only probabilities in the row's own class change. Where a level or a class is gone with the
    row, or where the counts determine the smoothing, a model is built for the row.
    """
    tables = [
        table.spread(slice(None), len(table.rows), feature.levels)
        for table, feature in zip(counts.tables, model.features, strict=True)
    ]
    _check(counts, tables, rows)
    n = len(rows)
    out = LeftOutDensities(model.log_likelihood(rows.X), np.zeros(n), np.zeros(n, bool))
    alpha = likelihood.given_alphas(len(tables))
    own = np.zeros(n)
    counted = rows.weight > 0
    out.doubtful[counted & ((counts.count[rows.codes] == 1) | np.isnan(alpha).any())] = True
    for j, table in enumerate(tables):
        at = np.flatnonzero((rows.X[:, j] != MISSING) & counted)
        x, c, w = rows.X[at, j], rows.codes[at], rows.weight[at]
        # Nothing is left of a level's only row, whatever rounding says.
        left = np.where(table.rows[c, x] == 1, 0.0, table.weight[c, x] - w)
        total = table.weight.sum(axis=1)[c] - w + alpha[j] * len(table.levels)
        with np.errstate(divide="ignore", invalid="ignore"):
            own[at] += np.log(left + alpha[j]) - np.log(total)
        out.doubtful[at] |= (table.rows.sum(axis=0)[x] == 1) | (table.rows.sum(axis=1)[c] == 1)
    at = np.flatnonzero(counted)
    out.relative[at, rows.codes[at]] = own[at]
    _refit(counts, tables, likelihood, rows, out)
    return out


def _check(counts: Counts, tables: list[LevelTable], rows: LabelledTable) -> None:
    """Raise unless the counts are of these rows."""
    check_weights(rows, counts.count, counts.weight)
    counted = rows.weight > 0
    for j, table in enumerate(tables):
        x, c = rows.X[counted, j], rows.codes[counted]
        known = x != MISSING
        inside = x[known] < len(table.levels)
        totals = np.zeros_like(table.rows)
        if inside.all() and (x[known] >= 0).all():
            np.add.at(totals, (c[known], x[known]), 1)
        if not np.array_equal(totals, table.rows):
            name = j if counts.feature_names is None else counts.feature_names[j]
            raise NeverIncluded(
                f"feature {shown(name)} has other levels in these rows than in those that the "
                "model was trained on; leave-one-out needs all of the training rows and no others."
            )


def _refit(
    counts: Counts,
    tables: list[LevelTable],
    likelihood: Categorical,
    rows: LabelledTable,
    out: LeftOutDensities,
) -> None:
    """Write ln P(x | class) of the doubtful rows, each from a model of the others."""
    for i in np.flatnonzero(out.doubtful).tolist():
        codes, c, w = rows.X[i], int(rows.codes[i]), float(rows.weight[i])
        count, weight = counts.count.copy(), counts.weight.copy()
        count[c] -= 1
        weight[c] -= w
        kept = np.flatnonzero(count > 0)
        if not len(kept):
            raise TooFewRows(f"row {i} is the only one, so no row is left to learn from.")
        pairs = zip(tables, codes.tolist(), strict=True)
        left = [_without(table, x, c, w, kept) for table, x in pairs]
        rest = Counts(counts.classes[kept], count[kept], weight[kept], tuple(left))
        model = likelihood.build(rest, "uniform")
        again = np.array([[_code(tables, model, codes, j) for j in range(len(tables))]])
        out.relative[i] = 0.0
        out.relative[i, kept] = model.log_likelihood(again)[0]


def _without(table: LevelTable, x: int, c: int, w: float, kept: Indices) -> LevelTable:
    rows, weight = table.rows.copy(), table.weight.copy()
    if x != MISSING:
        rows[c, x] -= 1
        weight[c, x] -= w
    return replace(table, rows=rows, weight=weight).keep_classes(kept)


def _code(tables: list[LevelTable], model: DiscreteModel, codes: Array, j: int) -> int:
    """The code of a level in the model of the other rows."""
    if codes[j] == MISSING:
        return MISSING
    level, levels = tables[j].levels[codes[j]], model.features[j].levels
    at = int(np.searchsorted(levels, level)) if len(levels) else 0
    return at if at < len(levels) and levels[at] == level else UNSEEN
