"""Nesting: several sets of named arrays as one, so that a file has a single header."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.tensors import LONGEST_AXIS

Arrays = dict[str, Array]

_SHAPES = ".shapes"


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """The same arrays under longer names.

    >>> prefixed("rows", {"count": np.zeros(1)})
    {'rows.count': array([0.])}
    """
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def below(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays that `prefixed` put under the prefix, by their original names."""
    start = f"{prefix}."
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


def check_names(arrays: Arrays, names: Collection[str], prefixes: Sequence[str] = ()) -> None:
    """Raise ValueError if an array has none of these names and is below none of these prefixes."""
    for name in sorted(arrays):
        if name not in names and not any(name.startswith(f"{start}.") for start in prefixes):
            raise ValueError(f"it has the unexpected array {name!r}")


def stack(parts: Sequence[Arrays]) -> Arrays:
    """Several sets of arrays as one set: arrays of one name are concatenated, beside their shapes.

    So the number of arrays does not grow with the number of sets. A row of shapes starts with 0,
    with 1 for Fortran order (products of matrices may depend on it in the last bit), or with -1 if
    the set has no such array.
    """
    stacked: Arrays = {}
    for name in sorted({name for part in parts for name in part}):
        own = [part.get(name) for part in parts]
        axes = max(array.ndim for array in own if array is not None)
        shapes = np.full((len(own), 1 + axes), -1, np.int64)
        for row, array in zip(shapes, own, strict=True):
            if array is not None:
                row[:] = [np.isfortran(array), *array.shape]
        present = [a.ravel(order="F" if np.isfortran(a) else "C") for a in own if a is not None]
        stacked |= {name: np.concatenate(present), name + _SHAPES: shapes}
    return stacked


def unstack(stacked: Arrays, count: int) -> Iterator[Arrays]:
    """The sets of arrays that `stack` put together; a ValueError says what is wrong."""
    names = [name for name in stacked if not name.endswith(_SHAPES)]
    if set(stacked) != {*names, *(name + _SHAPES for name in names)}:
        raise ValueError("an array of the parts has no shapes, or shapes have no array")
    columns = [
        _check_and_split(name, stacked[name], stacked[name + _SHAPES], count) for name in names
    ]
    for row in zip(*columns, strict=True) if names else [()] * count:
        yield {name: a for name, a in zip(names, row, strict=True) if a is not None}


def _check_and_split(name: str, flat: Array, shapes: Array, count: int) -> Iterator[Array | None]:
    if flat.ndim != 1 or shapes.ndim != 2 or shapes.dtype != np.int64 or len(shapes) != count:
        raise ValueError(f"{name} of the parts has no shapes")
    absent, sizes = shapes[:, 0] == -1, shapes[:, 1:]
    longest = max(LONGEST_AXIS, len(flat))
    if (shapes[:, 0] > 1).any() or (shapes[~absent] < 0).any() or (sizes > longest).any():
        raise ValueError(f"{name} of the parts has invalid shapes")
    # As floats first: a product of integers would overflow silently.
    if (np.where(absent, 0.0, sizes.prod(axis=1, dtype=np.float64)) > len(flat)).any():
        raise ValueError(f"{name} of the parts has larger shapes than entries")
    ends = np.cumsum(np.where(absent, 0, sizes.prod(axis=1)))
    if int(ends[-1] if count else 0) != len(flat):
        raise ValueError(f"{name} of the parts does not have the entries of its shapes")
    return _split_arrays(flat, shapes, ends)


def _split_arrays(flat: Array, shapes: Array, ends: Array) -> Iterator[Array | None]:
    start = 0
    for row, end in zip(shapes, ends, strict=True):
        fortran, *shape = row.tolist()
        part, start = flat[start:end], int(end)
        yield None if fortran < 0 else part.reshape(shape, order="F" if fortran else "C")
