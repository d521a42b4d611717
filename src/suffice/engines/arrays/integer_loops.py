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
TILE_ROWS = 64  # of a tile of the loop that makes digits
TILE_COLUMNS = 64


@dataclass(frozen=True, slots=True)
class TileSizes:
    """Sizes of the tiles of products, which do not change the result."""

    rows: int = 128
    columns: int = 128
    depth: int = 64  # at most ALIGNED
    warps: int = 8
    stages: int = 4

    @classmethod
    def of(cls, d: int) -> TileSizes:
        """Tiles for d features."""
        return cls(64, 64, 64, 4, 4) if d <= 64 else cls()


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
    DECIMAL: tl.constexpr,
    SQUARES: tl.constexpr,
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
    bottom = tl.zeros((COLUMNS,), tl.int64)
    top = tl.zeros((COLUMNS,), tl.int64)
    bad = tl.zeros((COLUMNS,), tl.int32)
    if SQUARES:
        square_low = tl.zeros((COLUMNS,), tl.int64)
        cross = tl.zeros((COLUMNS,), tl.int64)
        square_high = tl.zeros((COLUMNS,), tl.int64)
    for first in range(0, written, ROWS):
        within = first + tl.arange(0, ROWS)
        at = start + within
        known = at < stop
        row = tl.load(order + at, mask=known, other=0).to(tl.int64)
        use = known[:, None] & inside[None, :]
        x = tl.load(X + row[:, None] * stride + columns[None, :], mask=use, other=0.0)
        # x + c - c is x rounded to the nearest whole number, for x up to 2^51.
        q = ((x.to(tl.float64) * by + 6755399441055744.0) - 6755399441055744.0) - about
        fits = (q >= low) & (q <= high)  # False for NaN, too
        if DECIMAL:
            fits = fits & (((q + about) / ten).to(x.dtype) == x)
        bad += tl.sum((use & ~fits).to(tl.int32), 0)
        # A NaN has no integer.
        whole = tl.where(use & fits, q, 0.0).to(tl.int64)
        lower, upper = whole & 16777215, whole >> 24
        bottom += tl.sum(lower, 0)
        top += tl.sum(upper, 0)
        if SQUARES:
            square_low += tl.sum(lower * lower, 0)
            cross += tl.sum(lower * upper, 0)
            square_high += tl.sum(upper * upper, 0)
        else:
            place = columns.to(tl.int64)[:, None] * length + (to + within)[None, :]
            write = (columns < padded)[:, None] & (within < written)[None, :]
            # Bytes of q + 128 (1 + 256 + ...) are the digits plus 128.
            shifted = tl.trans((whole + BIAS).to(tl.int32 if N <= 4 else tl.int64))
            for t in tl.static_range(N):
                digit = (((shifted >> (8 * t)) & 255) - 128).to(tl.int8)
                tl.store(digits + t * padded.to(tl.int64) * length + place, digit, mask=write)
    here = sums + c * d + columns
    tl.atomic_add(here, bottom, mask=inside)
    tl.atomic_add(here + size, top, mask=inside)
    if SQUARES:
        # By halves: sums of 48 bits over many rows would overflow.
        tl.atomic_add(here + 2 * size, square_low & 4294967295, mask=inside)
        tl.atomic_add(here + 3 * size, square_low >> 32, mask=inside)
        tl.atomic_add(here + 4 * size, cross & 4294967295, mask=inside)
        tl.atomic_add(here + 5 * size, cross >> 32, mask=inside)
        tl.atomic_add(here + 6 * size, square_high & 4294967295, mask=inside)
        tl.atomic_add(here + 7 * size, square_high >> 32, mask=inside)
    tl.atomic_add(outside, tl.sum(bad, 0))


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
    X: Any, order: Any, runs: Any, grid: tuple[Any, ...], number: int, out: Any, sums: Any, bad: Any
) -> None:
    """Write the digits of some runs to `out` and add their integers to `sums`.

    runs : (m, 5): start, stop, class, where the run goes, rows to write
    grid : scale, anchor, lowest, highest and power of ten, (d,) each, float64; whether decimal
    out : (number, padded, length) int8; None to add squares instead, to sums (8, k, d)
    sums : (2, k, d) or (8, k, d) int64: lower 24 bits, upper bits, and halves of squares
    bad : (1,) int32: values outside the grid are added to it
    """
    *arrays, is_decimal = grid
    d, squares = X.shape[1], out is None
    padded, length = (d, 0) if squares else out.shape[1:]
    blocks = -(-padded // TILE_COLUMNS)
    _write_digits[(len(runs), blocks)](
        X,
        X.stride(0),
        order,
        runs,
        *arrays,
        sums if squares else out,
        sums,
        bad,
        d,
        padded,
        length,
        sums[0].numel(),
        number,
        128 * ((256**number - 1) // 255),
        is_decimal,
        squares,
        TILE_ROWS,
        TILE_COLUMNS,
        num_warps=4,
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
