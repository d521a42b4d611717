"""By model: densities of the rows left out, for each kind of model, and which form serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from suffice.data.arrays import Indices
from suffice.data.batches import batches
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import InvalidParameter, TooFewRows
from suffice.models.categorical import Categorical
from suffice.models.discrete import DiscreteModel
from suffice.models.gaussian import GaussianModel, build
from suffice.models.product import Product, ProductModel
from suffice.models.separating import overall_variances
from suffice.models.settings import Settings, coarsen_for
from suffice.models.structures import DiagonalStructure, FullStructure, Structure
from suffice.selection.leave_one_out.closed_form import FullForm
from suffice.selection.leave_one_out.counts import discrete_densities
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.diagonal import DiagonalForm, diagonal_closed_form
from suffice.selection.leave_one_out.full import full_closed_form
from suffice.selection.leave_one_out.removal import check_rows, for_each_block
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.passes.threads import small_matrices
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize_batches


@singledispatch
def left_out_densities(
    model: Any, statistics: Any, likelihood: Any, table: LabelledTable
) -> LeftOutDensities:
    """ln p(x | class) of each row of the table under the model of all other rows."""
    raise InvalidParameter(
        f"a {type(model).__name__} cannot leave out single rows; refit it for each row: "
        "sklearn.model_selection.cross_val_predict(model, X, y, cv=LeaveOneOut())."
    )


@left_out_densities.register
def _(
    model: GaussianModel, statistics: AnyStatistics, likelihood: Settings, table: LabelledTable
) -> LeftOutDensities:
    """In closed form from the statistics of all rows where it can be, else by refits.

    A closed form serves where removal takes one direction from each covariance. A model is built
    for the row where values are missing, where a full covariance is
    shrunk toward its diagonal or a diagonal one by an estimated share, where a class is gone with
    the row or has to borrow a covariance, and where too few digits would be left.
    """
    check_rows(table, statistics)
    n, k = len(table), len(statistics.classes)
    out = LeftOutDensities.empty(n, k, likelihood.inflation)
    with np.errstate(all="ignore"), small_matrices(statistics.n_features):
        form = _closed_form(statistics, replace(likelihood, inflation=1.0), table)
        if form is None:
            out.doubtful[:] = True
        else:
            for_each_block(table, statistics, lambda removal: form.fill(removal, out))
            out.doubtful[form.unserved[table.codes] & (table.weight > 0)] = True
    at = out.unclear
    refit(table, at, statistics.detail, likelihood, out)
    out.doubtful[:] = False
    out.doubtful[at] = True
    return out


@left_out_densities.register
def _(
    model: DiscreteModel, statistics: Counts, likelihood: Categorical, table: LabelledTable
) -> LeftOutDensities:
    return discrete_densities(statistics, likelihood, model, table)


@left_out_densities.register
def _(
    model: ProductModel, statistics: MixedStatistics, likelihood: Product, table: LabelledTable
) -> LeftOutDensities:
    parts = [
        left_out_densities(
            part, statistics.parts[key], likelihood.parts[key].likelihood, replace(table, X=rows)
        )
        for (key, part), rows in zip(model.parts.items(), table.X.parts, strict=True)
    ]
    first, *others = parts
    for other in others:
        first.add(other)
    return first


def _closed_form(
    statistics: AnyStatistics, settings: Settings, table: LabelledTable
) -> FullForm | DiagonalForm | None:
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
    form: FullForm | DiagonalForm | None = _form_of(settings.structure, fitted, settings, table)
    return form


@singledispatch
def _form_of(structure: Structure, fitted: Statistics, settings: Settings, table: Any) -> Any:
    """The closed form of a structure, if it has one; else every row is left out by a refit."""
    return None


@_form_of.register
def _(structure: FullStructure, fitted: Statistics, settings: Settings, table: Any) -> Any:
    return full_closed_form(fitted, settings, table)


@_form_of.register
def _(structure: DiagonalStructure, fitted: Statistics, settings: Settings, table: Any) -> Any:
    return diagonal_closed_form(fitted, settings)


Summarize = Callable[[Indices], AnyStatistics]


def refit(
    table: LabelledTable, at: Indices, detail: str, settings: Settings, out: LeftOutDensities
) -> None:
    """Write ln p(x | class) of some rows, each from a model of the others.

    Classes without a row left have no density there: their prior is zero.
    """

    def summarize_rows(rows: Indices) -> AnyStatistics:
        part = table.take(rows)
        statistics: AnyStatistics = summarize_batches(
            batches(part.X, part.codes, part.weights), detail
        )
        return statistics

    counted = np.flatnonzero(table.weight > 0)
    # Far from zero, fourth-order sums lose digits when they are merged.
    merged = not settings.needs_fourth
    # Up to this many rows are summarized together for each row left out.
    small_part = 32
    small = small_part if merged else len(counted)
    for i, others in _statistics_without(counted, at, summarize_rows, small):
        try:
            model = build(others, settings, "uniform")
        except TooFewRows as error:
            raise TooFewRows(f"without row {i}: {error}") from None
        row = table.X[i : i + 1]
        with np.errstate(all="ignore"):
            scores, joint = model.scores(row)[0], model.joint(row)[0]
        out.relative[i] = 0.0
        out.relative[i, model.classes] = scores + np.log(len(scores))
        out.base[i] = joint[0] - scores[0]


def _statistics_without(
    rows: Indices, at: Indices, summarize_rows: Summarize, small: int
) -> Iterator[tuple[int, AnyStatistics]]:
    """Statistics of all rows but one, for each of the rows in `at`."""
    uncounted = np.setdiff1d(at, rows)
    if len(uncounted):
        whole = summarize_rows(rows)
        yield from ((i, whole) for i in uncounted.tolist())
    at = np.intersect1d(at, rows)
    if len(rows) == 1 and len(at):
        raise TooFewRows(f"row {at[0]} is the only one, so no row is left to learn from.")
    yield from _halve(rows, at, summarize_rows, small)


def _halve(
    rows: Indices,
    at: Indices,
    summarize_rows: Summarize,
    small: int,
    outside: AnyStatistics | None = None,
) -> Iterator[tuple[int, AnyStatistics]]:
    """The same by halves: what lies outside of a half is summarized once for all rows in it.

    Sums of other rows, never differences: so an outlier costs no digits.
    """

    def others(part: Indices) -> AnyStatistics:
        statistics = summarize_rows(part)
        return statistics if outside is None else outside + statistics

    if len(rows) <= small:
        yield from ((i, others(rows[rows != i])) for i in at.tolist())
        return
    middle = len(rows) // 2
    for own, other in ((rows[:middle], rows[middle:]), (rows[middle:], rows[:middle])):
        inside = np.intersect1d(at, own)
        if len(inside):
            yield from _halve(own, inside, summarize_rows, small, others(other))
