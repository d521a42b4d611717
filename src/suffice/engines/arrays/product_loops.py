"""Product loops for CUDA: 8-bit digits -> their products -> integers in limbs of 60 bits.

Products of digits are added in int32 on tensor cores, all pairs (t, u) with the same t + u
together, over so few rows that nothing overflows; then in int64.
"""

from __future__ import annotations

from typing import Any

from suffice.engines.arrays.tiles import TileSizes, jit, tl, triton


@jit
def _multiply(
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
def _combine(
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
