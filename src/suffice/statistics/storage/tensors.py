"""Tensors: the arrays of a safetensors file as views of its bytes, none of them copied."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from suffice.data.arrays import Array

# A dimension that exceeds both this and the size of the file is invalid.
LONGEST_AXIS = 1 << 20


def views(table: dict[str, Any], data: bytes, start: int) -> dict[str, Array]:
    """The arrays that a table of contents declares, starting at byte `start` of the file.

    A ValueError if the declaration does not match the bytes exactly: arrays that overlap, leave
    bytes out, or have more entries than bytes.
    """
    arrays, reached = {}, 0
    for name, entry in sorted(table.items(), key=_offsets):
        (begin, end), (dtype, shape) = entry["data_offsets"], _dtype_and_shape(entry, len(data))
        size = prod(shape) * dtype.itemsize
        if (begin, end) != (reached, reached + size) or end > len(data) - start:
            raise ValueError("its arrays are not where its header says")
        if (start + reached) % dtype.itemsize:
            raise ValueError("an array does not start at a multiple of its entries")
        flat = np.frombuffer(data, dtype, prod(shape), start + reached)
        if dtype == np.bool_ and (flat.view(np.uint8) > 1).any():
            raise ValueError("a truth value is neither true nor false")
        arrays[name] = flat.reshape(shape)
        reached = end
    if start + reached != len(data):
        raise ValueError("there are bytes that belong to no array")
    return arrays


def _offsets(item: tuple[str, Any]) -> tuple[int, int]:
    entry = item[1]
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ValueError("an array has no type, shape or place")
    offsets = entry["data_offsets"]
    if not isinstance(offsets, list) or [type(at) for at in offsets] != [int, int]:
        raise ValueError("an array has no place")
    return offsets[0], offsets[1]


def _dtype_and_shape(entry: dict[str, Any], size: int) -> tuple[Any, tuple[int, ...]]:
    shape, dtype = entry["shape"], entry["dtype"]
    types: dict[Any, Any] = {
        "F64": np.float64,
        "F32": np.float32,
        "F16": np.float16,
        "I64": np.int64,
        "I32": np.int32,
        "I16": np.int16,
        "I8": np.int8,
        "U8": np.uint8,
        "BOOL": np.bool_,
    }
    if not isinstance(dtype, str) or dtype not in types:
        raise ValueError("an array has an unknown type")
    if not isinstance(shape, list) or not all(type(n) is int for n in shape) or len(shape) > 8:
        raise ValueError("an array has no shape")
    if not all(0 <= n <= max(size, LONGEST_AXIS) for n in shape):
        raise ValueError("an array is longer than the file")
    return np.dtype(types[dtype]), tuple(shape)
