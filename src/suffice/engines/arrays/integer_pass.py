"""The exact pass over rows on CUDA: 8-bit digits, multiplied on tensor cores.

Rows are taken in the order of their classes. Each group (a class, or all of them) is padded with
zeros to whole steps of the loops, and cut into parts whose products of digits fit in int32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.engines.arrays import fused_pass
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.digit_loops import add_squares, write_digits
from suffice.engines.arrays.product_loops import combine, multiply
from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.runs import class_runs
from suffice.engines.arrays.tiles import TileSizes
from suffice.statistics.exact.exact_sums import SUM_LIMBS, n_products, product_limbs
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import Integers

ALIGNED = 64  # rows: the digits of a group start at multiples of it, with zeros between groups
RUN_ROWS = 1024  # rows whose digits are computed by one program of the device


class HeldIntegers(Integers):
    """Integers on a device, fetched when the host needs them."""

    def __init__(self, shape: tuple[int, ...], fetch: Callable[[], Indices]) -> None:
        self.__dict__.update(_shape=shape, _fetch=fetch)

    @cached_property
    def limbs(self) -> Indices:
        """The limbs on the host; those on the device are released."""
        return self.__dict__.pop("_fetch")()  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return Integers, (self.limbs,)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.__dict__["_shape"]  # type: ignore[no-any-return]

    def stored(self, exact: bool) -> Integers:
        """The form in which a file holds them: on the host."""
        return Integers(self.limbs)


@dataclass(frozen=True, slots=True)
class DigitBatch:
    """Rows whose digits are computed together: runs, parts, and the group of each part."""

    length: int  # rows, with padding
    runs: Indices  # (m, 5): start, stop, class, where the run goes, rows to write
    parts: Indices  # (p, 2): start, steps
    owner: Indices  # (p,): in ascending order


def serves(
    rows: DeviceRows, coded: Coded, grid: Grid, most_features: int = 8192, most_rows: int = 1 << 27
) -> bool:
    """Whether these rows go through the integer loops.

    most_rows : sums of squares of more rows would not fit into three words of 32 bits
    """
    largest = 1 << 50  # in units of the grid: values are rounded by adding 1.5 * 2^52
    n, d = rows.shape
    fits = np.abs(grid.anchor).max() + grid.reach.max() < largest
    here = fused_pass.serves(rows.space, 1) and d <= most_features and n < most_rows
    return bool(here and fits and coded.weights is None)


def n_digits(grid: Grid) -> int:
    """Number of digits from -128 to 127 that hold the integers of a grid.

    >>> n_digits(Grid(-8, 8, bits=32))
    4
    """
    number, reach = 1, int(grid.reach.max())
    while reach > 127 * ((256**number - 1) // 255):
        number += 1
    return number


def integer_sums(
    rows: DeviceRows, coded: Coded, grid: Grid, detail: str, sizes: TileSizes | None = None
) -> tuple[Integers, Integers] | None:
    """Sums and products of the integers of rows; None if a value is not on the grid."""
    import torch

    X, space = fused_pass.by_row(rows), rows.space
    d, k, number = rows.shape[1], len(coded.classes), n_digits(grid)
    kind: dict[str, Any] = {"dtype": torch.int64, "device": space.device}
    bad = torch.zeros(1, dtype=torch.int32, device=space.device)
    sums = torch.zeros((8 if detail == "diagonal" else 2, k, d), **kind)
    arrays = (grid.scale, grid.anchor, grid.lowest, grid.highest, grid.power_of_ten)
    on_grid = (space.put(np.stack(arrays).astype(np.float64)), grid.is_decimal)
    if detail == "diagonal":
        runs = space.put(class_runs(coded.count, RUN_ROWS))
        add_squares(X, coded.order, runs, *on_grid, sums, bad)
        limbs = None
    else:
        groups = 1 if detail == "shared" else k
        shape = (product_limbs(grid.bits), groups, n_products(d, detail))
        limbs = torch.zeros(shape, **kind)
        sizes = sizes or (TileSizes(64, 64) if d <= 64 else TileSizes())
        _add_products(X, coded, on_grid, number, sizes, (limbs, sums, bad))
    if int(bad):
        return None
    split = (0, 24 if limbs is None else 16)
    totals = HeldIntegers((k, d), lambda: _joined(space.fetch(sums[:2]), split, SUM_LIMBS))
    if limbs is not None:
        return totals, HeldIntegers(tuple(limbs.shape[1:]), lambda: space.fetch(limbs))
    powers, size = (0, 32, 25, 57, 48, 80), product_limbs(grid.bits)
    return totals, HeldIntegers((k, d), lambda: _joined(space.fetch(sums[2:]), powers, size))


def _add_products(
    X: Any,
    coded: Coded,
    on_grid: tuple[Any, bool],
    number: int,
    sizes: TileSizes,
    out: tuple[Any, Any, Any],
) -> None:
    import torch

    limbs, sums, bad = out
    d, step = X.shape[1], max(sizes.rows, sizes.columns)
    padded = -(-d // step) * step
    digit_bytes = 1 << 30  # size of the digits that are computed together
    most = max(ALIGNED, digit_bytes // (number * padded) // ALIGNED * ALIGNED)
    plan = batches(coded.count, most, number, sizes.depth, limbs.shape[1] > 1)
    product_bytes = 2 << 30  # size of the products of digits that are kept together
    at_once = max(1, product_bytes // (4 * (2 * number - 1) * padded**2))
    tiles = torch.from_numpy(upper_tiles(padded, sizes)).to(X.device)
    # All in one copy, since each would wait for the device.
    flat = np.concatenate([np.concatenate([b.runs.ravel(), b.parts.ravel()]) for b in plan])
    on_device, at = torch.from_numpy(flat).to(X.device), 0
    length = max(batch.length for batch in plan)
    room = torch.empty(number * padded * length, dtype=torch.int8, device=X.device)
    longest = min(at_once, max(len(batch.parts) for batch in plan))
    planes = (longest, 2 * number - 1, padded, padded)
    products = torch.empty(planes, dtype=torch.int32, device=X.device)
    for batch in plan:
        digits = room[: number * padded * batch.length].view(number, padded, batch.length)
        runs = on_device[at : at + batch.runs.size].view(-1, 5)
        parts = on_device[at + batch.runs.size :][: batch.parts.size].view(-1, 2)
        at += batch.runs.size + batch.parts.size
        write_digits(X, coded.order, runs, *on_grid, digits, sums, bad)
        for low in range(0, len(batch.parts), at_once):
            owner = batch.owner[low : low + at_once]
            multiply(digits, parts[low : low + at_once], tiles, products, sizes)
            group = int(owner[0])
            first = np.searchsorted(owner, np.arange(group, owner[-1] + 2))
            first_on_device = torch.from_numpy(first).to(X.device, non_blocking=True)
            combine(products, first_on_device, limbs, group, d, number)


def batches(
    count: Indices, most: int, number: int, depth: int, per_class: bool
) -> list[DigitBatch]:
    """The rows of classes in batches of at most `most`, a multiple of the alignment."""
    unit = ALIGNED if per_class else 16
    part_rows = 1 << 13  # most rows whose products are added in int32; fewer stay in the cache
    largest = min(part_rows, (1 << 17) // number - ALIGNED) // ALIGNED * ALIGNED
    edges = np.concatenate([[0], np.cumsum(count)])
    places = np.concatenate([[0], np.cumsum(-(-count // unit) * unit)])
    out = []
    for low in range(0, int(places[-1]), most):
        high = min(low + most, int(places[-1]))
        inside = np.diff(np.clip(places, low, high))
        start, stop, owner = class_runs(inside, RUN_ROWS).T
        source = edges[owner] + start + low - places[owner]
        end = np.minimum(source + stop - start, edges[owner + 1])
        length = -(-(high - low) // ALIGNED) * ALIGNED
        written = stop - start
        written[-1] += length - (high - low)  # zeros
        runs = np.column_stack([source, end, owner, start, written])
        parts = class_runs(inside if per_class else np.array([length]), largest)
        steps = (parts[:, 1] - parts[:, 0]) // depth
        out.append(DigitBatch(length, runs, np.column_stack([parts[:, 0], steps]), parts[:, 2]))
    return out


def upper_tiles(padded: int, sizes: TileSizes) -> Indices:
    """Rows and columns, (t, 2), of the tiles of a square that reach the diagonal or beyond.

    >>> upper_tiles(256, TileSizes(128, 256)).tolist()
    [[0, 0], [1, 0]]
    """
    i, j = np.indices((padded // sizes.rows, padded // sizes.columns)).reshape(2, -1)
    kept = (j + 1) * sizes.columns > i * sizes.rows
    return np.stack([i[kept], j[kept]], axis=1)


def _joined(parts: Array, powers: tuple[int, ...], limbs: int) -> Indices:
    """The limbs of the sum of parts times powers of two."""
    total = Integers.shifted(parts[0], powers[0], limbs)
    for part, power in zip(parts[1:], powers[1:], strict=True):
        total = total + Integers.shifted(part, power, limbs)
    return total.limbs
