"""Decision: the label of least expected cost, or None where every label is too risky."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.labels import shown
from suffice.data.parameters import as_float, as_floats
from suffice.errors import InvalidParameter


def decide(
    posterior: Floats, classes: Array, costs: Any = None, reject: float | None = None
) -> Array:
    """Labels of least expected cost.

    posterior : (n, k)
    costs : (k, k), the cost of predicting class j (column) where i (row) is true; 0 and 1 if None
    reject : the cost of no prediction; rows whose best label has a higher expected cost get None.
        With the default costs: those whose best class is less probable than 1 - reject.

    >>> p = np.array([[0.9, 0.1], [0.6, 0.4]])
    >>> decide(p, np.array(["benign", "malign"]), costs=[[0, 1], [5, 0]])
    array(['benign', 'malign'], dtype='<U6')
    >>> decide(p, np.array(["benign", "malign"]), reject=0.2)
    array(['benign', None], dtype=object)
    """
    expected = posterior @ _costs(costs, classes)
    best = expected.argmin(axis=1)
    labels = classes[best]
    if reject is None:
        return np.asarray(labels)
    if not as_float(reject) >= 0:
        raise InvalidParameter(f"reject is {shown(reject)}; it must be a cost, not below 0.")
    answered = labels.astype(object)
    answered[expected[np.arange(len(best)), best] > as_float(reject)] = None
    return np.asarray(answered)


def _costs(costs: Any, classes: Array) -> Floats:
    k = len(classes)
    if costs is None:
        return 1.0 - np.eye(k)
    try:
        values = as_floats(costs)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("costs must be a table of numbers.") from None
    if values.shape != (k, k):
        raise InvalidParameter(
            f"costs has shape {values.shape}; it needs one row per true class and one column per "
            f"predicted class, ({k}, {k}), in the order {classes.tolist()}."
        )
    if not np.isfinite(values).all():
        raise InvalidParameter("costs must be finite.")
    return values
