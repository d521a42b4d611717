"""Soundness: whether any rows can have what a file holds; ValueErrors say why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.statistics.passes.reader import SMALLEST_WEIGHT

if TYPE_CHECKING:
    from suffice.statistics.statistics import Statistics

# Largest number of rows: floats count no further, and sums of such counts would overflow.
MOST_ROWS = 1 << 53

# Largest weight or sum of squares: sums of larger ones would overflow.
LARGEST = 1e300


def check_statistics(s: Statistics) -> None:
    """Raise unless the parts of statistics, each of them sound, go together.

    >>> import suffice as sf
    >>> check_statistics(sf.summarize([[1.0, 2.0], [3.0, 1.0]], ["a", "a"]))
    """
    check_labels("classes", s.classes)
    check_counts(s.count, s.weight, len(s.classes))
    k, (rows, *d) = len(s.classes), s.means.high.shape
    if rows != k or len(d) != 1:
        raise ValueError("mean is not a table with one row per class")
    if not (np.abs(s.mean) <= np.sqrt(LARGEST)).all():
        raise ValueError("a mean is too large")
    check_names(s.feature_names, *d)
    # Groups first: a factor of few rows may claim any number of them.
    if s.spread.groups != (k if s.spread.per_class else 1) or s.spread.n_features != d[0]:
        raise ValueError("the scatter does not have the classes and features of the means")
    squares = s.spread.diagonal()
    check_squares(squares)
    if s.fourth is not None:
        if s.detail != "separate":
            raise ValueError("there are fourth-order sums, but no products of features by class")
        s.fourth.check_beside(s.known, squares)


def check_counts(count: Array, weight: Array, classes: int) -> None:
    """Raise unless every class has a possible number of rows and weight."""
    if (count.shape, weight.shape) != ((classes,), (classes,)):
        raise ValueError("there are not as many counts as classes")
    if (count <= 0).any() or (weight < SMALLEST_WEIGHT).any():
        raise ValueError("a class has no rows or no weight")
    if (count > MOST_ROWS).any() or count.sum(dtype=np.float64) > MOST_ROWS:
        raise ValueError("there are more rows than can be counted")
    if weight.sum() > LARGEST:
        raise ValueError("there is more weight than can be added up")


def check_squares(squares: Floats) -> None:
    """Raise unless sums of squares can be added up."""
    if not (squares <= LARGEST).all():
        raise ValueError("a sum of squares is too large")
    if (squares < 0).any():
        raise ValueError("a sum of squares is negative")


def check_labels(name: str, labels: Array) -> None:
    """Raise unless labels are of a known type, sorted and unique."""
    numbers = (np.bool_, np.int64, np.float64)
    if labels.ndim != 1 or (labels.dtype.kind != "U" and labels.dtype not in numbers):
        raise ValueError(f"{name} are not labels")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"{name} are not labels")
    if len(labels) > 1 and not (labels[:-1] < labels[1:]).all():
        raise ValueError(f"{name} are not sorted or not unique")


def check_names(names: Sequence[str] | None, features: int) -> None:
    """Raise unless each feature has a name of its own, or none has a name."""
    if names is None:
        return
    if len(names) != features:
        raise ValueError("there are not as many feature names as features")
    if len(set(names)) < len(names):
        raise ValueError("two features have the same name")
