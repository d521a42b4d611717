"""Alignment: the positions of the classes of two statistics in their union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.labels import same_kind
from suffice.statistics.numbers import ALL, DoubleDouble, place_rows

# A slice where possible: slices give views, index arrays give copies.
Rows: TypeAlias = slice | Indices


@dataclass(slots=True, eq=False)
class Alignment:
    """Positions of two sorted lists of classes, and of the classes they share, in their union."""

    classes: Array  # (k,) the union, sorted
    left: Rows  # positions of the left classes in the union
    right: Rows  # positions of the right classes in the union
    both: Rows  # positions of the shared classes in the union
    both_left: Rows  # positions of the shared classes on the left
    both_right: Rows  # positions of the shared classes on the right
    has_new: bool = False  # whether the right has classes that the left lacks

    @property
    def size(self) -> int:
        """Number of classes in the union."""
        return len(self.classes)

    def added(self, left: Array, right: Array) -> Array:
        """Numbers by class of both parts, added."""
        if self.both is ALL:
            return left + right
        out = left.copy() if self.left is ALL else place_rows(left, self.left, self.size)
        out[self.right] += right
        return out

    def joined(
        self, left: DoubleDouble, right: DoubleDouble | None, both: DoubleDouble
    ) -> DoubleDouble:
        """Values by class of one part only, or of `both` where the parts share the class."""
        if self.both is ALL:
            return both
        total = left.spread(self.left, self.size)
        if self.has_new and right is not None:
            total = total.with_rows(self.right, right)
        return total.with_rows(self.both, both)


def align(left: Array, right: Array) -> Alignment:
    """The union of two sorted lists of classes.

    >>> align(np.array(["a", "c"]), np.array(["b", "c"])).classes
    array(['a', 'b', 'c'], dtype='<U1')
    """
    same_kind(left, right)
    if left is right or (len(left) == len(right) and (left == right).all()):
        return Alignment(left, ALL, ALL, ALL, ALL, ALL)
    at = left.searchsorted(right)
    if len(right) == 1 and at[0] < len(left) and left[at[0]] == right[0]:
        one = slice(int(at[0]), int(at[0]) + 1)
        return Alignment(left, ALL, one, one, one, ALL)
    shared = at < len(left)
    shared[shared] = left[at[shared]] == right[shared]
    if shared.all():
        rows = tidy(at, len(left))
        return Alignment(left, ALL, rows, rows, rows, ALL)
    classes = np.union1d(left, right)
    k = len(classes)
    left_at, right_at = np.searchsorted(classes, left), np.searchsorted(classes, right)
    both, in_left, in_right = np.intersect1d(
        left_at, right_at, assume_unique=True, return_indices=True
    )
    return Alignment(
        classes,
        tidy(left_at, k),
        tidy(right_at, k),
        tidy(both, k),
        tidy(in_left, len(left)),
        tidy(in_right, len(right)),
        has_new=True,
    )


def tidy(at: Indices, length: int) -> Rows:
    """Indices as a slice where they are consecutive."""
    if len(at) == 0 or at[-1] - at[0] + 1 != len(at) or (at[1:] - at[:-1] != 1).any():
        return at
    first = int(at[0])
    return ALL if len(at) == length else slice(first, first + len(at))
