"""Stacking: the arrays of many values as few arrays, so that a file has a short header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.storage.tensors import LONGEST_AXIS

Arrays = dict[str, Array]


def stack(parts: Sequence[Arrays]) -> tuple[Arrays, Arrays]:
    """Arrays of one name as one flat array, and their shapes.

    Row i of the shapes is the number of axes of array i and their lengths; -1 if part i has no
    such array. Where arrays of one name have several types, there is one flat array per type.

    >>> flat, shapes = stack([{"mean": np.zeros(2)}, {"mean": np.ones((1, 3))}, {}])
    >>> flat["mean"], shapes["mean"].tolist()
    (array([0., 0., 1., 1., 1.]), [[1, 2, 0], [2, 1, 3], [-1, 0, 0]])
    """
    flat: Arrays = {}
    shapes: Arrays = {}
    types: dict[str, set[np.dtype[Any]]] = {}
    for part in parts:
        for name, array in part.items():
            types.setdefault(name, set()).add(array.dtype)
    for name, dtypes in sorted(types.items()):
        own = [part.get(name) for part in parts]
        if len(dtypes) == 1 and ":" not in name:  # which it has if parts are stacks themselves
            flat[name], shapes[name] = _join(own)
            continue
        for dtype in dtypes:
            some = [array if array is not None and array.dtype == dtype else None for array in own]
            flat[f"{name}:{dtype}"], shapes[f"{name}:{dtype}"] = _join(some)
    return flat, shapes


def _join(own: Sequence[Array | None]) -> tuple[Array, Array]:
    present = [array for array in own if array is not None]
    padding = (0,) * max(array.ndim for array in present)
    rows = [(-1, *padding) if a is None else (a.ndim, *a.shape, *padding[a.ndim :]) for a in own]
    return np.concatenate([array.ravel() for array in present]), np.array(rows, np.int64)


def unstack(flat: Arrays, shapes: Arrays, count: int) -> Iterator[Arrays]:
    """The arrays of each of `count` parts that were stacked; a ValueError says what is wrong."""
    if flat.keys() != shapes.keys():
        raise ValueError("an array of the parts has no shapes, or shapes have no array")
    names = [*flat]
    columns = [_check_and_split(name, flat[name], shapes[name], count) for name in names]
    plain = [name.rpartition(":")[0] or name for name in names]
    for row in zip(*columns, strict=True) if names else [()] * count:
        yield {name: a for name, a in zip(plain, row, strict=True) if a is not None}


def _check_and_split(name: str, flat: Array, shapes: Array, count: int) -> Iterator[Array | None]:
    what = name.lstrip(".")
    if flat.ndim != 1 or shapes.ndim != 2 or shapes.dtype != np.int64 or len(shapes) != count:
        raise ValueError(f"{what} of the parts has no shapes")
    axes, lengths = shapes[:, 0], shapes[:, 1:]
    if ((axes < -1) | (axes > lengths.shape[1])).any() or lengths.shape[1] > 8:
        raise ValueError(f"{what} of the parts has invalid shapes")
    used = np.arange(lengths.shape[1]) < axes[:, None]
    if ((lengths < 0) | (lengths > max(LONGEST_AXIS, len(flat)))).any() or lengths[~used].any():
        raise ValueError(f"{what} of the parts has invalid shapes")
    # As floats first: a product of integers would overflow silently.
    sizes = np.where(axes < 0, 0.0, np.where(used, lengths, 1).prod(axis=1, dtype=np.float64))
    if (sizes > len(flat)).any():
        raise ValueError(f"{what} of the parts has larger shapes than entries")
    ends = np.cumsum(sizes.astype(np.int64))
    if int(ends[-1] if count else 0) != len(flat):
        raise ValueError(f"{what} of the parts does not have the entries of its shapes")
    return _split(flat, shapes, ends)


def _split(flat: Array, shapes: Array, ends: Array) -> Iterator[Array | None]:
    start = 0
    for (axes, *lengths), end in zip(shapes.tolist(), ends.tolist(), strict=True):
        part, start = flat[start:end], end
        yield None if axes < 0 else part.reshape(lengths[:axes])
