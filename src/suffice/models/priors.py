"""Priors: class shares, uniform, by label, or an array -> one probability per class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import as_floats
from suffice.errors import InvalidParameter, MissingClasses
from suffice.text import shown


def class_priors(priors: Any, classes: Array, weight: Floats | None) -> Floats:
    """Prior probability of each class, in the order of `classes`.

    weight : of the rows of each class; None if there are no rows

    >>> class_priors({"b": 0.9, "a": 0.1}, np.array(["a", "b"]), np.ones(2))
    array([0.1, 0.9])
    """
    if priors is None:
        if weight is None:
            raise InvalidParameter(
                "priors is None, which means class shares, but the parameters of this model are "
                "known and there are no rows; give 'uniform', a mapping by label, or an array."
            )
        return np.asarray(weight / weight.sum())
    if isinstance(priors, str):
        if priors == "balanced":
            raise InvalidParameter(
                "priors is 'balanced'; what class_weight='balanced' does elsewhere is "
                "priors='uniform' here: every class counts equally, however many rows it has."
            )
        if priors != "uniform":
            raise InvalidParameter(
                f"priors is {shown(priors)}; pass None (class shares), 'uniform', a mapping by "
                "class label, or an array in the order of the classes."
            )
        return np.full(len(classes), 1 / len(classes))
    if hasattr(priors, "to_dict"):  # a pandas Series: by its index, unless that is only 0, 1, ...
        by_index = priors.to_dict()
        counts = list(by_index) == list(range(len(by_index)))
        priors = np.asarray(priors) if counts else by_index
    read = _by_label if isinstance(priors, Mapping) else _in_order
    values = read(priors, classes)
    if not np.isfinite(values).all() or (values < 0).any():
        c = int(np.argmin(np.where(np.isfinite(values), values, -np.inf)))
        raise InvalidParameter(
            f"Priors must be non-negative: that of class {shown(classes[c])} is {values[c]}."
        )
    if not np.isclose(values.sum(), 1.0, rtol=0, atol=1e-8):
        raise InvalidParameter(
            f"The sum of the priors should be 1; it is {values.sum():.12g}. Divide by it."
        )
    # A copy, so that later changes to the caller's array do not change the model.
    return np.array(values)


def _by_label(priors: Mapping[Any, Any], classes: Array) -> Floats:
    labels = classes.tolist()
    all_labels = set(labels)
    for label in priors:
        if label not in all_labels:
            # The class may come with later rows, but only if all classes so far are named.
            kind = MissingClasses if all(k in priors for k in labels) else InvalidParameter
            raise kind(f"priors names class {shown(label)}; the classes are {labels}.")
    for label in labels:
        if label not in priors:
            raise InvalidParameter(f"priors has no entry for class {shown(label)}.")
    return _numbers([priors[label] for label in labels])


def _in_order(priors: Any, classes: Array) -> Floats:
    values = _numbers(priors)
    if values.shape != (len(classes),):
        more = values.ndim == 1 and len(values) > len(classes)
        raise (MissingClasses if more else InvalidParameter)(
            f"Number of priors must match number of classes: {values.shape} priors for "
            f"{len(classes)} classes {classes.tolist()}."
        )
    return values


def _numbers(priors: Any) -> Floats:
    try:
        return as_floats(priors)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"priors must be numbers, not {shown(priors)}.") from None
