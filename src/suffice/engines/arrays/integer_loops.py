"""Integer loops for CUDA: rows -> 8-bit digits -> products of digits -> integers of two limbs.

A value on the grid is q = sum over t of 256^t digit_t, with digits from -128 to 127. Products of
digits are added in int32 on tensor cores, all pairs (t, u) with the same t + u together, over so
few rows that nothing overflows; then in int64. Whole numbers do not depend on the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:  # needed only where torch has it; the doctests import every module
    triton = None

jit: Any = triton.jit if triton is not None else (lambda function: function)

ALIGNED = 64  # rows: the digits of a group start at multiples of it, with zeros between groups


@dataclass(frozen=True, slots=True)
class TileSizes:
    """Sizes of the tiles of products, which do not change the result."""

    rows: int = 128
    columns: int = 128
    depth: int = 64  # at most ALIGNED
    warps: int = 4
    stages: int = 4

    @classmethod
    def of(cls, d: int) -> TileSizes:
        """Tiles for d features."""
        return cls(64, 64, 64, 4, 4) if d <= 64 else cls()


DIGIT_TILES = TileSizes(32, 64, warps=4)  # of the loop that makes digits
SQUARE_TILES = TileSizes(8, 128, warps=4)  # of the loop that adds squares


@jit
def _on_grid(  # pragma: no cover - compiled
    x: tl.tensor,
    use: tl.tensor,
    by: tl.tensor,
    about: tl.tensor,
    low: tl.tensor,
    high: tl.tensor,
    ten: tl.tensor,
    DECIMAL: tl.constexpr,
) -> tuple[tl.tensor, tl.tensor]:
    """Values in units of the grid, as float64, and which of them are outside it (taken as 0)."""
    # x + c - c is x rounded to the nearest whole number, for x up to 2^51.
    q = ((x.to(tl.float64) * by + 6755399441055744.0) - 6755399441055744.0) - about
    fits = (q >= low) & (q <= high)  # False for NaN, too
    if DECIMAL:
        fits = fits & (((q + about) / ten).to(x.dtype) == x)
    return tl.where(use & fits, q, 0.0), use & ~fits


@jit
def _write_digits(  # pragma: no cover - compiled
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    runs: tl.tensor,
    scale: tl.tensor,
    anchor: tl.tensor,
    lowest: tl.tensor,
    highest: tl.tensor,
    tens: tl.tensor,
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
    inside = columns < d
    by = tl.load(scale + columns, mask=inside, other=0.0)[None, :]
    about = tl.load(anchor + columns, mask=inside, other=0.0)[None, :]
    low = tl.load(lowest + columns, mask=inside, other=0.0)[None, :]
    high = tl.load(highest + columns, mask=inside, other=0.0)[None, :]
    ten = tl.load(tens + columns, mask=inside, other=1.0)[None, :]
    # Added up by place in the tile; across its rows only at the end, which costs far more.
    bottom = tl.zeros((ROWS, COLUMNS), tl.int32)
    top = tl.zeros((ROWS, COLUMNS), INTEGER)
    bad = tl.zeros((ROWS, COLUMNS), tl.int32)
    for first in range(0, written, ROWS):
        within = first + tl.arange(0, ROWS)
        at = start + within
        known = at < stop
        row = tl.load(order + at, mask=known, other=0).to(tl.int64)
        use = known[:, None] & inside[None, :]
        x = tl.load(X + row[:, None] * stride + columns[None, :], mask=use, other=0.0)
        q, wrong = _on_grid(x, use, by, about, low, high, ten, DECIMAL)
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
    tl.atomic_add(here, tl.sum(bottom.to(tl.int64), 0), mask=inside)
    tl.atomic_add(here + size, tl.sum(top.to(tl.int64), 0), mask=inside)
    tl.atomic_add(outside, tl.sum(tl.sum(bad, 0), 0))


@jit
def _add_squares(  # pragma: no cover - compiled
    X: tl.tensor,
    stride: tl.tensor,
    order: tl.tensor,
    runs: tl.tensor,
    scale: tl.tensor,
    anchor: tl.tensor,
    lowest: tl.tensor,
    highest: tl.tensor,
    tens: tl.tensor,
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
    inside = columns < d
    by = tl.load(scale + columns, mask=inside, other=0.0)[None, :]
    about = tl.load(anchor + columns, mask=inside, other=0.0)[None, :]
    low = tl.load(lowest + columns, mask=inside, other=0.0)[None, :]
    high = tl.load(highest + columns, mask=inside, other=0.0)[None, :]
    ten = tl.load(tens + columns, mask=inside, other=1.0)[None, :]
    bottom = tl.zeros((ROWS, COLUMNS), tl.int64)
    top = tl.zeros((ROWS, COLUMNS), tl.int64)
    square_low = tl.zeros((ROWS, COLUMNS), tl.int64)
    cross = tl.zeros((ROWS, COLUMNS), tl.int64)
    square_high = tl.zeros((ROWS, COLUMNS), tl.int64)
    bad = tl.zeros((ROWS, COLUMNS), tl.int32)
    for first in range(0, (stop - start).to(tl.int32), ROWS):
        at = start + first + tl.arange(0, ROWS)
        known = at < stop
        row = tl.load(order + at, mask=known, other=0).to(tl.int64)
        use = known[:, None] & inside[None, :]
        x = tl.load(X + row[:, None] * stride + columns[None, :], mask=use, other=0.0)
        q, wrong = _on_grid(x, use, by, about, low, high, ten, DECIMAL)
        whole = q.to(tl.int64)
        lower, upper = whole & 16777215, whole >> 24
        bottom += lower
        top += upper
        square_low += lower * lower
        cross += lower * upper
        square_high += upper * upper
        bad += wrong.to(tl.int32)
    here = sums + c * d + columns
    tl.atomic_add(here, tl.sum(bottom, 0), mask=inside)
    tl.atomic_add(here + size, tl.sum(top, 0), mask=inside)
    # By halves: sums of 48 bits over many rows would overflow.
    _add_halves(here + 2 * size, tl.sum(square_low, 0), size, inside)
    _add_halves(here + 4 * size, tl.sum(cross, 0), size, inside)
    _add_halves(here + 6 * size, tl.sum(square_high, 0), size, inside)
    tl.atomic_add(outside, tl.sum(tl.sum(bad, 0), 0))


@jit
def _add_halves(  # pragma: no cover - compiled
    here: tl.tensor, total: tl.tensor, size: tl.tensor, inside: tl.tensor
) -> None:
    """Add the lower and the upper 32 bits of totals, each to its own sum."""
    tl.atomic_add(here, total & 4294967295, mask=inside)
    tl.atomic_add(here + size, total >> 32, mask=inside)


@jit
def _multiply(  # pragma: no cover - compiled
    digits: tl.tensor,
    parts: tl.tensor,
    tiles: tl.tensor,
    out: tl.tensor,
    padded: tl.tensor,
    length: tl.tensor,
    N: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
) -> None:
    """One tile of the products of digits of a part, for each sum of their powers."""
    part = tl.program_id(1).to(tl.int64)
    first = tl.multiple_of(tl.load(parts + 2 * part), 64)
    steps = tl.load(parts + 2 * part + 1).to(tl.int32)
    i = tl.load(tiles + 2 * tl.program_id(0)) * ROWS + tl.arange(0, ROWS)
    j = tl.load(tiles + 2 * tl.program_id(0) + 1) * COLUMNS + tl.arange(0, COLUMNS)
    inner = first + tl.arange(0, DEPTH)
    plane = padded.to(tl.int64) * length
    left = digits + i.to(tl.int64)[:, None] * length + inner[None, :]
    right = digits + j.to(tl.int64)[:, None] * length + inner[None, :]
    place = out + part * (2 * N - 1) * padded * padded + i[:, None] * padded + j[None, :]
    for s in tl.static_range(2 * N - 1):
        # Pairs (t, s - t) of digits: s - N + 1 <= t <= N - 1 beyond the middle, else 0 <= t <= s.
        total = tl.zeros((ROWS, COLUMNS), tl.int32)
        for step in range(steps * (2 * N - 1 - s if s >= N else s + 1)):
            t = step % (2 * N - 1 - s if s >= N else s + 1) + (s - N + 1 if s >= N else 0)
            k = (step // (2 * N - 1 - s if s >= N else s + 1)) * DEPTH
            a = tl.load(left + t * plane + k)
            b = tl.load(right + (s - t) * plane + k)
            total = tl.dot(a, tl.trans(b), total, out_dtype=tl.int32)
        tl.store(place + s * padded.to(tl.int64) * padded, total)


@jit
def _combine(  # pragma: no cover - compiled
    products: tl.tensor,
    first: tl.tensor,
    limbs: tl.tensor,
    group: tl.tensor,
    d: tl.tensor,
    entries: tl.tensor,
    padded: tl.tensor,
    size: tl.tensor,
    N: tl.constexpr,
    LIMBS: tl.constexpr,
    COLUMNS: tl.constexpr,
) -> None:
    """Add the parts of a group to a row of its upper triangle, in limbs of 60 bits."""
    g = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1).to(tl.int64)
    start, stop = tl.load(first + g), tl.load(first + g + 1)
    square = padded.to(tl.int64) * padded
    for low in range((i // COLUMNS).to(tl.int32) * COLUMNS, d, COLUMNS):
        j = low + tl.arange(0, COLUMNS)
        use = (j >= i) & (j < d)
        here = (group + g) * entries + i * d - i * (i + 1) // 2 + j
        # The total in pieces of 32 bits, the last of any size.
        a = tl.zeros((COLUMNS,), tl.int64)
        b = tl.zeros((COLUMNS,), tl.int64)
        c = tl.zeros((COLUMNS,), tl.int64)
        for part in range(start, stop):
            place = products + part * (2 * N - 1) * square + i * padded + j
            for s in tl.static_range(2 * N - 1):
                value = tl.load(place + s * square, mask=use, other=0).to(tl.int64)
                if s < 4:
                    a += value << (8 * s)
                elif s < 8:
                    b += value << (8 * (s - 4))
                else:
                    c += value << (8 * (s - 8))
            b += a >> 32
            a &= 4294967295
        c += b >> 32
        b &= 4294967295
        bottom = tl.load(limbs + here, mask=use, other=0) + (a | ((b & 268435455) << 32))
        rest = (b >> 28) + (c << 4) + (bottom >> 60)
        rest += tl.load(limbs + size + here, mask=use, other=0)
        tl.store(limbs + here, bottom & 1152921504606846975, mask=use)
        if LIMBS == 2:
            tl.store(limbs + size + here, rest, mask=use)
        else:
            tl.store(limbs + size + here, rest & 1152921504606846975, mask=use)
            last = tl.load(limbs + 2 * size + here, mask=use, other=0) + (rest >> 60)
            tl.store(limbs + 2 * size + here, last, mask=use)


def write_digits(
    X: Any, order: Any, runs: Any, grid: tuple[Any, ...], out: Any, sums: Any, bad: Any
) -> None:
    """Write the digits of some runs to `out` and add their integers to `sums`.

    runs : (m, 5): start, stop, class, where the run goes, rows to write
    grid : scale, anchor, lowest, highest and power of ten, (d,) each, float64; whether decimal
    out : (number, padded, length) int8
    sums : (2, k, d) int64: lower 16 bits, upper bits
    bad : (1,) int32: how many values are outside the grid is added to it
    """
    *arrays, is_decimal = grid
    number, padded, length = out.shape
    bias = 128 * ((256**number - 1) // 255)
    small = number <= 4
    _write_digits[(len(runs), -(-padded // DIGIT_TILES.columns))](
        X,
        X.stride(0),
        order,
        runs,
        *arrays,
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


def add_squares(X: Any, order: Any, runs: Any, grid: tuple[Any, ...], sums: Any, bad: Any) -> None:
    """Add the integers of some runs and their squares to `sums`.

    runs : (m, 3): start, stop, class
    sums : (8, k, d) int64: lower 24 bits, upper bits, and halves of sums of squares
    """
    *arrays, is_decimal = grid
    _add_squares[(len(runs), -(-X.shape[1] // SQUARE_TILES.columns))](
        X,
        X.stride(0),
        order,
        runs,
        *arrays,
        sums,
        bad,
        X.shape[1],
        sums[0].numel(),
        is_decimal,
        SQUARE_TILES.rows,
        SQUARE_TILES.columns,
        num_warps=SQUARE_TILES.warps,
    )


def multiply(digits: Any, parts: Any, tiles: Any, out: Any, sizes: TileSizes) -> None:
    """Products of digits of each part, by sum of powers: out (parts, 2 number - 1, padded, padded).

    parts : (m, 2): where a part starts, and its length in steps of `sizes.depth`
    tiles : (t, 2): rows and columns of the tiles on and above the diagonal
    """
    number, padded, length = digits.shape
    _multiply[(len(tiles), len(parts))](
        digits,
        parts,
        tiles,
        out,
        padded,
        length,
        number,
        sizes.rows,
        sizes.columns,
        sizes.depth,
        num_warps=sizes.warps,
        num_stages=sizes.stages,
    )


def combine(products: Any, first: Any, limbs: Any, group: int, d: int, number: int) -> None:
    """Add the products of groups of parts to limbs (limbs, groups, d (d + 1) / 2), from `group` on.

    first : (groups + 1,): the first part of each group, and the end of the last
    """
    _combine[(len(first) - 1, d)](
        products,
        first,
        limbs,
        group,
        d,
        limbs.shape[2],
        products.shape[-1],
        limbs[0].numel(),
        number,
        len(limbs),
        min(512, triton.next_power_of_2(d)),
    )
