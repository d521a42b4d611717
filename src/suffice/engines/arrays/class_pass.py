"""The pass over rows in any library of arrays: one class at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows
from suffice.statistics.factored_scatter import FactoredScatter, from_rows

GUESS_ROWS = 4  # rows of each class whose mean is its first origin


@dataclass(frozen=True, slots=True, eq=False)
class DeviceCentres:
    """Class means that rows are centred about, `mean + rest`, and the unit of fourth powers."""

    mean: Any  # (k, d)
    rest: Any  # (k, d): the digits of the mean that one float cannot hold
    unit: float


def first_guess(rows: DeviceRows, coded: Coded) -> Any:
    """An origin for each class, (k, d): the mean of a few rows of it."""
    space, k = rows.space, len(coded.classes)
    steps = coded.count[:, None] * np.arange(GUESS_ROWS) // GUESS_ROWS
    places = space.put((coded.edges[:-1, None] + steps).ravel())
    sample = rows.at(space.take(coded.order, places))
    sample = space.xp.reshape(sample, (k, GUESS_ROWS, rows.shape[1]))
    # About one row of each class, so that a constant feature stays exact.
    return sample[:, 0, :] + space.xp.mean(sample - sample[:, :1, :], axis=1)


def sums(rows: DeviceRows, coded: Coded, origin: Any) -> tuple[Any, Any, Any, Any]:
    """Sums, sums of squares about the origins, min and max, each (k, d)."""
    xp = rows.space.xp
    tables = []
    for c in range(len(coded.classes)):
        parts: tuple[Any, ...] | None = None
        for at in _slices(rows, coded, c):
            x = rows.at(at)
            z, w = x - origin[c, :], _weights(rows, coded, at)
            more = (w @ z, w @ (z * z), xp.min(x, axis=0), xp.max(x, axis=0))
            if parts is not None:
                total, square, low, high = parts
                more = (
                    total + more[0],
                    square + more[1],
                    xp.minimum(low, more[2]),
                    xp.maximum(high, more[3]),
                )
            parts = more
        tables.append(parts)
    total, square, low, high = (xp.stack(list(table)) for table in zip(*tables, strict=True))
    return total, square, low, high


def scatter(
    rows: DeviceRows, coded: Coded, about: DeviceCentres, per_class: bool
) -> tuple[Any, Any]:
    """Outer products by class or pooled, (groups, d, d), and fourth-order sums (k, d + 2)."""
    xp = rows.space.xp
    matrices: dict[int, Any] = {}
    fourths: dict[int, Any] = {}
    for c, z, fourth in _centred(rows, coded, about):
        group = c if per_class else 0
        matrices[group] = matrices.get(group, 0.0) + z.T @ z
        fourths[c] = fourths.get(c, 0.0) + fourth
    return xp.stack([*matrices.values()]), xp.stack([*fourths.values()])


def factor(
    rows: DeviceRows, coded: Coded, about: DeviceCentres, per_class: bool
) -> tuple[FactoredScatter, Any]:
    """The same as a factor, on the host: for few rows it is smaller than the matrices."""
    parts, owners = [], []
    fourths: dict[int, Any] = {}
    for c, z, fourth in _centred(rows, coded, about):
        fourths[c] = fourths.get(c, 0.0) + fourth
        parts.append(rows.space.fetch(z))
        owners.append(np.full(len(parts[-1]), c if per_class else 0))
    groups = len(coded.classes) if per_class else 1
    scatter = from_rows(np.concatenate(parts), np.concatenate(owners), groups, per_class)
    return scatter, rows.space.xp.stack([*fourths.values()])


def _centred(
    rows: DeviceRows, coded: Coded, about: DeviceCentres
) -> Iterator[tuple[int, Any, Any]]:
    """sqrt(w) (x - mean) of some rows of a class; their sums of w|z|²z, w|z|² and w|z|⁴."""
    xp = rows.space.xp
    for c in range(len(coded.classes)):
        for at in _slices(rows, coded, c):
            z = (rows.at(at) - about.mean[c, :]) - about.rest[c, :]
            w = _weights(rows, coded, at)
            size = z / about.unit
            length = xp.sum(size * size, axis=1)
            long = w * length
            sums = xp.stack([xp.sum(long), xp.sum(long * length)])
            if coded.weights is not None:
                z = z * xp.sqrt(w)[:, None]
            yield c, z, xp.concat([long @ size, sums])


def _slices(rows: DeviceRows, coded: Coded, c: int) -> Iterator[Any]:
    start, stop = coded.edges[c : c + 2].tolist()
    step = rows.step(1)
    for low in range(start, stop, step):
        yield coded.order[low : min(stop, low + step)]


def _weights(rows: DeviceRows, coded: Coded, at: Any) -> Any:
    if coded.weights is not None:
        return rows.space.take(coded.weights, at)
    xp = rows.space.xp
    return xp.ones(at.shape[0], dtype=xp.float64, device=rows.space.device)
