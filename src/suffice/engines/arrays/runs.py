"""Runs: consecutive rows of one class, once rows are in the order of their classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Indices

# Enough rows to be worth storing their sums, few enough to fill the device with runs.
CENTRE_ROWS = 64  # per run of the centred rows


def class_runs(count: Indices, most: int = 512) -> Indices:
    """(m, 3): start, stop and class of each run, classes one after the other.

    >>> class_runs(np.array([3, 1]), most=2).tolist()
    [[0, 2, 0], [2, 3, 0], [3, 4, 1]]
    """
    pieces = -(-count // most)
    owner = np.repeat(np.arange(len(count)), pieces)
    within = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    edges = np.concatenate([[0], np.cumsum(count)])
    start = edges[owner] + within * most
    return np.stack([start, np.minimum(start + most, edges[owner + 1]), owner], axis=1)


@dataclass(frozen=True, slots=True)
class DeviceBatch:
    """Rows that are multiplied together: groups of equal length, padded with zeros."""

    groups: tuple[int, int]  # first, last + 1
    rows: int  # of each group
    runs: tuple[int, int]  # first, last + 1
    adds: bool  # whether the groups had rows before


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """Batches, and for each of their runs: start, stop, class, where it goes, rows to write."""

    batches: tuple[DeviceBatch, ...]
    runs: Indices  # (m, 5)


def pooled_plan(count: Indices, most: int) -> DevicePlan:
    """All rows as one group, at most `most` at a time."""
    total = int(count.sum())
    pieces, batches, first = [], [], 0
    edges = np.concatenate([[0], np.cumsum(count)])
    for low in range(0, total, most):
        high = min(total, low + most)
        inside = np.clip(edges, low, high)
        runs = class_runs(np.diff(inside), CENTRE_ROWS)
        length = runs[:, 1] - runs[:, 0]
        pieces.append(np.column_stack([runs[:, :2] + low, runs[:, 2], runs[:, 0], length]))
        batches.append(DeviceBatch((0, 1), high - low, (first, first + len(runs)), low > 0))
        first += len(runs)
    return DevicePlan(tuple(batches), np.concatenate(pieces))


def separate_plan(count: Indices, most: int) -> DevicePlan:
    """One group per class; classes of about equal size together, large ones in parts."""
    edges = np.concatenate([[0], np.cumsum(count)])
    pieces, batches, first = [], [], 0
    for a, b in _neighbours(count, most):
        longest = int(count[a:b].max())
        for low in range(0, longest, most):
            rows = min(most, longest - low)
            runs = class_runs(np.minimum(count[a:b] - low, rows), CENTRE_ROWS)
            length = runs[:, 1] - runs[:, 0]
            owner = runs[:, 2]
            starts = np.concatenate(
                [[0], np.cumsum(count[a:b] - low)]
            )  # b - a > 1 only for low = 0
            to = owner * rows + runs[:, 0] - starts[owner]
            last = np.append(owner[1:] != owner[:-1], True)
            written = np.where(last, (owner + 1) * rows - to, length)
            source = runs[:, :2] + (edges[a] + low)
            pieces.append(np.column_stack([source, owner + a, to, written]))
            batches.append(DeviceBatch((a, b), rows, (first, first + len(runs)), low > 0))
            first += len(runs)
    return DevicePlan(tuple(batches), np.concatenate(pieces))


def _neighbours(count: Indices, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of classes that fit into `most` rows when padded to the longest of them.

    Padding takes at most a quarter more rows, or a few thousand.
    """
    a, longest, total = 0, 0, 0
    for b, rows in enumerate(count.tolist()):
        padded = max(longest, rows) * (b - a + 1)
        if b > a and (padded > most or padded > 1.25 * (total + rows) + 4096):
            yield a, b
            a, longest, total = b, 0, 0
        longest, total = max(longest, rows), total + rows
    yield a, len(count)
