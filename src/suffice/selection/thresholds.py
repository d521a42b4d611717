"""Thresholds: what predicting a class from a probability on would have cost, and found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.answers.decision import best_other, cost_table
from suffice.data.arrays import Array, Floats
from suffice.data.labels import class_position
from suffice.data.parameters import share
from suffice.errors import InvalidParameter
from suffice.html import html_table
from suffice.selection.evaluation import label_codes
from suffice.text import align_columns, format_number, shown

HEAD = ("threshold", "recall", "precision", "predicted", "cost")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """One row per threshold on the probability of a class, in ascending order.

    From the threshold on, rows are predicted as the class `positive`; below it, as the most
    probable of the other classes.

    Attributes
    ----------
    positive : the class
    threshold : (t,) the probabilities that rows have, and 1
    recall : (t,) share of the rows of the class that is predicted as it
    precision : (t,) share of the rows predicted as the class that is of it; NaN if there is none
    predicted : (t,) share of all rows that is predicted as the class
    cost : (t,) mean cost of a row
    expected : the threshold that is best if probabilities are right; NaN with more classes
    """

    positive: Any
    threshold: Floats
    recall: Floats
    precision: Floats
    predicted: Floats
    cost: Floats
    expected: float

    def for_cost(self) -> dict[Any, float]:
        """The threshold of least cost, as `decide` takes it; of several, the middle one."""
        best = np.flatnonzero(self.cost == self.cost.min())
        return self._at(int(best[len(best) // 2]))

    def for_recall(self, recall: float) -> dict[Any, float]:
        """The highest threshold that reaches this recall, as `decide` takes it."""
        wanted = share("recall", recall)
        # Sums of shares may miss a share by rounding.
        return self._at(int(np.flatnonzero(self.recall >= wanted - 1e-12)[-1]))

    def _at(self, i: int) -> dict[Any, float]:
        return {self.positive: float(self.threshold[i])}

    @property
    def table(self) -> dict[str, Array]:
        """One column per quantity; `pandas.DataFrame` takes it."""
        return {name: getattr(self, name) for name in HEAD}

    def lines(self) -> list[list[str]]:
        """A dozen rows of the table as text, spread evenly over the share that is predicted."""
        shown_lines = 12
        goals = np.linspace(self.predicted[0], self.predicted[-1], shown_lines)
        near = [int(np.abs(self.predicted - goal).argmin()) for goal in goals]
        (best,) = self.for_cost().values()
        at = sorted({*near, int(np.flatnonzero(self.threshold == best)[0])})
        return [[_cell(column[i]) for column in self.table.values()] for i in at]

    def __repr__(self) -> str:
        ((label, best),) = self.for_cost().items()
        title = f"{shown(label)} from a probability on: least cost at {best:.4g}"
        return "\n".join([title, *align_columns([list(HEAD), *self.lines()])])

    def _repr_html_(self) -> str:
        return html_table(HEAD, self.lines(), words=())


def _cell(value: float) -> str:
    return "-" if np.isnan(value) else format_number(value)


def tabulate_thresholds(
    posterior: Floats,
    classes: Array,
    y: Any,
    weights: Floats | None = None,
    positive: Any = None,
    costs: Any = None,
) -> Thresholds:
    """The thresholds of predictions p(y | x), (n, k), on rows with labels y.

    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])
    >>> found = tabulate_thresholds(p, np.array(["no", "yes"]), ["no", "yes", "yes"])
    >>> found.threshold, found.recall, found.cost.round(2), found.for_cost()
    (array([0.1, 0.4, 0.7, 1. ]), array([1. , 1. , 0.5, 0. ]), array([0.33, 0.  , ...yes': 0.4})
    """
    c, table = _positive(positive, classes), cost_table(costs, classes)
    codes = label_codes(classes, y)
    w = np.ones(len(codes)) if weights is None else np.asarray(weights, float)
    own = np.where(codes == c, w, 0.0)
    if not own.any():
        raise InvalidParameter(
            f"no row is of class {shown(classes[c])}; pass rows of all classes, or another "
            "positive class."
        )
    p = posterior[:, c]
    levels, at = np.unique(np.append(p, 1.0), return_inverse=True)
    change = w * (table[codes, c] - table[codes, best_other(posterior, c)])

    def reached(values: Floats) -> Floats:
        """Sum over the rows at or above each threshold."""
        return np.asarray(np.bincount(at[:-1], values, len(levels))[::-1].cumsum()[::-1])

    found, hit = reached(w), reached(own)
    with np.errstate(invalid="ignore"):
        precision = hit / found
    below = w @ table[codes, best_other(posterior, c)]
    return Thresholds(
        classes[c].item(),
        levels,
        hit / own.sum(),
        precision,
        found / w.sum(),
        (below + reached(change)) / w.sum(),
        _expected(table, c),
    )


def _positive(label: Any, classes: Array) -> int:
    if label is not None:
        return class_position(classes, label)
    if len(classes) != 2:
        raise InvalidParameter(
            f"there are {len(classes)} classes; name the one to find: "
            f"positive={shown(classes[-1])}."
        )
    return 1


def _expected(table: Floats, c: int) -> float:
    """Where both answers have the same expected cost, if there are two classes."""
    if len(table) != 2:
        return float("nan")
    false_alarm = table[1 - c, c] - table[1 - c, 1 - c]
    miss = table[c, 1 - c] - table[c, c]
    total = false_alarm + miss
    return float(false_alarm / total) if total > 0 else float("nan")
