"""BLAS: a symmetric product that is added in place, while other threads go on."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import cython_blas

from suffice.data.arrays import Floats


def add_square(rows: Floats, out: Floats) -> None:
    """Add rows' rows to the upper triangle of `out`, in place.

    rows : (n, d)
    out : (d, d), in C order

    >>> out = np.zeros((2, 2))
    >>> add_square(np.array([[1.0, 2.0], [3.0, 4.0]]), out)
    >>> out
    array([[10., 14.],
           [ 0., 20.]])
    """
    rows = np.ascontiguousarray(rows, np.float64)
    n, d = rows.shape
    if out.shape != (d, d) or out.dtype != np.float64 or not out.flags.c_contiguous:
        raise ValueError(f"out must be of shape ({d}, {d}), float64 and in C order.")
    size, count, one = ctypes.c_int(d), ctypes.c_int(n), ctypes.c_double(1.0)
    width = ctypes.c_int(max(1, d))
    # BLAS takes the transposes of arrays in C order; its lower triangle is our upper one.
    _dsyrk()(b"L", b"N", size, count, one, rows.ctypes.data, width, one, out.ctypes.data, width)


@cache
def _dsyrk() -> Any:
    """The C function; `scipy.linalg.blas.dsyrk` would keep all other threads waiting."""
    capsule = cython_blas.__pyx_capi__["dsyrk"]
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    text, address = ctypes.c_char_p, ctypes.c_void_p
    whole, number = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
    kinds = (text, text, whole, whole, number, address, whole, number, address, whole)
    return ctypes.CFUNCTYPE(None, *kinds)(pointer(capsule, name(capsule)))
