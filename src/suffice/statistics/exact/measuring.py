"""Measuring: mean, standard deviation and reach of each feature, from which a grid is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import split_target
from suffice.data.engine import engine_of
from suffice.data.feature_rows import ArrayFeatures, Features
from suffice.data.features import as_features, infinite
from suffice.data.sources.object_source import is_stream
from suffice.data.sources.paths import is_paths
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, InvalidParameter

BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True, slots=True)
class Measured:
    """Where the values of each feature lie, (d,) each."""

    mean: Floats
    deviation: Floats
    reach: Floats  # largest distance of a value from the mean; zero where it is not known
    names: tuple[str, ...] | None

    @property
    def deviation_exponent(self) -> Indices:
        """The standard deviations, as powers of two."""
        usual = np.where(self.deviation > 0, self.deviation, np.maximum(np.abs(self.mean), 1.0))
        return np.asarray(np.frexp(usual)[1].astype(np.int64) - 1)

    def range(self, margin: float) -> tuple[Floats, Floats]:
        """Low and high: a centre, and a power of two on either side of it.

        Few bits of the rows enter: the half-width is a power of two, and the centre a multiple of
        the smallest power of two above the standard deviation / 2.
        """
        usual = np.ldexp(1.0, self.deviation_exponent)
        wanted = np.maximum(margin * usual, 2 * self.reach)
        half = np.ldexp(1.0, np.ceil(np.log2(wanted)).astype(np.int64))
        step = usual / 2
        centre = np.rint(self.mean / step) * step
        return centre - half, centre + half


def measure(rows: Any, target: str | None, columns: Any = None) -> Measured:
    """The measures of the numeric features of rows, statistics or files."""
    every = getattr(rows, "every", None)
    if every is not None:  # of a table with levels
        numbers = rows.reader.numeric_names
        _check_numbers(numbers)
        every = every.select(numbers)
    known = rows if every is None else every
    if hasattr(known, "known_weight") or hasattr(known, "numbers"):
        return _of_statistics(getattr(known, "numbers", known))
    if is_paths(rows) or is_stream(rows) or engine_of(rows) is not None:
        from suffice.statistics.summarize import summarize

        if target is None:
            raise InvalidParameter(
                "rows that are read in parts have their labels in a column: name it with target=."
            )
        return measure(summarize(rows, detail="diagonal", target=target, columns=columns), None)
    if target is not None:
        rows, _ = split_target(rows, None, target)
    reader = TableReader.of(rows, columns)
    if reader is None:
        return _of_rows(as_features(rows))
    _check_numbers(reader.numeric_names)
    return _of_rows(ArrayFeatures(reader.read(rows).numbers, reader.numeric_names))


def _check_numbers(names: tuple[str, ...]) -> None:
    if not names:
        raise InvalidFeatures(
            "no column holds numbers, so there is nothing to measure; levels (categories) are "
            "exact on any grid, such as sf.Grid(0, 1)."
        )


def _of_statistics(s: Any) -> Measured:
    if not hasattr(type(s), "squares"):
        raise InvalidParameter(f"a grid is made of statistics of numbers, not {type(s).__name__}.")
    weight = np.broadcast_to(s.known_weight, s.mean.shape)
    total = weight.sum(axis=0)
    safe = np.where(total > 0, total, 1.0)
    mean = (weight * s.mean).sum(axis=0) / safe
    own = s if s.detail == "diagonal" or hasattr(s, "spread") else s.coarsen("diagonal")
    between = (weight * (s.mean - mean) ** 2).sum(axis=0)
    squares = np.asarray(own.squares).sum(axis=0)
    deviation = np.sqrt((squares + between) / safe)
    return Measured(mean, deviation, np.zeros_like(mean), s.feature_names)


def _of_rows(features: Features) -> Measured:
    n, d = features.shape
    step = max(1, BLOCK_ENTRIES // d)
    blocks = [(low, min(n, low + step)) for low in range(0, n, step)]
    count, total = np.zeros(d), np.zeros(d)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for a, b in blocks:
        rows = features.read(a, b).astype(np.float64)
        error = infinite(rows, a, features.names)
        if error is not None:
            raise error
        known = ~np.isnan(rows)
        count += known.sum(axis=0)
        total += np.where(known, rows, 0.0).sum(axis=0)
        low = np.fmin(low, np.where(known, rows, np.inf).min(axis=0))
        high = np.fmax(high, np.where(known, rows, -np.inf).max(axis=0))
    if not count.all():
        j = int(count.argmin())
        name = j if features.names is None else repr(features.names[j])
        raise InvalidFeatures(f"column {name} has no value to make a grid from; declare its range.")
    mean, squares = total / count, np.zeros(d)
    for a, b in blocks:
        squares += np.nansum((features.read(a, b).astype(np.float64) - mean) ** 2, axis=0)
    reach = np.maximum(high - mean, mean - low)
    return Measured(mean, np.sqrt(squares / count), reach, features.names)
