"""Exact gaps: rows with missing values -> exact statistics by pattern, or by feature."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from suffice.data.batches import Batch
from suffice.errors import HasGaps, NotFinite, OutsideGrid
from suffice.statistics.by_pattern import key_of
from suffice.statistics.exact.exact_incomplete import (
    AnyExact,
    ExactIncomplete,
    by_feature,
    gather,
    simplify,
)
from suffice.statistics.exact.exact_pass import whole_weights
from suffice.statistics.exact.exact_statistics import ExactStatistics, exact_statistics
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.outside import raise_outside
from suffice.statistics.passes.gap_pass import rows_by_pattern
from suffice.statistics.passes.reader import Reader


def on_grid(batch: Batch, form: ExactForm) -> AnyExact:
    """The exact statistics of a batch, whether or not values are missing."""
    width = batch.features.shape[1]
    try:
        if width:
            return exact_statistics(batch, form.detail, form.grid, form.fourth)
    except HasGaps:
        pass
    own = form.grid.resolve(batch.features.names, width)
    return _with_gaps(batch, form.detail, own, form.fourth)


def _with_gaps(batch: Batch, detail: str, grid: Grid, fourth: bool) -> AnyExact:
    k = len(batch.classes)
    counted = batch.codes < k
    count = np.bincount(batch.codes[counted], minlength=k)
    if batch.weights is None:
        weights = count << max(0, -grid.weight_exponent)
    else:
        whole = whole_weights(batch.weights, batch.first_row, grid)
        weights = np.zeros(k, np.int64)
        np.add.at(weights, batch.codes[counted], whole[counted])
    present = np.flatnonzero(count > 0)
    parts = gather(_patterns(batch, detail, grid, fourth))
    names = batch.features.names
    return simplify(
        ExactIncomplete(
            batch.classes[present], count[present], weights[present], parts, detail, grid, names
        )
    )


def _patterns(
    batch: Batch, detail: str, grid: Grid, fourth: bool
) -> Iterator[tuple[bytes, ExactStatistics]]:
    for observed, rows in rows_by_pattern(batch):
        own = np.flatnonzero(observed)
        part_grid = grid.take(own)
        try:
            part = exact_statistics(rows, detail, part_grid, fourth).named(part_grid.names)
        except (OutsideGrid, NotFinite):
            # Its row and column are those of the pattern, not of the table.
            raise_outside(Reader.of(batch), grid, allow_gaps=True)
        if detail == "diagonal":
            yield from by_feature(part, own, len(observed))
        else:
            yield key_of(observed), part
