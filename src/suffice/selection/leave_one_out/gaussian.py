"""Gaussian leave-one-out: which closed form serves which rows; the others are refitted."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

import numpy as np

from suffice.data.labelled_table import LabelledTable
from suffice.models.separating import overall_variances
from suffice.models.settings import Settings, coarsen_for
from suffice.models.structures import DiagonalStructure, FullStructure, Structure
from suffice.selection.leave_one_out.closed_form import ClosedForm
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.diagonal import diagonal_closed_form
from suffice.selection.leave_one_out.full import full_closed_form
from suffice.selection.leave_one_out.refit import refit
from suffice.selection.leave_one_out.removal import for_each_block
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.threads import small_matrices


def gaussian_densities(
    statistics: AnyStatistics, settings: Settings, table: LabelledTable
) -> LeftOutDensities:
    """ln p(x | class) of each row under the model of all other rows.

    In closed form from the statistics of all rows where removal takes one direction from each
    covariance. By a model built for the row where values are missing, where a full covariance is
    shrunk toward its diagonal or a diagonal one by an estimated share, where a class is gone with
    the row or has to borrow a covariance, and where too few digits would be left.
    """
    n, k = len(table), len(statistics.classes)
    out = LeftOutDensities.empty(n, k, settings.inflation)
    with np.errstate(all="ignore"), small_matrices(statistics.n_features):
        form = _closed_form(statistics, replace(settings, inflation=1.0), table)
        if form is None:
            out.doubtful[:] = True
        else:
            for_each_block(table, statistics, lambda removal: form.fill(removal, out), form.width)
            out.doubtful[form.unserved[table.codes] & (table.weight > 0)] = True
    at = out.unclear
    refit(table, at, statistics.detail, settings, out)
    out.doubtful[:] = False
    out.doubtful[at] = True
    return out


def _closed_form(
    statistics: AnyStatistics, settings: Settings, table: LabelledTable
) -> ClosedForm | None:
    if not isinstance(statistics, Statistics):
        return None
    # A feature that separates the classes exactly has a floor that changes with every row.
    constant = statistics.squares.sum(axis=0) == 0
    if (overall_variances(statistics)[constant] > 0).any():
        return None
    if float(statistics.weight.sum()) <= settings.ddof * len(statistics.classes):
        return None
    if isinstance(settings.shrinkage, str) and statistics.n_features == 1:
        return None  # with one feature, rounding decides the estimate
    fitted = coarsen_for(statistics, settings)
    assert isinstance(fitted, Statistics)
    return _form_of(settings.structure, fitted, settings, table)


@singledispatch
def _form_of(
    structure: Structure, fitted: Statistics, settings: Settings, table: LabelledTable
) -> ClosedForm | None:
    """The closed form of a structure, if it has one; else every row is left out by a refit."""
    return None


@_form_of.register
def _(
    structure: FullStructure, fitted: Statistics, settings: Settings, table: LabelledTable
) -> ClosedForm | None:
    return full_closed_form(fitted, settings, table)


@_form_of.register
def _(
    structure: DiagonalStructure, fitted: Statistics, settings: Settings, table: LabelledTable
) -> ClosedForm | None:
    return diagonal_closed_form(fitted, settings)
