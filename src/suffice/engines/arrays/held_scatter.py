"""Held scatter: matrices that stay on a device until the host needs them."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.engines.arrays.space import Space
from suffice.statistics.alignment import Alignment
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.numbers import ALL, DoubleDouble
from suffice.statistics.scatter import DenseScatter


class HeldDense(DenseScatter):
    """Scatter matrices on a device; they merge there, and are fetched for anything else."""

    held: DoubleDouble  # of arrays on the device
    space: Space

    def __init__(self, held: DoubleDouble, per_class: bool, space: Space) -> None:
        self.held, self.per_class, self.space = held, per_class, space

    @cached_property
    def sums(self) -> DoubleDouble:  # type: ignore[override]
        """The matrices on the host."""
        high, low = self.held.high, self.held.low
        fetch = self.space.fetch
        return DoubleDouble(fetch(high), None if low is None else fetch(low))

    def __reduce__(self) -> tuple[Any, ...]:
        return DenseScatter, (self.sums, self.per_class)

    def stored(self, exact: bool) -> DenseScatter:
        """The form in which a file holds it: on the host."""
        return DenseScatter(self.sums, self.per_class)

    def diagonal(self) -> Floats:
        """Sums of squares, one row per group."""
        return self.space.fetch(self.space.xp.linalg.diagonal(self.held.high)).copy()

    def times(self, vectors: Floats, groups: slice | Indices) -> Floats:
        """Scatter matrix times vector, for one vector per group."""
        if not self.per_class:
            return super().times(vectors, groups)
        at = np.arange(self.held.high.shape[0])[groups]
        matrices = self.held.high
        if len(at) < matrices.shape[0]:
            matrices = self.space.take(matrices, self.space.put(at))
        products = self.space.xp.matmul(matrices, self.space.put(vectors)[:, :, None])
        return self.space.fetch(products[:, :, 0])

    def merged(
        self, other: DenseScatter | FactoredScatter, alignment: Alignment, jump: Floats
    ) -> DenseScatter:
        """Scatter of both, `jump` being the scaled distance between shared class means."""
        if not isinstance(other, HeldDense) or other.space != self.space:
            return super().merged(other, alignment, jump)
        step = self.space.put(jump)
        if not self.per_class:
            return HeldDense(
                (self.held + DoubleDouble((step.T @ step)[None, ...])) + other.held,
                False,
                self.space,
            )
        place = partial(_placed, space=self.space, size=alignment.size)
        outer = place(step[:, :, None] * step[:, None, :], alignment.both)
        left, right = (
            DoubleDouble(place(pair.high, at), None if pair.low is None else place(pair.low, at))
            for pair, at in ((self.held, alignment.left), (other.held, alignment.right))
        )
        return HeldDense((left + DoubleDouble(outer)) + right, True, self.space)

    def canonical(self) -> DenseScatter:
        """The same sums as single floats: the form of files."""
        if self.held.low is None:
            return self
        return HeldDense(DoubleDouble(self.held.high), self.per_class, self.space)

    def pooled(self) -> DenseScatter:
        """One matrix, summed over classes."""
        total = self.space.xp.sum(self.held.high, axis=0, keepdims=True)
        if self.held.low is not None:
            total = total + self.space.xp.sum(self.held.low, axis=0, keepdims=True)
        return HeldDense(DoubleDouble(total), False, self.space)


def _placed(values: Any, at: slice | Indices, *, space: Space, size: int) -> Any:
    """Values at positions `at` of a longer first axis, zero elsewhere."""
    if at is ALL:
        return values
    where = np.full(size, values.shape[0])
    where[at] = np.arange(values.shape[0])
    zero = space.xp.zeros((1, *values.shape[1:]), dtype=values.dtype, device=space.device)
    return space.take(space.xp.concat([values, zero]), space.put(where))
