"""Exact pass: rows -> integers on a grid -> sums of them, and of their products, by class."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import Batch
from suffice.errors import InvalidWeights
from suffice.statistics.exact.blocks import blocks_for
from suffice.statistics.exact.exact_sums import ExactSums, FloatSums
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.outside import raise_outside
from suffice.statistics.passes.reader import Reader
from suffice.statistics.passes.threads import blas_threads, in_parallel, shares


def exact_sums(batch: Batch, grid: Grid, detail: str) -> ExactSums:
    """The sums of a batch, on a grid with one entry for each feature."""
    reader = Reader.of(batch)
    n, d = reader.shape
    k = len(batch.classes)
    weights = None if batch.weights is None else whole_weights(batch.weights, batch.first_row, grid)
    workers = reader.workers(ExactSums.bytes(k, d, grid.bits, detail))

    def work(start: int, stop: int) -> ExactSums:
        total = FloatSums.empty(k, d, grid, detail, weights is not None)
        blocks = blocks_for(reader, total)
        for block in reader.blocks(start, stop, _most_rows(blocks.step, k, detail)):
            own = None if weights is None else weights[block.first : block.first + len(block.codes)]
            if not blocks.add(block.rows, block.codes, own):
                raise_outside(reader, grid)
        return blocks.exact()

    with blas_threads(max(1, reader.threads // workers)):
        total, *others = in_parallel(work, shares(n, workers))
    for other in others:
        total = total + other
    return total if weights is not None else total.in_weight_units(grid)


def whole_weights(weights: Floats, first_row: int, grid: Grid) -> Indices:
    """The weights of rows in units of weight; an error if one is not a multiple of the unit."""
    scaled = np.ldexp(weights, -grid.weight_exponent)
    row_weight_bits = 24
    bad = (np.rint(scaled) != scaled) | (scaled >= 1 << row_weight_bits)
    if bad.any():
        i = int(bad.argmax())
        most = 2.0**row_weight_bits * grid.weight_unit
        raise InvalidWeights(
            f"row {first_row + i} has weight {weights[i]:.6g}; on this grid weights "
            f"are multiples of {grid.weight_unit:g} below {most:g}. Round them, or make the grid "
            "with another weight_unit, such as weight_unit=2**-10."
        )
    return scaled.astype(np.int64)


def _most_rows(step: int, k: int, detail: str) -> int:
    # Blocks cut from the table at a time; the rows of a class are gathered from them.
    blocks_at_once = 64
    return blocks_at_once * step * (k if detail == "separate" else 1)
