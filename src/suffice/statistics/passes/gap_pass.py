"""Gap pass: statistics of rows in which some values are missing (NaN)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import Batch
from suffice.data.feature_rows import ArrayFeatures
from suffice.data.gaps import Gaps
from suffice.statistics.by_feature import ByFeature, presence
from suffice.statistics.by_pattern import ByPattern, key_of
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics, simplify
from suffice.statistics.kernels.sums import ClassSums
from suffice.statistics.numbers import DoubleDouble, two_sum
from suffice.statistics.passes.first_pass import FAR, sampled_rows, sums_about
from suffice.statistics.passes.reader import Reader, are_lost, check_weights, vanished
from suffice.statistics.scatter import DiagonalScatter
from suffice.statistics.statistics import Statistics

# Rows are sorted by pattern of missing values in blocks of at most this size.
BLOCK_BYTES = 64 << 20


def with_gaps(
    batch: Batch, detail: str, complete: Callable[[Batch, str], Statistics]
) -> AnyStatistics:
    """Statistics of a batch with missing values; `complete` makes those of complete rows."""
    counted = batch.codes < len(batch.classes)
    present, codes = np.unique(batch.codes[counted], return_inverse=True)
    classes = batch.classes[present]
    count = np.bincount(codes, minlength=len(classes))
    weights = None if batch.weights is None else batch.weights[counted]
    weight = np.bincount(codes, weights, len(classes)).astype(np.float64)
    check_weights(classes, weight)
    rows = presence(classes, count, weight)
    parts: ByPattern | ByFeature
    if detail == "diagonal":
        parts = _by_feature(batch, present)
    else:
        parts = _by_pattern(batch, detail, complete)
    return simplify(IncompleteStatistics(rows, parts, batch.features.names))


def _by_pattern(
    batch: Batch, detail: str, complete: Callable[[Batch, str], Statistics]
) -> ByPattern:
    parts: dict[bytes, Statistics] = {}
    for observed, rows in rows_by_pattern(batch):
        key, part = key_of(observed), complete(rows, detail)
        parts[key] = parts[key] + part if key in parts else part
    ordered = {key: parts[key] for key in sorted(parts)}
    return ByPattern(ordered, batch.features.shape[1], detail)


def rows_by_pattern(batch: Batch) -> Iterator[tuple[Array, Batch]]:
    """The observed features (d,) of each pattern, and its rows with these; in blocks of rows."""
    n, d = batch.features.shape
    step = max(1, BLOCK_BYTES // (8 * d)) if d else n
    for low in range(0, n, step):
        high = min(n, low + step)
        counted = np.flatnonzero(batch.codes[low:high] < len(batch.classes))
        rows = batch.features.read(low, high)
        order, gaps = Gaps.sorted(np.isnan(rows[counted] if len(counted) < len(rows) else rows))
        order = counted[order]
        for pattern, (_, run) in zip(gaps.patterns, gaps, strict=True):
            if not pattern.all():
                yield ~pattern, _part(batch, rows, low, order[run], np.flatnonzero(~pattern))


def _part(batch: Batch, rows: Array, low: int, at: Indices, observed: Indices) -> Batch:
    """The rows at some positions of a block, with the features observed in them."""
    table = rows[at] if len(observed) == rows.shape[1] else rows[at][:, observed]
    weights = None if batch.weights is None else batch.weights[low + at]
    return replace(
        batch,
        features=ArrayFeatures(np.ascontiguousarray(table), _names(batch, observed)),
        codes=batch.codes[low + at],
        weights=weights,
        ignores_rows=False,
    )


def _names(batch: Batch, observed: Indices) -> tuple[str, ...]:
    """The names of some features, or their positions."""
    names = batch.features.names
    return tuple(str(j) if names is None else names[j] for j in observed.tolist())


def _by_feature(batch: Batch, present: Indices) -> ByFeature:
    if not batch.features.shape[1]:
        return ByFeature.empty(batch.classes[present], 0)
    reader = Reader.of(batch)
    k, d = len(batch.classes), reader.shape[1]
    sums, observed, weight, origin = _sums(reader)
    at = np.ix_(present, np.arange(d))
    cells = np.flatnonzero(observed[at].ravel() > 0)

    def column(values: Floats) -> Floats:
        return np.asarray(values[:k][at].reshape(-1, 1)[cells])

    count, weights = observed[at].ravel()[cells], weight[at].ravel()[cells]
    offset = column(sums.sum) / weights[:, None]
    squares = column(sums.square) - offset * column(sums.sum)
    low, high = column(sums.low), column(sums.high)
    lost = np.flatnonzero((low < high) & are_lost(squares, count[:, None]))
    if len(lost):
        raise vanished(int(cells[lost[0]] % d), batch.features.names)
    statistics = Statistics(
        cells,
        count,
        weights,
        DoubleDouble(*two_sum(column(origin), offset)),
        DiagonalScatter(DoubleDouble(np.where(low == high, 0.0, squares))),
        None,
    )
    return ByFeature(statistics, batch.classes[present], d)


def _sums(reader: Reader) -> tuple[ClassSums, Indices, Floats, Floats]:
    """Sums of the observed values about origins, their number, their weight, and the origins."""
    k = len(reader.batch.classes)
    observed, weight = _observed_counts(reader)
    origin = _first_guess(reader, observed)
    while True:
        with np.errstate(all="ignore"):
            sums = sums_about(reader, origin, has_gaps=True)
            if not (np.isfinite(sums.sum[:k]).all() and np.isfinite(sums.square[:k]).all()):
                raise reader.too_large()
            offset = sums.sum[:k] / np.where(weight > 0, weight, 1.0)
            beyond = offset * sums.sum[:k]
            far = beyond > FAR**2 * np.maximum(sums.square[:k] - beyond, 0.0)
        # Missing values are filled with the origin, which must lie between observed values:
        # otherwise a constant feature would seem to vary.
        better = origin.copy()
        better[:k] = np.clip(origin[:k] + offset, sums.low[:k], sums.high[:k])
        if not (far & (observed > 0) & (better != origin)[:k]).any():
            return sums, observed, weight, origin
        origin = np.where(np.isfinite(better), better, origin)


def _observed_counts(reader: Reader) -> tuple[Indices, Floats]:
    """Number of observed values and their weight, (k, d) each."""
    k, d = len(reader.batch.classes), reader.shape[1]
    size = reader.batch.n_codes * d
    rows_of = np.bincount(reader.batch.codes, minlength=reader.batch.n_codes)
    observed = np.repeat(rows_of, d)
    weight = np.zeros(size)
    for block in reader.blocks(0, reader.shape[0], BLOCK_BYTES // (8 * d)):
        missing = np.isnan(block.rows)
        rows, features = np.nonzero(missing)
        observed -= np.bincount(block.codes[rows] * d + features, minlength=size)
        if len(block.weights):
            rows, features = np.nonzero(~missing)
            cell = block.codes[rows] * d + features
            weight += np.bincount(cell, block.weights[rows], size)
    observed, weight = observed.reshape(-1, d)[:k], weight.reshape(-1, d)[:k]
    return observed, weight if len(reader.weights) else observed.astype(np.float64)


def _first_guess(reader: Reader, observed: Indices) -> Floats:
    """Means of the observed values of a few rows, or else the first observed value."""
    batch, d = reader.batch, reader.shape[1]
    rows = sampled_rows(reader)
    sample, codes = batch.features.take(rows), batch.codes[rows]
    origin, guessed = np.zeros((batch.n_codes, d)), np.zeros((batch.n_codes, d), bool)
    for c in np.unique(codes[codes < len(batch.classes)]).tolist():
        values = sample[codes == c]
        ok = ~np.isnan(values)
        guessed[c] = ok.any(axis=0)
        first = values[ok.argmax(axis=0), np.arange(d)]
        steps = np.where(ok, values - first, 0.0).sum(axis=0)
        with np.errstate(all="ignore"):
            mean = first + steps / np.maximum(ok.sum(axis=0), 1)
            low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        origin[c] = np.where(guessed[c], np.clip(mean, low, high), 0.0)
    wanted = ~guessed
    wanted[: len(observed)] &= observed > 0
    wanted[len(observed) :] = False
    return _with_first_values(reader, origin, wanted) if wanted.any() else origin


def _with_first_values(reader: Reader, origin: Floats, wanted: Array) -> Floats:
    """The origins, with the first observed value of the class where wanted."""
    for block in reader.blocks(0, reader.shape[0], BLOCK_BYTES // (8 * reader.shape[1])):
        rows, features = np.nonzero(wanted[block.codes] & ~np.isnan(block.rows))
        rows, features = (
            rows[::-1],
            features[::-1],
        )  # reversed, so that the first of several values is kept
        cells = block.codes[rows], features
        origin[cells] = block.rows[rows, features]
        wanted[cells] = False
    return origin
