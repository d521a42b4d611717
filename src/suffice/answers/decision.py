"""Decision: the label of least expected cost or beyond a threshold, or None where it is risky."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, namespace
from suffice.data.labels import class_position
from suffice.data.parameters import as_float, as_floats, share
from suffice.errors import InvalidParameter
from suffice.text import shown


def decide(
    posterior: Floats,
    classes: Array,
    costs: Any = None,
    reject: float | None = None,
    threshold: Any = None,
) -> Array:
    """Labels of least expected cost, or by a threshold on the probability of one class.

    posterior : (n, k)
    costs : the cost of predicting one class where another is true; 0 and 1 if None. See
        `cost_table`
    reject : the cost of no prediction; rows whose best label has a higher expected cost get None.
        With the default costs: those whose best class is less probable than 1 - reject.
    threshold : smallest probability at which a class is predicted. A number for the second of two
        classes, or {class: number}; below it, the most probable of the other classes

    >>> p = np.array([[0.9, 0.1], [0.6, 0.4]])
    >>> decide(p, np.array(["benign", "malign"]), costs={("malign", "benign"): 5})
    array(['benign', 'malign'], dtype='<U6')
    >>> decide(p, np.array(["benign", "malign"]), reject=0.2)
    array(['benign', None], dtype=object)
    >>> decide(p, np.array(["benign", "malign"]), threshold=0.1)
    array(['malign', 'malign'], dtype='<U6')
    """
    codes, is_rejected = DecisionRule.of(classes, costs, reject, threshold).apply(posterior)
    return without_rejected(classes[codes], is_rejected)


def without_rejected(labels: Array, is_rejected: Array | None) -> Array:
    """The labels, None where a row is rejected."""
    if is_rejected is None:
        return np.asarray(labels)
    answered = labels.astype(object)
    answered[is_rejected] = None
    return np.asarray(answered)


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """How a posterior becomes a class: by costs, or by a threshold for one class."""

    costs: Floats | None  # (k, k); None for 0 and 1
    reject: float | None
    threshold: tuple[int, float] | None  # a class, and the probability from which it is predicted

    @classmethod
    def of(cls, classes: Array, costs: Any, reject: Any, threshold: Any) -> Self:
        """The rule that a user describes, checked."""
        named = None if threshold is None else read_threshold(threshold, classes)
        if named is not None and (costs is not None or reject is not None):
            raise InvalidParameter(
                "threshold decides alone; pass costs and reject, or a threshold, not both."
            )
        table = None if costs is None else cost_table(costs, classes)
        cost = None if reject is None else as_float(reject)
        if cost is not None and not cost >= 0:
            raise InvalidParameter(f"reject is {shown(reject)}; it must be a cost, not below 0.")
        return cls(table, cost, named)

    def apply(self, posterior: Any, put: Callable[[Array], Any] = np.asarray) -> tuple[Any, Any]:
        """The position of the class of each row, and which rows are rejected (None: no row).

        posterior : (n, k), an array of any library
        put : how an array of NumPy gets there
        """
        xp = namespace(posterior)
        if self.threshold is not None:
            c, least = self.threshold
            return xp.where(posterior[:, c] >= least, c, best_other(posterior, c, put)), None
        expected = 1.0 - posterior if self.costs is None else posterior @ put(self.costs)
        best = xp.argmin(expected, axis=1)
        return best, None if self.reject is None else xp.min(expected, axis=1) > self.reject


def read_threshold(threshold: Any, classes: Array) -> tuple[int, float]:
    """The position of the class that a threshold is for, and the probability."""
    if isinstance(threshold, Mapping):
        if len(threshold) != 1:
            raise InvalidParameter(
                f"threshold names {len(threshold)} classes; name one, such as "
                f"{{{shown(classes[-1])}: 0.3}}."
            )
        ((label, number),) = threshold.items()
        return class_position(classes, label), share("threshold", number)
    number = share("threshold", threshold)
    if len(classes) != 2:
        raise InvalidParameter(
            f"threshold is {shown(threshold)} for {len(classes)} classes; name the class it is "
            f"for: threshold={{{shown(classes[-1])}: {number:g}}}."
        )
    return 1, number


def best_other(posterior: Any, c: int, put: Callable[[Array], Any] = np.asarray) -> Any:
    """The most probable of all classes but c, (n,)."""
    xp, is_c = namespace(posterior), np.arange(posterior.shape[1]) == c
    return xp.argmax(xp.where(put(is_c), -1.0, posterior), axis=1)


def cost_table(costs: Any, classes: Array) -> Floats:
    """The cost of predicting class j (column) where class i (row) is true, (k, k).

    costs : a mapping (true, predicted) -> cost, or {true: {predicted: cost}}, in which pairs that
        are not named cost 1, and correct predictions 0; a data frame with the classes as index
        and columns; an array (k, k) in the order of the classes; None for 0 and 1

    >>> cost_table({"malign": {"benign": 5}}, np.array(["benign", "malign"]))
    array([[0., 1.],
           [5., 0.]])
    """
    k = len(classes)
    if costs is None:
        return 1.0 - np.eye(k)
    if hasattr(costs, "columns") and set(costs.columns) == set(classes.tolist()):
        costs = costs.to_dict("index")  # a data frame of pandas
    if isinstance(costs, Mapping):
        return _checked(_by_label(costs, classes))
    try:
        values = as_floats(costs)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(
            "costs must be numbers: an array, or a mapping such as "
            f"{{({shown(classes[0])}, {shown(classes[-1])}): 5}} of (true, predicted)."
        ) from None
    if values.shape != (k, k):
        raise InvalidParameter(
            f"costs has shape {values.shape}; it needs one row per true class and one column per "
            f"predicted class, ({k}, {k}), in the order {classes.tolist()}. Or name them: "
            f"costs={{({shown(classes[0])}, {shown(classes[-1])}): 5}}."
        )
    return _checked(values)


def _by_label(costs: Mapping[Any, Any], classes: Array) -> Floats:
    table = 1.0 - np.eye(len(classes))
    for true, given in costs.items():
        if isinstance(given, Mapping):
            pairs = {(true, predicted): cost for predicted, cost in given.items()}
        elif isinstance(true, tuple) and len(true) == 2:
            pairs = {true: given}
        else:
            raise InvalidParameter(
                f"costs has the key {shown(true)}; name the true and the predicted class: "
                f"({shown(classes[0])}, {shown(classes[-1])})."
            )
        for (a, b), cost in pairs.items():
            table[class_position(classes, a), class_position(classes, b)] = as_float(cost)
    return table


def _checked(table: Floats) -> Floats:
    if not np.isfinite(table).all():
        raise InvalidParameter("costs must be finite numbers.")
    return table
