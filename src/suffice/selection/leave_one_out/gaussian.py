"""Gaussian leave-one-out: which closed form serves which rows, and which rows none does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.models.separating import overall_variances, pooled_squares
from suffice.models.settings import Settings, fitting
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.diagonal import diagonal_plans
from suffice.selection.leave_one_out.full import full_plans
from suffice.selection.leave_one_out.plan import Plan
from suffice.selection.leave_one_out.refit import refit
from suffice.selection.leave_one_out.rows import LabelledRows, Removal
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.threads import small_matrices


def gaussian_densities(
    statistics: AnyStatistics, settings: Settings, rows: LabelledRows
) -> LeftOutDensities:
    """ln p(x | class) of each row under the model of all other rows.

    In closed form from the statistics of all rows where removal takes one direction from each
    covariance; by a model built anew where values are missing, where a class is gone with the
    row or has to borrow a covariance, and where too few digits would be left.
    """
    n, k = len(rows), len(statistics.classes)
    out = LeftOutDensities.empty(n, k, settings.inflation)
    with np.errstate(all="ignore"), small_matrices(statistics.n_features):
        plans = _plans(statistics, replace(settings, inflation=1.0), rows)
        if not plans:
            out.doubtful[:] = True
        else:
            assert isinstance(statistics, Statistics)
            _run(plans[0], statistics, rows, out)
            if len(plans) > 1 and len(out.unclear):
                _run_some(plans[1], statistics, rows, out)
            out.doubtful[plans[0].hopeless[rows.codes] & (rows.weight > 0)] = True
    at = out.unclear
    refit(rows, at, statistics.detail, settings, out)
    out.doubtful[:] = False
    out.doubtful[at] = True
    return out


def _run(plan: Plan, statistics: Statistics, rows: LabelledRows, out: LeftOutDensities) -> None:
    def work(removal: Removal) -> None:
        plan.fill(removal, out)

    rows.each(statistics.means, statistics.weight, work, plan.width)


def _run_some(
    plan: Plan, statistics: Statistics, rows: LabelledRows, out: LeftOutDensities
) -> None:
    """The same for the rows that are still unclear."""
    at = out.unclear
    out.doubtful[at] = False
    out.base[at] = 0.0
    plan.fill(Removal(rows, at, statistics.means, statistics.weight), out)


def _plans(statistics: AnyStatistics, settings: Settings, rows: LabelledRows) -> tuple[Plan, ...]:
    """Ways to compute the densities, the fastest first; none where there is no closed form."""
    if not isinstance(statistics, Statistics) or _separates(statistics):
        return ()
    if float(statistics.weight.sum()) <= settings.ddof * len(statistics.classes):
        return ()
    if isinstance(settings.shrinkage, str) and statistics.n_features == 1:
        return ()  # of one feature, rounding decides the estimate
    fitted = fitting(statistics, settings)
    assert isinstance(fitted, Statistics)
    plans = full_plans if settings.structure == "full" else diagonal_plans
    return plans(fitted, settings, rows)


def _separates(statistics: Statistics) -> bool:
    """Whether a feature separates the classes exactly: its floor changes with every row."""
    still = pooled_squares(statistics) == 0
    return bool((overall_variances(statistics)[still] > 0).any())
