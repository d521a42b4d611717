"""Digit loops for CUDA: rows -> 8-bit digits of their integers on a grid, sums and squares.

A value on the grid is q = sum over t of 256^t digit_t, with digits from -128 to 127.
"""

from __future__ import annotations

from typing import Any

from suffice.engines.arrays.tiles import TileSizes, jit, tl

DIGIT_TILES = TileSizes(32, 64)
SQUARE_TILES = TileSizes(8, 128)


@jit
def _grid_at(
    grid: tl.tensor, columns: tl.tensor, d: tl.tensor
) -> tuple[tl.tensor, tl.tensor, tl.tensor, tl.tensor, tl.tensor]:
    """Scale, anchor, lowest, highest and power of ten of some columns, (1, columns) each."""
    inside = columns < d
    by = tl.load(grid + columns, mask=inside, other=0.0)[None, :]
    about = tl.load(grid + d + columns, mask=inside, other=0.0)[None, :]
    low = tl.load(grid + 2 * d + columns, mask=inside, other=0.0)[None, :]
    high = tl.load(grid + 3 * d + columns, mask=inside, other=0.0)[None, :]
    ten = tl.load(grid + 4 * d + columns, mask=inside, other=1.0)[None, :]
    return by, about, low, high, ten


@jit
def _read(
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    at: tl.tensor,
    stop: tl.tensor,
    columns: tl.tensor,
    d: tl.tensor,
    by: tl.tensor,
    about: tl.tensor,
    low: tl.tensor,
    high: tl.tensor,
    ten: tl.tensor,
    DECIMAL: tl.constexpr,
) -> tuple[tl.tensor, tl.tensor]:
    """Values in units of the grid, as float64, and which of them are outside it (taken as 0)."""
    known = at < stop
    row = tl.load(order + at, mask=known, other=0).to(tl.int64)
    use = known[:, None] & (columns < d)[None, :]
    x = tl.load(X + row[:, None] * stride + columns[None, :], mask=use, other=0.0)
    # x + c - c is x rounded to the nearest whole number, for x up to 2^51.
    q = ((x.to(tl.float64) * by + 6755399441055744.0) - 6755399441055744.0) - about
    fits = (q >= low) & (q <= high)  # False for NaN, too
    if DECIMAL:
        fits = fits & (((q + about) / ten).to(x.dtype) == x)
    return tl.where(use & fits, q, 0.0), use & ~fits


@jit
def _write_digits(
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    runs: tl.tensor,
    grid: tl.tensor,
    digits: tl.tensor,
    sums: tl.tensor,
    outside: tl.tensor,
    d: tl.tensor,
    padded: tl.tensor,
    length: tl.tensor,
    size: tl.tensor,
    N: tl.constexpr,
    BIAS: tl.constexpr,
    INTEGER: tl.constexpr,
    DECIMAL: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
) -> None:
    """Write the digits of a run, add up its integers, count its values outside the grid."""
    run = tl.program_id(0).to(tl.int64)
    start, stop = tl.load(runs + 5 * run), tl.load(runs + 5 * run + 1)
    c, to = tl.load(runs + 5 * run + 2), tl.load(runs + 5 * run + 3)
    # Known multiples of 16, so that digits are written 16 at a time.
    to, written = tl.multiple_of(to, 16), tl.multiple_of(tl.load(runs + 5 * run + 4), 16)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    by, about, low, high, ten = _grid_at(grid, columns, d)
    # Added up by place in the tile; across its rows only at the end, which costs far more.
    bottom = tl.zeros((ROWS, COLUMNS), tl.int32)
    top = tl.zeros((ROWS, COLUMNS), INTEGER)
    bad = tl.zeros((ROWS, COLUMNS), tl.int32)
    for first in range(0, written, ROWS):
        within = first + tl.arange(0, ROWS)
        q, wrong = _read(
            X, stride, order, start + within, stop, columns, d, by, about, low, high, ten, DECIMAL
        )
        whole = q.to(INTEGER)
        bottom += (whole & 65535).to(tl.int32)
        top += whole >> 16
        bad += wrong.to(tl.int32)
        place = columns.to(tl.int64)[:, None] * length + (to + within)[None, :]
        write = (columns < padded)[:, None] & (within < written)[None, :]
        # Bytes of q + 128 (1 + 256 + ...) are the digits plus 128.
        shifted = tl.trans(whole + BIAS)
        for t in tl.static_range(N):
            digit = ((shifted >> (8 * t)) ^ 128).to(tl.int8)
            tl.store(digits + t * padded.to(tl.int64) * length + place, digit, mask=write)
    here = sums + c * d + columns
    tl.atomic_add(here, tl.sum(bottom.to(tl.int64), 0), mask=columns < d)
    tl.atomic_add(here + size, tl.sum(top.to(tl.int64), 0), mask=columns < d)
    tl.atomic_add(outside, tl.sum(tl.sum(bad, 0), 0))


@jit
def _add_squares(
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    runs: tl.tensor,
    grid: tl.tensor,
    sums: tl.tensor,
    outside: tl.tensor,
    d: tl.tensor,
    size: tl.tensor,
    DECIMAL: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
) -> None:
    """Add up the integers of a run and their squares, count its values outside the grid."""
    run = tl.program_id(0).to(tl.int64)
    start, stop = tl.load(runs + 3 * run), tl.load(runs + 3 * run + 1)
    c = tl.load(runs + 3 * run + 2)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    by, about, low, high, ten = _grid_at(grid, columns, d)
    bottom = tl.zeros((ROWS, COLUMNS), tl.int64)
    top = tl.zeros((ROWS, COLUMNS), tl.int64)
    square_low = tl.zeros((ROWS, COLUMNS), tl.int64)
    cross = tl.zeros((ROWS, COLUMNS), tl.int64)
    square_high = tl.zeros((ROWS, COLUMNS), tl.int64)
    bad = tl.zeros((ROWS, COLUMNS), tl.int32)
    for first in range(0, (stop - start).to(tl.int32), ROWS):
        at = start + first + tl.arange(0, ROWS)
        q, wrong = _read(X, stride, order, at, stop, columns, d, by, about, low, high, ten, DECIMAL)
        whole = q.to(tl.int64)
        lower, upper = whole & 16777215, whole >> 24
        bottom += lower
        top += upper
        square_low += lower * lower
        cross += lower * upper
        square_high += upper * upper
        bad += wrong.to(tl.int32)
    here, inside = sums + c * d + columns, columns < d
    tl.atomic_add(here, tl.sum(bottom, 0), mask=inside)
    tl.atomic_add(here + size, tl.sum(top, 0), mask=inside)
    # By halves: sums of 48 bits over many rows would overflow.
    _add_halves(here + 2 * size, tl.sum(square_low, 0), size, inside)
    _add_halves(here + 4 * size, tl.sum(cross, 0), size, inside)
    _add_halves(here + 6 * size, tl.sum(square_high, 0), size, inside)
    tl.atomic_add(outside, tl.sum(tl.sum(bad, 0), 0))


@jit
def _add_halves(here: tl.tensor, total: tl.tensor, size: tl.tensor, inside: tl.tensor) -> None:
    """Add the lower and the upper 32 bits of totals, each to its own sum."""
    tl.atomic_add(here, total & 4294967295, mask=inside)
    tl.atomic_add(here + size, total >> 32, mask=inside)


def write_digits(
    X: Any, order: Any, runs: Any, grid: Any, is_decimal: bool, out: Any, sums: Any, bad: Any
) -> None:
    """Write the digits of some runs to `out` and add their integers to `sums`.

    runs : (m, 5): start, stop, class, where the run goes, rows to write
    grid : scale, anchor, lowest, highest and power of ten, (5, d) float64
    out : (number, padded, length) int8
    sums : (2, k, d) int64: lower 16 bits, upper bits
    bad : (1,) int32: how many values are outside the grid is added to it
    """
    number, padded, length = out.shape
    bias = 128 * ((256**number - 1) // 255)
    small = number <= 4
    _write_digits[(len(runs), -(-padded // DIGIT_TILES.columns))](
        X,
        X.stride(0),
        order,
        runs,
        grid,
        out,
        sums,
        bad,
        X.shape[1],
        padded,
        length,
        sums[0].numel(),
        number,
        bias - (bias >> 31 << 32) if small else bias,  # int32 wraps round
        tl.int32 if small else tl.int64,
        is_decimal,
        DIGIT_TILES.rows,
        DIGIT_TILES.columns,
        num_warps=DIGIT_TILES.warps,
    )


def add_squares(
    X: Any, order: Any, runs: Any, grid: Any, is_decimal: bool, sums: Any, bad: Any
) -> None:
    """Add the integers of some runs and their squares to `sums`.

    runs : (m, 3): start, stop, class
    sums : (8, k, d) int64: lower 24 bits, upper bits, and halves of sums of squares
    """
    d, blocks = X.shape[1], -(-X.shape[1] // SQUARE_TILES.columns)
    tiles = (SQUARE_TILES.rows, SQUARE_TILES.columns)
    _add_squares[(len(runs), blocks)](
        *(X, X.stride(0), order, runs, grid, sums, bad, d, sums[0].numel(), is_decimal, *tiles),
        num_warps=SQUARE_TILES.warps,
    )
