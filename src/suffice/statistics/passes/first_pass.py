"""First pass: count, weight, mean, sum of squares and extremes of each class."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidWeights
from suffice.statistics.kernels.sums import ClassSums, run_edges
from suffice.statistics.passes.reader import Reader

# Squares about an origin this many standard deviations off lose a digit, so the sums are
# then taken again about a better one.
FAR = 4.0


def class_sums(reader: Reader) -> tuple[ClassSums, Floats]:
    """Sums by class, and the origins near the class means that they are taken about."""
    origin = _first_guess(reader)
    while True:
        with np.errstate(all="ignore"):
            sums = sums_about(reader, origin)
            k = len(reader.batch.classes)
            if not np.isfinite(sums.weight[:k].sum()):
                raise InvalidWeights("sample_weight is too large to be added up; rescale it.")
            if not (np.isfinite(sums.sum[:k]).all() and np.isfinite(sums.square[:k]).all()):
                raise reader.not_finite()
            offset = sums.sum / np.where(sums.weight, sums.weight, 1.0)[:, None]
            beyond = offset * sums.sum
            far = beyond > FAR**2 * np.maximum(sums.square - beyond, 0.0)
            better = origin + offset
        # Never E[xx'] - mm' about a distant point: the difference would lose every digit.
        if not (far & (better != origin))[:k].any():
            return sums, origin
        origin = better


def sampled_rows(reader: Reader) -> Indices:
    """Evenly spaced rows from which the class means are guessed."""
    n, d = reader.shape
    sample_share = 16  # at most one row in 16
    sample_entries = 1 << 20  # at most what a cache holds
    # The first guess of the class means comes from a sample: about eight rows per class.
    size = min(8 * reader.batch.n_codes, n // sample_share, sample_entries // d)
    size = min(n, max(256, size))
    return np.linspace(0, n - 1, size).astype(np.int64)


def _first_guess(reader: Reader) -> Floats:
    batch, (n, d) = reader.batch, reader.shape
    rows = sampled_rows(reader)
    codes = batch.codes[rows]
    missing = np.ones(batch.n_codes, bool)
    missing[codes] = False
    if missing.any():
        first = np.full(batch.n_codes, -1)
        first[batch.codes[::-1]] = np.arange(n)[::-1]
        extra = first[missing & (first >= 0)]
        rows, codes = np.r_[rows, extra], np.r_[codes, batch.codes[extra]]
    order = np.argsort(codes, kind="stable")
    sample, codes = batch.features.take(rows[order]), codes[order]
    edges = run_edges(codes)
    starts, counts = edges[:-1], np.diff(edges)
    origin = np.zeros((batch.n_codes, d))
    with np.errstate(all="ignore"):
        # About the first row of each class, so that a constant feature stays exact.
        base = sample[starts]
        steps = np.add.reduceat(sample - np.repeat(base, counts, axis=0), starts)
        guess = base + steps / counts[:, None]
    origin[codes[starts]] = np.where(np.isfinite(guess), guess, 0.0)
    return origin


def sums_about(reader: Reader, origin: Floats, has_gaps: bool = False) -> ClassSums:
    """Sums by class about an origin for each class, (k, d); a missing value adds nothing."""
    k, d = origin.shape
    most_rows = (1 << 20) // d if has_gaps else None

    def work(start: int, stop: int) -> ClassSums:
        out = ClassSums.empty(k, d)
        for block in reader.blocks(start, stop, most_rows):
            rows, codes = block.rows, block.codes
            if has_gaps:
                rows = np.where(np.isnan(rows), origin[codes], rows)
            reader.kernels.class_sums(rows, codes, block.weights, origin, out)
        return out

    total = reader.add_up(work, reader.workers(4 * 8 * k * d))
    if not len(reader.weights):
        total.weight[:] = total.count
    return total
