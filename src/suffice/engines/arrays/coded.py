"""Coded labels: y as positions among sorted classes, and the rows in the order of these."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.engine import ENGINES
from suffice.data.labels import TABLE_RANGE, Labels, check_lengths
from suffice.data.weights import row_weights
from suffice.engines.arrays.space import Space, library_of
from suffice.errors import InvalidInput, InvalidLabels, InvalidWeights


@dataclass(frozen=True)
class Coded:
    """Classes that have rows, and the rows of each; rows of weight zero are left out."""

    space: Space
    classes: Array  # (k,) on the host
    count: Indices  # (k,) on the host
    order: Any  # (m,): the rows of each class, one class after the other
    starts: Any  # (k + 1,): where each class starts in that order, and the last ends
    weights: Any | None  # (n,) float64

    @classmethod
    def of(cls, y: Any, sample_weight: Any, n: int, space: Space) -> Coded:
        """Labels and weights of n rows, checked."""
        weights = None if sample_weight is None else _weights(sample_weight, n, space)
        classes, codes = _encoded(y, n, space)
        if weights is not None and bool(space.xp.any(weights == 0)):
            codes = space.xp.where(weights == 0, len(classes), codes)
        order, starts, edges = _ordered(codes, len(classes), space)
        count = np.diff(edges)
        if not count.all():
            classes, count = classes[count > 0], count[count > 0]
            starts = space.put(np.unique(edges))
        return cls(space, classes, count, order, starts, weights)

    @cached_property
    def edges(self) -> Indices:
        """The starts on the host."""
        return np.concatenate([[0], np.cumsum(self.count)])

    @property
    def counted(self) -> Any | None:
        """Which rows count; None for all."""
        return None if self.weights is None else self.weights > 0

    @cached_property
    def weight(self) -> Floats:
        """Total weight of each class, (k,)."""
        if self.weights is None:
            return self.count.astype(np.float64)
        ordered = self.space.fetch(self.space.take(self.weights, self.order))
        with np.errstate(over="ignore"):
            totals = np.add.reduceat(ordered, self.edges[:-1])
        if not np.isfinite(totals.sum()):
            raise InvalidWeights("sample_weight is too large to be added up; rescale it.")
        return np.asarray(totals)

    @property
    def weight_on_device(self) -> Any:
        """The same on the device, if possible without a copy from the host."""
        if self.weights is None:
            return self.space.floats(self.starts[1:] - self.starts[:-1])
        return self.space.put(self.weight)


def check_place(array: Any, name: str, space: Space) -> bool:
    """Whether an array is where X is (True) or on the host (False); raises for other places."""
    library = library_of(array)
    if library not in ENGINES:
        return False
    if library != space.library and not (library[:3] == space.library[:3] == "jax"):
        raise InvalidInput(
            f"X is an array of {space} but {name} is one of {library}; give both to one library."
        )
    place = Space.of(array)
    if place.device != space.device:
        raise InvalidInput(
            f"X is on device {space.device} but {name} is on device {place.device}; move one of "
            "them."
        )
    return True


def fetch_input(array: Any, name: str, space: Space) -> Any:
    """An array that may be where X is, copied to the host; None stays None."""
    is_there = array is not None and check_place(array, name, space)
    return space.fetch(array) if is_there else array


def _encoded(y: Any, n: int, space: Space) -> tuple[Array, Any]:
    if y is None:
        raise InvalidLabels("y is missing: pass one label per row.")
    is_there = check_place(y, "y", space)
    if is_there and y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    labels = None if is_there else Labels.of(y)
    length = y.shape[0] if labels is None and y.ndim else 0 if labels is None else len(labels)
    if labels is None and y.ndim != 1:
        raise InvalidLabels(f"y must have one label per row; its shape is {tuple(y.shape)}.")
    check_lengths(n, length)
    if labels is None:
        return _codes_on_device(y, space)
    classes, codes = labels.encode()
    return classes, space.put(codes)


def _codes_on_device(y: Any, space: Space) -> tuple[Array, Any]:
    xp = space.xp
    if xp.isdtype(y.dtype, "bool"):
        return np.array([False, True]), xp.astype(y, xp.int64)
    whole = xp.isdtype(y.dtype, "integral")
    if not whole:
        if not xp.isdtype(y.dtype, "real floating"):
            raise InvalidLabels(f"y holds {y.dtype} values; labels may be integers or booleans.")
        y = _whole(y, space)
    elif xp.isdtype(y.dtype, xp.uint64) and bool(xp.any(y > 2**63 - 1)):
        raise InvalidLabels("y holds integers beyond 64 bits; pass them as strings.")
    y = xp.astype(y, xp.int64, copy=False)
    ends = y.aminmax() if space.library == "torch" else (xp.min(y), xp.max(y))
    low, high = space.fetch(xp.stack(list(ends))).tolist()
    if high - low < TABLE_RANGE:
        classes, codes = np.arange(low, high + 1), y - low
    else:
        unique = xp.unique_inverse(y)
        classes, codes = space.fetch(unique.values), xp.reshape(unique.inverse_indices, (-1,))
    return (classes if whole else classes.astype(np.float64)), codes


def _whole(y: Any, space: Space) -> Any:
    xp = space.xp
    y = space.floats(y)
    invalid = ~(xp.abs(y) <= 2.0**53) | (y != xp.floor(y))
    if bool(xp.any(invalid)):
        row = int(xp.argmax(xp.astype(invalid, xp.int32)))
        # The host's own check knows what is wrong with such a label.
        Labels.of(space.fetch(y)).encode()
        raise InvalidLabels(f"y[{row}] is {float(y[row])!r}, not a label.")
    return y


def _ordered(codes: Any, k: int, space: Space) -> tuple[Any, Any, Indices]:
    """The rows in the order of their codes below k, and where each code starts and the last ends,
    on the device and on the host.
    """
    xp = space.xp
    # In few bytes, since a device sorts byte by byte.
    codes = xp.astype(codes, xp.int16 if k < 2**15 - 1 else xp.int32, copy=False)
    if space.library == "torch":
        in_order, order = codes.sort(stable=True)
    else:
        order = xp.argsort(codes)
        in_order = space.take(codes, order)
    each = xp.arange(k + 1, dtype=codes.dtype, device=space.device)
    starts = xp.searchsorted(in_order, each)
    edges = space.fetch(starts).astype(np.int64)
    return order[: int(edges[-1])], starts, edges


def _weights(sample_weight: Any, n: int, space: Space) -> Any:
    if not check_place(sample_weight, "sample_weight", space):
        own: Any = row_weights(sample_weight, n)
        return space.put(own)
    xp = space.xp
    if not xp.isdtype(sample_weight.dtype, ("bool", "integral", "real floating")):
        raise InvalidWeights(f"sample_weight must hold numbers, not {sample_weight.dtype}.")
    values = space.floats(sample_weight)
    if values.ndim == 0:
        values = xp.broadcast_to(values, (n,))
    if tuple(values.shape) != (n,):
        raise InvalidWeights(
            f"sample_weight has shape {tuple(values.shape)} but X has {n} rows; "
            "Sample weights must be 1D array or scalar, one weight per row."
        )
    invalid = ~(values >= 0) | xp.isinf(values)
    if bool(xp.any(invalid)):
        row = int(xp.argmax(xp.astype(invalid, xp.int32)))
        raise InvalidWeights(
            f"sample_weight[{row}] is {float(values[row])}; weights must be finite and not "
            "negative."
        )
    if not bool(xp.any(values > 0)):
        raise InvalidWeights("sample_weight is zero in every row, so nothing would be counted.")
    return values
