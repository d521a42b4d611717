"""Array types for signatures, and the namespace of an array's library."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


def on_host(array: Any) -> Any:
    """An array in memory, or a copy of one on a device."""
    if isinstance(array, np.ndarray | np.generic | float):
        return array
    from array_api_compat import to_device

    return np.asarray(to_device(array, "cpu"))


def namespace(array: Any) -> Any:
    """The functions for an array: NumPy's, or those of its library by the array API standard."""
    if isinstance(array, np.ndarray):
        return np
    from array_api_compat import array_namespace

    return array_namespace(array)
