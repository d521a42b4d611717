"""Pair: classes that a user names, as positions among the classes of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.labels import class_position
from suffice.errors import InvalidParameter
from suffice.text import quote_names, shown


def class_pair(classes: Array, a: Any = None, b: Any = None) -> tuple[int, int]:
    """Positions of a and b; by default the second of two classes against the first.

    >>> import numpy as np
    >>> class_pair(np.array(["no", "yes"]))
    (1, 0)
    """
    if a is None and b is None:
        if len(classes) == 2:
            return 1, 0
        if len(classes) < 2:
            raise InvalidParameter(
                f"there is only one class, {shown(classes[0])}; this compares two."
            )
        raise InvalidParameter(f"name two of the {len(classes)} classes: {quote_names(classes)}.")
    if a is None or b is None:
        raise InvalidParameter(f"name two classes, not one: {quote_names(classes)}.")
    first, second = class_position(classes, a), class_position(classes, b)
    if first == second:
        raise InvalidParameter(f"both classes are {shown(a)}; name two different ones.")
    return first, second


def class_codes(classes: Array, y: Any, n: int) -> Indices:
    """The position of the class of each of n rows; a single label stands for all."""
    # As objects, since NumPy would make one type of all labels of a list.
    labels = y if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
    labels = np.broadcast_to(labels, (n,)) if labels.ndim == 0 else labels
    if labels.shape != (n,):
        raise InvalidParameter(
            f"y has {len(labels)} labels for {n} rows (shape {labels.shape}); give one label per "
            "row."
        )
    values = labels.tolist()
    try:
        at = {label: class_position(classes, label) for label in dict.fromkeys(values)}
    except TypeError:
        raise InvalidParameter(f"y holds {shown(values[0])}, which is not a label.") from None
    return np.array([at[label] for label in values], np.int64)
