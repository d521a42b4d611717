"""Refit: densities of a row under the model of all others, built for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from suffice.data.arrays import Indices
from suffice.data.batches import batches
from suffice.data.labelled_table import LabelledTable
from suffice.errors import TooFewRows
from suffice.models.gaussian import build
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.summarize import summarize_batches

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
    merged = settings.shrinkage != "ledoit-wolf"
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
