"""The pass over rows on CUDA: fused loops, and matrix products of many rows or classes at once."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from suffice.engines.arrays.class_pass import GUESS_ROWS, DeviceCentres
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.runs import class_runs, pooled_plan, separate_plan
from suffice.engines.arrays.space import Space


@cache
def is_there() -> bool:
    """Whether the fused loops can be compiled."""
    return find_spec("triton") is not None


def serves(space: Space, features: int) -> bool:
    """Whether rows of this space and width go through the fused loops."""
    if space.library != "torch" or space.device.type != "cuda" or not is_there():
        return False
    from suffice.engines.arrays.fused import WIDEST

    return features <= WIDEST


def first_guess(rows: DeviceRows, coded: Coded) -> Any:
    """An origin for each class, (k, d): the mean of a few rows of it."""
    import torch

    from suffice.engines.arrays import fused

    with torch.cuda.device_of(rows.values):
        return fused.first_guess(by_row(rows), coded.order, coded.starts, GUESS_ROWS)


def sums(rows: DeviceRows, coded: Coded, origin: Any) -> tuple[Any, Any, Any, Any]:
    """Sums, sums of squares about the origins, min and max, each (k, d)."""
    import torch

    from suffice.engines.arrays import fused

    runs = class_runs(coded.count)
    with torch.cuda.device_of(rows.values):
        total, square, low, high = fused.class_sums(
            by_row(rows), coded.order, coded.weights, runs, origin
        )
    return total, square, low, high


def scatter(
    rows: DeviceRows, coded: Coded, about: DeviceCentres, per_class: bool
) -> tuple[Any, Any]:
    """Outer products by class or pooled, (groups, d, d), and fourth-order sums (k, d + 2)."""
    import torch

    from suffice.engines.arrays import fused

    d, k = rows.shape[1], len(coded.classes)
    batch_bytes = 512 << 20  # size of the centred rows that are multiplied together
    most = max(1, batch_bytes // (8 * d))
    plan = (separate_plan if per_class else pooled_plan)(coded.count, most)
    kind: dict[str, Any] = {"dtype": torch.float64, "device": rows.space.device}
    matrices = torch.empty((k if per_class else 1, d, d), **kind)
    fourths = torch.empty((len(plan.runs), d + 2), **kind)
    size = max((batch.groups[1] - batch.groups[0]) * batch.rows for batch in plan.batches)
    centred = torch.empty((size, d), **kind)
    runs = torch.from_numpy(plan.runs).to(rows.space.device)
    X, means = by_row(rows), (about.mean, about.rest, 1.0 / about.unit)
    with torch.cuda.device_of(rows.values):
        for batch in plan.batches:
            a, b = batch.groups
            fused.centre(X, coded.order, coded.weights, runs, batch.runs, means, centred, fourths)
            Z = centred[: (b - a) * batch.rows].view(b - a, batch.rows, d)
            add_products(Z, matrices[a:b], batch.adds, strips(d))
        mirror(matrices, strips(d))
        return matrices, fused.added(fourths, plan.runs[:, 2], k)


def add_products(Z: Any, out: Any, adds: bool, strips: list[tuple[int, int]]) -> None:
    """Z'Z of each group (g, rows, d) added to, or written to, the lower triangle of (g, d, d)."""
    for low, high in strips:
        part = out[:, low:high, :high]
        part.baddbmm_(Z[:, :, low:high].mT, Z[:, :, :high], beta=float(adds))


def mirror(matrices: Any, strips: list[tuple[int, int]]) -> None:
    """Write the lower triangles to the upper ones, in place."""
    for low, high in strips:
        matrices[:, low:high, high:] = matrices[:, high:, low:high].mT


def strips(d: int, most: int = 8, narrowest: int = 128) -> list[tuple[int, int]]:
    """Ranges of rows of a symmetric matrix, each of which is computed up to the diagonal.

    >>> strips(300)
    [(0, 128), (128, 256), (256, 300)]
    """
    width = max(narrowest, -(-d // most))
    return [(low, min(d, low + width)) for low in range(0, d, width)]


def by_row(rows: DeviceRows) -> Any:
    """The values with each row contiguous in memory."""
    return rows.values if rows.values.stride(1) == 1 else rows.values.contiguous()
