"""Known classes: labels and priors that a user gives instead of labelled rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels
from suffice.data.parameters import numbers
from suffice.errors import InvalidLabels, InvalidParameter
from suffice.models.priors import class_priors
from suffice.text import shown


def read_table(name: str, given: Any, columns: str) -> Floats:
    """A table of finite numbers, one row per class; `columns` says what its columns are."""
    values = numbers(name, given)
    if values is None or values.ndim != 2 or not values.size:
        shape = None if values is None else values.shape
        raise InvalidParameter(
            f"{name} has shape {shape}; it must have one row per class and one column per {columns}"
        )
    return values


@dataclass(frozen=True, slots=True)
class KnownClasses:
    """Labels in the order of a user's parameters, and their sorted order."""

    given: Array  # (k,)
    order: Indices  # (k,): positions of the sorted labels among those given

    @classmethod
    def read(cls, classes: Any, k: int) -> KnownClasses:
        """k labels; 0, 1, ... if None.

        >>> KnownClasses.read(["spam", "ham"], 2).classes
        array(['ham', 'spam'], dtype='<U4')
        """
        if classes is None:
            return cls(np.arange(k), np.arange(k))
        try:
            labels = Labels.of(classes)
            unique, codes = labels.encode()
        except InvalidLabels as error:
            raise InvalidParameter(f"classes must list one label per class: {error}") from None
        if len(labels) != k:
            raise InvalidParameter(f"classes has {len(labels)} labels for {k} rows of parameters.")
        given = np.asarray(unique[codes])
        order = np.argsort(codes, kind="stable")
        twice = given[order][:-1][np.diff(codes[order]) == 0]
        if len(twice):
            raise InvalidParameter(f"classes has label {shown(twice[0])} twice.")
        return cls(given, order)

    @property
    def classes(self) -> Array:
        """The labels, sorted, (k,)."""
        return self.given[self.order]

    def in_order(self, priors: Any) -> Any:
        """Priors for sorted classes, of priors in the given order; uniform if None."""
        if priors is None:
            return "uniform"
        if isinstance(priors, str | Mapping) or hasattr(priors, "to_dict"):
            return priors
        return class_priors(priors, self.given, None)[self.order]

    def priors(self, priors: Any) -> Floats:
        """One probability per sorted class, (k,)."""
        return class_priors(self.in_order(priors), self.classes, None)
