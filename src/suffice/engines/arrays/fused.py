"""Fused loops for CUDA: sums by class and centred rows, each in a single reading of the rows.

Rows are taken in the order of their classes, in runs: rows `start` to `stop` of that order, all of
one class. Sums of a run are written down and added up afterwards, always in the same order, so
that the last bits do not depend on timing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.engines.arrays.tiles import jit, tl, triton

COLUMNS = 1024  # most columns of a tile
ROWS = 4  # fewest rows of a tile
TILE = 1024  # fewest entries of a tile
OF_WARP = 512  # entries of a tile per warp
WIDEST = 4096  # columns of a row that still fits into registers


@jit
def _guess(
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    edges: tl.tensor,
    out: tl.tensor,
    d: tl.tensor,
    FEW: tl.constexpr,
    COLUMNS: tl.constexpr,
) -> None:
    """The mean of a few rows of each class, evenly spaced."""
    c = tl.program_id(0).to(tl.int64)
    start = tl.load(edges + c)
    count = tl.load(edges + c + 1) - start
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < d
    row = tl.load(order + start).to(tl.int64)
    base = tl.load(X + row * stride + columns, mask=inside, other=0.0).to(tl.float64)
    # About one row, so that a constant feature stays exact.
    steps = tl.zeros((COLUMNS,), tl.float64)
    for i in range(1, FEW):
        row = tl.load(order + start + count * i // FEW).to(tl.int64)
        x = tl.load(X + row * stride + columns, mask=inside, other=0.0)
        steps += x.to(tl.float64) - base
    tl.store(out + c * d + columns, base + steps / FEW, mask=inside)


@jit
def _sum_runs(
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    weights: tl.tensor,
    runs: tl.tensor,
    origin: tl.tensor,
    out: tl.tensor,
    d: tl.tensor,
    n_runs: tl.tensor,
    WEIGHTED: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    KIND: tl.constexpr,
) -> None:
    """Sum, sum of squares, min and max of each column of a run, about the class's origin."""
    run = tl.program_id(0).to(tl.int64)
    start = tl.load(runs + 3 * run)
    stop = tl.load(runs + 3 * run + 1)
    c = tl.load(runs + 3 * run + 2)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < d
    about = tl.load(origin + c * d + columns, mask=inside, other=0.0)[None, :]
    total = tl.zeros((COLUMNS,), tl.float64)
    square = tl.zeros((COLUMNS,), tl.float64)
    low = tl.full((COLUMNS,), float("inf"), KIND)
    high = tl.full((COLUMNS,), float("-inf"), KIND)
    for first in range(start, stop, ROWS):
        at = first + tl.arange(0, ROWS)
        known = at < stop
        row = tl.load(order + at, mask=known, other=0).to(tl.int64)
        use = known[:, None] & inside[None, :]
        x = tl.load(X + row[:, None] * stride + columns[None, :], mask=use, other=0.0)
        value = x.to(KIND)
        low = tl.minimum(low, tl.min(tl.where(use, value, float("inf")), 0))
        high = tl.maximum(high, tl.max(tl.where(use, value, float("-inf")), 0))
        z = tl.where(use, value.to(tl.float64) - about, 0.0)
        if WEIGHTED:
            w = tl.load(weights + row, mask=known, other=0.0)[:, None]
            total += tl.sum(w * z, 0)
            square += tl.sum(w * (z * z), 0)
        else:
            total += tl.sum(z, 0)
            square += tl.sum(z * z, 0)
    place = run * d + columns
    size = n_runs * d
    tl.store(out + place, total, mask=inside)
    tl.store(out + size + place, square, mask=inside)
    tl.store(out + 2 * size + place, low.to(tl.float64), mask=inside)
    tl.store(out + 3 * size + place, high.to(tl.float64), mask=inside)


@jit
def _add_runs(
    parts: tl.tensor,
    first: tl.tensor,
    out: tl.tensor,
    d: tl.tensor,
    n_runs: tl.tensor,
    k: tl.tensor,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
) -> None:
    """Add up the runs of each class; take the min of the third table, the max of the fourth."""
    c, table = tl.program_id(0).to(tl.int64), tl.program_id(2)
    start, stop = tl.load(first + c), tl.load(first + c + 1)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < d
    neutral = tl.where(table == 2, float("inf"), tl.where(table == 3, float("-inf"), 0.0))
    total = tl.zeros((ROWS, COLUMNS), tl.float64) + neutral
    for run in range(start, stop, ROWS):
        at = run + tl.arange(0, ROWS)
        use = (at < stop)[:, None] & inside[None, :]
        place = (table.to(tl.int64) * n_runs + at)[:, None] * d + columns[None, :]
        x = tl.load(parts + place, mask=use, other=0.0)
        x = tl.where(use, x, neutral)
        if table == 2:
            total = tl.minimum(total, x)
        elif table == 3:
            total = tl.maximum(total, x)
        else:
            total += x
    place = (table.to(tl.int64) * k + c) * d + columns
    if table == 2:
        tl.store(out + place, tl.min(total, 0), mask=inside)
    elif table == 3:
        tl.store(out + place, tl.max(total, 0), mask=inside)
    else:
        tl.store(out + place, tl.sum(total, 0), mask=inside)


@jit
def _centre_runs(
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    weights: tl.tensor,
    runs: tl.tensor,
    mean: tl.tensor,
    rest: tl.tensor,
    per_unit: tl.tensor,
    Z: tl.tensor,
    out: tl.tensor,
    d: tl.tensor,
    first_run: tl.tensor,
    FOURTH: tl.constexpr,
    WEIGHTED: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
) -> None:
    """Write sqrt(w) (x - mean) of a run to Z, zeros behind it, and its fourth-order sums."""
    run = tl.program_id(0).to(tl.int64) + first_run
    start, stop = tl.load(runs + 5 * run), tl.load(runs + 5 * run + 1)
    c, to = tl.load(runs + 5 * run + 2), tl.load(runs + 5 * run + 3)
    end = start + tl.load(runs + 5 * run + 4)
    columns = tl.arange(0, COLUMNS)
    inside = columns < d
    near = tl.load(mean + c * d + columns, mask=inside, other=0.0)[None, :]
    left = tl.load(rest + c * d + columns, mask=inside, other=0.0)[None, :]
    cubic = tl.zeros((COLUMNS,), tl.float64)
    square = tl.zeros((ROWS,), tl.float64)
    quartic = tl.zeros((ROWS,), tl.float64)
    for first in range(start, end, ROWS):
        at = first + tl.arange(0, ROWS)
        known = at < stop
        row = tl.load(order + at, mask=known, other=0).to(tl.int64)
        use = known[:, None] & inside[None, :]
        x = tl.load(X + row[:, None] * stride + columns[None, :], mask=use, other=0.0)
        z = tl.where(use, (x.to(tl.float64) - near) - left, 0.0)
        w = tl.full((ROWS,), 1.0, tl.float64)
        if WEIGHTED:
            w = tl.load(weights + row, mask=known, other=0.0)
        if FOURTH:
            size = z * per_unit
            length = tl.sum(size * size, 1)
            long = w * length
            square += long
            quartic += long * length
            cubic += tl.sum(long[:, None] * size, 0)
        if WEIGHTED:
            z = z * tl.sqrt(w)[:, None]
        place = (to + at - start)[:, None] * d + columns[None, :]
        tl.store(Z + place, z, mask=(at < end)[:, None] & inside[None, :])
    if FOURTH:
        place = out + run * (d + 2)
        tl.store(place + columns, cubic, mask=inside)
        tl.store(place + d, tl.sum(square, 0))
        tl.store(place + d + 1, tl.sum(quartic, 0))


def first_guess(X: Any, order: Any, starts: Any, few: int) -> Any:
    """(k, d): the mean of a few rows of each class.

    starts : (k + 1,) where the rows of each class start in that order, and the last end
    """
    import torch

    k, d = len(starts) - 1, X.shape[1]
    out = torch.empty((k, d), dtype=torch.float64, device=X.device)
    columns = min(COLUMNS, triton.next_power_of_2(d))
    grid = (k, -(-d // columns))
    _guess[grid](X, X.stride(0), order, starts, out, d, few, columns)
    return out


def class_sums(X: Any, order: Any, weights: Any | None, runs: np.ndarray, origin: Any) -> Any:
    """(4, k, d): sums, sums of squares about the origins (k, d), min and max.

    runs : (m, 3): start, stop and class, in the order of the classes
    """
    import torch

    k, d = origin.shape
    n_runs = len(runs)
    # In one copy, and before the long loop, which a copy would wait for.
    host = np.concatenate([runs.ravel(), _first(runs[:, 2], k)])
    on_device = torch.from_numpy(host).to(X.device)
    where, first = on_device[: runs.size], on_device[runs.size :]
    parts = torch.empty((4, n_runs, d), dtype=torch.float64, device=X.device)
    wide = X.dtype not in (torch.float32, torch.float16, torch.bfloat16)
    columns = min(COLUMNS, triton.next_power_of_2(d))
    rows = max(ROWS, TILE // columns)
    grid = (n_runs, -(-d // columns))
    _sum_runs[grid](
        X,
        X.stride(0),
        order,
        order if weights is None else weights,
        where,
        origin,
        parts,
        d,
        n_runs,
        weights is not None,
        rows,
        columns,
        tl.float64 if wide else tl.float32,
        num_warps=max(1, columns * rows // OF_WARP),
    )
    return _added(parts, first)


def centre(
    X: Any,
    order: Any,
    weights: Any | None,
    runs: Any,
    some: tuple[int, int],
    about: tuple[Any, Any, float],
    Z: Any,
    out: Any | None,
) -> None:
    """Write the centred rows of the runs from some[0] to some[1] to Z; fill their rows of `out`.

    runs : (m, 5) on the device: start, stop, class, row of Z, rows of Z to write
    out : (m, d + 2): sums of |z|²z, |z|² and |z|⁴ of each run
    """
    mean, rest, per_unit = about
    d = mean.shape[1]
    columns = triton.next_power_of_2(d)
    rows = max(1, 4 * TILE // columns)
    warps = max(1, min(8, columns * rows // OF_WARP))
    _centre_runs[(some[1] - some[0],)](
        X,
        X.stride(0),
        order,
        order if weights is None else weights,
        runs,
        mean,
        rest,
        per_unit,
        Z,
        Z if out is None else out,
        d,
        some[0],
        out is not None,
        weights is not None,
        rows,
        columns,
        num_warps=warps,
    )


def added(parts: Any, owner: np.ndarray, k: int) -> Any:
    """Sums over the runs (m, d) of each of k classes, (k, d)."""
    import torch

    first = torch.from_numpy(_first(owner, k)).to(parts.device)
    return _added(parts[None], first)[0]


def _first(owner: np.ndarray, k: int) -> np.ndarray:
    """Where the runs of each class start, and the last end, (k + 1,)."""
    return np.searchsorted(owner, np.arange(k + 1))


def _added(parts: Any, first: Any) -> Any:
    import torch

    tables, n_runs, d = parts.shape
    k = len(first) - 1
    out = torch.empty((tables, k, d), dtype=torch.float64, device=parts.device)
    grid = (k, -(-d // 128), tables)
    _add_runs[grid](parts, first, out, d, n_runs, k, 16, 128)
    return out
